//! Secrets that were fetched while MCE runs, for redaction.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use tokio::time::Instant;

use super::parts::with_readings;

/// Bytes of the secrets of a server that are kept, beside those of the last fetch and the one before.
const MOST_BYTES: usize = 64 << 10;
/// How long those are kept at least: an API may still tell them.
const KEPT: Duration = Duration::from_mins(10);

/// The fetched secrets of each server, the latest last.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    revision: AtomicU64,
    servers: Mutex<BTreeMap<String, VecDeque<Fetch>>>,
}

/// What one fetch gave.
#[derive(Debug)]
struct Fetch {
    secrets: Vec<SecretString>,
    until: Instant,
}

impl Learnt {
    /// Adds what a fetch gave for a server, and that is of use until some time.
    pub(super) fn learn(&self, server: &str, secrets: &[SecretString], until: Instant) {
        let now = Instant::now();
        let until = until.max(now + KEPT);
        let secrets: Vec<_> = secrets.iter().flat_map(with_readings).collect();
        let mut servers = self.servers();
        let known = servers.entry(server.to_owned()).or_default();
        let is_same = |it: &Fetch| {
            let known = it.secrets.iter().map(ExposeSecret::expose_secret);
            known.eq(secrets.iter().map(ExposeSecret::expose_secret))
        };
        if let Some(place) = known.iter().position(is_same) {
            // An endpoint may keep what it gave.
            if let Some(mut again) = known.remove(place) {
                again.until = again.until.max(until);
                known.push_back(again);
            }
            return;
        }
        known.retain(|it| now < it.until);
        known.push_back(Fetch { secrets, until });
        let size = |fetch: &Fetch| {
            fetch
                .secrets
                .iter()
                .map(|it| it.expose_secret().len())
                .sum::<usize>()
        };
        while known.len() > 2 && known.iter().map(size).sum::<usize>() > MOST_BYTES {
            known.pop_front();
        }
        drop(servers);
        self.revision.fetch_add(1, Ordering::Release);
    }

    /// Changes whenever [`Self::all`] does.
    pub(super) fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    pub(super) fn all(&self) -> Vec<SecretString> {
        let servers = self.servers();
        let credentials = servers.values().flatten();
        credentials
            .flat_map(|it| it.secrets.iter().cloned())
            .collect()
    }

    fn servers(&self) -> MutexGuard<'_, BTreeMap<String, VecDeque<Fetch>>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_current_credential_of_each_server_is_known_and_a_few_before_it() {
        let learnt = Learnt::default();
        let learn = |server: &str, text: String| {
            let until = Instant::now() + Duration::from_mins(1);
            learnt.learn(server, &[SecretString::from(text)], until);
        };
        learn("quiet", "sid-of-quiet".to_owned());
        for number in 0..100 {
            learn("busy", format!("{number:<8192}").replace(' ', "x"));
        }
        assert_eq!(learnt.revision(), 101);
        // Given once more.
        learn("busy", format!("{:<8192}", 97).replace(' ', "x"));
        assert_eq!(learnt.revision(), 101);
        let all = learnt.all();
        let all: Vec<_> = all.iter().map(ExposeSecret::expose_secret).collect();
        let begin: Vec<_> = all.iter().map(|it| &it[..2]).collect();
        assert_eq!(
            begin,
            ["92", "93", "94", "95", "96", "98", "99", "97", "si"]
        );
    }
}
