//! One job in one place: the code goes in, calls come out and are answered, and at the end stands an
//! outcome. A [`Place`] speaks the frames of `frames`; all that is known of it here is that.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;

mod http;
mod messages;
mod output;
mod stream;
mod verdict;

pub(super) use messages::job_members;
pub(super) use stream::{Diagnostics, FrameWriter, Input};
pub(super) use verdict::{Ended, failure, malformed, out_of_memory, signal_name};

use http::Further;
use messages::{Answered, Asked, answer, answer_message, internal, read_call, read_further};
use output::Output;
use verdict::{judge, timeout};

use crate::sandbox::frames::{
    Assembled, Assembler, Frame, FrameError, Kind, frames, pack, unpack_json,
};
use crate::sandbox::{CallError, Failure, Host, Job, Outcome};

/// Bytes of calls that were read and have no answer yet. With so many, the stream is not read any
/// further. Until then it is, whatever is on its way: Podman's monitor of a container hands over no
/// answer to it before its own output is taken.
const MAX_BYTES_IN_FLIGHT: usize = 64 << 20;
/// What a call counts for beyond its bytes.
const CALL_COST: usize = 1 << 10;
/// Bytes of messages that are not complete yet.
const MAX_UNFINISHED: usize = 64 << 20;
/// A word on the body of an answer is a few numbers.
const MAX_FURTHER: usize = 1 << 10;
/// Pieces that are still on their way though nobody waits for them any more.
const MAX_STALE: usize = 16;
/// How long calls that are cut off may take to let go.
const GRACE: Duration = Duration::from_secs(2);
/// Bytes of large calls, of all executions together, that are read at once. What is read takes a
/// multiple of that.
const MAX_BYTES_READ: usize = 64 << 20;
static READING: Semaphore = Semaphore::const_new(MAX_BYTES_READ);
/// Bytes of a call that take long enough to read to be read elsewhere.
const LARGE: usize = 64 << 10;

/// Why the loop ended.
enum End {
    Ended(Ended),
    /// The code of a session ended; its process waits for more.
    Paused(Ended),
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
    /// Pieces of answers that are waited for. They wait for no call: calls may wait for a place that
    /// the end of an answer sets free.
    pieces: JoinSet<Result<(), FrameError>>,
    /// Set when the code has ended: calls that are still on their way come to nothing.
    over: watch::Sender<bool>,
    calls_at_once: usize,
    /// Calls that begin when others have their answer.
    waiting: VecDeque<(u32, Bytes)>,
    max_call_bytes: usize,
    bytes_in_flight: usize,
    frames: mpsc::Sender<Bytes>,
    assembler: Assembler,
}

/// What becomes of a place when its code has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// It is of no more use.
    Ends,
    /// It waits for more code.
    Waits,
}

/// Bounds on the calls of one execution.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallLimits {
    /// Calls that may be on their way at once; at least 1.
    pub(super) at_once: usize,
    /// Bytes of the request that a call becomes.
    pub(super) max_bytes: usize,
}

/// A place that was started and proven, and runs one job after the other.
pub(super) trait Place: Send {
    /// Bounds on the calls of its code.
    fn call_limits(&self) -> CallLimits;

    /// The message that hands over a job.
    fn job_message(&self, job: &Job, afterwards: Afterwards) -> Result<Vec<u8>, Failure>;

    /// Where to put whole frames.
    fn queue(&self) -> mpsc::Sender<Bytes>;

    /// The next frame; `None` when the stream ended. Nothing is lost when the future is dropped.
    fn next(&mut self) -> impl Future<Output = Result<Option<Frame>, String>> + Send;

    /// What the place itself, not the code, complained of.
    fn diagnostics(&self) -> String;

    /// Where messages wait that were unfinished when the job before ended.
    fn unfinished(&mut self) -> &mut Option<Assembler>;

    /// Whether the kernel refused the code a process.
    fn refused_process(&self) -> bool;

    /// What it means that the code ended without a word.
    fn no_word(&mut self, ended: &Ended) -> impl Future<Output = Failure> + Send;

    /// What it means that the stream broke off.
    fn lost(&mut self, reason: &str) -> impl Future<Output = Failure> + Send;

    /// Ends whatever runs in it, at once.
    fn discard(&mut self);

    /// Its code ended, and more may follow.
    fn note_pause(&mut self);
}

