//! Words that say little of what is looked for.

/// English function words: the list of the Snowball project (BSD licence), without those that
/// commonly name operations (`up`, `down`, `on`, `off`, `out`, `over`, `under`, `again`, `further`,
/// `before`, `after`, `against`, `own`, `between`, `during`).
const STOPS: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "being", "both", "but", "by", "can", "could", "did", "do", "does", "doing", "each", "few",
    "for", "from", "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his",
    "how", "i", "if", "in", "into", "is", "it", "its", "just", "me", "more", "most", "my",
    "myself", "no", "nor", "not", "now", "of", "once", "only", "or", "other", "our", "ours",
    "please", "same", "she", "should", "so", "some", "such", "than", "that", "the", "their",
    "theirs", "them", "then", "there", "these", "they", "this", "those", "through", "to", "too",
    "until", "very", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom",
    "why", "will", "with", "would", "you", "your", "yours",
];

/// Whether a word, in lower case, says little.
pub(super) fn is_stop(word: &str) -> bool {
    STOPS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{STOPS, is_stop};

    #[test]
    fn the_list_is_sorted_as_looking_up_needs() {
        assert!(STOPS.is_sorted());
        assert!(is_stop("the"));
        assert!(!is_stop("up"));
    }
}
