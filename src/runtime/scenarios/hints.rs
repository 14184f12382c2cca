//! What a failure says is to be done.

use serde_json::json;

use super::USES_PETS;
use crate::runtime::fixture::{Fixture, code, failed, returned};
use crate::runtime::{ErrorType, SessionChoice};
use crate::sandbox::FailureKind;

/// The hint of code that fails with this error after it imported `get_pet` of `pets`.
async fn hint_of(kind: FailureKind, error: &'static str) -> String {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(move |_, _| async move { failed(kind, error) });
    let result = runtime.execute(code(USES_PETS)).await;
    result.hint.unwrap_or_default()
}

#[tokio::test]
async fn an_undefined_name_that_is_a_function_is_told_how_to_be_imported() {
    let hint = hint_of(
        FailureKind::Execution,
        "NameError: name 'find_pets' is not defined",
    );
    assert_eq!(
        hint.await,
        "`find_pets` is a function of `pets`: `from pets.functions import find_pets`"
    );
    let hint = hint_of(
        FailureKind::Execution,
        "NameError: name 'find_petts' is not defined",
    );
    assert_eq!(hint.await, "functions with names like it: `pets.find_pets`");
    let hint = hint_of(
        FailureKind::Execution,
        "NameError: name 'zzz' is not defined",
    );
    assert_eq!(hint.await, "");
}

#[tokio::test]
async fn wrong_arguments_are_answered_with_the_signature() {
    let hint = hint_of(
        FailureKind::Execution,
        "TypeError: get_pet() got an unexpected keyword argument 'id'",
    );
    assert_eq!(
        hint.await,
        "its signature: `def get_pet(*, pet_id: int) -> Pet`"
    );
    let hint = hint_of(
        FailureKind::Execution,
        "TypeError: other() got an unexpected keyword argument 'id'",
    );
    assert_eq!(hint.await, "");
}

#[tokio::test]
async fn a_module_that_is_missing_is_answered_with_those_that_are_there() {
    let hint = hint_of(
        FailureKind::Execution,
        "ModuleNotFoundError: No module named 'numpy'",
    );
    assert_eq!(
        hint.await,
        "the sandbox has the standard library and httpx, pydantic, orjson and, as \
         `SERVER.functions`, pets; the operator adds packages by `MCE_SANDBOX_PACKAGES`"
    );
}

#[tokio::test]
async fn the_same_failure_again_is_told_and_another_is_not() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async {
        failed(
            FailureKind::Execution,
            "ZeroDivisionError: division by zero",
        )
    });
    let first = runtime.execute(code("1 / 0")).await;
    assert_eq!(first.hint, None);
    let other = runtime.execute(code("2 / 0")).await;
    assert_eq!(other.hint, None);
    let second = runtime.execute(code("1 / 0")).await;
    let hint = second.hint.unwrap();
    assert!(
        hint.starts_with("the same failed in the same way before: "),
        "{hint}"
    );
}

#[tokio::test]
async fn what_was_cut_is_told_with_its_limit_beside_the_advice_on_the_failure() {
    let fixture = Fixture::new().set("MCE_MAX_INLINE_BYTES", 2_048);
    let (runtime, _) = fixture.runtime(|_, _| async {
        let mut outcome = failed(
            FailureKind::Execution,
            "NameError: name 'find_pets' is not defined",
        );
        outcome.prints = format!("begun\n{}ended\n", "x\n".repeat(5_000));
        outcome
    });
    let result = runtime.execute(code(USES_PETS)).await;
    assert!(result.prints.starts_with("begun\n") && result.prints.ends_with("ended\n"));
    let hint = result.hint.unwrap();
    assert!(
        hint.contains("of `prints` only the ends are shown"),
        "{hint}"
    );
    assert!(
        hint.contains("`MCE_MAX_INLINE_BYTES`, 2048 bytes"),
        "{hint}"
    );
    assert!(
        hint.contains("from pets.functions import find_pets"),
        "{hint}"
    );
    assert!(result.truncated);
}

#[tokio::test]
async fn output_that_the_sandbox_cut_names_its_limit() {
    let fixture = Fixture::new();
    let (runtime, _) = fixture.runtime(|_, _| async {
        let mut outcome = returned(json!(1));
        outcome.truncated = true;
        outcome
    });
    let hint = runtime.execute(code("1")).await.hint.unwrap();
    assert_eq!(
        hint,
        "the output is cut at `MCE_MAX_OUTPUT_SIZE_BYTES` (1048576 bytes): print less"
    );
}

#[tokio::test]
async fn a_dry_run_says_which_functions_may_change_something() {
    let fixture = Fixture::new();
    fixture.compile("pets", &[("get_pet", "GET"), ("drop_pet", "DELETE")]);
    let (runtime, _) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let mut request = code(
        "from pets.functions import get_pet, drop_pet\nget_pet(pet_id=1)\ndrop_pet(pet_id=1)\n",
    );
    request.dry_run = true;
    let facts = runtime.execute(request).await.facts.unwrap();
    assert_eq!(facts.functions, ["pets.drop_pet", "pets.get_pet"]);
    assert_eq!(facts.mutating, ["pets.drop_pet"]);
}

#[tokio::test]
async fn a_call_that_is_awaited_though_it_gives_its_value_is_refused_before_it_is_made() {
    let fixture = Fixture::new();
    let (runtime, sandbox) = fixture.runtime(|_, _| async { returned(json!(1)) });
    let result = runtime
        .execute(code(
            "from pets.functions import get_pet\n\nawait get_pet(pet_id=1)",
        ))
        .await;
    assert_eq!(result.error_type, Some(ErrorType::Validation));
    assert_eq!(
        result.error.as_deref(),
        Some("line 3: `get_pet(...)` gives its value at once and cannot be awaited")
    );
    assert_eq!(
        result.hint.as_deref(),
        Some("leave out `await`, or await `get_pet.aio(...)`; nothing was called")
    );

    // The import is of earlier code, the line of this one.
    let mut first = code("from pets.functions import find_pets\nfind_pets.items");
    first.session = Some(SessionChoice::New);
    let session = runtime.execute(first).await.session_id.unwrap();
    let mut second = code("x = 1\nasync for pet in find_pets.items():\n    x = pet");
    second.session = Some(SessionChoice::Existing(session));
    let result = runtime.execute(second).await;
    assert_eq!(
        result.error.as_deref(),
        Some("line 2: `find_pets.items(...)` is for `for`, not for `async for`")
    );
    assert_eq!(sandbox.jobs.lock().unwrap().len(), 1);
}
