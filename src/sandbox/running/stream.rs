//! The writing side of a stream of frames, and what a place complains of beside it.

use std::collections::VecDeque;
use std::pin::Pin;

use bytes::Bytes;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// What the place itself may say on stderr when it cannot start.
const DIAGNOSTICS: usize = 4096;
/// Frames that wait to be written.
const WRITE_QUEUE: usize = 4;

/// The side that writes, as the place gives it.
pub(in crate::sandbox) type Input = Pin<Box<dyn AsyncWrite + Send>>;

/// Frames on their way into a place. The stream stays open as long as this lives: what runs there takes
/// its end for the host's.
pub(in crate::sandbox) struct FrameWriter {
    queue: mpsc::Sender<Bytes>,
    _writing: JoinSet<()>,
}

impl FrameWriter {
    pub(in crate::sandbox) fn new(mut input: Input) -> Self {
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
    pub(in crate::sandbox) fn queue(&self) -> mpsc::Sender<Bytes> {
        self.queue.clone()
    }
}

/// The end of what a place, not the code, wrote to stderr.
#[derive(Debug, Default)]
pub(in crate::sandbox) struct Diagnostics(VecDeque<u8>);

impl Diagnostics {
    pub(in crate::sandbox) fn add(&mut self, message: &[u8]) {
        self.0.extend(message);
        let excess = self.0.len().saturating_sub(DIAGNOSTICS);
        self.0.drain(..excess);
    }

    pub(in crate::sandbox) fn text(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}
