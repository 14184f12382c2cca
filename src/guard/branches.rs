//! Statements with blocks, which may run, or not, or again and again: what is certainly bound in
//! them and after them.

use crate::pysyntax::ast::visitor::source_order::SourceOrderVisitor;
use crate::pysyntax::ast::{
    ExceptHandler, Expr, Stmt, StmtIf, StmtMatch, StmtTry, StmtWhile, StmtWith,
};

use super::check::Checker;
use super::scope::BindingId;

/// Names that are certainly bound, with the scopes that bind them.
type Bound<'a> = Vec<BindingId<'a>>;

/// What all of the blocks bind that end where the code goes on. `None` stands for one that does
/// not.
fn common(blocks: Vec<Option<Bound<'_>>>) -> Option<Bound<'_>> {
    let mut blocks = blocks.into_iter().flatten();
    let mut all = blocks.next()?;
    for block in blocks {
        all.retain(|name| block.contains(name));
    }
    Some(all)
}

impl<'a> Checker<'a> {
    /// Visits a block; what it binds, unless it is left early.
    fn visit_block(&mut self, body: &'a [Stmt]) -> Option<Bound<'a>> {
        let (definite, changed) = (self.definite.len(), self.flow.mark());
        for stmt in body {
            self.visit_stmt(stmt);
        }
        let bound = self.definite.split_off(definite);
        self.flow.leave_block(changed);
        let leaves = matches!(
            body.last(),
            Some(Stmt::Return(_) | Stmt::Raise(_) | Stmt::Continue(_) | Stmt::Break(_))
        );
        (!leaves).then_some(bound)
    }

    /// Of an `if` with an `else`, what all blocks bind is bound after it.
    pub(super) fn visit_if(&mut self, statement: &'a StmtIf) {
        self.note_test(&statement.test);
        self.visit_expr(&statement.test);
        self.bound_by_test(&statement.test);
        let mut blocks = vec![self.visit_block(&statement.body)];
        let mut exhaustive = false;
        for clause in &statement.elif_else_clauses {
            if let Some(test) = &clause.test {
                self.note_test(test);
                self.visit_expr(test);
            } else {
                exhaustive = true;
            }
            blocks.push(self.visit_block(&clause.body));
        }
        if exhaustive {
            self.definite.extend(common(blocks).unwrap_or_default());
        }
    }

    /// `if (name := value) is None:` binds the name in any case.
    fn bound_by_test(&mut self, test: &'a Expr) {
        let mut first = test;
        loop {
            first = match first {
                Expr::Compare(compare) => &compare.left,
                Expr::UnaryOp(operation) => &operation.operand,
                Expr::Named(named) => {
                    self.bound_here(&named.target);
                    return;
                }
                Expr::BoolOp(operation) => match operation.values.first() {
                    Some(value) => value,
                    None => return,
                },
                _ => return,
            };
        }
    }

    /// Of a `try`, what the block and each handler bind is bound after it, and what `finally`
    /// binds.
    pub(super) fn visit_try(&mut self, statement: &'a StmtTry) {
        let mut whole = self.visit_block(&statement.body);
        let mut blocks = Vec::new();
        for handler in &statement.handlers {
            let ExceptHandler::ExceptHandler(handler) = handler;
            if let Some(kind) = &handler.type_ {
                self.visit_expr(kind);
            }
            if let Some(name) = &handler.name {
                self.check_binding(name.as_str(), name.range);
            }
            blocks.push(self.visit_block(&handler.body));
        }
        // `else` runs only after the whole block.
        let definite = self.definite.len();
        self.definite.extend(whole.iter().flatten().copied());
        let otherwise = self.visit_block(&statement.orelse);
        self.definite.truncate(definite);
        if let (Some(whole), Some(otherwise)) = (&mut whole, otherwise) {
            whole.extend(otherwise);
        } else {
            whole = None;
        }
        blocks.push(whole);
        let finally = self.visit_block(&statement.finalbody);
        self.definite.extend(common(blocks).unwrap_or_default());
        self.definite.extend(finally.unwrap_or_default());
    }

    /// The block of a `while` may run again, after anything in it.
    pub(super) fn visit_while(&mut self, statement: &'a StmtWhile) {
        let changed = self.flow.mark();
        // The test is evaluated again after each time the block ran.
        let before = self.flow.enter_loop();
        self.visit_expr(&statement.test);
        // What the test binds is bound in any case, as it is evaluated once at least.
        self.bound_by_test(&statement.test);
        self.visit_body(&statement.body);
        self.flow.leave_loop(before, changed);
        self.visit_body(&statement.orelse);
    }

    /// A context manager may end its block early, also while the next one is entered.
    pub(super) fn visit_with(&mut self, statement: &'a StmtWith) {
        let (definite, changed) = (self.definite.len(), self.flow.mark());
        if statement.is_async {
            self.note_await();
        }
        for item in &statement.items {
            self.visit_expr(&item.context_expr);
            if let Some(target) = &item.optional_vars {
                self.visit_expr(target);
                self.bound_here(target);
                self.bind_target_surely(target, Vec::new());
            }
        }
        self.visit_body(&statement.body);
        self.definite.truncate(definite);
        self.flow.leave_block(changed);
        // What ends the block early was entered before, and so the first target was bound.
        if let Some(target @ Expr::Name(_)) = statement
            .items
            .first()
            .and_then(|item| item.optional_vars.as_deref())
        {
            self.bound_here(target);
        }
    }

    /// Of a `match` with a pattern that takes everything, what all blocks bind is bound after it.
    pub(super) fn visit_match(&mut self, statement: &'a StmtMatch) {
        self.visit_expr(&statement.subject);
        let mut blocks = Vec::new();
        let mut exhaustive = false;
        for case in &statement.cases {
            let definite = self.definite.len();
            self.captures.clear();
            self.visit_pattern(&case.pattern);
            // The names are bound when the whole pattern has matched.
            let captures = std::mem::take(&mut self.captures);
            for name in captures {
                self.name_bound_here(name);
            }
            if let Some(guard) = &case.guard {
                self.visit_expr(guard);
            }
            blocks.push(self.visit_block(&case.body));
            self.definite.truncate(definite);
            exhaustive |= case.guard.is_none() && case.pattern.is_irrefutable();
        }
        if exhaustive {
            self.definite.extend(common(blocks).unwrap_or_default());
        }
    }
}
