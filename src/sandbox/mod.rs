//! Where code runs. A [`Sandbox`] takes a [`Job`] and a [`Host`] and returns an [`Outcome`]; it
//! knows neither MCP nor OpenAPI.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use indexmap::IndexMap;

use crate::wire::{Arguments, Streamed, Value};

pub mod docker;
#[cfg(feature = "embedded")]
pub mod embedded;
pub mod frames;
mod http;
mod running;

pub use http::{HttpFailure, HttpPiece, HttpRequest, HttpResponse, HttpTimeouts};

/// A place where code runs without network, files or credentials.
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// `docker` or `embedded`, as results name it.
    fn name(&self) -> &'static str;

    /// Whether code may import the libraries of the image.
    fn has_libraries(&self) -> bool {
        true
    }

    /// Runs one job in a fresh environment. Never fails as such: what went wrong is in the
    /// outcome. Dropping the future ends the execution and removes what it ran in.
    async fn run(&self, job: Job, host: Arc<dyn Host>) -> Outcome;

    /// Opens a place whose Python state stays from one job to the next.
    ///
    /// # Errors
    /// Why there is none.
    async fn open(&self) -> Result<Box<dyn Session>, Failure> {
        Err(Failure {
            kind: FailureKind::Sandbox,
            message: format!("the {} sandbox keeps no sessions", self.name()),
            traceback: None,
            hint: Some("leave `session_id` out".to_owned()),
        })
    }

    /// Sees to it that the next job need not wait. Returns at once.
    fn expect(&self) {}

    /// How many jobs need not wait.
    fn ready(&self) -> usize {
        0
    }
}

/// A place whose Python state stays from one job to the next. Dropping it ends what runs in it.
#[async_trait]
pub trait Session: Send {
    /// Runs one job. Afterwards [`Session::is_open`] tells whether there can be another. Dropping the
    /// future ends the session.
    async fn run(&mut self, job: Job, host: Arc<dyn Host>) -> Outcome;

    /// Whether it can run another job: not after a job that was killed or ended its process.
    fn is_open(&self) -> bool;
}

/// One execution.
#[derive(Debug, Clone)]
pub struct Job {
    /// The execution's id, for names and logs.
    pub execution_id: String,
    /// The code exactly as the guard saw it.
    pub code: String,
    /// Modules the code may import beside what the image holds, from memory.
    pub modules: Vec<Module>,
    /// After this the environment is killed.
    pub timeout: Duration,
    /// Bound on result, prints and stderr together, in bytes.
    pub max_output_bytes: usize,
}

/// A Python module handed to the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// The dotted name, such as `weather.functions`.
    pub name: String,
    /// Its source.
    pub source: String,
}

/// What came of a job.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The value of `main()`, `result` or the last expression, as JSON; or why there is none.
    pub result: Result<serde_json::Value, Failure>,
    /// What the code wrote to stdout.
    pub prints: String,
    /// What the code wrote to stderr.
    pub stderr: String,
    /// Whether `prints` or `stderr` were cut.
    pub truncated: bool,
    /// From handing over the code to its end.
    pub elapsed: Duration,
}

impl Outcome {
    /// That of a job that was not started.
    fn not_started(failure: Failure) -> Self {
        Self {
            result: Err(failure),
            prints: String::new(),
            stderr: String::new(),
            truncated: false,
            elapsed: Duration::ZERO,
        }
    }
}

/// Why a job has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The class.
    pub kind: FailureKind,
    /// One or a few lines for the author of the code.
    pub message: String,
    /// The traceback cut to the code's own lines.
    pub traceback: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

/// The classes of [`Failure`]. `Timeout`, `Memory`, `Pids` and `Disk` come from what the host
/// observed, never from what the sandbox said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// The code raised, exited or could not be started.
    Execution,
    /// An API answered with an error that the code did not handle.
    Api,
    /// The host refused a call that the code did not handle.
    Egress,
    /// The time limit.
    Timeout,
    /// The memory limit.
    Memory,
    /// The process limit.
    Pids,
    /// A full temporary file system.
    Disk,
    /// The output limit.
    OutputLimit,
    /// The sandbox has not all of Python, and not what the code uses.
    Unsupported,
    /// The sandbox itself is not available or not proven.
    Sandbox,
    /// A fault of MCE.
    Internal,
}

/// A call of a compiled function, as code in the sandbox asks for it.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// The server.
    pub server: String,
    /// The function.
    pub function: String,
    /// Its arguments by Python name.
    pub arguments: Arguments,
    /// Which of the declared media types the body is sent as; the first where this is absent.
    pub content_type: Option<String>,
}

/// What a call returned.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// The value; of a stream, the list of what arrived.
    pub value: Value,
    /// What it is a stream of, if it is one.
    pub stream: Option<Stream>,
    /// The URL of the next page, where the answer's header `Link` has one.
    pub next: Option<String>,
}

