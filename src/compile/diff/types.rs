//! What differences of schemas mean to code that gives or reads their values.

use std::collections::BTreeSet;

use serde_json::Value;

use super::schema::{self, Difference};
use super::users::{Users, taken};
use super::{Change, Kind, Level, ServerDiff};
use crate::api::Manifest;
use crate::api::schema::reachable;

/// What code does with values of a type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Use {
    /// It has to make them.
    given: bool,
    /// It relies on what is in them.
    read: bool,
}

impl Use {
    pub(super) const GIVEN: Self = Self {
        given: true,
        read: false,
    };
    pub(super) const READ: Self = Self {
        given: false,
        read: true,
    };
}

/// The types of the old side. Those that only the new one has are seen where they are used.
pub(super) fn compare(diff: &mut ServerDiff, before: &Manifest, after: &Manifest) {
    let (given, read) = (inputs(after), outputs(after));
    let users = Users::of(after);
    for (name, old) in &before.types {
        let Some(new) = after.types.get(name) else {
            diff.changes
                .push(Change::new(Level::Other, Kind::TypeRemoved).about(name));
            continue;
        };
        let values = Use {
            given: given.contains(name),
            // A type that nothing reaches may be read for all that is known.
            read: read.contains(name) || !given.contains(name),
        };
        for difference in schema::compare(old, new) {
            let mut change = change_of(name, values, difference);
            users.name(name, &mut change);
            diff.changes.push(change);
        }
    }
}

/// The types that arguments are made of.
fn inputs(manifest: &Manifest) -> BTreeSet<String> {
    reachable(manifest.functions.iter().flat_map(taken), &manifest.types)
}

/// The types that answers are made of.
fn outputs(manifest: &Manifest) -> BTreeSet<String> {
    let functions = manifest.functions.iter();
    let responses = functions.flat_map(|function| &function.responses);
    reachable(responses.map(|response| &response.schema), &manifest.types)
}

/// What differs between two schemas that stand in a function itself. Limits that a type does not
/// show break no code.
pub(super) fn schema_changes(subject: &str, values: Use, old: &Value, new: &Value) -> Vec<Change> {
    schema::compare(old, new)
        .into_iter()
        .map(|difference| match difference {
            Difference::Other { old, new } => Change::new(Level::Other, Kind::ConstraintsChanged)
                .about(subject)
                .from(old.to_string())
                .to(new.to_string()),
            difference => change_of(subject, values, difference),
        })
        .collect()
}

/// A difference in the type of this name.
fn change_of(name: &str, values: Use, difference: Difference) -> Change {
    let within = |key: &str| format!("{name}.{key}");
    let of_values = |key: Option<String>| key.map_or_else(|| name.to_owned(), |key| within(&key));
    let breaking_where = |breaks: bool| {
        if breaks {
            Level::Breaking
        } else {
            Level::Other
        }
    };
    match difference {
        Difference::KeyRemoved(key) => {
            Change::new(Level::Breaking, Kind::KeyRemoved).about(&within(&key))
        }
        Difference::KeyAdded {
            key,
            required: true,
        } if values.given => {
            Change::new(Level::Breaking, Kind::RequiredKeyAdded).about(&within(&key))
        }
        Difference::KeyAdded { key, .. } => {
            Change::new(Level::Other, Kind::KeyAdded).about(&within(&key))
        }
        Difference::KeyRequired(key) => {
            Change::new(breaking_where(values.given), Kind::KeyRequired).about(&within(&key))
        }
        // Code that reads it could rely on it.
        Difference::KeyOptional(key) => {
            Change::new(breaking_where(values.read), Kind::KeyOptional).about(&within(&key))
        }
        Difference::KeyChanged { key, old, new } => Change::new(Level::Breaking, Kind::KeyChanged)
            .about(&within(&key))
            .from(old.to_string())
            .to(new.to_string()),
        Difference::ValueRemoved { key, value } => {
            Change::new(breaking_where(values.given), Kind::EnumValueRemoved)
                .about(&of_values(key))
                .from(value.to_string())
        }
        Difference::ValueAdded { key, value } => Change::new(Level::Other, Kind::EnumValueAdded)
            .about(&of_values(key))
            .to(value.to_string()),
        Difference::Other { old, new } => Change::new(Level::Breaking, Kind::TypeChanged)
            .about(name)
            .from(old.to_string())
            .to(new.to_string()),
        Difference::Text => Change::new(Level::Text, Kind::TypeDescriptionChanged).about(name),
    }
}

/// A Python type's text without the values of its `Literal`s, which are compared as sets.
pub(super) fn without_values(python_type: &str) -> String {
    const OPENING: &str = "Literal[";
    let mut text = String::new();
    let mut rest = python_type;
    while let Some((before, inside)) = rest.split_once(OPENING) {
        text.push_str(before);
        text.push_str("Literal");
        rest = after_values(inside);
    }
    text.push_str(rest);
    text
}

/// What follows the bracket that ends a `Literal`.
fn after_values(inside: &str) -> &str {
    let mut quote = None;
    let mut is_escaped = false;
    for (index, character) in inside.char_indices() {
        match (quote, character) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(opening), _) if character == opening => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, ']') => return inside.get(index + 1..).unwrap_or_default(),
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_taken_out_of_types_whatever_is_in_them() {
        for (text, expected) in [
            ("int", "int"),
            ("Literal[1, 2]", "Literal"),
            (
                "list[Literal[\"a]\", 'b\\']'] | None]",
                "list[Literal | None]",
            ),
            ("Literal[\"a\"", "Literal"),
        ] {
            assert_eq!(without_values(text), expected, "{text}");
        }
    }
}
