//! A server in the registry: what was read of it, and what its load check said.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::super::catalogue::Entry;
use super::super::load::Problem;
use super::super::promoted::PromotedFunction;
use super::readable::{About, Known, Readable};
use super::stamp::Stamp;
use crate::api::Manifest;
use crate::broker::Target;
use crate::config::ServerConfig;
use crate::python::CompiledModule;

/// A server that passed the load check.
#[derive(Debug)]
pub(in crate::runtime) struct Served {
    /// What the broker enforces.
    pub(in crate::runtime) target: Target,
    /// Its `functions.py`.
    pub(in crate::runtime) module: CompiledModule,
    /// What is told beside that.
    pub(in crate::runtime) about: Arc<About>,
    /// Its `skills.md`.
    pub(in crate::runtime) skills: Option<String>,
    /// Its functions that are tools, once they were asked for.
    pub(in crate::runtime) promoted: OnceLock<Vec<PromotedFunction>>,
}

impl Served {
    /// The checked manifest.
    pub(in crate::runtime) fn manifest(&self) -> &Manifest {
        &self.target.manifest
    }

    pub(super) fn known(&self) -> Known {
        Known {
            about: Arc::clone(&self.about),
            outline: Arc::clone(self.module.outline()),
        }
    }

    pub(super) fn readable(&self) -> Readable {
        Readable {
            module: self.module.clone(),
            about: Arc::clone(&self.about),
        }
    }
}

/// Why a server is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::runtime) struct Refused {
    /// The server.
    pub(in crate::runtime) server: String,
    pub(super) problem: Problem,
}

impl Refused {
    /// What is wrong and what to do, with whole paths: for logs, the audit and who runs this.
    pub(in crate::runtime) fn for_operator(&self) -> &str {
        &self.problem.reason
    }

    /// The same without the folders of this host.
    pub(in crate::runtime) fn for_clients(&self) -> &str {
        &self.problem.told
    }
}

/// What is known of a server's load check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::runtime) enum Verdict {
    /// It was not made since the server was compiled.
    #[default]
    Unknown,
    /// It passed.
    Passed,
    /// It failed, for this reason, as the operator knows it.
    Refused(String),
}

pub(super) struct Slot {
    pub(super) config: Arc<ServerConfig>,
    // Held while the server is checked, so that it is checked once. Only success is kept: a refused
    // server is checked again when it is next asked for.
    pub(super) served: tokio::sync::Mutex<Option<Arc<Served>>>,
    pub(super) entry: tokio::sync::Mutex<Option<Arc<Entry>>>,
    pub(super) seen: Mutex<Seen>,
}

/// What was last seen of a server.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) stamp: Stamp,
    pub(super) verdict: Verdict,
    /// Where it passed the load check.
    pub(super) known: Option<Known>,
}

impl Seen {
    pub(super) fn of(stamp: Stamp) -> Self {
        Self {
            stamp,
            ..Self::default()
        }
    }
}

impl Slot {
    pub(super) fn new(name: &str, config: Option<Arc<ServerConfig>>, output: &Path) -> Arc<Self> {
        let config = config.unwrap_or_else(|| {
            Arc::new(ServerConfig {
                name: name.to_owned(),
                ..ServerConfig::default()
            })
        });
        Arc::new(Self {
            config,
            served: tokio::sync::Mutex::default(),
            entry: tokio::sync::Mutex::default(),
            seen: Mutex::new(Seen::of(Stamp::of(&output.join(name)))),
        })
    }

    pub(super) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn weight(&self) -> u64 {
        self.seen().stamp.bytes()
    }
}
