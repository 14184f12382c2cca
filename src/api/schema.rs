//! Walks the places of a JSON Schema (2020-12) that are schemas themselves, so that what only
//! looks like a reference (in `enum`, `default`, or a property called `$ref`) is left alone.

use serde_json::{Map, Value};

/// Keywords whose value is a schema.
pub const SCHEMA_KEYWORDS: &[&str] = &[
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas.
pub const SCHEMA_LIST_KEYWORDS: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is a map of schemas.
pub const SCHEMA_MAP_KEYWORDS: &[&str] = &["properties", "patternProperties", "dependentSchemas"];

/// Calls `change` on every `$ref` of a schema. The depth of schemas is capped when they are read.
pub fn references_mut(schema: &mut Value, change: &mut dyn FnMut(&mut String)) {
    let Value::Object(members) = schema else {
        return;
    };
    if let Some(Value::String(reference)) = members.get_mut("$ref") {
        change(reference);
    }
    for (keyword, value) in members.iter_mut() {
        let keyword = keyword.as_str();
        if SCHEMA_KEYWORDS.contains(&keyword) {
            references_mut(value, change);
        } else if SCHEMA_LIST_KEYWORDS.contains(&keyword) {
            for item in value.as_array_mut().into_iter().flatten() {
                references_mut(item, change);
            }
        } else if SCHEMA_MAP_KEYWORDS.contains(&keyword) {
            for (_, item) in value.as_object_mut().into_iter().flatten() {
                references_mut(item, change);
            }
        }
    }
}

/// Every `$ref` of a schema in order.
#[must_use]
pub fn references(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(schema, &mut found);
    found
}

fn collect(schema: &Value, found: &mut Vec<String>) {
    let Value::Object(members) = schema else {
        return;
    };
    if let Some(Value::String(reference)) = members.get("$ref") {
        found.push(reference.clone());
    }
    for (keyword, value) in members {
        let keyword = keyword.as_str();
        if SCHEMA_KEYWORDS.contains(&keyword) {
            collect(value, found);
        } else if SCHEMA_LIST_KEYWORDS.contains(&keyword) {
            for item in value.as_array().into_iter().flatten() {
                collect(item, found);
            }
        } else if SCHEMA_MAP_KEYWORDS.contains(&keyword) {
            for item in value.as_object().into_iter().flat_map(Map::values) {
                collect(item, found);
            }
        }
    }
}

/// The types that `type` names; all where it is absent.
#[must_use]
pub fn type_names(members: &Map<String, Value>) -> Vec<&str> {
    match members.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}
