//! The stream to and from the runner in a container: frames in, frames out.

use std::collections::VecDeque;
use std::pin::Pin;

use bollard::container::LogOutput;
use bytes::Bytes;
use futures::{FutureExt, Stream, StreamExt};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::proof::Hello;
use crate::sandbox::frames::{Assembled, Assembler, Decoder, Frame, Kind, unpack_json};

/// What the runner itself may say on stderr when it cannot start.
const DIAGNOSTICS: usize = 4096;
/// Frames that wait to be written.
const WRITE_QUEUE: usize = 4;

/// The side that writes, as the engine gives it.
pub(super) type Input = Pin<Box<dyn AsyncWrite + Send>>;

/// Frames on their way into a container. The stream stays open as long as this lives: the runner
/// takes its end for the host's.
pub(super) struct FrameWriter {
    queue: mpsc::Sender<Bytes>,
    _writing: JoinSet<()>,
}

impl FrameWriter {
    pub(super) fn new(mut input: Input) -> Self {
        let (queue, mut frames) = mpsc::channel::<Bytes>(WRITE_QUEUE);
        let mut writing = JoinSet::new();
        writing.spawn(async move {
            while let Some(frame) = frames.recv().await {
                if input.write_all(&frame).await.is_err() || input.flush().await.is_err() {
                    // The reading side finds out why.
                    break;
                }
            }
            drop(frames);
            std::future::pending::<()>().await;
        });
        Self {
            queue,
            _writing: writing,
        }
    }

    /// Where to put whole frames.
    pub(super) fn queue(&self) -> mpsc::Sender<Bytes> {
        self.queue.clone()
    }
}

type Output = Pin<Box<dyn Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>;

/// The frames that come out of a container.
pub(super) struct FrameStream {
    output: Output,
    decoder: Decoder,
    diagnostics: VecDeque<u8>,
}

impl FrameStream {
    pub(super) fn new(output: Output) -> Self {
        Self {
            output,
            decoder: Decoder::default(),
            diagnostics: VecDeque::new(),
        }
    }

    /// The first frame of a container; or why there is none.
    pub(super) async fn hello(&mut self) -> Result<Hello, String> {
        let mut assembler = Assembler::new(1 << 20);
        loop {
            let Some(frame) = self.next().await? else {
                let said = self.diagnostics();
                return Err(if said.is_empty() {
                    "it ended without a word; does the image hold `python3` 3.11 or newer?"
                        .to_owned()
                } else {
                    format!("it ended and said: {said}")
                });
            };
            if frame.kind != Kind::Hello {
                return Err(format!("expected `Hello`, found `{:?}`", frame.kind));
            }
            let added = assembler.add(frame).map_err(|error| error.to_string())?;
            if let Assembled::Whole(payload) = added {
                return unpack_json(&payload).map_err(|error| error.to_string());
            }
        }
    }

    /// Whether nothing has come, and nothing ended: before it is given code a runner is silent.
    pub(super) fn is_silent(&mut self) -> bool {
        self.next().now_or_never().is_none()
    }

    /// The next frame; `None` when the stream ended. Nothing is lost when the future is dropped.
    pub(super) async fn next(&mut self) -> Result<Option<Frame>, String> {
        loop {
            if let Some(frame) = self
                .decoder
                .next_frame()
                .map_err(|error| error.to_string())?
            {
                return Ok(Some(frame));
            }
            match self.output.next().await {
                None => return Ok(None),
                Some(Err(error)) => return Err(super::error::reason(&error)),
                Some(Ok(LogOutput::StdOut { message })) => self.decoder.feed(&message),
                Some(Ok(
                    LogOutput::StdErr { message }
                    | LogOutput::Console { message }
                    | LogOutput::StdIn { message },
                )) => self.diagnose(&message),
            }
        }
    }

    fn diagnose(&mut self, message: &[u8]) {
        self.diagnostics.extend(message);
        let excess = self.diagnostics.len().saturating_sub(DIAGNOSTICS);
        self.diagnostics.drain(..excess);
    }

    /// The end of what the runner, not the code, wrote to stderr.
    pub(super) fn diagnostics(&self) -> String {
        let bytes: Vec<u8> = self.diagnostics.iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}
