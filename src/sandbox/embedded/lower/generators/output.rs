//! Lines of lowered code before the numbers of states and their indentation are known.

use std::fmt::Write as _;

/// A place in a generator's body where it can be entered; becomes a number when it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub usize);

/// A part of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// The number of a label.
    State(Label),
}

impl From<&str> for Piece {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// How a physical line starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// So many levels deeper than the lines around, then the rest of the source's indentation.
    Indented(usize, String),
    /// As in the source: the line continues a bracket or a string.
    Raw,
}

/// One physical line of code.
#[derive(Debug, Clone)]
pub struct Line {
    pub start: Start,
    pub pieces: Vec<Piece>,
    /// The line of the source that this one stands for.
    pub origin: u32,
}

impl Line {
    pub fn new(level: usize, origin: u32, pieces: Vec<Piece>) -> Self {
        Self {
            start: Start::Indented(level, String::new()),
            pieces,
            origin,
        }
    }

    pub fn text(level: usize, origin: u32, text: impl Into<String>) -> Self {
        Self::new(level, origin, vec![Piece::Text(text.into())])
    }

    /// Moves the line `levels` deeper.
    pub fn indented(mut self, levels: usize) -> Self {
        if let Start::Indented(level, _) = &mut self.start {
            *level += levels;
        }
        self
    }
}

/// The written code with the origin of each line.
#[derive(Default)]
pub struct Written {
    pub code: String,
    pub lines: Vec<u32>,
    /// The deepest level that was written.
    pub deepest: usize,
}

impl Written {
    pub fn line(&mut self, line: &Line) {
        match &line.start {
            Start::Indented(level, rest) => {
                self.deepest = self.deepest.max(level + rest.len());
                for _ in 0..*level {
                    self.code.push(' ');
                }
                self.code.push_str(rest);
            }
            Start::Raw => {}
        }
        for piece in &line.pieces {
            match piece {
                Piece::Text(text) => self.code.push_str(text),
                // Every label has become text when its function was written.
                Piece::State(label) => {
                    let _ = write!(self.code, "{}", label.0);
                }
            }
        }
        self.code.push('\n');
        self.lines.push(line.origin);
    }
}
