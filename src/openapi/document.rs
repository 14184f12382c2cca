//! The document as a tree, and what local references in it lead to.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::bundle::{Census, MOST_REFERENCES, Parts};
use super::pointer::{LONGEST_REFERENCE, MOST_HOPS, decoded, escaped, step, unescaped};
use super::version::{self, Dialect};
use crate::invisible::visible;
use crate::yaml::{self, Limits, NodeValue, Position};

/// References followed in a row before giving up.
const LONGEST_CHAIN: usize = 256;
/// Bytes that may be repeated in all operations together, by references or by what the document
/// says for several of them.
const MOST_REPEATED: usize = 128 << 20;
/// What a value costs beside its text, in bytes.
const VALUE_COST: usize = 64;

/// Why bytes are no usable document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Neither JSON nor YAML.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// Text that exceeds a limit.
    #[error("line {line}, column {column}: {message}")]
    Limit {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Which limit.
        message: String,
    },
    /// Something else than text of an API document.
    #[error("this is no OpenAPI document: {0}")]
    NotADocument(String),
    /// A version that cannot be read.
    #[error("{0}")]
    Version(String),
    /// More references than the limit.
    #[error("the document holds more than {MOST_REFERENCES} references (`$ref`)")]
    TooManyReferences,
    /// Operations that refer to the same large parts again and again.
    #[error(
        "its operations repeat more than {} MiB through references to parameters, bodies, responses and path items, or through what is said for all of them",
        MOST_REPEATED >> 20
    )]
    TooMuchRepeated,
}

/// Why a reference leads nowhere. The text completes `unsupported: `.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReferenceError {
    #[error("external reference `{0}`")]
    External(String),
    #[error("reference `{0}` leads nowhere")]
    Missing(String),
    #[error("reference `{reference}` cannot be resolved: {reason}")]
    Unresolved { reference: String, reason: String },
    #[error("reference `{0}` is part of a loop or of a chain longer than {LONGEST_CHAIN}")]
    Endless(String),
    #[error("all operations together repeat too much of the document")]
    TooMuchRepeated,
}

impl ReferenceError {
    /// Whether there is nothing where the reference leads.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing(_))
    }
}

/// A parsed document.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) root: Map<String, Value>,
    /// What lies elsewhere.
    pub(super) parts: Parts,
    pub(super) version: String,
    pub(super) dialect: Dialect,
    /// What operations have repeated, in bytes.
    repeated: Cell<usize>,
    /// What one use of a reference repeats, in bytes.
    costs: RefCell<HashMap<String, usize>>,
}

/// Where the value of `paths` begins: read again with positions, which a good document never needs.
fn position_of_paths(bytes: &[u8]) -> Position {
    let node = yaml::read(bytes, &yaml::Limits::DOCUMENT).map(|node| node.value);
    let Ok(NodeValue::Mapping(entries)) = node else {
        return Position { line: 1, column: 1 };
    };
    entries
        .iter()
        .find(|(key, _)| key.text == "paths")
        .map_or(Position { line: 1, column: 1 }, |(_, value)| value.position)
}

