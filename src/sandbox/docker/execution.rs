//! One job in one container: the code goes in, calls come out and are answered, and at the end
//! stands an outcome. What the code says of its end is taken for what it is worth; time, memory
//! and processes are judged by what the host observed.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use indexmap::IndexMap;
use serde::Deserialize;
use tokio::io::AsyncWriteExt;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::cgroup::counters;
use super::container::Started;
use super::output::Output;
use crate::sandbox::frames::{
    Assembler, Frame, FrameError, Kind, frames, pack, unpack, unpack_json,
};
use crate::sandbox::{CallError, Failure, FailureKind, Host, Job, Outcome};
use crate::wire::{Arguments, Value};

/// Bytes of calls that are on their way at once. With so many bytes or calls on their way, the
/// stream is not read any further.
const MAX_BYTES_IN_FLIGHT: usize = 64 << 20;
/// Bytes of messages that are not complete yet.
const MAX_UNFINISHED: usize = 64 << 20;
/// Frames that wait to be written.
const WRITE_QUEUE: usize = 4;

/// How the executing process ended, as the supervisor says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ended {
    exit_code: Option<i64>,
    signal: Option<i64>,
    violation: Option<String>,
    truncated: bool,
}

/// What the code says it ended with.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    Result(serde_json::Value),
    Failure(SaidFailure),
}

#[derive(Debug, Deserialize)]
struct SaidFailure {
    kind: String,
    message: String,
    traceback: Option<String>,
    hint: Option<String>,
    #[serde(default)]
    refused_process: bool,
}

/// Why the loop ended.
enum End {
    Ended(Ended),
    Timeout,
    /// The stream broke off, with what was said of it.
    Lost(String),
    /// Something that is no frame or no message.
    Malformed(FrameError),
}

struct Execution {
    host: Arc<dyn Host>,
    output: Output,
    said: Option<Bytes>,
    calls: JoinSet<usize>,
    calls_at_once: usize,
    bytes_in_flight: usize,
    frames: mpsc::Sender<Bytes>,
    assembler: Assembler,
}

/// Runs a job in a container and returns what came of it.
pub(super) async fn execute(mut started: Started, job: Job, host: Arc<dyn Host>) -> Outcome {
    let begun = Instant::now();
    let (sender, mut queue) = mpsc::channel::<Bytes>(WRITE_QUEUE);
    let mut writer = started.writer;
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        while let Some(frame) = queue.recv().await {
            if writer.write_all(&frame).await.is_err() || writer.flush().await.is_err() {
                // The reading side finds out why.
                break;
            }
        }
        // Keeps the stream open: the runner takes its end for the host's.
        std::future::pending::<()>().await;
    });
    let mut execution = Execution {
        host,
        output: Output::new(job.max_output_bytes),
        said: None,
        calls: JoinSet::new(),
        calls_at_once: started.container.calls_at_once(),
        bytes_in_flight: 0,
        frames: sender,
        assembler: Assembler::new(MAX_UNFINISHED),
    };
    let end = match job_message(&job) {
        Ok(message) => {
            let frames_out = execution.frames.clone();
            tasks.spawn(async move { send(&frames_out, Kind::Job, 0, &message).await });
            let deadline = begun + job.timeout;
            loop {
                match execution.step(&mut started.reader, deadline).await {
                    None => {}
                    Some(end) => break end,
                }
            }
        }
        Err(error) => End::Malformed(error),
    };
    let elapsed = begun.elapsed();
    execution.calls.abort_all();
    let result = match end {
        End::Timeout => Err(timeout(job.timeout)),
        End::Malformed(error) => Err(failure(
            FailureKind::Execution,
            format!(
                "the code wrote to a descriptor of the sandbox what does not belong there: {error}"
            ),
        )),
        End::Ended(ended) => {
            execution.output.truncated |= ended.truncated;
            judge(
                &started.container,
                started.pid,
                &ended,
                execution.said.as_ref(),
                &job,
            )
            .await
        }
        End::Lost(reason) => Err(lost(&started.container, &reason).await),
    };
    // Removed in the background; whatever still runs in it is killed.
    drop(started.container);
    execution.output.into_outcome(result, elapsed)
}

impl Execution {
    /// Takes one thing that happened. `Some` when it was the last.
    async fn step(
        &mut self,
        reader: &mut super::container::FrameStream,
        deadline: Instant,
    ) -> Option<End> {
        let may_read =
            self.calls.len() < self.calls_at_once && self.bytes_in_flight < MAX_BYTES_IN_FLIGHT;
        tokio::select! {
            biased;
            () = tokio::time::sleep_until(deadline) => Some(End::Timeout),
            Some(done) = self.calls.join_next() => {
                self.bytes_in_flight = self.bytes_in_flight.saturating_sub(done.unwrap_or(0));
                None
            }
            frame = reader.next(), if may_read => match frame {
                Ok(Some(frame)) => self.take(frame).unwrap_or_else(|error| Some(End::Malformed(error))),
                Ok(None) => Some(End::Lost(reader.diagnostics())),
                Err(reason) => Some(End::Lost(reason)),
            },
        }
    }

