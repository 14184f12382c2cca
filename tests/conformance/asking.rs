//! Tools that need something of the client first, as servers ask for it since 2026-07-28: the answer says
//! what is needed, and the client calls again with it.

use rmcp::model::{CallToolRequestParams, ErrorData};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::Context;
use crate::fixtures::text;
use crate::tools::{elicitation, sampling};

pub(crate) const PROMPT: &str = "test_input_required_result_prompt";

pub(crate) const TOOLS: &[&str] = &[
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
];

pub(crate) enum Answer {
    Complete(Value),
    Asked(Value),
}

pub(crate) fn asks(tool: &str) -> bool {
    TOOLS.contains(&tool)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "`json!` as an argument reads better"
)]
fn asked(requests: Value, state: Option<&str>) -> Answer {
    let mut answer = json!({"resultType": "input_required", "inputRequests": requests});
    if let (Some(state), Some(answer)) = (state, answer.as_object_mut()) {
        answer.insert("requestState".to_owned(), json!(sealed(state)));
    }
    Answer::Asked(answer)
}

fn wanted(message: &str, name: &str, kind: &str) -> Value {
    let properties = Value::Object(
        [(name.to_owned(), json!({"type": kind}))]
            .into_iter()
            .collect(),
    );
    elicitation(&json!(message), &properties, &json!([name]))
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}

pub(crate) fn prompt() -> Value {
    let context = wanted("What context should the prompt use?", "context", "string");
    json!({"resultType": "input_required", "inputRequests": {"user_context": context}})
}

/// A state that nobody else can make.
fn sealed(state: &str) -> String {
    // One run of the suite is all that it has to outlive.
    let seal = Sha256::digest(format!("fixture:{}:{state}", std::process::id()));
    format!("{state}.{}", hex::encode(seal))
}

/// What a request has as its state, if it is one of this server's.
fn state(request: &CallToolRequestParams) -> Result<Option<&str>, ErrorData> {
    let Some(given) = request.request_state.as_deref() else {
        return Ok(None);
    };
    let state = given.rsplit_once('.').map(|(state, _)| state);
    match state.filter(|state| sealed(state) == given) {
        Some(state) => Ok(Some(state)),
        None => Err(ErrorData::invalid_params(
            "`requestState` is none that was given",
            None,
        )),
    }
}

pub(crate) fn call(
    request: &CallToolRequestParams,
    context: &Context,
) -> Result<Answer, ErrorData> {
    let given = |name: &str| request.input_responses.as_ref().and_then(|it| it.get(name));
    let told = |name: &str, member: &str| {
        let value = given(name)?.get("content")?.get(member)?;
        value.as_str().map(str::to_owned)
    };
    let name = || told("user_name", "name");
    let name_wanted = || wanted("What is your name?", "name", "string");
    let state = state(request)?;
    let complete = |said: &str| Ok(Answer::Complete(text(said)));
    match request.name.as_ref() {
        "test_input_required_result_elicitation" => match name() {
            Some(name) => complete(&format!("Hello, {name}!")),
            None => Ok(asked(json!({"user_name": name_wanted()}), None)),
        },
        "test_input_required_result_sampling" => {
            if let Some(answer) = given("capital_question") {
                let said = answer.pointer("/content/text").and_then(Value::as_str);
                return complete(said.unwrap_or_default());
            }
            let question = sampling(&json!("What is the capital of France?"), 100);
            Ok(asked(json!({"capital_question": question}), None))
        }
        "test_input_required_result_list_roots" => match given("client_roots") {
            Some(roots) => complete(&format!("The roots are {roots}")),
            None => Ok(asked(json!({"client_roots": roots()}), None)),
        },
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => {
            if given("confirm").is_some() && state.is_some() {
                return complete("state-ok");
            }
            let confirm = wanted("Please confirm", "ok", "boolean");
            Ok(asked(json!({"confirm": confirm}), Some("confirm")))
        }
        "test_input_required_result_multiple_inputs" => {
            let all = ["user_name", "greeting", "client_roots"];
            if state.is_some() && all.iter().all(|name| given(name).is_some()) {
                return complete("All of it was given");
            }
            let requests = json!({
                "user_name": name_wanted(),
                "greeting": sampling(&json!("Generate a greeting"), 50),
                "client_roots": roots()
            });
            Ok(asked(requests, Some("multiple")))
        }
        "test_input_required_result_multi_round" => match state {
            Some("round-2") if given("step2").is_some() => complete("Both steps are done"),
            Some("round-1") if given("step1").is_some() => {
                let step = wanted("Step 2: What is your favorite color?", "color", "string");
                Ok(asked(json!({"step2": step}), Some("round-2")))
            }
            _ => {
                let step = wanted("Step 1: What is your name?", "name", "string");
                Ok(asked(json!({"step1": step}), Some("round-1")))
            }
        },
        _ => {
            let able = context.client_capabilities().unwrap_or_default();
            let mut requests = serde_json::Map::new();
            if able.elicitation.is_some() {
                requests.insert("user_name".to_owned(), name_wanted());
            }
            if able.sampling.is_some() {
                requests.insert(
                    "greeting".to_owned(),
                    sampling(&json!("Generate a greeting"), 50),
                );
            }
            if able.roots.is_some() {
                requests.insert("client_roots".to_owned(), roots());
            }
            if requests.is_empty() || request.input_responses.is_some() {
                return complete("Nothing more is needed");
            }
            Ok(asked(Value::Object(requests), None))
        }
    }
}
