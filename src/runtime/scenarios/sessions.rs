//! Sessions: who may use one, what the guard and the host know of it, and when it is over.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::runtime::fixture::{Fixture, code, failed, returned};
use crate::runtime::*;
use crate::sandbox::FailureKind;
use crate::wire::Arguments;

fn fixture(pairs: &[(&str, &str)]) -> Fixture {
    let mut fixture = Fixture::new();
    let pairs = pairs.iter();
    let pairs = pairs.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    fixture.variables.extend(pairs);
    fixture
}

fn in_session(text: &str, id: &str) -> ExecuteRequest {
    let session = match id {
        "new" => SessionChoice::New,
        id => SessionChoice::Existing(id.to_owned()),
    };
    ExecuteRequest {
        session: Some(session),
        ..code(text)
    }
}

/// A runtime whose code always ends well, and a session in it.
async fn opened(fixture: &Fixture) -> (Arc<Runtime>, String) {
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let result = runtime.execute(in_session("x = 1", "new")).await;
    assert!(result.success, "{result:?}");
    let id = result.session_id.unwrap();
    assert_eq!(id.len(), 32);
    (runtime, id)
}

#[tokio::test]
async fn a_session_goes_on_and_only_its_first_code_is_cached() {
    let fixture = Fixture::new();
    let (runtime, id) = opened(&fixture).await;
    let result = runtime.execute(in_session("x", &id)).await;
    assert_eq!(result.session_id.as_ref(), Some(&id));
    assert_eq!(result.cache_id, None);
    let alone = runtime.execute(code("1")).await;
    assert_eq!((alone.session_id, alone.cache_id.is_some()), (None, true));
}

#[tokio::test]
async fn foreign_unknown_and_ended_sessions_look_alike() {
    let fixture = Fixture::new();
    let (runtime, id) = opened(&fixture).await;
    let foreign = ExecuteRequest {
        principal: "bob".to_owned(),
        ..in_session("x", &id)
    };
    let mut said = vec![
        runtime.execute(foreign).await,
        runtime.execute(in_session("x", &"0".repeat(32))).await,
        *runtime.end_session("bob", &id).unwrap_err(),
    ];
    runtime.end_session("ada", &id).unwrap();
    said.push(runtime.execute(in_session("x", &id)).await);
    said.push(*runtime.end_session("ada", &id).unwrap_err());
    for result in said {
        assert_eq!(result.error_type, Some(ErrorType::Validation), "{result:?}");
        let error = result.error.unwrap();
        assert!(
            error.starts_with("no session has the id `")
                && error.ends_with("`: it ended, or it never was"),
            "{error}"
        );
    }
}

/// What earlier code imported can be called, and its modules are those of all of it.
#[tokio::test]
async fn imports_accumulate() {
    let fixture = Fixture::new();
    let (runtime, sandbox) = fixture.runtime(|_, host| async move {
        let call = host.call("pets", "get_pet", Arguments::new()).await;
        returned(json!(call.is_ok()))
    });
    let first = runtime
        .execute(in_session("from pets.functions import get_pet", "new"))
        .await;
    let id = first.session_id.unwrap();
    let second = runtime
        .execute(in_session(
            "from pets.functions import find_pets\nget_pet(pet_id=1)",
            &id,
        ))
        .await;
    assert_eq!(second.data, Some(json!(true)), "{second:?}");
    let job = sandbox.jobs.lock().unwrap().remove(1);
    let module = &job.modules[1];
    assert_eq!(module.name, "pets.functions");
    assert!(module.source.contains("def get_pet(") && module.source.contains("def find_pets("));
}

/// The guard judged each text alone: an alias of a module had another text to hide in.
#[tokio::test]
async fn later_code_is_judged_with_what_was_before_it() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let first = runtime
        .execute(in_session("import json as j\n_kept = 1", "new"))
        .await;
    let id = first.session_id.unwrap();
    let result = runtime.execute(in_session("x = 1\nj.codecs", &id)).await;
    assert_eq!(result.error_type, Some(ErrorType::Security), "{result:?}");
    assert_eq!(
        (result.violations[0].line, result.violations[0].column),
        (2, 3)
    );
    // The refusal cost nothing, and a name of its own may be used.
    let result = runtime.execute(in_session("_kept + 1", &id)).await;
    assert!(result.success, "{result:?}");
}

