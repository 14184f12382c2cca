//! What is refused before anything is sent. Each test names a rule and tries to break it.

use std::sync::Arc;
use std::time::Duration;

use mce::config::OperationRef;
use mce::sandbox::Call;
use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::json;

use crate::capture::{Capture, response};
use crate::fixture::{Setup, Shop, function, given, manifest, parameter, scope, with_body};

fn id() -> serde_json::Value {
    parameter("id", "path", json!({"schema": {"type": "string"}}))
}

/// Reads of users; writes were left out.
fn users() -> mce::api::Manifest {
    manifest(
        vec![
            function("get_user", "GET", "/users/{id}", &[id()], json!([])),
            function("get_posts", "GET", "/users/{id}/posts", &[id()], json!([])),
            function("get_file", "GET", "/files/{id}", &[id()], json!([])),
        ],
        &[
            ("POST", "/users/export"),
            ("DELETE", "/users/{id}/admin"),
            ("GET", "/users"),
        ],
    )
}

async fn shop() -> (Capture, Shop) {
    let api = Capture::json("{}").await;
    let shop = Setup::new(users()).at(&format!("{}/v1", api.url())).build();
    (api, shop)
}

#[tokio::test]
async fn a_server_that_was_not_imported_is_not_called() {
    let (api, shop) = shop().await;
    let host = shop.broker.host(scope(&["weather"]));
    let error = host
        .call("shop", "get_user", given(json!({"id": "1"})))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "egress");
    assert!(
        error
            .to_string()
            .contains("does not import the server `shop`")
    );
    assert!(api.requests().is_empty());
    let records = shop.records.all();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].error.as_deref(), Some("egress"));
    assert_eq!(records[0].refusal, Some(error.to_string()));
    assert_eq!(
        (records[0].server.as_str(), records[0].status),
        ("shop", None)
    );
}

#[tokio::test]
async fn a_function_that_was_not_compiled_is_not_called() {
    let (api, shop) = shop().await;
    for name in ["delete_user", "GET_USER", "", "users", "get_user\n"] {
        let message = shop.refused(name, json!({"id": "1"})).await;
        assert!(message.contains("is not a compiled function"), "{message}");
    }
    assert!(api.requests().is_empty());
    assert_eq!(shop.records.all().len(), 5);
}

#[tokio::test]
async fn a_direct_call_goes_the_same_way() {
    let (api, shop) = shop().await;
    let value = shop
        .broker
        .call_direct(scope(&[]), "shop", "get_user", given(json!({"id": "1"})))
        .await
        .unwrap();
    assert_eq!(value, json!({}).into());
    assert_eq!(api.only().line, "GET /v1/users/1 HTTP/1.1");
    let error = shop
        .broker
        .call_direct(scope(&[]), "shop", "get_user", given(json!({"id": ".."})))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "egress");
}

#[tokio::test]
async fn a_read_only_server_receives_no_write_even_where_one_was_compiled() {
    let api = Capture::json("{}").await;
    let write = |name, method| with_body(function(name, method, "/orders", &[], json!([])));
    let mut setup = Setup::new(manifest(
        vec![
            write("post", "POST"),
            write("put", "PUT"),
            write("patch", "PATCH"),
            write("delete", "DELETE"),
            write("purge", "PURGE"),
            write("lower", "post"),
            with_body(function("search", "POST", "/search", &[], json!([]))),
            function("list", "GET", "/orders", &[], json!([])),
        ],
        &[],
    ))
    .at(&api.url());
    setup.read_only = true;
    setup.config.read_only_allow = vec![OperationRef {
        method: "POST".into(),
        path: "/search".into(),
    }];
    let shop = setup.build();
    for name in ["post", "put", "patch", "delete", "purge", "lower"] {
        let message = shop.refused(name, json!({"body": {}})).await;
        assert!(message.contains("is read-only"), "{message}");
    }
    assert!(api.requests().is_empty());
    shop.call("search", json!({"body": {}})).await.unwrap();
    shop.call("list", json!({})).await.unwrap();
    let lines: Vec<_> = api.requests().into_iter().map(|it| it.line).collect();
    assert_eq!(lines, ["POST /search HTTP/1.1", "GET /orders HTTP/1.1"]);
}

