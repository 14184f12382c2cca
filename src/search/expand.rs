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
/// How much of the query a verb is: most APIs create and list all they have.
const VERB_MASS: f32 = 0.5;
/// How well a word that one edit leads to stands for the one that was written, and one that two do.
const ONE_EDIT: f32 = 0.8;
const TWO_EDITS: f32 = 0.6;
/// How well another verb of the same kind stands for a verb.
const SAME_VERB: f32 = 0.5;

/// A word of a query, and the terms that answer it.
#[derive(Debug)]
pub(super) struct Group {
    /// How much of the query it is.
    pub mass: f32,
    /// What a score by it counts.
    pub weight: f32,
    /// The terms.
    pub forms: Vec<Form>,
    /// What it asks for, if it is a verb of APIs.
    pub verb: Option<Verb>,
}

/// A term that answers a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Form {
    /// Its number in the vocabulary.
    pub term: u32,
    /// How well, from 0 to 1.
    pub quality: f32,
}

/// The groups of a query, one a word.
pub(super) fn expand(index: &Index, text: &str) -> Vec<Group> {
    let words: Vec<String> = words::split(text).into_iter().take(MAX_WORDS).collect();
    let mut groups: Vec<Group> = words.iter().map(|word| Group::of(index, word)).collect();
    // `config map` is `configmap` to some.
    for (at, pair) in words.windows(2).enumerate() {
        if let Some(term) = index.vocabulary.term(&pair.concat()) {
            for group in groups.iter_mut().skip(at).take(2) {
                group.add(term, 1.0);
            }
        }
    }
    groups
}

impl Group {
    fn of(index: &Index, word: &str) -> Self {
        let exact = index.vocabulary.term(word);
        let having = exact.map_or(0, |term| index.postings.of(term).len());
        let is_known = exact.is_some_and(|term| having > 0 || index.servers.has(term));
        let is_stop = is_stop(word);
        let verb = Verb::of(word);
        let weight = if is_stop { STOP_WEIGHT } else { 1.0 };
        let verb_mass = if verb.is_some() { VERB_MASS } else { 1.0 };
        let mut group = Self {
            mass: weight * verb_mass * inverse_frequency(having, index.len()).sqrt(),
            weight,
            forms: Vec::new(),
            verb,
        };
        if let Some(term) = exact {
            group.add(term, 1.0);
        }
        if is_stop {
            return group;
        }
        if !is_known {
            for near in spelling::near(word, &index.vocabulary) {
                let quality = if near.edits == 1 { ONE_EDIT } else { TWO_EDITS };
                group.add(near.term, quality);
            }
        }
        let verbs = verb.map_or(&[][..], Verb::words).iter();
        let same = verbs.map(|word| (*word, SAME_VERB));
        for (word, quality) in same.chain(synonyms::of(word)) {
            if let Some(term) = index.vocabulary.term(word) {
                group.add(term, quality);
            }
        }
        group
    }

    /// Adds a term; of one that is there already the better counts.
    fn add(&mut self, term: u32, quality: f32) {
        match self.forms.iter_mut().find(|it| it.term == term) {
            Some(form) => form.quality = form.quality.max(quality),
            None => self.forms.push(Form { term, quality }),
        }
    }
}
