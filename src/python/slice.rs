//! Slices of a compiled module: the text that a set of functions needs and nothing else.
//!
//! Every piece of a slice is a piece of the module as it was reviewed, byte for byte and in its
//! order, so a slice is itself a compiled module within the closed grammar.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use super::check::{ModuleError, check_module};
use crate::pysyntax::module::ModuleFacts;

/// The text of a module that passed the closed grammar, and where its definitions are.
#[derive(Debug, Clone)]
pub struct CompiledModule {
    text: Arc<str>,
    outline: Arc<Outline>,
}

/// Where the definitions of a module are, and what each names: what is costly to find, and small beside
/// the text.
#[derive(Debug)]
pub struct Outline {
    /// From the first byte to the end of `_api = Api(…)`, without the import of `typing`.
    head: Vec<Range<usize>>,
    /// The import of `typing`, where there is one, and the piece of the head it comes before.
    typing: Option<Range<usize>>,
    functions: HashMap<String, Definition>,
    types: HashMap<String, Definition>,
}

/// A class or a stub.
#[derive(Debug, Clone)]
struct Definition {
    range: Range<usize>,
    /// Where the signature begins; the start of a class.
    signature: usize,
    /// The types of the module that it names.
    uses: Vec<String>,
    uses_typing: bool,
}

impl From<ModuleFacts> for Outline {
    fn from(facts: ModuleFacts) -> Self {
        let functions = facts.functions.into_iter().map(|stub| {
            let definition = Definition {
                range: stub.range,
                signature: stub.signature,
                uses: stub.uses,
                uses_typing: stub.uses_typing,
            };
            (stub.name, definition)
        });
        let types = facts.classes.into_iter().map(|class| {
            let definition = Definition {
                signature: class.range.start,
                range: class.range,
                uses: class.uses,
                uses_typing: true,
            };
            (class.name, definition)
        });
        let is_typing = |module: &Option<String>| module.as_deref() == Some("typing");
        let typing = facts.prologue.iter().find(|it| is_typing(&it.module));
        let typing = typing.map(|it| it.range.clone());
        let mut head: Vec<Range<usize>> = facts
            .prologue
            .into_iter()
            .filter(|it| !is_typing(&it.module))
            .map(|it| it.range)
            .collect();
        if let Some(first) = head.first_mut() {
            // The comment for type checkers stands before the docstring.
            first.start = 0;
        }
        head.push(facts.api_range);
        Self {
            head,
            typing,
            functions: functions.collect(),
            types: types.collect(),
        }
    }
}

impl CompiledModule {
    /// Takes a module that was read, with what was found in it.
    #[must_use]
    pub fn new(text: String, facts: ModuleFacts) -> Self {
        Self::of(text, Arc::new(facts.into()))
    }

    /// Takes a text with the outline that was made of that very text.
    #[must_use]
    pub fn of(text: String, outline: Arc<Outline>) -> Self {
        Self {
            text: text.into(),
            outline,
        }
    }

    /// Where its definitions are.
    #[must_use]
    pub fn outline(&self) -> &Arc<Outline> {
        &self.outline
    }

    /// Reads a module.
    ///
    /// # Errors
    ///
    /// Where it is not within the closed grammar.
    pub fn read(text: String) -> Result<Self, ModuleError> {
        let facts = check_module(&text)?;
        Ok(Self::new(text, facts))
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A function's signature and documentation, without decorator and `...`.
    #[must_use]
    pub fn signature(&self, function: &str) -> Option<&str> {
        let definition = self.outline.functions.get(function)?;
        let stub = self.text.get(definition.signature..definition.range.end)?;
        Some(stub.strip_suffix("...").map_or(stub, str::trim_end))
    }

    /// The types that a function's signature names, in order.
    pub fn types_of_function(&self, function: &str) -> impl Iterator<Item = &str> {
        uses(self.outline.functions.get(function))
    }

    /// The types that a type names, in order.
    pub fn types_of_type(&self, name: &str) -> impl Iterator<Item = &str> {
        uses(self.outline.types.get(name))
    }

    /// The names of all types.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.outline.types.keys().map(String::as_str)
    }

    /// The definition of a type.
    #[must_use]
    pub fn definition(&self, name: &str) -> Option<&str> {
        self.text.get(self.outline.types.get(name)?.range.clone())
    }

