//! What there is, as it is on the wire.

use serde_json::{Value, json};

/// One red pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
/// A header and no sound.
pub(crate) const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

/// Tools without arguments.
const PLAIN: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_logging_tool",
    "test_error_handling",
    "test_tool_with_progress",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_reconnection",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
];

pub(crate) fn tools() -> Value {
    let plain = PLAIN.iter().chain(crate::asking::TOOLS);
    let mut tools: Vec<Value> = plain.map(|name| tool(name, &json!({}))).collect();
    tools.push(tool(
        "test_sampling",
        &json!({"prompt": {"type": "string"}}),
    ));
    tools.push(tool(
        "test_elicitation",
        &json!({"message": {"type": "string"}}),
    ));
    tools.push(tool(
        "test_custom_headers",
        &json!({"region": {"type": "string", "x-mcp-header": "Region"}}),
    ));
    tools.push(json!({
        "name": "json_schema_2020_12_tool",
        "description": "Tool with JSON Schema 2020-12 features",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {
                "$anchor": "addressDef", "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}}
            }},
            "properties": {
                "name": {"type": "string"},
                "address": {"$ref": "#/$defs/address"},
                "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                "phone": {"type": "string"},
                "email": {"type": "string"}
            },
            "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
            "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
            "then": {"required": ["phone"]},
            "else": {"required": ["email"]},
            "additionalProperties": false
        }
    }));
    Value::Array(tools)
}

fn tool(name: &str, properties: &Value) -> Value {
    json!({
        "name": name,
        "description": format!("The fixture {name}"),
        "inputSchema": {"type": "object", "properties": properties}
    })
}

pub(crate) fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

pub(crate) fn messages(text: &str) -> Value {
    json!({"messages": [{"role": "user", "content": {"type": "text", "text": text}}]})
}

pub(crate) fn prompts() -> Value {
    let argument = |name: &str| json!({"name": name, "description": name, "required": true});
    json!([
        {"name": "test_simple_prompt", "description": "A text"},
        {"name": "test_prompt_with_arguments", "description": "A text with arguments",
         "arguments": [argument("arg1"), argument("arg2")]},
        {"name": "test_prompt_with_embedded_resource", "description": "A resource",
         "arguments": [argument("resourceUri")]},
        {"name": "test_prompt_with_image", "description": "An image"},
        {"name": crate::asking::PROMPT, "description": "Asks first"},
    ])
}

pub(crate) fn prompt(name: &str, arguments: &Value) -> Option<Value> {
    let argument = |name: &str| {
        arguments
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let followed_by = |content: Value, text: &str| {
        json!({"messages": [
            {"role": "user", "content": content},
            {"role": "user", "content": {"type": "text", "text": text}}
        ]})
    };
    Some(match name {
        "test_simple_prompt" => messages("This is a simple prompt for testing."),
        "test_prompt_with_arguments" => messages(&format!(
            "Prompt with arguments: arg1='{}', arg2='{}'",
            argument("arg1"),
            argument("arg2")
        )),
        "test_prompt_with_embedded_resource" => followed_by(
            json!({"type": "resource", "resource": {
                "uri": argument("resourceUri"), "mimeType": "text/plain",
                "text": "Embedded resource content for testing."
            }}),
            "Please process the embedded resource above.",
        ),
        "test_prompt_with_image" => followed_by(
            json!({"type": "image", "data": PNG, "mimeType": "image/png"}),
            "Please analyze the image above.",
        ),
        _ => return None,
    })
}

pub(crate) fn resources() -> Value {
    let resource = |uri: &str, kind: &str| json!({"uri": uri, "name": uri, "description": "A fixture", "mimeType": kind});
    json!([
        resource("test://static-text", "text/plain"),
        resource("test://static-binary", "image/png"),
        resource("test://watched-resource", "text/plain"),
    ])
}

pub(crate) fn resource(uri: &str) -> Option<Value> {
    Some(match uri {
        "test://static-text" => json!({
            "uri": uri, "mimeType": "text/plain",
            "text": "This is the content of the static text resource."
        }),
        "test://static-binary" => json!({"uri": uri, "mimeType": "image/png", "blob": PNG}),
        "test://watched-resource" => {
            json!({"uri": uri, "mimeType": "text/plain", "text": "watched"})
        }
        _ => {
            let id = uri
                .strip_prefix("test://template/")?
                .strip_suffix("/data")?;
            let text =
                json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
            json!({"uri": uri, "mimeType": "application/json", "text": text.to_string()})
        }
    })
}
