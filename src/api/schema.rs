//! Walks the places of a JSON Schema (2020-12) that are schemas themselves, so that what only
//! looks like a reference (in `enum`, `default`, or a property called `$ref`) is left alone.

use std::collections::BTreeSet;

use indexmap::IndexMap;
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

/// Whether schemas are found below this keyword of a schema.
#[must_use]
pub fn is_keyword(name: &str) -> bool {
    [SCHEMA_KEYWORDS, SCHEMA_LIST_KEYWORDS, SCHEMA_MAP_KEYWORDS]
        .iter()
        .any(|keywords| keywords.contains(&name))
}

/// Calls `change` on every `$ref` of a schema, and on what discriminators refer to. The depth of
/// schemas is capped when they are read.
pub fn references_mut(schema: &mut Value, change: &mut dyn FnMut(&mut String)) {
    let Value::Object(members) = schema else {
        return;
    };
    if let Some(Value::String(reference)) = members.get_mut("$ref") {
        change(reference);
    }
    let discriminator = members.get_mut("discriminator");
    let mapping = discriminator.and_then(|it| it.get_mut("mapping"));
    for (_, target) in mapping.and_then(Value::as_object_mut).into_iter().flatten() {
        if let Value::String(target) = target {
            change(target);
        }
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

/// The schema without `examples`, which say nothing about values.
#[must_use]
pub fn without_examples(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let kept = members.iter().filter(|(keyword, _)| *keyword != "examples");
    let kept = kept.map(|(keyword, value)| {
        let name = keyword.as_str();
        let value = if SCHEMA_KEYWORDS.contains(&name) {
            without_examples(value)
        } else if let (true, Value::Array(items)) = (SCHEMA_LIST_KEYWORDS.contains(&name), value) {
            items.iter().map(without_examples).collect()
        } else if let (true, Value::Object(items)) = (SCHEMA_MAP_KEYWORDS.contains(&name), value) {
            let items = items.iter();
            let items = items.map(|(name, item)| (name.clone(), without_examples(item)));
            Value::Object(items.collect())
        } else {
            value.clone()
        };
        (keyword.clone(), value)
    });
    Value::Object(kept.collect())
}

/// Every `$ref` of a schema in order.
#[must_use]
pub fn references(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(schema, &mut found);
    found
}

/// The names of the types that schemas refer to, themselves or by way of other types.
#[must_use]
pub fn reachable<'a>(
    schemas: impl IntoIterator<Item = &'a Value>,
    types: &IndexMap<String, Value>,
) -> BTreeSet<String> {
    let mut pending: Vec<String> = schemas.into_iter().flat_map(references).collect();
    let mut reached = BTreeSet::new();
    while let Some(reference) = pending.pop() {
        let name = reference.trim_start_matches("#/types/");
        if let Some(schema) = types.get(name)
            && reached.insert(name.to_owned())
        {
            pending.extend(references(schema));
        }
    }
    reached
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

/// References and single alternatives followed to find what a schema says.
const LONGEST_CHAIN: usize = 16;

/// What a schema leads to in one step where it only stands for another: the target of a `$ref`
/// (`#/types/<name>`), or the only part of `allOf`.
#[must_use]
pub fn stands_for<'a>(schema: &'a Value, types: &'a IndexMap<String, Value>) -> Option<&'a Value> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return types.get(reference.strip_prefix("#/types/")?);
    }
    match schema.get("allOf")?.as_array()?.as_slice() {
        [only] => Some(only),
        _ => None,
    }
}

/// The first value of a keyword on the way from a schema to what it stands for; one alternative
/// beside null counts as the schema that it is.
#[must_use]
pub fn keyword<'a>(
    schema: &'a Value,
    keyword: &str,
    types: &'a IndexMap<String, Value>,
) -> Option<&'a Value> {
    let mut schema = schema;
    for _ in 0..LONGEST_CHAIN {
        if let Some(value) = schema.get(keyword) {
            return Some(value);
        }
        schema = stands_for(schema, types)
            .or_else(|| beside_null(schema, "anyOf"))
            .or_else(|| beside_null(schema, "oneOf"))?;
    }
    None
}

/// What `anyOf` or `oneOf` offers, where that is one schema and null.
#[must_use]
pub fn beside_null<'a>(schema: &'a Value, keyword: &str) -> Option<&'a Value> {
    let is_null = |part: &Value| part.get("type").and_then(Value::as_str) == Some("null");
    match schema.get(keyword)?.as_array()?.as_slice() {
        [only, null] | [null, only] if is_null(null) && !is_null(only) => Some(only),
        _ => None,
    }
}

/// Whether a value may be null (what [`super::Parameter::nullable`] says).
#[must_use]
pub fn is_nullable(schema: &Value, types: &IndexMap<String, Value>) -> bool {
    may_be_null(schema, types, &mut 256)
}

/// `left` bounds the schemas looked at.
fn may_be_null(schema: &Value, types: &IndexMap<String, Value>, left: &mut usize) -> bool {
    let mut schema = schema;
    for _ in 0..LONGEST_CHAIN {
        let Some(members) = schema.as_object() else {
            return false;
        };
        match left.checked_sub(1) {
            Some(rest) => *left = rest,
            None => return false,
        }
        if let Some(value) = members.get("const") {
            return value.is_null();
        }
        if let Some(values) = members.get("enum").and_then(Value::as_array) {
            return values.iter().any(Value::is_null);
        }
        if type_names(members).contains(&"null") {
            return true;
        }
        if let Some(next) = stands_for(schema, types) {
            schema = next;
            continue;
        }
        return ["anyOf", "oneOf"].iter().any(|keyword| {
            let parts = members.get(*keyword).and_then(Value::as_array);
            let mut parts = parts.into_iter().flatten();
            // Alternatives within alternatives are as deep as schemas may be, which is capped;
            // through references they are followed as far as the budget goes.
            parts.any(|part| may_be_null(part, types, left))
        });
    }
    false
}