    fn take(&mut self, frame: Frame) -> Result<Option<End>, FrameError> {
        let (kind, message) = (frame.kind, frame.message);
        match kind {
            Kind::Stdout => self.output.print(&frame.chunk),
            Kind::Stderr => self.output.complain(&frame.chunk),
            Kind::Call | Kind::Result | Kind::Ended => {
                let Some(payload) = self.assembler.add(frame)? else {
                    return Ok(None);
                };
                match kind {
                    Kind::Call => self.call(message, &payload)?,
                    Kind::Ended => return Ok(Some(End::Ended(unpack_json(&payload)?))),
                    _ => self.said = self.said.take().or(Some(payload)),
                }
            }
            Kind::Hello | Kind::Job | Kind::Answer => {
                return Err(FrameError::Message(format!("`{kind:?}` is out of place")));
            }
        }
        Ok(None)
    }

    fn call(&mut self, message: u32, payload: &Bytes) -> Result<(), FrameError> {
        let size = payload.len();
        let call = Call::from_message(unpack(payload)?)
            .ok_or_else(|| FrameError::Message("it is no call".to_owned()))?;
        let (host, frames_out) = (Arc::clone(&self.host), self.frames.clone());
        self.bytes_in_flight += size;
        self.calls.spawn(async move {
            let calling = host.call(&call.server, &call.function, call.arguments);
            let answer = match AssertUnwindSafe(calling).catch_unwind().await {
                Ok(answer) => answer,
                Err(_) => Err(internal("the host failed to make the call")),
            };
            let packed = pack(&answer_message(answer)).or_else(|error| {
                pack(&answer_message(Err(internal(&format!(
                    "the answer cannot be handed over: {error}"
                )))))
            });
            if let Ok(packed) = packed {
                send(&frames_out, Kind::Answer, message, &packed).await;
            }
            size
        });
        Ok(())
    }
}

async fn send(queue: &mpsc::Sender<Bytes>, kind: Kind, message: u32, payload: &[u8]) {
    for frame in frames(kind, message, payload) {
        if queue.send(frame).await.is_err() {
            return;
        }
    }
}

fn job_message(job: &Job) -> Result<Vec<u8>, FrameError> {
    let modules = job
        .modules
        .iter()
        .map(|module| (module.name.clone(), Value::String(module.source.clone())))
        .collect();
    pack(&Value::Object(IndexMap::from([
        ("code".to_owned(), Value::String(job.code.clone())),
        ("modules".to_owned(), Value::Object(modules)),
        (
            "max_output_bytes".to_owned(),
            Value::Number(job.max_output_bytes.into()),
        ),
    ])))
}

struct Call {
    server: String,
    function: String,
    arguments: Arguments,
}

impl Call {
    fn from_message(message: Value) -> Option<Self> {
        let Value::Object(mut members) = message else {
            return None;
        };
        let mut take = |name: &str| members.shift_remove(name);
        match (take("server")?, take("function")?, take("arguments")?) {
            (Value::String(server), Value::String(function), Value::Object(arguments)) => {
                Some(Self {
                    server,
                    function,
                    arguments,
                })
            }
            _ => None,
        }
    }
}

/// `["ok", value]` or `["error", what went wrong]`.
fn answer_message(answer: Result<Value, CallError>) -> Value {
    let (word, value) = match answer {
        Ok(value) => ("ok", value),
        Err(error) => ("error", error_message(error)),
    };
    Value::Array(vec![Value::String(word.to_owned()), value])
}

fn error_message(error: CallError) -> Value {
    let kind = error.kind();
    let (status, message, body, headers) = match error {
        CallError::Api {
            status,
            message,
            body,
            headers,
        } => (status, message, body, headers),
        other => (0, other.to_string(), Value::Null, IndexMap::new()),
    };
    let headers = headers
        .into_iter()
        .map(|(name, value)| (name, Value::String(value)))
        .collect();
    Value::Object(IndexMap::from([
        ("kind".to_owned(), Value::String(kind.to_owned())),
        ("message".to_owned(), Value::String(message)),
        ("status".to_owned(), Value::Number(status.into())),
        ("body".to_owned(), body),
        ("headers".to_owned(), Value::Object(headers)),
    ]))
}

fn internal(message: &str) -> CallError {
    CallError::Internal {
        message: message.to_owned(),
    }
}

