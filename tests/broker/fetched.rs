//! Credentials that are fetched: from token and log-in endpoints, once for all who wait, anew when they
//! end or are refused, and never seen by the code.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use indexmap::IndexMap;
use mce::config::{Auth, ClientAuthentication};
use mce::sandbox::CallError;
use mce::wire::Value;
use serde_json::json;
use tokio::net::TcpListener;

use crate::capture::{Capture, Captured, response};
use crate::fixture::{Setup, function, manifest, template};

const SECRET: &str = "canary-client-secret";
const JSON: (&str, &str) = ("content-type", "application/json");

fn oauth2(token_url: &str, authentication: Option<ClientAuthentication>) -> Auth {
    Auth::OAuth2 {
        token_url: template(token_url),
        client_id: template("the:client"),
        client_secret: template(SECRET),
        scope: Some(template("read write")),
        audience: Some(template("https://api.example/")),
        authentication,
        extra: IndexMap::from([("resource".to_owned(), template("r&s"))]),
    }
}

fn session(login_url: &str) -> Auth {
    Auth::Session {
        login_url: template(login_url),
        username: template("me"),
        password: template(SECRET),
        username_field: "username".into(),
        password_field: "password".into(),
        form: false,
        cookie_name: None,
        token_field: None,
        expires: Duration::from_hours(1),
    }
}

/// Functions that want a credential, and one that wants none.
fn setup(auth: Auth) -> Setup {
    let mut manifest = manifest(
        vec![
            function("get", "GET", "/get", &[], json!([{"oauth": ["read"]}])),
            function("add", "POST", "/add", &[], json!([{"oauth": ["write"]}])),
            function("open", "GET", "/open", &[], json!([])),
        ],
        &[],
    );
    manifest.security_schemes = serde_json::from_value(json!({
        "oauth": {"type": "oauth2", "scheme": null, "in": null, "name": null},
    }))
    .unwrap();
    Setup::new(manifest).auth(auth)
}

fn path(request: &Captured) -> &str {
    request.line.split(' ').nth(1).unwrap_or_default()
}

fn authorization(request: &Captured) -> String {
    request.header("authorization").join(" | ")
}

/// An API and its token endpoint: the n-th token is `token-n`, and what the API answers is up to
/// `answer`.
async fn api(answer: impl Fn(&Captured) -> Vec<u8> + Send + Sync + 'static) -> Capture {
    let count = AtomicUsize::new(0);
    Capture::start(move |request| {
        if path(request) != "/token" {
            return answer(request);
        }
        let number = count.fetch_add(1, Ordering::SeqCst) + 1;
        let body = json!({"access_token": format!("canary-token-{number}"), "expires_in": 3600});
        response(200, &[JSON], body.to_string())
    })
    .await
}

fn to(api: &Capture, wanted: &str) -> Vec<Captured> {
    let requests = api.requests().into_iter();
    requests.filter(|request| path(request) == wanted).collect()
}

#[tokio::test]
async fn a_token_is_asked_for_as_the_standard_says_and_attached() {
    let api = api(|_| response(200, &[JSON], "1")).await;
    let auth = oauth2(&format!("{}/token", api.url()), None);
    let shop = setup(auth).at(&api.url()).build();
    shop.call("open", json!({})).await.unwrap();
    assert_eq!(to(&api, "/token").len(), 0, "nobody needed one");
    for _ in 0..3 {
        shop.call("get", json!({})).await.unwrap();
    }
    shop.call("add", json!({})).await.unwrap();
    let asked = to(&api, "/token");
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].line, "POST /token HTTP/1.1");
    let pair = STANDARD.encode(format!("the%3Aclient:{SECRET}"));
    assert_eq!(authorization(&asked[0]), format!("Basic {pair}"));
    assert_eq!(
        asked[0].header("content-type"),
        ["application/x-www-form-urlencoded"]
    );
    assert_eq!(
        String::from_utf8_lossy(&asked[0].body),
        "grant_type=client_credentials&scope=read+write&audience=https%3A%2F%2Fapi.example%2F&\
         resource=r%26s"
    );
    assert_eq!(authorization(&to(&api, "/get")[2]), "Bearer canary-token-1");
    assert_eq!(authorization(&to(&api, "/add")[0]), "Bearer canary-token-1");
    assert_eq!(authorization(&to(&api, "/open")[0]), "");
}

