//! Code in the sandbox, from the text to the result.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use super::USES_PETS;
use crate::runtime::fixture::{FakeSandbox, Fixture, SECRET, code, failed, returned, rows};
use crate::runtime::*;
use crate::sandbox::FailureKind;
use crate::wire::Arguments;

#[tokio::test]
async fn code_runs_calls_is_cached_and_audited() {
    let fixture = Fixture::new();
    let (runtime, sandbox) = fixture.runtime(|_, host| async move {
        let pet = host.call("pets", "get_pet", Arguments::new()).await;
        let refused = host.call("pets", "drop_pet", Arguments::new()).await;
        assert!(refused.is_err());
        let mut outcome = returned(pet.unwrap().into_json());
        outcome.prints = format!("the token is {SECRET}\n");
        outcome
    });
    let result = runtime.execute(code(USES_PETS)).await;
    assert!(result.success, "{result:?}");
    assert_eq!(result.data, Some(json!({"id": 7, "echo": "[redacted]"})));
    assert_eq!(result.prints, "the token is [redacted]\n");
    assert_eq!(result.sandbox, Some("docker"));
    assert_eq!(result.execution_time_ms, Some(5));
    assert_eq!(result.execution_id.len(), 32);
    let calls: Vec<_> = result
        .calls
        .iter()
        .map(|call| {
            (
                call.function.as_str(),
                call.status,
                call.error.as_deref(),
                call.ms,
            )
        })
        .collect();
    assert_eq!(
        calls,
        [
            ("get_pet", Some(200), None, 3),
            ("drop_pet", None, Some("egress"), 3)
        ]
    );

    let job = sandbox.jobs.lock().unwrap().remove(0);
    assert_eq!(job.code, USES_PETS);
    let modules: Vec<_> = job.modules.iter().map(|module| &module.name).collect();
    assert_eq!(modules, ["mce_runtime", "pets.functions"]);
    assert!(job.modules[0].source.contains("class Api"));
    // What the code names, and nothing else of the module.
    assert!(job.modules[1].source.contains("def get_pet("));
    assert!(job.modules[1].source.contains("class Pet("));
    assert!(!job.modules[1].source.contains("find_pets"));
    assert_eq!(job.timeout, Duration::from_secs(30));

    runtime.shutdown().await;
    let audit = fixture.path("audit.db");
    let executions = rows(
        &audit,
        "SELECT id, principal, origin, verdict, outcome FROM executions",
    );
    let expected = format!("{} ada code passed success", result.execution_id);
    assert_eq!(executions, [expected]);
    assert_eq!(
        rows(&audit, "SELECT server, function, status, error FROM calls"),
        ["pets get_pet 200 -", "pets drop_pet - egress"]
    );
    assert_eq!(
        rows(&audit, "SELECT layer, function, reason FROM refusals"),
        ["broker drop_pet not compiled"]
    );
}

#[tokio::test]
async fn code_over_the_limit_is_refused_unread() {
    let fixture = Fixture::new().set("MCE_MAX_CODE_SIZE_BYTES", 1024);
    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let fits = format!("1{}", " ".repeat(1023));
    assert!(runtime.execute(code(&fits)).await.success);
    let result = runtime.execute(code(&format!("{fits} "))).await;
    assert_eq!(result.error_type, Some(ErrorType::Size));
    assert_eq!(
        result.error.as_deref(),
        Some("the code has 1025 bytes, the limit is 1024")
    );
    let empty = runtime.execute(code(" \n")).await;
    assert_eq!(empty.error_type, Some(ErrorType::Validation));
    assert_eq!(sandbox.jobs.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn the_guard_stops_code_and_says_why() {
    let fixture = Fixture::new();
    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let result = runtime.execute(code("import os\nresult = 1")).await;
    assert!(!result.success);
    assert_eq!(result.error_type, Some(ErrorType::Security));
    assert_eq!(result.violations[0].line, 1);
    assert!(result.error.unwrap().starts_with("line 1: "));
    assert!(sandbox.jobs.lock().unwrap().is_empty());
    runtime.shutdown().await;
    let refusals = rows(
        &fixture.path("audit.db"),
        "SELECT layer, reason FROM refusals",
    );
    assert!(refusals[0].starts_with("guard "), "{refusals:?}");
    assert!(refusals[0].ends_with(" at line 1"), "{refusals:?}");
}

#[tokio::test]
async fn a_dry_run_tells_what_the_code_would_use() {
    let fixture = Fixture::new();
    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let mut request = code(USES_PETS);
    request.dry_run = true;
    let result = runtime.execute(request).await;
    assert!(result.success);
    let facts = result.facts.unwrap();
    assert_eq!(facts.servers, ["pets"]);
    assert_eq!(facts.parameters, ["ID"]);
    assert_eq!(result.cache_id, None);
    assert!(sandbox.jobs.lock().unwrap().is_empty());
}

#[tokio::test]
async fn timeouts_are_clamped_to_the_ceiling() {
    let fixture = Fixture::new().set("MCE_MAX_EXECUTION_TIMEOUT_SECONDS", 60);
    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!(1)) });
    for asked in [1, 3_600] {
        let mut request = code("1");
        request.timeout = Some(Duration::from_secs(asked));
        runtime.execute(request).await;
    }
    let jobs = sandbox.jobs.lock().unwrap();
    let limits: Vec<_> = jobs.iter().map(|job| job.timeout.as_secs()).collect();
    assert_eq!(limits, [1, 60]);
}

