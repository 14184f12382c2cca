//! Which credential goes where, as an API receives it.

use mce::api::{Function, Manifest};
use mce::config::Auth;
use serde_json::json;

use crate::capture::{Capture, Captured, response};
use crate::fixture::{Setup, function, manifest, parameter, template};

/// Operations under every kind of security.
fn secured() -> Manifest {
    let of = |name: &str, security: serde_json::Value| -> Function {
        function(name, "GET", &format!("/{name}"), &[], security)
    };
    let mut manifest = manifest(
        vec![
            of("bearer", json!([{"bearer": []}])),
            of("header_key", json!([{"header_key": []}])),
            of("query_key", json!([{"query_key": []}])),
            of("cookie_key", json!([{"cookie_key": []}])),
            of("either", json!([{"header_key": []}, {"bearer": []}])),
            of("both", json!([{"header_key": [], "bearer": []}])),
            of("optional", json!([{}, {"bearer": []}])),
            of("none", json!([])),
        ],
        &[],
    );
    manifest.security_schemes = serde_json::from_value(json!({
        "bearer": {"type": "http", "scheme": "bearer", "in": null, "name": null},
        "header_key": {"type": "apiKey", "scheme": null, "in": "header", "name": "X-Key"},
        "query_key": {"type": "apiKey", "scheme": null, "in": "query", "name": "key"},
        "cookie_key": {"type": "apiKey", "scheme": null, "in": "cookie", "name": "ck"},
    }))
    .unwrap();
    manifest
}

/// `Authorization`, `X-Key`, query and cookie of a request.
fn seen(request: &Captured) -> [String; 4] {
    let one = |name: &str| request.header(name).join(" | ");
    let target = request.line.split(' ').nth(1).unwrap_or_default();
    let query = target.split_once('?').map_or("", |(_, query)| query);
    [
        one("authorization"),
        one("x-key"),
        query.to_owned(),
        one("cookie"),
    ]
}

async fn sent(setup: Setup, names: &[&str]) -> Vec<[String; 4]> {
    let api = Capture::json("{}").await;
    let shop = setup.at(&api.url()).build();
    for name in names {
        shop.call(name, json!({})).await.unwrap();
    }
    api.requests().iter().map(seen).collect()
}

const TOKEN: &str = "canary-token-0123456789";

#[tokio::test]
async fn a_token_goes_where_the_document_asks_for_one() {
    let auth = Auth::Jwt {
        token: template("${TOKEN}"),
    };
    let setup = Setup::new(secured()).variable("TOKEN", TOKEN).auth(auth);
    let bearer = format!("Bearer {TOKEN}");
    let expected = [bearer.as_str(), "", "", ""].map(str::to_owned);
    let sent = sent(
        setup,
        &["bearer", "either", "optional", "both", "header_key", "none"],
    )
    .await;
    // Also where the document asks for something that is not configured, but not where it
    // opts out.
    assert_eq!(sent[..5], vec![expected; 5]);
    assert_eq!(sent[5], [""; 4]);
}

#[tokio::test]
async fn an_api_key_goes_to_the_place_that_the_document_names() {
    let auth = Auth::ApiKey {
        value: template("${KEY}"),
        location: None,
        name: None,
    };
    let setup = Setup::new(secured())
        .variable("KEY", "canary/key 1")
        .auth(auth);
    let sent = sent(
        setup,
        &[
            "header_key",
            "query_key",
            "cookie_key",
            "either",
            "bearer",
            "none",
        ],
    )
    .await;
    assert_eq!(sent[0], ["", "canary/key 1", "", ""]);
    assert_eq!(sent[1], ["", "", "key=canary%2Fkey%201", ""]);
    assert_eq!(sent[2], ["", "", "", "ck=canary/key 1"]);
    assert_eq!(sent[3], ["", "canary/key 1", "", ""]);
    assert_eq!(sent[4], [""; 4]);
    assert_eq!(sent[5], [""; 4]);
}

#[tokio::test]
async fn of_several_the_one_that_the_document_asks_for_is_sent() {
    let setup = Setup::new(secured())
        .variable("MCE_SHOP_AUTH", "Authorization: Bearer t")
        .variable("MCE_SHOP_API_KEY", "k");
    let sent = sent(setup, &["bearer", "header_key", "either", "both"]).await;
    assert_eq!(sent[0], ["Bearer t", "", "", ""]);
    assert_eq!(sent[1], ["", "k", "", ""]);
    assert_eq!(sent[2], ["", "k", "", ""]);
    assert_eq!(sent[3], ["Bearer t", "k", "", ""]);
}

#[tokio::test]
async fn basic_is_encoded() {
    let auth = Auth::Basic {
        username: template("user"),
        password: template("${PASSWORD}"),
    };
    let setup = Setup::new(secured())
        .variable("PASSWORD", "pa:ss")
        .auth(auth);
    assert_eq!(
        sent(setup, &["bearer"]).await[0],
        ["Basic dXNlcjpwYTpzcw==", "", "", ""]
    );
}

