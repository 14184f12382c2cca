//! Keywords that hold no schemas: which values of theirs are passed on.

use serde_json::{Map, Value, json};

/// Nesting of values in `enum`, `const` and `default`.
const DEEPEST_DATA: usize = 16;
/// About the characters of an example that is passed on.
const LONGEST_EXAMPLE: usize = 2_000;
/// Digits of a number; Python reads integers of 4,300.
const LONGEST_NUMBER: usize = 1_000;
const TYPES: &[&str] = &[
    "string", "number", "integer", "boolean", "array", "object", "null",
];

/// Whether a value is short enough to be passed on as an example.
pub(in crate::openapi) fn is_example(value: &Value) -> bool {
    fn is_short(value: &Value, left: &mut usize) -> bool {
        let text = match value {
            Value::String(text) => text.len(),
            Value::Object(members) => members.keys().map(String::len).sum(),
            _ => 0,
        };
        match left.checked_sub(text + 8) {
            Some(rest) => *left = rest,
            None => return false,
        }
        match value {
            Value::Array(items) => items.iter().all(|item| is_short(item, left)),
            Value::Object(members) => members.values().all(|item| is_short(item, left)),
            _ => true,
        }
    }
    !value.is_null() && is_portable(value, 0) && is_short(value, &mut { LONGEST_EXAMPLE })
}

/// `discriminator`, which Swagger 2.0 has as a name only.
pub(super) fn discriminator(value: &Value) -> Option<Value> {
    let (property, mapping) = match value {
        Value::String(property) => (property.as_str(), None),
        _ => (value.get("propertyName")?.as_str()?, value.get("mapping")),
    };
    let mapping: Map<String, Value> = mapping
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(value, target)| {
            let target = target.as_str()?;
            // The name of a schema, or a reference to one.
            let is_name = !target.contains(['/', '#', '.']);
            let prefix = if is_name { "#/components/schemas/" } else { "" };
            Some((value.clone(), Value::String(format!("{prefix}{target}"))))
        })
        .collect();
    let mut kept = json!({"propertyName": property});
    if let (Some(kept), false) = (kept.as_object_mut(), mapping.is_empty()) {
        kept.insert("mapping".to_owned(), Value::Object(mapping));
    }
    Some(kept)
}

/// A keyword without schemas in it, where its value is of the right kind.
pub(super) fn plain_keyword(
    source: &Map<String, Value>,
    keyword: &str,
    value: &Value,
) -> Option<Value> {
    let fits = match keyword {
        "discriminator" => return discriminator(value),
        "examples" => {
            let examples = value.as_array()?.iter().filter(|value| is_example(value));
            let examples: Vec<Value> = examples.take(1).cloned().collect();
            return (!examples.is_empty()).then_some(Value::Array(examples));
        }
        "type" => return type_keyword(value),
        "required" => return required_keyword(value),
        "title" | "description" | "format" | "pattern" | "contentEncoding" | "contentMediaType" => {
            value.is_string()
        }
        "deprecated" | "readOnly" | "writeOnly" | "uniqueItems" => value.is_boolean(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
            let exclusive = match keyword {
                "minimum" => "exclusiveMinimum",
                "maximum" => "exclusiveMaximum",
                _ => "",
            };
            is_portable(value, 0)
                && value.is_number()
                && source.get(exclusive) != Some(&Value::Bool(true))
        }
        "multipleOf" => value.is_number() && is_portable(value, 0),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => value.is_u64(),
        "enum" => {
            value.as_array().is_some_and(|values| !values.is_empty()) && is_portable(value, 0)
        }
        "const" | "default" => is_portable(value, 0),
        _ => false,
    };
    fits.then(|| value.clone())
}

fn type_keyword(value: &Value) -> Option<Value> {
    match value {
        Value::String(name) if TYPES.contains(&name.as_str()) => Some(value.clone()),
        Value::Array(names) => {
            let mut known: Vec<Value> = Vec::new();
            for name in names {
                if name.as_str().is_some_and(|name| TYPES.contains(&name)) && !known.contains(name)
                {
                    known.push(name.clone());
                }
            }
            match known.len() {
                0 => None,
                1 => known.pop(),
                _ => Some(Value::Array(known)),
            }
        }
        _ => None,
    }
}

fn required_keyword(value: &Value) -> Option<Value> {
    let names: Vec<Value> = value
        .as_array()?
        .iter()
        .filter(|name| name.is_string())
        .cloned()
        .collect();
    (!names.is_empty()).then_some(Value::Array(names))
}

/// 3.0 has `exclusiveMinimum: true` beside `minimum`.
pub(super) fn exclusive_bounds(source: &Map<String, Value>, result: &mut Map<String, Value>) {
    for (bound, exclusive) in [
        ("minimum", "exclusiveMinimum"),
        ("maximum", "exclusiveMaximum"),
    ] {
        if source.get(exclusive) == Some(&Value::Bool(true))
            && let Some(limit @ Value::Number(_)) = source.get(bound)
            && is_portable(limit, 0)
        {
            result.insert(exclusive.to_owned(), limit.clone());
        }
    }
}

/// Whether data is neither nested too deeply nor holds a number that other readers of the
/// manifest fail on or take for infinity.
fn is_portable(value: &Value, depth: usize) -> bool {
    depth < DEEPEST_DATA
        && match value {
            Value::Number(number) => {
                let spelt = number.as_str();
                spelt.len() <= LONGEST_NUMBER && spelt.parse::<f64>().is_ok_and(f64::is_finite)
            }
            Value::Array(items) => items.iter().all(|item| is_portable(item, depth + 1)),
            Value::Object(members) => members.values().all(|item| is_portable(item, depth + 1)),
            _ => true,
        }
}
