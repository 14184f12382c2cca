//! Which documents hold which terms, and how much a term is worth in each.

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

use super::fields::{ALL, FIELDS, Field};
use super::spelling::Shape;

/// Shorter parts of a word are no words of it.
const SHORTEST_PART: usize = 4;
/// What a part of a word counts, where the whole counts 1.
const PART: f32 = 0.5;

/// The words of all documents, and the term that each is a form of: its stem.
pub(super) struct Vocabulary {
    stemmer: Stemmer,
    words: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, u32>,
    /// The term of each word.
    terms: Vec<u32>,
    /// Of the words that stand somewhere on their own, not only joined from two.
    shapes: Vec<Option<Shape>>,
    stems: FxHashMap<Box<str>, u32>,
}

impl Vocabulary {
    pub(super) fn new() -> Self {
        Self {
            stemmer: Stemmer::create(Algorithm::English),
            words: Vec::new(),
            numbers: FxHashMap::default(),
            terms: Vec::new(),
            shapes: Vec::new(),
            stems: FxHashMap::default(),
        }
    }

    /// The term of a word, which the vocabulary has from here on. A word that is not `plain` is no
    /// spelling that another may have been meant for.
    pub(super) fn add(&mut self, word: &str, plain: bool) -> u32 {
        if let Some(&number) = self.numbers.get(word) {
            if plain
                && let Some(shape) = self.shapes.get_mut(number as usize)
                && shape.is_none()
            {
                *shape = Some(Shape::of(word));
            }
            return self.term_of(number);
        }
        let stem = self.stemmer.stem(word);
        let next = number_of(self.stems.len());
        let term = match self.stems.get(stem.as_ref()) {
            Some(&term) => term,
            None => *self.stems.entry(stem.as_ref().into()).or_insert(next),
        };
        self.numbers
            .insert(word.into(), number_of(self.words.len()));
        self.words.push(word.into());
        self.terms.push(term);
        self.shapes.push(plain.then(|| Shape::of(word)));
        term
    }

    /// The term that a word is a form of, if any document has it.
    pub(super) fn term(&self, word: &str) -> Option<u32> {
        self.stems.get(self.stemmer.stem(word).as_ref()).copied()
    }

    /// A word by its number.
    pub(super) fn word(&self, number: u32) -> &str {
        self.words.get(number as usize).map_or("", AsRef::as_ref)
    }

    /// The term of a word by its number.
    pub(super) fn term_of(&self, number: u32) -> u32 {
        self.terms.get(number as usize).copied().unwrap_or(u32::MAX)
    }

    /// The numbers and shapes of the words that stand somewhere on their own.
    pub(super) fn shapes(&self) -> impl Iterator<Item = (u32, Shape)> {
        let shapes = self.shapes.iter().enumerate();
        shapes.filter_map(|(number, shape)| Some((number_of(number), (*shape)?)))
    }

    /// The terms of the two words that each term's word is joined from, where both stand somewhere on
    /// their own: `roll` and `back` of `rollback`.
    pub(super) fn parts(&self) -> Vec<Option<(u32, u32)>> {
        let mut parts = vec![None; self.len()];
        for (number, _) in self.shapes() {
            let term = self.term_of(number);
            if let Some(slot) = parts.get_mut(term as usize)
                && slot.is_none()
            {
                *slot = self
                    .halves(self.word(number))
                    .filter(|it| it.0 != term && it.1 != term);
            }
        }
        parts
    }

    fn halves(&self, word: &str) -> Option<(u32, u32)> {
        let plain = |half: &str| {
            let number = *self.numbers.get(half)?;
            let is_plain = self.shapes.get(number as usize)?.is_some();
            is_plain.then(|| self.term_of(number))
        };
        let ats = SHORTEST_PART..(word.len() + 1).saturating_sub(SHORTEST_PART);
        ats.filter(|at| word.is_char_boundary(*at)).find_map(|at| {
            let (first, second) = word.split_at_checked(at)?;
            Some((plain(first)?, plain(second)?))
        })
    }

    /// How many terms there are.
    pub(super) fn len(&self) -> usize {
        self.stems.len()
    }
}

/// Words and documents are counted in 32 bits: there are never more.
pub(super) fn number_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A term in a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    /// The document's number.
    pub document: u32,
    /// How often the term stands there, each time by the weight and length of its field: the
    /// pseudo-frequency of BM25F.
    pub frequency: f32,
}

