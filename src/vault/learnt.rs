//! Secrets that were fetched while MCE runs, for redaction.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use secrecy::SecretString;

use super::parts::secret_within;

/// Credentials of a server that are kept beside the current one: an API could still tell them.
const EARLIER: usize = 8;
/// How long they are. After that they are of no use any more.
const KEPT: Duration = Duration::from_mins(10);

/// The fetched secrets of each server, the latest last, and since when they are not used any more.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    revision: AtomicU64,
    servers: Mutex<BTreeMap<String, VecDeque<Credential>>>,
}

/// What one fetch gave.
#[derive(Debug)]
struct Credential {
    secrets: Vec<SecretString>,
    replaced: Option<Instant>,
}

impl Learnt {
    /// Adds the values of headers and cookies that a fetch gave for a server, which stand in for those
    /// before.
    pub(super) fn learn<'s>(&self, server: &str, values: impl Iterator<Item = &'s SecretString>) {
        let now = Instant::now();
        let mut servers = self.servers();
        let known = servers.entry(server.to_owned()).or_default();
        if let Some(last) = known.back_mut() {
            last.replaced = Some(now);
        }
        known.push_back(Credential {
            secrets: values.map(secret_within).collect(),
            replaced: None,
        });
        known.retain(|it| it.replaced.is_none_or(|at| now.duration_since(at) < KEPT));
        while known.len() > EARLIER + 1 {
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

    fn servers(&self) -> MutexGuard<'_, BTreeMap<String, VecDeque<Credential>>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;

    #[test]
    fn the_current_credential_of_each_server_is_known_and_a_few_before_it() {
        let learnt = Learnt::default();
        learnt.learn("quiet", [SecretString::from("sid-of-quiet")].iter());
        for number in 0..100 {
            let token = SecretString::from(format!("Bearer token-{number}"));
            learnt.learn("busy", [token].iter());
        }
        let all = learnt.all();
        let all: Vec<_> = all.iter().map(ExposeSecret::expose_secret).collect();
        assert_eq!(all.len(), 10);
        assert_eq!(all[0], "token-91");
        assert_eq!(all[8], "token-99");
        assert_eq!(all[9], "sid-of-quiet");
        assert_eq!(learnt.revision(), 101);
    }
}
