//! Scoring: what of a query each document answers, and how well.

use super::expand::{Group, expand};
use super::index::Index;
use super::query::{Hit, Query};

/// How soon more of the same term counts no more: `k1` of BM25.
const SATURATION: f32 = 1.5;
/// The share of a query that a document has to answer.
const LEAST_COVERED: f32 = 0.45;
/// What the server's name counts, as a frequency of BM25F.
const SERVER_FREQUENCY: f32 = 3.0;
/// What being named as the query is worth, in shares of the query's mass.
const NAMED: f32 = 3.0;
/// What having the path that is asked for is worth.
const PATH: f32 = 4.0;
/// What a method does that a verb of the query speaks of.
const METHOD: f32 = 0.15;

pub(super) fn search(index: &Index, query: &Query<'_>) -> Vec<Hit> {
    let text = query.read();
    let groups = expand(index, text);
    let mass: f32 = groups.iter().map(|it| it.mass).sum();
    let mut scores = vec![Score::default(); index.len()];
    let mut best = vec![Best::default(); index.len()];
    for group in &groups {
        add(index, group, &mut best);
        for (score, best) in scores.iter_mut().zip(&mut best) {
            score.value += best.score;
            score.covered += best.quality * group.mass;
            *best = Best::default();
        }
    }
    let whole = mass.max(1.0);
    for score in &mut scores {
        let share = if mass > 0.0 {
            score.covered / mass
        } else {
            0.0
        };
        score.covered = share;
        score.value *= share;
    }
    for number in index.identifiers.named(text) {
        if let Some(score) = scores.get_mut(*number as usize) {
            score.value += NAMED * whole;
            score.covered = 1.0;
        }
    }
    if let Some(path) = index.paths.parse(text) {
        for (number, score) in scores.iter_mut().enumerate() {
            let number = super::postings::number_of(number);
            let mut likeness = index.paths.likeness(&path, number);
            if likeness == 0.0 {
                continue;
            }
            if let (Some(asked), Some(method)) = (&path.method, index.methods.get(number as usize))
                && **asked != **method
            {
                likeness *= 0.7;
            }
            score.value += PATH * whole * likeness;
            score.covered = score.covered.max(likeness);
        }
    }
    best_of(index, query, &scores)
}

#[derive(Debug, Clone, Copy, Default)]
struct Score {
    value: f32,
    /// The mass of what is answered, then its share of all.
    covered: f32,
}

/// The best answer to one group of a query.
#[derive(Debug, Clone, Copy, Default)]
struct Best {
    score: f32,
    quality: f32,
}

impl Best {
    fn take(&mut self, score: f32, quality: f32) {
        self.score = self.score.max(score);
        self.quality = self.quality.max(quality);
    }
}

fn saturated(frequency: f32) -> f32 {
    frequency * (SATURATION + 1.0) / (SATURATION + frequency)
}

/// The best answer of each document to a group.
fn add(index: &Index, group: &Group, best: &mut [Best]) {
    for form in &group.forms {
        let tells = index.postings.inverse_frequency(form.term) * form.quality * group.weight;
        for posting in index.postings.of(form.term) {
            if let Some(best) = best.get_mut(posting.document as usize) {
                best.take(tells * saturated(posting.frequency), form.quality);
            }
        }
        let (servers, tells) = index.servers.by(form.term);
        if servers.is_empty() || form.quality < 0.75 {
            continue;
        }
        let score = tells * form.quality * group.weight * saturated(SERVER_FREQUENCY);
        for (best, server) in best.iter_mut().zip(&index.server_of) {
            if servers.contains(server) {
                best.take(score, form.quality);
            }
        }
    }
    if let Some(verb) = group.verb {
        for (best, method) in best.iter_mut().zip(&index.methods) {
            if verb.is_method(method) {
                best.score += METHOD * group.mass;
                best.quality = best.quality.max(0.5);
            }
        }
    }
}

fn best_of(index: &Index, query: &Query<'_>, scores: &[Score]) -> Vec<Hit> {
    let server = match query.server.map(|name| index.servers.number(name)) {
        Some(None) => return Vec::new(),
        Some(Some(number)) => Some(number),
        None => None,
    };
    let tagged = match query.tag.map(|tag| index.tags.get(&tag.to_lowercase())) {
        Some(None) => return Vec::new(),
        Some(Some(documents)) => Some(documents),
        None => None,
    };
    let found = scores.iter().zip(&index.server_of).enumerate();
    let mut hits: Vec<Hit> = found
        .filter(|(_, (score, _))| score.value > 0.0 && score.covered >= LEAST_COVERED)
        .filter(|(_, (_, of))| server.is_none_or(|server| server == **of))
        .map(|(document, (score, _))| Hit {
            document,
            score: score.value,
        })
        .filter(|hit| {
            let number = super::postings::number_of(hit.document);
            tagged.is_none_or(|it| it.binary_search(&number).is_ok())
        })
        .collect();
    hits.sort_by(|one, other| {
        let by_score = other.score.total_cmp(&one.score);
        by_score.then(one.document.cmp(&other.document))
    });
    hits.truncate(query.limit);
    hits
}
