//! What is nested deeper than `CPython` has room for.

use ruff_python_ast::{Comprehension, Stmt};
use ruff_text_size::{Ranged, TextRange};

use super::SemanticVisitor;
use super::scopes::ScopeKind;
use crate::pysyntax::SyntaxError;

/// How deep loops, `with`, `try` and comprehensions may stand in each other in one function.
///
/// `CPython` 3.13 has room for 21 (`CO_MAXBLOCKS`), of which a `try` takes two; with comprehensions
/// more it does not refuse but reads beyond the end of an array and crashes.
const MAX_BLOCKS: usize = 18;

/// How deep `finally` may stand in each other. `CPython` copies its block to every way out of the
/// `try`, and what is in the block with it.
const MAX_FINALLY: usize = 4;

/// How many type parameters one list may have: each is compared with each.
const MAX_TYPE_PARAMETERS: usize = 100;

/// How deep blocks may be indented: `MAXINDENT` of `CPython`, less the outermost level.
const MAX_INDENTS: usize = 98;

impl SemanticVisitor<'_> {
    /// Visits what stands inside a statement, and counts the statement as around it.
    pub(super) fn within_limits(&mut self, stmt: &Stmt, visit: impl FnOnce(&mut Self)) {
        let indents = indents_of(stmt);
        self.indents += indents;
        if passes(self.indents, indents, MAX_INDENTS) {
            let message = format!("the code is indented more than {MAX_INDENTS} levels deep here");
            self.refuse(stmt.range(), message);
        }
        let finallys = usize::from(matches!(stmt, Stmt::Try(it) if !it.finalbody.is_empty()));
        self.finallys += finallys;
        if passes(self.finallys, finallys, MAX_FINALLY) {
            let message = format!("`finally` is nested more than {MAX_FINALLY} levels deep here");
            self.refuse(stmt.range(), message);
        }
        let blocks = blocks_of(stmt);
        if passes(self.add_blocks(blocks), blocks, MAX_BLOCKS) {
            let message = format!(
                "loops, `with`, `try` and comprehensions are nested more than {MAX_BLOCKS} levels \
                 deep here"
            );
            self.refuse(stmt.range(), message);
        }
        visit(self);
        if let Some(scope) = self.context.scopes.last_mut() {
            scope.blocks -= blocks;
        }
        self.indents -= indents;
        self.finallys -= finallys;
    }

    /// The blocks around what stands inside a comprehension.
    pub(super) fn blocks_within(&mut self, kind: ScopeKind, generators: &[Comprehension]) -> usize {
        let added = match kind {
            ScopeKind::Comprehension { is_async: true } => generators.len(),
            ScopeKind::Generator if generators.iter().any(|it| it.is_async) => generators.len(),
            _ => 1,
        };
        // A generator is a function of its own.
        let around = match kind {
            ScopeKind::Generator => 0,
            _ => self.add_blocks(0),
        };
        if passes(around + added, added, MAX_BLOCKS) {
            let first = generators.first().map(|generator| generator.range);
            let message =
                format!("comprehensions are nested more than {MAX_BLOCKS} levels deep here");
            self.refuse(first.unwrap_or_default(), message);
        }
        around + added
    }

    /// Counts blocks as around, in the innermost function; how many there are then.
    fn add_blocks(&mut self, count: usize) -> usize {
        self.context.scopes.last_mut().map_or(0, |scope| {
            scope.blocks += count;
            scope.blocks
        })
    }

    fn refuse(&mut self, range: TextRange, message: String) {
        self.errors.push(SyntaxError {
            range: TextRange::empty(range.start()),
            message,
            too_deep: true,
        });
    }

    /// Whether a statement has more type parameters than are looked at, which is then reported.
    pub(super) fn has_too_many_type_parameters(&mut self, stmt: &Stmt) -> bool {
        let parameters = match stmt {
            Stmt::FunctionDef(function) => function.type_params.as_deref(),
            Stmt::ClassDef(class) => class.type_params.as_deref(),
            Stmt::TypeAlias(alias) => alias.type_params.as_deref(),
            _ => None,
        };
        let many = parameters.filter(|it| it.type_params.len() > MAX_TYPE_PARAMETERS);
        if let Some(parameters) = many {
            let message = format!("more than {MAX_TYPE_PARAMETERS} type parameters");
            self.error(parameters.range, message);
        }
        many.is_some()
    }
}

/// Whether a count that was raised by `added` is over a limit that it was not over before.
fn passes(count: usize, added: usize, limit: usize) -> bool {
    count > limit && count - added <= limit
}

/// How much deeper than a statement what is in its blocks is indented.
fn indents_of(stmt: &Stmt) -> usize {
    match stmt {
        Stmt::FunctionDef(_)
        | Stmt::ClassDef(_)
        | Stmt::For(_)
        | Stmt::While(_)
        | Stmt::If(_)
        | Stmt::With(_)
        | Stmt::Try(_) => 1,
        // Its cases are indented, and once more what is in them.
        Stmt::Match(_) => 2,
        _ => 0,
    }
}

/// The blocks that a statement is for the function around it.
fn blocks_of(stmt: &Stmt) -> usize {
    match stmt {
        Stmt::For(_) | Stmt::While(_) => 1,
        Stmt::With(statement) => statement.items.len(),
        Stmt::Try(_) => 2,
        _ => 0,
    }
}
