//! Excerpts of a checked `functions.py` for a reader: functions with the types they need, within
//! a number of bytes.

use std::collections::{HashSet, VecDeque};

use super::discovery::one_line;
use crate::python::CompiledModule;

/// What types may take however long the documentation is, in bytes: who sends a body needs its type
/// more than prose.
const LEAST_FOR_TYPES: usize = 900;

/// A function as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excerpt {
    /// The types, then the function without its decorator.
    pub(super) text: String,
    /// Types that did not fit.
    pub(super) omitted: Vec<String>,
}

/// The function of this name, within about `longest` bytes, with those types its signature needs,
/// nearest first, that keep it within `budget` bytes. Types in `shown` were shown before and are not
/// repeated; those that are shown now are added.
pub(super) fn excerpt<'m>(
    module: &'m CompiledModule,
    function: &str,
    longest: usize,
    budget: usize,
    shown: &mut HashSet<&'m str>,
) -> Option<Excerpt> {
    let stub = module.signature(function)?;
    let stub = super::preview::ends(stub, longest).unwrap_or_else(|| stub.to_owned());
    let mut rest = budget.saturating_sub(stub.len()).max(LEAST_FOR_TYPES);
    let mut types = Vec::new();
    let mut omitted = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut waiting: VecDeque<&str> = module.types_of_function(function).collect();
    while let Some(name) = waiting.pop_front() {
        if !seen.insert(name) {
            continue;
        }
        if shown.contains(name) {
            waiting.extend(module.types_of_type(name));
            continue;
        }
        let Some(text) = module.definition(name) else {
            continue;
        };
        if text.len() > rest {
            omitted.push(name.to_owned());
            continue;
        }
        rest -= text.len();
        shown.insert(name);
        types.push(text);
        waiting.extend(module.types_of_type(name));
    }
    let mut text = String::new();
    // Types come before what names them, as one would write them.
    for part in types.into_iter().rev() {
        text.push_str(part);
        text.push_str("\n\n");
    }
    text.push_str(&stub);
    Some(Excerpt { text, omitted })
}

/// A function's signature on one line, of at most `characters`.
pub(super) fn one_line_signature(
    module: &CompiledModule,
    function: &str,
    characters: usize,
) -> Option<String> {
    let text = module.signature(function)?;
    let head = text
        .split_once("\n    \"\"\"")
        .map_or(text, |(head, _)| head);
    let line = one_line(head.trim_end_matches(':'), characters);
    Some(line.replace("( ", "(").replace(", )", ")"))
}

/// The definition of a type, within about `longest` bytes.
pub(super) fn definition(module: &CompiledModule, name: &str, longest: usize) -> Option<String> {
    let text = module.definition(name)?;
    Some(super::preview::ends(text, longest).unwrap_or_else(|| text.to_owned()))
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

_api = Api("pets", base_url_env="A", auth_env="B")


class Owner(TypedDict):
    """Knows Unrelated only in words."""

    name: str


class Unrelated(TypedDict):
    x: int


class Pet(TypedDict, total=False):
    id: int
    owner: Owner


Odd = TypedDict("Odd", {"a-b": "int"})


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
def get_odd(*, owner: Owner) -> Odd:
    """Gives something odd."""
    ...
"#;

    const OWNER: &str = r#"class Owner(TypedDict):
    """Knows Unrelated only in words."""

    name: str

"#;
    const PET: &str = "class Pet(TypedDict, total=False):\n    id: int\n    owner: Owner\n\n";
    const GET_PET: &str = r#"def get_pet(
    *,
    pet_id: int,
) -> Pet:
    """Gives a pet, never an Unrelated.

def not_a_function():
    """"#;
    const ODD: &str = "Odd = TypedDict(\"Odd\", {\"a-b\": \"int\"})\n\n";
    const GET_ODD: &str =
        "def get_odd(*, owner: Owner) -> Odd:\n    \"\"\"Gives something odd.\"\"\"";

    fn module() -> CompiledModule {
        CompiledModule::read(MODULE.to_owned()).unwrap()
    }

    fn alone(function: &str, budget: usize) -> Option<(String, Vec<String>)> {
        let excerpt = excerpt(&module(), function, budget, budget, &mut HashSet::new())?;
        Some((excerpt.text, excerpt.omitted))
    }

    #[test]
    fn a_function_comes_with_the_types_its_signature_needs() {
        let expected = format!("{OWNER}{PET}{GET_PET}");
        assert_eq!(alone("get_pet", 4_000), Some((expected, vec![])));
        let expected = format!("{ODD}{OWNER}{GET_ODD}");
        assert_eq!(alone("get_odd", 4_000), Some((expected, vec![])));
        assert_eq!(alone("not_a_function", 4_000), None);
    }

    #[test]
    fn types_beyond_the_budget_are_named() {
        let long = MODULE.replace("Knows Unrelated", &format!("Knows {}", "x".repeat(900)));
        let module = CompiledModule::read(long).unwrap();
        let excerpt = excerpt(&module, "get_pet", 190, 190, &mut HashSet::new()).unwrap();
        assert_eq!(excerpt.omitted, ["Owner"]);
        assert_eq!(excerpt.text, format!("{PET}{GET_PET}"));
    }

    #[test]
    fn what_was_shown_before_is_not_shown_again() {
        let module = module();
        let mut shown = HashSet::new();
        let mut show = |function| {
            excerpt(&module, function, 4_000, 4_000, &mut shown)
                .unwrap()
                .text
        };
        assert_eq!(show("get_pet"), format!("{OWNER}{PET}{GET_PET}"));
        assert_eq!(show("get_odd"), format!("{ODD}{GET_ODD}"));
        assert_eq!(show("get_odd"), GET_ODD);
    }
}
