//! What differs between two JSON Schemas. The depth of schemas is capped when they are read.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::api::schema::SCHEMA_MAP_KEYWORDS;

/// What differs in a schema.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Difference {
    KeyRemoved(String),
    KeyAdded { key: String, required: bool },
    KeyRequired(String),
    KeyOptional(String),
    KeyChanged { key: String, old: Value, new: Value },
    ValueRemoved { key: Option<String>, value: Value },
    ValueAdded { key: Option<String>, value: Value },
    Other { old: Value, new: Value },
    Text,
}

/// Keywords that say nothing of which values are legal.
fn is_annotation(keyword: &str) -> bool {
    matches!(
        keyword,
        "title"
            | "description"
            | "summary"
            | "example"
            | "examples"
            | "default"
            | "deprecated"
            | "externalDocs"
            | "$comment"
    ) || keyword.starts_with("x-")
}

/// Compares the schemas of a type, key by key.
pub(super) fn compare(old: &Value, new: &Value) -> Vec<Difference> {
    if old == new {
        return Vec::new();
    }
    if is_same(old, new) {
        return vec![Difference::Text];
    }
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        return vec![other(old, new)];
    };
    let mut found = Vec::new();
    values(None, before, after, &mut found);
    keys(before, after, &mut found);
    // What remains when that is taken away.
    let rest = |members: &Map<String, Value>| {
        let mut rest = members.clone();
        for keyword in ["properties", "required", "enum"] {
            rest.shift_remove(keyword);
        }
        Value::Object(rest)
    };
    if !is_same(&rest(before), &rest(after)) || is_enum(before) != is_enum(after) {
        found.push(other(old, new));
    }
    found
}

fn other(old: &Value, new: &Value) -> Difference {
    Difference::Other {
        old: old.clone(),
        new: new.clone(),
    }
}

fn is_enum(members: &Map<String, Value>) -> bool {
    members.contains_key("enum")
}

/// The values of two enumerations; nothing where one of them is none.
fn values(
    key: Option<&str>,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    found: &mut Vec<Difference>,
) {
    let all = |members: &Map<String, Value>| members.get("enum")?.as_array().cloned();
    let (Some(before), Some(after)) = (all(before), all(after)) else {
        return;
    };
    let set =
        |values: &[Value]| -> BTreeSet<String> { values.iter().map(Value::to_string).collect() };
    let (had, has) = (set(&before), set(&after));
    let key = || key.map(str::to_owned);
    found.extend(
        before
            .into_iter()
            .filter(|value| !has.contains(&value.to_string()))
            .map(|value| Difference::ValueRemoved { key: key(), value }),
    );
    found.extend(
        after
            .into_iter()
            .filter(|value| !had.contains(&value.to_string()))
            .map(|value| Difference::ValueAdded { key: key(), value }),
    );
}

fn keys(before: &Map<String, Value>, after: &Map<String, Value>, found: &mut Vec<Difference>) {
    let none = Map::new();
    let properties = |members: &'_ Map<String, Value>| -> Map<String, Value> {
        let all = members.get("properties").and_then(Value::as_object);
        all.unwrap_or(&none).clone()
    };
    let required = |members: &Map<String, Value>| -> BTreeSet<String> {
        let all = members.get("required").and_then(Value::as_array);
        let names = all.into_iter().flatten().filter_map(Value::as_str);
        names.map(str::to_owned).collect()
    };
    let (had, has) = (properties(before), properties(after));
    let (must, must_now) = (required(before), required(after));
    for (key, old) in &had {
        let Some(new) = has.get(key) else {
            found.push(Difference::KeyRemoved(key.clone()));
            continue;
        };
        match (must.contains(key), must_now.contains(key)) {
            (false, true) => found.push(Difference::KeyRequired(key.clone())),
            (true, false) => found.push(Difference::KeyOptional(key.clone())),
            _ => {}
        }
        if is_same(old, new) {
            continue;
        }
        let known = found.len();
        if let (Value::Object(old), Value::Object(new)) = (old, new) {
            let without = |members: &Map<String, Value>| {
                let mut rest = members.clone();
                rest.shift_remove("enum");
                Value::Object(rest)
            };
            if is_same(&without(old), &without(new)) {
                values(Some(key), old, new, found);
            }
        }
        if found.len() == known {
            found.push(Difference::KeyChanged {
                key: key.clone(),
                old: old.clone(),
                new: new.clone(),
            });
        }
    }
    for key in has.keys().filter(|key| !had.contains_key(*key)) {
        found.push(Difference::KeyAdded {
            key: key.clone(),
            required: must_now.contains(key),
        });
    }
}

/// Whether two schemas say the same of which values are legal.
pub(super) fn is_same(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let counted = |members: &Map<String, Value>| {
                let counts = members.keys().filter(|keyword| !is_annotation(keyword));
                counts.count()
            };
            counted(old) == counted(new)
                && old
                    .iter()
                    .filter(|(keyword, _)| !is_annotation(keyword))
                    .all(|(keyword, value)| {
                        new.get(keyword)
                            .is_some_and(|other| is_same_member(keyword, value, other))
                    })
        }
        (Value::Array(old), Value::Array(new)) => {
            old.len() == new.len() && old.iter().zip(new).all(|(old, new)| is_same(old, new))
        }
        _ => old == new,
    }
}

fn is_same_member(keyword: &str, old: &Value, new: &Value) -> bool {
    match (old, new) {
        // These hold values or names, in which nothing is an annotation.
        _ if matches!(keyword, "enum" | "const") => old == new,
        (Value::Array(old), Value::Array(new)) if keyword == "required" => {
            let set = |names: &[Value]| -> BTreeSet<String> {
                names.iter().map(Value::to_string).collect()
            };
            set(old) == set(new)
        }
        (Value::Object(old), Value::Object(new)) if SCHEMA_MAP_KEYWORDS.contains(&keyword) => {
            old.len() == new.len()
                && old
                    .iter()
                    .all(|(name, one)| new.get(name).is_some_and(|other| is_same(one, other)))
        }
        _ => is_same(old, new),
    }
}
