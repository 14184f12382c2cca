//! Copying parts of the source, with replacements in them, to another indentation.

use std::collections::BTreeMap;

use crate::pysyntax::{TextRange, TextSize};

use super::Unsupported;
use super::output::{Line, Piece, Start};
use super::source::Source;

/// How an edit changes the text. At one offset the first of these comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Append,
    Replace,
}

struct Edit {
    /// The part of the source that the edit belongs to.
    range: TextRange,
    pieces: Vec<Piece>,
}

/// What stands in the output for parts of the source.
#[derive(Default)]
pub struct Edits {
    found: BTreeMap<(TextSize, Kind), Vec<Edit>>,
}

impl Edits {
    /// Puts `pieces` for `range`; a replacement that starts at the same place is superseded.
    pub fn replace(&mut self, range: TextRange, pieces: Vec<Piece>) {
        self.found
            .insert((range.start(), Kind::Replace), vec![Edit { range, pieces }]);
    }

    /// Puts `pieces` after `range` wherever its start is copied too, after what was put there before.
    pub fn append(&mut self, range: TextRange, pieces: Vec<Piece>) {
        self.found
            .entry((range.end(), Kind::Append))
            .or_default()
            .push(Edit { range, pieces });
    }
}

/// Writes lines, of which the first one is open from the start.
pub struct Writer<'s, 'a> {
    source: &'s Source<'a>,
    edits: &'s Edits,
    level: usize,
    lines: Vec<Line>,
    current: Line,
}

impl<'s, 'a> Writer<'s, 'a> {
    pub fn new(source: &'s Source<'a>, edits: &'s Edits, level: usize, origin: u32) -> Self {
        Self {
            source,
            edits,
            level,
            lines: Vec::new(),
            current: Line::new(level, origin, Vec::new()),
        }
    }

    pub fn push(&mut self, piece: impl Into<Piece>) {
        self.current.pieces.push(piece.into());
    }

    fn text(&mut self, from: TextSize, to: TextSize) {
        if from < to {
            let text = self.source.slice(TextRange::new(from, to));
            self.push(text);
        }
    }

    /// Copies `range`; lines of statements inside keep their depth below that of its first line.
    pub fn copy(&mut self, range: TextRange) -> Result<(), Unsupported> {
        let base = self.source.indentation(range.start());
        let mut at = range.start();
        let edits = self.edits;
        let from = (range.start(), Kind::Append);
        let to = (range.end(), Kind::Append);
        let found = edits.found.range(from..=to);
        for ((start, kind), edit) in
            found.flat_map(|(key, edits)| edits.iter().map(move |edit| (key, edit)))
        {
            let foreign = *kind == Kind::Append && edit.range.start() < range.start();
            if *start < at || foreign {
                continue;
            }
            self.copy_text(at, *start, range.end(), base)?;
            self.current.pieces.extend(edit.pieces.iter().cloned());
            at = edit.range.end();
        }
        self.copy_text(at, range.end(), range.end(), base)
    }

    fn copy_text(
        &mut self,
        from: TextSize,
        to: TextSize,
        limit: TextSize,
        base: &str,
    ) -> Result<(), Unsupported> {
        let mut at = from;
        while let Some(end) = self.source.line_break(at, to) {
            self.text(at, end);
            at = end + TextSize::new(1);
            let mut start = Start::Raw;
            if let Some(logical) = self.source.logical_start(at).filter(|start| *start < limit) {
                let indentation = self.source.slice(TextRange::new(at, logical));
                let Some(rest) = indentation.strip_prefix(base) else {
                    return Err(self.source.unsupported("mixed indentation", logical));
                };
                start = Start::Indented(self.level, rest.to_owned());
                at = logical.min(to);
            }
            self.end_line(start, at);
        }
        self.text(at, to);
        Ok(())
    }

    fn end_line(&mut self, start: Start, at: TextSize) {
        let next = Line {
            start,
            pieces: Vec::new(),
            origin: self.source.line(at),
        };
        self.lines.push(std::mem::replace(&mut self.current, next));
    }

    pub fn finish(mut self) -> Vec<Line> {
        self.lines.push(self.current);
        self.lines
    }
}
