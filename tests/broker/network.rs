//! Where calls may go.

use serde_json::json;

use crate::capture::Capture;
use crate::fixture::{Setup, function, manifest, template};

fn setup() -> Setup {
    Setup::new(manifest(
        vec![function("f", "GET", "/f", &[], json!([]))],
        &[],
    ))
}

async fn refusal(setup: Setup) -> String {
    setup.build().refused("f", json!({})).await
}

#[tokio::test]
async fn metadata_addresses_are_refused_in_every_notation() {
    for host in [
        "169.254.169.254",
        "2852039166",
        "0xa9fea9fe",
        "0251.0376.0251.0376",
        "0xa9.0xfe.43518",
        "169.254.43518",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:a9fe:a9fe::]",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "１６９.254.169.254",
    ] {
        let mut setup = setup().at(&format!("http://{host}/"));
        setup.config.allow_private_network = true;
        let message = refusal(setup).await;
        assert!(message.contains("never called"), "{host}: {message}");
    }
}

#[tokio::test]
async fn a_private_address_needs_the_user_to_write_it() {
    let api = Capture::json("{}").await;
    // In the environment and in the config it is permitted.
    setup()
        .at(&api.url())
        .build()
        .call("f", json!({}))
        .await
        .unwrap();
    let mut in_config = setup();
    in_config.config.base_url = Some(template(&api.url()));
    in_config.build().call("f", json!({})).await.unwrap();
    // In the document it is not, but for `allow_private_network`.
    let mut in_document = setup();
    in_document.manifest.base_url = Some(api.url());
    let message = refusal(in_document).await;
    let wanted = format!("add `base_url: {}` to ", api.url());
    assert!(message.contains(&wanted), "{message}");
    let mut allowed = setup();
    allowed.manifest.base_url = Some(api.url());
    allowed.config.allow_private_network = true;
    allowed.build().call("f", json!({})).await.unwrap();
    assert_eq!(api.requests().len(), 3);
}

#[tokio::test]
async fn a_name_of_a_private_address_needs_allow_private_network() {
    let api = Capture::json("{}").await;
    let url = format!("http://localhost:{}", api.port());
    let message = refusal(setup().at(&url)).await;
    assert!(message.contains("`localhost`"), "{message}");
    assert!(message.contains("allow_private_network"), "{message}");
    assert!(api.requests().is_empty());
    let mut allowed = setup().at(&url);
    allowed.config.allow_private_network = true;
    allowed.build().call("f", json!({})).await.unwrap();
    assert_eq!(api.requests().len(), 1);
}

#[tokio::test]
async fn the_environment_wins_over_the_config_and_that_over_the_document() {
    let api = Capture::json("{}").await;
    let all = |env: Option<&str>, config: Option<&str>, document: &str| {
        let mut setup = setup();
        if let Some(path) = env {
            setup = setup.at(&format!("{}{path}", api.url()));
        }
        setup.config.base_url = config.map(|path| template(&format!("{}{path}", api.url())));
        setup.manifest.base_url = Some(format!("{}{document}", api.url()));
        setup.config.allow_private_network = true;
        setup.build()
    };
    for shop in [
        all(Some("/env"), Some("/config"), "/document"),
        all(None, Some("/config/"), "/document"),
        all(None, None, "/document"),
    ] {
        shop.call("f", json!({})).await.unwrap();
    }
    let lines: Vec<_> = api.requests().into_iter().map(|it| it.line).collect();
    assert_eq!(
        lines,
        [
            "GET /env/f HTTP/1.1",
            "GET /config/f HTTP/1.1",
            "GET /document/f HTTP/1.1"
        ]
    );
}

#[tokio::test]
async fn credentials_in_the_clear_are_warned_of() {
    let warnings = |url: &str| {
        let setup = setup()
            .at(url)
            .variable("MCE_SHOP_AUTH", "Bearer 0123456789");
        setup.build().broker.warnings()
    };
    assert_eq!(
        warnings("http://api.example/v1"),
        ["server `shop`: credentials go to `api.example` unencrypted; use `https://`"]
    );
    assert!(warnings("https://api.example/v1").is_empty());
    assert!(warnings("http://127.0.0.1:8000").is_empty());
}

#[tokio::test]
async fn a_missing_base_url_names_the_variable() {
    let message = refusal(setup()).await;
    assert!(message.contains("`MCE_SHOP_BASE_URL`"), "{message}");
}

#[tokio::test]
async fn a_base_url_that_cannot_be_one_is_refused_without_showing_it() {
    for url in [
        "canary",
        "ftp://canary.example",
        "https://user:canary@api.example",
        "https://api.example/?key=canary",
        "https://api.example/#canary",
    ] {
        let message = refusal(setup().at(url)).await;
        assert!(message.contains("MCE_SHOP_BASE_URL"), "{message}");
        assert!(!message.contains("canary"), "{message}");
    }
}

#[tokio::test]
async fn only_allowed_domains_are_called() {
    let api = Capture::json("{}").await;
    for (domains, is_allowed) in [
        (vec!["example.com"], false),
        (vec!["127.0.0.1"], true),
        (vec!["example.com", "0x7f.1"], true),
        (vec![], false),
        (vec!["0.0.1"], false),
    ] {
        let mut setup = setup().at(&api.url());
        setup.limits.allowed_domains = Some(domains.iter().map(|it| (*it).to_owned()).collect());
        let result = setup.build().call("f", json!({})).await;
        assert_eq!(result.is_ok(), is_allowed, "{domains:?}: {result:?}");
    }
    for (url, is_allowed) in [
        ("https://api.example.com/", true),
        ("https://API.EXAMPLE.COM./", true),
        ("https://example.com/", true),
        ("https://badexample.com/", false),
        ("https://example.com.evil.test/", false),
    ] {
        let mut setup = setup().at(url);
        setup.limits.allowed_domains = Some(vec!["Example.com.".into()]);
        let problems = setup.build().broker.problems().count();
        assert_eq!(problems == 0, is_allowed, "{url}");
    }
}

#[tokio::test]
async fn a_connection_that_fails_says_so_without_the_url() {
    let closed = {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap().port()
    };
    let shop = setup()
        .at(&format!("http://127.0.0.1:{closed}/prefix"))
        .build();
    let error = shop.call("f", json!({})).await.unwrap_err();
    assert_eq!(error.kind(), "network");
    assert!(
        error.to_string().contains("could not be reached"),
        "{error}"
    );
    assert!(!error.to_string().contains("prefix"), "{error}");
}
