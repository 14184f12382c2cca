//! Plain requests of code: where they may go, what exactly is sent, and what comes back.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use mce::sandbox::{CallError, HttpFailure, HttpRequest, HttpResponse, HttpTimeouts};
use serde_json::json;

use crate::answers::{flate, gzip};
use crate::capture::{Capture, response};
use crate::fixture::{Setup, Shop, function, manifest};

/// The shop is at 127.0.0.1:9, where nobody answers.
const SHOP: &str = "http://127.0.0.1:9/v1";

fn setup(allowed: &[&str]) -> Setup {
    let functions = vec![
        function("get_book", "GET", "/books/{id}", &[], json!([])),
        function("add_book", "POST", "/books", &[], json!([])),
    ];
    let mut setup = Setup::new(manifest(functions, &[("DELETE", "/books/{id}")])).at(SHOP);
    let allowed = allowed.iter().map(|it| (*it).to_owned());
    setup.limits.allowed_domains = Some(allowed.chain(["127.0.0.1:9".to_owned()]).collect());
    setup
}

fn at(api: &Capture) -> Setup {
    setup(&[&format!("127.0.0.1:{}", api.port())])
}

fn get(url: &str) -> HttpRequest {
    HttpRequest {
        stream: 1,
        method: "GET".into(),
        url: url.into(),
        ..HttpRequest::default()
    }
}

async fn refusal(shop: &Shop, request: HttpRequest) -> String {
    match shop.host.http(request.clone()).await {
        Err(CallError::Egress { message }) => message,
        other => panic!("{request:?} was not refused: {other:?}"),
    }
}

async fn failure(shop: &Shop, request: HttpRequest) -> (HttpFailure, String) {
    match shop.host.http(request).await {
        Err(CallError::Http { failure, message }) => (failure, message),
        other => panic!("no failure of HTTP: {other:?}"),
    }
}

/// The whole body.
async fn body(shop: &Shop, stream: u64, answer: HttpResponse) -> Result<Vec<u8>, CallError> {
    let mut body = answer.piece.bytes.to_vec();
    let mut more = answer.piece.more;
    while more {
        let piece = shop.host.http_more(stream, None).await?;
        body.extend_from_slice(&piece.bytes);
        more = piece.more;
    }
    Ok(body)
}

#[tokio::test]
async fn a_request_arrives_as_it_was_given_and_without_any_credential() {
    let api = Capture::start(|_| {
        let headers = [
            ("Content-Type", "text/plain"),
            ("Set-Cookie", "a=1; Path=/"),
            ("Set-Cookie", "b=2"),
            ("X-Latin", "caf\u{e9}"),
            ("Keep-Alive", "timeout=5"),
            ("Connection", "keep-alive"),
        ];
        response(201, &headers, "made")
    })
    .await;
    let shop = at(&api)
        .variable("MCE_SHOP_AUTH", "Bearer canary-canary")
        .variable("MCE_SHOP_COOKIE", "session=canary-canary")
        .build();
    let request = HttpRequest {
        method: "PUT".into(),
        headers: vec![
            ("Host".into(), format!("127.0.0.1:{}", api.port())),
            ("User-Agent".into(), "python-httpx/0.28.1".into()),
            ("Accept-Encoding".into(), "zstd".into()),
            ("X-Own".into(), "1".into()),
        ],
        body: Bytes::from_static(b"body"),
        ..get(&format!("{}/a%2Fb?q=1&q=%20#part", api.url()))
    };
    let answer = shop.host.http(request).await.unwrap();
    let sent = api.only();
    assert_eq!(sent.line, "PUT /a%2Fb?q=1&q=%20 HTTP/1.1");
    assert_eq!(
        sent.header_names(),
        [
            "accept",
            "accept-encoding",
            "content-length",
            "host",
            "user-agent",
            "x-own"
        ]
    );
    assert_eq!(sent.header("user-agent"), [mce::wire::USER_AGENT]);
    assert_eq!(sent.header("accept-encoding"), ["gzip,deflate,br"]);
    assert_eq!(sent.body, b"body");
    assert_eq!((answer.status, answer.version), (201, "HTTP/1.1"));
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        answer.headers,
        [
            header("content-length", "4"),
            header("content-type", "text/plain"),
            header("set-cookie", "a=1; Path=/"),
            header("set-cookie", "b=2"),
            // The bytes as they came, one character each.
            header("x-latin", "caf\u{c3}\u{a9}"),
        ]
    );
    assert_eq!(answer.piece.bytes, "made");
    assert!(!answer.piece.more);
}

