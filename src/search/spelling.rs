//! Words that are spelt almost alike.

use super::postings::Vocabulary;

/// Shorter words are other words when a letter differs.
const SHORTEST: usize = 4;
/// From here on two letters may differ.
const LONG: usize = 8;

/// A word near another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    /// The term of the word.
    pub term: u32,
    /// How many edits lead there: a letter more, less, other, or two that changed places.
    pub edits: usize,
}

/// What bounds the number of edits between two words from below without comparing them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    length: usize,
    letters: u64,
}

impl Shape {
    /// That of a word.
    pub(super) fn of(word: &str) -> Self {
        let letters = word.chars().fold(0, |letters, it| {
            letters | 1_u64 << (u32::from(it) % u64::BITS)
        });
        Self {
            length: word.chars().count(),
            letters,
        }
    }

    /// An edit adds a letter at most, and takes one.
    fn may_be_within(self, other: Self, edits: usize) -> bool {
        let added = (self.letters & !other.letters).count_ones() as usize;
        let taken = (other.letters & !self.letters).count_ones() as usize;
        self.length.abs_diff(other.length) <= edits && added <= edits && taken <= edits
    }
}

/// The vocabulary's words that a word may be a misspelling of; none for short words and numbers.
pub(super) fn near(word: &str, vocabulary: &Vocabulary) -> Vec<Near> {
    let shape = Shape::of(word);
    if shape.length < SHORTEST || word.chars().any(|it| it.is_ascii_digit()) {
        return Vec::new();
    }
    let most = if shape.length < LONG { 1 } else { 2 };
    vocabulary
        .shapes()
        .filter(|(_, other)| shape.may_be_within(*other, most))
        .filter_map(|(number, _)| {
            let edits = strsim::osa_distance(word, vocabulary.word(number));
            (edits <= most).then(|| Near {
                term: vocabulary.term_of(number),
                edits,
            })
        })
        .collect()
}
