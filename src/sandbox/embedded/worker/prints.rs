//! What the code prints, on its way out while it runs.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{Read, Write};
use std::rc::Rc;
use std::time::{Duration, Instant};

use monty_types::{MontyException, PrintWriterCallback};

use super::channel::Channel;
use super::errors::Errors;
use crate::sandbox::frames::Kind;

/// Bytes that are sent at once.
const FULL: usize = 8 << 10;
/// After which what was printed is sent, however little it is.
const STALE: Duration = Duration::from_millis(20);

/// Bytes on their way to the host, and a bound on all of one job.
pub(super) struct Prints<R, W> {
    channel: Rc<RefCell<Channel<R, W>>>,
    errors: Rc<RefCell<Errors>>,
    waiting: String,
    since: Instant,
    room: usize,
    /// Whether anything was left out.
    pub(super) is_cut: bool,
    /// The host went away.
    is_broken: bool,
}

impl<R: Read, W: Write> Prints<R, W> {
    pub(super) fn new(
        channel: Rc<RefCell<Channel<R, W>>>,
        errors: Rc<RefCell<Errors>>,
        limit: usize,
    ) -> Self {
        Self {
            channel,
            errors,
            waiting: String::new(),
            since: Instant::now(),
            // The host cuts at the limit; it has to see that there was more.
            room: limit.saturating_add(1),
            is_cut: false,
            is_broken: false,
        }
    }

    /// Sends what waits.
    pub(super) fn flush(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        if waiting.is_empty() || self.is_broken {
            return;
        }
        let text = self.errors.borrow().without_marks(waiting);
        let sent = self
            .channel
            .borrow_mut()
            .send_bytes(Kind::Stdout, 0, text.as_bytes());
        self.is_broken = sent.is_err();
    }

    fn add(&mut self, text: &str) {
        let mut end = text.len().min(self.room);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.is_cut |= end < text.len();
        self.room -= end;
        if self.waiting.is_empty() {
            self.since = Instant::now();
        }
        self.waiting.push_str(text.get(..end).unwrap_or_default());
        if self.waiting.len() >= FULL {
            self.flush();
        }
    }
}

impl<R: Read, W: Write> PrintWriterCallback for Prints<R, W> {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        self.add(&output);
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        self.add(end.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    fn poll_flush(&mut self) -> Result<(), MontyException> {
        if self.since.elapsed() >= STALE {
            self.flush();
        }
        Ok(())
    }
}