#[tokio::test]
async fn each_request_is_recorded_without_its_path_and_query() {
    let api = Capture::json("{}").await;
    let shop = at(&api).build();
    let url = format!("{}/secret?token=x", api.url());
    shop.host.http(get(&url)).await.unwrap();
    refusal(&shop, get("https://user-data.example/secret?token=x")).await;
    let odd = HttpRequest {
        method: "GET\r\n".into(),
        ..get("no url")
    };
    failure(&shop, odd).await;
    let recorded: Vec<_> = shop
        .records
        .all()
        .into_iter()
        .map(|it| (it.server, it.function, it.status, it.error))
        .collect();
    assert_eq!(
        recorded,
        [
            ("http".into(), format!("GET {}", api.url()), Some(200), None),
            (
                "http".into(),
                "GET https://user-data.example".into(),
                None,
                Some("egress".into())
            ),
            (
                "http".into(),
                "GET\\r\\n ?".into(),
                None,
                Some("network".into())
            ),
        ]
    );
}

#[tokio::test]
async fn without_a_list_nothing_is_sent() {
    let mut setup = setup(&[]);
    setup.limits.allowed_domains = None;
    let message = refusal(&setup.build(), get("https://api.example/")).await;
    assert!(
        message.starts_with("GET https://api.example is refused: plain `httpx` is off"),
        "{message}"
    );
    assert!(message.contains("set `MCE_ALLOWED_DOMAINS`"), "{message}");
}

