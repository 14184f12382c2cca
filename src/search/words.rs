//! Words of a text: what stands between separators, and the parts of `camelCase`, `snake_case`,
//! `kebab-case` and `dotted.names`.

/// Longer words are cut: nothing that is looked for is that long, and the text is others'.
const MAX_WORD_BYTES: usize = 64;

/// The words of a text in lower case, in order.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each(text, |word, _| words.push(word.to_owned()));
    words
}

/// Gives each word of a text in lower case, and whether it stands in one name with the word before
/// it: `Key` of `swarmKey`, `key` of `swarm-key`.
pub(super) fn each(text: &str, mut found: impl FnMut(&str, bool)) {
    let mut word = String::new();
    let mut is_glued = false;
    let mut before: Option<char> = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if is_apostrophe(character) && is_possessive(before, characters.peek().copied()) {
            // `today's` is `today`.
            let _ = characters.next_if(|it| matches!(it, 's' | 'S' | 't' | 'T'));
            continue;
        }
        if !character.is_alphanumeric() {
            if !word.is_empty() {
                found(&word, is_glued);
                word.clear();
                is_glued = true;
            }
            is_glued &= matches!(character, '_' | '-');
            before = None;
            continue;
        }
        if !word.is_empty() && is_boundary(before, character, characters.peek().copied()) {
            found(&word, is_glued);
            word.clear();
            is_glued = true;
        }
        if word.len() < MAX_WORD_BYTES {
            word.extend(character.to_lowercase());
        }
        before = Some(character);
    }
    if !word.is_empty() {
        found(&word, is_glued);
    }
}

/// Whether a part of a camel-case name begins: `sW` of `listWebhooks`, `PR` of `HTTPRequest`. A
/// plural's `s` ends no run of capitals: `IDs` is one word.
fn is_boundary(before: Option<char>, character: char, after: Option<char>) -> bool {
    let Some(before) = before else { return false };
    if !character.is_uppercase() {
        return false;
    }
    if before.is_lowercase() {
        return true;
    }
    before.is_uppercase() && after.is_some_and(|it| it.is_lowercase() && it != 's')
}

fn is_apostrophe(character: char) -> bool {
    matches!(character, '\'' | '\u{2019}')
}

fn is_possessive(before: Option<char>, after: Option<char>) -> bool {
    before.is_some_and(char::is_alphabetic)
        && after.is_some_and(|it| matches!(it, 's' | 'S' | 't' | 'T'))
}
