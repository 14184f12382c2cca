//! Code as the interpreter takes it, from code as it is given.
//!
//! The text is edited in place: what the interpreter does as `CPython` does is left as it is, what it
//! lacks becomes calls of helpers whose names start with `_mce_` (they are in `library`), and what
//! cannot be done exactly is refused by name before anything runs. `yield` is left to a second pass
//! over the result, in `generators`.

mod assignments;
mod asynchronous;
mod attributes;
mod builtins;
mod calls;
mod captured;
mod classes;
mod deletion;
mod edits;
mod facts;
mod generators;
mod imports;
mod infer;
mod laziness;
mod methods;
mod names;
mod operators;
mod patterns;
mod rewrite;
mod scope;
mod served;
mod source;
#[cfg(test)]
mod tests;
mod top;
mod types;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use self::captured::keep as keep_builtins;
use self::facts::Facts;
use self::rewrite::Rewriter;
use self::scope::Scopes;
use self::source::Source;
pub(super) use self::top::TOP;
use crate::pysyntax::{TextRange, TextSize, parse_with_tokens};

/// Names by where they are found.
pub(super) type Names = BTreeMap<String, BTreeSet<String>>;

/// What code may import.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known<'a> {
    /// The functions of each compiled server.
    pub(super) servers: &'a Names,
    /// Those of them whose answers are streams.
    pub(super) streams: &'a Names,
    /// Its other public names, which are types.
    pub(super) types: &'a Names,
    /// The names of each bridged module, by its dotted name. A module may be native as well; the
    /// bridged one is taken.
    pub(super) bridged: &'a Names,
    /// The names of each module that the interpreter has. Where it has less of a type than `CPython`,
    /// the type is listed like a module: `datetime.date` with the names that can be taken from it.
    pub(super) native: &'a Names,
}

/// Lowered code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lowered {
    /// Python for the interpreter.
    pub(super) code: String,
    /// For each line of `code` the line of the source that it stands for, counted from 1.
    pub(super) lines: Vec<u32>,
    /// The bridged modules that the code imports.
    pub(super) modules: BTreeSet<String>,
    /// Whether the code awaits outside of functions: then it is the body of the coroutine [`TOP`].
    pub(super) awaits: bool,
}

/// What cannot be lowered exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unsupported {
    /// What the code uses, as its author would name it.
    pub(super) feature: String,
    /// The line of the source, counted from 1.
    pub(super) line: u32,
}

/// Lowers a module, which parses.
///
/// # Errors
/// The first thing found that cannot be done exactly.
pub(super) fn lower(source: &str, known: &Known<'_>) -> Result<Lowered, Unsupported> {
    let first = subset(source, known)?;
    let second = generators::lower_generators(&first.code, first.drives).map_err(|found| {
        let line = origin(&first.lines, found.line);
        Unsupported { line, ..found }
    })?;
    let lines = second.lines.iter();
    Ok(top::wrapped(Lowered {
        code: second.code,
        lines: lines.map(|line| origin(&first.lines, *line)).collect(),
        modules: first.modules,
        awaits: false,
    }))
}

/// Lowers a part of the library, which keeps to what the interpreter has. Where it `drives`, it may
/// `yield`, and its loops may be given generators that call the host.
///
/// # Errors
/// The first thing found that cannot be done exactly.
pub(super) fn lower_library(source: &str, drives: bool) -> Result<String, Unsupported> {
    if !drives {
        return Ok(captured::captured(source));
    }
    let lowered = generators::lower_generators(source, true)?;
    Ok(captured::captured(&lowered.code))
}

/// What a line of lowered code stands for.
fn origin(lines: &[u32], line: u32) -> u32 {
    let index = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
    lines.get(index).copied().unwrap_or(line)
}

/// Code in the subset of the interpreter but for `yield`.
#[derive(Debug, PartialEq, Eq)]
struct Subset {
    code: String,
    lines: Vec<u32>,
    modules: BTreeSet<String>,
    /// Whether values may come from generators that the helpers make.
    drives: bool,
}

fn subset(source: &str, known: &Known<'_>) -> Result<Subset, Unsupported> {
    let unreadable = || Unsupported {
        feature: "code that does not parse".to_owned(),
        line: 1,
    };
    let (module, tokens) = parse_with_tokens(source).map_err(|_| unreadable())?;
    let text = Source::new(source, &tokens);
    names::check(&text)?;
    let scopes = Scopes::of(&module.body);
    let facts = Facts::of(source, &scopes, known);
    let mut rewriter = Rewriter::new(&text, &scopes, known, facts);
    rewriter.module(&module.body)?;
    let (modules, drives) = (rewriter.modules, rewriter.generators);
    let whole = TextRange::up_to(TextSize::of(source));
    let (code, lines) = rewriter.edits.apply(&text, whole);
    Ok(Subset {
        code,
        lines,
        modules,
        drives,
    })
}
