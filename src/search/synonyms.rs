//! Words that mean about the same, of English at large.

use std::sync::LazyLock;

/// A line is a word and the words near it, nearest first, each behind a digit: tenths of how well it
/// stands for the word. Lines are sorted by their words. `scripts/synonyms` writes it.
const TABLE: &str = include_str!("../../config/synonyms.txt");

static LINES: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let lines = TABLE.lines().filter(|it| !it.starts_with('#'));
    lines.filter_map(|line| line.split_once(' ')).collect()
});

/// Endings of forms, and what the word itself has in their place.
const ENDINGS: [(&str, &str); 8] = [
    ("", ""),
    ("s", ""),
    ("es", ""),
    ("ies", "y"),
    ("d", ""),
    ("ed", ""),
    ("ing", ""),
    ("ing", "e"),
];

/// The synonyms of a word in lower case, or of that which it is a form of, nearest first, and how well
/// each stands for it, from 0 to 1.
pub(super) fn of(word: &str) -> impl Iterator<Item = (&'static str, f32)> {
    let mut bases = ENDINGS.iter().filter_map(|(ending, own)| {
        let stem = word.strip_suffix(ending)?;
        Some(format!("{stem}{own}"))
    });
    let line = bases.find_map(|base| line(&base));
    line.unwrap_or_default().split(' ').filter_map(|synonym| {
        let (tenths, word) = synonym.split_at_checked(1)?;
        Some((word, tenths.parse::<f32>().ok()? / 10.0))
    })
}

fn line(word: &str) -> Option<&'static str> {
    let at = LINES.binary_search_by(|(it, _)| (*it).cmp(word)).ok()?;
    LINES.get(at).map(|(_, synonyms)| *synonyms)
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