/// A stream as the host hands it over.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// Events or items.
    pub kind: Streamed,
    /// Why the host stopped reading before the end, if it did.
    pub cut: Option<CallError>,
}

impl From<Value> for Reply {
    fn from(value: Value) -> Self {
        Self {
            value,
            ..Self::default()
        }
    }
}

/// One page of the answers of a compiled function, as code in the sandbox asks for it.
#[derive(Debug, Clone, Default)]
pub struct PageCall {
    /// The call that the first page answers.
    pub call: Call,
    /// Where a further page is: the URL that the API gave with the one before.
    pub url: Option<String>,
}

/// A page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// What a call returns.
    pub value: Value,
    /// The URL of the next page, where the answer's header `Link` has one.
    pub next: Option<String>,
}

/// What code in a sandbox can ask of the host. Implemented by the broker, one value an execution.
#[async_trait]
pub trait Host: Send + Sync {
    /// Calls a compiled function.
    ///
    /// # Errors
    /// [`CallError`], which the stub in the sandbox raises.
    async fn perform(&self, call: Call) -> Result<Reply, CallError>;

    /// Asks for a page of a compiled function's answers.
    ///
    /// # Errors
    /// As for [`Host::perform`].
    async fn page(&self, page: PageCall) -> Result<Page, CallError> {
        match page.url {
            None => {
                let Reply { value, next, .. } = self.perform(page.call).await?;
                Ok(Page { value, next })
            }
            Some(_) => Err(CallError::Egress {
                message: format!("{}() has no pages to follow", page.call.function),
            }),
        }
    }

    /// Makes a plain HTTP request of the code, and answers when the head of its answer is there.
    ///
    /// # Errors
    /// [`CallError`], which `httpx` in the sandbox raises: [`CallError::Http`] as the class it names,
    /// all others as an `EgressError` that is an error of `httpx` as well.
    async fn http(&self, _request: HttpRequest) -> Result<HttpResponse, CallError> {
        Err(http::refused())
    }

    /// The next piece of the body of an answer, waited for up to `read`. One at a time of each body.
    ///
    /// # Errors
    /// As for [`Host::http`]; there is no further piece then.
    async fn http_more(
        &self,
        _stream: u64,
        _read: Option<Duration>,
    ) -> Result<HttpPiece, CallError> {
        Err(http::refused())
    }

    /// Nothing more of a body is wanted, nor of an answer that has not come yet.
    fn http_close(&self, _stream: u64) {}

    /// Calls a compiled function with arguments alone.
    ///
    /// # Errors
    /// As for [`Host::perform`].
    async fn call(
        &self,
        server: &str,
        function: &str,
        arguments: Arguments,
    ) -> Result<Value, CallError> {
        self.perform(Call {
            server: server.to_owned(),
            function: function.to_owned(),
            arguments,
            content_type: None,
        })
        .await
        .map(|reply| reply.value)
    }
}

/// Why a call has no value.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The arguments do not fit the function: raised as `TypeError`.
    #[error("{message}")]
    Argument {
        /// Python-style text, such as `get_pet() missing required argument: 'pet_id'`.
        message: String,
    },
    /// The API answered with an error status: raised as `ApiError`.
    #[error("{message}")]
    Api {
        /// The HTTP status.
        status: u16,
        /// Status and the body's own message.
        message: String,
        /// The decoded body.
        body: Value,
        /// Response headers by the allow-list, names in lower case.
        headers: IndexMap<String, String>,
    },
    /// No answer came (refused, timed out, too large): raised as `ApiError` with status 0.
    #[error("{message}")]
    Network {
        /// What happened, without any address that is not the server's own name.
        message: String,
    },
    /// The host refused the call: raised as `EgressError`.
    #[error("{message}")]
    Egress {
        /// What was refused and why.
        message: String,
    },
    /// A plain HTTP request of the code failed: raised as an error of `httpx`.
    #[error("{message}")]
    Http {
        /// As which one.
        failure: HttpFailure,
        /// What happened.
        message: String,
    },
    /// A limit of the execution was reached, such as the number of calls: raised as `EgressError`.
    #[error("{message}")]
    Limit {
        /// Which limit.
        message: String,
    },
    /// A fault of MCE: raised as `RuntimeError`.
    #[error("{message}")]
    Internal {
        /// What to report.
        message: String,
    },
}

impl CallError {
    /// The name of the class on the stream between host and sandbox.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Argument { .. } => "argument",
            Self::Api { .. } => "api",
            Self::Network { .. } | Self::Http { .. } => "network",
            Self::Egress { .. } => "egress",
            Self::Limit { .. } => "limit",
            Self::Internal { .. } => "internal",
        }
    }
}
