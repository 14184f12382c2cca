//! Small changes to documents: to the tree, where a document stays a document for long, and to
//! the bytes, where it soon is none.

use proptest::prelude::RngExt;
use proptest::test_runner::TestRng;
use serde_json::{Map, Value, json};

/// Texts that end strings, open blocks, hide, or pass for what the compiler writes.
const HOSTILE: &[&str] = &[
    "\"\"\"",
    "'''",
    "\"",
    "'",
    "\\",
    "\\\"",
    "\n",
    "\r\n",
    "\u{c}",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{feff}",
    "\u{e0041}",
    "\0",
    "\u{1b}[2J",
    "\u{10ffff}",
    "ａ",
    "é",
    "\nimport os\n",
    ">>> exec('x')",
    "Args:\n",
    "{{ 7*191 }}",
    "{% raw %}",
    "{x!r:>{y}}",
    "%s%n",
    "${HOME}",
    "): pass #",
    "# -*- coding: utf-7 -*-",
    "__class__",
    "lambda",
    "None",
    "self",
    "_api",
    "Api",
    "print",
    "/../",
    "{id}",
    "{}",
    "?a=b",
    "#c",
    "%2e",
    "application/json; a=\"b\"",
];

/// Words that readers look for, put where others are expected.
const WORDS: &[&str] = &[
    "object",
    "array",
    "string",
    "integer",
    "number",
    "boolean",
    "null",
    "file",
    "query",
    "path",
    "header",
    "cookie",
    "body",
    "formData",
    "querystring",
    "form",
    "simple",
    "label",
    "matrix",
    "deepObject",
    "spaceDelimited",
    "pipeDelimited",
    "multi",
    "csv",
    "ssv",
    "tsv",
    "pipes",
    "application/json",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
    "text/plain",
    "text/event-stream",
    "*/*",
    "get",
    "post",
    "default",
    "2XX",
    "binary",
    "date-time",
    "apiKey",
    "oauth2",
    "http",
    "basic",
    "bearer",
    "3.0.0",
    "3.1.0",
    "3.2.0",
    "2.0",
];

/// Keys that mean something somewhere.
const KEYS: &[&str] = &[
    "$ref",
    "type",
    "items",
    "prefixItems",
    "properties",
    "required",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "enum",
    "const",
    "nullable",
    "default",
    "discriminator",
    "additionalProperties",
    "patternProperties",
    "format",
    "schema",
    "content",
    "encoding",
    "style",
    "explode",
    "allowReserved",
    "collectionFormat",
    "name",
    "in",
    "parameters",
    "requestBody",
    "responses",
    "security",
    "servers",
    "tags",
    "operationId",
    "deprecated",
    "description",
    "summary",
    "title",
    "example",
    "examples",
    "itemSchema",
    "headers",
    "links",
    "callbacks",
    "consumes",
    "produces",
    "$defs",
    "definitions",
    "$id",
    "$anchor",
    "$dynamicRef",
    "additionalOperations",
    "query",
];

/// References: into the document, into itself, into files that are not there or not allowed.
const REFERENCES: &[&str] = &[
    "#",
    "#/",
    "#/paths",
    "#/components",
    "#/components/schemas",
    "#/definitions",
    "#/info",
    "#/paths/~1/get",
    "#anchor",
    "part.json",
    "part.json#/paths",
    "part.json#/components/schemas/Loop",
    "part.json#/components/parameters/Far",
    "part.json#/paths/~1far",
    "./main.json#/paths",
    "main.json",
    "missing.yaml",
    "../main.json",
    "file:///etc/passwd",
    "/proc/self/environ",
    "http://127.0.0.1:9/x.json",
    "%00",
    "",
];

