//! What the author of the code is told of an error that nothing caught.

use std::fmt::Write as _;

use monty_types::{ExcType, MontyException};
use serde_json::json;

use super::errors::Errors;
use crate::sandbox::embedded::job::Task;
use crate::sandbox::embedded::lower::TOP;
use crate::wire::Value;

/// Lines of a traceback that are shown at its beginning and its end.
const SHOWN: usize = 20;
/// How the interpreter begins where it cannot read a construct.
const CANNOT_READ: &str = "The monty syntax parser does not yet support ";

/// What it says of code that is nested more deeply than it reads.
const TOO_DEEP: &str = "Source is too deeply nested";

/// How it begins where a function is larger than it compiles.
const TOO_LARGE: &str = "function too large";

/// How it ends what it says of a pattern that would take a very long time.
const TOO_MUCH_BACKTRACKING: &str = "Max limit for backtracking count exceeded";

/// How it ends what it says where the host cannot be called: `sort: external function 'f' is not …`.
const NOT_FROM_THERE: &str = " is not yet supported in this context";

/// The pieces of code that were handed to the interpreter, in their order.
#[derive(Debug, Default)]
pub(super) struct Sources {
    pieces: Vec<Option<Piece>>,
    jobs: usize,
}

/// Code of a job: its name in tracebacks, its lines as they were given, and which of those each line of
/// what runs stands for.
#[derive(Debug)]
struct Piece {
    name: String,
    lines: Vec<String>,
    origins: Vec<u32>,
}

impl Sources {
    /// Code that is not the author's.
    pub(super) fn add_library(&mut self) {
        self.pieces.push(None);
    }

    /// The code of a job.
    pub(super) fn add_code(&mut self, job: &Task) {
        self.jobs += 1;
        let name = match self.jobs {
            1 => "<code>".to_owned(),
            number => format!("<code {number}>"),
        };
        self.pieces.push(Some(Piece {
            name,
            lines: job.source.lines().map(str::to_owned).collect(),
            origins: job.lines.clone(),
        }));
    }

    /// Name, line and text of a place; `None` where it is not the author's.
    fn place(&self, file: &str, line: u32) -> Option<(&str, u32, &str)> {
        let number = file.strip_prefix("<python-input-")?.strip_suffix('>')?;
        let piece = self.pieces.get(number.parse::<usize>().ok()?)?.as_ref()?;
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        let line = piece.origins.get(index).copied().unwrap_or(line);
        let text = piece.lines.get(usize::try_from(line).ok()?.checked_sub(1)?);
        Some((&piece.name, line, text.map_or("", |text| text.trim())))
    }
}

/// `{"kind", "message", "traceback", "hint"}` of an exception.
pub(super) fn failed(error: &MontyException, errors: &Errors, sources: &Sources) -> Value {
    let message = error.message().unwrap_or_default();
    if error.exc_type() == ExcType::SystemExit {
        return failure(
            "execution",
            &format!("the code exited with `{message}`"),
            None,
            None,
        );
    }
    let unsupported = unsupported(error);
    let line = match &unsupported {
        Some(feature) => match place(error, sources) {
            Some((_, line, _)) => format!("line {line}: {feature} needs the docker sandbox"),
            None => format!("{feature} needs the docker sandbox"),
        },
        None => errors.line(error),
    };
    let kind = if unsupported.is_some() {
        "unsupported"
    } else {
        errors.kind(error)
    };
    let traceback = traceback(error, &line, sources);
    failure(kind, &line, Some(traceback), hint(error))
}

fn place<'a>(error: &MontyException, sources: &'a Sources) -> Option<(&'a str, u32, &'a str)> {
    let mut frames = error.traceback().iter().rev();
    frames.find_map(|frame| sources.place(&frame.filename, frame.start.line))
}

/// The construct that the interpreter has not, where that is what is wrong.
fn unsupported(error: &MontyException) -> Option<String> {
    let message = error.message()?;
    if error.exc_type() == ExcType::SyntaxError && message == TOO_DEEP {
        return Some("code that is nested so deeply".to_owned());
    }
    if error.exc_type() == ExcType::SyntaxError && message.starts_with(TOO_LARGE) {
        return Some("a function this large".to_owned());
    }
    if error.exc_type() != ExcType::NotImplementedError {
        return None;
    }
    if let Some(feature) = message.strip_prefix(CANNOT_READ) {
        return Some(feature.to_owned());
    }
    if message.ends_with(NOT_FROM_THERE) {
        let caller = message.split_once(':').map_or("", |(caller, _)| caller);
        return Some(format!("a call of a compiled function within `{caller}`"));
    }
    message
        .strip_suffix(" needs the docker sandbox")
        .map(str::to_owned)
}

/// The traceback, cut to the lines of the code itself.
fn traceback(error: &MontyException, last: &str, sources: &Sources) -> String {
    let shown: Vec<String> = error
        .traceback()
        .iter()
        .filter_map(|frame| {
            let (name, line, text) = sources.place(&frame.filename, frame.start.line)?;
            let within = frame.frame_name.as_deref().filter(|name| *name != TOP);
            let within = within.unwrap_or("<module>");
            Some(format!(
                "  File \"{name}\", line {line}, in {within}\n    {text}\n"
            ))
        })
        .collect();
    if shown.is_empty() {
        return last.to_owned();
    }
    let mut traceback = "Traceback (most recent call last):\n".to_owned();
    let left_out = shown.len().saturating_sub(2 * SHOWN);
    for (index, frame) in shown.iter().enumerate() {
        if left_out > 0 && index == SHOWN {
            // Writing to a text cannot fail.
            let _ = writeln!(traceback, "  … {left_out} more");
        }
        if left_out == 0 || index < SHOWN || index >= SHOWN + left_out {
            traceback.push_str(frame);
        }
    }
    traceback + last
}

fn hint(error: &MontyException) -> Option<&'static str> {
    if error
        .message()
        .is_some_and(|it| it.ends_with(TOO_MUCH_BACKTRACKING))
    {
        return Some("the pattern tries too much on this text: write it without nested repetition");
    }
    match error.exc_type() {
        ExcType::UnboundLocalError => {
            Some("it is assigned further down or not on every path: assign it first")
        }
        ExcType::MemoryError => Some("keep less in memory at once"),
        ExcType::PermissionError => {
            Some("the sandbox has no files, network or environment; call compiled functions")
        }
        ExcType::ModuleNotFoundError => {
            Some("the embedded sandbox has few modules; others need the docker sandbox")
        }
        _ => None,
    }
}

/// Said of a result that is larger than it may be.
pub(super) fn too_large() -> Value {
    failure("output_limit", "the result is too large", None, None)
}

/// Said of a result that has no JSON form.
pub(super) fn no_form(message: &str) -> Value {
    failure(
        "execution",
        message,
        None,
        Some("return plain data: dicts, lists, strings and numbers"),
    )
}

fn failure(kind: &str, message: &str, traceback: Option<String>, hint: Option<&str>) -> Value {
    Value::from(json!({
        "kind": kind,
        "message": shorten(message, 4_000),
        "traceback": traceback.map(|text| shorten(&text, 16_000)),
        "hint": hint,
    }))
}

/// The beginning and the end of a text that is too long.
fn shorten(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let mut start = limit / 2;
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = text.len() - limit / 2;
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let (start, end) = (text.get(..start), text.get(end..));
    format!(
        "{}\n…\n{}",
        start.unwrap_or_default(),
        end.unwrap_or_default()
    )
}
