//! Expressions that contain a `yield`: what is evaluated before it is kept in variables.

use crate::pysyntax::ast::{BoolOp, Expr, ExprBoolOp, ExprCall, ExprIf, ExprYield, ExprYieldFrom};
use crate::pysyntax::{Ranged, TextSize};

use super::Unsupported;
use super::body::Body;
use super::flow;

impl Body<'_, '_> {
    /// Writes everything of `expr` up to its last `yield` and lets a copy of its text stand for the
    /// rest. With `save` the whole value is kept in a variable.
    pub fn hoist(&mut self, expr: &Expr, save: bool) -> Result<(), Unsupported> {
        if !self.yields(expr) {
            return if save { self.save(expr) } else { Ok(()) };
        }
        match expr {
            Expr::Yield(inner) => {
                self.yield_value(inner)?;
                self.keep_result(expr, "_mce_sent", save);
                return Ok(());
            }
            Expr::YieldFrom(inner) => {
                self.yield_from(inner)?;
                self.keep_result(expr, "_mce_value.value", save);
                return Ok(());
            }
            Expr::BoolOp(inner) => return self.bool_operation(inner),
            Expr::If(inner) => return self.conditional(inner),
            _ => {}
        }
        let children = self.children(expr)?;
        let arguments = children.get(1..).unwrap_or_default();
        match expr {
            Expr::Call(call) if arguments.iter().any(|argument| self.yields(*argument)) => {
                self.hoist_callee(&call.func)?;
                self.hoist_all(arguments)?;
            }
            _ => self.hoist_all(&children)?,
        }
        if save { self.save(expr) } else { Ok(()) }
    }

    /// Hoists expressions that are evaluated one after the other.
    pub fn hoist_all(&mut self, parts: &[&Expr]) -> Result<(), Unsupported> {
        let last = parts.iter().rposition(|part| self.yields(*part));
        let Some(last) = last else { return Ok(()) };
        for (index, part) in parts.iter().enumerate().take(last + 1) {
            self.hoist(part, index < last)?;
        }
        Ok(())
    }

    /// Keeps what is called. The interpreter has no values for the methods of its own types, so of a
    /// method its object is kept. That the object has no such method is then noticed only after the
    /// `yield`, and that the method was replaced meanwhile is not.
    fn hoist_callee(&mut self, expr: &Expr) -> Result<(), Unsupported> {
        match expr {
            Expr::Attribute(attribute) => self.hoist(&attribute.value, true),
            _ => self.hoist(expr, true),
        }
    }

    /// Keeps the value of an expression in a variable that stands for it.
    fn save(&mut self, expr: &Expr) -> Result<(), Unsupported> {
        if expr.is_literal_expr() {
            return Ok(());
        }
        match expr {
            Expr::Starred(starred) => {
                let name = self.temporary("kept");
                self.around(0, format!("{name} = [*("), starred.value.range(), ")]")?;
                let edits = &mut self.lowering.edits;
                edits.replace(starred.value.range(), vec![name.into()]);
            }
            Expr::Slice(slice) => {
                for part in [&slice.lower, &slice.upper, &slice.step]
                    .into_iter()
                    .flatten()
                {
                    self.save(part)?;
                }
            }
            _ => {
                let name = self.temporary("kept");
                self.around(0, format!("{name} = ("), expr.range(), ")")?;
                let edits = &mut self.lowering.edits;
                edits.replace(expr.range(), vec![name.into()]);
            }
        }
        Ok(())
    }

    fn keep_result(&mut self, expr: &Expr, result: &str, save: bool) {
        let mut result = result.to_owned();
        if save {
            let name = self.temporary("kept");
            self.line(0, expr.start(), format!("{name} = {result}"));
            result = name;
        }
        let edits = &mut self.lowering.edits;
        edits.replace(expr.range(), vec![result.into()]);
    }

    pub fn yield_value(&mut self, expr: &ExprYield) -> Result<(), Unsupported> {
        if let Some(value) = &expr.value {
            self.check_value(value)?;
            self.hoist(value, false)?;
        }
        let resume = self.flow.label();
        let origin = self.origin(expr.start());
        self.flow.line(flow::state(0, origin, resume));
        match &expr.value {
            Some(value) => self.around(0, "return (", value.range(), ")")?,
            None => self.line(0, expr.start(), "return None"),
        }
        self.flow.end_block();
        self.flow.open_block(resume);
        if self.facts.has_regions || self.facts.has_yield_from {
            let check = "if _mce_thrown is not None: raise _mce_thrown";
            self.line(0, expr.start(), check);
        }
        Ok(())
    }

    /// Refuses a value that the parser takes and `CPython` does not.
    pub fn check_value(&self, value: &Expr) -> Result<(), Unsupported> {
        if value.is_starred_expr() {
            return Err(self.unsupported("a starred value outside of a tuple", value.start()));
        }
        Ok(())
    }

    pub fn yield_from(&mut self, expr: &ExprYieldFrom) -> Result<(), Unsupported> {
        if self.is_async {
            return Err(self.unsupported("`yield from` in an async generator", expr.start()));
        }
        self.hoist(&expr.value, false)?;
        let iterator = self.temporary("delegate");
        let at = expr.start();
        self.around(
            0,
            format!("{iterator} = _mce_builtin_iter(("),
            expr.value.range(),
            "))",
        )?;
        self.line(0, at, "_mce_sent = _mce_thrown = None");
        let resume = self.flow.label();
        let origin = self.origin(at);
        self.flow.place_head(resume, origin);
        self.line(
            0,
            at,
            format!(
                "_mce_value = {iterator}._mce_advance(_mce_sent, None) \
                 if _mce_thrown is None and type({iterator}) is _mce_Generator \
                 else _mce_delegate({iterator}, _mce_sent, _mce_thrown)"
            ),
        );
        self.line(
            0,
            at,
            "if _mce_builtin_type(_mce_value) is not _mce_Return:",
        );
        self.flow.line(flow::state(1, origin, resume));
        self.line(1, at, "return _mce_value");
        Ok(())
    }

