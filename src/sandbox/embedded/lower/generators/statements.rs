//! Statements that contain a `yield`.

use crate::pysyntax::ast::{Expr, Stmt, StmtAugAssign, StmtIf};
use crate::pysyntax::{Ranged, TextRange};

use super::Unsupported;
use super::body::Body;

impl Body<'_, '_> {
    pub fn statements(&mut self, body: &[Stmt]) -> Result<(), Unsupported> {
        for stmt in body {
            // What cannot be reached is left out; its names are bound all the same.
            if !self.flow.is_live() {
                break;
            }
            if self.is_cut(stmt) {
                self.cut(stmt)?;
            } else {
                self.copy(stmt)?;
            }
        }
        Ok(())
    }

    fn copy(&mut self, stmt: &Stmt) -> Result<(), Unsupported> {
        self.edit(stmt)?;
        let mut lines = Vec::new();
        self.lowering.statement(stmt, 0, &mut lines)?;
        self.flow.lines(lines);
        if matches!(
            stmt,
            Stmt::Return(_) | Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_)
        ) {
            self.flow.end_block();
        }
        Ok(())
    }

    fn cut(&mut self, stmt: &Stmt) -> Result<(), Unsupported> {
        match stmt {
            Stmt::Expr(inner) => match &*inner.value {
                Expr::Yield(expr) => self.yield_value(expr),
                Expr::YieldFrom(expr) => self.yield_from(expr),
                value => {
                    self.hoist(value, false)?;
                    self.around(0, "", stmt.range(), "")
                }
            },
            Stmt::Assign(inner) => {
                if inner.targets.iter().any(|target| self.yields(target)) {
                    return Err(self.unsupported("`yield` in a target", stmt.start()));
                }
                self.hoist(&inner.value, false)?;
                self.around(0, "", stmt.range(), "")
            }
            Stmt::AnnAssign(inner) => {
                let Some(value) = inner.value.as_deref().filter(|value| self.yields(*value)) else {
                    return Err(self.unsupported("`yield` in an annotation", stmt.start()));
                };
                if self.yields(&*inner.target) || self.yields(&*inner.annotation) {
                    return Err(self.unsupported("`yield` in a target", stmt.start()));
                }
                self.hoist(value, false)?;
                self.around(0, "_mce_value = (", value.range(), ")")?;
                self.around(0, "", inner.target.range(), " = _mce_value")
            }
            Stmt::AugAssign(inner) => self.augmented(inner),
            Stmt::Return(inner) => self.return_statement(inner),
            Stmt::Raise(inner) => {
                let parts: Vec<&Expr> =
                    inner.exc.iter().chain(&inner.cause).map(|e| &**e).collect();
                self.hoist_all(&parts)?;
                self.around(0, "", stmt.range(), "")?;
                self.flow.end_block();
                Ok(())
            }
            Stmt::Assert(inner) => {
                if inner.msg.as_deref().is_some_and(|msg| self.yields(msg)) {
                    return Err(self.unsupported("`yield` in an assertion's message", stmt.start()));
                }
                self.hoist(&inner.test, false)?;
                self.around(0, "", stmt.range(), "")
            }
            Stmt::If(inner) => self.if_statement(inner),
            Stmt::While(inner) => self.while_loop(inner),
            Stmt::For(inner) => self.for_loop(inner),
            Stmt::Try(inner) => self.try_statement(inner),
            Stmt::With(inner) => self.with_statement(inner),
            _ => Err(self.unsupported("`yield` in this statement", stmt.start())),
        }
    }

    /// The old value is read before the `yield`.
    fn augmented(&mut self, stmt: &StmtAugAssign) -> Result<(), Unsupported> {
        if self.yields(&*stmt.target) {
            return Err(self.unsupported("`yield` in a target", stmt.start()));
        }
        let old = self.temporary("old");
        let place = match &*stmt.target {
            Expr::Name(name) => name.id.to_string(),
            Expr::Attribute(attribute) => {
                let object = self.temporary("object");
                self.around(0, format!("{object} = ("), attribute.value.range(), ")")?;
                format!("{object}.{}", attribute.attr)
            }
            Expr::Subscript(subscript) => {
                if contains_slice(&subscript.slice) {
                    return Err(self.unsupported("`yield` added to a slice", stmt.start()));
                }
                let object = self.temporary("object");
                self.around(0, format!("{object} = ("), subscript.value.range(), ")")?;
                let key = self.temporary("key");
                self.around(0, format!("{key} = ("), subscript.slice.range(), ")")?;
                format!("{object}[{key}]")
            }
            _ => return Err(self.unsupported("this target", stmt.start())),
        };
        self.line(0, stmt.start(), format!("{old} = {place}"));
        self.hoist(&stmt.value, false)?;
        let operator = format!("{old} {}= (", stmt.op.as_str());
        self.around(0, operator, stmt.value.range(), ")")?;
        self.line(0, stmt.start(), format!("{place} = {old}"));
        Ok(())
    }

    fn if_statement(&mut self, stmt: &StmtIf) -> Result<(), Unsupported> {
        let end = self.flow.label();
        let first = (Some(&*stmt.test), &stmt.body);
        let others = stmt
            .elif_else_clauses
            .iter()
            .map(|clause| (clause.test.as_ref(), &clause.body));
        for (test, body) in std::iter::once(first).chain(others) {
            let Some(test) = test else {
                self.statements(body)?;
                break;
            };
            let next = self.flow.label();
            self.hoist(test, false)?;
            self.around(0, "if not (", test.range(), "):")?;
            self.branch(next, test.start());
            self.statements(body)?;
            self.jump(end, test.start());
            self.place(next, test.start());
        }
        self.place(end, stmt.end());
        Ok(())
    }

    /// Writes `TARGET = VALUE` for a target that may be spread over lines.
    pub fn assign(&mut self, level: usize, target: &Expr, value: &str) -> Result<(), Unsupported> {
        if self.yields(target) {
            return Err(self.unsupported("`yield` in a target", target.start()));
        }
        let range: TextRange = target.range();
        if self.lowering.source.slice(range).contains('\n') {
            self.around(level, "(", range, format!(") = {value}"))
        } else {
            self.around(level, "", range, format!(" = {value}"))
        }
    }
}

fn contains_slice(slice: &Expr) -> bool {
    match slice {
        Expr::Slice(_) => true,
        Expr::Tuple(tuple) => tuple
            .elts
            .iter()
            .any(|element| element.is_slice_expr() || element.is_starred_expr()),
        _ => false,
    }
}
