//! Modules that the interpreter lacks, and helpers of lowered code, in the Python that it has.
//!
//! Of all of it code is given what it uses, and what that uses in turn: the sources are taken apart
//! into the statements at their top level, each with the names that it defines and those it mentions.

mod parts;
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use self::parts::{Part, Source, words};
use super::lower::Names;

/// What each module of the interpreter gives: `module<TAB>names`.
const NATIVE: &str = include_str!("native.tsv");

/// The same for the modules that are written here.
const BRIDGED: &str = include_str!("modules.tsv");

fn names(table: &str) -> Names {
    let lines = table.lines().filter_map(|line| line.split_once('\t'));
    lines
        .map(|(module, names)| {
            let names = names.split(' ').filter(|name| !name.is_empty());
            (module.to_owned(), names.map(str::to_owned).collect())
        })
        .collect()
}

/// The modules that are written here.
pub(super) fn bridged() -> &'static Names {
    static NAMES: LazyLock<Names> = LazyLock::new(|| names(BRIDGED));
    &NAMES
}

/// The modules of the interpreter.
pub(super) fn native() -> &'static Names {
    static NAMES: LazyLock<Names> = LazyLock::new(|| names(NATIVE));
    &NAMES
}

/// A statement of the library, as the interpreter is given it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where it stands in the library; pieces are run in this order, each once.
    pub(super) number: u32,
    pub(super) text: &'static str,
}

/// The sources in the order in which they are run.
static LIBRARY: LazyLock<Vec<Source>> =
    LazyLock::new(|| sources::SOURCES.iter().map(Source::new).collect());

/// Which of the sources define a name.
static DEFINED: LazyLock<BTreeMap<&str, Vec<usize>>> = LazyLock::new(|| {
    let mut defined = BTreeMap::<&str, Vec<usize>>::new();
    for (at, source) in LIBRARY.iter().enumerate() {
        for name in source.names() {
            let sources = defined.entry(name).or_default();
            if sources.last() != Some(&at) {
                sources.push(at);
            }
        }
    }
    defined
});

/// The pieces that texts of lowered code need, in order.
pub(super) fn needed<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<Piece> {
    let mut waiting: Vec<&str> = texts.into_iter().flat_map(words).collect();
    if waiting.is_empty() {
        return Vec::new();
    }
    let mut seen = BTreeSet::new();
    let mut taken = BTreeMap::<(usize, usize), &'static Part>::new();
    while let Some(name) = waiting.pop() {
        if !seen.insert(name) {
            continue;
        }
        for at in DEFINED.get(name).into_iter().flatten() {
            let parts = LIBRARY.get(*at).map_or(&[][..], Source::parts);
            for (index, part) in parts.iter().enumerate() {
                if part.defines(name) && taken.insert((*at, index), part).is_none() {
                    waiting.extend(part.words());
                }
            }
        }
    }
    let pieces = taken.into_iter().map(|((at, index), part)| Piece {
        number: u32::try_from((at << 16) | index).unwrap_or(u32::MAX),
        text: part.text(),
    });
    pieces.collect()
}

#[cfg(test)]
mod tests;