#[tokio::test]
async fn failures_keep_their_class_prints_and_no_secret() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async {
        let mut outcome = failed(FailureKind::Memory, &format!("killed, {SECRET}"));
        outcome.prints = "so far".to_owned();
        outcome
    });
    let result = runtime.execute(code("1")).await;
    assert_eq!(result.error_type, Some(ErrorType::Memory));
    assert_eq!(result.error.as_deref(), Some("killed, [redacted]"));
    assert_eq!(result.prints, "so far");
    assert_eq!(result.cache_id, None);
}

/// The sandbox's word for what to do is the code's word, too.
#[tokio::test]
async fn every_text_of_a_failure_is_bounded() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async {
        let mut outcome = failed(FailureKind::Api, &"m".repeat(900_000));
        if let Err(failure) = &mut outcome.result {
            failure.hint = Some("h".repeat(900_000));
            failure.traceback = Some("t".repeat(900_000));
        }
        outcome
    });
    let result = runtime.execute(code("1")).await;
    for text in [result.error, result.hint, result.traceback] {
        let length = text.map_or(0, |text| text.len());
        assert!((1_000..5_000).contains(&length), "{length}");
    }
}

#[tokio::test]
async fn a_large_result_becomes_its_shape_and_first_rows() {
    let fixture = Fixture::new()
        .set("MCE_MAX_INLINE_BYTES", 4_096)
        .set("MCE_MAX_OUTPUT_SIZE_BYTES", 1_048_576);
    let (runtime, _) = fixture.runtime(|job, _| async move {
        let count = if job.code.contains("few") {
            20_000
        } else {
            200_000
        };
        returned((0..count).map(|id| json!({"id": id})).collect())
    });
    let result = runtime.execute(code("'few'")).await;
    assert!(result.success && result.truncated);
    let data = result.data.as_ref().unwrap();
    assert_eq!(data["shape"]["list"], json!(20_000));
    assert_eq!(data["first"][0], json!({"id": 0}));
    assert!(result.cache_id.is_some());
    assert!(serde_json::to_string(&result).unwrap().len() < 5_000);

    let result = runtime.execute(code("'many'")).await;
    assert_eq!(result.error_type, Some(ErrorType::OutputLimit));
    assert_eq!(result.data, None);
}

#[tokio::test]
async fn long_prints_do_not_push_the_result_out() {
    let fixture = Fixture::new().set("MCE_MAX_INLINE_BYTES", 4_096);
    let (runtime, _) = fixture.runtime(|_, _| async {
        let mut outcome = returned(json!({"answer": 42}));
        outcome.prints = format!("first line\n{}last line\n", "x\n".repeat(10_000));
        outcome
    });
    let result = runtime.execute(code("1")).await;
    assert_eq!(result.data, Some(json!({"answer": 42})));
    assert!(result.truncated);
    assert!(result.prints.starts_with("first line\n"));
    assert!(result.prints.ends_with("last line\n"));
    assert!(result.prints.len() < 1_200);
}

#[tokio::test]
async fn a_dropped_execution_drops_the_sandbox_and_is_audited_as_cancelled() {
    struct Flag(Arc<AtomicBool>);
    impl Drop for Flag {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let fixture = Fixture::new();
    let dropped = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&dropped);
    let (runtime, _) = fixture.runtime(move |_, _| {
        let flag = Flag(Arc::clone(&flag));
        async move {
            std::future::pending::<()>().await;
            drop(flag);
            returned(json!(1))
        }
    });
    let execution = runtime.execute(code("1"));
    assert!(
        tokio::time::timeout(Duration::from_millis(200), execution)
            .await
            .is_err()
    );
    assert!(dropped.load(Ordering::SeqCst));
    runtime.shutdown().await;
    assert_eq!(
        rows(&fixture.path("audit.db"), "SELECT outcome FROM executions"),
        ["cancelled"]
    );
}