#[tokio::test]
async fn an_endpoint_that_wants_the_secret_in_the_body_gets_it_there() {
    let endpoint = |request: &Captured| {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        if path(request) != "/token" {
            response(200, &[JSON], "1")
        } else if body.contains("client_id=the%3Aclient&client_secret=canary-client-secret") {
            response(200, &[JSON], r#"{"access_token": "by-body"}"#)
        } else {
            response(401, &[JSON], r#"{"error": "invalid_client"}"#)
        }
    };
    let api = Capture::start(endpoint).await;
    let url = format!("{}/token", api.url());
    let shop = setup(oauth2(&url, None)).at(&api.url()).build();
    shop.call("get", json!({})).await.unwrap();
    assert_eq!(authorization(&to(&api, "/get")[0]), "Bearer by-body");
    assert_eq!(to(&api, "/token").len(), 2);

    let method = Some(ClientAuthentication::Body);
    let shop = setup(oauth2(&url, method)).at(&api.url()).build();
    shop.call("get", json!({})).await.unwrap();
    assert_eq!(to(&api, "/token").len(), 3);
    assert_eq!(authorization(&to(&api, "/token")[2]), "");

    let method = Some(ClientAuthentication::Basic);
    let shop = setup(oauth2(&url, method)).at(&api.url()).build();
    let error = shop.call("get", json!({})).await.unwrap_err();
    assert!(error.to_string().contains("`invalid_client`"), "{error}");
    assert_eq!(to(&api, "/token").len(), 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_executions_at_once_ask_for_one_token() {
    let api = api(|_| response(200, &[JSON], "1")).await;
    let auth = oauth2(&format!("{}/token", api.url()), None);
    let shop = Arc::new(setup(auth).at(&api.url()).build());
    let calls = (0..100).map(|_| {
        let host = shop.broker.host(crate::fixture::scope(&["shop"]));
        tokio::spawn(async move { host.call("shop", "get", IndexMap::new()).await })
    });
    for call in calls.collect::<Vec<_>>() {
        assert_eq!(call.await.unwrap().unwrap(), Value::from(json!(1)));
    }
    assert_eq!(to(&api, "/token").len(), 1);
    assert_eq!(to(&api, "/get").len(), 100);
}

/// Whoever asked first may be gone before the answer comes.
#[tokio::test]
async fn a_fetch_goes_on_when_the_call_that_began_it_does_not() {
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/token", listener.local_addr().unwrap());
    let opened = Arc::clone(&gate);
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        while let Ok((mut stream, _)) = listener.accept().await {
            count.fetch_add(1, Ordering::SeqCst);
            let _ = stream.read(&mut [0; 4096]).await;
            opened.acquire().await.unwrap().forget();
            let body = r#"{"access_token": "late"}"#;
            let _ = stream.write_all(&response(200, &[JSON], body)).await;
        }
    });
    let api = api(|_| response(200, &[JSON], "1")).await;
    let shop = setup(oauth2(&url, None)).at(&api.url()).build();
    let first = shop.call("get", json!({}));
    let gone = tokio::time::timeout(Duration::from_millis(200), first).await;
    assert!(gone.is_err(), "it waits");
    gate.add_permits(1);
    shop.call("get", json!({})).await.unwrap();
    assert_eq!(connections.load(Ordering::SeqCst), 1);
    assert_eq!(authorization(&to(&api, "/get")[0]), "Bearer late");
}

#[tokio::test]
async fn a_token_that_the_api_refuses_is_fetched_once_more() {
    // Revoked before its time.
    let api = api(|request| match authorization(request).as_str() {
        "Bearer canary-token-1" => response(401, &[JSON], r#"{"message": "revoked"}"#),
        _ => response(200, &[JSON], "1"),
    })
    .await;
    let auth = oauth2(&format!("{}/token", api.url()), None);
    let shop = setup(auth).at(&api.url()).build();
    // What was refused was not done: a POST is sent again too.
    shop.call("add", json!({})).await.unwrap();
    shop.call("get", json!({})).await.unwrap();
    let sent: Vec<_> = to(&api, "/add").iter().map(authorization).collect();
    assert_eq!(sent, ["Bearer canary-token-1", "Bearer canary-token-2"]);
    assert_eq!(to(&api, "/token").len(), 2);
}

#[tokio::test]
async fn an_api_that_refuses_every_token_does_not_make_the_endpoint_busy() {
    let api = api(|_| response(401, &[JSON], "{}")).await;
    let auth = oauth2(&format!("{}/token", api.url()), None);
    let shop = setup(auth).at(&api.url()).build();
    for _ in 0..20 {
        let error = shop.call("get", json!({})).await.unwrap_err();
        assert!(
            matches!(error, CallError::Api { status: 401, .. }),
            "{error}"
        );
    }
    assert_eq!(to(&api, "/token").len(), 6);
    assert_eq!(to(&api, "/get").len(), 25);
}

/// Each of them was to fetch one anew.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_are_refused_at_once_share_the_next_token() {
    let api = api(|request| match authorization(request).as_str() {
        "Bearer canary-token-1" => response(401, &[JSON], "{}"),
        _ => response(200, &[JSON], "1"),
    })
    .await;
    let auth = oauth2(&format!("{}/token", api.url()), None);
    let shop = setup(auth).at(&api.url()).build();
    let calls = (0..16).map(|_| shop.call("get", json!({})));
    for answer in futures::future::join_all(calls).await {
        answer.unwrap();
    }
    assert_eq!(to(&api, "/token").len(), 2);
}

#[tokio::test]
async fn an_expired_token_is_fetched_anew_and_a_late_one_used_while_it_lasts() {
    let count = Arc::new(AtomicUsize::new(0));
    let asked = Arc::clone(&count);
    let api = Capture::start(move |request| {
        if path(request) != "/token" {
            return response(200, &[JSON], "1");
        }
        match asked.fetch_add(1, Ordering::SeqCst) {
            0 => response(
                200,
                &[JSON],
                r#"{"access_token": "first", "expires_in": 14}"#,
            ),
            1 => response(503, &[("retry-after", "1")], ""),
            _ => response(200, &[JSON], r#"{"access_token": "second"}"#),
        }
    })
    .await;
    let auth = oauth2(&format!("{}/token", api.url()), None);
    let shop = setup(auth).at(&api.url()).build();
    shop.call("get", json!({})).await.unwrap();
    // Half of its life: the endpoint is asked, is busy, and what there is lasts.
    tokio::time::sleep(Duration::from_millis(7_200)).await;
    shop.call("get", json!({})).await.unwrap();
    shop.call("get", json!({})).await.unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 2);
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    // The next one is fetched beside this call, and there for the one after.
    shop.call("get", json!({})).await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    shop.call("get", json!({})).await.unwrap();
    let sent: Vec<_> = to(&api, "/get").iter().map(authorization).collect();
    assert_eq!(
        sent,
        [
            "Bearer first",
            "Bearer first",
            "Bearer first",
            "Bearer first",
            "Bearer second",
        ]
    );
}

#[tokio::test]
async fn an_endpoint_at_a_forbidden_address_is_a_refusal() {
    let auth = oauth2("https://localhost:9/token", None);
    let shop = setup(auth).at("https://127.0.0.1:9").build();
    let message = shop.refused("get", json!({})).await;
    assert!(
        message.contains("`localhost` leads to an address that is not of the internet"),
        "{message}"
    );
    assert!(shop.records.all()[0].refusal.is_some());
}

/// Only `invalid_client` was told, of an endpoint that takes nothing but the body.
#[tokio::test]
async fn what_the_endpoint_says_when_it_knows_the_client_is_told() {
    let api = Capture::start(|request| {
        let body = String::from_utf8_lossy(&request.body).into_owned();
        let error = if body.contains("client_secret=") {
            "invalid_scope"
        } else {
            "invalid_client"
        };
        response(400, &[JSON], json!({"error": error}).to_string())
    })
    .await;
    let auth = oauth2(&format!("{}/token", api.url()), None);
    let shop = setup(auth).at(&api.url()).build();
    let error = shop.call("get", json!({})).await.unwrap_err().to_string();
    assert!(
        error.ends_with("it answered 400 `invalid_scope`"),
        "{error}"
    );
}

/// An answer that was begun before the token was fetched had it as it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_that_is_fetched_while_an_answer_comes_is_removed_from_it() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let late = listener.local_addr().unwrap();
    let gate = Arc::new(tokio::sync::Semaphore::new(0));
    let opened = Arc::clone(&gate);
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        let head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nbegun ";
        stream.write_all(head).await.unwrap();
        opened.acquire().await.unwrap().forget();
        stream.write_all(b"<canary-token-1>").await.unwrap();
    });
    let api = api(|_| response(200, &[JSON], "1")).await;
    let mut setup = setup(oauth2(&format!("{}/token", api.url()), None)).at(&api.url());
    setup.limits.allowed_domains = Some(vec!["127.0.0.1".to_owned(), late.to_string()]);
    let shop = setup.build();
    let request = mce::sandbox::HttpRequest {
        stream: 1,
        method: "GET".to_owned(),
        url: format!("http://{late}/"),
        ..mce::sandbox::HttpRequest::default()
    };
    let answer = shop.host.http(request).await.unwrap();
    let mut body = answer.piece.bytes.to_vec();
    // The piece is waited for when the token comes.
    let waiting = {
        let host = Arc::clone(&shop.host);
        tokio::spawn(async move { host.http_more(1, None).await })
    };
    tokio::time::sleep(Duration::from_millis(100)).await;
    shop.call("get", json!({})).await.unwrap();
    gate.add_permits(1);
    let mut waiting = Some(waiting);
    loop {
        let piece = match waiting.take() {
            Some(waiting) => waiting.await.unwrap().unwrap(),
            None => shop.host.http_more(1, None).await.unwrap(),
        };
        body.extend_from_slice(&piece.bytes);
        if !piece.more {
            break;
        }
    }
    assert_eq!(String::from_utf8_lossy(&body), "begun <[redacted]>");
}

