//! The frames that come out of a container, as the engine hands them over.

use std::pin::Pin;

use bollard::container::LogOutput;
use futures::{FutureExt, Stream, StreamExt};

use super::proof::Hello;
use crate::sandbox::frames::{Assembled, Assembler, Decoder, Frame, Kind, unpack_json};
use crate::sandbox::running::Diagnostics;

type Output = Pin<Box<dyn Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>;

/// The frames that come out of a container.
pub(super) struct FrameStream {
    output: Output,
    decoder: Decoder,
    diagnostics: Diagnostics,
}

impl FrameStream {
    pub(super) fn new(output: Output) -> Self {
        Self {
            output,
            decoder: Decoder::default(),
            diagnostics: Diagnostics::default(),
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
                )) => self.diagnostics.add(&message),
            }
        }
    }

    /// The end of what the runner, not the code, wrote to stderr.
    pub(super) fn diagnostics(&self) -> String {
        self.diagnostics.text()
    }
}
