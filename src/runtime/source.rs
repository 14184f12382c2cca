//! Slices of a checked `functions.py`: one function with the types it needs.
//!
//! The text has passed the compiler's closed grammar (imports, literal assignments, `TypedDict`
//! classes, decorated stubs), which is what allows to cut it at its top-level statements.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The text of a module and where its definitions are.
#[derive(Debug)]
pub(super) struct Source {
    text: Arc<str>,
    definitions: OnceLock<Definitions>,
}

#[derive(Debug, Default)]
struct Definitions {
    functions: HashMap<String, Range<usize>>,
    types: HashMap<String, Range<usize>>,
}

/// A function as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Slice {
    /// The types, then the function without its decorator.
    pub(super) text: String,
    /// Types that did not fit.
    pub(super) omitted: Vec<String>,
}

impl Source {
    /// Takes the text of a module.
    pub(super) fn new(text: String) -> Self {
        Self {
            text: text.into(),
            definitions: OnceLock::new(),
        }
    }

    /// The whole text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The function of this name with the types its signature needs, nearest first, within about
    /// `budget` bytes.
    pub(super) fn slice(&self, function: &str, budget: usize) -> Option<Slice> {
        let definitions = self.definitions.get_or_init(|| definitions(&self.text));
        let stub = self
            .text
            .get(definitions.functions.get(function)?.clone())?;
        let stub = stub.trim_end();
        let stub = stub.strip_suffix("...").map_or(stub, str::trim_end);
        let stub = super::preview::ends(stub, budget).unwrap_or_else(|| stub.to_owned());

        let mut rest = budget.saturating_sub(stub.len());
        let mut shown = Vec::new();
        let mut omitted = Vec::new();
        let mut seen = HashSet::new();
        let mut waiting: VecDeque<&str> = named_types(&stub, definitions).into();
        while let Some(name) = waiting.pop_front() {
            if !seen.insert(name) {
                continue;
            }
            let Some(text) = definitions
                .types
                .get(name)
                .and_then(|range| self.text.get(range.clone()))
            else {
                continue;
            };
            let text = text.trim_end();
            if text.len() > rest {
                omitted.push(name.to_owned());
                continue;
            }
            rest -= text.len();
            shown.push(text);
            waiting.extend(named_types(text, definitions));
        }
        let mut text = String::new();
        // Types come before what names them, as one would write them.
        for part in shown.into_iter().rev() {
            text.push_str(part);
            text.push_str("\n\n");
        }
        text.push_str(&stub);
        Some(Slice { text, omitted })
    }
}

/// The known types that a definition names outside its documentation, in order.
fn named_types<'a>(text: &str, definitions: &'a Definitions) -> Vec<&'a str> {
    let mut names = Vec::new();
    // Every second piece is the inside of a triple-quoted string.
    for code in text.split("\"\"\"").step_by(2) {
        for word in code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            if let Some((name, _)) = definitions.types.get_key_value(word) {
                names.push(name.as_str());
            }
        }
    }
    names
}

fn definitions(text: &str) -> Definitions {
    let mut found = Definitions::default();
    let mut current: Option<(Kind, String, usize)> = None;
    let mut quoted = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if !quoted && begins_statement(line) {
            close(&mut found, current.take(), at);
            current = head(line).map(|(kind, name)| (kind, name.to_owned(), at));
        }
        if line.matches("\"\"\"").count() % 2 == 1 {
            quoted = !quoted;
        }
        at += line.len();
    }
    close(&mut found, current, at);
    found
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Function,
    Type,
}

fn close(found: &mut Definitions, definition: Option<(Kind, String, usize)>, end: usize) {
    let Some((kind, name, start)) = definition else {
        return;
    };
    match kind {
        Kind::Function => found.functions.insert(name, start..end),
        Kind::Type => found.types.insert(name, start..end),
    };
}

/// Whether a line begins a statement at the top level, rather than going on with one.
fn begins_statement(line: &str) -> bool {
    line.starts_with(|first: char| {
        first.is_ascii_alphabetic() || matches!(first, '_' | '@' | '#' | '"')
    })
}

fn head(line: &str) -> Option<(Kind, &str)> {
    let name = |rest: &'_ str| {
        rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|end| *end > 0)
    };
    for (keyword, kind) in [
        ("def ", Kind::Function),
        ("class ", Kind::Type),
        ("type ", Kind::Type),
    ] {
        if let Some(rest) = line.strip_prefix(keyword) {
            return Some((kind, rest.get(..name(rest)?)?));
        }
    }
    // An alias: `Name = TypedDict(…)`, `Name: TypeAlias = …`.
    let (alias, rest) = line.split_at_checked(name(line)?)?;
    let is_alias = rest.starts_with(" = ") || rest.starts_with(": ");
    (is_alias && alias.starts_with(|c: char| c.is_ascii_uppercase())).then_some((Kind::Type, alias))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#""""Pets.

class NotAClass: this is documentation
"""
from __future__ import annotations

from typing import TypedDict
from mce_runtime import Api

_api = Api("pets")


class Owner(TypedDict):
    """Knows Unrelated only in words."""

    name: str


class Unrelated(TypedDict):
    x: int


class Pet(TypedDict, total=False):
    id: int
    owner: Owner


Odd = TypedDict("Odd", {"a-b": int})


@_api.operation(
    "GET",
    "/pets/{id}",
)
def get_pet(
    *,
    pet_id: int,
) -> Pet:
    """Gives a pet, never an Unrelated.

def not_a_function():
    """
    ...


@_api.operation("GET", "/odd")
def get_odd() -> Odd:
    """Gives something odd."""
    ...
"#;

    #[test]
    fn a_function_comes_with_the_types_its_signature_needs() {
        let slice = Source::new(MODULE.to_owned())
            .slice("get_pet", 4_000)
            .unwrap();
        assert_eq!(
            slice.text,
            r#"class Owner(TypedDict):
    """Knows Unrelated only in words."""

    name: str

class Pet(TypedDict, total=False):
    id: int
    owner: Owner

def get_pet(
    *,
    pet_id: int,
) -> Pet:
    """Gives a pet, never an Unrelated.

def not_a_function():
    """"#
        );
        assert_eq!(slice.omitted, Vec::<String>::new());
    }

    #[test]
    fn functional_typed_dicts_are_types_too() {
        let slice = Source::new(MODULE.to_owned())
            .slice("get_odd", 4_000)
            .unwrap();
        assert!(slice.text.starts_with("Odd = TypedDict("), "{}", slice.text);
    }

    #[test]
    fn types_beyond_the_budget_are_named() {
        let slice = Source::new(MODULE.to_owned())
            .slice("get_pet", 190)
            .unwrap();
        assert_eq!(slice.omitted, ["Owner"]);
        assert!(slice.text.starts_with("class Pet"));
    }

    #[test]
    fn what_documentation_says_is_no_definition() {
        let source = Source::new(MODULE.to_owned());
        assert_eq!(source.slice("not_a_function", 4_000), None);
        assert_eq!(source.slice("get_cat", 4_000), None);
    }
}
