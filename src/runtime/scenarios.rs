//! The pipeline from code to result, with a sandbox that the tests play.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::fixture::{FakeSandbox, Fixture, SECRET, code, failed, returned, rows};
use super::*;
use crate::sandbox::FailureKind;
use crate::wire::Arguments;

const USES_PETS: &str = "from pets.functions import get_pet\nID = 7\nresult = get_pet(pet_id=ID)\n";

fn cached(cache_id: &str, principal: &str, params: Value) -> CachedRequest {
    let Value::Object(params) = params else {
        panic!("an object");
    };
    CachedRequest {
        cache_id: cache_id.to_owned(),
        params,
        principal: principal.to_owned(),
        timeout: None,
    }
}

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

#[tokio::test]
async fn without_a_sandbox_discovery_works_and_executions_tell_the_finding() {
    let fixture = Fixture::new();
    let provider = SandboxProvider::new(|| {
        std::future::ready(Err(Finding {
            message: "no engine answers".to_owned(),
            hint: Some("start it".to_owned()),
        }))
    });
    let runtime = fixture.runtime_with(provider, Switches::default());
    let result = runtime.execute(code("1")).await;
    assert_eq!(result.error_type, Some(ErrorType::Sandbox));
    assert_eq!(result.error.as_deref(), Some("no engine answers"));
    assert_eq!(result.hint.as_deref(), Some("start it"));
    assert_eq!(runtime.list_servers(None).await.unwrap().servers.len(), 1);
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

#[tokio::test]
async fn tampered_servers_are_refused_and_the_others_go_on() {
    let fixture = Fixture::new();
    for server in ["text", "hash", "list", "version", "writes"] {
        fixture.compile(server, &[("get_it", "GET")]);
    }
    let text = fixture.server_folder("text").join("functions.py");
    let changed = std::fs::read_to_string(&text)
        .unwrap()
        .replace("Does", "Doesn't");
    std::fs::write(&text, changed).unwrap();
    fixture.tamper("hash", |manifest| {
        manifest["outputs"]["functions.py"] = json!("00");
    });
    fixture.tamper("list", |manifest| {
        manifest["functions"][0]["name"] = json!("get_other");
    });
    fixture.tamper("version", |manifest| {
        manifest["manifest_version"] = json!(2);
    });
    fixture.compile("writes", &[("drop_it", "DELETE")]);
    fixture.tamper("writes", |manifest| manifest["read_only"] = json!(true));

    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let page = runtime.list_servers(None).await.unwrap();
    let served: Vec<_> = page.servers.iter().map(|server| &server.name).collect();
    assert_eq!(served, ["pets"]);
    let refused: Vec<_> = page
        .refused
        .iter()
        .map(|server| server.name.as_str())
        .collect();
    assert_eq!(refused, ["hash", "list", "text", "version", "writes"]);
    for server in &page.refused {
        assert!(server.reason.contains("mce compile"), "{server:?}");
    }

    let result = runtime
        .execute(code(
            "from writes.functions import drop_it\ndrop_it(pet_id=1)",
        ))
        .await;
    assert_eq!(result.error_type, Some(ErrorType::Security));
    assert!(result.error.unwrap().contains("`writes` is refused"));
    assert!(sandbox.jobs.lock().unwrap().is_empty());
    assert!(runtime.execute(code(USES_PETS)).await.success);

    // Compiling again mends it without a restart.
    fixture.compile("text", &[("get_it", "GET")]);
    assert_eq!(runtime.list_servers(None).await.unwrap().servers.len(), 2);
}

#[tokio::test]
async fn only_servers_of_the_config_are_served() {
    let mut fixture = Fixture::new();
    fixture.compile("extra", &[("get_it", "GET")]);
    fixture.config = Some(Config {
        servers: ["pets", "absent"]
            .map(|name| ServerConfig {
                name: name.to_owned(),
                is_read_only: true,
                ..ServerConfig::default()
            })
            .to_vec(),
        ..Config::default()
    });
    let mut settings = Settings::clone(&fixture.settings());
    let names = |settings: &Settings, config| {
        let registry = registry::Registry::find(settings, config, load::check);
        registry.names().map(str::to_owned).collect::<Vec<_>>()
    };
    let config = fixture.config.as_ref();
    // The folder was chosen (by the fixture) and the config was not: all of the folder.
    assert_eq!(names(&settings, config), ["extra", "pets"]);
    assert_eq!(names(&settings, None), ["extra", "pets"]);
    settings.swagger_config_file = Some(fixture.path("swaggers.yaml"));
    assert_eq!(names(&settings, config), ["absent", "pets"]);
    let registry = registry::Registry::find(&settings, config, load::check);
    let absent = registry.server("absent").await.unwrap().unwrap_err();
    assert!(absent.reason.contains("run `mce compile`"), "{absent:?}");
    let pets = registry.server("pets").await.unwrap().unwrap();
    assert!(pets.target.read_only, "config or manifest");
}

#[tokio::test]
async fn one_function_can_be_called_without_code() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let call = |server: &str, function: &str| CallRequest {
        server: server.to_owned(),
        function: function.to_owned(),
        arguments: Arguments::new(),
        content_type: None,
        principal: "ada".to_owned(),
    };
    let result = runtime.call(call("pets", "get_pet")).await;
    assert_eq!(result.data, Some(json!({"id": 7, "echo": "[redacted]"})));
    assert_eq!(result.calls.len(), 1);
    let result = runtime.call(call("pets", "get_pets")).await;
    assert_eq!(result.error_type, Some(ErrorType::Validation));
    assert!(result.hint.unwrap().contains("`get_pet`"));
    let result = runtime.call(call("pet", "get_pet")).await;
    assert_eq!(result.error.as_deref(), Some("there is no server `pet`"));
    assert_eq!(result.hint.as_deref(), Some("did you mean `pets`?"));
}

