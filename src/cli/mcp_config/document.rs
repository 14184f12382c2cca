//! A server's entry in a file that people and clients write as well: all else in it stays as it is,
//! comments and layout too. `json` and `toml` put it there.

use std::fmt;

use serde_json::{Map, Value};

/// Why an entry cannot be put into a file. Nothing of the file is repeated: it may hold secrets.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Error {
    #[error("it is no JSON, not even with comments: {what} in {place}")]
    Json { what: String, place: Place },
    #[error("it is no TOML: see {0}")]
    Toml(Place),
    #[error("it has a key twice in one object, the second time in {0}; remove one of them")]
    Doubled(Place),
    #[error("expected {expected} at `{place}`, found something else")]
    Shape {
        place: String,
        expected: &'static str,
    },
    #[error("it is nested deeper than {DEEPEST} levels")]
    Depth,
}

/// Levels of a file. Its parser goes as deep as the file does.
pub(super) const DEEPEST: usize = 200;

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    line: usize,
    column: usize,
}

impl Place {
    /// That of the character at this byte; both count from 1.
    pub(super) fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let last = before.rsplit('\n').next().unwrap_or_default();
        Self {
            line: before.matches('\n').count() + 1,
            column: last.chars().count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}

/// A byte order mark that a file begins with, and the rest.
pub(super) fn without_mark(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    }
}

/// What is put where.
pub(super) struct Addition<'a> {
    /// The member that holds servers.
    pub(super) servers: &'a str,
    /// The server's name.
    pub(super) name: &'a str,
    /// Its members.
    pub(super) members: &'a Map<String, Value>,
    /// Those of them that are merged member by member, such as variables and headers: what people added
    /// or filled in there stays.
    pub(super) merged: &'a [&'a str],
    /// Members that must not be there.
    pub(super) obsolete: &'a [&'a str],
    /// An item of the list `inputs`, known by its `id`.
    pub(super) input: Option<&'a Value>,
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    pub(in super::super) fn members(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(members) => members,
            other => panic!("an object, not {other}"),
        }
    }

    pub(in super::super) fn addition<'a>(
        members: &'a Map<String, Value>,
        servers: &'a str,
    ) -> Addition<'a> {
        Addition {
            servers,
            name: "mce",
            members,
            merged: &["env", "headers"],
            obsolete: &["url", "headers"],
            input: None,
        }
    }

    pub(in super::super) fn entry() -> Map<String, Value> {
        members(json!({
            "command": "/bin/mce",
            "args": ["serve"],
            "env": {"TOKEN": "", "MCE_SANDBOX_MEMORY": "512m"}
        }))
    }

    #[test]
    fn a_place_counts_lines_and_characters() {
        for (byte, place) in [(0, "line 1, column 1"), (4, "line 2, column 2")] {
            assert_eq!(Place::of("é\nab", byte).to_string(), place);
        }
    }
}
