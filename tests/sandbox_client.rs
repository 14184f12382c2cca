//! A compiled client inside a container: `mce_runtime.py` as it is, over the host channel.

mod sandbox_support;

use mce::compile::RUNTIME;
use mce::sandbox::{FailureKind, Job};
use sandbox_support::{Place, failure, job, kind, module, place_knowing, value};
use serde_json::json;

/// What the compiler writes for an API of these functions.
const FUNCTIONS: &str = r#"
from __future__ import annotations

from typing import Any
from mce_runtime import Api

_api = Api("pets", base_url_env="MCE_PETS_BASE_URL", auth_env="MCE_PETS_AUTH")


@_api.operation("GET", "/echo", query={"n": "form", "when": "form"}, responses={"200": "json"})
def echo(*, n: Any = None, when: Any = None) -> Any:
    """Echo."""
    ...


@_api.operation("POST", "/echo", body=("echo", "application/json"), responses={"200": "json"})
def slow(*, n: Any = None) -> Any:
    """Slow."""
    ...


@_api.operation("GET", "/api", responses={"200": "json"})
def api() -> Any:
    """Fails."""
    ...


@_api.operation("GET", "/egress", responses={"200": "json"})
def egress() -> Any:
    """Is refused."""
    ...


@_api.operation("GET", "/blob", query={"size": "form"}, responses={"200": "bytes"})
def blob(*, size: int) -> bytes:
    """Bytes."""
    ...
"#;

/// A sandbox as `mce serve` has it.
async fn place() -> Place {
    place_knowing(vec![module("mce_runtime", RUNTIME)]).await
}

fn client(code: &str) -> Job {
    Job {
        modules: vec![
            module("mce_runtime", RUNTIME),
            module("pets.functions", FUNCTIONS),
        ],
        ..job(code)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_and_answers_pass_through_the_runtime() {
    let place = place().await;
    let code = r"
import asyncio, datetime, decimal
from pets.functions import api, blob, echo
from mce_runtime import ApiError, NULL

async def main():
    both = await asyncio.gather(echo.aio(n=1), echo.aio(n=2))
    try:
        api()
    except ApiError as error:
        caught = [error.status, error.body, error.headers]
    return [
        both,
        echo(n=decimal.Decimal('1.10'), when=datetime.date(2020, 1, 2)),
        echo(n=NULL, when=None),
        echo(n=2 ** 80),
        caught,
        blob(size=300)[248:254],
    ]
";
    let outcome = place.run_job(client(code)).await;
    let text = value(&outcome).to_string();
    let expected = concat!(
        r#"[[{"n":1},{"n":2}],{"n":1.1,"when":"2020-01-02"},{"n":null},"#,
        r#"{"n":1208925819614629174706176},[404,{"code":7},{"etag":"x"}],"+Pn6AAEC"]"#
    );
    assert_eq!(text, expected);
    place.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_that_nothing_catches_has_its_class() {
    let place = place().await;
    for (call, expected) in [
        ("api()", FailureKind::Api),
        ("egress()", FailureKind::Egress),
        ("echo(unknown=1)", FailureKind::Execution),
    ] {
        let code = format!("from pets.functions import api, echo, egress\n{call}\n");
        let outcome = place.run_job(client(&code)).await;
        assert_eq!(kind(&outcome), expected, "{outcome:?}");
        let traceback = failure(&outcome).traceback.as_deref().unwrap();
        assert!(
            traceback.contains(&format!("line 2, in <module>\n    {call}")),
            "{traceback}"
        );
        assert!(!traceback.contains("mce_runtime.py"), "{traceback}");
    }
    let outcome = place
        .run_job(client("import mce_runtime, pets.functions\n1"))
        .await;
    assert_eq!(value(&outcome), &json!(1));
    place.close().await;
}
