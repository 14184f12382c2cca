//! Secrets that were fetched while MCE runs, for redaction.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use secrecy::SecretString;

use super::parts::parts;

/// Secrets that are kept whatever their age.
const FEW: usize = 64;
/// Secrets that are kept at all.
const MOST: usize = 2_000;
/// What is older may go: an API could still tell it, but it is of no use any more.
const OLD: Duration = Duration::from_hours(1);

/// Fetched secrets, the latest last.
#[derive(Debug, Default)]
pub(super) struct Learnt {
    revision: AtomicU64,
    secrets: Mutex<VecDeque<(Instant, SecretString)>>,
}

impl Learnt {
    /// Adds values of headers and cookies, and what in them is secret by itself.
    pub(super) fn learn<'s>(&self, values: impl Iterator<Item = &'s SecretString>) {
        let now = Instant::now();
        let mut secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        for value in values {
            secrets.extend(parts(value).into_iter().map(|part| (now, part)));
        }
        while secrets.len() > MOST
            || secrets.len() > FEW
                && secrets
                    .front()
                    .is_some_and(|(at, _)| now.duration_since(*at) > OLD)
        {
            secrets.pop_front();
        }
        drop(secrets);
        self.revision.fetch_add(1, Ordering::Release);
    }

    /// Changes whenever [`Self::all`] does.
    pub(super) fn revision(&self) -> u64 {
        self.revision.load(Ordering::Acquire)
    }

    pub(super) fn all(&self) -> Vec<SecretString> {
        let secrets = self.secrets.lock().unwrap_or_else(PoisonError::into_inner);
        secrets.iter().map(|(_, secret)| secret.clone()).collect()
    }
}
