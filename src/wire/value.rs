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