/// Runs a job, with what is to become of the place, and what became of it.
pub(super) async fn execute_in<P: Place>(
    place: &mut P,
    job: &Job,
    host: Arc<dyn Host>,
    afterwards: Afterwards,
) -> (Outcome, Afterwards) {
    let begun = Instant::now();
    let limits = place.call_limits();
    let message = match place.job_message(job, afterwards) {
        Ok(message) => message,
        Err(failure) => return (Outcome::not_started(failure), afterwards),
    };
    let mut execution = Execution {
        host,
        output: Output::new(job.max_output_bytes),
        said: None,
        calls: JoinSet::new(),
        pieces: JoinSet::new(),
        over: watch::Sender::new(false),
        calls_at_once: limits.at_once,
        waiting: VecDeque::new(),
        max_call_bytes: limits.max_bytes,
        bytes_in_flight: 0,
        frames: place.queue(),
        assembler: place.unfinished().take().unwrap_or_else(|| {
            Assembler::new(MAX_UNFINISHED).with_most(Kind::Call, most(limits.max_bytes))
        }),
    };
    let mut sending = JoinSet::new();
    let frames_out = execution.frames.clone();
    sending.spawn(async move { send(&frames_out, Kind::Job, 0, &message).await });
    let deadline = begun + job.timeout;
    let end = loop {
        match execution.step(place, deadline).await {
            None => {}
            Some(end) => break end,
        }
    };
    let elapsed = begun.elapsed();
    let is_paused = matches!(end, End::Paused(_));
    let has_ended = matches!(end, End::Ended(_));
    if is_paused {
        execution.over.send_replace(true);
        execution.refuse_waiting();
    } else {
        execution.calls.abort_all();
        execution.pieces.abort_all();
    }
    let result = match end {
        End::Timeout => Err(timeout(job.timeout)),
        End::Malformed(error) => Err(malformed(&error)),
        End::Ended(ended) | End::Paused(ended) => {
            execution.output.truncated |= ended.truncated;
            judge(place, &ended, execution.said.as_ref(), job).await
        }
        End::Lost(reason) => Err(place.lost(&reason).await),
    };
    if !is_paused && !has_ended {
        // Whatever still runs in it is killed, beside what follows here.
        place.discard();
    }
    // A call that is cut off is part of what happened: its end is seen before the outcome is.
    let all_ended = async {
        while execution.calls.join_next().await.is_some() {}
        while execution.pieces.join_next().await.is_some() {}
    };
    let in_time = tokio::time::timeout(GRACE, all_ended).await.is_ok();
    *place.unfinished() = Some(execution.assembler);
    let outcome = execution.output.into_outcome(result, elapsed);
    if is_paused && in_time {
        place.note_pause();
        (outcome, Afterwards::Waits)
    } else {
        (outcome, Afterwards::Ends)
    }
}

impl Execution {
    /// Takes one thing that happened. `Some` when it was the last.
    async fn step<P: Place>(&mut self, place: &mut P, deadline: Instant) -> Option<End> {
        let may_read = self.bytes_in_flight < MAX_BYTES_IN_FLIGHT;
        tokio::select! {
            biased;
            () = tokio::time::sleep_until(deadline) => Some(End::Timeout),
            Some(done) = self.calls.join_next() => match done {
                Ok(Ok(size)) => {
                    self.bytes_in_flight = self.bytes_in_flight.saturating_sub(size);
                    self.begin_calls().err().map(End::Malformed)
                }
                Ok(Err(error)) => Some(End::Malformed(error)),
                Err(_) => self.begin_calls().err().map(End::Malformed),
            },
            Some(done) = self.pieces.join_next() => match done {
                Ok(Err(error)) => Some(End::Malformed(error)),
                Ok(Ok(())) | Err(_) => None,
            },
            frame = place.next(), if may_read => match frame {
                Ok(Some(frame)) => self.take(frame).unwrap_or_else(|error| Some(End::Malformed(error))),
                Ok(None) => Some(End::Lost(place.diagnostics())),
                Err(reason) => Some(End::Lost(reason)),
            },
        }
    }

