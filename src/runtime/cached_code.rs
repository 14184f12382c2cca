//! Finding code of the cache by what it does.

use std::time::SystemTime;

use serde::Serialize;

use super::Runtime;
use super::cache::{Fingerprints, Listed};
use super::discovery::one_line;

/// Pieces of code that one answer lists.
const MOST_LISTED: usize = 20;
/// How much of a query a description has to answer.
const LEAST_LIKENESS: f64 = 0.5;
/// Words of a query that count.
const MOST_WORDS: usize = 20;
/// Characters of a query that count.
const MOST_ASKED: usize = 300;
/// Characters of a word that count: to compare two takes time by the product of their lengths.
const LONGEST_WORD: usize = 30;

/// A piece of code that can be run again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CachedCode {
    /// What `run_cached_code` takes.
    pub cache_id: String,
    /// What whoever sent it said it does.
    pub description: String,
    /// The servers it uses.
    pub servers: Vec<String>,
}

impl Runtime {
    /// The code of a principal that can be run again, best first where there is a query, else the
    /// latest first; twenty at most.
    pub async fn cached_code(&self, principal: &str, query: &str) -> Vec<CachedCode> {
        let Some(cache) = &self.cache else {
            return Vec::new();
        };
        let listed = cache
            .list(principal, SystemTime::now())
            .await
            .inspect_err(|error| tracing::error!(%error, "the code cache could not be read"))
            .unwrap_or_default();
        let query: String = query.chars().take(MOST_ASKED).collect();
        let ranking = tokio::task::spawn_blocking(move || ranked(listed, &query));
        let mut found = Vec::new();
        for entry in ranking.await.unwrap_or_default() {
            if self.looks_current(&entry.fingerprints).await {
                found.push(CachedCode {
                    cache_id: entry.id,
                    description: one_line(&entry.description, 300),
                    servers: entry.fingerprints.into_keys().collect(),
                });
            }
            if found.len() == MOST_LISTED {
                break;
            }
        }
        found
    }

    /// Whether servers are those that code was cached with, by what lists know of them.
    async fn looks_current(&self, fingerprints: &Fingerprints) -> bool {
        for (server, fingerprint) in fingerprints {
            let entry = self.registry.entry(server).await;
            if entry.is_none_or(|entry| entry.fingerprint != *fingerprint) {
                return false;
            }
        }
        true
    }
}

fn ranked(listed: Vec<Listed>, query: &str) -> Vec<Listed> {
    let mut wanted = words(query);
    wanted.truncate(MOST_WORDS);
    if wanted.is_empty() {
        return listed;
    }
    let mut scored: Vec<(f64, Listed)> = listed
        .into_iter()
        .map(|entry| (likeness(&wanted, &words(&entry.description)), entry))
        .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
        .collect();
    // Stable: of those alike the latest stays first.
    scored.sort_by(|left, right| right.0.total_cmp(&left.0));
    scored.into_iter().map(|(_, entry)| entry).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().nth(1).is_some())
        .map(|word| word.chars().take(LONGEST_WORD).collect::<String>())
        .map(|word| word.to_lowercase())
        .collect()
}

/// The share of the wanted words that a text has, inflected or misspelt.
fn likeness(wanted: &[String], offered: &[String]) -> f64 {
    let has = |word: &&String| {
        offered.iter().any(|other| {
            let is_part = word.len() > 2 && (other.starts_with(word.as_str()));
            let is_stem = other.len() > 2 && word.starts_with(other.as_str());
            *word == other
                || is_part
                || is_stem
                || strsim::normalized_damerau_levenshtein(word, other) >= 0.75
        })
    };
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    count(wanted.iter().filter(has).count()) / count(wanted.len().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> Vec<String> {
        let listed = [
            "Forecast of rain for a city",
            "Count open orders",
            "Rainfall of a week",
        ];
        let listed = listed.map(|description| Listed {
            id: String::new(),
            description: description.to_owned(),
            fingerprints: Fingerprints::new(),
        });
        let found = ranked(listed.into(), query).into_iter();
        found.map(|entry| entry.description).collect()
    }

    /// Two words of a million characters were compared with each other, on the thread of all clients.
    #[test]
    fn long_words_and_long_queries_take_no_time() {
        let listed = (0..500).map(|n| Listed {
            id: n.to_string(),
            description: "d".repeat(300),
            fingerprints: Fingerprints::new(),
        });
        let begun = std::time::Instant::now();
        ranked(listed.collect(), &"a".repeat(4_000_000));
        assert!(begun.elapsed().as_secs() < 2);
    }

    #[test]
    fn descriptions_are_found_by_their_words_whatever_their_form() {
        assert_eq!(found("rain in the city"), ["Forecast of rain for a city"]);
        assert_eq!(found("orders counted"), ["Count open orders"]);
        assert_eq!(found("forcast"), ["Forecast of rain for a city"]);
        assert_eq!(found("invoices").len(), 0);
        assert_eq!(found(" - ").len(), 3);
    }
}
