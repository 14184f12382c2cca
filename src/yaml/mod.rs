//! Reads YAML and JSON into one tree whose nodes know where they stand.
//!
//! Both `swaggers.yaml` and API documents come through here, so that limits, duplicate keys,
//! numbers beyond 64 bits and error positions are handled once. Scalars follow the YAML 1.2 core
//! schema without its surprises: only `true`/`false` (any of the three usual spellings) are
//! booleans and only `null`, `~` and nothing are null; `yes`, `on`, `NO` and dates stay strings.

use serde_json::{Number, Value};

mod breaks;
mod events;
mod json;
mod merge;
mod scalar;

/// Bounds on a document, checked while it is read.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Size of the text in bytes.
    pub bytes: usize,
    /// Nesting of collections.
    pub depth: usize,
    /// Nodes of the tree, those that aliases repeat counted each time.
    pub nodes: usize,
    /// Of those, the ones that anchors and aliases may copy.
    pub copied_nodes: usize,
    /// Bytes of text in what anchors and aliases copy.
    pub copied_bytes: usize,
}

impl Limits {
    /// The bounds for API documents.
    pub const DOCUMENT: Self = Self {
        bytes: 64 << 20,
        depth: 256,
        nodes: 5_000_000,
        copied_nodes: 1_000_000,
        copied_bytes: 64 << 20,
    };
    /// The bounds for configuration files.
    pub const CONFIG: Self = Self {
        bytes: 1 << 20,
        depth: 32,
        nodes: 100_000,
        copied_nodes: 100_000,
        copied_bytes: 1 << 20,
    };
}

/// A place in a text: line and column, both counted from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A value and where it begins.
#[derive(Debug, Clone)]
pub struct Node {
    /// The value.
    pub value: NodeValue,
    /// Where it begins.
    pub position: Position,
}

/// What a [`Node`] holds.
#[derive(Debug, Clone)]
pub enum NodeValue {
    /// Null.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, spelt as in the text where JSON can spell it so.
    Number(Number),
    /// A string.
    String(String),
    /// A sequence.
    Sequence(Vec<Node>),
    /// A mapping in the order of the text, merge keys (`<<`) applied; keys are always strings.
    Mapping(Vec<(Key, Node)>),
}

/// A key of a mapping and where it begins.
#[derive(Debug, Clone)]
pub struct Key {
    /// The key; integers, booleans and the like as they are spelt.
    pub text: String,
    /// Where it begins.
    pub position: Position,
}

/// Why a text could not be read. Never quotes the text beyond a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {message}")]
pub struct Error {
    /// Where.
    pub position: Position,
    /// What was expected and what was found.
    pub message: String,
    /// Whether the text is fine but for what exceeds the limits.
    pub is_limit: bool,
}

impl Error {
    fn new(position: Position, message: impl Into<String>) -> Self {
        Self {
            position,
            message: message.into(),
            is_limit: false,
        }
    }

    fn limit(position: Position, message: impl Into<String>) -> Self {
        Self {
            is_limit: true,
            ..Self::new(position, message)
        }
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Node {
    /// The same value without positions.
    #[must_use]
    pub fn into_json(self) -> Value {
        match self.value {
            NodeValue::Null => Value::Null,
            NodeValue::Bool(value) => Value::Bool(value),
            NodeValue::Number(value) => Value::Number(value),
            NodeValue::String(value) => Value::String(value),
            NodeValue::Sequence(items) => items.into_iter().map(Self::into_json).collect(),
            NodeValue::Mapping(members) => members
                .into_iter()
                .map(|(key, node)| (key.text, node.into_json()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}

/// Reads one YAML (or JSON) document into a tree with positions.
///
/// # Errors
/// Text that is not UTF-8 or not YAML, more than one document, duplicate keys (both lines are
/// named), keys that are no scalars, and whatever exceeds `limits`.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Node, Error> {
    events::read(text(bytes, limits)?, limits)
}

/// Reads one JSON or YAML document without keeping positions: the way for API documents, which
/// may be large. A text that begins with `{` or `[` is JSON, unless its first key is in no double
/// quotes, as YAML permits.
///
/// # Errors
/// As [`read`]. What a JSON parser rejects for its JSON is not tried as YAML.
pub fn read_value(bytes: &[u8], limits: &Limits) -> Result<Value, Error> {
    let text = text(bytes, limits)?;
    if is_json(text) {
        json::read(text, limits)
    } else {
        events::read(text, limits).map(Node::into_json)
    }
}

/// A key that is JSON stands in double quotes; `//` and `/*` begin what is meant as JSON too.
fn is_json(text: &str) -> bool {
    match text.trim_start().strip_prefix('{') {
        Some(rest) => {
            let first = rest.trim_start().chars().next();
            first.is_none_or(|first| matches!(first, '"' | '}' | '{' | '[' | '/' | ','))
        }
        None => text.trim_start().starts_with('['),
    }
}

fn text<'a>(bytes: &'a [u8], limits: &Limits) -> Result<&'a str, Error> {
    let start = Position { line: 1, column: 1 };
    if bytes.len() > limits.bytes {
        return Err(Error::limit(
            start,
            format!(
                "expected at most {} bytes, found {}",
                limits.bytes,
                bytes.len()
            ),
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = before.split(|byte| *byte == b'\n').count();
        Error::new(
            Position { line, column: 1 },
            "expected UTF-8 text, found other bytes",
        )
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

#[cfg(test)]
mod tests;
