//! Operations that the document has at a base URL of their own.

use serde_json::json;

use crate::capture::Capture;
use crate::fixture::{Setup, Shop, function, manifest, parameter, template};

/// `plain` at the document's server, `upload(id)` below `/upload` on the same origin.
fn setup(api: &Capture) -> Setup {
    let plain = function("plain", "GET", "/files", &[], json!([]));
    let id = parameter("id", "path", json!({}));
    let file = function(
        "file",
        "GET",
        "/upload/{id}",
        std::slice::from_ref(&id),
        json!([]),
    );
    let mut upload = function("upload", "GET", "/{id}", &[id], json!([]));
    upload.base_url = Some(format!("{}/v1/upload", api.url()));
    let mut setup = Setup::new(manifest(
        vec![plain, file, upload],
        &[("GET", "/upload/all")],
    ));
    setup.manifest.base_url = Some(format!("{}/v1", api.url()));
    setup.config.allow_private_network = true;
    setup
}

async fn lines(api: &Capture, shop: Shop) -> Vec<String> {
    for (function, arguments) in [("plain", json!({})), ("upload", json!({"id": "7"}))] {
        shop.call(function, arguments).await.unwrap();
    }
    api.requests().into_iter().map(|it| it.line).collect()
}

#[tokio::test]
async fn it_counts_where_nobody_configured_another() {
    let api = Capture::json("{}").await;
    assert_eq!(
        lines(&api, setup(&api).build()).await,
        ["GET /v1/files HTTP/1.1", "GET /v1/upload/7 HTTP/1.1"]
    );
}

#[tokio::test]
async fn a_configured_base_url_is_the_whole_prefix() {
    for in_config in [true, false] {
        let api = Capture::json("{}").await;
        let mut setup = setup(&api);
        if in_config {
            setup.config.base_url = Some(template(&format!("{}/x", api.url())));
        } else {
            setup = setup.at(&format!("{}/x", api.url()));
        }
        assert_eq!(
            lines(&api, setup.build()).await,
            ["GET /x/files HTTP/1.1", "GET /x/7 HTTP/1.1"]
        );
    }
}

#[tokio::test]
async fn another_operation_is_not_reached_through_it() {
    let api = Capture::json("{}").await;
    let shop = setup(&api).build();
    // `/v1/upload/{id}` is both; so is `/v1/upload/all`, which was left out.
    let message = shop.refused("upload", json!({"id": "all"})).await;
    assert!(
        message.contains("would reach `/v1/upload/all`"),
        "{message}"
    );
    let message = shop.refused("file", json!({"id": "ALL"})).await;
    assert!(
        message.contains("would reach `/v1/upload/all`"),
        "{message}"
    );

    let mut hidden = setup(&api);
    hidden.manifest.skipped.clear();
    hidden.manifest.skipped.push(mce::api::Skipped {
        method: "GET".into(),
        path: "/export".into(),
        reason: "excluded".into(),
        base_url: Some(format!("{}/v1/upload", api.url())),
    });
    let message = hidden
        .build()
        .refused("file", json!({"id": "export"}))
        .await;
    assert!(
        message.contains("would reach `/v1/upload/export`"),
        "{message}"
    );
    assert!(api.requests().is_empty());
}

#[tokio::test]
async fn on_another_origin_it_is_never_called() {
    let api = Capture::json("{}").await;
    let other = Capture::json("{}").await;
    let mut setup = setup(&api).variable("MCE_SHOP_AUTH", "Bearer 0123456789");
    for function in &mut setup.manifest.functions {
        function.base_url = Some(other.url());
    }
    let message = setup.build().refused("plain", json!({})).await;
    assert!(message.contains("on another origin"), "{message}");
    assert!(api.requests().is_empty() && other.requests().is_empty());
}
