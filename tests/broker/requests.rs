//! What exactly an API receives: nothing that was not declared or configured.

use serde_json::json;

use crate::capture::Capture;
use crate::fixture::{Setup, function, manifest, parameter, template, with_body};

fn free_form(name: &str, location: &str) -> serde_json::Value {
    parameter(
        name,
        location,
        json!({"schema": {"type": "object", "additionalProperties": {}}}),
    )
}

#[tokio::test]
async fn a_plain_call_sends_these_headers_and_no_others() {
    let api = Capture::json("[1, 2.50]").await;
    let list = function(
        "list_items",
        "GET",
        "/items/{kind}",
        &[
            parameter("kind", "path", json!({})),
            parameter("page", "query", json!({})),
            parameter("x_trace", "header", json!({"wire_name": "X-Trace"})),
            parameter("sid", "cookie", json!({})),
        ],
        json!([]),
    );
    let shop = Setup::new(manifest(vec![list], &[]))
        .at(&format!("{}/api/v2/", api.url()))
        .build();
    let arguments = json!({"kind": "a b", "page": "1&x=2#", "x_trace": "t", "sid": "s"});
    let value = shop.call("list_items", arguments).await.unwrap();
    assert_eq!(
        value.into_json(),
        serde_json::from_str::<serde_json::Value>("[1, 2.50]").unwrap()
    );

    let request = api.only();
    assert_eq!(
        request.line,
        "GET /api/v2/items/a%20b?page=1%26x%3D2%23 HTTP/1.1"
    );
    assert_eq!(
        request.header_names(),
        [
            "accept",
            "accept-encoding",
            "cookie",
            "host",
            "user-agent",
            "x-trace"
        ]
    );
    assert_eq!(request.header("accept"), ["application/json"]);
    assert_eq!(request.header("cookie"), ["sid=s"]);
    assert_eq!(request.header("x-trace"), ["t"]);
    assert_eq!(
        request.header("user-agent"),
        [format!("mce/{}", env!("CARGO_PKG_VERSION"))]
    );
    assert_eq!(
        request.header("host"),
        [format!("127.0.0.1:{}", api.port())]
    );
    let record = shop.records.all().remove(0);
    assert_eq!((record.status, record.error), (Some(200), None));
    assert_eq!(
        (record.execution_id.as_str(), record.principal.as_str()),
        ("e1", "p1")
    );
}

#[tokio::test]
async fn a_method_that_may_have_a_body_and_has_none_says_so() {
    for (method, length) in [
        ("POST", vec!["0"]),
        ("PUT", vec!["0"]),
        ("PATCH", vec!["0"]),
        ("GET", vec![]),
        ("DELETE", vec![]),
    ] {
        let api = Capture::json("{}").await;
        let act = function("act", method, "/act", &[], json!([]));
        let shop = Setup::new(manifest(vec![act], &[])).at(&api.url()).build();
        shop.call("act", json!({})).await.unwrap();
        assert_eq!(api.only().header("content-length"), length, "{method}");
    }
}

#[tokio::test]
async fn a_json_body_is_sent_with_its_type_and_length() {
    let api = Capture::json("{}").await;
    let save = with_body(function("save", "POST", "/save", &[], json!([])));
    let shop = Setup::new(manifest(vec![save], &[])).at(&api.url()).build();
    shop.call("save", json!({"body": {"a": [1, null]}}))
        .await
        .unwrap();
    let request = api.only();
    assert_eq!(request.line, "POST /save HTTP/1.1");
    assert_eq!(request.body, br#"{"a":[1,null]}"#);
    assert_eq!(request.header("content-type"), ["application/json"]);
    assert_eq!(request.header("content-length"), ["14"]);
}

#[tokio::test]
async fn line_breaks_in_values_end_nothing() {
    let api = Capture::json("{}").await;
    let list = function(
        "list_items",
        "GET",
        "/items",
        &[
            parameter("q", "query", json!({})),
            parameter("h", "header", json!({"wire_name": "X-H"})),
            parameter("c", "cookie", json!({})),
        ],
        json!([]),
    );
    let shop = Setup::new(manifest(vec![list], &[])).at(&api.url()).build();
    let error = shop
        .call("list_items", json!({"h": "a\r\nX-Evil: 1"}))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "argument");
    assert!(api.requests().is_empty());
    let _ = shop
        .call("list_items", json!({"q": "a\r\nX-Evil: 1"}))
        .await;
    let _ = shop
        .call("list_items", json!({"c": "a\r\nX-Evil: 1; b=2"}))
        .await;
    for request in api.requests() {
        assert!(request.header("x-evil").is_empty());
        assert!(request.header("cookie").iter().all(|it| !it.contains("; ")));
    }
}