#[tokio::test]
async fn a_body_cannot_ask_for_another_method() {
    let api = Capture::json("{}").await;
    let search = with_body(function("search", "POST", "/search", &[], json!([])));
    let shop = Setup::new(manifest(vec![search], &[]))
        .at(&api.url())
        .build();
    shop.refused("search", json!({"body": {"_method": "DELETE"}}))
        .await;
    assert!(api.requests().is_empty());
}

/// A range leaves it to the code which media type is sent, a form among them.
#[tokio::test]
async fn a_body_of_any_media_type_cannot_ask_for_another_method() {
    let api = Capture::json("{}").await;
    let mut search = with_body(function("search", "POST", "/search", &[], json!([])));
    search.body.as_mut().unwrap().content_type = "*".to_owned();
    let shop = Setup::new(manifest(vec![search], &[]))
        .at(&api.url())
        .build();
    let form = "application/x-www-form-urlencoded";
    let multipart = "multipart/form-data";
    for (content_type, body) in [
        (form, json!({"_method": "DELETE"})),
        (form, json!({"a": {"_method": "DELETE"}})),
        (form, json!("_method=DELETE")),
        (
            "application/x-www-form-urlencoded, x/y",
            json!("_method=DELETE"),
        ),
        (multipart, json!({"%5Fmethod": "DELETE"})),
        (multipart, json!({"_\\method": "DELETE"})),
        (multipart, json!({"_met\u{0}hod": "DELETE"})),
    ] {
        let call = Call {
            server: "shop".to_owned(),
            function: "search".to_owned(),
            arguments: given(json!({"body": body})),
            content_type: Some(content_type.to_owned()),
        };
        let result = shop.host.perform(call).await;
        assert!(result.is_err(), "{content_type} {body}");
    }
    assert!(api.requests().is_empty());
}

#[tokio::test]
async fn path_arguments_reach_no_other_operation() {
    let (api, shop) = shop().await;
    for id in [
        "export",
        "Export",
        "export;x",
        "export?x",
        "export#",
        "1/admin",
        "1\\admin",
        "1%2Fadmin",
        "/export",
        "..",
        ".",
        "%2e%2e",
        "a/../b",
        "..;",
        "1\0",
        "1\r\nX: y",
    ] {
        shop.refused("get_user", json!({"id": id})).await;
    }
    assert!(api.requests().is_empty());
    // An empty one is an argument that does not fit.
    let error = shop.call("get_user", json!({"id": ""})).await.unwrap_err();
    assert!(["argument", "egress"].contains(&error.kind()));
    assert!(api.requests().is_empty());
}

#[tokio::test]
async fn a_path_argument_with_slashes_arrives_encoded() {
    let (api, shop) = shop().await;
    shop.call("get_file", json!({"id": "src/main.rs"}))
        .await
        .unwrap();
    assert_eq!(api.only().line, "GET /v1/files/src%2Fmain.rs HTTP/1.1");
}

#[tokio::test]
async fn arguments_are_checked_before_anything_is_sent() {
    let (api, shop) = shop().await;
    for arguments in [
        json!({}),
        json!({"id": "1", "other": 1}),
        json!({"id": [1]}),
    ] {
        let error = shop.call("get_user", arguments).await.unwrap_err();
        assert_eq!(error.kind(), "argument", "{error}");
        assert!(error.to_string().contains("get_user()"), "{error}");
    }
    assert!(api.requests().is_empty());
    assert_eq!(shop.records.all().len(), 3);
}

#[tokio::test]
async fn calls_beyond_the_limit_are_refused() {
    let api = Capture::json("{}").await;
    let mut setup = Setup::new(users()).at(&api.url());
    setup.limits.max_calls = 2;
    let shop = setup.build();
    for _ in 0..2 {
        shop.call("get_user", json!({"id": "1"})).await.unwrap();
    }
    for _ in 0..5 {
        let error = shop.call("get_user", json!({"id": "1"})).await.unwrap_err();
        assert_eq!(error.kind(), "limit");
    }
    assert_eq!(api.requests().len(), 2);
    // The audit is not flooded: as many refusals as calls.
    assert_eq!(shop.records.all().len(), 4);
    // Another execution has a count of its own.
    let host = shop.broker.host(scope(&["shop"]));
    host.call("shop", "get_user", given(json!({"id": "1"})))
        .await
        .unwrap();
    // The attempts beyond that are told by their number, once.
    drop(shop.host);
    let last = shop.records.all().pop().unwrap();
    assert_eq!(last.error.as_deref(), Some("limit"));
    assert_eq!(
        last.refusal.as_deref(),
        Some("3 further calls beyond `MCE_MAX_CALLS`")
    );
}

