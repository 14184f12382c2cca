//! Lowers generator functions to functions that return an object with a step function.
//!
//! Each generator function keeps its parameters; its locals become variables of that function which
//! the step function inside reaches through `nonlocal`. The step function holds the body, cut into
//! blocks at each `yield`, and runs from the block that the state names to the next `yield`. What
//! drives it is the class in `library/generators.py`, which has to run before the lowered code.

mod body;
mod cleanup;
mod consumers;
mod copy;
mod expressions;
mod flow;
mod function;
mod jumps;
mod loops;
mod module;
mod output;
mod scope;
mod source;
mod statements;
mod tries;

use self::module::Lowering;
use self::output::Written;
use self::scope::Generators;
use self::source::Source;
use super::Unsupported;
use crate::pysyntax::{TextSize, parse_with_tokens};

/// How deep lowered code may be indented: as deep as `CPython` takes it.
const MAX_INDENTATION: usize = 95;

/// Lowered code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lowered {
    /// Python without `yield`.
    pub(super) code: String,
    /// For each line of `code` the line of the source that it stands for, counted from 1.
    pub(super) lines: Vec<u32>,
}

/// Lowers all generator functions of a module. A module without any comes back unchanged, unless it
/// `drives` generators that it is given: what iterates over them has to do so by calls in which the host
/// can be called.
///
/// # Errors
/// The first thing found that cannot be done exactly; also text that is not Python, or that is
/// nested too deep.
pub(super) fn lower_generators(source: &str, drives: bool) -> Result<Lowered, Unsupported> {
    if !drives && !source.contains("yield") {
        return Ok(unchanged(source));
    }
    let unreadable = |line| Unsupported {
        feature: "code that does not parse".to_owned(),
        line,
    };
    let Ok((parsed, tokens)) = parse_with_tokens(source) else {
        return Err(unreadable(1));
    };
    let text = Source::new(source, &tokens);
    let body = &parsed.body;
    let generators = Generators::find(body);
    if let Some(at) = generators.misplaced {
        return Err(text.unsupported("`yield` outside of a function or in a lambda", at));
    }
    if !drives && generators.is_empty() {
        return Ok(unchanged(source));
    }
    if let Some(at) = lone_carriage_return(source) {
        return Err(text.unsupported("a carriage return without a line feed", at));
    }
    let closing = cleanup::closing_loops(&text, &generators, body)?;
    let lines = Lowering::new(text, generators, closing).module(body)?;
    let mut written = Written::default();
    for line in &lines {
        written.line(line);
        if written.deepest > MAX_INDENTATION {
            return Err(Unsupported {
                feature: "a generator nested this deep".to_owned(),
                line: line.origin,
            });
        }
    }
    Ok(Lowered {
        code: written.code,
        lines: written.lines,
    })
}

fn unchanged(source: &str) -> Lowered {
    let count = u32::try_from(source.lines().count()).unwrap_or(u32::MAX);
    Lowered {
        code: source.to_owned(),
        lines: (1..=count).collect(),
    }
}

fn lone_carriage_return(source: &str) -> Option<TextSize> {
    let bytes = source.as_bytes();
    let at = bytes
        .iter()
        .enumerate()
        .position(|(index, byte)| *byte == b'\r' && bytes.get(index + 1) != Some(&b'\n'))?;
    TextSize::try_from(at).ok()
}