    fn take(&mut self, frame: Frame) -> Result<Option<End>, FrameError> {
        let (kind, message) = (frame.kind, frame.message);
        match kind {
            Kind::Stdout => self.output.print(&frame.chunk),
            Kind::Stderr => self.output.complain(&frame.chunk),
            Kind::Stream => self.take_further(&frame)?,
            Kind::Call | Kind::Result | Kind::Ended | Kind::Paused => {
                let payload = match self.assembler.add(frame)? {
                    Assembled::Unfinished => return Ok(None),
                    Assembled::Whole(payload) => payload,
                    Assembled::TooLarge if kind == Kind::Call => {
                        self.refuse_large(message);
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
                    Kind::Call => {
                        self.bytes_in_flight += payload.len() + CALL_COST;
                        self.waiting.push_back((message, payload));
                        self.begin_calls()?;
                    }
                    Kind::Ended => return Ok(Some(End::Ended(unpack_json(&payload)?))),
                    Kind::Paused => return Ok(Some(End::Paused(unpack_json(&payload)?))),
                    _ => self.said = self.said.take().or(Some(payload)),
                }
            }
            Kind::Hello | Kind::Job | Kind::Answer => {
                return Err(FrameError::Message(format!("`{kind:?}` is out of place")));
            }
        }
        Ok(None)
    }

    /// Asks for a further piece of an answer, or ends it.
    fn take_further(&mut self, frame: &Frame) -> Result<(), FrameError> {
        if !frame.last || frame.chunk.len() > MAX_FURTHER {
            return Err(FrameError::Message("a word on a stream is too long".into()));
        }
        let message = frame.message;
        match read_further(&frame.chunk)? {
            Further::Close(stream) => self.host.http_close(stream),
            Further::More(..) if self.pieces.len() >= 4 * self.calls_at_once + MAX_STALE => {
                return Err(FrameError::Message(
                    "more pieces are asked for than there are answers".into(),
                ));
            }
            Further::More(stream, read) => {
                let (host, frames_out) = (Arc::clone(&self.host), self.frames.clone());
                let mut over = self.over.subscribe();
                self.pieces.spawn(async move {
                    let piece = tokio::select! {
                        piece = AssertUnwindSafe(host.http_more(stream, read)).catch_unwind() => {
                            match piece {
                                Ok(piece) => piece,
                                Err(_) => Err(internal("the host failed to read on")),
                            }
                        }
                        _ = over.wait_for(|over| *over) => Err(execution_ended()),
                    };
                    let packed = pack(&answer_message(piece.map(Answered::Piece)))?;
                    send(&frames_out, Kind::Answer, message, &packed).await;
                    Ok(())
                });
            }
        }
        Ok(())
    }

    /// Answers a call that is too large to be looked at.
    fn refuse_large(&mut self, message: u32) {
        let limit = self.max_call_bytes;
        let refusal = CallError::Limit {
            message: format!(
                "the arguments of the call are larger than a request of {limit} bytes can be \
                 (`MCE_MAX_REQUEST_BYTES`)"
            ),
        };
        self.refuse(message, refusal);
    }

    /// Answers the calls that did not begin.
    fn refuse_waiting(&mut self) {
        for (message, _) in std::mem::take(&mut self.waiting) {
            self.refuse(message, execution_ended());
        }
    }

    fn refuse(&mut self, message: u32, refusal: CallError) {
        let frames_out = self.frames.clone();
        self.calls.spawn(async move {
            tell_error(&frames_out, message, refusal).await?;
            Ok(0)
        });
    }

    fn begin_calls(&mut self) -> Result<(), FrameError> {
        while self.calls.len() < self.calls_at_once
            && let Some((message, payload)) = self.waiting.pop_front()
        {
            self.begin(message, payload)?;
        }
        Ok(())
    }

    fn begin(&mut self, message: u32, payload: Bytes) -> Result<(), FrameError> {
        let size = payload.len();
        // What takes long is done beside the threads that wait, so that it holds up neither other
        // executions nor this one's time limit.
        let read = if size < LARGE {
            Some(read_call(&payload)?)
        } else {
            None
        };
        let (host, frames_out) = (Arc::clone(&self.host), self.frames.clone());
        let mut over = self.over.subscribe();
        self.calls.spawn(async move {
            let over = async move {
                let _ = over.wait_for(|over| *over).await;
            };
            make_call(&*host, &frames_out, message, payload, read, over).await?;
            Ok(size + CALL_COST)
        });
        Ok(())
    }
}

/// Reads a call where that was not done yet, makes it unless the execution is `over` first, and sends
/// the answer.
async fn make_call(
    host: &dyn Host,
    frames_out: &mpsc::Sender<Bytes>,
    message: u32,
    payload: Bytes,
    read: Option<Asked>,
    over: impl Future<Output = ()>,
) -> Result<(), FrameError> {
    let call = if let Some(call) = read {
        call
    } else {
        let bytes = u32::try_from(payload.len().min(MAX_BYTES_READ)).unwrap_or(u32::MAX);
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
                    message: "the arguments of the call hold more than a million values".to_owned(),
                };
                return tell_error(frames_out, message, refusal).await;
            }
            Err(error) => return Err(error),
        }
    };
    let answer = tokio::select! {
        answer = AssertUnwindSafe(answer(host, call)).catch_unwind() => {
            match answer {
                Ok(answer) => answer,
                Err(_) => Err(internal("the host failed to make the call")),
            }
        }
        () = over => Err(execution_ended()),
    };
    let packed = elsewhere(move || {
        pack(&answer_message(answer)).or_else(|error| {
            pack(&answer_message(Err(internal(&format!(
                "the answer cannot be handed over: {error}"
            )))))
        })
    });
    if let Ok(Ok(packed)) = packed.await {
        send(frames_out, Kind::Answer, message, &packed).await;
    }
    Ok(())
}

fn execution_ended() -> CallError {
    CallError::Limit {
        message: "the execution that made the call has ended".to_owned(),
    }
}

/// Answers a call with an error.
async fn tell_error(
    frames_out: &mpsc::Sender<Bytes>,
    message: u32,
    error: CallError,
) -> Result<(), FrameError> {
    let packed = pack(&answer_message(Err(error)))?;
    send(frames_out, Kind::Answer, message, &packed).await;
    Ok(())
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
