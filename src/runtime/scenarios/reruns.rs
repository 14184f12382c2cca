//! Code that runs again from the cache.

use serde_json::{Value, json};

use super::USES_PETS;
use crate::runtime::fixture::{Fixture, SECRET, code, returned};
use crate::runtime::*;

fn cached(cache_id: &str, principal: &str, params: Value) -> CachedRequest {
    let Value::Object(params) = params else {
        panic!("an object");
    };
    CachedRequest {
        cache_id: cache_id.to_owned(),
        params,
        principal: principal.to_owned(),
        ..CachedRequest::default()
    }
}

#[tokio::test]
async fn cached_code_runs_again_with_other_values() {
    let fixture = Fixture::new();
    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let id = runtime.execute(code(USES_PETS)).await.cache_id.unwrap();

    let again = runtime
        .run_cached(cached(&id, "ada", json!({"ID": 8})))
        .await;
    assert!(again.success, "{again:?}");
    assert_eq!(again.cache_id.as_deref(), Some(id.as_str()));
    let ran = sandbox.jobs.lock().unwrap().last().unwrap().code.clone();
    assert_eq!(ran, USES_PETS.replace("ID = 7", "ID = 8"));

    let unknown = runtime
        .run_cached(cached(&id, "ada", json!({"IDD": 8})))
        .await;
    assert_eq!(unknown.error_type, Some(ErrorType::Validation));
    let message = unknown.error.unwrap();
    assert!(
        message.contains("IDD") && message.contains("ID"),
        "{message}"
    );
}

#[tokio::test]
async fn a_secret_that_a_client_sends_is_not_written_to_the_cache() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let mut request = code(&format!("token = '{SECRET}'"));
    assert_eq!(runtime.execute(request.clone()).await.cache_id, None);
    request.code = "1".to_owned();
    request.description = format!("asks with {SECRET}");
    assert!(runtime.execute(request).await.cache_id.is_some());
    runtime.shutdown().await;
    for file in std::fs::read_dir(fixture.folder.path()).unwrap() {
        let file = file.unwrap().path();
        if file.is_file() {
            let bytes = std::fs::read(&file).unwrap();
            let found = bytes
                .windows(SECRET.len())
                .any(|part| part == SECRET.as_bytes());
            assert!(!found, "{}", file.display());
        }
    }
}

#[tokio::test]
async fn unknown_foreign_and_outdated_ids_look_alike() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let id = runtime.execute(code(USES_PETS)).await.cache_id.unwrap();
    let foreign = runtime.run_cached(cached(&id, "bob", json!({}))).await;
    assert_eq!(foreign.error_type, Some(ErrorType::CacheMiss));
    let unknown = runtime.run_cached(cached("0000", "ada", json!({}))).await;
    assert_eq!(unknown.error_type, Some(ErrorType::CacheMiss));
    let told = |result: &ExecutionResult, id: &str| result.error.clone().unwrap().replace(id, "ID");
    assert_eq!(told(&foreign, &id), told(&unknown, "0000"));

    runtime.shutdown().await;
    fixture.tamper("pets", |manifest| manifest["fingerprint"] = json!("pets-2"));
    let (restarted, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let outdated = restarted.run_cached(cached(&id, "ada", json!({}))).await;
    assert_eq!(outdated.error_type, Some(ErrorType::CacheMiss));
    assert_eq!(told(&outdated, &id), told(&unknown, "0000"));
}

#[tokio::test]
async fn the_cache_survives_a_restart() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let id = runtime.execute(code(USES_PETS)).await.cache_id.unwrap();
    let (restarted, _) = fixture.runtime(|_, _| async { returned(json!(2)) });
    let again = restarted.run_cached(cached(&id, "ada", json!({}))).await;
    assert_eq!(again.data, Some(json!(2)));
}
