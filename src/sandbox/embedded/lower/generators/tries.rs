//! `try` and `with` that contain a `yield`.

use crate::pysyntax::ast::{
    ExceptHandler, ExceptHandlerExceptHandler, Expr, Stmt, StmtTry, StmtWith, WithItem,
};
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::Unsupported;
use super::body::Body;
use super::flow::{self, STATE};
use super::jumps::{Cleanup, Context, after, caught, pending};
use super::output::{Label, Line, Piece};

impl Body<'_, '_> {
    pub fn try_statement(&mut self, stmt: &StmtTry) -> Result<(), Unsupported> {
        if stmt.is_star {
            return Err(self.unsupported("`except*` around a `yield`", stmt.start()));
        }
        if stmt.finalbody.is_empty() {
            return self.handled(stmt);
        }
        let at = stmt.start();
        let last = stmt.finalbody.first().map_or(at, Ranged::start);
        let (number, label, done) = self.open_cleanup(at);
        if stmt.handlers.is_empty() {
            self.statements(&stmt.body)?;
        } else {
            self.handled(stmt)?;
        }
        self.finish_normally(number, label, done, last);
        let origin = self.origin(last);
        let tail = vec![
            Line::text(0, origin, "except BaseException as _mce_caught:"),
            Line::text(1, origin, format!("{} = _mce_caught", pending(number))),
            flow::state(1, origin, label),
        ];
        self.flow.close_region(origin, tail);
        let cleanup = self.contexts.pop();
        self.flow.open_block(label);
        self.contexts.push(Context::Finally);
        self.statements(&stmt.finalbody)?;
        self.contexts.pop();
        let pending = pending(number);
        self.line(
            0,
            last,
            format!("if {pending} is not None: raise {pending}"),
        );
        self.line(0, last, format!("{STATE} = {}", after(number)));
        self.flow.end_block();
        self.close_cleanup(cleanup, done, stmt.end());
        Ok(())
    }

    /// Opens the region of a `finally` or `with`: its number, the label of the code that cleans
    /// up, and that of what follows.
    pub fn open_cleanup(&mut self, at: TextSize) -> (usize, Label, Label) {
        let number = self.number();
        self.keep(&pending(number));
        self.keep(&after(number));
        let (label, done) = (self.flow.label(), self.flow.label());
        self.contexts.push(Context::Cleanup(Cleanup {
            number,
            label,
            exits: Vec::new(),
        }));
        let origin = self.origin(at);
        self.flow.open_region(origin);
        (number, label, done)
    }

    pub fn finish_normally(&mut self, number: usize, label: Label, done: Label, at: TextSize) {
        if self.flow.is_live() {
            let origin = self.origin(at);
            self.line(0, at, format!("{} = None", pending(number)));
            let next = vec![
                Piece::Text(format!("{} = ", after(number))),
                Piece::State(done),
            ];
            self.flow.line(Line::new(0, origin, next));
            self.jump(label, at);
        }
    }

    pub fn close_cleanup(&mut self, cleanup: Option<Context>, done: Label, at: TextSize) {
        if let Some(Context::Cleanup(cleanup)) = cleanup {
            self.exits(cleanup, at);
        }
        self.place(done, at);
    }

    /// A `try` without its `finally`.
    fn handled(&mut self, stmt: &StmtTry) -> Result<(), Unsupported> {
        let at = stmt.start();
        let (otherwise, done) = (self.flow.label(), self.flow.label());
        let origin = self.origin(at);
        self.flow.open_region(origin);
        self.statements(&stmt.body)?;
        self.jump(otherwise, at);
        let mut tail = Vec::new();
        let mut cut = Vec::new();
        for handler in self.ordered(&stmt.handlers) {
            let name = handler.name.as_deref();
            let exits = is_exit(handler);
            if handler
                .type_
                .as_deref()
                .is_some_and(|kind| self.yields(kind))
            {
                return Err(self.unsupported("`yield` in an `except`", handler.start()));
            }
            if handler.body.iter().any(|stmt| self.is_cut(stmt)) {
                let label = self.flow.label();
                let number = self.number();
                self.keep(&caught(number));
                self.except(handler, Some("_mce_caught"), &mut tail)?;
                self.only_exit(exits, handler, &mut tail);
                let origin = self.origin(handler.start());
                let keep = format!("{} = _mce_caught", caught(number));
                tail.push(Line::text(1, origin, keep));
                if let Some(name) = name {
                    tail.push(Line::text(1, origin, format!("{name} = _mce_caught")));
                }
                tail.push(flow::state(1, origin, label));
                cut.push((handler, label, number));
            } else {
                let name = if exits { Some("_mce_caught") } else { name };
                self.except(handler, name, &mut tail)?;
                self.only_exit(exits, handler, &mut tail);
                self.contexts.push(Context::NativeHandler);
                for stmt in &handler.body {
                    self.edit(stmt)?;
                    self.lowering.statement(stmt, 1, &mut tail)?;
                }
                self.contexts.pop();
                if !handler.body.last().is_some_and(leaves) {
                    let origin = self.origin(handler.end());
                    tail.push(flow::state(1, origin, done));
                }
            }
        }
        self.flow.close_region(origin, tail);
        if self.flow.is_used(otherwise) {
            let origin = self.origin(at);
            self.flow.place(otherwise, origin);
            self.statements(&stmt.orelse)?;
            self.jump(done, stmt.end());
        }
        for (handler, label, number) in cut {
            self.flow.open_block(label);
            self.contexts.push(Context::Handler(number));
            self.statements(&handler.body)?;
            self.contexts.pop();
            if self.flow.is_live() {
                self.unbind(handler);
                self.jump(done, handler.end());
            }
        }
        self.place(done, stmt.end());
        Ok(())
    }

