//! The static guard for code a model wrote: violations that stop it before it runs, and facts the
//! runtime relies on. Pure. It is fast feedback and defence in depth; the boundary is the sandbox
//! and the table of operations.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::Serialize;

/// The names that compiled servers offer: server, then its functions.
pub type CompiledNames = BTreeMap<String, BTreeSet<String>>;

/// What the guard found.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Everything that stops the code, in the order of the text.
    pub violations: Vec<Violation>,
    /// What the code does, as far as its text tells; empty where it does not parse.
    pub facts: Facts,
}

/// One reason not to run the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The rule's id, such as `import-blocked`.
    pub rule: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The offending text, cut to 80 characters.
    pub text: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
}

/// What the code does, from its syntax tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Compiled servers that are imported.
    pub servers: BTreeSet<String>,
    /// Compiled functions that are named, as (server, function).
    pub functions: BTreeSet<(String, String)>,
    /// Top-level assignments of a literal to one name, in order.
    pub parameters: Vec<TopLevelParameter>,
    /// Whether a top-level `main` is defined, and whether it is `async`.
    pub main: Option<MainFunction>,
    /// Whether `result` is assigned at the top level.
    pub assigns_result: bool,
    /// Whether `await` stands outside any function.
    pub top_level_await: bool,
}

/// The `main` that the code defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MainFunction {
    /// `def main`
    Sync,
    /// `async def main`
    Async,
}

/// A top-level name that `run_cached_code` can give another value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TopLevelParameter {
    /// The name.
    pub name: String,
    /// The bytes of the value expression in the code.
    pub span: Range<usize>,
}
