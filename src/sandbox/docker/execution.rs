//! One job in one container: the code goes in, calls come out and are answered, and at the end
//! stands an outcome.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use indexmap::IndexMap;
use tokio::io::AsyncWriteExt;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::container::Started;
use super::output::Output;
use super::verdict::{Ended, judge, lost, malformed, timeout};
use crate::sandbox::frames::{
    Assembled, Assembler, Frame, FrameError, Kind, frames, pack, unpack, unpack_json,
};
use crate::sandbox::{Call, CallError, Host, Job, Outcome, Page, PageCall, Reply};
use crate::wire::{Streamed, Value};

/// Bytes of calls that are on their way at once. With so many bytes or calls on their way, the
/// stream is not read any further.
const MAX_BYTES_IN_FLIGHT: usize = 64 << 20;
/// Bytes of messages that are not complete yet.
const MAX_UNFINISHED: usize = 64 << 20;
/// How long calls that are cut off may take to let go.
const GRACE: Duration = Duration::from_secs(2);
/// Bytes of large calls, of all executions together, that are read at once. What is read takes a
/// multiple of that.
const MAX_BYTES_READ: usize = 64 << 20;
static READING: Semaphore = Semaphore::const_new(MAX_BYTES_READ);
/// Bytes of a call that take long enough to read to be read elsewhere.
const LARGE: usize = 64 << 10;
/// Frames that wait to be written.
const WRITE_QUEUE: usize = 4;

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
    calls: JoinSet<Result<usize, FrameError>>,
    calls_at_once: usize,
    max_call_bytes: usize,
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
    let limits = started.container.call_limits();
    let mut execution = Execution {
        host,
        output: Output::new(job.max_output_bytes),
        said: None,
        calls: JoinSet::new(),
        calls_at_once: limits.at_once,
        max_call_bytes: limits.max_bytes,
        bytes_in_flight: 0,
        frames: sender,
        assembler: Assembler::new(MAX_UNFINISHED).with_most(Kind::Call, most(limits.max_bytes)),
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
        End::Malformed(error) => Err(malformed(&error)),
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
    // A call that is cut off is part of what happened: its end is seen before the outcome is.
    let _ = tokio::time::timeout(GRACE, execution.calls.shutdown()).await;
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
            Some(done) = self.calls.join_next() => match done {
                Ok(Ok(size)) => {
                    self.bytes_in_flight = self.bytes_in_flight.saturating_sub(size);
                    None
                }
                Ok(Err(error)) => Some(End::Malformed(error)),
                Err(_) => None,
            },
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
                let payload = match self.assembler.add(frame)? {
                    Assembled::Unfinished => return Ok(None),
                    Assembled::Whole(payload) => payload,
                    Assembled::TooLarge if kind == Kind::Call => {
                        self.refuse(message);
                        return Ok(None);
                    }
                    // Whatever it was to be, it is more than any result may be.
                    Assembled::TooLarge => {
                        return Err(FrameError::Budget {
                            limit: MAX_UNFINISHED,
                        });
                    }
                };
                match kind {
                    Kind::Call => self.call(message, payload)?,
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

    /// Answers a call that is too large to be looked at.
    fn refuse(&mut self, message: u32) {
        let (limit, frames_out) = (self.max_call_bytes, self.frames.clone());
        self.calls.spawn(async move {
            let refusal = CallError::Limit {
                message: format!(
                    "the arguments of the call are larger than a request of {limit} bytes can be \
                     (`MCE_MAX_REQUEST_BYTES`)"
                ),
            };
            send(
                &frames_out,
                Kind::Answer,
                message,
                &pack(&answer_message(Err(refusal)))?,
            )
            .await;
            Ok(0)
        });
    }

    fn call(&mut self, message: u32, payload: Bytes) -> Result<(), FrameError> {
        let size = payload.len();
        // What takes long is done beside the threads that wait, so that it holds up neither other
        // executions nor this one's time limit.
        let read = if size < LARGE {
            Some(read_call(&payload)?)
        } else {
            None
        };
        let (host, frames_out) = (Arc::clone(&self.host), self.frames.clone());
        self.bytes_in_flight += size;
        self.calls.spawn(async move {
            let call = if let Some(call) = read {
                call
            } else {
                let bytes = u32::try_from(size.min(MAX_BYTES_READ)).unwrap_or(u32::MAX);
                let reading = READING.acquire_many(bytes).await;
                // Held by the reading, which goes on when the execution has ended.
                let read = elsewhere(move || {
                    let call = read_call(&payload);
                    drop(reading);
                    call
                });
                match read.await? {
                    Ok(call) => call,
                    // No fault of the stream: the code can give less.
                    Err(FrameError::TooMany) => {
                        let refusal = CallError::Limit {
                            message: "the arguments of the call hold more than a million values"
                                .to_owned(),
                        };
                        let answer = pack(&answer_message(Err(refusal)))?;
                        send(&frames_out, Kind::Answer, message, &answer).await;
                        return Ok(size);
                    }
                    Err(error) => return Err(error),
                }
            };
            let calling = answer(&*host, call);
            let answer = match AssertUnwindSafe(calling).catch_unwind().await {
                Ok(answer) => answer,
                Err(_) => Err(internal("the host failed to make the call")),
            };
            let packed = elsewhere(move || {
                pack(&answer_message(answer)).or_else(|error| {
                    pack(&answer_message(Err(internal(&format!(
                        "the answer cannot be handed over: {error}"
                    )))))
                })
            });
            if let Ok(Ok(packed)) = packed.await {
                send(&frames_out, Kind::Answer, message, &packed).await;
            }
            Ok(size)
        });
        Ok(())
    }
}

/// The most bytes that a call may have whose request has at most `request`: its text may hold
/// characters that take two bytes in JSON, and one in the request. Beyond what is kept unfinished it
/// could not arrive at all.
fn most(request: usize) -> usize {
    request
        .saturating_mul(2)
        .saturating_add(LARGE)
        .min(MAX_UNFINISHED / 2)
}

/// Does what may take long on a thread of its own.
async fn elsewhere<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, FrameError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| FrameError::Message(error.to_string()))
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

