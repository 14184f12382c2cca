//! Statements that stay as they are, down to the generator functions in them.

use std::collections::BTreeSet;

use crate::pysyntax::ast::token::TokenKind;
use crate::pysyntax::ast::{ExceptHandler, Stmt};
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::Unsupported;
use super::copy::{Edits, Writer};
use super::output::{Line, Piece};
use super::scope::Generators;
use super::source::Source;

/// The lowering of one module.
pub struct Lowering<'a> {
    pub source: Source<'a>,
    pub generators: Generators,
    pub edits: Edits,
    /// The names of the definitions around, as in a qualified name.
    pub path: Vec<String>,
    /// How many names were made up for loops.
    pub loops: usize,
    /// The starts of the loops that close the generator they run over.
    pub closing: BTreeSet<TextSize>,
    /// Where `GeneratorExit` is mentioned in a way that is not lowered.
    pub exits: BTreeSet<TextSize>,
}

impl<'a> Lowering<'a> {
    pub fn new(source: Source<'a>, generators: Generators, closing: BTreeSet<TextSize>) -> Self {
        Self {
            source,
            generators,
            edits: Edits::default(),
            path: Vec::new(),
            loops: 0,
            closing,
            exits: BTreeSet::new(),
        }
    }

    pub fn module(mut self, body: &[Stmt]) -> Result<Vec<Line>, Unsupported> {
        let mut lines = Vec::new();
        self.consumers(body);
        for stmt in body {
            self.statement(stmt, 0, &mut lines)?;
        }
        if let Some(at) = self.exits.first() {
            return Err(self.source.unsupported("this use of `GeneratorExit`", *at));
        }
        Ok(lines)
    }

    /// Writes a statement of which only the generator functions inside change, and its edits.
    pub fn statement(
        &mut self,
        stmt: &Stmt,
        level: usize,
        lines: &mut Vec<Line>,
    ) -> Result<(), Unsupported> {
        if !self.generators.changed_in(stmt.range()) {
            lines.extend(self.copied(stmt.range(), level)?);
            return Ok(());
        }
        match stmt {
            Stmt::FunctionDef(function) if self.generators.contains(function) => {
                return self.generator(function, level, lines);
            }
            Stmt::FunctionDef(function) => {
                self.path.push(function.name.to_string());
                self.path.push("<locals>".to_owned());
            }
            Stmt::ClassDef(class) => self.path.push(class.name.to_string()),
            _ => {}
        }
        let depth = self.path.len();
        let suites = suites(stmt);
        let rewritten = match stmt {
            Stmt::For(inner) if self.generators.is_rewritten(inner.start()) => Some(inner),
            _ => None,
        };
        if suites.is_empty() {
            let feature = "a generator function inside this statement";
            return Err(self.source.unsupported(feature, stmt.start()));
        }
        let mut at = stmt.start();
        let mut level = level;
        let mut close = None;
        for (index, suite) in suites.into_iter().enumerate() {
            match rewritten {
                Some(inner) if index == 0 => {
                    let iterator = self.loop_iterator(inner, level, lines)?;
                    if self.closing.contains(&inner.start()) {
                        let origin = self.source.line(inner.start());
                        lines.push(Line::text(level, origin, "try:"));
                        close = Some(Line::text(
                            level + 1,
                            origin,
                            format!("_mce_drop({iterator})"),
                        ));
                        level += 1;
                    }
                    self.loop_header(inner, &iterator, level, lines)?;
                }
                _ => self.header(at, suite, level, lines)?,
            }
            for inner in suite {
                self.statement(inner, level + 1, lines)?;
            }
            at = suite.last().map_or(at, Ranged::end);
        }
        if let Some(close) = close {
            lines.push(Line::text(level - 1, close.origin, "finally:"));
            lines.push(close);
        }
        match stmt {
            Stmt::FunctionDef(_) => self.path.truncate(depth.saturating_sub(2)),
            Stmt::ClassDef(_) => self.path.truncate(depth.saturating_sub(1)),
            _ => {}
        }
        Ok(())
    }

    /// Writes what introduces `suite`, up to its colon.
    pub fn header(
        &mut self,
        from: TextSize,
        suite: &[Stmt],
        level: usize,
        lines: &mut Vec<Line>,
    ) -> Result<(), Unsupported> {
        let start = self.source.next_token(from);
        let colon = suite
            .first()
            .and_then(|first| self.source.last_before(first.start(), TokenKind::Colon))
            .filter(|colon| colon.start() >= start);
        let Some(colon) = colon else {
            return Err(self.source.unsupported("this statement", from));
        };
        lines.extend(self.copied(TextRange::new(start, colon.end()), level)?);
        Ok(())
    }

    fn copied(&self, range: TextRange, level: usize) -> Result<Vec<Line>, Unsupported> {
        self.compose(level, range.start(), Vec::new(), range, Vec::new())
    }

    /// The lines of `before`, a copy of `range`, `after`.
    pub fn compose(
        &self,
        level: usize,
        at: TextSize,
        before: Vec<Piece>,
        range: TextRange,
        after: Vec<Piece>,
    ) -> Result<Vec<Line>, Unsupported> {
        let origin = self.source.line(at);
        let mut writer = Writer::new(&self.source, &self.edits, level, origin);
        for piece in before {
            writer.push(piece);
        }
        writer.copy(range)?;
        for piece in after {
            writer.push(piece);
        }
        Ok(writer.finish())
    }
}

/// The suites of a compound statement whose headers are consecutive, in their order.
fn suites(stmt: &Stmt) -> Vec<&[Stmt]> {
    let mut suites: Vec<&[Stmt]> = Vec::new();
    match stmt {
        Stmt::FunctionDef(inner) => suites.push(&inner.body),
        Stmt::ClassDef(inner) => suites.push(&inner.body),
        Stmt::For(inner) => suites.extend([&*inner.body, &*inner.orelse]),
        Stmt::While(inner) => suites.extend([&*inner.body, &*inner.orelse]),
        Stmt::If(inner) => {
            suites.push(&inner.body);
            suites.extend(inner.elif_else_clauses.iter().map(|clause| &*clause.body));
        }
        Stmt::With(inner) => suites.push(&inner.body),
        Stmt::Try(inner) => {
            suites.push(&inner.body);
            for ExceptHandler::ExceptHandler(handler) in &inner.handlers {
                suites.push(&handler.body);
            }
            suites.extend([&*inner.orelse, &*inner.finalbody]);
        }
        _ => {}
    }
    suites.retain(|suite| !suite.is_empty());
    suites
}
