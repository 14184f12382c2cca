//! A started worker as the place of an execution.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdout};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::confine;
use super::pool::Signatures;
use super::prepare::prepare;
use crate::sandbox::frames::{Assembler, Decoder, Frame, pack};
use crate::sandbox::running::{
    Afterwards, CallLimits, Diagnostics, Ended, FrameWriter, Place, failure, malformed,
    out_of_memory,
};
use crate::sandbox::{Failure, FailureKind, Job};

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;
/// How long a worker that broke off may take to be gone.
const GRACE: Duration = Duration::from_secs(2);

/// A worker that is confined and has no code yet, or runs some. It is killed when this is dropped.
pub(super) struct Worker {
    child: Child,
    reader: Reader,
    writer: FrameWriter,
    calls: CallLimits,
    signatures: Arc<Signatures>,
    unfinished: Option<Assembler>,
    /// Whether it was killed for what ran in it.
    is_stopped: bool,
    /// Given back when it is gone.
    _room: OwnedSemaphorePermit,
}

/// The frames that come out of a worker, and what it complains of.
pub(super) struct Reader {
    output: ChildStdout,
    errors: Option<ChildStderr>,
    decoder: Decoder,
    diagnostics: Diagnostics,
    piece: Vec<u8>,
}

impl Reader {
    pub(super) fn new(output: ChildStdout, errors: ChildStderr) -> Self {
        Self {
            output,
            errors: Some(errors),
            decoder: Decoder::default(),
            diagnostics: Diagnostics::default(),
            piece: vec![0; PIECE],
        }
    }

    /// The next frame; `None` when the stream ended. Nothing is lost when the future is dropped.
    pub(super) async fn next(&mut self) -> Result<Option<Frame>, String> {
        loop {
            let frame = self.decoder.next_frame();
            if let Some(frame) = frame.map_err(|error| error.to_string())? {
                return Ok(Some(frame));
            }
            let mut complaint = [0; 512];
            let complaining = async {
                match &mut self.errors {
                    Some(errors) => errors.read(&mut complaint).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                read = self.output.read(&mut self.piece) => match read {
                    Ok(0) => return Ok(None),
                    Ok(size) => self.decoder.feed(self.piece.get(..size).unwrap_or_default()),
                    Err(error) => return Err(error.to_string()),
                },
                read = complaining => match read {
                    Ok(size) if size > 0 => {
                        self.diagnostics.add(complaint.get(..size).unwrap_or_default());
                    }
                    _ => self.errors = None,
                },
            }
        }
    }

    /// What the worker complained of, once it is gone.
    pub(super) async fn complaints(&mut self) -> String {
        self.drain().await;
        self.diagnostics.text()
    }

    async fn drain(&mut self) {
        if let Some(errors) = self.errors.take() {
            let mut text = Vec::new();
            let _ = tokio::time::timeout(GRACE, errors.take(4096).read_to_end(&mut text)).await;
            self.diagnostics.add(&text);
        }
    }
}

impl Worker {
    pub(super) fn new(
        child: Child,
        reader: Reader,
        writer: FrameWriter,
        calls: CallLimits,
        signatures: Arc<Signatures>,
        room: OwnedSemaphorePermit,
    ) -> Self {
        Self {
            child,
            reader,
            writer,
            calls,
            signatures,
            unfinished: None,
            is_stopped: false,
            _room: room,
        }
    }

    /// Whether it has not ended while it waited.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends it in the background.
    pub(super) fn end(mut self) {
        tokio::spawn(async move {
            let _ = self.child.kill().await;
        });
    }

    /// Ends it and waits for that.
    pub(super) async fn end_now(mut self) {
        let _ = self.child.kill().await;
    }

    /// How it ended, given some time to do so.
    async fn status(&mut self) -> Option<ExitStatus> {
        if let Ok(status) = tokio::time::timeout(GRACE, self.child.wait()).await {
            return status.ok();
        }
        self.is_stopped = true;
        let _ = self.child.start_kill();
        self.child.wait().await.ok()
    }
}

impl Place for Worker {
    fn call_limits(&self) -> CallLimits {
        self.calls
    }

    fn job_message(&self, job: &Job, afterwards: Afterwards) -> Result<Vec<u8>, Failure> {
        let message = prepare(job, &self.signatures, afterwards)?;
        pack(&message).map_err(|error| malformed(&error))
    }

    fn queue(&self) -> mpsc::Sender<Bytes> {
        self.writer.queue()
    }

    async fn next(&mut self) -> Result<Option<Frame>, String> {
        self.reader.next().await
    }

    fn diagnostics(&self) -> String {
        self.reader.diagnostics.text()
    }

    fn unfinished(&mut self) -> &mut Option<Assembler> {
        &mut self.unfinished
    }

    fn refused_process(&self) -> bool {
        false
    }

    async fn no_word(&mut self, _: &Ended) -> Failure {
        self.lost("").await
    }

    /// The kernel tells how a process ended.
    async fn lost(&mut self, _: &str) -> Failure {
        let status = self.status().await;
        let said = self.reader.complaints().await;
        let Some(status) = status else {
            return failure(FailureKind::Sandbox, "the worker process is gone");
        };
        match confine::verdict(status, self.is_stopped, said.as_bytes()) {
            confine::Ended::Memory => out_of_memory(),
            confine::Ended::Stack => Failure {
                hint: Some("nest less, or call less deeply".to_owned()),
                ..failure(
                    FailureKind::Execution,
                    "the code is nested too deeply, and the interpreter was killed",
                )
            },
            confine::Ended::Processor => Failure {
                hint: Some("do less in one execution".to_owned()),
                ..failure(
                    FailureKind::Timeout,
                    "the code used up its processor time and was killed",
                )
            },
            ended => Failure {
                hint: Some(
                    "run it again; where it happens again, use the docker sandbox".to_owned(),
                ),
                ..failure(
                    FailureKind::Sandbox,
                    format!("the interpreter's process {ended} before the code had a result"),
                )
            },
        }
    }

    fn discard(&mut self) {
        self.is_stopped = true;
        let _ = self.child.start_kill();
    }

    fn note_pause(&mut self) {}
}