/// The documents of each term.
#[derive(Debug, Default)]
pub(super) struct Postings {
    lists: Vec<Box<[Posting]>>,
    documents: usize,
}

impl Postings {
    /// The documents with a term, in the order of their numbers.
    pub(super) fn of(&self, term: u32) -> &[Posting] {
        self.lists.get(term as usize).map_or(&[], AsRef::as_ref)
    }

    /// How much a term tells: the more, the fewer documents have it.
    pub(super) fn inverse_frequency(&self, term: u32) -> f32 {
        inverse_frequency(self.of(term).len(), self.documents)
    }
}

/// That of a thing that `having` of `all` have.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^24")]
pub(super) fn inverse_frequency(having: usize, all: usize) -> f32 {
    let (having, all) = (having as f32, all.max(having) as f32);
    ((all - having + 0.5) / (having + 0.5)).ln_1p()
}

/// Collects the terms of documents, one document after the other.
#[derive(Debug, Default)]
pub(super) struct Collected {
    terms: Vec<(u32, Field)>,
    /// Where the terms of each document end, and how long its fields are.
    documents: Vec<(usize, [u32; FIELDS])>,
    lengths: [u32; FIELDS],
}

impl Collected {
    /// Adds a term to the current document.
    pub(super) fn add(&mut self, term: u32, field: Field) {
        self.terms.push((term, field));
    }

    /// Adds a word to a field's length.
    pub(super) fn lengthen(&mut self, field: Field) {
        if let Some(length) = self.lengths.get_mut(field as usize) {
            *length += 1;
        }
    }

    /// Ends the current document.
    pub(super) fn end(&mut self) {
        self.documents.push((self.terms.len(), self.lengths));
        self.lengths = [0; FIELDS];
    }

    /// The postings of `terms` terms.
    pub(super) fn postings(self, parts: &[Option<(u32, u32)>]) -> Postings {
        let terms = parts.len();
        let averages = self.averages();
        let mut lists: Vec<Vec<Posting>> = vec![Vec::new(); terms];
        let mut begin = 0;
        for (number, (end, lengths)) in self.documents.iter().enumerate() {
            let document = number_of(number);
            let worths = worths(lengths, &averages);
            for (term, field) in self.terms.get(begin..*end).unwrap_or_default() {
                let worth = worths.get(*field as usize).copied().unwrap_or_default();
                let mut post = |term: u32, worth: f32| {
                    let Some(list) = lists.get_mut(term as usize) else {
                        return;
                    };
                    match list.last_mut() {
                        Some(latest) if latest.document == document => {
                            latest.frequency += worth;
                        }
                        _ => list.push(Posting {
                            document,
                            frequency: worth,
                        }),
                    }
                };
                post(*term, worth);
                if let Some((first, second)) = parts.get(*term as usize).copied().flatten() {
                    post(first, worth * PART);
                    post(second, worth * PART);
                }
            }
            begin = *end;
        }
        Postings {
            lists: lists.into_iter().map(Vec::into_boxed_slice).collect(),
            documents: self.documents.len(),
        }
    }

    /// The average length of each field, of the documents that have it.
    #[expect(clippy::cast_precision_loss, reason = "precise enough for an average")]
    fn averages(&self) -> [f32; FIELDS] {
        std::array::from_fn(|field| {
            let lengths = self.documents.iter().filter_map(|(_, it)| it.get(field));
            let (sum, having) = lengths
                .filter(|it| **it > 0)
                .fold((0_u64, 0_u64), |(sum, having), it| {
                    (sum + u64::from(*it), having + 1)
                });
            sum as f32 / having.max(1) as f32
        })
    }
}

/// What one word in each field of a document is worth.
#[expect(clippy::cast_precision_loss, reason = "lengths are far below 2^24")]
fn worths(lengths: &[u32; FIELDS], averages: &[f32; FIELDS]) -> [f32; FIELDS] {
    ALL.map(|field| {
        let length = lengths.get(field as usize).copied().unwrap_or_default() as f32;
        let average = averages.get(field as usize).copied().unwrap_or_default();
        let penalty = field.length_penalty();
        field.weight() / (1.0 - penalty + penalty * length / average.max(1.0))
    })
}