/// What the code asks for.
enum Asked {
    /// The value of a call.
    Value(Call),
    /// A page: beside its value, where the next one is.
    Page(PageCall),
}

/// What it is told.
enum Answered {
    Value(Reply),
    Page(Page),
}

async fn answer(host: &dyn Host, asked: Asked) -> Result<Answered, CallError> {
    match asked {
        Asked::Value(call) => host.perform(call).await.map(Answered::Value),
        Asked::Page(page) => host.page(page).await.map(Answered::Page),
    }
}

fn read_call(payload: &Bytes) -> Result<Asked, FrameError> {
    call_of(unpack(payload)?).ok_or_else(|| FrameError::Message("it is no call".to_owned()))
}

fn call_of(message: Value) -> Option<Asked> {
    let Value::Object(mut members) = message else {
        return None;
    };
    let mut take = |name: &str| members.shift_remove(name);
    let content_type = match take("content_type") {
        None | Some(Value::Null) => None,
        Some(Value::String(content_type)) => Some(content_type),
        Some(_) => return None,
    };
    let url = take("url");
    let call = match (take("server")?, take("function")?, take("arguments")?) {
        (Value::String(server), Value::String(function), Value::Object(arguments)) => Call {
            server,
            function,
            arguments,
            content_type,
        },
        _ => return None,
    };
    match url {
        None => Some(Asked::Value(call)),
        Some(Value::Null) => Some(Asked::Page(PageCall { call, url: None })),
        Some(Value::String(url)) => {
            let url = Some(url);
            Some(Asked::Page(PageCall { call, url }))
        }
        Some(_) => None,
    }
}

/// `["ok", value]`, `["events", [values, why it was cut or null]]`, `["items", …]`, for a page `["ok",
/// value, next URL or null]`, or `["error", what went wrong]`.
fn answer_message(answer: Result<Answered, CallError>) -> Value {
    let word = |word: &str| Value::String(word.to_owned());
    Value::Array(match answer {
        Ok(Answered::Value(Reply {
            value,
            stream: Some(stream),
            ..
        })) => {
            let kind = match stream.kind {
                Streamed::Events => "events",
                Streamed::Items => "items",
            };
            let cut = stream.cut.map_or(Value::Null, error_message);
            let values = Value::Array(vec![value, cut]);
            vec![word(kind), values]
        }
        Ok(Answered::Value(reply)) => vec![word("ok"), reply.value],
        Ok(Answered::Page(Page { value, next })) => {
            vec![word("ok"), value, next.map_or(Value::Null, Value::String)]
        }
        Err(error) => vec![word("error"), error_message(error)],
    })
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
