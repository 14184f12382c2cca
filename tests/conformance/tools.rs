//! Tools that answer at once, or after they told or asked their client something.

use std::time::Duration;

use rmcp::model::{CallToolRequestParams, ErrorData, ServerNotification, ServerRequest};
use serde_json::{Value, json};

use crate::fixtures::{PNG, WAV, text};
use crate::{Context, typed};

const PAUSE: Duration = Duration::from_millis(50);

/// The answer of a tool that always gives the same one.
fn fixed(name: &str) -> Option<Value> {
    Some(match name {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => {
            json!({"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]})
        }
        "test_audio_content" => {
            json!({"content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}]})
        }
        "test_embedded_resource" => json!({"content": [{"type": "resource", "resource": {
            "uri": "test://embedded-resource", "mimeType": "text/plain",
            "text": "This is an embedded resource content."
        }}]}),
        "test_multiple_content_types" => json!({"content": [
            {"type": "text", "text": "Multiple content types test:"},
            {"type": "image", "data": PNG, "mimeType": "image/png"},
            {"type": "resource", "resource": {
                "uri": "test://mixed-content-resource", "mimeType": "application/json",
                "text": "{\"test\":\"data\",\"value\":123}"
            }}
        ]}),
        "test_error_handling" => json!({
            "isError": true,
            "content": [{"type": "text", "text": "This tool intentionally returns an error for testing"}]
        }),
        _ => return None,
    })
}

pub(crate) async fn call(
    request: &CallToolRequestParams,
    context: &Context,
) -> Result<Value, ErrorData> {
    if let Some(answer) = fixed(&request.name) {
        return Ok(answer);
    }
    let arguments = request.arguments.as_ref();
    let argument = |name: &str| {
        arguments
            .and_then(|it| it.get(name))
            .cloned()
            .unwrap_or_default()
    };
    Ok(match request.name.as_ref() {
        "test_tool_with_logging" => {
            for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                log(context, line).await?;
                tokio::time::sleep(PAUSE).await;
            }
            text("The tool logged three lines")
        }
        // Of 2026-07-28: nothing is logged for who did not ask for it.
        "test_logging_tool" => {
            if context.meta.log_level().is_some() {
                log(context, "The tool was called").await?;
            }
            text("The tool logs what it is asked to")
        }
        "test_tool_with_progress" => {
            for progress in [0, 50, 100] {
                report(context, progress).await?;
                tokio::time::sleep(PAUSE).await;
            }
            text("The tool reported its progress")
        }
        "test_sampling" => {
            let answer = ask(context, sampling(&argument("prompt"), 100)).await?;
            let said = answer.pointer("/content/text").and_then(Value::as_str);
            text(&format!("LLM response: {}", said.unwrap_or_default()))
        }
        "test_elicitation" => {
            let properties = json!({
                "username": {"type": "string", "description": "User's response"},
                "email": {"type": "string", "description": "User's email address"}
            });
            let required = json!(["username", "email"]);
            let asked = elicitation(&argument("message"), &properties, &required);
            text(&format!("User response: {}", ask(context, asked).await?))
        }
        "test_elicitation_sep1034_defaults" => elicited(context, &json!({
            "name": {"type": "string", "default": "John Doe"},
            "age": {"type": "integer", "default": 30},
            "score": {"type": "number", "default": 95.5},
            "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
            "verified": {"type": "boolean", "default": true}
        })).await?,
        "test_elicitation_sep1330_enums" => {
            let titled = |noun: &str| json!([
                {"const": "value1", "title": format!("First {noun}")},
                {"const": "value2", "title": format!("Second {noun}")},
                {"const": "value3", "title": format!("Third {noun}")}
            ]);
            let options = ["option1", "option2", "option3"];
            elicited(context, &json!({
                "untitledSingle": {"type": "string", "enum": options},
                "titledSingle": {"type": "string", "oneOf": titled("Option")},
                "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
                               "enumNames": ["Option One", "Option Two", "Option Three"]},
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
                "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}}
            })).await?
        }
        "test_missing_capability" => {
            let needed = json!({"sampling": {}});
            if context.client_capabilities().is_none_or(|it| it.sampling.is_none()) {
                return Err(ErrorData::missing_required_client_capability(typed(needed)?));
            }
            text("The client can sample")
        }
        "test_streaming_elicitation" | "test_reconnection" => text("Nothing had to be asked"),
        "test_custom_headers" | "json_schema_2020_12_tool" => {
            text(&format!("Called with {}", json!(arguments)))
        }
        unknown => {
            let message = format!("there is no tool `{unknown}`");
            return Err(ErrorData::invalid_params(message, None));
        }
    })
}

pub(crate) fn sampling(prompt: &Value, most: u32) -> Value {
    json!({"method": "sampling/createMessage", "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}],
        "maxTokens": most
    }})
}

pub(crate) fn elicitation(message: &Value, properties: &Value, required: &Value) -> Value {
    json!({"method": "elicitation/create", "params": {
        "message": message,
        "requestedSchema": {"type": "object", "properties": properties, "required": required}
    }})
}

async fn elicited(context: &Context, properties: &Value) -> Result<Value, ErrorData> {
    let asked = elicitation(&json!("Please fill this in"), properties, &json!([]));
    let answer = ask(context, asked).await?;
    let action = answer
        .get("action")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let given = answer.get("content").cloned().unwrap_or_default();
    Ok(text(&format!(
        "Elicitation completed: action={action}, content={given}"
    )))
}

/// Asks the client, as servers could before 2026-07-28.
async fn ask(context: &Context, request: Value) -> Result<Value, ErrorData> {
    let request: ServerRequest = typed(request)?;
    let answer = context.peer.send_request(request).await;
    let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    serde_json::to_value(answer).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

async fn log(context: &Context, line: &str) -> Result<(), ErrorData> {
    tell(
        context,
        json!({"method": "notifications/message", "params": {
            "level": "info", "logger": "fixture", "data": line
        }}),
    )
    .await
}

async fn report(context: &Context, progress: u32) -> Result<(), ErrorData> {
    let Some(token) = context.meta.get_progress_token() else {
        return Ok(());
    };
    tell(
        context,
        json!({"method": "notifications/progress", "params": {
            "progressToken": token, "progress": progress, "total": 100
        }}),
    )
    .await
}

async fn tell(context: &Context, notification: Value) -> Result<(), ErrorData> {
    let notification: ServerNotification = typed(notification)?;
    let told = context.peer.send_notification(notification).await;
    told.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
