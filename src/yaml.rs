//! Reads YAML and JSON into one tree whose nodes know where they stand.
//!
//! Both `swaggers.yaml` and API documents come through here, so that limits, duplicate keys,
//! numbers beyond 64 bits and error positions are handled once. Scalars follow the YAML 1.2 core
//! schema without its surprises: only `true`/`false` (any of the three usual spellings) are
//! booleans and only `null`, `~` and nothing are null; `yes`, `on`, `NO` and dates stay strings.

use serde_json::Number;

/// Bounds on a document, checked while it is read.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Size of the text in bytes.
    pub bytes: usize,
    /// Nesting of collections.
    pub depth: usize,
    /// Nodes of the tree, those that aliases repeat counted each time.
    pub nodes: usize,
}

impl Limits {
    /// The bounds for API documents.
    pub const DOCUMENT: Self = Self {
        bytes: 64 << 20,
        depth: 256,
        nodes: 5_000_000,
    };
    /// The bounds for configuration files.
    pub const CONFIG: Self = Self {
        bytes: 1 << 20,
        depth: 32,
        nodes: 100_000,
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
