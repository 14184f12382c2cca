//! Words that mean about the same.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// A line is a word, a colon, and its synonyms, nearest first.
const TABLE: &str = include_str!("../../config/synonyms.txt");

static SYNONYMS: LazyLock<FxHashMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|it| !it.starts_with('#'));
    let entries = lines.filter_map(|line| {
        let (word, synonyms) = line.split_once(": ")?;
        Some((word, synonyms.split(' ').collect()))
    });
    entries.collect()
});

/// The synonyms of a word in lower case, nearest first.
pub(super) fn of(word: &str) -> &'static [&'static str] {
    SYNONYMS.get(word).map_or(&[], Vec::as_slice)
}
