//! Words that say little of what is looked for.

/// English function words: the list of the Snowball project (BSD licence) and indefinite pronouns.
const STOPS: &[&str] = &[
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and",
    "any", "anybody", "anyone", "anything", "are", "as", "at", "be", "because", "been",
    "before", "being", "below", "between", "both", "but", "by", "can", "could", "did", "do",
    "does", "doing", "down", "during", "each", "everybody", "everyone", "everything", "few",
    "for", "from", "further", "had", "has", "have", "having", "he", "her", "here", "hers",
    "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "itself", "just", "many", "me", "more", "most", "much", "my", "myself", "no", "nobody",
    "nor", "not", "nothing", "now", "of", "off", "on", "once", "only", "or", "other",
    "ought", "our", "ours", "ourselves", "out", "over", "own", "please", "same", "she",
    "should", "so", "some", "somebody", "someone", "something", "such", "than", "that",
    "the", "their", "theirs", "them", "themselves", "then", "there", "these", "they",
    "this", "those", "through", "to", "too", "under", "until", "up", "us", "very", "was",
    "we", "were", "what", "when", "where", "which", "while", "who", "whom", "why", "will",
    "with", "would", "you", "your", "yours", "yourself", "yourselves",
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