impl Document {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::of(parse_tree(bytes, &Limits::DOCUMENT)?, bytes)
    }

    /// `bytes` are those that `root` was read from.
    pub(super) fn of(root: Value, bytes: &[u8]) -> Result<Self, ReadError> {
        Self::new(root, || position_of_paths(bytes))
    }

    /// `position_of_paths` is asked for where the value of `paths` begins if that value is wrong.
    pub(super) fn new(
        root: Value,
        position_of_paths: impl FnOnce() -> Position,
    ) -> Result<Self, ReadError> {
        if Census::of(&root).references > MOST_REFERENCES {
            return Err(ReadError::TooManyReferences);
        }
        let Value::Object(root) = root else {
            let found = match root {
                Value::Null => "there is nothing in it",
                Value::Array(_) => "a mapping was expected at its root, a list was found",
                _ => "a mapping was expected at its root, a single value was found",
            };
            return Err(ReadError::NotADocument(found.to_owned()));
        };
        let (dialect, version) = version::of(&root)?;
        if root
            .get("paths")
            .is_some_and(|paths| !paths.is_object() && !paths.is_null())
        {
            let Position { line, column } = position_of_paths();
            return Err(ReadError::Syntax {
                line,
                column,
                message: "`paths` must be a mapping from path templates to path items".to_owned(),
            });
        }
        Ok(Self {
            root,
            parts: Parts::default(),
            version,
            dialect,
            repeated: Cell::default(),
            costs: RefCell::default(),
        })
    }

    /// What a value stands for: itself, or what its `$ref` leads to in the end.
    pub(super) fn resolve<'a>(&'a self, value: &'a Value) -> Result<&'a Value, ReferenceError> {
        let mut current = value;
        for _ in 0..LONGEST_CHAIN {
            let Some(reference) = reference_of(current) else {
                return Ok(current);
            };
            current = self.repeat(reference)?;
        }
        Err(endless(reference_of(value).unwrap_or_default()))
    }

    /// As [`Self::resolve`], for a place that takes no copy of it.
    pub(super) fn look_through<'a>(
        &'a self,
        value: &'a Value,
    ) -> Result<&'a Value, ReferenceError> {
        let mut current = value;
        for _ in 0..LONGEST_CHAIN {
            let Some(reference) = reference_of(current) else {
                return Ok(current);
            };
            current = self.look_at(reference)?;
        }
        Err(endless(reference_of(value).unwrap_or_default()))
    }

    /// The canonical pointer of what a schema's `$ref` leads to in the end: targets that are
    /// nothing but a reference themselves are passed through.
    pub(super) fn schema_target(
        &self,
        reference: &str,
    ) -> Result<(String, &Value), ReferenceError> {
        let mut next = reference;
        for _ in 0..LONGEST_CHAIN {
            let (pointer, value) = self.look_up(next)?;
            match (reference_of(value), value.as_object().map(Map::len)) {
                (Some(further), Some(1)) => next = further,
                _ if value.is_object() || value.is_boolean() => return Ok((pointer, value)),
                _ => return Err(ReferenceError::Missing(shown(reference))),
            }
        }
        Err(endless(reference))
    }

    /// What a reference leads to, one step, for a place that takes no copy of it.
    pub(super) fn look_at(&self, reference: &str) -> Result<&Value, ReferenceError> {
        self.look_up(reference).map(|(_, value)| value)
    }

    /// What a path item's `$ref` leads to, one step.
    pub(super) fn path_item_target(&self, reference: &str) -> Result<&Value, ReferenceError> {
        self.repeat(reference)
    }

    /// What a reference leads to, for a place that takes a copy of it: a small document could
    /// otherwise grow to any size.
    fn repeat(&self, reference: &str) -> Result<&Value, ReferenceError> {
        let (pointer, value) = self.look_up(reference)?;
        let cost = *self
            .costs
            .borrow_mut()
            .entry(pointer)
            .or_insert_with(|| cost(value));
        self.charge(cost)?;
        Ok(value)
    }

    /// Counts what an operation takes a copy of that stands in the document once for several, in
    /// bytes.
    pub(super) fn charge(&self, bytes: usize) -> Result<(), ReferenceError> {
        self.repeated.set(self.repeated.get().saturating_add(bytes));
        if self.is_too_large() {
            return Err(ReferenceError::TooMuchRepeated);
        }
        Ok(())
    }

    /// Whether operations have repeated more than a document may.
    pub(super) fn is_too_large(&self) -> bool {
        self.repeated.get() > MOST_REPEATED
    }

    /// What a reference leads to, and its canonical spelling. Where a pointer goes on behind a
    /// node that is a reference itself, so does the look-up.
    fn look_up(&self, reference: &str) -> Result<(String, &Value), ReferenceError> {
        let missing = || {
            // A file that is there, and does not hold what is asked of it.
            if reference.starts_with('#') || reference.is_empty() {
                return ReferenceError::Missing(shown(reference));
            }
            ReferenceError::Unresolved {
                reference: shown(reference),
                reason: "there is nothing of that name in it".to_owned(),
            }
        };
        let mut way = Cow::Borrowed(reference);
        for _ in 0..MOST_HOPS {
            let (name, fragment) = way.split_once('#').unwrap_or((&way, ""));
            let (name, fragment) = (name.to_owned(), fragment.to_owned());
            let pointer = decoded(&fragment).ok_or_else(missing)?;
            let (mut tokens, mut current) = if name.is_empty() {
                let mut tokens = pointer.strip_prefix('/').ok_or_else(missing)?.split('/');
                let first = tokens.next().map(unescaped).ok_or_else(missing)?;
                let found = self.root.get(&first).ok_or_else(missing)?;
                (tokens, found)
            } else {
                let tree = self.part(&name, reference)?;
                let mut tokens = pointer.split('/');
                if tokens.next().is_some_and(|before| !before.is_empty()) {
                    return Err(missing());
                }
                (tokens, tree)
            };
            let further = loop {
                let Some(token) = tokens.next() else {
                    let canonical = pointer.replace('%', "%25");
                    return Ok((format!("{name}#{canonical}"), current));
                };
                if let Some(next) = step(current, &unescaped(token)) {
                    current = next;
                    continue;
                }
                let inner = reference_of(current).ok_or_else(missing)?;
                let hash = if inner.contains('#') { "" } else { "#" };
                let rest = std::iter::once(token).chain(tokens);
                break rest.fold(format!("{inner}{hash}"), |way, token| {
                    format!("{way}/{}", escaped(&unescaped(token)))
                });
            };
            if further.len() > LONGEST_REFERENCE {
                break;
            }
            way = Cow::Owned(further);
        }
        Err(endless(reference))
    }

    /// The part of a name; `reference` is for the message.
    fn part(&self, name: &str, reference: &str) -> Result<&Value, ReferenceError> {
        if let Some(tree) = self.parts.trees.get(name) {
            return Ok(tree);
        }
        Err(match self.parts.unresolved.get(name) {
            Some(reason) => ReferenceError::Unresolved {
                reference: shown(reference),
                reason: visible(reason),
            },
            None => ReferenceError::External(shown(reference)),
        })
    }
}

