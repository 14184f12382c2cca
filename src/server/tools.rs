//! The tools: names, descriptions, schemas. Their size does not depend on what is compiled.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

pub(super) const LIST_SERVERS: &str = "list_servers";
pub(super) const SEARCH_FUNCTIONS: &str = "search_functions";
pub(super) const GET_FUNCTIONS: &str = "get_functions";
pub(super) const EXECUTE_CODE: &str = "execute_code";
pub(super) const RUN_CACHED_CODE: &str = "run_cached_code";
pub(super) const END_SESSION: &str = "end_session";

/// The names of all of them, which no promoted function may have.
pub(super) const NAMES: [&str; 6] = [
    LIST_SERVERS,
    SEARCH_FUNCTIONS,
    GET_FUNCTIONS,
    EXECUTE_CODE,
    RUN_CACHED_CODE,
    END_SESSION,
];

/// Every tool, in the order of their use. `most` is the longest time limit there is.
pub(super) fn all(most: Duration) -> Vec<Tool> {
    vec![
        tool(
            reads,
            LIST_SERVERS,
            "The API servers, what they are for, their functions and the hosts `httpx` may reach. \
             Start here.",
            json!({"cursor": {"type": "string", "description": "`next_cursor` of the page before"}}),
            &[],
            page_schema("servers", "array"),
        ),
        tool(
            reads,
            SEARCH_FUNCTIONS,
            "Find functions by what they do, by name or by path, best first.",
            json!({
                "query": {"type": "string", "description": "Words, a name, or a path"},
                "server": {"type": "string", "description": "In this server alone"},
                "tag": {"type": "string"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
                "detail": {"type": "boolean", "description": "With signatures"}
            }),
            &["query"],
            page_schema("functions", "array"),
        ),
        tool(
            reads,
            GET_FUNCTIONS,
            "Signature, types, documentation and import line of functions. Read before calling them.",
            json!({
                "functions": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 5,
                    "items": {
                        "anyOf": [{"type": "string"}, {"type": "object"}],
                        "description": "`server.function`, or {server, name}"
                    }
                },
                "types": {
                    "type": "array",
                    "maxItems": 10,
                    "items": {"type": "string"},
                    "description": "Names from `omitted_types`, to see them"
                }
            }),
            &[],
            page_schema("functions", "array"),
        ),
        tool(
            runs,
            EXECUTE_CODE,
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
                "timeout": timeout(most),
                "session_id": session(),
                "dry_run": {
                    "type": "boolean",
                    "description": "Only check the code and tell what it would use"
                }
            }),
            &["code", "description"],
            result_schema(),
        ),
        tool(
            runs,
            RUN_CACHED_CODE,
            "Run code again, with other values for its top-level literals.",
            json!({
                "cache_id": {
                    "type": "string",
                    "description": "Or words of its description, to find it"
                },
                "params": {
                    "type": "object",
                    "description": "Name to JSON value, e.g. {\"CITY\": \"Oslo\"}"
                },
                "timeout": timeout(most),
                "session_id": session()
            }),
            &["cache_id"],
            result_schema(),
        ),
        tool(
            ends,
            END_SESSION,
            "End a session that is not needed any more, and what runs in it.",
            json!({"session_id": {"type": "string"}}),
            &["session_id"],
            page_schema("ended", "boolean"),
        ),
    ]
}

fn session() -> Value {
    json!({
        "type": "string",
        "description": "`new` keeps names and imports; the result has the id for the next call"
    })
}

fn timeout(most: Duration) -> Value {
    json!({
        "type": "number",
        "exclusiveMinimum": 0,
        "description": format!("Seconds, at most {}", most.as_secs_f64())
    })
}

/// What an execution answers: the members that every client needs, and room for the others, which
/// `docs/tools.md` lists. Models read this with every session.
pub(super) fn result_schema() -> Arc<JsonObject> {
    schema_of(json!({
        "type": "object",
        "properties": {
            "success": {"type": "boolean"},
            "data": {"anyOf": [
                {"type": "object"}, {"type": "array"}, {"type": "string"},
                {"type": "number"}, {"type": "boolean"}, {"type": "null"}
            ]},
            "prints": {"type": "string"},
            "error": {"type": "string"},
            "error_type": {"type": "string"},
            "hint": {"type": "string"},
            "traceback": {"type": "string"},
            "session_id": {"type": "string"},
            "cache_id": {"type": "string"},
            "calls": {"type": "array"},
            "truncated": {"type": "boolean"},
            "resource": {"type": "object"}
        },
        "required": ["success"]
    }))
}

/// An answer of one member, or a failure in the form of an execution's.
fn page_schema(member: &str, kind: &str) -> Arc<JsonObject> {
    schema_of(json!({
        "type": "object",
        "properties": {member: {"type": kind}, "error": {"type": "string"}}
    }))
}

fn schema_of(value: Value) -> Arc<JsonObject> {
    Arc::new(match value {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    })
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
    description: &'static str,
    properties: Value,
    required: &[&str],
    output: Arc<JsonObject>,
) -> Tool {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), json!(false));
    Tool::new(name, description, schema)
        .with_raw_output_schema(output)
        .with_annotations(effect(ToolAnnotations::new()))
}
