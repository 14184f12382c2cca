//! Loops that contain a `yield`.

use crate::pysyntax::Ranged;
use crate::pysyntax::ast::{Expr, StmtFor, StmtWhile};

use super::Unsupported;
use super::body::Body;
use super::flow::STATE;
use super::jumps::{Context, after};
use super::module::Lowering;
use super::output::{Label, Line};

impl Body<'_, '_> {
    pub fn while_loop(&mut self, stmt: &StmtWhile) -> Result<(), Unsupported> {
        let (next, done, end) = (self.flow.label(), self.flow.label(), self.flow.label());
        let origin = self.origin(stmt.start());
        self.flow.place_head(next, origin);
        let endless = matches!(&*stmt.test, Expr::BooleanLiteral(literal) if literal.value);
        if !endless {
            self.hoist(&stmt.test, false)?;
            self.around(0, "if not (", stmt.test.range(), "):")?;
            self.branch(done, stmt.test.start());
        }
        self.contexts.push(Context::Loop { end, next });
        self.statements(&stmt.body)?;
        self.contexts.pop();
        self.jump(next, stmt.start());
        self.place(done, stmt.end());
        self.statements(&stmt.orelse)?;
        self.place(end, stmt.end());
        Ok(())
    }

    pub fn for_loop(&mut self, stmt: &StmtFor) -> Result<(), Unsupported> {
        if stmt.is_async {
            return Err(self.unsupported("`async for` around a `yield`", stmt.start()));
        }
        let (next, done, end) = (self.flow.label(), self.flow.label(), self.flow.label());
        let iterator = self.temporary("iterator");
        self.hoist(&stmt.iter, false)?;
        self.around(
            0,
            format!("{iterator} = _mce_builtin_iter(("),
            stmt.iter.range(),
            "))",
        )?;
        let origin = self.origin(stmt.start());
        let closing = self.lowering.closing.contains(&stmt.start());
        let cleanup = closing.then(|| self.open_cleanup(stmt.start()));
        self.flow.place_head(next, origin);
        let advance = format!("_mce_item = {}", advance(&iterator));
        self.line(0, stmt.start(), advance);
        self.line(
            0,
            stmt.start(),
            "if _mce_builtin_type(_mce_item) is _mce_Return:",
        );
        self.branch(done, stmt.start());
        self.assign(0, &stmt.target, "_mce_item")?;
        self.contexts.push(Context::Loop { end, next });
        self.statements(&stmt.body)?;
        self.contexts.pop();
        self.jump(next, stmt.start());
        self.place(done, stmt.end());
        self.statements(&stmt.orelse)?;
        self.place(end, stmt.end());
        if let Some(cleanup) = cleanup {
            self.close_generator(cleanup, &iterator, stmt);
        }
        Ok(())
    }

    /// Ends the region of a loop which closes the generator that it runs over.
    fn close_generator(
        &mut self,
        (number, label, done): (usize, Label, Label),
        iterator: &str,
        stmt: &StmtFor,
    ) {
        let at = stmt.start();
        let origin = self.origin(at);
        let drop = format!("_mce_drop({iterator})");
        self.finish_normally(number, label, done, at);
        let tail = vec![
            Line::text(0, origin, "except BaseException:"),
            Line::text(1, origin, drop.clone()),
            Line::text(1, origin, "raise"),
        ];
        self.flow.close_region(origin, tail);
        let cleanup = self.contexts.pop();
        if self.flow.is_used(label) {
            self.flow.open_block(label);
            self.line(0, at, drop);
            self.line(0, at, format!("{STATE} = {}", after(number)));
            self.flow.end_block();
        }
        self.close_cleanup(cleanup, done, stmt.end());
    }
}

impl Lowering<'_> {
    /// Writes the iterator of a loop without a `yield` that may run over a generator.
    pub fn loop_iterator(
        &mut self,
        stmt: &StmtFor,
        level: usize,
        lines: &mut Vec<Line>,
    ) -> Result<String, Unsupported> {
        self.loops += 1;
        let iterator = format!("_mce_loop{}", self.loops);
        lines.extend(self.compose(
            level,
            stmt.start(),
            vec![format!("{iterator} = _mce_builtin_iter((").into()],
            stmt.iter.range(),
            vec!["))".into()],
        )?);
        Ok(iterator)
    }

    /// Writes the head of that loop.
    pub fn loop_header(
        &mut self,
        stmt: &StmtFor,
        iterator: &str,
        level: usize,
        lines: &mut Vec<Line>,
    ) -> Result<(), Unsupported> {
        let item = iterator.replace("loop", "item");
        let at = stmt.start();
        let advance = advance(iterator);
        let head = format!("while _mce_builtin_type({item} := {advance}) is not _mce_Return:");
        lines.push(Line::text(level, self.source.line(at), head));
        let range = stmt.target.range();
        let (before, after) = if self.source.slice(range).contains('\n') {
            ("(", ")")
        } else {
            ("", "")
        };
        lines.extend(self.compose(
            level + 1,
            at,
            vec![before.into()],
            range,
            vec![format!("{after} = {item}").into()],
        )?);
        Ok(())
    }
}

/// The next value of an iterator, or a `_mce_Return`. A generator is advanced by a call that the
/// interpreter can suspend; `next()` cannot be.
pub fn advance(iterator: &str) -> String {
    format!(
        "({iterator}._mce_advance(None, None) if _mce_builtin_type({iterator}) is _mce_Generator \
         else _mce_builtin_next({iterator}, _mce_END))"
    )
}
