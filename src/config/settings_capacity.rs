//! The settings of how much runs, waits and is kept.

use std::time::Duration;

use super::settings::{LONGEST, Lookup, SandboxMode, Settings};
use super::settings_values::{seconds, whole};

/// How many executions wait, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueSettings {
    /// `MCE_MAX_QUEUED_EXECUTIONS` of the whole process
    pub most: usize,
    /// `MCE_QUEUE_SECONDS`
    pub patience: Duration,
}

/// How many containers are held ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// `MCE_WARM_POOL_SIZE`
    pub size: usize,
    /// `MCE_WARM_POOL_MINIMUM`
    pub minimum: usize,
    /// `MCE_WARM_POOL_MAX_AGE_SECONDS`
    pub max_age: Duration,
    /// `MCE_WARM_POOL_STARTS`, at least 1
    pub starts: usize,
}

/// How long sessions are kept, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionSettings {
    /// `MCE_SESSION_IDLE_SECONDS`
    pub idle: Duration,
    /// `MCE_SESSION_MAX_SECONDS`
    pub max_age: Duration,
    /// `MCE_MAX_SESSIONS` of the whole process
    pub most: usize,
}

impl Settings {
    /// How many containers may be held ready: none in the mode `cold`.
    #[must_use]
    pub fn most_held_ready(&self) -> usize {
        match self.sandbox_mode {
            SandboxMode::Warm => self.pool.size,
            SandboxMode::Cold => 0,
        }
    }
}

impl Lookup<'_> {
    pub(super) fn queue(&mut self) -> Option<QueueSettings> {
        let most = self.required("MCE_MAX_QUEUED_EXECUTIONS", |text| whole(text, 0, 100_000));
        let patience = self.required("MCE_QUEUE_SECONDS", |text| seconds(text, 600.0));
        Some(QueueSettings {
            most: most?,
            patience: patience?,
        })
    }

    pub(super) fn pool(&mut self) -> Option<PoolSettings> {
        let size = self.required("MCE_WARM_POOL_SIZE", |text| whole(text, 0, 64));
        let minimum = self.required("MCE_WARM_POOL_MINIMUM", |text| whole(text, 0, 64));
        let max_age = self.required("MCE_WARM_POOL_MAX_AGE_SECONDS", |text| {
            seconds(text, LONGEST)
        });
        let starts = self.required("MCE_WARM_POOL_STARTS", |text| whole(text, 1, 64));
        Some(PoolSettings {
            size: size?,
            minimum: minimum?,
            max_age: max_age?,
            starts: starts?,
        })
    }

    pub(super) fn sessions(&mut self) -> Option<SessionSettings> {
        let idle = self.required("MCE_SESSION_IDLE_SECONDS", |text| seconds(text, LONGEST));
        let max_age = self.required("MCE_SESSION_MAX_SECONDS", |text| seconds(text, LONGEST));
        let most = self.required("MCE_MAX_SESSIONS", |text| whole(text, 0, 1000));
        Some(SessionSettings {
            idle: idle?,
            max_age: max_age?,
            most: most?,
        })
    }
}