#[tokio::test]
async fn headers_that_route_or_disguise_are_never_sent_even_if_declared() {
    let api = Capture::json("{}").await;
    let names = [
        "Host",
        "X-Forwarded-For",
        "Forwarded",
        "X-Original-URL",
        "X-Rewrite-URL",
        "X-HTTP-Method-Override",
        "X-Method-Override",
        "_method",
        "Transfer-Encoding",
        "Connection",
        "Content-Length",
    ];
    let functions = names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let header = parameter("h", "header", json!({"wire_name": name}));
            function(&format!("f{index}"), "GET", "/x", &[header], json!([]))
        })
        .collect();
    let shop = Setup::new(manifest(functions, &[])).at(&api.url()).build();
    for index in 0..names.len() {
        shop.refused(&format!("f{index}"), json!({"h": "1"})).await;
    }
    assert!(api.requests().is_empty());
}

#[tokio::test]
async fn a_query_that_the_path_fixes_is_sent_and_not_to_be_repeated() {
    let api = Capture::json("{}").await;
    let action = || parameter("action", "query", json!({}));
    let shop = Setup::new(manifest(
        vec![
            function("show", "GET", "/items", &[action()], json!([])),
            function("beta", "GET", "/items?action=beta", &[action()], json!([])),
        ],
        &[("GET", "/items?action=delete")],
    ))
    .at(&api.url())
    .build();
    shop.refused("show", json!({"action": "delete"})).await;
    shop.refused("show", json!({"action": "beta"})).await;
    shop.refused("beta", json!({"action": "delete"})).await;
    assert!(api.requests().is_empty());
    shop.call("show", json!({"action": "list"})).await.unwrap();
    shop.call("beta", json!({})).await.unwrap();
    let lines: Vec<_> = api.requests().into_iter().map(|it| it.line).collect();
    assert_eq!(
        lines,
        [
            "GET /items?action=list HTTP/1.1",
            "GET /items?action=beta HTTP/1.1"
        ]
    );
}

#[tokio::test]
async fn a_query_parameter_cannot_ask_for_another_method() {
    let api = Capture::json("{}").await;
    let method = parameter("m", "query", json!({"wire_name": "_method"}));
    let list = function("list_items", "GET", "/x", &[method], json!([]));
    let shop = Setup::new(manifest(vec![list], &[])).at(&api.url()).build();
    shop.refused("list_items", json!({"m": "DELETE"})).await;
    assert!(api.requests().is_empty());
}

#[tokio::test]
async fn keys_of_free_form_objects_are_no_other_parameter_and_no_credential() {
    let api = Capture::json("{}").await;
    let security = json!([{"key": []}]);
    let list = function(
        "list_items",
        "GET",
        "/items",
        &[
            free_form("filter", "query"),
            parameter("limit", "query", json!({})),
            free_form("jar", "cookie"),
            parameter("sid", "cookie", json!({})),
        ],
        security,
    );
    let mut manifest = manifest(vec![list], &[]);
    for (name, location) in [("api_key", "query"), ("session", "cookie")] {
        manifest.security_schemes.insert(
            name.into(),
            serde_json::from_value(
                json!({"type": "apiKey", "scheme": null, "in": location, "name": name}),
            )
            .unwrap(),
        );
    }
    let shop = Setup::new(manifest).at(&api.url()).build();
    for key in [
        "limit",
        "LIMIT",
        "limit[]",
        "api_key",
        "api.key",
        "_method",
        "X-HTTP-Method-Override",
    ] {
        let message = shop
            .refused("list_items", json!({"filter": {key: "1"}}))
            .await;
        assert!(message.contains("has a meaning of its own"), "{message}");
    }
    for key in ["sid", "session"] {
        shop.refused("list_items", json!({"jar": {key: "1"}})).await;
    }
    assert!(api.requests().is_empty());
    shop.call(
        "list_items",
        json!({"filter": {"a&limit": "1"}, "jar": {"b": "2"}}),
    )
    .await
    .unwrap();
    let request = api.only();
    assert_eq!(request.line, "GET /items?a%26limit=1 HTTP/1.1");
    assert_eq!(request.header("cookie"), ["b=2"]);
}

#[tokio::test]
async fn reserved_characters_end_no_parameter() {
    let api = Capture::json("{}").await;
    let reserved = parameter("q", "query", json!({"allow_reserved": true}));
    let limit = parameter("limit", "query", json!({}));
    let list = function("list_items", "GET", "/x", &[reserved, limit], json!([]));
    let shop = Setup::new(manifest(vec![list], &[])).at(&api.url()).build();
    let _ = shop
        .call("list_items", json!({"q": "a&limit=5#;limit=6/?:@"}))
        .await;
    for request in api.requests() {
        assert!(!request.line.contains("&limit"), "{}", request.line);
        assert!(!request.line.contains(";limit"), "{}", request.line);
    }
}