    /// Evaluates the operands up to the one that decides.
    fn bool_operation(&mut self, expr: &ExprBoolOp) -> Result<(), Unsupported> {
        let result = self.temporary("kept");
        let end = self.flow.label();
        let test = match expr.op {
            BoolOp::And => format!("if not {result}:"),
            BoolOp::Or => format!("if {result}:"),
        };
        let last = expr.values.len().saturating_sub(1);
        for (index, value) in expr.values.iter().enumerate() {
            self.hoist(value, false)?;
            self.around(0, format!("{result} = ("), value.range(), ")")?;
            if index < last {
                self.line(0, value.start(), test.clone());
                self.branch(end, value.start());
            }
        }
        self.place(end, expr.end());
        let edits = &mut self.lowering.edits;
        edits.replace(expr.range(), vec![result.into()]);
        Ok(())
    }

    fn conditional(&mut self, expr: &ExprIf) -> Result<(), Unsupported> {
        let result = self.temporary("kept");
        let (other, end) = (self.flow.label(), self.flow.label());
        self.hoist(&expr.test, false)?;
        self.around(0, "if not (", expr.test.range(), "):")?;
        self.branch(other, expr.test.start());
        self.hoist(&expr.body, false)?;
        self.around(0, format!("{result} = ("), expr.body.range(), ")")?;
        self.jump(end, expr.body.start());
        self.place(other, expr.orelse.start());
        self.hoist(&expr.orelse, false)?;
        self.around(0, format!("{result} = ("), expr.orelse.range(), ")")?;
        self.place(end, expr.end());
        let edits = &mut self.lowering.edits;
        edits.replace(expr.range(), vec![result.into()]);
        Ok(())
    }

    /// The operands of an expression in the order in which they are evaluated.
    fn children<'e>(&self, expr: &'e Expr) -> Result<Vec<&'e Expr>, Unsupported> {
        let at = expr.start();
        Ok(match expr {
            Expr::Named(inner) => vec![&inner.value],
            Expr::BinOp(inner) => vec![&inner.left, &inner.right],
            Expr::UnaryOp(inner) => vec![&inner.operand],
            Expr::Await(inner) => vec![&inner.value],
            Expr::Attribute(inner) => vec![&inner.value],
            Expr::Starred(inner) => vec![&inner.value],
            Expr::Compare(inner) => {
                let later = inner.comparators.get(1..).unwrap_or_default();
                if later.iter().any(|operand| self.yields(operand)) {
                    return Err(self.unsupported("`yield` late in a chain of comparisons", at));
                }
                std::iter::once(&*inner.left)
                    .chain(&inner.comparators)
                    .collect()
            }
            Expr::Tuple(inner) => inner.elts.iter().collect(),
            Expr::List(inner) => inner.elts.iter().collect(),
            Expr::Set(inner) => inner.elts.iter().collect(),
            Expr::Dict(inner) => {
                if inner.items.iter().any(|item| item.key.is_none()) {
                    return Err(self.unsupported("`yield` beside `**`", at));
                }
                inner
                    .items
                    .iter()
                    .flat_map(|item| item.key.iter().chain(std::iter::once(&item.value)))
                    .collect()
            }
            Expr::Call(inner) => self.call(inner)?,
            Expr::Subscript(inner) => {
                let mut parts = vec![&*inner.value];
                match &*inner.slice {
                    Expr::Tuple(tuple) => parts.extend(&tuple.elts),
                    slice => parts.push(slice),
                }
                parts
            }
            Expr::Slice(inner) => [&inner.lower, &inner.upper, &inner.step]
                .into_iter()
                .flatten()
                .map(|part| &**part)
                .collect(),
            Expr::ListComp(inner) => vec![self.first_iterable(&inner.generators, at)?],
            Expr::SetComp(inner) => vec![self.first_iterable(&inner.generators, at)?],
            Expr::DictComp(inner) => vec![self.first_iterable(&inner.generators, at)?],
            Expr::Generator(inner) => vec![self.first_iterable(&inner.generators, at)?],
            _ => return Err(self.unsupported("`yield` in this expression", at)),
        })
    }

    fn call<'e>(&self, call: &'e ExprCall) -> Result<Vec<&'e Expr>, Unsupported> {
        let arguments = &call.arguments;
        let unpacked = arguments
            .keywords
            .iter()
            .any(|keyword| keyword.arg.is_none());
        let first = arguments.keywords.first().map(Ranged::start);
        let last = arguments.args.last().map(Ranged::start);
        if unpacked || first.zip(last).is_some_and(|(first, last)| first < last) {
            return Err(self.unsupported("`yield` beside unpacked keywords", call.start()));
        }
        Ok(std::iter::once(&*call.func)
            .chain(&arguments.args)
            .chain(arguments.keywords.iter().map(|keyword| &keyword.value))
            .collect())
    }

    /// The only part of a comprehension that its surroundings evaluate.
    fn first_iterable<'e>(
        &self,
        generators: &'e [crate::pysyntax::ast::Comprehension],
        at: TextSize,
    ) -> Result<&'e Expr, Unsupported> {
        generators
            .first()
            .map(|generator| &generator.iter)
            .filter(|iterable| self.yields(*iterable))
            .ok_or_else(|| self.unsupported("`yield` in a comprehension", at))
    }
}