#[tokio::test]
async fn hosts_that_are_not_listed_are_refused_however_they_are_written() {
    let api = Capture::json("{}").await;
    let shop = at(&api).build();
    let port = api.port();
    for url in [
        "https://api.example/".to_owned(),
        format!("http://localhost:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://127.0.0.2:{port}/"),
        "http://127.0.0.1/".to_owned(),
        "http://169.254.169.254/latest/meta-data".to_owned(),
        "http://2852039166/".to_owned(),
        "http://0xa9.0xfe.0xa9.0xfe/".to_owned(),
        "http://0251.0376.0251.0376/".to_owned(),
        "http://metadata.google.internal/".to_owned(),
        "http://[fe80::1]/".to_owned(),
    ] {
        let message = refusal(&shop, get(&url)).await;
        assert!(message.contains(" is refused: "), "{url}: {message}");
    }
    assert!(api.requests().is_empty());
    // The same address in another notation is the same address.
    let other = format!("http://0x7f.1:{port}/");
    assert_eq!(shop.host.http(get(&other)).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_listed_name_that_leads_into_a_private_network_is_refused() {
    let api = Capture::json("{}").await;
    let shop = setup(&[&format!("localhost:{}", api.port())]).build();
    let url = format!("http://localhost:{}/", api.port());
    let message = refusal(&shop, get(&url)).await;
    assert!(
        message.contains("`localhost` leads to an address"),
        "{message}"
    );
    assert!(api.requests().is_empty());
}

#[tokio::test]
async fn the_place_of_a_compiled_server_is_refused_and_its_function_named() {
    let api = Capture::json("{}").await;
    let shop = at(&api).build();
    for (method, url, named) in [
        (
            "GET",
            "http://127.0.0.1:9/v1/books/7?x=1",
            "from shop.functions import get_book",
        ),
        (
            "POST",
            "http://127.0.0.1:9/v1/books",
            "from shop.functions import add_book",
        ),
        (
            "DELETE",
            "http://127.0.0.1:9/v1/books/7",
            "from shop.functions import …",
        ),
        ("GET", "http://127.0.0.1:9/", "from shop.functions import …"),
        (
            "GET",
            "http://127.0.0.1:9/v1/../v1/books/7",
            "from shop.functions import get_book",
        ),
        (
            "GET",
            "https://localhost.:9/v1/books/7",
            "from shop.functions import get_book",
        ),
        (
            "GET",
            "http://[::ffff:127.0.0.1]:9/v1/books/7",
            "from shop.functions import get_book",
        ),
        (
            "GET",
            "http://2130706433:9/v1/books/7",
            "from shop.functions import get_book",
        ),
    ] {
        let request = HttpRequest {
            method: method.into(),
            ..get(url)
        };
        let message = refusal(&shop, request).await;
        assert!(
            message.contains("the compiled server `shop`"),
            "{url}: {message}"
        );
        assert!(message.contains(named), "{method} {url}: {message}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_to_be_called_is_kept_off_as_well() {
    let api = Capture::json("{}").await;
    let config = std::sync::Arc::new(mce::config::ServerConfig {
        name: "other".into(),
        base_url: Some(crate::fixture::template(&api.url())),
        ..mce::config::ServerConfig::default()
    });
    let setup = at(&api);
    let environment = setup.environment();
    let shop = setup.build();
    let broker = std::sync::Arc::into_inner(shop.broker);
    // The execution of the fixture holds the broker as well.
    assert!(broker.is_none());
    let broker = mce::broker::Broker::new(
        std::collections::BTreeMap::new(),
        std::sync::Arc::new(mce::vault::Vault::new(&[], &environment)),
        &environment,
        shop.records,
        mce::broker::Limits {
            allowed_domains: Some(vec![format!("127.0.0.1:{}", api.port())]),
            ..mce::broker::Limits::default()
        },
    );
    let broker =
        std::sync::Arc::new(broker.keeping_off(&[config], Path::new("nowhere"), &environment));
    let host = broker.host(crate::fixture::scope(&[]));
    let error = host.http(get(&api.url())).await.unwrap_err();
    assert!(
        error.to_string().contains("the compiled server `other`"),
        "{error}"
    );
}

/// The answer was lost, and its end taken for it, when nothing of it came with its head.
#[tokio::test]
async fn a_compressed_answer_that_begins_late_arrives() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        let body = gzip(b"it is late");
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        for part in body.chunks(7) {
            tokio::time::sleep(Duration::from_millis(40)).await;
            stream.write_all(part).await.unwrap();
        }
    });
    let api = Capture::json("1").await;
    let mut setup = at(&api);
    setup.limits.allowed_domains = Some(vec![address.to_string()]);
    let shop = setup.build();
    let answer = shop
        .host
        .http(get(&format!("http://{address}")))
        .await
        .unwrap();
    assert!(answer.piece.bytes.is_empty() && answer.piece.more);
    assert_eq!(body(&shop, 1, answer).await.unwrap(), b"it is late");
}

/// What is known of a server that was not checked yet, or was changed, or whose variables cannot be read.
#[tokio::test]
async fn a_place_that_only_a_file_tells_is_kept_off_and_one_that_nobody_knows_closes_all() {
    let api = Capture::json("{}").await;
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let refused = async |name: &str, variables: &[(&str, &str)], knows: bool| {
        let config = std::sync::Arc::new(mce::config::ServerConfig {
            name: name.into(),
            ..mce::config::ServerConfig::default()
        });
        let environment = mce::config::Environment::from_pairs(variables.iter().copied());
        let broker = mce::broker::Broker::new(
            std::collections::BTreeMap::new(),
            std::sync::Arc::new(mce::vault::Vault::new(&[], &environment)),
            &environment,
            std::sync::Arc::new(crate::fixture::Records::default()),
            mce::broker::Limits {
                allowed_domains: Some(vec![format!("127.0.0.1:{}", api.port())]),
                ..mce::broker::Limits::default()
            },
        );
        let broker = broker.not_knowing(std::slice::from_ref(&config));
        let broker = if knows {
            broker.keeping_off(&[config], folder.path(), &environment)
        } else {
            broker
        };
        let host = std::sync::Arc::new(broker).host(crate::fixture::scope(&[]));
        match host.http(get(&api.url())).await {
            Ok(_) => "sent".to_owned(),
            Err(error) => error.to_string(),
        }
    };
    let url = api.url();
    let in_file = write("url", &url);
    // Its `functions.py` does not match, if there is any.
    write(
        "changed/manifest.json",
        &format!(r#"{{"base_url": "{url}", "functions": 7}}"#),
    );
    write(
        "own/manifest.json",
        &format!(r#"{{"functions": [{{"base_url": "{url}/v2"}}]}}"#),
    );
    write(
        "else/manifest.json",
        r#"{"base_url": "https://else.example/"}"#,
    );
    write("broken/manifest.json", "{");
    for (name, variables, expected) in [
        (
            "filed",
            vec![("MCE_FILED_BASE_URL_FILE", in_file.as_str())],
            "the compiled server `filed`",
        ),
        (
            "filed",
            vec![("MCE_FILED_BASE_URL_FILE", "/missing")],
            "of which nobody knows where it is",
        ),
        ("own", vec![], "the compiled server `own`"),
        (
            "changed",
            vec![],
            "nobody knows where it is: its manifest cannot be read",
        ),
        (
            "broken",
            vec![],
            "nobody knows where it is: its manifest cannot be read",
        ),
        (
            "broken",
            vec![("MCE_BROKEN_BASE_URL", "https://b.example")],
            "sent",
        ),
        ("else", vec![], "sent"),
        ("absent", vec![], "sent"),
    ] {
        let said = refused(name, &variables, true).await;
        assert!(said.contains(expected), "{name}: {said}");
    }
    let said = refused("else", &[], false).await;
    assert!(said.contains("its manifest was not read yet"), "{said}");
}

#[tokio::test]
async fn redirects_are_given_to_the_code_and_not_followed() {
    let api =
        Capture::start(|_| response(302, &[("Location", "http://169.254.169.254/")], "")).await;
    let shop = at(&api).build();
    let answer = shop.host.http(get(&api.url())).await.unwrap();
    assert_eq!(answer.status, 302);
    let location = ("location".to_owned(), "http://169.254.169.254/".to_owned());
    assert!(answer.headers.contains(&location), "{:?}", answer.headers);
}

#[tokio::test]
async fn secrets_are_removed_from_headers_and_from_bodies_across_their_pieces() {
    let api = Capture::start(|_| {
        let mut answer =
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nx-echo: canary-canary\r\n\r\n"
                .to_vec();
        for part in ["<can", "ary-", "canary>"] {
            answer.extend_from_slice(format!("{:x}\r\n{part}\r\n", part.len()).as_bytes());
        }
        answer.extend_from_slice(b"0\r\n\r\n");
        answer
    })
    .await;
    let shop = at(&api)
        .variable("MCE_SHOP_AUTH", "Bearer canary-canary")
        .build();
    let answer = shop.host.http(get(&api.url())).await.unwrap();
    let echo = ("x-echo".to_owned(), "[redacted]".to_owned());
    assert!(answer.headers.contains(&echo), "{:?}", answer.headers);
    assert_eq!(body(&shop, 1, answer).await.unwrap(), b"<[redacted]>");
}

#[tokio::test]
async fn an_answer_is_bounded_after_decompression() {
    let bomb = flate(&vec![b'x'; 1 << 20]);
    assert!(bomb.len() < 8_000);
    let api = Capture::start(move |_| response(200, &[("content-encoding", "gzip")], &bomb)).await;
    let mut setup = at(&api);
    setup.limits.max_response_bytes = 10_000;
    let shop = setup.build();
    let answer = shop.host.http(get(&api.url())).await.unwrap();
    let error = body(&shop, 1, answer).await.unwrap_err();
    assert_eq!(error.kind(), "limit");
    assert!(
        error.to_string().contains("`MCE_MAX_RESPONSE_BYTES`"),
        "{error}"
    );
}

#[tokio::test]
async fn what_is_compressed_in_another_way_is_not_handed_over() {
    let api = Capture::start(|captured| {
        let body = if captured.line.starts_with("HEAD") {
            ""
        } else {
            "x"
        };
        response(200, &[("Content-Encoding", "zstd")], body)
    })
    .await;
    let shop = at(&api).build();
    let answer = shop.host.http(get(&api.url())).await.unwrap();
    match body(&shop, 1, answer).await.unwrap_err() {
        CallError::Http { failure, .. } => assert_eq!(failure, HttpFailure::Decoding),
        other => panic!("{other:?}"),
    }
    let head = HttpRequest {
        method: "HEAD".into(),
        ..get(&api.url())
    };
    let answer = shop.host.http(head).await.unwrap();
    assert_eq!(body(&shop, 1, answer).await.unwrap(), b"");
}

#[tokio::test]
async fn what_a_request_waited_for_is_told_apart() {
    let read = Some(Duration::from_millis(80));
    let waiting = |url: &str| HttpRequest {
        timeouts: HttpTimeouts {
            read,
            ..HttpTimeouts::default()
        },
        ..get(url)
    };
    // Nobody answers here, though connections are made.
    let listening = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = listening.local_addr().unwrap();
    let shop = setup(&[&silent.to_string()]).build();
    let (found, message) = failure(&shop, waiting(&format!("http://{silent}/p?q"))).await;
    assert_eq!(found, HttpFailure::ReadTimeout, "{message}");
    assert_eq!(
        message,
        format!("GET http://{silent}: no answer within 0.1 s")
    );
    drop(listening);
    let (found, message) = failure(&shop, waiting(&format!("http://{silent}/p?q"))).await;
    assert_eq!(found, HttpFailure::Connect, "{message}");
    assert!(
        message.starts_with("`127.0.0.1` could not be reached: "),
        "{message}"
    );

    let api = Capture::start(|captured| match captured.line.as_str() {
        "GET /garbage HTTP/1.1" => b"SSH-2.0-OpenSSH\r\n\r\n".to_vec(),
        "GET /short HTTP/1.1" => b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc".to_vec(),
        _ => b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc".to_vec(),
    })
    .await;
    let shop = at(&api).build();
    let (found, _) = failure(&shop, get(&format!("{}/garbage", api.url()))).await;
    assert_eq!(found, HttpFailure::RemoteProtocol);
    for (path, expected) in [
        ("/short", HttpFailure::ReadTimeout),
        ("/bad", HttpFailure::Decoding),
    ] {
        let answer = shop
            .host
            .http(get(&format!("{}{path}", api.url())))
            .await
            .unwrap();
        let mut more = answer.piece.more;
        let error = loop {
            assert!(more, "{path}");
            match shop.host.http_more(1, read).await {
                Ok(piece) => more = piece.more,
                Err(error) => break error,
            }
        };
        match error {
            CallError::Http { failure, .. } => assert_eq!(failure, expected, "{path}"),
            other => panic!("{path}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_body_is_read_by_who_opened_it_and_once() {
    let api = Capture::start(|_| {
        // The length is never reached.
        b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc".to_vec()
    })
    .await;
    let mut setup = at(&api);
    setup.limits.max_concurrent_calls = 1;
    setup.limits.max_calls = 5;
    let shop = setup.build();
    let wait = Some(Duration::from_millis(50));
    let failed = |piece: Result<mce::sandbox::HttpPiece, CallError>| match piece {
        Err(CallError::Http { failure, .. }) => failure,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        failed(shop.host.http_more(1, wait).await),
        HttpFailure::Read
    );
    let answer = shop.host.http(get(&api.url())).await.unwrap();
    assert_eq!(answer.piece.bytes, "abc");
    assert!(answer.piece.more);
    // The number is taken, and so is the only place.
    let (found, _) = failure(&shop, get(&api.url())).await;
    assert_eq!(found, HttpFailure::LocalProtocol);
    let second = HttpRequest {
        stream: 2,
        timeouts: HttpTimeouts {
            pool: wait,
            ..HttpTimeouts::default()
        },
        ..get(&api.url())
    };
    let (found, message) = failure(&shop, second.clone()).await;
    assert_eq!(found, HttpFailure::PoolTimeout);
    assert!(message.contains("`MCE_MAX_CONCURRENT_CALLS`"), "{message}");
    // One piece at a time; closing ends the wait for it and frees the place.
    let (waiting, closing) = tokio::join!(shop.host.http_more(1, None), async {
        tokio::time::sleep(Duration::from_millis(30)).await;
        let other = shop.host.http_more(1, wait).await;
        shop.host.http_close(1);
        failed(other)
    });
    assert_eq!(failed(waiting), HttpFailure::Read);
    assert_eq!(closing, HttpFailure::LocalProtocol);
    assert_eq!(shop.host.http(second).await.unwrap().piece.bytes, "abc");
    // Five requests were counted, refused ones too.
    let third = HttpRequest {
        stream: 3,
        timeouts: HttpTimeouts {
            pool: wait,
            ..HttpTimeouts::default()
        },
        ..get(&api.url())
    };
    let error = shop.host.http(third).await.unwrap_err();
    assert_eq!(error.kind(), "network", "{error}");
    let error = shop.host.http(get(&api.url())).await.unwrap_err();
    assert_eq!(error.kind(), "limit", "{error}");
    assert!(error.to_string().contains("`MCE_MAX_CALLS`"), "{error}");
}

#[tokio::test]
async fn closing_ends_a_request_that_has_no_answer_yet() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap();
    let shop = setup(&[&address.to_string()]).build();
    let (result, ()) = tokio::join!(shop.host.http(get(&format!("http://{address}/"))), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        shop.host.http_close(1);
    });
    match result {
        Err(CallError::Http { failure, .. }) => assert_eq!(failure, HttpFailure::Read),
        other => panic!("{other:?}"),
    }
}

/// A request waits its turn where many are made at once, and closing it does not.
#[tokio::test]
async fn a_request_that_was_closed_before_its_turn_is_not_sent() {
    let api = Capture::json("{}").await;
    let shop = at(&api).build();
    shop.host.http_close(1);
    let (found, _) = failure(&shop, get(&api.url())).await;
    assert_eq!(found, HttpFailure::Read);
    assert!(api.requests().is_empty());
    assert_eq!(shop.host.http(get(&api.url())).await.unwrap().status, 200);
}

#[tokio::test]
async fn a_large_request_arrives_whole_and_with_its_length() {
    let api = Capture::json("{}").await;
    let shop = at(&api).build();
    let sent: Vec<u8> = (0..3_000_000_u32)
        .map(|index| u8::try_from(index % 251).unwrap())
        .collect();
    let request = HttpRequest {
        method: "POST".into(),
        body: sent.clone().into(),
        ..get(&api.url())
    };
    shop.host.http(request.clone()).await.unwrap();
    let captured = api.only();
    assert_eq!(captured.header("content-length"), ["3000000"]);
    assert!(captured.header("transfer-encoding").is_empty());
    assert_eq!(captured.body, sent);
    let mut small = at(&api);
    small.limits.max_request_bytes = 1_000_000;
    let error = small.build().host.http(request).await.unwrap_err();
    assert_eq!(error.kind(), "limit");
}