    /// The handlers in their order, but that of `GeneratorExit` last: it has to catch everything
    /// and let the rest through.
    fn ordered<'s>(
        &mut self,
        handlers: &'s [ExceptHandler],
    ) -> Vec<&'s ExceptHandlerExceptHandler> {
        let handlers: Vec<_> = handlers
            .iter()
            .map(|ExceptHandler::ExceptHandler(handler)| handler)
            .collect();
        let (exits, mut others): (Vec<_>, Vec<_>) = handlers
            .iter()
            .copied()
            .partition(|handler| is_exit(handler));
        let Some(exit) = exits.first() else {
            return others;
        };
        let everything = |handler: &&&ExceptHandlerExceptHandler| {
            handler.type_.as_deref().is_none_or(|kind| {
                !matches!(kind, Expr::Name(name) if name.id.ends_with("Error")
                    || matches!(name.id.as_str(), "Exception" | "StopIteration"))
            })
        };
        if exits.len() > 1 || exit.name.is_some() || others.iter().any(|other| everything(&other)) {
            return handlers;
        }
        if let Some(kind) = &exit.type_ {
            self.lowering.exits.remove(&kind.start());
        }
        others.push(exit);
        others
    }

    /// Lets everything but the stand-in of `GeneratorExit` through.
    fn only_exit(&self, exits: bool, handler: &ExceptHandlerExceptHandler, tail: &mut Vec<Line>) {
        if exits {
            let origin = self.origin(handler.start());
            let check = "if _mce_caught is not _mce_EXIT: raise";
            tail.push(Line::text(1, origin, check));
        }
    }

    /// Writes `except TYPE as NAME:`.
    fn except(
        &mut self,
        handler: &ExceptHandlerExceptHandler,
        name: Option<&str>,
        tail: &mut Vec<Line>,
    ) -> Result<(), Unsupported> {
        let origin = self.origin(handler.start());
        let after = name.map_or(":".to_owned(), |name| format!(" as {name}:"));
        if let Some(kind) = handler.type_.as_deref().filter(|_| !is_exit(handler)) {
            let lines = self.lowering.compose(
                0,
                handler.start(),
                vec!["except (".into()],
                kind.range(),
                vec![format!("){after}").into()],
            )?;
            tail.extend(lines);
        } else {
            let after = name.map_or(":".to_owned(), |name| format!(" BaseException as {name}:"));
            tail.push(Line::text(0, origin, format!("except{after}")));
        }
        Ok(())
    }

    /// Unbinds the name of an exception, as the end of a handler does. When the handler is left in
    /// another way the name stays bound, which only code that reads an unbound name can tell.
    fn unbind(&mut self, handler: &ExceptHandlerExceptHandler) {
        if let Some(name) = &handler.name {
            let at = handler.start();
            self.line(0, at, "try: raise _mce_EXIT");
            self.line(0, at, format!("except BaseException as {name}: pass"));
        }
    }

    pub fn with_statement(&mut self, stmt: &StmtWith) -> Result<(), Unsupported> {
        if stmt.is_async {
            return Err(self.unsupported("`async with` around a `yield`", stmt.start()));
        }
        self.with_items(&stmt.items, &stmt.body, stmt.range())
    }

    fn with_items(
        &mut self,
        items: &[WithItem],
        body: &[Stmt],
        range: TextRange,
    ) -> Result<(), Unsupported> {
        let Some((item, rest)) = items.split_first() else {
            return self.statements(body);
        };
        let at = item.start();
        let manager = self.temporary("manager");
        self.hoist(&item.context_expr, false)?;
        let expr = item.context_expr.range();
        self.around(0, format!("{manager} = _mce_manager(("), expr, "))")?;
        let entered = item
            .optional_vars
            .as_ref()
            .map(|_| self.temporary("entered"));
        let before = entered
            .as_ref()
            .map_or(String::new(), |name| format!("{name} = "));
        self.line(0, at, format!("{before}{manager}.__enter__()"));
        let (number, label, done) = self.open_cleanup(at);
        if let (Some(target), Some(entered)) = (&item.optional_vars, &entered) {
            self.assign(0, target, entered)?;
        }
        self.with_items(rest, body, range)?;
        self.finish_normally(number, label, done, range.end());
        let origin = self.origin(at);
        let exit = format!(
            "if not {manager}.__exit__(_mce_builtin_type(_mce_caught), _mce_caught, None): raise"
        );
        let tail = vec![
            Line::text(0, origin, "except BaseException as _mce_caught:"),
            Line::text(1, origin, exit),
            flow::state(1, origin, done),
        ];
        self.flow.close_region(origin, tail);
        let cleanup = self.contexts.pop();
        if self.flow.is_used(label) {
            self.flow.open_block(label);
            self.line(0, at, format!("{manager}.__exit__(None, None, None)"));
            self.line(0, at, format!("{STATE} = {}", after(number)));
            self.flow.end_block();
        }
        self.close_cleanup(cleanup, done, range.end());
        Ok(())
    }
}

fn is_exit(handler: &ExceptHandlerExceptHandler) -> bool {
    matches!(handler.type_.as_deref(), Some(Expr::Name(name)) if name.id == "GeneratorExit")
}

fn leaves(stmt: &Stmt) -> bool {
    matches!(
        stmt,
        Stmt::Return(_) | Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_)
    )
}
