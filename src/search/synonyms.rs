//! Words that mean about the same, of English at large.

use std::sync::LazyLock;

/// A line is a word and the words near it, nearest first, each behind a digit: tenths of how well it
/// stands for the word. Lines are sorted by their words. `scripts/synonyms` writes it.
const TABLE: &str = include_str!("../../config/synonyms.txt");

static LINES: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|it| !it.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).collect()
});

/// The synonyms of a word in lower case, nearest first, and how well each stands for it, from 0 to 1.
pub(super) fn of(word: &str) -> impl Iterator<Item = (&'static str, f32)> {
    let found = LINES.binary_search_by(|(it, _)| (*it).cmp(word));
    let line = found.ok().and_then(|at| LINES.get(at));
    let synonyms = line.map_or("", |(_, synonyms)| synonyms);
    synonyms.split(' ').filter_map(|synonym| {
        let (tenths, word) = synonym.split_at_checked(1)?;
        Some((word, tenths.parse::<f32>().ok()? / 10.0))
    })
}

#[cfg(test)]
mod tests {
    use super::{LINES, of};

    #[test]
    fn the_table_is_sorted_as_looking_up_needs() {
        assert!(LINES.is_sorted_by(|one, other| one.0 < other.0));
    }

    #[test]
    fn every_entry_is_a_digit_and_a_word() {
        for (word, synonyms) in LINES.iter() {
            assert_eq!(of(word).count(), synonyms.split(' ').count(), "{word}");
            assert!(of(word).all(|(it, quality)| it != *word && quality > 0.0 && quality < 1.0));
        }
    }
}