#[tokio::test]
async fn a_header_parameter_cookie_is_merged_and_repeats_nothing() {
    let api = Capture::json("{}").await;
    let list = function(
        "list_items",
        "GET",
        "/x",
        &[
            parameter("cookie", "header", json!({"wire_name": "Cookie"})),
            parameter("sid", "cookie", json!({})),
        ],
        json!([{"any": []}]),
    );
    let shop = Setup::new(manifest(vec![list], &[]))
        .at(&api.url())
        .variable("MCE_SHOP_COOKIE", "vault=secretvalue")
        .build();
    shop.call("list_items", json!({"cookie": "a=1; b=2", "sid": "s"}))
        .await
        .unwrap();
    assert_eq!(
        api.only().header("cookie"),
        ["sid=s; a=1; b=2; vault=secretvalue"]
    );
    for cookie in ["vault=x", "VAULT=x", "sid=x", "a=1; a=2"] {
        shop.refused("list_items", json!({"cookie": cookie, "sid": "s"}))
            .await;
    }
    assert_eq!(api.requests().len(), 1);
}

#[tokio::test]
async fn extra_headers_go_on_every_request_and_win_over_arguments() {
    let api = Capture::json("{}").await;
    let tenant = parameter("tenant", "header", json!({"wire_name": "x-tenant"}));
    let list = function("list_items", "GET", "/x", &[tenant], json!([]));
    let mut setup = Setup::new(manifest(vec![list], &[]))
        .at(&api.url())
        .variable("TENANT", "acme")
        .variable("MCE_SHOP_EXTRA_HEADERS", r#"{"X-Team": "b"}"#);
    setup
        .config
        .extra_headers
        .insert("X-Tenant".into(), template("${TENANT}"));
    setup
        .config
        .extra_headers
        .insert("x-team".into(), template("a"));
    let shop = setup.build();
    shop.call("list_items", json!({"tenant": "other"}))
        .await
        .unwrap();
    let request = api.only();
    assert_eq!(request.header("x-tenant"), ["acme"]);
    assert_eq!(request.header("x-team"), ["b"]);
}

#[tokio::test]
async fn a_forbidden_extra_header_is_a_problem_of_that_server() {
    let mut setup = Setup::new(manifest(
        vec![function("f", "GET", "/x", &[], json!([]))],
        &[],
    ))
    .at("http://127.0.0.1:9");
    setup
        .config
        .extra_headers
        .insert("Host".into(), template("evil.example"));
    let shop = setup.build();
    let problems: Vec<_> = shop.broker.problems().collect();
    assert_eq!(
        problems,
        [(
            "shop",
            "server `shop`: the extra header `Host` is never sent; remove it"
        )]
    );
    shop.refused("f", json!({})).await;
}

/// JSON has texts without quotes: `true`, `null` and numbers.
#[tokio::test]
async fn a_query_as_a_whole_is_no_name_of_another_parameter_or_of_a_credential() {
    let api = Capture::json("{}").await;
    let style = json!({"style": "whole", "explode": false, "content_type": "application/json"});
    let parameters = [
        parameter("filter", "query", style),
        parameter("null", "query", json!({})),
    ];
    let list = function("list_items", "GET", "/items", &parameters, json!([]));
    let mut manifest = manifest(vec![list], &[]);
    manifest.security_schemes = serde_json::from_value(json!({
        "one": {"type": "apiKey", "scheme": null, "in": "query", "name": "True"},
        "two": {"type": "apiKey", "scheme": null, "in": "query", "name": "12"},
    }))
    .unwrap();
    let shop = Setup::new(manifest).at(&api.url()).build();
    for value in [json!(true), json!(12), json!(null)] {
        let message = shop.refused("list_items", json!({"filter": value})).await;
        assert!(message.contains("the name of another"), "{message}");
    }
    for value in [json!(false), json!("true"), json!(1.5)] {
        let sent = shop.call("list_items", json!({"filter": value})).await;
        sent.unwrap();
    }
    assert_eq!(api.requests().len(), 3);
}

#[tokio::test]
async fn a_query_that_is_an_argument_as_a_whole_names_no_parameter() {
    let api = Capture::json("{}").await;
    let whole = parameter(
        "filter",
        "query",
        json!({"style": "whole", "explode": false, "content_type": "application/json"}),
    );
    let list = function("list_items", "GET", "/items", &[whole], json!([]));
    let shop = Setup::new(manifest(vec![list], &[])).at(&api.url()).build();
    for value in [
        json!({"a": [1, "b=c&d"]}),
        json!("_method=DELETE"),
        json!(true),
    ] {
        shop.call("list_items", json!({"filter": value}))
            .await
            .unwrap();
    }
    let lines: Vec<String> = api.requests().into_iter().map(|it| it.line).collect();
    assert_eq!(
        lines,
        [
            "GET /items?%7B%22a%22%3A%5B1%2C%22b%3Dc%26d%22%5D%7D HTTP/1.1",
            "GET /items?%22_method%3DDELETE%22 HTTP/1.1",
            "GET /items?true HTTP/1.1",
        ]
    );
}
