//! Values that cross between sandbox and host: JSON plus byte strings.

use bytes::Bytes;
use indexmap::IndexMap;
use serde_json::Number;

/// The arguments of a call by Python name. An absent name was not given; [`Value::Null`] is a
/// JSON null that was given (`mce_runtime.NULL`).
pub type Arguments = IndexMap<String, Value>;

/// JSON with byte strings. Numbers keep their spelling.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    /// JSON null.
    #[default]
    Null,
    /// A boolean.
    Bool(bool),
    /// A number, spelt as it was given.
    Number(Number),
    /// A string.
    String(String),
    /// A byte string.
    Bytes(Bytes),
    /// An array.
    Array(Vec<Value>),
    /// An object in order.
    Object(IndexMap<String, Value>),
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(value),
            serde_json::Value::Number(value) => Self::Number(value),
            serde_json::Value::String(value) => Self::String(value),
            serde_json::Value::Array(items) => {
                Self::Array(items.into_iter().map(Self::from).collect())
            }
            serde_json::Value::Object(members) => Self::Object(
                members
                    .into_iter()
                    .map(|(key, value)| (key, Self::from(value)))
                    .collect(),
            ),
        }
    }
}

/// Why a value has no JSON text: it holds bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HoldsBytes;

/// Which characters JSON text escapes beyond those it has to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escapes {
    /// None: UTF-8.
    Necessary,
    /// All that are not visible ASCII, for headers.
    NonAscii,
}

impl Value {
    /// As JSON; bytes become base64 text.
    #[must_use]
    pub fn into_json(self) -> serde_json::Value {
        use base64::Engine as _;
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(value) => serde_json::Value::Bool(value),
            Self::Number(value) => serde_json::Value::Number(value),
            Self::String(value) => serde_json::Value::String(value),
            Self::Bytes(bytes) => {
                serde_json::Value::String(base64::engine::general_purpose::STANDARD.encode(bytes))
            }
            Self::Array(items) => {
                serde_json::Value::Array(items.into_iter().map(Self::into_json).collect())
            }
            Self::Object(members) => serde_json::Value::Object(
                members
                    .into_iter()
                    .map(|(key, value)| (key, value.into_json()))
                    .collect(),
            ),
        }
    }

    /// The name of the Python type.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "None",
            Self::Bool(_) => "bool",
            Self::Number(number) if is_integer(number) => "int",
            Self::Number(_) => "float",
            Self::String(_) => "str",
            Self::Bytes(_) => "bytes",
            Self::Array(_) => "list",
            Self::Object(_) => "dict",
        }
    }

    /// Whether arrays and objects are nested deeper than this.
    #[must_use]
    pub fn is_deeper_than(&self, levels: usize) -> bool {
        let mut pending = vec![(self, 0)];
        while let Some((value, depth)) = pending.pop() {
            match value {
                Self::Array(_) | Self::Object(_) if depth == levels => return true,
                Self::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
                Self::Object(members) => {
                    pending.extend(members.values().map(|item| (item, depth + 1)));
                }
                _ => {}
            }
        }
        false
    }

    /// Appends compact JSON. Numbers keep their spelling. Only for values whose depth is bounded.
    pub(super) fn write_json(&self, text: &mut String, escapes: Escapes) -> Result<(), HoldsBytes> {
        match self {
            Self::Null => text.push_str("null"),
            Self::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => text.push_str(&number.to_string()),
            Self::String(value) => push_json_string(text, value, escapes),
            Self::Bytes(_) => return Err(HoldsBytes),
            Self::Array(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    item.write_json(text, escapes)?;
                }
                text.push(']');
            }
            Self::Object(members) => {
                text.push('{');
                for (index, (key, item)) in members.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    push_json_string(text, key, escapes);
                    text.push(':');
                    item.write_json(text, escapes)?;
                }
                text.push('}');
            }
        }
        Ok(())
    }
}

/// Whether a number is spelt as an integer: Python reads `1` as `int`, `1.0` and `1e0` as `float`.
pub(super) fn is_integer(number: &Number) -> bool {
    let spelling = number.to_string();
    let digits = spelling.strip_prefix('-').unwrap_or(&spelling);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn push_json_string(text: &mut String, value: &str, escapes: Escapes) {
    use std::fmt::Write as _;
    // A string always has a JSON text: `Value`'s `Display` is its compact form.
    let quoted = serde_json::Value::from(value).to_string();
    if escapes == Escapes::Necessary {
        text.push_str(&quoted);
        return;
    }
    for character in quoted.chars() {
        if matches!(character, ' '..='~') {
            text.push(character);
        } else {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
}