/// 24 executions at once used to be 24 containers at once.
#[tokio::test]
async fn an_execution_beyond_the_places_is_busy_and_a_place_becomes_free_again() {
    let fixture = Fixture::new().set("MCE_MAX_CONCURRENT_EXECUTIONS", 1);
    let release = Arc::new(tokio::sync::Notify::new());
    let released = Arc::clone(&release);
    let (runtime, sandbox) = fixture.runtime(move |job, _| {
        let released = Arc::clone(&released);
        async move {
            if job.code == "1" {
                released.notified().await;
            }
            returned(json!(1))
        }
    });
    let first = tokio::spawn({
        let runtime = Arc::clone(&runtime);
        async move { runtime.execute(code("1")).await }
    });
    while sandbox.jobs.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
    let second = runtime.execute(code("2")).await;
    assert_eq!(second.error_type, Some(ErrorType::Busy));
    assert!(second.hint.unwrap().contains("again"));
    let mut planned = code("2");
    planned.dry_run = true;
    assert!(runtime.execute(planned).await.success);
    release.notify_one();
    assert!(first.await.unwrap().success);
    assert!(runtime.execute(code("2")).await.success);
    assert_eq!(sandbox.jobs.lock().unwrap().len(), 2);
}

/// It was in the audit alone: its record came after the result was put together.
#[tokio::test]
async fn a_call_under_way_when_the_execution_ends_is_in_the_result() {
    let fixture = Fixture::new();
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let sandbox = FakeSandbox::new(|_, host| async move {
        let mut calls = tokio::task::JoinSet::new();
        calls.spawn(async move {
            let arguments = Arguments::from_iter([("pet_id".to_owned(), json!(7).into())]);
            host.call("pets", "get_pet", arguments).await
        });
        tokio::time::sleep(Duration::from_millis(100)).await;
        calls.shutdown().await;
        failed(FailureKind::Timeout, "too late")
    });
    let runtime = Runtime::open(
        fixture.settings(),
        None,
        &Arc::new(Environment::from_pairs([("MCE_PETS_BASE_URL", url)])),
        SandboxProvider::ready(Arc::new(sandbox)),
    )
    .unwrap();
    let result = runtime.execute(code(USES_PETS)).await;
    assert_eq!(result.error_type, Some(ErrorType::Timeout));
    let calls: Vec<_> = result
        .calls
        .iter()
        .map(|call| (call.function.as_str(), call.status, call.error.as_deref()))
        .collect();
    assert_eq!(calls, [("get_pet", None, Some("cancelled"))]);
}

#[tokio::test]
async fn code_is_judged_by_the_policy_that_the_settings_name() {
    let mut fixture = Fixture::new();
    let path = fixture.path("policy.toml");
    let policy = "extends = \"built-in\"\n[modules.numpy]\nnames = [\"array\"]\n\
                  [modules.random]\ndenied = [\"seed\"]\n";
    std::fs::write(&path, policy).unwrap();
    let setting = ("MCE_GUARD_POLICY".to_owned(), path.display().to_string());
    fixture.variables.push(setting);
    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!(1)) });

    let allowed = runtime
        .execute(code("import numpy\nnumpy.array([])\n"))
        .await;
    assert!(allowed.success, "{allowed:?}");
    let refused = runtime
        .execute(code("import random\nrandom.seed(1)\n"))
        .await;
    assert_eq!(refused.error_type, Some(ErrorType::Security));
    assert_eq!(refused.violations[0].rule, "module-name");
    assert_eq!(sandbox.jobs.lock().unwrap().len(), 1);
    let page = runtime.list_servers(None).await.unwrap();
    let libraries = ["httpx", "pydantic", "orjson", "numpy"];
    assert_eq!(page.sandbox_libraries, libraries);

    // A runtime that cannot read its policy does not open.
    std::fs::write(&path, "extends = \"other\"\n").unwrap();
    let error = guard_of(&fixture.settings()).unwrap_err().to_string();
    let place = format!("{}:1:11: ", path.display());
    assert!(error.contains(&place), "{error}");
}