/// What `part.json` holds: targets of external references, which lead back and forth.
pub(crate) fn part() -> Value {
    json!({
        "openapi": "3.1.0",
        "components": {
            "schemas": {
                "Loop": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Loop"}, "main": {"$ref": "main.json#/components/schemas/Loop"}}},
            },
            "parameters": {"Far": {"name": "far", "in": "query", "schema": {"$ref": "#/components/schemas/Loop"}}},
        },
        "paths": {"/far": {"get": {"parameters": [{"$ref": "#/components/parameters/Far"}], "responses": {"200": {"$ref": "main.json#/x"}}}}},
    })
}

/// One of a list that is not empty.
fn pick<'a, T>(rng: &mut TestRng, from: &'a [T]) -> &'a T {
    let index = rng.random_range(0..from.len());
    &from[index]
}

fn chance(rng: &mut TestRng, of: u32) -> bool {
    rng.random_range(0..of) == 0
}

/// Keeps a few paths of a document: mutations then meet each other, and a case takes no second.
pub(crate) fn prune(rng: &mut TestRng, document: &mut Value) {
    let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) else {
        return;
    };
    let most = rng.random_range(1..7);
    while paths.len() > most {
        let unwanted = rng.random_range(0..paths.len());
        let key = paths.keys().nth(unwanted).cloned().unwrap_or_default();
        paths.swap_remove(&key);
    }
}

/// Changes a tree in one to eight places.
pub(crate) fn tree(rng: &mut TestRng, document: &mut Value) {
    let nodes = count(document);
    for _ in 0..rng.random_range(1..9) {
        // Half of the changes go to what is called, the rest anywhere.
        let place = if chance(rng, 2)
            && let Some(paths) = document.get_mut("paths")
        {
            let nodes = count(paths);
            nth(paths, rng.random_range(0..nodes))
        } else {
            nth(document, rng.random_range(0..nodes))
        };
        if let Some(place) = place {
            change(rng, place);
        }
    }
}

/// The number of values in a tree. Documents are within the depth limit here, so this may recurse.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// The nth value of a tree, the root being number 0.
fn nth(root: &mut Value, number: usize) -> Option<&mut Value> {
    let mut left = number;
    let mut waiting = vec![root];
    while let Some(value) = waiting.pop() {
        if left == 0 {
            return Some(value);
        }
        left -= 1;
        match value {
            Value::Array(items) => waiting.extend(items.iter_mut().rev()),
            Value::Object(members) => waiting.extend(members.values_mut().rev()),
            _ => {}
        }
    }
    None
}

fn change(rng: &mut TestRng, value: &mut Value) {
    match rng.random_range(0..10) {
        0..4 if value.is_object() => {
            if let Some(members) = value.as_object_mut() {
                change_members(rng, members);
            }
        }
        0..4 if value.is_array() => {
            if let Some(items) = value.as_array_mut() {
                change_items(rng, items);
            }
        }
        0..6 => *value = Value::from(changed_text(rng, value.as_str().unwrap_or_default())),
        6 => *value = json!({"$ref": pick(rng, REFERENCES)}),
        7 => *value = leaf(rng),
        8 => {
            let inner = value.take();
            *value = wrapped(rng, inner);
        }
        _ => *value = Value::from(*pick(rng, WORDS)),
    }
}

fn change_members(rng: &mut TestRng, members: &mut Map<String, Value>) {
    if members.is_empty() || chance(rng, 4) {
        let key = if chance(rng, 3) {
            *pick(rng, HOSTILE)
        } else {
            *pick(rng, KEYS)
        };
        let value = leaf(rng);
        members.insert(key.to_owned(), value);
        return;
    }
    let key = |rng: &mut TestRng, members: &Map<String, Value>| {
        let index = rng.random_range(0..members.len());
        members.keys().nth(index).cloned().unwrap_or_default()
    };
    let one = key(rng, members);
    match rng.random_range(0..4) {
        0 => {
            members.swap_remove(&one);
        }
        1 => {
            // The value under another name: a member that is hostile, or where another belongs.
            let value = members.get(&one).cloned().unwrap_or_default();
            let name = match rng.random_range(0..3) {
                0 => (*pick(rng, KEYS)).to_owned(),
                _ => changed_text(rng, &one),
            };
            if chance(rng, 2) {
                members.swap_remove(&one);
            }
            members.insert(name, value);
        }
        2 => {
            let other = key(rng, members);
            let value = members.get(&one).cloned().unwrap_or_default();
            let swapped = members.insert(other, value).unwrap_or_default();
            members.insert(one, swapped);
        }
        _ => {
            let value = leaf(rng);
            members.insert(one, value);
        }
    }
}

