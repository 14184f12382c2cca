//! The tools: names, descriptions, schemas. Their size does not depend on what is compiled.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

pub(super) const LIST_SERVERS: &str = "list_servers";
pub(super) const GET_FUNCTIONS: &str = "get_functions";
pub(super) const EXECUTE_CODE: &str = "execute_code";
pub(super) const RUN_CACHED_CODE: &str = "run_cached_code";
pub(super) const END_SESSION: &str = "end_session";

/// Every tool, in the order of their use.
pub(super) fn all() -> Vec<Tool> {
    vec![
        tool(
            reads,
            LIST_SERVERS,
            "List servers",
            "The API servers, what they are for and their functions. Start here.",
            json!({
                "cursor": {"type": "string", "description": "`next_cursor` of the page before"}
            }),
            &[],
        ),
        tool(
            reads,
            GET_FUNCTIONS,
            "Get functions",
            "Signature, types, documentation and import line of 1 to 5 functions. Read before calling them.",
            json!({
                "functions": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 5,
                    "items": {"anyOf": [
                        {"type": "string", "description": "`server.function`"},
                        {
                            "type": "object",
                            "properties": {
                                "server": {"type": "string"},
                                "function": {"type": "string"}
                            },
                            "required": ["server", "function"],
                            "additionalProperties": false
                        }
                    ]}
                }
            }),
            &["functions"],
        ),
        tool(
            runs,
            EXECUTE_CODE,
            "Execute code",
            "Run Python in a sandbox where it can call the functions it imports. Returns the value \
             of `main()`, `result` or the last expression, and a `cache_id` to run it again.",
            json!({
                "code": {
                    "type": "string",
                    "description": "e.g. from weather.functions import get_forecast\nCITY = \"Rome\"\ndef main():\n    return get_forecast(city=CITY)[\"daily\"]"
                },
                "description": {
                    "type": "string",
                    "description": "What it does, without the values of this run"
                },
                "timeout": timeout(),
                "session_id": session(),
                "dry_run": {
                    "type": "boolean",
                    "description": "Only check the code and tell what it would use"
                }
            }),
            &["code", "description"],
        ),
        tool(
            runs,
            RUN_CACHED_CODE,
            "Run cached code",
            "Run code again by its `cache_id`, with other values for its top-level literals.",
            json!({
                "cache_id": {"type": "string"},
                "params": {
                    "type": "object",
                    "description": "Name to JSON value, e.g. {\"CITY\": \"Oslo\"}"
                },
                "timeout": timeout(),
                "session_id": session()
            }),
            &["cache_id"],
        ),
        tool(
            ends,
            END_SESSION,
            "End session",
            "End a session that is not needed any more, and what runs in it.",
            json!({"session_id": {"type": "string"}}),
            &["session_id"],
        ),
    ]
}

fn session() -> Value {
    json!({
        "type": "string",
        "description": "`new` keeps names and imports; the result has the id for the next call"
    })
}

fn timeout() -> Value {
    json!({"type": "number", "exclusiveMinimum": 0, "description": "Seconds"})
}

/// What a tool does to the world, as clients may show it.
type Effect = fn(ToolAnnotations) -> ToolAnnotations;

/// It changes nothing and asks nobody.
fn reads(annotations: ToolAnnotations) -> ToolAnnotations {
    annotations
        .read_only(true)
        .idempotent(true)
        .open_world(false)
}

/// It gives up what the client has here.
fn ends(annotations: ToolAnnotations) -> ToolAnnotations {
    annotations
        .read_only(false)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
}

/// It runs code, which may do whatever the compiled functions do.
fn runs(annotations: ToolAnnotations) -> ToolAnnotations {
    annotations
        .read_only(false)
        .destructive(true)
        .idempotent(false)
        .open_world(true)
}

fn tool(
    effect: Effect,
    name: &'static str,
    title: &'static str,
    description: &'static str,
    properties: Value,
    required: &[&str],
) -> Tool {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    Tool::new(name, description, schema)
        .with_title(title)
        .with_annotations(effect(ToolAnnotations::with_title(title)))
}
