//! The embedded sandbox: an interpreter of Python in confined processes of this program.
//!
//! For machines without a container engine. A worker (`worker`) is started, gives up what it could do
//! (`confine`) and proves it before it gets any code; it runs one job, or those of one session, and
//! ends. The interpreter knows a part of Python: code is put into that part before it runs (`lower`),
//! with modules that are written in it (`library`); what cannot be is refused by name.

#[cfg(feature = "test-hooks")]
pub mod confine;
#[cfg(not(feature = "test-hooks"))]
mod confine;
mod job;
mod library;
mod lower;
mod place;
mod pool;
mod prepare;
mod signatures;
mod worker;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::running::{Afterwards, CallLimits, execute_in};
use super::{Failure, FailureKind, Host, Job, Outcome, Sandbox, Session};
use crate::config::{SandboxMode, Settings};
use place::Worker;
use pool::Pool;
pub(crate) use worker::run as run_worker;

pub use confine::Finding;

/// The hidden subcommand that makes this program a worker.
pub const WORKER: &str = "embedded-worker";
/// Bytes that may be mapped beyond what the code may use: the interpreter and its allocator, which
/// reserves much and uses little.
const MAPPED_BESIDE: u64 = 4 << 30;
/// Seconds of processor time beyond the longest time limit.
const PROCESSOR_BESIDE: u64 = 5;

/// What a worker may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerLimits {
    /// The process that started it.
    pub parent: u32,
    /// Bytes of memory for code.
    pub memory: usize,
    /// Seconds of processor time.
    pub processor: u64,
}

impl WorkerLimits {
    fn confinement(&self) -> confine::Limits {
        confine::Limits {
            parent: self.parent,
            memory: u64::try_from(self.memory)
                .unwrap_or(u64::MAX)
                .saturating_add(MAPPED_BESIDE),
            processor: self.processor,
        }
    }
}

/// Why there is no embedded sandbox.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The program cannot be started again.
    #[error("cannot start a worker process: {0}")]
    Start(String),
    /// A worker ended or said what nobody understands before it had any code.
    #[error("a worker process did not become ready: {0}")]
    NotReady(String),
    /// A worker is not confined.
    #[error("worker processes are not confined on this machine:{}", lines(.0))]
    NotProven(Vec<Finding>),
    /// It was shut down.
    #[error("the embedded sandbox is closed")]
    Closed,
}

fn lines(findings: &[Finding]) -> String {
    let lines = findings.iter().map(|finding| format!("\n  {finding}"));
    lines.collect()
}

/// Runs code in confined worker processes.
#[derive(Clone)]
pub struct EmbeddedSandbox {
    pool: Arc<Pool>,
}

impl std::fmt::Debug for EmbeddedSandbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("EmbeddedSandbox")
    }
}

/// How workers are started and what they may use.
#[derive(Debug, Clone)]
struct Plan {
    program: PathBuf,
    arguments: Vec<OsString>,
    limits: WorkerLimits,
    calls: CallLimits,
    /// Workers that wait for code.
    size: usize,
    /// Workers at once, those that run included.
    most: usize,
}

impl EmbeddedSandbox {
    /// A sandbox whose workers are this program, of which there may be a copy elsewhere. Must be called
    /// within a tokio runtime.
    ///
    /// # Errors
    /// [`Error::Start`] where the system gives no thread.
    pub fn new(settings: &Settings, program: &Path) -> Result<Self, Error> {
        let limits = WorkerLimits {
            parent: std::process::id(),
            memory: usize::try_from(settings.sandbox_memory).unwrap_or(usize::MAX),
            processor: settings.max_execution_timeout.as_secs() + PROCESSOR_BESIDE,
        };
        let arguments = [
            WORKER.to_owned(),
            format!("--parent={}", limits.parent),
            format!("--memory={}", limits.memory),
            format!("--processor={}", limits.processor),
        ];
        let size = match settings.sandbox_mode {
            SandboxMode::Warm => settings.pool.size,
            SandboxMode::Cold => 0,
        };
        let running = settings.max_concurrent_executions + settings.sessions.most;
        let plan = Plan {
            program: program.to_owned(),
            arguments: arguments.into_iter().map(OsString::from).collect(),
            limits,
            calls: CallLimits {
                at_once: settings.max_concurrent_calls.max(1),
                max_bytes: settings.max_request_bytes,
            },
            size,
            most: running.saturating_add(size + 1),
        };
        Ok(Self {
            pool: Pool::new(plan)?,
        })
    }

    /// Starts a worker and judges how it is confined. It is kept for the first execution.
    ///
    /// # Errors
    /// [`Error::NotProven`] with what is not as it must be, or why no worker started.
    pub async fn prove(&self) -> Result<(), Error> {
        self.pool.prove().await
    }

    /// Ends every worker and waits until they are gone.
    pub async fn shutdown(&self) {
        self.pool.close().await;
    }
}

/// Why there is no worker to run code in.
fn unavailable(error: &Error) -> Failure {
    Failure {
        kind: FailureKind::Sandbox,
        message: error.to_string(),
        traceback: None,
        hint: Some("`mce doctor` shows what is wrong".to_owned()),
    }
}

#[async_trait]
impl Sandbox for EmbeddedSandbox {
    fn name(&self) -> &'static str {
        "embedded"
    }

    fn has_libraries(&self) -> bool {
        false
    }

    async fn run(&self, job: Job, host: Arc<dyn Host>) -> Outcome {
        match self.pool.take().await {
            Ok(mut worker) => {
                let (outcome, _) = execute_in(&mut worker, &job, host, Afterwards::Ends).await;
                worker.end();
                outcome
            }
            Err(error) => Outcome::not_started(unavailable(&error)),
        }
    }

    async fn open(&self) -> Result<Box<dyn Session>, Failure> {
        match self.pool.take().await {
            Ok(worker) => Ok(Box::new(EmbeddedSession(Some(worker)))),
            Err(error) => Err(unavailable(&error)),
        }
    }

    fn expect(&self) {
        self.pool.expect();
    }

    fn ready(&self) -> usize {
        self.pool.ready()
    }
}

/// A session: one worker for one job after the other.
struct EmbeddedSession(Option<Worker>);

#[async_trait]
impl Session for EmbeddedSession {
    async fn run(&mut self, job: Job, host: Arc<dyn Host>) -> Outcome {
        // Who goes away in the middle takes the worker along.
        let Some(mut worker) = self.0.take() else {
            return Outcome::not_started(Failure {
                kind: FailureKind::Sandbox,
                message: "the session has ended".to_owned(),
                traceback: None,
                hint: None,
            });
        };
        let (outcome, afterwards) = execute_in(&mut worker, &job, host, Afterwards::Waits).await;
        match afterwards {
            Afterwards::Waits => self.0 = Some(worker),
            Afterwards::Ends => worker.end(),
        }
        outcome
    }

    fn is_open(&self) -> bool {
        self.0.is_some()
    }
}
