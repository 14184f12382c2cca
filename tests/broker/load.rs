//! Many calls at once: an API that says what it was asked, and executions that each must get
//! exactly their own answers. `benchmark.rs` takes its times with the same API and broker.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use mce::api::Function;
use mce::broker::{Broker, Limits, Scope};
use mce::config::Auth;
use mce::sandbox::{Call, CallError, Host};
use mce::wire::Value;
use serde_json::json;
use tokio::net::TcpListener;

use crate::fixture::{Setup, Shop, function, given, manifest, parameter, scope, template};

/// What every request has to bring along.
pub const TOKEN: &str = "canary-0123456789abcdef";

/// The operations of the API, so that choosing among them is part of a call.
const OPERATIONS: usize = 100;

/// Answers `/groups/{group}/items/{token}` with what was asked, `size` bytes of filling, the status
/// that was asked for, after so many milliseconds as were asked for.
pub async fn serve(listener: TcpListener) {
    let app = Router::new().route("/v1/groups/{group}/items/{token}", get(item));
    axum::serve(listener, app).await.unwrap();
}

#[derive(serde::Deserialize)]
struct Asked {
    label: String,
    size: usize,
    status: Option<u16>,
    wait: Option<u64>,
}

async fn item(
    Path((group, token)): Path<(String, String)>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Response {
    let authorization = headers.get(header::AUTHORIZATION);
    if authorization.is_none_or(|value| value.as_bytes() != format!("Bearer {TOKEN}").as_bytes()) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    if let Some(wait) = asked.wait {
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }
    // What is timed is the call, not the making of its answer.
    let rows = if asked.wait.is_none() && asked.size == LARGE {
        LARGE_ROWS.clone()
    } else {
        rows(&token, asked.size)
    };
    let mut body = json!({"group": group, "token": token, "label": asked.label}).to_string();
    body.truncate(body.len() - 1);
    let body = format!(r#"{body},"rows":{rows}}}"#);
    let status = StatusCode::from_u16(asked.status.unwrap_or(200)).unwrap();
    let content_type = [(header::CONTENT_TYPE, "application/json")];
    (status, content_type, body).into_response()
}

/// The bytes of a large answer.
pub const LARGE: usize = 1_000_000;

static LARGE_ROWS: LazyLock<String> = LazyLock::new(|| rows("row", LARGE));

/// JSON of about that many bytes, all of it marked.
fn rows(mark: &str, size: usize) -> String {
    let rows: Vec<_> = (0..size / 100)
        .map(|number| json!({"id": number, "name": format!("{mark}-{number:06}"), "price": 12.5, "tags": ["a", "b"], "note": "as answers have"}))
        .collect();
    serde_json::Value::from(rows).to_string()
}

/// The operation that is called, among others like it.
fn functions() -> Vec<Function> {
    let mut parameters = vec![
        parameter("group", "path", json!({"type": "str"})),
        parameter("token", "path", json!({"type": "str"})),
        parameter("label", "query", json!({"type": "str", "required": true})),
    ];
    for name in ["size", "status", "wait"] {
        parameters.push(parameter(
            name,
            "query",
            json!({"type": "int", "schema": {"type": "integer"}}),
        ));
    }
    let others = (1..OPERATIONS).map(|number| {
        let path = format!("/others{number}/{{group}}/items/{{token}}");
        function(
            &format!("get_other_{number}"),
            "GET",
            &path,
            parameters.get(..2).unwrap_or_default(),
            json!([{}]),
        )
    });
    let called = function(
        "get_item",
        "GET",
        "/groups/{group}/items/{token}",
        &parameters,
        json!([{}]),
    );
    others.chain([called]).collect()
}

/// A broker for the API at this address, with a token.
pub fn shop(address: &str, limits: Limits) -> Shop {
    let setup = Setup::new(manifest(functions(), &[]))
        .at(&format!("{address}/v1"))
        .variable("ITEMS_TOKEN", TOKEN)
        .auth(Auth::Jwt {
            token: template("${ITEMS_TOKEN}"),
        });
    Setup { limits, ..setup }.build()
}

/// A call of the operation.
pub fn call(arguments: serde_json::Value) -> Call {
    Call {
        server: "shop".into(),
        function: "get_item".into(),
        arguments: given(arguments),
        content_type: None,
    }
}

/// Executions of one broker at the same time, each with so many calls, all of them under way at once
/// as far as the broker lets them, and answers of up to so many bytes. Every answer is looked at; the number of right ones is returned.
pub async fn storm(broker: &Arc<Broker>, executions: usize, calls: usize, largest: usize) -> usize {
    let right = Arc::new(AtomicUsize::new(0));
    let mut running = Vec::new();
    for execution in 0..executions {
        let scope = Scope {
            execution_id: format!("e{execution}"),
            principal: format!("p{}", execution % 7),
            ..scope(&["shop"])
        };
        let host = broker.host(scope);
        for number in 0..calls {
            let (host, right) = (Arc::clone(&host), Arc::clone(&right));
            running.push(tokio::spawn(async move {
                one(&*host, execution, number, largest).await;
                right.fetch_add(1, Ordering::Relaxed);
            }));
        }
    }
    for task in running {
        task.await.unwrap();
    }
    right.load(Ordering::Relaxed)
}

/// One call, which must get its own answer: its path, its query, its status, all of its body.
async fn one(host: &dyn Host, execution: usize, number: usize, largest: usize) {
    let mark = execution * 1000 + number;
    let token = format!("token {mark}/é");
    let label = format!("label&{mark}=?");
    let group = format!("group {execution}");
    let size = [0, largest / 50, largest / 5, largest][mark % 4];
    let status = [200, 200, 404, 200, 503][mark % 5];
    let answer = host
        .perform(call(json!({
            "group": group, "token": token, "label": label, "size": size, "status": status, "wait": mark % 6,
        })))
        .await;
    let body = match answer {
        Ok(reply) if status == 200 => reply.value,
        Err(CallError::Api {
            status: found,
            body,
            ..
        }) => {
            assert_eq!(found, status, "{token}");
            body
        }
        other => panic!("{token}: {other:?}"),
    };
    let Value::Object(members) = body else {
        panic!("{token}: {body:?}");
    };
    for (name, wanted) in [("group", &group), ("token", &token), ("label", &label)] {
        assert_eq!(members[name], Value::String(wanted.clone()), "{token}");
    }
    let Value::Array(rows) = &members["rows"] else {
        panic!("{token}: {members:?}");
    };
    assert_eq!(rows.len(), size / 100, "{token}");
    if let Some(Value::Object(last)) = rows.last() {
        let wanted = format!("{token}-{:06}", rows.len() - 1);
        assert_eq!(last["name"], Value::String(wanted));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn no_answer_is_lost_or_mixed_up_among_many_executions() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let serving = tokio::spawn(serve(listener));
        // Four at once of each execution, so that a machine that lets a process have 1,024 files will do.
        let limits = Limits {
            max_concurrent_calls: 4,
            ..Limits::default()
        };
        let shop = shop(&address, limits);
        assert_eq!(storm(&shop.broker, 64, 50, 2_000).await, 64 * 50);
        let mut records = BTreeMap::new();
        for record in shop.records.take() {
            *records.entry(record.execution_id).or_insert(0) += 1;
        }
        assert_eq!(records.len(), 64, "{records:?}");
        assert!(records.values().all(|count| *count == 50), "{records:?}");
        serving.abort();
    }
}
