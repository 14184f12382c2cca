//! Why a subcommand ends early, and how people are told.

use std::error::Error;
use std::fmt::{Display, Write as _};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use super::LogFormat;
use super::output::printable;
use crate::runtime::{self, PolicyFileError};

/// Why a subcommand ends early.
#[derive(Debug)]
pub(super) enum Stop {
    /// It did not work.
    Failure(Complaint),
    /// What was asked for makes no sense.
    Usage(Complaint),
    /// Whoever read the output had enough.
    BrokenPipe,
    /// A signal asked to end.
    Interrupted,
}

/// What is wrong, and what to do about it.
#[derive(Debug)]
pub(super) struct Complaint {
    message: String,
    hint: Option<String>,
}

impl Stop {
    /// A failure in words.
    pub(super) fn failure(message: impl Into<String>) -> Self {
        Self::Failure(Complaint {
            message: message.into(),
            hint: None,
        })
    }

    /// A usage error in words.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(Complaint {
            message: message.into(),
            hint: None,
        })
    }

    /// The same with a line on what to do.
    pub(super) fn hint(mut self, text: impl Into<String>) -> Self {
        if let Self::Failure(complaint) | Self::Usage(complaint) = &mut self {
            complaint.hint = Some(text.into());
        }
        self
    }

    /// What is wrong, and what to do about it.
    pub(super) fn parts(self) -> (String, Option<String>) {
        match self {
            Self::Failure(complaint) | Self::Usage(complaint) => {
                (complaint.message, complaint.hint)
            }
            Self::BrokenPipe => ("nobody reads the output".to_owned(), None),
            Self::Interrupted => ("interrupted".to_owned(), None),
        }
    }

    /// Says a failure on stdout as the result that was to come.
    pub(super) fn answer(&self) {
        let Self::Failure(complaint) = self else {
            return;
        };
        let result = runtime::ExecutionResult {
            error: Some(complaint.message.clone()),
            error_type: Some(runtime::ErrorType::Validation),
            hint: complaint.hint.clone(),
            ..runtime::ExecutionResult::default()
        };
        // Nobody may be listening, and stderr says it as well.
        let _ = super::output::json(&result);
    }

    /// Says what happened on stderr, and with which code to exit.
    pub(super) fn report(self, format: LogFormat) -> ExitCode {
        let (complaint, code) = match self {
            Self::BrokenPipe => return ExitCode::SUCCESS,
            Self::Interrupted => return ExitCode::from(130),
            Self::Failure(complaint) => (complaint, 1),
            Self::Usage(complaint) => (complaint, 2),
        };
        let text = match format {
            LogFormat::Text => complaint.text(colours()),
            LogFormat::Json => complaint.json(),
        };
        // Nobody may be listening, and there is nobody else to tell.
        let _ = io::stderr().write_all(text.as_bytes());
        ExitCode::from(code)
    }
}

impl From<PolicyFileError> for Stop {
    fn from(error: PolicyFileError) -> Self {
        let stop = Self::usage(error.to_string());
        match error {
            PolicyFileError::Invalid { .. } => {
                stop.hint("docs/guard-rules.md says how a policy is written")
            }
            _ => stop.hint("`MCE_GUARD_POLICY` names a file with the guard's policy"),
        }
    }
}

impl From<runtime::Error> for Stop {
    fn from(error: runtime::Error) -> Self {
        match error {
            runtime::Error::Policy(error) => error.into(),
            error => Self::failure(chain(&error)),
        }
    }
}

impl Complaint {
    fn text(&self, colours: bool) -> String {
        let (red, cyan, plain) = if colours {
            ("\x1b[1;31m", "\x1b[1;36m", "\x1b[0m")
        } else {
            ("", "", "")
        };
        let mut text = format!("{red}error{plain}: {}\n", printable(&self.message));
        if let Some(hint) = &self.hint {
            let _ = writeln!(text, "{cyan}hint{plain}: {}", printable(hint));
        }
        text
    }

    fn json(&self) -> String {
        let mut object = serde_json::json!({"level": "ERROR", "message": self.message});
        if let (Some(hint), Some(members)) = (&self.hint, object.as_object_mut()) {
            members.insert("hint".to_owned(), hint.as_str().into());
        }
        format!("{object}\n")
    }
}

/// The error and what caused it, each cause that the text before does not already hold.
pub(super) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let part = error.to_string();
        if !text.contains(&part) {
            let _ = write!(text, "\n  caused by: {part}");
        }
        cause = error.source();
    }
    text
}

/// Turns any error into a failure.
pub(super) trait OrStop<T> {
    /// The value, or a failure in the error's own words.
    fn or_stop(self) -> Result<T, Stop>;
    /// The value, or a failure that begins with what was tried.
    fn or_stop_with(self, what: impl Display) -> Result<T, Stop>;
}

impl<T, E: Error + 'static> OrStop<T> for Result<T, E> {
    fn or_stop(self) -> Result<T, Stop> {
        self.map_err(|error| Stop::failure(chain(&error)))
    }

    fn or_stop_with(self, what: impl Display) -> Result<T, Stop> {
        self.map_err(|error| Stop::failure(format!("{what}: {}", chain(&error))))
    }
}

/// Whether stderr takes colours: a terminal, and `NO_COLOR` is not set.
pub(super) fn colours() -> bool {
    io::stderr().is_terminal() && !super::logging::no_colour()
}

/// Has a fault of this program reported in its own words, in place of the default text.
pub(super) fn report_panics(format: LogFormat) {
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload_as_str().unwrap_or("no message");
        let place = panic
            .location()
            .map_or_else(String::new, |place| format!(" ({place})"));
        Stop::failure(format!("this is a fault of mce itself: {text}{place}"))
            .hint("please report it with what led to it")
            .report(format);
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_names_the_hint_on_its_own_line() {
        let stop = Stop::failure("no engine answers").hint("run `scripts/engine`");
        let Stop::Failure(complaint) = stop else {
            panic!("a failure");
        };
        assert_eq!(
            complaint.text(false),
            "error: no engine answers\nhint: run `scripts/engine`\n"
        );
        assert_eq!(
            complaint.json(),
            "{\"level\":\"ERROR\",\"message\":\"no engine answers\",\"hint\":\"run `scripts/engine`\"}\n"
        );
    }

    #[test]
    fn a_cause_that_the_message_holds_is_not_repeated() {
        #[derive(Debug, thiserror::Error)]
        #[error("cannot read `a`: {0}")]
        struct Outer(#[source] io::Error);

        let error = Outer(io::Error::other("disk on fire"));
        assert_eq!(chain(&error), "cannot read `a`: disk on fire");
    }
}
