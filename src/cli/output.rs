//! Writing to stdout, so that a reader that went away is no failure, and hides none either. Text
//! from outside goes through [`printable`], so that it cannot steer the terminal.

use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::stop::Stop;

use crate::invisible::json_visible;
pub(super) use crate::invisible::visible_lines as printable;

/// Writes one line to stdout. Where its reader went away nothing is shown any more, and the command
/// comes to the end it would have come to.
pub(super) fn line(text: impl Display) -> Result<(), Stop> {
    match live_line(text) {
        Err(Stop::BrokenPipe) => Ok(()),
        outcome => outcome,
    }
}

/// Writes one line to stdout, for a command that is there for its reader only: where that went
/// away, it ends.
pub(super) fn live_line(text: impl Display) -> Result<(), Stop> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|error| written(&error))
}

/// Writes one line to stderr, beside the output.
pub(super) fn aside(text: impl Display) {
    // Nobody may be listening, and there is nobody else to tell.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes a value to stdout as indented JSON and a newline.
pub(super) fn json(value: &impl Serialize) -> Result<(), Stop> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Stop::failure(format!("cannot write the result as JSON: {error}")))?;
    line(json_visible(&text))
}

fn written(error: &io::Error) -> Stop {
    if error.kind() == ErrorKind::BrokenPipe {
        Stop::BrokenPipe
    } else {
        Stop::failure(format!("cannot write to stdout: {error}"))
    }
}

/// A path that says the same wherever it is read: absolute, without `..` and links where it exists.
pub(super) fn absolute(path: &Path) -> PathBuf {
    if let Ok(found) = std::fs::canonicalize(path) {
        return found;
    }
    // What does not exist yet is put below its folder, which may.
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if !folder.as_os_str().is_empty() => absolute(folder).join(name),
        _ => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
    }
}

/// Whether stdout takes colours: a terminal, and `NO_COLOR` is not set.
pub(super) fn colours() -> bool {
    io::stdout().is_terminal() && !super::logging::no_colour()
}

/// `1 server`, `2 servers`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// A spinner on stderr for work of more than a second; nothing where stderr is no terminal.
pub(super) fn spinner(message: impl Into<String>) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message.into());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
        spinner.set_style(style);
    }
    spinner.enable_steady_tick(Duration::from_millis(120));
    spinner
}

/// Lines about details come no more often than this where stderr is no terminal.
const PAUSE: Duration = Duration::from_secs(2);

/// The steps of long work on stderr: a spinner with the last word on a terminal; elsewhere a line
/// for every step, and now and then one for what happens within it.
pub(super) struct Steps {
    spinner: ProgressBar,
    is_terminal: bool,
    next: Mutex<Instant>,
}

impl Steps {
    pub(super) fn begin(message: &str) -> Self {
        let steps = Self {
            spinner: spinner(printable(message)),
            is_terminal: io::stderr().is_terminal(),
            next: Mutex::new(Instant::now() + PAUSE),
        };
        if !steps.is_terminal {
            steps.write(message);
        }
        steps
    }

    pub(super) fn step(&self, text: &str) {
        if self.is_terminal {
            self.spinner.set_message(printable(text));
        } else {
            self.write(text);
        }
    }

    pub(super) fn detail(&self, text: &str) {
        if self.is_terminal {
            self.spinner.set_message(printable(text));
        } else if Instant::now() >= *self.next() {
            self.write(&format!("  {text}"));
        }
    }

    pub(super) fn end(&self) {
        self.spinner.finish_and_clear();
    }

    fn next(&self) -> MutexGuard<'_, Instant> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, text: &str) {
        *self.next() = Instant::now() + PAUSE;
        // Nobody may be listening, which ends no build.
        let _ = writeln!(io::stderr(), "{}", printable(text));
    }
}
