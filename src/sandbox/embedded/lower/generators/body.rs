//! The body of one generator while it is lowered.

use crate::pysyntax::ast::Stmt;
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::Unsupported;
use super::flow::Flow;
use super::jumps::Context;
use super::module::Lowering;
use super::output::{Label, Line, Piece};
use super::scope::Generator;

/// One generator's body.
pub struct Body<'l, 'a> {
    pub lowering: &'l mut Lowering<'a>,
    pub facts: Generator,
    pub is_async: bool,
    pub flow: Flow,
    entry: Label,
    /// What is around the statement that is lowered, the innermost last.
    pub contexts: Vec<Context>,
    /// The names made up for values that are kept between steps.
    temporaries: Vec<String>,
    next: usize,
}

impl<'l, 'a> Body<'l, 'a> {
    pub fn new(lowering: &'l mut Lowering<'a>, facts: Generator, is_async: bool) -> Self {
        let (flow, entry) = Flow::new();
        Self {
            lowering,
            facts,
            is_async,
            flow,
            entry,
            contexts: Vec::new(),
            temporaries: Vec::new(),
            next: 0,
        }
    }

    /// The lines of the step function, the number of the first state and the names made up.
    pub fn finish(mut self, end: TextSize) -> (Vec<Line>, usize, Vec<String>) {
        let origin = self.lowering.source.line(end);
        self.flow.line(Line::text(0, origin, "return _mce_END"));
        let (lines, entry) = self.flow.finish(self.entry, origin);
        (lines, entry, self.temporaries)
    }

    pub fn unsupported(&self, feature: &str, at: TextSize) -> Unsupported {
        self.lowering.source.unsupported(feature, at)
    }

    /// A number for names made up together.
    pub fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// Keeps a name that was made up between steps.
    pub fn keep(&mut self, name: &str) {
        self.temporaries.push(name.to_owned());
    }

    pub fn temporary(&mut self, what: &str) -> String {
        let name = format!("_mce_{what}{}", self.number());
        self.keep(&name);
        name
    }

    pub fn line(&mut self, level: usize, at: TextSize, text: impl Into<String>) {
        let origin = self.lowering.source.line(at);
        self.flow.line(Line::text(level, origin, text));
    }

    /// Writes `before`, a copy of `range`, `after`.
    pub fn around(
        &mut self,
        level: usize,
        before: impl Into<String>,
        range: TextRange,
        after: impl Into<String>,
    ) -> Result<(), Unsupported> {
        let before = vec![Piece::Text(before.into())];
        let after = vec![Piece::Text(after.into())];
        let lines = self
            .lowering
            .compose(level, range.start(), before, range, after)?;
        self.flow.lines(lines);
        Ok(())
    }

    pub fn origin(&self, at: TextSize) -> u32 {
        self.lowering.source.line(at)
    }

    pub fn jump(&mut self, label: Label, at: TextSize) {
        let origin = self.origin(at);
        self.flow.jump(label, origin);
    }

    pub fn place(&mut self, label: Label, at: TextSize) {
        let origin = self.origin(at);
        self.flow.place(label, origin);
    }

    /// Goes to `label` if the condition in the text before the branch holds.
    pub fn branch(&mut self, label: Label, at: TextSize) {
        let origin = self.origin(at);
        self.flow.line(super::flow::state(1, origin, label));
        self.line(1, at, "continue");
    }

    pub fn yields(&self, node: &impl Ranged) -> bool {
        self.facts.yields_in(node.range())
    }

    /// Whether a statement has to be cut into blocks.
    pub fn is_cut(&self, stmt: &Stmt) -> bool {
        self.yields(stmt) || (self.has_cleanup() && self.facts.returns_in_loop(stmt.range()))
    }
}
