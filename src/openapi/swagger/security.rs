//! Security schemes.

use serde_json::{Map, Value, json};

/// A scheme as OpenAPI 3 writes it.
pub(in crate::openapi) fn scheme(members: &Map<String, Value>) -> Value {
    let mut raised = members.clone();
    match members.get("type").and_then(Value::as_str) {
        Some("basic") => return json!({"type": "http", "scheme": "basic"}),
        Some("oauth2") => {
            let flow = match members.get("flow").and_then(Value::as_str) {
                Some("application") => "clientCredentials",
                Some("accessCode") => "authorizationCode",
                Some(same @ ("implicit" | "password")) => same,
                _ => return Value::Object(raised),
            };
            raised.insert("flows".to_owned(), json!({flow: {}}));
        }
        _ => {}
    }
    Value::Object(raised)
}
