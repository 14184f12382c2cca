//! References of a document that is fetched.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mce::compile::{self, Options};
use mce::config::{Config, Environment};
use mce::openapi;
use serde_json::{Value, json};
use tempfile::TempDir;
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::project::{answer_of, api_with, called, read, reason_of, referring_to, request};

/// Serves texts by path; `delay` may differ from one to the next.
async fn serve(server: &MockServer, name: &str, text: &str, delay: Duration) {
    let answer = ResponseTemplate::new(200)
        .set_body_string(text)
        .set_delay(delay);
    Mock::given(method("GET"))
        .and(path(name))
        .respond_with(answer)
        .mount(server)
        .await;
}

const NOW: Duration = Duration::ZERO;

#[tokio::test]
async fn parts_of_a_remote_document_are_fetched_with_its_headers() {
    let server = MockServer::start().await;
    let root = referring_to("parts/one.yaml?v=2#/A");
    for (name, text) in [
        ("/v1/api.json", root.as_str()),
        (
            "/v1/parts/one.yaml",
            "A: {properties: {x: {$ref: '../two.yaml'}, y: {$ref: /three.yaml}}}",
        ),
        ("/v1/two.yaml", "type: string"),
        ("/three.yaml", "type: string"),
    ] {
        Mock::given(path(name))
            .and(header("authorization", "Bearer of documents"))
            .respond_with(ResponseTemplate::new(200).set_body_string(text))
            .expect(1)
            .mount(&server)
            .await;
    }
    let uri = server.uri();
    let mut request = request(&format!("{uri}/v1/api.json?key=secret"), PathBuf::new());
    request.headers = vec![("Authorization".to_owned(), "Bearer of documents".to_owned())];
    let loaded = openapi::load(&request).await.unwrap();
    assert_eq!(
        loaded.files.keys().cloned().collect::<Vec<_>>(),
        ["three.yaml", "v1/parts/one.yaml", "v1/two.yaml"].map(|name| format!("{uri}/{name}"))
    );
    assert!(read(loaded).skipped.is_empty());
    let queries: Vec<Option<String>> = server
        .received_requests()
        .await
        .unwrap()
        .iter()
        .map(|request| request.url.query().map(str::to_owned))
        .collect();
    assert_eq!(
        queries[..2],
        [Some("key=secret".to_owned()), Some("v=2".to_owned())]
    );
    assert_eq!(queries[2..], [None, None]);

    // Where a variable says where the document is, that is written nowhere.
    request.shown = "${DOCUMENT}".to_owned();
    server.reset().await;
    serve(&server, "/v1/api.json", &root, NOW).await;
    serve(&server, "/v1/parts/one.yaml", "A: {}", NOW).await;
    let loaded = openapi::load(&request).await.unwrap();
    assert_eq!(loaded.files.keys().collect::<Vec<_>>(), ["parts/one.yaml"]);
}