/// What a piece that broke off would have bound counted as bound in the next one.
#[tokio::test]
async fn nothing_of_earlier_code_is_certain_in_later_code() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    for (first, second, text) in [
        ("1 / 0\ndef eval(x):\n    return x", "eval('1')", "eval"),
        ("raise SystemExit\neval = print", "eval('1')", "eval"),
        (
            "import json as m\n1 / 0\nimport math as m",
            "m.codecs",
            "codecs",
        ),
        ("import json as m", "import math as m\nm.codecs", "codecs"),
    ] {
        let opened = runtime.execute(in_session(first, "new")).await;
        let id = opened.session_id.unwrap();
        let result = runtime.execute(in_session(second, &id)).await;
        let texts: Vec<_> = result
            .violations
            .iter()
            .map(|it| it.text.as_str())
            .collect();
        assert_eq!(texts, [text], "{second}: {result:?}");
        runtime.end_session("ada", &id).unwrap();
    }
}

#[tokio::test]
async fn an_execution_that_takes_its_sandbox_along_ends_the_session() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|job, _| async move {
        if job.code.contains("loop") {
            failed(FailureKind::Timeout, "too long")
        } else {
            returned(json!(1))
        }
    });
    let first = runtime.execute(in_session("x = 1", "new")).await;
    let id = first.session_id.unwrap();
    let result = runtime.execute(in_session("loop = 1", &id)).await;
    assert_eq!(result.error_type, Some(ErrorType::Timeout));
    assert_eq!(result.session_id, None);
    assert_eq!(
        result.hint.as_deref(),
        Some("the session ended with it: open a new one")
    );
    let result = runtime.execute(in_session("x", &id)).await;
    assert_eq!(result.error_type, Some(ErrorType::Validation));
}

#[tokio::test]
async fn one_execution_at_a_time_runs_in_a_session_and_ending_it_ends_that_one() {
    let fixture = fixture(&[("MCE_QUEUE_SECONDS", "0.05")]);
    let (runtime, _) = fixture.runtime(|job, _| async move {
        if job.code.contains("wait") {
            std::future::pending::<()>().await;
        }
        returned(json!(1))
    });
    let first = runtime.execute(in_session("x = 1", "new")).await;
    let id = first.session_id.unwrap();
    let running = tokio::spawn({
        let (runtime, id) = (Arc::clone(&runtime), id.clone());
        async move { runtime.execute(in_session("wait = 1", &id)).await }
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let result = runtime.execute(in_session("x", &id)).await;
    assert_eq!(result.error_type, Some(ErrorType::Busy), "{result:?}");
    runtime.end_session("ada", &id).unwrap();
    let result = running.await.unwrap();
    assert_eq!(result.error_type, Some(ErrorType::Cancelled));
    assert_eq!(result.error.as_deref(), Some("the session was ended"));
}

#[tokio::test]
async fn a_principal_has_at_most_half_of_the_sessions() {
    let fixture = fixture(&[("MCE_MAX_SESSIONS", "3")]);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    for _ in 0..2 {
        assert!(runtime.execute(in_session("1", "new")).await.success);
    }
    let result = runtime.execute(in_session("1", "new")).await;
    assert_eq!(result.error_type, Some(ErrorType::Busy));
    assert_eq!(
        result.error.as_deref(),
        Some(
            "no more sessions may be open (3, half of them of one caller: `MCE_MAX_SESSIONS`; yours: 2)"
        )
    );
    let other = |text: &str| ExecuteRequest {
        principal: "bob".to_owned(),
        ..in_session(text, "new")
    };
    assert!(runtime.execute(other("1")).await.success);
    let result = runtime.execute(other("1")).await;
    assert_eq!(result.error_type, Some(ErrorType::Busy));
    // Code that the guard refuses opens none.
    runtime.end_session("bob", "0").unwrap_err();
}

#[tokio::test]
async fn code_that_is_refused_opens_no_session() {
    let fixture = fixture(&[("MCE_MAX_SESSIONS", "1")]);
    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let refused = runtime.execute(in_session("import os", "new")).await;
    assert_eq!(refused.error_type, Some(ErrorType::Security));
    let dry = ExecuteRequest {
        dry_run: true,
        ..in_session("1", "new")
    };
    assert_eq!(runtime.execute(dry).await.session_id, None);
    assert!(sandbox.jobs.lock().unwrap().is_empty());
    assert!(runtime.execute(in_session("1", "new")).await.success);
}

#[tokio::test]
async fn an_idle_session_and_an_old_one_end() {
    for variable in ["MCE_SESSION_IDLE_SECONDS", "MCE_SESSION_MAX_SECONDS"] {
        let fixture = fixture(&[(variable, "0.2")]);
        let (runtime, id) = opened(&fixture).await;
        assert!(runtime.execute(in_session("x", &id)).await.success);
        tokio::time::sleep(Duration::from_millis(500)).await;
        let result = runtime.execute(in_session("x", &id)).await;
        assert_eq!(result.error_type, Some(ErrorType::Validation), "{variable}");
    }
}
