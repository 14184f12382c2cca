//! Leaving parts of a generator's body by `break`, `continue`, `return` and a bare `raise`.

use crate::pysyntax::ast::token::TokenKind;
use crate::pysyntax::ast::{ExceptHandler, Expr, Stmt, StmtAnnAssign, StmtReturn};
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::Unsupported;
use super::body::Body;
use super::flow::STATE;
use super::output::{Label, Line, Piece};

/// What is around a statement.
pub enum Context {
    Loop {
        end: Label,
        next: Label,
    },
    /// Code that has to run before anything outside is reached.
    Cleanup(Cleanup),
    /// An `except` clause that was cut into blocks; the number names its exception.
    Handler(usize),
    /// An `except` clause that stays one.
    NativeHandler,
    /// A `finally` clause that was cut into blocks.
    Finally,
}

/// A `finally` or the exit of a `with`.
pub struct Cleanup {
    /// Names what is to be done after it.
    pub number: usize,
    pub label: Label,
    /// Where it leads to, each by a block after it.
    pub exits: Vec<(Target, Label)>,
}

/// Where a jump leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Label(Label),
    Return,
}

impl Body<'_, '_> {
    pub fn has_cleanup(&self) -> bool {
        self.contexts
            .iter()
            .any(|context| matches!(context, Context::Cleanup(_)))
    }

    /// The cleanup between here and `target`: its number, its label and the block after it.
    fn cleanup_before(&mut self, target: Target) -> Option<(usize, Label, Label)> {
        for context in self.contexts.iter_mut().rev() {
            match context {
                Context::Loop { end, next }
                    if target == Target::Label(*end) || target == Target::Label(*next) =>
                {
                    return None;
                }
                Context::Cleanup(cleanup) => {
                    let known = cleanup.exits.iter().find(|(known, _)| *known == target);
                    let exit = if let Some((_, exit)) = known {
                        *exit
                    } else {
                        let exit = self.flow.label();
                        cleanup.exits.push((target, exit));
                        exit
                    };
                    return Some((cleanup.number, cleanup.label, exit));
                }
                _ => {}
            }
        }
        None
    }

    /// What stands for a `break` or `continue`.
    pub fn leave(&mut self, target: Label) -> Vec<Piece> {
        match self.cleanup_before(Target::Label(target)) {
            Some(cleanup) => through(cleanup, ""),
            None => vec![
                format!("{STATE} = ").into(),
                Piece::State(target),
                "; continue".into(),
            ],
        }
    }

    /// Refuses the `return` of a value where the parser does not.
    fn check_return(&self, stmt: &StmtReturn) -> Result<(), Unsupported> {
        if let Some(value) = &stmt.value {
            self.check_value(value)?;
        }
        if self.is_async && stmt.value.is_some() {
            let feature = "`return` of a value in an async generator";
            return Err(self.unsupported(feature, stmt.start()));
        }
        Ok(())
    }

    /// What stands before and after the value of a `return`.
    pub fn return_around(&mut self) -> (Vec<Piece>, Vec<Piece>) {
        match self.cleanup_before(Target::Return) {
            Some(cleanup) => {
                let name = returned(cleanup.0);
                self.keep(&name);
                (vec![format!("{name} = (").into()], through(cleanup, "); "))
            }
            None => (vec!["return _mce_Return((".into()], vec!["))".into()]),
        }
    }

    /// What stands for a `return` without a value, or with the value that `name` holds.
    fn return_name(&mut self, name: Option<&str>) -> Vec<Piece> {
        match (self.cleanup_before(Target::Return), name) {
            (Some(cleanup), name) => {
                let own = returned(cleanup.0);
                self.keep(&own);
                through(cleanup, &format!("{own} = {}; ", name.unwrap_or("None")))
            }
            (None, None) => vec!["return _mce_END".into()],
            (None, Some(name)) => vec![format!("return _mce_Return({name})").into()],
        }
    }

    /// Writes the blocks that lead on from a cleanup which has run.
    pub fn exits(&mut self, cleanup: Cleanup, at: TextSize) {
        let origin = self.origin(at);
        for (target, label) in cleanup.exits {
            self.flow.open_block(label);
            let pieces = match target {
                Target::Label(target) => self.leave(target),
                Target::Return => self.return_name(Some(&returned(cleanup.number))),
            };
            self.flow.line(Line::new(0, origin, pieces));
            self.flow.end_block();
        }
    }

    /// Writes a `return`.
    pub fn return_statement(&mut self, stmt: &StmtReturn) -> Result<(), Unsupported> {
        self.check_return(stmt)?;
        if let Some(value) = &stmt.value {
            self.hoist(value, false)?;
            let (before, after) = self.return_around();
            let (at, range) = (stmt.start(), value.range());
            let lines = self.lowering.compose(0, at, before, range, after)?;
            self.flow.lines(lines);
        } else {
            let pieces = self.return_name(None);
            let origin = self.origin(stmt.start());
            self.flow.line(Line::new(0, origin, pieces));
        }
        self.flow.end_block();
        Ok(())
    }

    /// Prepares a statement that is copied: replaces what would mean something else in the step
    /// function.
    pub fn edit(&mut self, stmt: &Stmt) -> Result<(), Unsupported> {
        self.edit_in(stmt, false, false)
    }

    fn edit_all(
        &mut self,
        body: &[Stmt],
        in_loop: bool,
        in_handler: bool,
    ) -> Result<(), Unsupported> {
        body.iter()
            .try_for_each(|stmt| self.edit_in(stmt, in_loop, in_handler))
    }

