//! Pages: where an API says that its answer goes on.

use mce::api::{Function, Pagination};
use mce::sandbox::{Call, CallError, Page, PageCall};
use serde_json::{Value, json};

use crate::capture::{Capture, response};
use crate::fixture::{Setup, Shop, function, given, manifest, parameter};

const JSON: (&str, &str) = ("content-type", "application/json");

fn list_pets(pagination: Value) -> Function {
    let pagination: Option<Pagination> = serde_json::from_value(pagination).unwrap();
    Function {
        pagination,
        ..function(
            "list_pets",
            "GET",
            "/zoos/{zoo}/pets",
            &[
                parameter("zoo", "path", json!({})),
                parameter("limit", "query", json!({})),
                parameter("cursor", "query", json!({})),
                parameter("filter", "query", json!({"style": "deepObject"})),
                parameter("trace", "header", json!({"wire_name": "X-Trace"})),
            ],
            json!([{"shopKey": []}]),
        )
    }
}

fn setup(pagination: Value) -> Setup {
    let functions = vec![
        list_pets(pagination),
        function("buy", "POST", "/pets", &[], json!([])),
    ];
    let mut setup = Setup::new(manifest(functions, &[("GET", "/zoos/export/pets")]));
    setup.manifest.security_schemes = serde_json::from_value(json!({
        "shopKey": {"type": "apiKey", "scheme": null, "in": "query", "name": "key"},
    }))
    .unwrap();
    setup.variable("MCE_SHOP_API_KEY", "canary-secret-1")
}

async fn page(shop: &Shop, arguments: Value, url: Option<&str>) -> Result<Page, CallError> {
    let call = Call {
        server: "shop".into(),
        function: "list_pets".into(),
        arguments: given(arguments),
        content_type: None,
    };
    let url = url.map(str::to_owned);
    shop.host.page(PageCall { call, url }).await
}

fn targets(api: &Capture) -> Vec<String> {
    let requests = api.requests();
    let lines = requests.iter().map(|request| request.line.clone());
    lines
        .map(|line| line.split(' ').nth(1).unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_link_comes_with_the_value_and_is_followed() {
    let api = Capture::start(|request| {
        let link = if request.line.contains("cursor=") {
            ("link", "<?cursor=a>; rel=\"prev\"")
        } else {
            // It echoes the credential, as some APIs do.
            (
                "link",
                "<?limit=2&key=canary-secret-1&cursor=b>; rel=\"next\"",
            )
        };
        response(200, &[JSON, link], "[1, 2]")
    })
    .await;
    let shop = setup(json!({"kind": "link", "parameter": null, "field": null, "items": ""}))
        .at(&format!("{}/v1", api.url()))
        .build();
    let arguments = json!({"zoo": "a/b", "limit": 2, "trace": "t"});
    let first = page(&shop, arguments.clone(), None).await.unwrap();
    assert_eq!(first.value, json!([1, 2]).into());
    let next = first.next.unwrap();
    assert!(!next.contains("canary"), "{next}");
    let second = page(&shop, arguments, Some(&next)).await.unwrap();
    assert_eq!(second.next, None);
    assert_eq!(
        targets(&api),
        [
            "/v1/zoos/a%2Fb/pets?limit=2&key=canary-secret-1",
            "/v1/zoos/a%2Fb/pets?limit=2&cursor=b&key=canary-secret-1",
        ]
    );
    let headers: Vec<_> = api.requests();
    assert!(headers.iter().all(|it| it.header("x-trace") == ["t"]));
    let records = shop.records.all();
    assert_eq!(records.len(), 2, "each page is a call: {records:?}");
}

#[tokio::test]
async fn a_next_url_leads_to_the_same_operation_or_nowhere() {
    let api = Capture::start(|_| response(200, &[JSON], "{}")).await;
    let host = api.url().trim_start_matches("http://").to_owned();
    let cases: Value = serde_json::from_str(include_str!("../fixtures/next_urls.json")).unwrap();
    for case in cases["cases"].as_array().unwrap() {
        let pagination = json!({"kind": "next_url", "parameter": null, "field": "next"});
        let mut setup = setup(pagination).at(&format!("{}/v1", api.url()));
        setup
            .variables
            .retain(|(name, _)| name != "MCE_SHOP_API_KEY");
        let shop = setup.build();
        let url = case["url"].as_str().unwrap().replace("{host}", &host);
        let before = api.requests().len();
        let found = page(&shop, json!({"zoo": "a/b"}), Some(&url)).await;
        let sent = targets(&api).split_off(before);
        if let Some(target) = case["sent"].as_str() {
            assert_eq!(
                (found.is_ok(), sent),
                (true, vec![target.to_owned()]),
                "{url}"
            );
        } else {
            let why = case["why"].as_str().unwrap();
            let message = format!("list_pets() is refused: {why}");
            assert_eq!(found, Err(CallError::Egress { message }), "{url}");
            assert_eq!(sent, Vec::<String>::new(), "{url}");
            assert!(
                shop.records.all().iter().all(|it| it.refusal.is_some()),
                "{url}"
            );
        }
    }
}

/// The outside backend knows of no other operation, so that these are the host's alone.
#[tokio::test]
async fn a_next_url_reaches_no_other_operation() {
    let api = Capture::start(|_| response(200, &[JSON], "{}")).await;
    let shop = setup(json!({"kind": "link", "parameter": null, "field": null}))
        .at(&format!("{}/v1", api.url()))
        .build();
    for url in [
        "/v1/zoos/export/pets",
        "/v1/zoos/%65xport/pets",
        "/v1/zoos/export%3Bx/pets",
    ] {
        let Err(CallError::Egress { message }) = page(&shop, json!({"zoo": "a"}), Some(url)).await
        else {
            panic!("{url} was not refused");
        };
        assert!(
            message.ends_with("something other than this operation"),
            "{message}"
        );
    }
    let long = format!("?cursor={}", "a".repeat(60_000));
    let found = page(&shop, json!({"zoo": "a"}), Some(&long)).await;
    assert!(matches!(found, Err(CallError::Egress { .. })));
    assert_eq!(api.connections(), 0);
}

#[tokio::test]
async fn only_what_is_linked_by_its_document_has_pages_to_follow() {
    let api =
        Capture::start(|_| response(200, &[JSON, ("link", "<?cursor=b>; rel=next")], "[]")).await;
    for pagination in [
        Value::Null,
        json!({"kind": "cursor", "parameter": "cursor", "field": "next"}),
    ] {
        let shop = setup(pagination).at(&api.url()).build();
        let first = page(&shop, json!({"zoo": "a"}), None).await.unwrap();
        assert_eq!(first.next, None);
        let found = page(&shop, json!({"zoo": "a"}), Some("?cursor=b")).await;
        let message = "list_pets() is refused: it has no pages to follow".to_owned();
        assert_eq!(found, Err(CallError::Egress { message }));
    }
}

#[tokio::test]
async fn pages_count_as_calls() {
    let api =
        Capture::start(|_| response(200, &[JSON, ("link", "<?cursor=b>; rel=next")], "[]")).await;
    let mut setup = setup(json!({"kind": "link", "parameter": null, "field": null}));
    setup.limits.max_calls = 2;
    let shop = setup.at(&api.url()).build();
    for _ in 0..2 {
        page(&shop, json!({"zoo": "a"}), Some("?cursor=b"))
            .await
            .unwrap();
    }
    let found = page(&shop, json!({"zoo": "a"}), Some("?cursor=b")).await;
    assert!(matches!(found, Err(CallError::Limit { .. })), "{found:?}");
}
