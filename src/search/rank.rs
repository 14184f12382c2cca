//! Scoring: how much of a query each document answers, and how well.

use super::expand::{Group, expand};
use super::index::Index;
use super::postings::number_of;
use super::query::{Hit, Query};

/// How soon more of the same term counts no more: `k1` of BM25.
const SATURATION: f32 = 1.5;
/// The share of a query that a hit has to answer.
const LEAST_COVERED: f32 = 0.35;
/// The frequency at which a term answers a word by half; those of names and summaries are far above
/// it, those of long descriptions of parameters below.
const FAINT: f32 = 0.3;
/// What a server's name counts in all of its documents, as a frequency.
const SERVER_FREQUENCY: f32 = 3.0;
/// What it is worth to be named as the query is, in shares of the query's mass.
const NAMED: f32 = 3.0;
/// What it is worth to have the path that is asked for, likewise.
const PATH: f32 = 4.0;
/// What it is worth that the method does what a verb of the query says, in shares of its mass.
const METHOD: f32 = 0.15;
/// How far such a method answers the verb.
const METHOD_QUALITY: f32 = 0.5;
/// What another method than the one before a path leaves of that.
const OTHER_METHOD: f32 = 0.7;
/// What each segment of a path takes: of two that answer alike, the plainer is mostly meant.
const SEGMENT: f32 = 0.02;
/// Segments beyond these take no more.
const MOST_SEGMENTS: usize = 10;
/// A word that stands for another so uncertainly names no server.
const NAMES_SERVER: f32 = 0.75;

/// The documents that answer a query, best first.
pub(super) fn search(index: &Index, query: &Query<'_>) -> Vec<Hit> {
    let Some(selection) = Selection::of(index, query) else {
        return Vec::new();
    };
    let text = query.read();
    let groups = expand(index, text);
    let mut scores = by_words(index, &groups);
    let whole = groups.iter().map(|it| it.mass).sum::<f32>().max(1.0);
    for number in index.identifiers.named(text) {
        if let Some(score) = scores.get_mut(*number as usize) {
            score.value += NAMED * whole;
            score.covered = 1.0;
        }
    }
    add_paths(index, text, whole, &mut scores);
    let least = if query.is_loose { 0.0 } else { LEAST_COVERED };
    selection.best(&scores, least, query.limit)
}

/// What a document has of a query.
#[derive(Debug, Clone, Copy, Default)]
struct Score {
    value: f32,
    /// The share of the query's mass that it answers.
    covered: f32,
}

/// What a document has of a group.
#[derive(Debug, Clone, Copy, Default)]
struct Answer {
    score: f32,
    /// How far it answers the word, from 0 to 1.
    quality: f32,
}

impl Answer {
    fn or(&mut self, score: f32, quality: f32) {
        self.score = self.score.max(score);
        self.quality = self.quality.max(quality);
    }
}

/// The scores of all documents by the words of the query. What answers more of it goes before what
/// answers less of it better.
fn by_words(index: &Index, groups: &[Group]) -> Vec<Score> {
    let mass: f32 = groups.iter().map(|it| it.mass).sum();
    let mut scores = vec![Score::default(); index.len()];
    let mut answers = vec![Answer::default(); index.len()];
    for group in groups {
        answer(index, group, &mut answers);
        for (score, answer) in scores.iter_mut().zip(&mut answers) {
            score.value += answer.score;
            score.covered += answer.quality * group.mass;
            *answer = Answer::default();
        }
    }
    for (number, score) in scores.iter_mut().enumerate() {
        score.covered = if mass > 0.0 {
            score.covered / mass
        } else {
            0.0
        };
        score.value *= score.covered * plainness(index.paths.segments(number));
    }
    scores
}

/// What is left of a score for a path of so many segments.
#[expect(clippy::cast_precision_loss, reason = "segments are few")]
fn plainness(segments: usize) -> f32 {
    1.0 - SEGMENT * segments.min(MOST_SEGMENTS) as f32
}