    fn edit_in(&mut self, stmt: &Stmt, in_loop: bool, in_handler: bool) -> Result<(), Unsupported> {
        match stmt {
            Stmt::Return(inner) => {
                self.check_return(inner)?;
                self.edit_return(inner);
            }
            Stmt::Break(_) | Stmt::Continue(_) if !in_loop => {
                let target = self
                    .contexts
                    .iter()
                    .rev()
                    .find_map(|context| match context {
                        Context::Loop { end, next } => {
                            Some(if stmt.is_break_stmt() { *end } else { *next })
                        }
                        _ => None,
                    });
                let Some(target) = target else {
                    return Err(self.unsupported("a jump outside of a loop", stmt.start()));
                };
                let pieces = self.leave(target);
                self.lowering.edits.replace(stmt.range(), pieces);
            }
            Stmt::Raise(inner) if inner.exc.is_none() && !in_handler => {
                self.edit_raise(stmt.range())?;
            }
            Stmt::Global(_) | Stmt::Nonlocal(_) => {
                self.lowering
                    .edits
                    .replace(stmt.range(), vec!["pass".into()]);
            }
            Stmt::AnnAssign(inner) => self.edit_annotation(inner),
            Stmt::If(inner) => {
                self.edit_all(&inner.body, in_loop, in_handler)?;
                for clause in &inner.elif_else_clauses {
                    self.edit_all(&clause.body, in_loop, in_handler)?;
                }
            }
            Stmt::For(inner) => {
                self.edit_all(&inner.body, true, in_handler)?;
                self.edit_all(&inner.orelse, in_loop, in_handler)?;
            }
            Stmt::While(inner) => {
                self.edit_all(&inner.body, true, in_handler)?;
                self.edit_all(&inner.orelse, in_loop, in_handler)?;
            }
            Stmt::With(inner) => self.edit_all(&inner.body, in_loop, in_handler)?,
            Stmt::Match(inner) => {
                for case in &inner.cases {
                    self.edit_all(&case.body, in_loop, in_handler)?;
                }
            }
            Stmt::Try(inner) => {
                self.edit_all(&inner.body, in_loop, in_handler)?;
                for ExceptHandler::ExceptHandler(handler) in &inner.handlers {
                    self.edit_all(&handler.body, in_loop, true)?;
                }
                self.edit_all(&inner.orelse, in_loop, in_handler)?;
                self.edit_all(&inner.finalbody, in_loop, true)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn edit_return(&mut self, stmt: &StmtReturn) {
        if stmt.value.is_some() {
            let (before, after) = self.return_around();
            let keyword = TextRange::at(stmt.start(), TextSize::of("return"));
            self.lowering.edits.replace(keyword, before);
            self.lowering.edits.append(stmt.range(), after);
        } else {
            let pieces = self.return_name(None);
            self.lowering.edits.replace(stmt.range(), pieces);
        }
    }

    fn edit_raise(&mut self, range: TextRange) -> Result<(), Unsupported> {
        for context in self.contexts.iter().rev() {
            match context {
                Context::NativeHandler => return Ok(()),
                Context::Finally => {
                    let feature = "a bare `raise` in the `finally` of a generator";
                    return Err(self.unsupported(feature, range.start()));
                }
                Context::Handler(number) => {
                    let text = format!("raise {}", caught(*number));
                    self.lowering.edits.replace(range, vec![text.into()]);
                    return Ok(());
                }
                Context::Loop { .. } | Context::Cleanup(_) => {}
            }
        }
        Ok(())
    }

    /// Drops the annotation of a variable, which may not stand beside `nonlocal`.
    fn edit_annotation(&mut self, stmt: &StmtAnnAssign) {
        if !stmt.target.is_name_expr() {
            return;
        }
        let colon = self
            .lowering
            .source
            .last_before(stmt.annotation.start(), TokenKind::Colon);
        let equal = stmt
            .value
            .as_deref()
            .map(Expr::start)
            .and_then(|start| self.lowering.source.last_before(start, TokenKind::Equal));
        match (colon, equal) {
            (Some(colon), Some(equal)) if colon.end() <= equal.start() => {
                let range = TextRange::new(colon.start(), equal.start());
                self.lowering.edits.replace(range, vec![" ".into()]);
            }
            _ => self
                .lowering
                .edits
                .replace(stmt.range(), vec!["pass".into()]),
        }
    }
}

/// The name of the exception that a clause cut into blocks has caught.
pub fn caught(number: usize) -> String {
    format!("_mce_caught{number}")
}

/// The name of the exception that goes on after a cleanup.
pub fn pending(number: usize) -> String {
    format!("_mce_pending{number}")
}

/// The name of the state that comes after a cleanup.
pub fn after(number: usize) -> String {
    format!("_mce_after{number}")
}

/// The name of the value that is returned after a cleanup.
fn returned(number: usize) -> String {
    format!("_mce_returned{number}")
}

/// Goes to a cleanup and then to the block after it.
fn through((number, label, exit): (usize, Label, Label), before: &str) -> Vec<Piece> {
    let (pending, after) = (pending(number), after(number));
    vec![
        format!("{before}{pending} = None; {after} = ").into(),
        Piece::State(exit),
        format!("; {STATE} = ").into(),
        Piece::State(label),
        "; continue".into(),
    ]
}
