//! Request bodies and responses: which media type is used and what it carries.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::document::{Document, text};
use super::examples::with_example;
use super::schema::Schemas;
use crate::api::{Media, OperationBody, Response, ResponseKind};
use crate::invisible::visible;

/// The request body; else why the operation cannot be called.
pub(super) fn body(
    document: &Document,
    schemas: &Schemas<'_>,
    operation: &Map<String, Value>,
) -> Result<Option<OperationBody>, String> {
    let value = match operation.get("requestBody") {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => document.resolve(value).map_err(|error| error.to_string())?,
    };
    let members = value.as_object().ok_or("the request body is no mapping")?;
    let content = match members.get("content") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(content)) if content.is_empty() => return Ok(None),
        Some(Value::Object(content)) => content,
        Some(_) => return Err("the content of the request body is no mapping".to_owned()),
    };
    let Some((name, media)) = preferred(content) else {
        let name = content
            .keys()
            .next()
            .map(|name| visible(name))
            .unwrap_or_default();
        return Err(format!("request body {name}"));
    };
    if name.chars().any(|c| c.is_control() || !c.is_ascii()) {
        return Err("the media type of the request body is malformed".to_owned());
    }
    let media = document.resolve(media).map_err(|error| error.to_string())?;
    let declared = schemas.raise(media.get("schema").unwrap_or(&Value::Bool(true)));
    let declared = declared.map_err(|error| error.to_string())?;
    let is_bytes = is_binary(&declared, schemas);
    let (content_type, schema) = match Media::of(name) {
        Media::Json => {
            let declared = with_example(document, declared, media.as_object());
            (name.clone(), declared)
        }
        Media::Range if !is_bytes => ("application/json".to_owned(), declared),
        Media::Range => (
            "application/octet-stream".to_owned(),
            json!({"type": "string", "format": "binary"}),
        ),
        Media::Text => (name.clone(), json!({"type": "string"})),
        _ => (name.clone(), json!({"type": "string", "format": "binary"})),
    };
    Ok(Some(OperationBody {
        alternatives: content
            .keys()
            .filter(|other| *other != name)
            .cloned()
            .collect(),
        content_type,
        required: members.get("required") == Some(&Value::Bool(true)),
        description: text(members, "description"),
        schema,
    }))
}

/// JSON first, then bytes, then text; forms are not written yet.
fn preferred(content: &Map<String, Value>) -> Option<(&String, &Value)> {
    let rank = |name: &str| match Media::of(name) {
        Media::Json if name.eq_ignore_ascii_case("application/json") => Some(0),
        Media::Json => Some(1),
        Media::Range => Some(2),
        Media::Binary if !name.contains('*') => Some(3),
        Media::Text if !name.contains('*') => Some(4),
        _ => None,
    };
    content
        .iter()
        .filter_map(|entry| rank(entry.0).map(|rank| (rank, entry)))
        .min_by_key(|(rank, _)| *rank)
        .map(|(_, entry)| entry)
}

fn is_binary(schema: &Value, schemas: &Schemas<'_>) -> bool {
    let target = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|pointer| schemas.target(pointer));
    let schema = target.as_ref().unwrap_or(schema);
    schema.get("format").and_then(Value::as_str) == Some("binary")
}

/// The responses and their descriptions; else why the operation cannot be called.
pub(super) fn responses(
    document: &Document,
    schemas: &Schemas<'_>,
    operation: &Map<String, Value>,
    warn: &mut dyn FnMut(String),
) -> Result<(Vec<Response>, BTreeMap<String, String>), String> {
    let mut responses = Vec::new();
    let mut descriptions = BTreeMap::new();
    let Some(Value::Object(declared)) = operation.get("responses") else {
        warn("it documents no responses".to_owned());
        return Ok((responses, descriptions));
    };
    for (status, value) in declared {
        if status.starts_with("x-") {
            continue;
        }
        let Some(status) = legal_status(status) else {
            warn(format!(
                "the response `{}` is left out: it is no status",
                visible(status)
            ));
            continue;
        };
        let value = document.resolve(value).map_err(|error| error.to_string())?;
        let Some(members) = value.as_object() else {
            warn(format!(
                "the response {status} is left out: it is no mapping"
            ));
            continue;
        };
        descriptions.insert(status.clone(), text(members, "description"));
        responses.push(response(document, schemas, status, members)?);
    }
    Ok((responses, descriptions))
}

fn legal_status(status: &str) -> Option<String> {
    let mut characters = status.chars();
    let first = characters.next()?;
    let rest = characters.as_str();
    let legal = ('1'..='5').contains(&first)
        && (rest.len() == 2 && rest.chars().all(|c| c.is_ascii_digit())
            || rest.eq_ignore_ascii_case("xx"));
    if status == "default" {
        Some(status.to_owned())
    } else {
        legal.then(|| status.to_ascii_uppercase())
    }
}

fn response(
    document: &Document,
    schemas: &Schemas<'_>,
    status: String,
    members: &Map<String, Value>,
) -> Result<Response, String> {
    let empty = Map::new();
    let content = members
        .get("content")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let mut entries: Vec<(&String, &Value)> = content
        .iter()
        .filter(|(name, _)| !name.chars().any(|c| c.is_control() || !c.is_ascii()))
        .collect();
    entries.sort_by_key(|(name, _)| match Media::of(name) {
        Media::Json => 0,
        Media::Range => 1,
        Media::Text => 2,
        Media::Binary => 3,
        Media::Form | Media::Multipart => 4,
        Media::Events => 5,
    });
    let Some((name, media)) = entries.first() else {
        return Ok(Response {
            status,
            content_types: Vec::new(),
            kind: ResponseKind::Empty,
            schema: Value::Null,
        });
    };
    let media = document.resolve(media).map_err(|error| error.to_string())?;
    let schema = schemas.raise(media.get("schema").unwrap_or(&Value::Bool(true)));
    let schema = schema.map_err(|error| error.to_string())?;
    let kind = match Media::of(name) {
        Media::Range if is_binary(&schema, schemas) => ResponseKind::Bytes,
        Media::Json | Media::Range => ResponseKind::Json,
        Media::Text => ResponseKind::Text,
        Media::Events => ResponseKind::Events,
        _ => ResponseKind::Bytes,
    };
    Ok(Response {
        status,
        content_types: entries.iter().map(|(name, _)| (*name).clone()).collect(),
        schema: if kind == ResponseKind::Json {
            schema
        } else {
            Value::Null
        },
        kind,
    })
}