/// The best answer of each document to a group.
fn answer(index: &Index, group: &Group, answers: &mut [Answer]) {
    for form in &group.forms {
        let worth = form.quality * group.weight;
        let tells = index.postings.inverse_frequency(form.term) * worth;
        for posting in index.postings.of(form.term) {
            if let Some(answer) = answers.get_mut(posting.document as usize) {
                let clear = posting.frequency / (posting.frequency + FAINT);
                answer.or(tells * saturated(posting.frequency), form.quality * clear);
            }
        }
        let (servers, tells) = index.servers.by(form.term);
        if servers.is_empty() || form.quality < NAMES_SERVER {
            continue;
        }
        let score = tells * worth * saturated(SERVER_FREQUENCY);
        for (answer, server) in answers.iter_mut().zip(&index.server_of) {
            if servers.contains(server) {
                answer.or(score, form.quality);
            }
        }
    }
    if let Some(verb) = group.verb {
        for (answer, method) in answers.iter_mut().zip(&index.methods) {
            if verb.is_method(method) {
                answer.score += METHOD * group.mass;
                answer.quality = answer.quality.max(METHOD_QUALITY);
            }
        }
    }
}

fn saturated(frequency: f32) -> f32 {
    frequency * (SATURATION + 1.0) / (SATURATION + frequency)
}

/// Adds what a path is worth where the query is one.
fn add_paths(index: &Index, text: &str, whole: f32, scores: &mut [Score]) {
    let Some(path) = index.paths.parse(text) else {
        return;
    };
    for (number, (score, method)) in scores.iter_mut().zip(&index.methods).enumerate() {
        let mut likeness = index.paths.likeness(&path, number);
        if path.method.as_deref().is_some_and(|it| it != &**method) {
            likeness *= OTHER_METHOD;
        }
        score.value += PATH * whole * likeness;
        score.covered = score.covered.max(likeness);
    }
}

/// The documents that a query is about.
struct Selection<'a> {
    index: &'a Index,
    server: Option<u32>,
    among: Option<Vec<u32>>,
    tagged: Option<&'a [u32]>,
}

impl<'a> Selection<'a> {
    /// None where there is no such server or tag.
    fn of(index: &'a Index, query: &Query<'_>) -> Option<Self> {
        let server = match query.server {
            Some(name) => Some(index.servers.number(name)?),
            None => None,
        };
        let among = query.among.map(|servers| {
            let numbers = servers.iter().filter_map(|name| index.servers.number(name));
            let mut numbers: Vec<u32> = numbers.collect();
            numbers.sort_unstable();
            numbers
        });
        let tagged = match query.tag {
            Some(tag) => Some(index.tags.get(&tag.to_lowercase())?.as_slice()),
            None => None,
        };
        Some(Self {
            index,
            server,
            among,
            tagged,
        })
    }

    fn has(&self, document: usize) -> bool {
        let number = number_of(document);
        let own = self.index.server_of.get(document);
        let of_server = self.server.is_none_or(|server| own == Some(&server))
            && self
                .among
                .as_ref()
                .is_none_or(|among| own.is_some_and(|server| among.binary_search(server).is_ok()));
        let of_tag = self
            .tagged
            .is_none_or(|tagged| tagged.binary_search(&number).is_ok());
        of_server && of_tag
    }

    /// The best of the selection that answer at least a share of `least`, at most `limit`.
    fn best(&self, scores: &[Score], least: f32, limit: usize) -> Vec<Hit> {
        let found = scores.iter().enumerate();
        let mut hits: Vec<Hit> = found
            .filter(|(_, score)| score.value > 0.0 && score.covered >= least)
            .filter(|(document, _)| self.has(*document))
            .map(|(document, score)| Hit {
                document,
                score: score.value,
            })
            .collect();
        hits.sort_by(|one, other| {
            let by_score = other.score.total_cmp(&one.score);
            by_score.then(one.document.cmp(&other.document))
        });
        hits.truncate(limit);
        hits
    }
}