#[tokio::test]
async fn a_document_without_security_gets_what_is_configured() {
    let plain = manifest(vec![function("f", "GET", "/f", &[], json!([{}]))], &[]);
    let auth = Auth::Static {
        value: template("Token abc"),
    };
    let setup = Setup::new(plain.clone()).auth(auth);
    assert_eq!(sent(setup, &["f"]).await[0], ["Token abc", "", "", ""]);
    let auth = Auth::ApiKey {
        value: template("k"),
        location: Some("query".into()),
        name: Some("apikey".into()),
    };
    let setup = Setup::new(plain).auth(auth);
    assert_eq!(sent(setup, &["f"]).await[0], ["", "", "apikey=k", ""]);
}

#[tokio::test]
async fn variables_win_over_the_file() {
    let auth = Auth::Static {
        value: template("Bearer file"),
    };
    let setup = Setup::new(secured())
        .auth(auth)
        .variable("MCE_SHOP_AUTH", "Bearer env")
        .variable("MCE_SHOP_COOKIE", "a=1; b=2");
    assert_eq!(
        sent(setup, &["bearer"]).await[0],
        ["Bearer env", "", "", "a=1; b=2"]
    );
}

#[tokio::test]
async fn code_cannot_replace_a_credential() {
    let mut manifest = secured();
    manifest.functions = vec![function(
        "f",
        "GET",
        "/f",
        &[
            parameter("key", "header", json!({"wire_name": "x-key"})),
            parameter("auth", "header", json!({"wire_name": "Authorization"})),
        ],
        json!([{"header_key": [], "bearer": []}]),
    )];
    let api = Capture::json("{}").await;
    let shop = Setup::new(manifest)
        .at(&api.url())
        .variable("MCE_SHOP_AUTH", "Bearer real")
        .variable("MCE_SHOP_API_KEY", "real")
        .build();
    shop.call("f", json!({"key": "forged", "auth": "Bearer forged"}))
        .await
        .unwrap();
    assert_eq!(seen(&api.only()), ["Bearer real", "real", "", ""]);
}

#[tokio::test]
async fn a_key_in_the_header_cookie_is_merged_with_other_cookies() {
    let mut manifest = secured();
    manifest.functions = vec![function(
        "f",
        "GET",
        "/f",
        &[parameter("lang", "cookie", json!({}))],
        json!([{"header_key": []}]),
    )];
    if let Some(scheme) = manifest.security_schemes.get_mut("header_key") {
        scheme.name = Some("Cookie".into());
    }
    let api = Capture::json("{}").await;
    let shop = Setup::new(manifest)
        .at(&api.url())
        .variable("MCE_SHOP_API_KEY", "sid=real")
        .build();
    shop.call("f", json!({"lang": "en"})).await.unwrap();
    assert_eq!(seen(&api.only()), ["", "", "", "lang=en; sid=real"]);
}

#[tokio::test]
async fn a_document_cannot_make_a_credential_a_routing_header() {
    let mut manifest = secured();
    for name in ["Host", "X-Forwarded-Host", "X-HTTP-Method-Override"] {
        if let Some(scheme) = manifest.security_schemes.get_mut("header_key") {
            scheme.name = Some(name.into());
        }
        let api = Capture::json("{}").await;
        let shop = Setup::new(manifest.clone())
            .at(&api.url())
            .variable("MCE_SHOP_API_KEY", "evil.example")
            .build();
        shop.refused("header_key", json!({})).await;
        assert!(api.requests().is_empty());
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_credential_stops_the_call_and_names_the_server() {
    let api = Capture::json("{}").await;
    for (variable, value, expected) in [
        ("MCE_SHOP_AUTH", "Bearer canary\n", "ends in a line break"),
        (
            "MCE_SHOP_AUTH",
            "Bearer ca\r\nX: nary",
            "holds a line break",
        ),
        ("MCE_SHOP_COOKIE", "canary", "name=value"),
        ("MCE_SHOP_EXTRA_HEADERS", "canary", "JSON object"),
        (
            "MCE_SHOP_EXTRA_HEADERS",
            r#"{"a b": "canary"}"#,
            "not a token",
        ),
    ] {
        let shop = Setup::new(secured())
            .at(&api.url())
            .variable(variable, value)
            .build();
        let message = shop.refused("bearer", json!({})).await;
        assert!(message.contains("server `shop`"), "{message}");
        assert!(message.contains(variable), "{message}");
        assert!(message.contains(expected), "{message}");
        assert!(
            !message.contains("canary") && !message.contains("nary"),
            "{message}"
        );
    }
    let auth = Auth::Static {
        value: template("${NOT_SET}"),
    };
    let shop = Setup::new(secured()).at(&api.url()).auth(auth).build();
    let message = shop.refused("bearer", json!({})).await;
    assert!(message.contains("NOT_SET"), "{message}");
    assert!(api.requests().is_empty());
}

#[tokio::test]
async fn a_refusal_by_the_api_says_that_no_credential_went_with_the_call() {
    let api = Capture::start(|_| response(401, &[], "")).await;
    let bare = Setup::new(secured()).at(&api.url()).build();
    let error = bare.call("bearer", json!({})).await.unwrap_err();
    assert!(
        error.to_string().contains("no credential was attached"),
        "{error}"
    );
    let auth = Auth::Jwt {
        token: template("${TOKEN}"),
    };
    let setup = Setup::new(secured()).variable("TOKEN", TOKEN).auth(auth);
    let error = setup
        .at(&api.url())
        .build()
        .call("bearer", json!({}))
        .await
        .unwrap_err();
    assert!(!error.to_string().contains("credential"), "{error}");
}
