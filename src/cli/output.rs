//! Writing to stdout, so that a reader that went away is no failure and no text from outside can
//! steer the terminal.

use std::fmt::{Display, Write as _};
use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::stop::Stop;

/// Writes one line to stdout.
pub(super) fn line(text: impl Display) -> Result<(), Stop> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")
        .and_then(|()| out.flush())
        .map_err(|error| written(&error))
}

/// Writes a value to stdout as indented JSON and a newline.
pub(super) fn json(value: &impl Serialize) -> Result<(), Stop> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Stop::failure(format!("cannot write the result as JSON: {error}")))?;
    line(text)
}

fn written(error: &io::Error) -> Stop {
    if error.kind() == ErrorKind::BrokenPipe {
        Stop::BrokenPipe
    } else {
        Stop::failure(format!("cannot write to stdout: {error}"))
    }
}

/// The text with every character escaped that is not there to be seen: controls (but newlines),
/// bidirectional marks, zero-width characters and the like.
pub(super) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character == '\n' || (!character.is_control() && !is_invisible(character)) {
            out.push(character);
        } else {
            let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
        }
    }
    out
}

/// Formatting characters that change how their neighbours are shown, or show as nothing.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_cannot_steer_the_terminal() {
        assert_eq!(
            printable("a\x1b[2Jb\u{202e}c\r\nd\u{200b}é"),
            "a\\u{1b}[2Jb\\u{202e}c\\u{d}\nd\\u{200b}é"
        );
    }
}