/// Reads a document, or a part of one.
pub(super) fn parse_tree(bytes: &[u8], limits: &Limits) -> Result<Value, ReadError> {
    looks_like_something_else(bytes)?;
    yaml::read_value(bytes, limits).map_err(|error| {
        let Position { line, column } = error.position;
        let message = error.message;
        if error.is_limit {
            ReadError::Limit {
                line,
                column,
                message,
            }
        } else {
            ReadError::Syntax {
                line,
                column,
                message,
            }
        }
    })
}

fn reference_of(value: &Value) -> Option<&str> {
    value.as_object()?.get("$ref")?.as_str()
}

fn endless(reference: &str) -> ReferenceError {
    ReferenceError::Endless(shown(reference))
}

/// A reference for a message: bounded, nothing hidden in it, no user name, password or query.
pub(super) fn shown(reference: &str) -> String {
    let (target, fragment) = reference.split_once('#').unwrap_or((reference, ""));
    let target = target.split('?').next().unwrap_or_default();
    let mut bare = if let Some((scheme, rest)) = target.split_once("//") {
        let end = rest.find('/').unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let host = authority.rsplit('@').next().unwrap_or_default();
        format!("{scheme}//{host}{path}")
    } else {
        target.to_owned()
    };
    if !fragment.is_empty() {
        bare = format!("{bare}#{fragment}");
    }
    visible(&bare).chars().take(200).collect()
}

/// About how many bytes a copy takes, without what no operation takes a copy of.
pub(super) fn cost(value: &Value) -> usize {
    let inner = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(cost).sum(),
        Value::Object(members) => members
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "example" | "examples"))
            .map(|(key, member)| key.len() + cost(member))
            .sum(),
        _ => 0,
    };
    VALUE_COST + inner
}

/// What a text costs in a copy.
pub(super) fn cost_of_text(text: &str) -> usize {
    VALUE_COST + text.len()
}

/// Catches what is often served in a document's place, before a parser makes a riddle of it.
fn looks_like_something_else(bytes: &[u8]) -> Result<(), ReadError> {
    let start: Vec<u8> = bytes
        .iter()
        .copied()
        .skip_while(u8::is_ascii_whitespace)
        .take(15)
        .map(|byte| byte.to_ascii_lowercase())
        .collect();
    let found = if bytes.is_empty() {
        "the file is empty"
    } else if start.starts_with(b"<!doctype html") || start.starts_with(b"<html") {
        "it looks like an HTML page, such as a sign-in page"
    } else if start.starts_with(b"<?xml") {
        "it looks like XML"
    } else if bytes.starts_with(&[0x1f, 0x8b]) {
        "it looks like gzip; unpack it first"
    } else if bytes.starts_with(b"PK\x03\x04") {
        "it looks like a zip archive; unpack it first"
    } else {
        return Ok(());
    };
    Err(ReadError::NotADocument(found.to_owned()))
}

/// A member that is text; empty where it is not.
pub(super) fn text(members: &Map<String, Value>, key: &str) -> String {
    members
        .get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}
