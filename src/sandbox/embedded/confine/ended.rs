//! How a worker ended.

use std::fmt;
use std::process::ExitStatus;

/// The exit code with which a worker's allocator reports that memory is used up.
pub const EXIT_MEMORY: i32 = 65;

/// The exit code of a worker that could not be confined.
pub const EXIT_UNCONFINED: i32 = 77;

/// The exit code of a Rust program that panicked.
const EXIT_PANIC: i32 = 101;

/// What the Rust runtime writes to standard error before it aborts.
#[cfg(unix)]
const STACK_OVERFLOW: &[u8] = b"has overflowed its stack";

/// How a worker ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// By itself, without fault.
    Finished,
    /// It could not be confined, and did not begin.
    Unconfined,
    /// Its memory was used up.
    Memory,
    /// Its processor time was used up.
    Processor,
    /// Its stack was used up.
    Stack,
    /// The parent stopped it.
    Stopped,
    /// Somebody else killed it, as the kernel does when the machine's memory is used up.
    Killed,
    /// It made a system call that is not on the list.
    Violation,
    /// It panicked.
    Panicked,
    /// It crashed, with this signal.
    Crashed(i32),
    /// It ended with a code that means nothing here.
    Exit(i32),
    /// It ended with a signal that means nothing here.
    Signal(i32),
}

impl fmt::Display for Ended {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finished => formatter.write_str("finished"),
            Self::Unconfined => formatter.write_str("could not be confined"),
            Self::Memory => formatter.write_str("ran out of memory"),
            Self::Processor => formatter.write_str("ran out of processor time"),
            Self::Stack => formatter.write_str("ran out of stack"),
            Self::Stopped => formatter.write_str("was stopped"),
            Self::Killed => formatter.write_str("was killed by the system"),
            Self::Violation => formatter.write_str("made a system call that is not allowed"),
            Self::Panicked => formatter.write_str("panicked"),
            Self::Crashed(signal) => write!(formatter, "crashed with signal {signal}"),
            Self::Exit(code) => write!(formatter, "ended with exit code {code}"),
            Self::Signal(signal) => write!(formatter, "ended with signal {signal}"),
        }
    }
}

/// Tells how a worker ended, from its exit status, the end of its standard error, and whether the
/// parent had stopped it before.
///
/// A worker can end as it likes, so this is an explanation and nothing to rely on.
#[must_use]
pub fn verdict(status: ExitStatus, stopped: bool, stderr: &[u8]) -> Ended {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return from_signal(signal, stopped, stderr);
    }
    #[cfg(not(unix))]
    let _ = (stopped, stderr);
    match status.code() {
        Some(0) => Ended::Finished,
        Some(EXIT_MEMORY) => Ended::Memory,
        Some(EXIT_UNCONFINED) => Ended::Unconfined,
        Some(EXIT_PANIC) => Ended::Panicked,
        Some(code) => Ended::Exit(code),
        None => Ended::Killed,
    }
}

#[cfg(unix)]
fn from_signal(signal: i32, stopped: bool, stderr: &[u8]) -> Ended {
    use rustix::process::Signal;

    let is = |other: Signal| signal == other.as_raw();
    if is(Signal::KILL) {
        if stopped {
            Ended::Stopped
        } else {
            Ended::Killed
        }
    } else if is(Signal::XCPU) {
        Ended::Processor
    } else if is(Signal::SYS) {
        Ended::Violation
    } else if is(Signal::ABORT) && memchr::memmem::find(stderr, STACK_OVERFLOW).is_some() {
        Ended::Stack
    } else if [
        Signal::ABORT,
        Signal::SEGV,
        Signal::BUS,
        Signal::ILL,
        Signal::FPE,
        Signal::TRAP,
    ]
    .into_iter()
    .any(is)
    {
        Ended::Crashed(signal)
    } else {
        Ended::Signal(signal)
    }
}
