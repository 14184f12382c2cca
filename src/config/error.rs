//! What is wrong in the configuration, and where.

use std::fmt;

use crate::invisible::is_invisible;
use crate::yaml::Position;

/// How many complaints one error lists.
const MOST: usize = 20;

/// How many characters of a text from outside a message repeats.
const QUOTED: usize = 60;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// `file:line:column`, a file, or the name of a variable.
    pub place: String,
    /// Where in the file, if it is about a file.
    pub position: Option<Position>,
    /// What was expected and what was found. Never a secret, never raw control characters.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Complaint {
    /// A complaint about a place that has no line: a variable, or a file as a whole.
    pub(super) fn at(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            position: None,
            message: message.into(),
            hint: None,
        }
    }

    /// The same with advice.
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.message)?;
        if let Some(hint) = &self.hint {
            write!(formatter, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

/// Everything found wrong at once, at least one [`Complaint`]. `Display` has one
/// `file:line:column: message` line for each, followed by a `hint:` line where there is advice.
///
/// It deliberately carries no excerpt of the file: the line complained about may hold the secret
/// that should not be there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Error {
    complaints: Vec<Complaint>,
    omitted: usize,
}

impl Error {
    /// An error of these complaints; `None` where there are none.
    pub(super) fn from_complaints(mut complaints: Vec<Complaint>) -> Option<Self> {
        if complaints.is_empty() {
            return None;
        }
        let omitted = complaints.len().saturating_sub(MOST);
        complaints.truncate(MOST);
        Some(Self {
            complaints,
            omitted,
        })
    }

    /// What is wrong, in the order of the file.
    #[must_use]
    pub fn complaints(&self) -> &[Complaint] {
        &self.complaints
    }

    /// How many more there were than [`Error::complaints`] lists.
    #[must_use]
    pub fn omitted(&self) -> usize {
        self.omitted
    }
}

impl From<Complaint> for Error {
    fn from(complaint: Complaint) -> Self {
        Self {
            complaints: vec![complaint],
            omitted: 0,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, complaint) in self.complaints.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            write!(formatter, "{complaint}")?;
        }
        if self.omitted > 0 {
            write!(formatter, "\nand {} more", self.omitted)?;
        }
        Ok(())
    }
}

/// A text from outside as a message may repeat it: in backticks, cut, and with every character
/// escaped that a terminal or a reader could take for something else.
pub(super) fn quote(text: &str) -> String {
    format!("`{}`", escape(text, QUOTED))
}

/// [`quote`] without the backticks, cut at `most` characters.
pub(super) fn escape(text: &str, most: usize) -> String {
    let mut escaped = String::with_capacity(text.len().min(most));
    for (index, character) in text.chars().enumerate() {
        if index == most {
            escaped.push('…');
            break;
        }
        match character {
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            _ if is_invisible(character) => escaped.extend(character.escape_unicode()),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// The candidate most like `word`, if any is like it: what someone probably meant to write.
/// Spelling conventions (`isReadOnly`, `is-read-only`) are looked through.
pub(super) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.is_empty() || word.len() > 100 {
        return None;
    }
    let folded = fold(word);
    let most = (folded.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            let distance = strsim::damerau_levenshtein(&folded, &fold(candidate));
            (distance, candidate)
        })
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

fn fold(word: &str) -> String {
    word.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_cannot_steer_a_terminal_or_grow() {
        assert_eq!(quote("a\u{1b}[2J\u{202e}b\n"), r"`a\u{1b}[2J\u{202e}b\n`");
        assert_eq!(quote("é日"), "`é日`");
        assert_eq!(quote(&"x".repeat(61)), format!("`{}…`", "x".repeat(60)));
    }

    #[test]
    fn nearest_looks_through_spelling_conventions_and_slips() {
        let keys = ["is_read_only", "read_only_allow", "name"];
        assert_eq!(nearest("isReadOnly", keys), Some("is_read_only"));
        assert_eq!(nearest("is_raed_only", keys), Some("is_read_only"));
        assert_eq!(nearest("nmae", keys), Some("name"));
        assert_eq!(nearest("colour", keys), None);
    }

    #[test]
    fn an_error_lists_twenty_and_counts_the_rest() {
        let complaints = (0..23)
            .map(|n| Complaint::at(format!("f:{n}:1"), "bad"))
            .collect();
        let error = Error::from_complaints(complaints).unwrap();
        assert_eq!((error.complaints().len(), error.omitted()), (20, 3));
        assert!(error.to_string().ends_with("f:19:1: bad\nand 3 more"));
        assert_eq!(Error::from_complaints(Vec::new()), None);
    }
}
