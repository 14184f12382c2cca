//! What differs between two JSON Schemas. The depth of schemas is capped when they are read.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::api::schema::SCHEMA_MAP_KEYWORDS;

/// What differs in a schema.
///
/// `Text` is what says nothing of which values are legal: descriptions, and the order of values.
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

/// Compares two schemas: values, keys, items, and what remains, each on its own.
pub(super) fn compare(old: &Value, new: &Value) -> Vec<Difference> {
    if old == new {
        return Vec::new();
    }
    if is_same(old, new) {
        return vec![Difference::Text];
    }
    let (Value::Object(before), Value::Object(after)) = (old, new) else {
        return vec![Difference::Other {
            old: old.clone(),
            new: new.clone(),
        }];
    };
    let mut found = Vec::new();
    compare_values(None, before, after, &mut found);
    compare_keys(before, after, &mut found);
    let mut apart = vec!["properties", "required"];
    if let (Some(old @ Value::Object(_)), Some(new @ Value::Object(_))) =
        (before.get("items"), after.get("items"))
    {
        found.extend(compare(old, new));
        apart.push("items");
    }
    if has_values(before) && has_values(after) {
        apart.push("enum");
    }
    let (old, new) = (without(before, &apart), without(after, &apart));
    if !is_same(&old, &new) {
        found.push(Difference::Other { old, new });
    }
    found
}

/// A schema without some of its keywords.
fn without(members: &Map<String, Value>, keywords: &[&str]) -> Value {
    let mut rest = members.clone();
    rest.retain(|keyword, _| !keywords.contains(&keyword.as_str()));
    Value::Object(rest)
}

fn has_values(members: &Map<String, Value>) -> bool {
    members.get("enum").is_some_and(Value::is_array)
}

/// The values of two enumerations; nothing where one of them is none.
fn compare_values(
    key: Option<&str>,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    found: &mut Vec<Difference>,
) {
    let all = |members: &Map<String, Value>| members.get("enum")?.as_array().cloned();
    let (Some(before), Some(after)) = (all(before), all(after)) else {
        return;
    };
    let (had, has) = (text_set(&before), text_set(&after));
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

fn text_set(values: &[Value]) -> BTreeSet<String> {
    values.iter().map(Value::to_string).collect()
}

fn compare_keys(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    found: &mut Vec<Difference>,
) {
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
        compare_key(key, old, new, found);
    }
    for key in has.keys().filter(|key| !had.contains_key(*key)) {
        found.push(Difference::KeyAdded {
            key: key.clone(),
            required: must_now.contains(key),
        });
    }
    // Keys that are required and described nowhere.
    for key in must.symmetric_difference(&must_now) {
        match (
            had.contains_key(key) || has.contains_key(key),
            must.contains(key),
        ) {
            (true, _) => {}
            (false, true) => found.push(Difference::KeyOptional(key.clone())),
            (false, false) => found.push(Difference::KeyRequired(key.clone())),
        }
    }
}

/// The schemas of one key: which values it may have, and the rest.
fn compare_key(key: &str, old: &Value, new: &Value, found: &mut Vec<Difference>) {
    if is_same(old, new) {
        if old != new && !found.contains(&Difference::Text) {
            found.push(Difference::Text);
        }
        return;
    }
    let (old, new) = match (old, new) {
        (Value::Object(before), Value::Object(after))
            if has_values(before) && has_values(after) =>
        {
            compare_values(Some(key), before, after, found);
            (without(before, &["enum"]), without(after, &["enum"]))
        }
        _ => (old.clone(), new.clone()),
    };
    if !is_same(&old, &new) {
        found.push(Difference::KeyChanged {
            key: key.to_owned(),
            old,
            new,
        });
    }
}

/// Whether two schemas say the same of which values are legal.
fn is_same(old: &Value, new: &Value) -> bool {
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
                            .is_some_and(|now| is_same_member(keyword, value, now))
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
        // These hold values or names, in which nothing is an annotation, in any order.
        (Value::Array(old), Value::Array(new)) if matches!(keyword, "enum" | "required") => {
            text_set(old) == text_set(new)
        }
        _ if keyword == "const" => old == new,
        (Value::Object(old), Value::Object(new)) if SCHEMA_MAP_KEYWORDS.contains(&keyword) => {
            old.len() == new.len()
                && old
                    .iter()
                    .all(|(name, schema)| new.get(name).is_some_and(|now| is_same(schema, now)))
        }
        _ => is_same(old, new),
    }
}