#[tokio::test]
async fn references_of_a_remote_document_to_other_origins_are_refused() {
    let other = MockServer::start().await;
    let server = MockServer::start().await;
    let elsewhere = other.uri();
    let host = other.address().to_string();
    for reference in [
        format!("{elsewhere}/x.yaml"),
        format!("//{host}/x.yaml"),
        format!("\\\\{host}\\x.yaml"),
        format!("{}@{host}/x.yaml", server.uri()),
        "file:///etc/passwd".to_owned(),
        "http://169.254.169.254/x".to_owned(),
        "https://metadata.google.internal/x".to_owned(),
    ] {
        server.reset().await;
        serve(&server, "/api.json", &referring_to(&reference), NOW).await;
        let request = request(&format!("{}/api.json", server.uri()), "/".into());
        let error = openapi::load(&request).await.unwrap_err();
        assert!(
            error.reason.contains("is refused: "),
            "{reference}: {error}"
        );
        assert_eq!(server.received_requests().await.unwrap().len(), 1);
    }
    assert!(other.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_remote_document_reads_no_file_of_this_machine() {
    let server = MockServer::start().await;
    serve(
        &server,
        "/a/api.json",
        &referring_to("../../../etc/passwd"),
        NOW,
    )
    .await;
    let request = request(&format!("{}/a/api.json", server.uri()), "/".into());
    let api = read(openapi::load(&request).await.unwrap());
    assert!(reason_of(&api).contains("/etc/passwd` cannot be resolved: the server answered 404"));
    let asked = server.received_requests().await.unwrap();
    assert_eq!(asked[1].url.path(), "/etc/passwd");
}

#[tokio::test]
async fn redirects_of_parts_stay_on_the_origin() {
    let other = MockServer::start().await;
    let server = MockServer::start().await;
    for target in [
        format!("{}/x.yaml", other.uri()),
        "http://169.254.169.254/latest".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        server.reset().await;
        serve(&server, "/api.json", &referring_to("part.yaml"), NOW).await;
        let answer = ResponseTemplate::new(302).insert_header("location", target.as_str());
        Mock::given(path("/part.yaml"))
            .respond_with(answer)
            .mount(&server)
            .await;
        let request = request(&format!("{}/api.json", server.uri()), PathBuf::new());
        let error = openapi::load(&request).await.unwrap_err();
        assert!(
            error.reason.contains("redirects to another origin"),
            "{error}"
        );
    }
    assert!(other.received_requests().await.unwrap().is_empty());

    // On its origin, what it leads to is the base of further references.
    server.reset().await;
    serve(&server, "/api.json", &referring_to("part.yaml"), NOW).await;
    let answer = ResponseTemplate::new(302).insert_header("location", "/moved/part.yaml");
    Mock::given(path("/part.yaml"))
        .respond_with(answer)
        .mount(&server)
        .await;
    serve(
        &server,
        "/moved/part.yaml",
        "properties: {x: {$ref: x.yaml}}",
        NOW,
    )
    .await;
    serve(&server, "/moved/x.yaml", "type: string", NOW).await;
    let request = request(&format!("{}/api.json", server.uri()), PathBuf::new());
    assert!(
        read(openapi::load(&request).await.unwrap())
            .skipped
            .is_empty()
    );
}

#[tokio::test]
async fn a_server_that_fails_today_costs_no_operation_that_was_there_yesterday() {
    let server = MockServer::start().await;
    for (status, is_error) in [
        (404, false),
        (410, false),
        (400, true),
        (401, true),
        (403, true),
        (407, true),
        (421, true),
        (423, true),
        (500, true),
        (425, true),
        (429, true),
        (503, true),
    ] {
        server.reset().await;
        serve(&server, "/api.json", &referring_to("part.yaml"), NOW).await;
        let answer = ResponseTemplate::new(status);
        Mock::given(path("/part.yaml"))
            .respond_with(answer)
            .mount(&server)
            .await;
        let request = request(&format!("{}/api.json", server.uri()), PathBuf::new());
        match openapi::load(&request).await {
            Ok(loaded) => {
                assert!(!is_error, "{status}");
                assert!(reason_of(&read(loaded)).contains(&status.to_string()));
            }
            Err(error) => {
                assert!(is_error, "{status}");
                assert!(
                    error.reason.contains("part.yaml`, which it refers to: "),
                    "{error}"
                );
            }
        }
    }
}

/// Compiles a config with a document at this address.
async fn compile_from(url: &str, folder: &std::path::Path) -> (compile::Report, Option<Value>) {
    let config = folder.join("swaggers.yaml");
    let text = format!("servers:\n  - {{name: pets, swagger_url: '{url}'}}\n");
    fs::write(&config, text).unwrap();
    let config = Config::load(&config).unwrap();
    let options = Options {
        output: folder.join("compiled"),
        ..Options::default()
    };
    let environment = Environment::from_pairs::<&str, &str>([]);
    let report = compile::run(&config, &environment, &options).await;
    let manifest = fs::read_to_string(folder.join("compiled/pets/manifest.json")).ok();
    let manifest = manifest.map(|text| serde_json::from_str(&text).unwrap());
    (report, manifest)
}

#[tokio::test]
async fn a_part_that_was_not_found_and_is_gone_later_costs_its_operation_both_times() {
    let server = MockServer::start().await;
    let folder = TempDir::new().unwrap();
    let url = format!("{}/api.json", server.uri());
    let answers = async |status: u16| {
        server.reset().await;
        serve(&server, "/api.json", &referring_to("part.yaml"), NOW).await;
        Mock::given(path("/part.yaml"))
            .respond_with(ResponseTemplate::new(status))
            .mount(&server)
            .await;
        compile_from(&url, folder.path()).await
    };
    let names = |manifest: &Value| {
        let functions = manifest["functions"].as_array().unwrap().iter();
        let names: Vec<_> = functions.map(|it| it["name"].clone()).collect();
        names
    };
    let mut before = None;
    for status in [404, 410] {
        let (report, manifest) = answers(status).await;
        assert!(!report.failed(), "{report:?}");
        // The reason is in the manifest, so another one is written.
        assert!(report.servers[0].changed, "{status}");
        let manifest = manifest.unwrap();
        assert_eq!(names(&manifest), ["get_control"], "{status}");
        let skipped = &manifest["skipped"][0];
        assert_eq!(skipped["path"], "/a");
        let reason = skipped["reason"].as_str().unwrap();
        assert!(reason.contains(&format!("answered {status}")), "{reason}");
        before = Some(manifest);
    }
    let (report, manifest) = answers(500).await;
    assert!(report.failed(), "{report:?}");
    let error = report.servers[0].error.as_deref().unwrap();
    assert!(
        error.contains("/part.yaml`, which it refers to: the server answered 500"),
        "{error}"
    );
    assert_eq!(manifest, before);
}

#[tokio::test]
async fn a_slow_server_ends_at_the_limit_for_all_parts_together() {
    let server = MockServer::start().await;
    let delay = Duration::from_millis(400);
    serve(&server, "/api.json", &referring_to("0.yaml"), delay).await;
    for index in 0..4 {
        let text = format!("properties: {{x: {{$ref: {}.yaml}}}}", index + 1);
        serve(&server, &format!("/{index}.yaml"), &text, delay).await;
    }
    let mut request = request(&format!("{}/api.json", server.uri()), PathBuf::new());
    request.limit = Duration::from_secs(1);
    let begun = Instant::now();
    let error = openapi::load(&request).await.unwrap_err();
    assert_eq!(error.reason, "it was not all there within 1s");
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn parts_are_fetched_at_once_and_their_order_of_arrival_does_not_matter() {
    let server = MockServer::start().await;
    let mut outcomes = Vec::new();
    for is_reversed in [false, true] {
        server.reset().await;
        let parts: Vec<Value> = (0..8)
            .map(|it| json!({"$ref": format!("p{it}.yaml#/A")}))
            .collect();
        serve(
            &server,
            "/api.json",
            &api_with(&json!({"anyOf": parts})).to_string(),
            NOW,
        )
        .await;
        for index in 0..8_u32 {
            let turn = if is_reversed { 8 - index } else { index };
            let text = format!(
                "A: {{properties: {{x: {{$ref: 'p{}.yaml#/A'}}}}}}",
                (index + 3) % 9
            );
            serve(
                &server,
                &format!("/p{index}.yaml"),
                &text,
                Duration::from_millis(200) + turn * Duration::from_millis(20),
            )
            .await;
        }
        serve(&server, "/p8.yaml", "A: {type: string}", NOW).await;
        let request = request(&format!("{}/api.json", server.uri()), PathBuf::new());
        let begun = Instant::now();
        let loaded = openapi::load(&request).await.unwrap();
        assert!(
            begun.elapsed() < Duration::from_millis(1_500),
            "{:?}",
            begun.elapsed()
        );
        let files = loaded.files.clone();
        outcomes.push((format!("{:?}", read(loaded)), files));
    }
    assert!(outcomes[0] == outcomes[1]);
}

#[tokio::test]
async fn what_a_document_calls_itself_opens_no_other_origin() {
    let server = MockServer::start().await;
    let schema = json!({"type": "string"}).to_string();
    let beside = json!({"type": "null"}).to_string();
    let other = MockServer::start().await;
    serve(&other, "/api/part.json", &schema, Duration::ZERO).await;
    for (own, expected) in [
        (
            format!("{}/api/openapi.json", server.uri()),
            json!({"type": "string"}),
        ),
        (
            format!("{}/api/openapi.json", other.uri()),
            json!({"type": "null"}),
        ),
    ] {
        serve(&server, "/api/part.json", &schema, Duration::ZERO).await;
        serve(&server, "/files/part.json", &beside, Duration::ZERO).await;
        let text = called(&own, "part.json");
        serve(&server, "/files/api.json", &text, Duration::ZERO).await;
        let source = format!("{}/files/api.json", server.uri());
        let loaded = openapi::load(&request(&source, PathBuf::new()))
            .await
            .unwrap();
        let api = read(loaded);
        let found = api.schemas.values().next();
        assert_eq!(found, Some(&expected), "{own}");
        server.reset().await;
    }
    assert!(other.received_requests().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_part_that_leads_to_what_the_document_calls_itself_leads_into_it() {
    let server = MockServer::start().await;
    let part = json!({"$ref": "openapi.json#/components/schemas/Own"});
    serve(&server, "/api/part.json", &part.to_string(), Duration::ZERO).await;
    let text = called("../api/openapi.json", "part.json");
    serve(&server, "/files/api.json", &text, Duration::ZERO).await;
    let source = format!("{}/files/api.json", server.uri());
    let loaded = openapi::load(&request(&source, PathBuf::new())).await;
    let api = read(loaded.unwrap());
    assert_eq!(answer_of(&api), &json!({"type": "integer"}));
    let asked = server.received_requests().await.unwrap();
    assert_eq!(asked.len(), 2, "{asked:?}");
}