    /// The module with these functions alone: docstring, imports, `_api`, the types that the
    /// functions reach, and their stubs. Names of no function are passed over.
    #[must_use]
    pub fn slice<'n>(&self, functions: impl IntoIterator<Item = &'n str>) -> String {
        let mut definitions: Vec<&Definition> = Vec::new();
        let mut waiting: VecDeque<&str> = VecDeque::new();
        let mut seen: HashSet<&str> = HashSet::new();
        for name in functions {
            if let Some((name, definition)) = self.outline.functions.get_key_value(name)
                && seen.insert(name)
            {
                definitions.push(definition);
                waiting.extend(definition.uses.iter().map(String::as_str));
            }
        }
        // Names of functions and types are told apart by their first letter.
        while let Some(name) = waiting.pop_front() {
            if let Some(definition) = self.outline.types.get(name)
                && seen.insert(name)
            {
                definitions.push(definition);
                waiting.extend(definition.uses.iter().map(String::as_str));
            }
        }
        definitions.sort_unstable_by_key(|definition| definition.range.start);
        let mut head = self.outline.head.clone();
        if definitions.iter().any(|definition| definition.uses_typing) {
            head.extend(self.outline.typing.clone());
            head.sort_unstable_by_key(|piece| piece.start);
        }
        let piece = |range: &Range<usize>| self.text.get(range.clone()).unwrap_or_default();
        let mut slice = head.iter().map(piece).collect::<Vec<_>>().join("\n\n");
        for definition in definitions {
            slice.push_str("\n\n\n");
            slice.push_str(piece(&definition.range));
        }
        slice.push('\n');
        slice
    }
}

fn uses(definition: Option<&Definition>) -> impl Iterator<Item = &str> {
    let definition = definition.into_iter();
    definition.flat_map(|definition| definition.uses.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = r#"# mypy: disable-error-code="empty-body"
"""Pets."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from mce_runtime import NULL as NULL, Api, ApiError as ApiError

_api = Api("pets", base_url_env="A", auth_env="B")


class Loner(TypedDict):
    """Knows Pet only in words."""

    x: int


class Owner(TypedDict):
    pets: NotRequired[list[Pet]]


Pet = TypedDict("Pet", {"a-b": "Owner | None"})


@_api.operation("GET", "/loner")
def get_loner() -> Loner:
    """Gives a Pet? No."""
    ...


@_api.operation("GET", "/pet")
def get_pet() -> Pet:
    """Gives a pet."""
    ...


@_api.operation("GET", "/ping")
def ping(*, times: int) -> None:
    """Does nothing."""
    ...
"#;

    #[test]
    fn a_slice_is_the_module_without_what_its_functions_do_not_reach() {
        let module = CompiledModule::read(MODULE.to_owned()).unwrap();
        let (head, rest) = MODULE.split_once("\n\n\nclass Loner").unwrap();
        let (_, owner_and_pet) = rest.split_once("\n\n\nclass Owner").unwrap();
        let (owner_and_pet, _) = owner_and_pet.split_once("\n\n\n@_api").unwrap();
        let (_, get_pet) = MODULE.split_once("def get_pet").unwrap();
        let (get_pet, _) = get_pet.split_once("\n\n\n").unwrap();
        assert_eq!(
            module.slice(["get_pet", "no_such_function"]),
            format!(
                "{head}\n\n\nclass Owner{owner_and_pet}\n\n\n@_api.operation(\"GET\", \
                 \"/pet\")\ndef get_pet{get_pet}\n"
            )
        );
        let all = module.slice(["ping", "get_pet", "get_loner"]);
        assert_eq!(all, MODULE);
    }

    #[test]
    fn the_name_of_a_union_comes_with_all_that_it_names() {
        let text = MODULE.replace("-> Loner", "-> Either");
        let text = text.replacen("\n@_api", "\nEither = Loner | Owner\n\n\n@_api", 1);
        let module = CompiledModule::read(text.clone()).unwrap();
        let get_loner = module.slice(["get_loner"]);
        CompiledModule::read(get_loner.clone()).unwrap();
        let (all, _) = text
            .split_once("\n\n\n@_api.operation(\"GET\", \"/pet\")")
            .unwrap();
        assert_eq!(get_loner, format!("{all}\n"));
        assert!(!module.slice(["get_pet"]).contains("Either"));
    }

    #[test]
    fn the_import_of_typing_goes_with_the_types() {
        let module = CompiledModule::read(MODULE.to_owned()).unwrap();
        let ping = module.slice(["ping"]);
        assert!(!ping.contains("typing"), "{ping}");
        assert!(ping.ends_with("Does nothing.\"\"\"\n    ...\n"));
        assert!(module.slice([]).ends_with("auth_env=\"B\")\n"));
    }

    #[test]
    fn every_slice_is_a_compiled_module() {
        let module = CompiledModule::read(MODULE.to_owned()).unwrap();
        for functions in [
            vec![],
            vec!["get_pet"],
            vec!["get_loner"],
            vec!["ping", "get_pet"],
        ] {
            let slice = module.slice(functions.iter().copied());
            let read = check_module(&slice).unwrap();
            let mut names: Vec<_> = read.functions.into_iter().map(|it| it.name).collect();
            names.sort();
            let mut functions = functions;
            functions.sort_unstable();
            assert_eq!(names, functions, "{slice}");
        }
    }

    #[test]
    fn what_documentation_says_is_no_definition() {
        let text = MODULE.replace("Gives a pet.", "Gives.\n\ndef fake():\n    ...\n    ");
        let module = CompiledModule::read(text).unwrap();
        assert_eq!(module.signature("fake"), None);
        assert!(module.signature("get_pet").unwrap().ends_with("\"\"\""));
    }
}