#[tokio::test]
async fn calls_above_the_concurrent_limit_wait() {
    let api = wiremock::MockServer::start().await;
    let slow = wiremock::ResponseTemplate::new(200)
        .set_body_json(json!({}))
        .set_delay(Duration::from_millis(150));
    wiremock::Mock::given(wiremock::matchers::method("GET"))
        .respond_with(slow)
        .mount(&api)
        .await;
    let mut setup = Setup::new(users()).at(&api.uri());
    setup.limits.max_concurrent_calls = 2;
    let shop = setup.build();
    let started = std::time::Instant::now();
    let calls = (0..6).map(|id| shop.call("get_user", json!({"id": id.to_string()})));
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().all(Result::is_ok));
    assert!(started.elapsed() >= Duration::from_millis(430));
}

#[tokio::test]
async fn too_large_a_request_is_refused() {
    let api = Capture::json("{}").await;
    let save = with_body(function("save", "POST", "/save", &[], json!([])));
    let mut setup = Setup::new(manifest(vec![save], &[])).at(&api.url());
    setup.limits.max_request_bytes = 1000;
    let shop = setup.build();
    let error = shop
        .call("save", json!({"body": "x".repeat(1000)}))
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "limit");
    assert!(api.requests().is_empty());
}

#[tokio::test]
async fn arguments_made_to_be_slow_are_refused_at_once() {
    let api = Capture::json("{}").await;
    let free = parameter("free", "query", json!({"schema": {"type": "object"}}));
    let jar = parameter("jar", "cookie", json!({"schema": {"type": "object"}}));
    let list = function(
        "list_items",
        "GET",
        "/x/{id}",
        &[id(), free, jar],
        json!([]),
    );
    let shop = Setup::new(manifest(vec![list], &[("GET", "/x/y/z")]))
        .at(&api.url())
        .build();
    let many: serde_json::Map<_, _> = (0..100_000)
        .map(|it| (format!("k{it}"), json!(1)))
        .collect();
    let started = std::time::Instant::now();
    for arguments in [
        json!({"id": "/".repeat(2_000_000)}),
        json!({"id": "%2F".repeat(1_000_000)}),
        json!({"id": "1", "free": many}),
        json!({"id": "1", "jar": many}),
    ] {
        shop.refused("list_items", arguments).await;
    }
    let few: serde_json::Map<_, _> = (0..6_000).map(|it| (it.to_string(), json!(1))).collect();
    let full = json!({"id": "/a".repeat(100), "free": few, "jar": few});
    shop.call("list_items", full).await.unwrap();
    // Debug builds on a busy machine; a quadratic walk would take minutes.
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn a_call_that_is_cancelled_is_recorded() {
    let api = wiremock::MockServer::start().await;
    let slow = wiremock::ResponseTemplate::new(200).set_delay(Duration::from_secs(20));
    wiremock::Mock::given(wiremock::matchers::method("GET"))
        .respond_with(slow)
        .mount(&api)
        .await;
    let shop = Setup::new(users()).at(&api.uri()).build();
    let host = Arc::clone(&shop.host);
    let call = tokio::spawn(async move {
        host.call("shop", "get_user", given(json!({"id": "1"})))
            .await
    });
    tokio::time::sleep(Duration::from_millis(100)).await;
    call.abort();
    assert!(call.await.unwrap_err().is_cancelled());
    let records = shop.records.all();
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].error.as_deref(), Some("cancelled"));
    assert!(records[0].elapsed >= Duration::from_millis(50));
}