#[tokio::test]
async fn functions_are_shown_with_types_import_and_example() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let answer = runtime
        .get_functions(&[
            FunctionName::Dotted("pets.get_pet".to_owned()),
            FunctionName::Dotted("pets.pet_get".to_owned()),
            FunctionName::Dotted("cats.get_pet".to_owned()),
            FunctionName::Dotted("get_pet".to_owned()),
        ])
        .await;
    let FunctionAnswer::Found(detail) = &answer.functions[0] else {
        panic!("{answer:?}");
    };
    assert_eq!(detail.import, "from pets.functions import get_pet");
    assert_eq!(
        detail.source,
        "class Pet(TypedDict, total=False):\n    \"\"\"A pet.\"\"\"\n\n    id: int\n\n\
         def get_pet(*, pet_id: int) -> Pet:\n    \"\"\"Does get_pet.\"\"\""
    );
    let problems: Vec<_> = answer.functions[1..]
        .iter()
        .map(|answer| match answer {
            FunctionAnswer::Problem(problem) => (problem.error.as_str(), problem.nearest.clone()),
            FunctionAnswer::Found(_) => panic!("{answer:?}"),
        })
        .collect();
    assert_eq!(problems[0].0, "there is no such function");
    assert_eq!(problems[0].1[0], "pets.get_pet");
    assert_eq!(problems[1].0, "there is no such server");
    assert_eq!(problems[2].0, "a function is named `server.function`");
}

#[tokio::test]
async fn servers_come_in_pages_and_functions_inline_while_few() {
    let fixture = Fixture::new();
    for n in 0..24 {
        fixture.compile(&format!("s{n:02}"), &[("get_a", "GET"), ("get_b", "GET")]);
    }
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let first = runtime.list_servers(None).await.unwrap();
    assert_eq!(first.servers.len(), 20);
    assert_eq!(first.servers[0].name, "pets");
    assert_eq!(first.servers[0].description, "All about pets.");
    assert_eq!(
        first.servers[0].functions[0],
        InlineFunction::Described {
            name: "get_pet".to_owned(),
            summary: "Does get_pet.".to_owned()
        }
    );
    let second = runtime.list_servers(first.next_cursor.as_deref());
    let second = second.await.unwrap();
    let names: Vec<_> = second.servers.iter().map(|server| &server.name).collect();
    assert_eq!(names, ["s19", "s20", "s21", "s22", "s23"]);
    assert_eq!(second.next_cursor, None);
}

/// It used to give the first page, so that a client that spoilt its cursor never came to an end.
#[tokio::test]
async fn a_cursor_that_no_page_gave_is_an_error() {
    let (runtime, _) = Fixture::new().runtime(|_, _| async { returned(json!(1)) });
    for odd in ["no cursor", "", "AAAA", "_w"] {
        let error = runtime.list_servers(Some(odd)).await.unwrap_err();
        assert!(error.to_string().starts_with("`cursor` is no"), "{odd}");
    }
}

#[tokio::test]
async fn many_functions_are_listed_by_name_within_a_budget() {
    let fixture = Fixture::new();
    let names: Vec<String> = (0..500).map(|n| format!("get_number_{n}")).collect();
    let functions: Vec<_> = names.iter().map(|name| (name.as_str(), "GET")).collect();
    fixture.compile("numbers", &functions);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let page = runtime.list_servers(None).await.unwrap();
    assert_eq!(page.servers[0].function_count, 500);
    let listed = page.servers[0].functions.len();
    assert!((50..500).contains(&listed), "{listed}");
    assert_eq!(page.servers[1].functions.len(), 2);
    assert!(serde_json::to_string(&page).unwrap().len() < 6_000);
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

/// `mce call` printed whatever an API sent, however long.
#[tokio::test]
async fn a_call_without_code_is_held_to_the_output_limit() {
    let call = CallRequest {
        server: "pets".to_owned(),
        function: "get_pet".to_owned(),
        arguments: Arguments::from_iter([(
            "pet_id".to_owned(),
            crate::wire::Value::String("x".repeat(2_000)),
        )]),
        content_type: None,
        principal: "ada".to_owned(),
    };
    let fixture = Fixture::new().set("MCE_MAX_INLINE_BYTES", 1024);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let whole = runtime.call(call.clone()).await;
    assert_eq!(whole.data.unwrap()["given"].as_array().unwrap().len(), 1);
    assert!(!whole.truncated);

    let fixture = Fixture::new().set("MCE_MAX_OUTPUT_SIZE_BYTES", 1024);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let result = runtime.call(call).await;
    assert_eq!(result.error_type, Some(ErrorType::OutputLimit));
    assert_eq!(result.data, None);
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
