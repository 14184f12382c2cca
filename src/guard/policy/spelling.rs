//! What a misspelt name was meant to be.

/// The candidate most like a word, if any is like it.
pub(super) fn nearest<'n>(
    word: &str,
    candidates: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    if word.len() > 100 {
        return None;
    }
    let word = word.to_ascii_lowercase();
    let most = (word.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            let distance = strsim::damerau_levenshtein(&word, &candidate.to_ascii_lowercase());
            (distance, candidate)
        })
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The hint that names it.
pub(super) fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}