/// What the end of the executing process means.
async fn judge(
    container: &super::container::Container,
    pid: Option<i64>,
    ended: &Ended,
    said: Option<&Bytes>,
    job: &Job,
) -> Result<serde_json::Value, Failure> {
    if let Some(violation) = &ended.violation {
        return Err(failure(
            FailureKind::Execution,
            format!(
                "the code wrote to a descriptor of the sandbox what does not belong there: {violation}"
            ),
        ));
    }
    let Some(said) = said else {
        return Err(no_word(container, pid, ended).await);
    };
    // The JSON around the result is a few bytes.
    if said.len() > job.max_output_bytes.saturating_add(64) {
        return Err(output_limit(job.max_output_bytes));
    }
    match unpack_json(said) {
        Ok(Said::Result(value)) => Ok(value),
        Ok(Said::Failure(said)) => Err(said_failure(said, container, pid, job)),
        Err(error) => Err(failure(
            FailureKind::Execution,
            format!("the result of the code cannot be read: {error}"),
        )),
    }
}

fn said_failure(
    said: SaidFailure,
    container: &super::container::Container,
    pid: Option<i64>,
    job: &Job,
) -> Failure {
    let kind = match said.kind.as_str() {
        "api" => FailureKind::Api,
        "egress" => FailureKind::Egress,
        "output_limit" => return output_limit(job.max_output_bytes),
        // The code's word, and the kernel's: a process was refused.
        _ if said.refused_process
            && counters(pid, container.id()).is_some_and(|counters| counters.pids_refused > 0) =>
        {
            FailureKind::Pids
        }
        _ => FailureKind::Execution,
    };
    Failure {
        kind,
        message: said.message,
        traceback: said.traceback.filter(|text| !text.is_empty()),
        hint: said.hint,
    }
}

/// The process ended without a word of its own: what made it?
async fn no_word(
    container: &super::container::Container,
    pid: Option<i64>,
    ended: &Ended,
) -> Failure {
    match (ended.signal, ended.exit_code) {
        (Some(9), _) => {
            let counted = counters(pid, container.id());
            let ran_out = match counted {
                Some(counters) => counters.oom_kills > 0,
                None => was_out_of_memory(container).await,
            };
            if ran_out {
                out_of_memory()
            } else {
                failure(
                    FailureKind::Execution,
                    "the code was killed by a signal (SIGKILL)",
                )
            }
        }
        (Some(signal), _) => Failure {
            hint: Some("native code crashed or the code sent itself a signal".to_owned()),
            ..failure(
                FailureKind::Execution,
                format!("the code was killed by {}", signal_name(signal)),
            )
        },
        (None, code) => Failure {
            hint: Some(
                "let the code run to its end, or raise an error; do not call `os._exit`".to_owned(),
            ),
            ..failure(
                FailureKind::Execution,
                format!(
                    "the code ended its process (exit code {}) before it had a result",
                    code.unwrap_or(0)
                ),
            )
        },
    }
}

/// The stream broke off: the supervisor is gone too.
async fn lost(container: &super::container::Container, reason: &str) -> Failure {
    if was_out_of_memory(container).await {
        return out_of_memory();
    }
    let mut message = "the container ended before the code did".to_owned();
    if !reason.is_empty() {
        message = format!("{message}: {reason}");
    }
    failure(FailureKind::Sandbox, message)
}

/// Kills the container and asks the engine whether memory had run out before.
async fn was_out_of_memory(container: &super::container::Container) -> bool {
    container.kill().await;
    for _ in 0..40 {
        let Ok(inspected) = container.inspect().await else {
            return false;
        };
        let state = inspected.state.unwrap_or_default();
        if state.oom_killed == Some(true) {
            return true;
        }
        if state.running != Some(true) {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}

fn failure(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure {
        kind,
        message: message.into(),
        traceback: None,
        hint: None,
    }
}

fn timeout(limit: Duration) -> Failure {
    Failure {
        hint: Some(
            "do less in one execution, make calls concurrently, or ask for more time".to_owned(),
        ),
        ..failure(
            FailureKind::Timeout,
            format!(
                "the code ran longer than {} seconds and was killed",
                limit.as_secs_f64()
            ),
        )
    }
}

fn out_of_memory() -> Failure {
    Failure {
        hint: Some("keep less in memory at once: page, stream or aggregate".to_owned()),
        ..failure(
            FailureKind::Memory,
            "the code ran out of memory and was killed",
        )
    }
}

fn output_limit(limit: usize) -> Failure {
    Failure {
        hint: Some("return less: select fields, filter rows, or aggregate".to_owned()),
        ..failure(
            FailureKind::OutputLimit,
            format!("the result is larger than {limit} bytes"),
        )
    }
}

fn signal_name(signal: i64) -> String {
    let name = match signal {
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        11 => "SIGSEGV",
        15 => "SIGTERM",
        31 => "SIGSYS",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}