#[cfg(feature = "test-hooks")]
#[tokio::test]
async fn with_one_rule_off_the_others_hold() {
    use std::collections::BTreeMap;

    use mce::broker::{Broker, Hooks, Limits, Recorder, Target};
    use mce::sandbox::CallError;
    use mce::vault::Vault;

    let api = Capture::json("{}").await;
    let setup = Setup::new(users()).at(&api.url());
    let environment = setup.environment();
    let config = Arc::new(setup.config);
    let vault = Arc::new(Vault::new(std::slice::from_ref(&config), &environment));
    let target = Target {
        manifest: Arc::new(setup.manifest),
        config,
        read_only: true,
    };
    let broker = Broker::new(
        BTreeMap::from([("shop".to_owned(), target)]),
        vault,
        &environment,
        Arc::new(crate::fixture::Records::default()) as Arc<dyn Recorder>,
        Limits::default(),
    )
    .with_hooks(Hooks {
        no_import_rule: true,
        no_broker_rule: true,
    });
    let host = Arc::new(broker).host(scope(&[]));
    host.call("shop", "get_user", given(json!({"id": "1"})))
        .await
        .unwrap();
    for (function, id) in [("delete_user", "1"), ("get_user", "export")] {
        let error = host
            .call("shop", function, given(json!({"id": id})))
            .await
            .unwrap_err();
        assert!(matches!(error, CallError::Egress { .. }), "{error}");
    }
    assert_eq!(api.requests().len(), 1);
}

/// Whatever is given, the API sees the called operation or nothing.
#[test]
fn no_text_as_a_path_argument_leaves_the_operation() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (api, shop) = runtime.block_on(shop());
    let id = prop_oneof![
        any::<String>(),
        "[./;%\\\\a-e2F]{0,8}",
        "(export|admin|1)[/;?#%. ]{0,2}(admin|export)?",
    ];
    let mut runner = TestRunner::new(ProptestConfig::with_cases(500));
    let found = runner.run(&id, |id| {
        let before = api.requests().len();
        let host = shop.broker.host(scope(&["shop"]));
        let _ = runtime.block_on(host.call("shop", "get_user", given(json!({"id": id}))));
        for request in &api.requests()[before..] {
            let path = request.line.split(' ').nth(1).unwrap();
            let last = path.strip_prefix("/v1/users/").unwrap();
            prop_assert!(!last.is_empty() && !last.contains('/'), "{path}");
            let decoded = percent_decode_str(last).decode_utf8().unwrap();
            prop_assert_eq!(&decoded, id.as_str());
            prop_assert_ne!(decoded.to_ascii_lowercase(), "export");
            prop_assert!(decoded != "." && decoded != "..");
        }
        Ok(())
    });
    assert_eq!(found, Ok(()));
    assert!(!api.requests().is_empty());
}

#[tokio::test]
async fn concurrent_executions_get_their_own_answers() {
    let api = Capture::start(|request| {
        let path = request.line.split(' ').nth(1).unwrap_or_default();
        response(
            200,
            &[("content-type", "application/json")],
            format!("\"{path}\""),
        )
    })
    .await;
    let shop = Setup::new(users()).at(&api.url()).build();
    let executions = (0..16).map(|execution| {
        let host = shop.broker.host(scope(&["shop"]));
        async move {
            let calls = (0..50).map(|call| {
                let host = &host;
                let id = format!("e{execution}c{call}");
                async move {
                    let answer = host
                        .call("shop", "get_user", given(json!({"id": id})))
                        .await;
                    assert_eq!(answer.unwrap(), json!(format!("/users/{id}")).into());
                }
            });
            futures::future::join_all(calls).await;
        }
    });
    futures::future::join_all(executions).await;
    assert_eq!(api.requests().len(), 800);
    assert_eq!(shop.records.all().len(), 800);
}

#[tokio::test]
async fn connections_are_shared_by_executions() {
    let api =
        Capture::start(|_| response(200, &[("content-type", "application/json")], "{}")).await;
    let shop = Setup::new(users()).at(&api.url()).build();
    for _ in 0..3 {
        let host = shop.broker.host(scope(&["shop"]));
        host.call("shop", "get_user", given(json!({"id": "1"})))
            .await
            .unwrap();
    }
    assert_eq!(api.requests().len(), 3);
    assert_eq!(api.connections(), 1);
}
