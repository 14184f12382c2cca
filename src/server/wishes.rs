//! What a client that began with `initialize` wants to be told.
#![expect(
    deprecated,
    reason = "2025-11-25 has logging; the SDK marks all of it for its end in a later revision"
)]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmcp::model::LoggingLevel;

/// The wishes of one client.
#[derive(Default)]
pub(super) struct Wishes {
    is_told: AtomicBool,
    level: Mutex<Option<LoggingLevel>>,
    followed: Mutex<BTreeSet<String>>,
}

impl Wishes {
    /// Whether this is the first time that it is to be told of changes.
    pub(super) fn begin(&self) -> bool {
        !self.is_told.swap(true, Ordering::Relaxed)
    }

    /// Wants messages of this level and above (`logging/setLevel`).
    pub(super) fn set_level(&self, level: LoggingLevel) {
        *lock(&self.level) = Some(level);
    }

    /// The level of messages that it wants; `None` for none at all.
    pub(super) fn level(&self) -> Option<LoggingLevel> {
        *lock(&self.level)
    }

    /// Wants to know when this resource, which exists, changes.
    pub(super) fn follow(&self, uri: String) {
        lock(&self.followed).insert(uri);
    }

    /// Does not want that any more.
    pub(super) fn unfollow(&self, uri: &str) {
        lock(&self.followed).remove(uri);
    }

    pub(super) fn follows(&self, uri: &str) -> bool {
        lock(&self.followed).contains(uri)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
