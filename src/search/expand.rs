//! What the words of a query may mean.

use super::index::Index;
use super::postings::inverse_frequency;
use super::spelling;
use super::stops::is_stop;
use super::synonyms;
use super::verbs::Verb;
use super::words;

/// More words of a query are not looked for.
const MAX_WORDS: usize = 48;
/// What a word that says little counts.
const STOP_WEIGHT: f32 = 0.1;
/// How well a word with one or two edits stands for that which was written.
const ONE_EDIT: f32 = 0.8;
const TWO_EDITS: f32 = 0.6;
/// How well a synonym stands for a word: the nearest, and the further ones.
const SYNONYM: f32 = 0.5;
/// How well a longer word stands for its beginning.
const BEGINNING: f32 = 0.6;

/// A word of a query, and the terms that answer it.
#[derive(Debug)]
pub(super) struct Group {
    /// How much of the query it is.
    pub mass: f32,
    /// What each score of it counts.
    pub weight: f32,
    pub forms: Vec<Form>,
    pub verb: Option<Verb>,
}

/// A term that answers a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Form {
    pub term: u32,
    /// How well, from 0 to 1.
    pub quality: f32,
}

/// The groups of a query.
pub(super) fn expand(index: &Index, text: &str) -> Vec<Group> {
    let mut words: Vec<String> = Vec::new();
    words::each(text, |word, _| {
        if words.len() < MAX_WORDS {
            words.push(word.to_owned());
        }
    });
    let mut groups: Vec<Group> = words.iter().map(|word| group(index, word)).collect();
    // `config map` is `configmap` to some.
    for (at, pair) in words.windows(2).enumerate() {
        let [first, second] = pair else { continue };
        if let Some(term) = index.vocabulary.term(&format!("{first}{second}")) {
            for group in groups.iter_mut().skip(at).take(2) {
                add(&mut group.forms, term, 1.0);
            }
        }
    }
    groups
}

fn group(index: &Index, word: &str) -> Group {
    let mut forms = Vec::new();
    let verb = Verb::of(word);
    let weight = if is_stop(word) { STOP_WEIGHT } else { 1.0 };
    let exact = index.vocabulary.term(word);
    let having = exact.map_or(0, |term| index.postings.of(term).len());
    let is_known = exact.is_some_and(|term| having > 0 || !index.servers.by(term).0.is_empty());
    if let Some(term) = exact {
        add(&mut forms, term, 1.0);
    }
    if weight < 1.0 {
        return Group {
            mass: weight * inverse_frequency(having, index.len()),
            weight,
            forms,
            verb,
        };
    }
    for synonym in verb.map_or(&[][..], Verb::words) {
        if let Some(term) = index.vocabulary.term(synonym) {
            add(&mut forms, term, SYNONYM);
        }
    }
    if !is_known {
        for near in spelling::near(word, &index.vocabulary) {
            let quality = if near.edits == 1 { ONE_EDIT } else { TWO_EDITS };
            add(&mut forms, index.vocabulary.term_of(near.word), quality);
        }
    }
    for synonym in synonyms::of(word) {
        if let Some(term) = index.vocabulary.term(synonym) {
            add(&mut forms, term, SYNONYM);
        }
    }
    Group {
        mass: weight * inverse_frequency(having, index.len()),
        weight,
        forms,
        verb,
    }
}

/// Adds a form; of one term the best counts.
fn add(forms: &mut Vec<Form>, term: u32, quality: f32) {
    match forms.iter_mut().find(|it| it.term == term) {
        Some(form) => form.quality = form.quality.max(quality),
        None => forms.push(Form { term, quality }),
    }
}