/// `theme=dark` made `dark` a secret in the answers of every API, and a cookie of a second made for a
/// log-in every five.
#[tokio::test]
async fn a_cookie_that_is_no_credential_is_no_secret_and_ends_no_session() {
    let api = Capture::start(|request| match path(request) {
        "/login" => response(
            200,
            &[
                ("set-cookie", "sid=a1b2c3d4e5; HttpOnly"),
                ("set-cookie", "theme=dark; Max-Age=1"),
            ],
            "",
        ),
        _ => response(200, &[JSON], r#"{"theme": "dark", "sid": "a1b2c3d4e5"}"#),
    })
    .await;
    let shop = setup(session(&format!("{}/login", api.url())))
        .at(&api.url())
        .build();
    let value = shop.call("get", json!({})).await.unwrap();
    assert_eq!(value, json!({"theme": "dark", "sid": "[redacted]"}).into());
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    shop.call("get", json!({})).await.unwrap();
    assert_eq!(to(&api, "/login").len(), 1);
}

/// Who asks again and again with a wrong password is locked out.
#[tokio::test]
async fn an_endpoint_that_refuses_is_not_asked_again_at_once() {
    let api = Capture::start(|_| response(401, &[JSON], "{}")).await;
    let shop = setup(session(&format!("{}/login", api.url())))
        .at(&api.url())
        .build();
    let first = shop.call("get", json!({})).await.unwrap_err();
    for _ in 0..20 {
        assert_eq!(shop.call("get", json!({})).await.unwrap_err(), first);
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    assert_eq!(api.requests().len(), 1);
}

#[tokio::test]
async fn a_token_that_is_said_to_last_no_time_is_used_for_some() {
    for expires_in in [json!(0), json!(-1), json!(1e300), json!("x"), json!(null)] {
        let api = Capture::start(move |request| {
            let body = json!({"access_token": "short", "expires_in": expires_in}).to_string();
            let body = if path(request) == "/token" {
                body
            } else {
                "1".into()
            };
            response(200, &[JSON], &body)
        })
        .await;
        let auth = oauth2(&format!("{}/token", api.url()), None);
        let shop = setup(auth).at(&api.url()).build();
        for _ in 0..5 {
            shop.call("get", json!({})).await.unwrap();
        }
        assert_eq!(to(&api, "/token").len(), 1);
    }
}

#[tokio::test]
async fn what_is_wrong_with_an_endpoint_is_said_without_a_secret() {
    let echo = format!(r#"{{"error": "invalid_client", "error_description": "no {SECRET}"}}"#);
    for (answer, expected) in [
        (
            response(
                200,
                &[("content-type", "text/html")],
                "<html>Sign in</html>",
            ),
            "it answered 200 with `text/html` that is no JSON object",
        ),
        (
            response(502, &[], "bad gateway"),
            "it answered 502 without a JSON object",
        ),
        (
            response(400, &[JSON], &echo),
            "it answered 400 `invalid_client` (no [redacted])",
        ),
        (
            response(400, &[JSON], json!({"error": SECRET}).to_string()),
            "it answered 400 ([redacted])",
        ),
        (
            response(
                400,
                &[JSON],
                json!({"error": format!("{}{SECRET}", "x".repeat(190))}).to_string(),
            ),
            "it answered 400 (xxx",
        ),
        (
            response(
                200,
                &[JSON],
                json!({"access_token": "t".repeat(20_000)}).to_string(),
            ),
            "its token is longer than any header",
        ),
        (
            response(200, &[JSON], "[]"),
            "it answered 200 with `application/json` that is no JSON",
        ),
        (
            response(200, &[JSON], "{}"),
            "it answered 200 without an `access_token`",
        ),
        (
            response(302, &[("location", "/elsewhere")], ""),
            "it answered 302 Found, a redirect",
        ),
        (
            response(307, &[("location", "http://127.0.0.2:9/token")], ""),
            "it redirects to another origin, which is not followed",
        ),
        (
            response(307, &[("location", "/token")], ""),
            "it redirects again and again",
        ),
    ] {
        let api = Capture::start(move |_| answer.clone()).await;
        let url = format!("{}/token", api.url());
        let method = Some(ClientAuthentication::Basic);
        let shop = setup(oauth2(&format!("{url}?key=canary-query"), method))
            .at(&api.url())
            .build();
        let error = shop.call("get", json!({})).await.unwrap_err();
        assert!(matches!(error, CallError::Network { .. }), "{error:?}");
        let message = error.to_string();
        let begin = format!("server `shop`: the token endpoint `{url}`: {expected}");
        assert!(message.starts_with(&begin), "{message}");
        assert!(!message.contains("canary"), "{message}");
        assert_eq!(to(&api, "/get").len(), 0, "sent without a credential");
    }
}

#[tokio::test]
async fn an_endpoint_that_is_down_or_silent_is_said_to_be_soon() {
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/token", closed.local_addr().unwrap());
    drop(closed);
    let api = api(|_| response(200, &[JSON], "1")).await;
    let shop = setup(oauth2(&url, None)).at(&api.url()).build();
    let error = shop.call("get", json!({})).await.unwrap_err().to_string();
    let expected = format!("server `shop`: the token endpoint `{url}`: no connection: ");
    assert!(error.starts_with(&expected), "{error}");

    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/token", silent.local_addr().unwrap());
    let mut setup = setup(oauth2(&url, None)).at(&api.url());
    setup.config.timeout = Some(Duration::from_secs(1));
    let shop = setup.build();
    let begun = std::time::Instant::now();
    let error = shop.call("get", json!({})).await.unwrap_err().to_string();
    assert_eq!(
        error,
        "server `shop`: its token or log-in endpoint gave no answer in time"
    );
    assert!(begun.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn a_log_in_yields_cookies() {
    let api = Capture::start(|request| match path(request) {
        "/login" => response(
            200,
            &[
                ("set-cookie", "sid=canary-session; Path=/; HttpOnly"),
                ("set-cookie", "theme=dark"),
            ],
            "",
        ),
        _ => response(200, &[JSON], "1"),
    })
    .await;
    let shop = setup(session(&format!("{}/login", api.url())))
        .at(&api.url())
        .build();
    shop.call("open", json!({})).await.unwrap();
    for _ in 0..2 {
        shop.call("get", json!({})).await.unwrap();
    }
    let logins = to(&api, "/login");
    assert_eq!(logins.len(), 1);
    assert_eq!(logins[0].header("content-type"), ["application/json"]);
    let body: serde_json::Value = serde_json::from_slice(&logins[0].body).unwrap();
    assert_eq!(body, json!({"username": "me", "password": SECRET}));
    let get = to(&api, "/get");
    assert_eq!(get[1].header("cookie"), ["sid=canary-session; theme=dark"]);
    assert_eq!(authorization(&get[1]), "");
    assert!(to(&api, "/open")[0].header("cookie").is_empty());
}

#[tokio::test]
async fn a_form_is_followed_on_its_own_origin_as_a_browser_does() {
    let api = Capture::start(|request| match path(request) {
        "/login" => response(
            302,
            &[("set-cookie", "csrf=1"), ("location", "/welcome")],
            "",
        ),
        "/welcome" => response(
            303,
            &[
                ("set-cookie", "sid=canary-session; Max-Age=3600"),
                ("set-cookie", "csrf=; Max-Age=0"),
                ("location", "http://127.0.0.2:9/home"),
            ],
            "",
        ),
        _ => response(200, &[JSON], "1"),
    })
    .await;
    let auth = match session(&format!("{}/login", api.url())) {
        Auth::Session {
            login_url,
            username,
            password,
            expires,
            token_field,
            ..
        } => Auth::Session {
            login_url,
            username,
            password,
            expires,
            token_field,
            username_field: "user name".into(),
            password_field: "pass".into(),
            form: true,
            cookie_name: Some("sid".into()),
        },
        other => panic!("{other:?}"),
    };
    let shop = setup(auth).at(&api.url()).build();
    shop.call("get", json!({})).await.unwrap();
    let login = &to(&api, "/login")[0];
    assert_eq!(
        String::from_utf8_lossy(&login.body),
        format!("user+name=me&pass={SECRET}")
    );
    let welcome = &to(&api, "/welcome")[0];
    assert_eq!(welcome.line, "GET /welcome HTTP/1.1");
    assert_eq!(welcome.header("cookie"), ["csrf=1"]);
    assert!(welcome.body.is_empty());
    assert_eq!(to(&api, "/get")[0].header("cookie"), ["sid=canary-session"]);
}

#[tokio::test]
async fn a_log_in_yields_a_token_at_a_path() {
    for (field, body) in [
        ("token", r#"{"token": "canary-session"}"#),
        (
            "data.tokens[1].value",
            r#"{"data": {"tokens": [{}, {"value": "canary-session"}]}}"#,
        ),
        ("$.data['a.b']", r#"{"data": {"a.b": "canary-session"}}"#),
        ("access-token", r#"{"access-token": "canary-session"}"#),
    ] {
        let api = Capture::start(move |request| match path(request) {
            "/login" => response(200, &[JSON, ("set-cookie", "sid=1")], body),
            _ => response(200, &[JSON], "1"),
        })
        .await;
        let mut auth = session(&format!("{}/login", api.url()));
        if let Auth::Session { token_field, .. } = &mut auth {
            *token_field = Some(field.into());
        }
        let shop = setup(auth).at(&api.url()).build();
        shop.call("get", json!({})).await.unwrap();
        let get = &to(&api, "/get")[0];
        assert_eq!(authorization(get), "Bearer canary-session", "{field}");
        assert!(get.header("cookie").is_empty(), "{field}");
    }
}

#[tokio::test]
async fn a_session_that_the_api_ended_is_begun_anew() {
    let count = AtomicUsize::new(0);
    let api = Capture::start(move |request| match path(request) {
        "/login" => {
            let number = count.fetch_add(1, Ordering::SeqCst) + 1;
            let cookie = format!("sid=session-number-{number}");
            response(204, &[("set-cookie", &cookie)], "")
        }
        _ if request.header("cookie") == ["sid=session-number-1"] => response(401, &[], ""),
        _ => response(200, &[JSON], "1"),
    })
    .await;
    let shop = setup(session(&format!("{}/login", api.url())))
        .at(&api.url())
        .build();
    shop.call("get", json!({})).await.unwrap();
    assert_eq!(to(&api, "/login").len(), 2);
    assert_eq!(to(&api, "/get").len(), 2);
}

#[tokio::test]
async fn a_log_in_that_fails_is_said_without_a_secret() {
    for (answer, expected) in [
        (
            response(401, &[JSON], format!("{{\"you\": \"{SECRET}\"}}")),
            "it answered 401",
        ),
        (response(200, &[JSON], "{}"), "it set no cookie"),
        (
            response(302, &[("location", "https://evil.example/")], ""),
            "it redirects to another origin, which is not followed",
        ),
    ] {
        let api = Capture::start(move |_| answer.clone()).await;
        let url = format!("{}/login", api.url());
        let shop = setup(session(&url)).at(&api.url()).build();
        let error = shop.call("get", json!({})).await.unwrap_err().to_string();
        assert_eq!(
            error,
            format!("server `shop`: the log-in endpoint `{url}`: {expected}")
        );
        assert_eq!(to(&api, "/get").len(), 0);
    }
}

/// A token is known to be secret before it is used: the first answer that has it is clean already.
#[tokio::test]
async fn what_was_fetched_is_not_seen_by_the_code() {
    let api = api(|request| {
        let seen = authorization(request);
        let body =
            json!({"plain": seen, "base64": STANDARD.encode(&seen), "url": "%63anary%2Dtoken%2D1"});
        response(200, &[JSON], body.to_string())
    })
    .await;
    let auth = oauth2(&format!("{}/token", api.url()), None);
    let shop = setup(auth).at(&api.url()).build();
    let value = shop.call("get", json!({})).await.unwrap().into_json();
    assert_eq!(value["plain"], "Bearer [redacted]");
    let base64 = value["base64"].as_str().unwrap();
    assert!(base64.contains("[redacted]"), "{base64}");
    assert_eq!(value["url"], "[redacted]");
}
