//! Edits of a text, and the text that they give.

use std::cmp::Reverse;

use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::source::Source;

/// Where an edit stands among those at the same offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Ends something that starts at the offset given; inner ones first.
    Close(Reverse<TextSize>, Reverse<usize>),
    /// Starts something that ends at the offset given; outer ones first.
    Open(Reverse<TextSize>, usize),
    /// Stands for a range.
    Replace(usize),
}

#[derive(Debug, Clone)]
struct Edit {
    range: TextRange,
    place: Place,
    text: String,
}

/// Edits in the order in which they were asked for.
#[derive(Debug, Default)]
pub struct Edits {
    edits: Vec<Edit>,
    count: usize,
}

impl Edits {
    fn push(&mut self, range: TextRange, place: Place, text: String) {
        self.count += 1;
        self.edits.push(Edit { range, place, text });
    }

    /// Puts text before and after a range.
    pub fn wrap(&mut self, range: TextRange, before: impl Into<String>, after: impl Into<String>) {
        let count = self.count;
        let open = Place::Open(Reverse(range.end()), count);
        self.push(TextRange::empty(range.start()), open, before.into());
        let close = Place::Close(Reverse(range.start()), Reverse(count));
        self.push(TextRange::empty(range.end()), close, after.into());
    }

    /// Puts text before what starts at an offset, outside of all that starts there.
    pub fn before(&mut self, offset: TextSize, text: impl Into<String>) {
        let place = Place::Open(Reverse(TextSize::new(u32::MAX)), self.count);
        self.push(TextRange::empty(offset), place, text.into());
    }

    /// Puts text after what ends at an offset, outside of all that ends there.
    pub fn after(&mut self, offset: TextSize, text: impl Into<String>) {
        let place = Place::Close(Reverse(TextSize::new(0)), Reverse(0));
        self.push(TextRange::empty(offset), place, text.into());
    }

    /// Puts text in the place of a range.
    pub fn replace(&mut self, range: TextRange, text: impl Into<String>) {
        let place = Place::Replace(self.count);
        self.push(range, place, text.into());
    }

    /// A mark for [`Edits::since`].
    pub fn mark(&self) -> usize {
        self.edits.len()
    }

    /// Takes the edits asked for since a mark.
    pub fn since(&mut self, mark: usize) -> Self {
        Self {
            edits: self.edits.split_off(mark.min(self.edits.len())),
            count: self.count,
        }
    }

    /// The text of a range after all edits, which have to lie in it, and the source line of each of
    /// its lines.
    pub fn apply(mut self, source: &Source<'_>, range: TextRange) -> (String, Vec<u32>) {
        self.edits
            .sort_by_key(|edit| (edit.range.start(), edit.place));
        let mut written = Written {
            text: String::with_capacity(range.len().to_usize()),
            line: source.line(range.start()),
            lines: vec![source.line(range.start())],
        };
        let mut at = range.start();
        for edit in &self.edits {
            if edit.range.start() < at {
                // Never the case: edits neither overlap nor go back.
                continue;
            }
            written.copy(source.slice(TextRange::new(at, edit.range.start())));
            written.insert(&edit.text, source.line(edit.range().end()));
            at = edit.range.end();
        }
        written.copy(source.slice(TextRange::new(at, range.end().max(at))));
        (written.text, written.lines)
    }
}

impl Ranged for Edit {
    fn range(&self) -> TextRange {
        self.range
    }
}

struct Written {
    text: String,
    /// The source line that is written.
    line: u32,
    lines: Vec<u32>,
}

impl Written {
    fn copy(&mut self, text: &str) {
        self.text.push_str(text);
        for _ in text.matches('\n') {
            self.line += 1;
            self.lines.push(self.line);
        }
    }

    /// Writes the text of an edit whose range ends on the line given.
    fn insert(&mut self, text: &str, end: u32) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        // What was told from a word by punctuation must not grow together with it.
        if text.starts_with(is_word) && self.text.ends_with(is_word) {
            self.text.push(' ');
        }
        self.text.push_str(text);
        for _ in text.matches('\n') {
            self.line = (self.line + 1).min(end);
            self.lines.push(self.line);
        }
        self.line = end;
    }
}
