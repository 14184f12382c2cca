//! One call of one execution: is it allowed, what request is it, with which credential, and what
//! of the answer may the sandbox see. Knows neither MCP nor Docker.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::api::Manifest;

/// A compiled server that the broker may call: its manifest exactly as it was verified on load.
#[derive(Debug, Clone)]
pub struct Target {
    /// The committed manifest.
    pub manifest: Arc<Manifest>,
    /// The server's entry in the config; default values where there is no config.
    pub config: Arc<crate::config::ServerConfig>,
    /// Effective read-only: config or manifest.
    pub read_only: bool,
}

/// Who calls, and what that execution may call.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The execution.
    pub execution_id: String,
    /// Whose it is.
    pub principal: String,
    /// Servers the execution's code imported (facts of the guard).
    pub servers: BTreeSet<String>,
}

/// What is recorded of a call, allowed or refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRecord {
    /// The execution.
    pub execution_id: String,
    /// Whose it was.
    pub principal: String,
    /// The server named.
    pub server: String,
    /// The function named.
    pub function: String,
    /// The HTTP status, where one came.
    pub status: Option<u16>,
    /// The class of the [`crate::sandbox::CallError`], where it failed or was refused.
    pub error: Option<String>,
    /// Why it was refused.
    pub refusal: Option<String>,
    /// From the call to its end.
    pub elapsed: Duration,
}

/// Takes the record of every call.
pub trait Recorder: Send + Sync {
    /// Records a call. Must not block for long.
    fn record(&self, call: CallRecord);
}