fn change_items(rng: &mut TestRng, items: &mut Vec<Value>) {
    if items.is_empty() || chance(rng, 4) {
        let value = leaf(rng);
        items.push(value);
        return;
    }
    let (one, other) = (
        rng.random_range(0..items.len()),
        rng.random_range(0..items.len()),
    );
    match rng.random_range(0..3) {
        0 => {
            items.remove(one);
        }
        1 => items.swap(one, other),
        _ => items.push(items[one].clone()),
    }
}

fn changed_text(rng: &mut TestRng, text: &str) -> String {
    let hostile = *pick(rng, HOSTILE);
    let middle = text
        .char_indices()
        .map(|(index, _)| index)
        .nth(rng.random_range(0..text.len().max(1)))
        .unwrap_or(text.len());
    let (head, tail) = text.split_at(middle);
    match rng.random_range(0..6) {
        0 => hostile.to_owned(),
        1 => format!("{head}{tail}{hostile}"),
        2 => format!("{hostile}{text}"),
        3 => hostile.repeat(rng.random_range(1..40)),
        4 => head.to_owned(),
        _ => format!("{head}{hostile}{tail}"),
    }
}

fn leaf(rng: &mut TestRng) -> Value {
    match rng.random_range(0..9) {
        0 => Value::Null,
        1 => Value::from(chance(rng, 2)),
        2 => Value::from(rng.random_range(-3_i64..400)),
        // Beyond 64 bits, beyond a double, and not a whole number.
        3 => [
            "123456789012345678901234567890",
            "1e999",
            "-0",
            "0.1",
            "1E400",
        ]
        .get(rng.random_range(0..5))
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default(),
        4 => Value::from(*pick(rng, WORDS)),
        5 => Value::from(*pick(rng, HOSTILE)),
        6 => json!([]),
        7 => json!({}),
        _ => json!({"$ref": pick(rng, REFERENCES)}),
    }
}

fn wrapped(rng: &mut TestRng, inner: Value) -> Value {
    match rng.random_range(0..5) {
        0 => json!([inner]),
        1 => json!({"allOf": [inner.clone(), inner]}),
        2 => json!({"anyOf": [inner, {"type": "null"}]}),
        3 => {
            let mut deep = inner;
            for _ in 0..rng.random_range(1..300) {
                deep = json!({"items": deep});
            }
            deep
        }
        _ => {
            let key = *pick(rng, KEYS);
            json!({key: inner})
        }
    }
}

/// Changes bytes in one to twenty places.
pub(crate) fn bytes(rng: &mut TestRng, text: &mut Vec<u8>) {
    for _ in 0..rng.random_range(1..21) {
        let length = text.len();
        if length == 0 {
            return;
        }
        let start = rng.random_range(0..length);
        let end = (start + rng.random_range(1..40)).min(length);
        match rng.random_range(0..7) {
            0 => text[start] = rng.random(),
            1 => text[start] = *pick(rng, b"{}[]:,\"'#&*!|>-\t\n %@`?~<"),
            2 => drop(text.drain(start..end)),
            3 => {
                let copied = text[start..end].to_vec();
                text.splice(start..start, copied);
            }
            4 => {
                let hostile = pick(rng, HOSTILE).bytes();
                text.splice(start..start, hostile);
            }
            5 => {
                let other = rng.random_range(0..length);
                text.swap(start, other);
            }
            _ if chance(rng, 4) => text.truncate(start),
            _ => {}
        }
    }
}
