//! The worker's end of the stream: frames from standard input, frames to standard output.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::sandbox::frames::{
    Assembled, Assembler, Decoder, FrameError, Kind, frames, pack, unpack,
};
use crate::wire::Value;

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;
/// Bytes of messages that are not complete yet: an answer of the host is bounded by the host.
const MAX_UNFINISHED: usize = usize::MAX;

/// Why there is nothing more to say or hear: the host went away, or does not speak the format.
#[derive(Debug, thiserror::Error)]
pub(super) enum Gone {
    #[error("the stream ended")]
    Ended,
    #[error("{0}")]
    Broken(#[from] std::io::Error),
    #[error("{0}")]
    Malformed(#[from] FrameError),
}

/// An input that can be waited for.
pub(super) trait Timed {
    /// Whether something can be read within the time.
    fn is_readable(&self, patience: Duration) -> std::io::Result<bool>;
}

/// Standard input without a buffer, of which nobody could tell whether it holds something.
pub(super) struct Input;

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match rustix::io::read(rustix::stdio::stdin(), &mut *buffer) {
                Err(rustix::io::Errno::INTR) => {}
                read => return Ok(read?),
            }
        }
    }
}

impl Timed for Input {
    fn is_readable(&self, patience: Duration) -> std::io::Result<bool> {
        use rustix::event::{PollFd, PollFlags, poll};
        let patience =
            rustix::event::Timespec::try_from(patience).map_err(std::io::Error::other)?;
        let input = rustix::stdio::stdin();
        let mut polled = [PollFd::new(&input, PollFlags::IN)];
        match poll(&mut polled, Some(&patience)) {
            Ok(count) => Ok(count > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Standard output without a buffer.
pub(super) struct Output;

impl Write for Output {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        loop {
            match rustix::io::write(rustix::stdio::stdout(), buffer) {
                Err(rustix::io::Errno::INTR) => {}
                written => return Ok(written?),
            }
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Frames in and out.
pub(super) struct Channel<R, W> {
    input: R,
    output: W,
    decoder: Decoder,
    assembler: Assembler,
    piece: Vec<u8>,
    /// The number of the next call.
    number: u32,
    /// Answers that came before somebody waited for them.
    answers: HashMap<u32, Bytes>,
}

impl<R: Read, W: Write> Channel<R, W> {
    pub(super) fn new(input: R, output: W) -> Self {
        Self {
            input,
            output,
            decoder: Decoder::default(),
            assembler: Assembler::new(MAX_UNFINISHED),
            piece: vec![0; PIECE],
            number: 0,
            answers: HashMap::new(),
        }
    }

    /// Sends a message.
    pub(super) fn send(&mut self, kind: Kind, number: u32, message: &Value) -> Result<(), Gone> {
        self.send_bytes(kind, number, &pack(message)?)
    }

    /// Sends bytes that are no message, such as what was printed.
    pub(super) fn send_bytes(&mut self, kind: Kind, number: u32, bytes: &[u8]) -> Result<(), Gone> {
        for frame in frames(kind, number, bytes) {
            self.output.write_all(&frame)?;
        }
        self.output.flush()?;
        Ok(())
    }

    /// Sends a call and returns the number under which its answer comes.
    pub(super) fn call(&mut self, call: &Value) -> Result<u32, Gone> {
        self.number = self.number.wrapping_add(1);
        let number = self.number;
        self.send(Kind::Call, number, call)?;
        Ok(number)
    }

    /// The next piece of code.
    pub(super) fn task(&mut self) -> Result<Value, Gone> {
        loop {
            let (kind, _, payload) = self.next()?;
            // Answers to calls of code that has ended are of no use to anybody.
            if matches!(kind, Kind::Job) {
                self.answers.clear();
                return Ok(unpack(&payload)?);
            }
        }
    }

    /// The answer to a call.
    pub(super) fn answer(&mut self, number: u32) -> Result<Value, Gone> {
        loop {
            if let Some(payload) = self.answers.remove(&number) {
                return Ok(unpack(&payload)?);
            }
            self.wait()?;
        }
    }

    /// The answers that are there of several calls, waited for where there is none, up to `patience`.
    pub(super) fn answers(
        &mut self,
        numbers: &[u32],
        patience: Option<Duration>,
    ) -> Result<Vec<(u32, Value)>, Gone>
    where
        R: Timed,
    {
        let end = patience.map(|patience| Instant::now() + patience);
        loop {
            let mut found = Vec::new();
            for number in numbers {
                if let Some(payload) = self.answers.remove(number) {
                    found.push((*number, unpack(&payload)?));
                }
            }
            let is_late = end.is_some_and(|end| end <= Instant::now());
            if !found.is_empty() || (is_late && !self.take_whole()?) {
                return Ok(found);
            }
            if let Some(end) = end
                && !self
                    .input
                    .is_readable(end.saturating_duration_since(Instant::now()))?
            {
                return Ok(found);
            }
            self.wait()?;
        }
    }

    /// Takes an answer that has arrived already.
    fn take_whole(&mut self) -> Result<bool, Gone> {
        while let Some(frame) = self.decoder.next_frame()? {
            let (kind, number) = (frame.kind, frame.message);
            if let Assembled::Whole(payload) = self.assembler.add(frame)?
                && kind == Kind::Answer
            {
                self.answers.insert(number, payload);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes one more answer.
    fn wait(&mut self) -> Result<(), Gone> {
        let (kind, number, payload) = self.next()?;
        if kind == Kind::Answer {
            self.answers.insert(number, payload);
        }
        Ok(())
    }

    fn next(&mut self) -> Result<(Kind, u32, Bytes), Gone> {
        loop {
            while let Some(frame) = self.decoder.next_frame()? {
                let (kind, number) = (frame.kind, frame.message);
                if let Assembled::Whole(payload) = self.assembler.add(frame)? {
                    return Ok((kind, number, payload));
                }
            }
            let size = self.input.read(&mut self.piece)?;
            if size == 0 {
                return Err(Gone::Ended);
            }
            self.decoder
                .feed(self.piece.get(..size).unwrap_or_default());
        }
    }
}
