//! What runs over iterables that may be generators.
//!
//! The interpreter cannot suspend itself for a call to the host while one of its own loops, such as
//! that of `list()`, drives an object of a class. So wherever a generator may be consumed, a
//! function of the runtime drives it instead; for anything else that function calls the builtin.

use std::collections::BTreeSet;

use crate::pysyntax::ast::token::TokenKind;
use crate::pysyntax::ast::visitor::{self, Visitor};
use crate::pysyntax::ast::{
    Comprehension, ExceptHandler, Expr, ExprCall, ExprContext, ExprList, ExprTuple,
    InterpolatedStringElement, Parameter, Stmt,
};
use crate::pysyntax::{Ranged, TextRange, TextSize};

use super::module::Lowering;

/// The builtins that the runtime has a function for.
const BUILTINS: [&str; 16] = [
    "list",
    "tuple",
    "set",
    "frozenset",
    "sorted",
    "sum",
    "min",
    "max",
    "any",
    "all",
    "dict",
    "next",
    "enumerate",
    "zip",
    "map",
    "filter",
];

/// Builtins and methods whose results are never generators.
const FINITE: [&str; 19] = [
    "range",
    "list",
    "tuple",
    "set",
    "frozenset",
    "sorted",
    "dict",
    "str",
    "reversed",
    "items",
    "keys",
    "values",
    "split",
    "splitlines",
    "bytes",
    "len",
    "findall",
    "copy",
    "rsplit",
];

impl Lowering<'_> {
    /// Prepares everything in a module that may consume a generator.
    pub fn consumers(&mut self, body: &[Stmt]) {
        let mut names = Names::default();
        names.visit_body(body);
        let mut consumers = Consumers {
            bound: names.bound,
            calls: Vec::new(),
            joins: Vec::new(),
            additions: Vec::new(),
            unpackings: Vec::new(),
            stars: Vec::new(),
            comprehensions: Vec::new(),
            loops: Vec::new(),
            stops: Vec::new(),
            values: Vec::new(),
            exits: BTreeSet::new(),
        };
        consumers.visit_body(body);
        self.exits = consumers.exits;
        for (range, name) in consumers.values {
            let value = format!("_mce_stop_value({name})");
            self.edits.replace(range, vec![value.into()]);
        }
        for (range, name) in consumers.calls {
            let name = format!("_mce_drive_{name}");
            self.edits.replace(range, vec![name.into()]);
        }
        let one = TextSize::new(1);
        for range in consumers.joins {
            let open = TextRange::at(range.start(), one);
            self.edits.replace(open, vec!["(_mce_collected(".into()]);
            let close = TextRange::new(range.end() - one, range.end());
            self.edits.replace(close, vec!["))".into()]);
        }
        for (range, receiver) in consumers.additions {
            let open = TextRange::at(range.start(), one);
            let before = format!("(_mce_added({receiver}, ");
            self.edits.replace(open, vec![before.into()]);
            let close = TextRange::new(range.end() - one, range.end());
            self.edits.replace(close, vec!["))".into()]);
        }
        for (range, value, count) in consumers.unpackings {
            if let Some(equal) = self.source.last_before(value, TokenKind::Equal) {
                self.edits.replace(equal, vec!["= _mce_unpacked(".into()]);
                self.edits.append(range, vec![format!(", {count})").into()]);
            }
        }
        for range in consumers.stars {
            let star = TextRange::at(range.start(), one);
            self.edits.replace(star, vec!["*_mce_collected(".into()]);
            self.edits.append(range, vec![")".into()]);
        }
        for (number, (whole, iterable)) in consumers.comprehensions.into_iter().enumerate() {
            self.comprehension(number, whole, iterable);
        }
        self.generators.rewrite_loops(consumers.loops);
    }

    /// Turns `for TARGET in ITERABLE` into `for SOURCE in _mce_sources(ITERABLE) if SOURCE.pull()
    /// for TARGET in SOURCE.items`: before each item of a generator a function is called.
    fn comprehension(&mut self, number: usize, whole: TextRange, iterable: TextRange) {
        let keyword = self.source.first_after(whole.start(), TokenKind::For);
        let within = self.source.last_before(iterable.start(), TokenKind::In);
        let (Some(keyword), Some(within)) = (keyword, within) else {
            return;
        };
        if within.start() < keyword.end() {
            return;
        }
        let target = self
            .source
            .slice(TextRange::new(keyword.end(), within.start()))
            .trim();
        if target.contains(['\n', '\\']) {
            return;
        }
        let source = format!("_mce_source{}", number + 1);
        let after = format!(") if {source}.pull() for {target} in {source}.items");
        let head = TextRange::new(keyword.end(), within.end());
        let end = self.source.with_parentheses(iterable, whole).end();
        self.edits
            .replace(head, vec![format!(" {source} in _mce_sources(").into()]);
        self.edits
            .append(TextRange::new(whole.start(), end), vec![after.into()]);
    }
}

/// All names that a module binds anywhere.
#[derive(Default)]
struct Names {
    bound: BTreeSet<String>,
}

impl<'a> Visitor<'a> for Names {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(inner) => {
                self.bound.insert(inner.name.to_string());
            }
            Stmt::ClassDef(inner) => {
                self.bound.insert(inner.name.to_string());
            }
            Stmt::Import(inner) => self.bound.extend(
                inner
                    .names
                    .iter()
                    .map(|alias| alias.asname.as_ref().unwrap_or(&alias.name).to_string()),
            ),
            Stmt::ImportFrom(inner) => self.bound.extend(
                inner
                    .names
                    .iter()
                    .map(|alias| alias.asname.as_ref().unwrap_or(&alias.name).to_string()),
            ),
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr
            && name.ctx != ExprContext::Load
        {
            self.bound.insert(name.id.to_string());
        }
        visitor::walk_expr(self, expr);
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.bound.insert(parameter.name.to_string());
        visitor::walk_parameter(self, parameter);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        self.bound
            .extend(inner.name.iter().map(ToString::to_string));
        visitor::walk_except_handler(self, handler);
    }
}

/// Finds what may consume generators.
struct Consumers {
    bound: BTreeSet<String>,
    /// The names of builtins that are called.
    calls: Vec<(TextRange, String)>,
    /// The arguments of `join`.
    joins: Vec<TextRange>,
    /// The arguments of `extend` and `update`, and the variable whose method it is.
    additions: Vec<(TextRange, String)>,
    /// Assignments to several targets, where their values start, and how many values they take.
    unpackings: Vec<(TextRange, TextSize, String)>,
    stars: Vec<TextRange>,
    /// Clauses of comprehensions and their iterables.
    comprehensions: Vec<(TextRange, TextRange)>,
    loops: Vec<TextSize>,
    /// The names of `StopIteration`s that are handled around.
    stops: Vec<String>,
    /// Reads of their `value`s.
    values: Vec<(TextRange, String)>,
    /// Where `GeneratorExit` is mentioned.
    exits: BTreeSet<TextSize>,
}

impl Consumers {
    fn call(&mut self, call: &ExprCall) {
        let Some(first) = call.arguments.args.first() else {
            return;
        };
        match &*call.func {
            Expr::Name(name)
                if BUILTINS.contains(&name.id.as_str())
                    && !self.bound.contains(name.id.as_str())
                    && call.arguments.args.iter().any(may_generate) =>
            {
                self.calls.push((name.range(), name.id.to_string()));
            }
            Expr::Attribute(attribute)
                if &*attribute.attr == "join"
                    && call.arguments.len() == 1
                    && may_generate(first)
                    && !first.is_starred_expr() =>
            {
                self.joins.push(call.arguments.range());
            }
            Expr::Attribute(attribute)
                if matches!(&*attribute.attr, "extend" | "update")
                    && call.arguments.len() == 1
                    && may_generate(first)
                    && !first.is_starred_expr() =>
            {
                if let Expr::Name(name) = &*attribute.value {
                    self.additions
                        .push((call.arguments.range(), name.id.to_string()));
                }
            }
            _ => {}
        }
    }
}

impl<'a> Visitor<'a> for Consumers {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if let Stmt::For(inner) = stmt
            && !inner.is_async
            && may_generate(&inner.iter)
        {
            self.loops.push(inner.start());
        }
        if let Stmt::Assign(inner) = stmt
            && let [Expr::Tuple(ExprTuple { elts, .. }) | Expr::List(ExprList { elts, .. })] =
                inner.targets.as_slice()
            && (inner.value.is_call_expr() || inner.value.is_name_expr())
            && may_generate(&inner.value)
        {
            let count = if elts.iter().any(Expr::is_starred_expr) {
                "None".to_owned()
            } else {
                elts.len().to_string()
            };
            self.unpackings
                .push((inner.range(), inner.value.start(), count));
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_annotation(&mut self, _: &'a Expr) {}

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        let stop = match (inner.type_.as_deref(), &inner.name) {
            (Some(Expr::Name(kind)), Some(name)) if kind.id == "StopIteration" => Some(name),
            _ => None,
        };
        let depth = self.stops.len();
        self.stops.extend(stop.map(ToString::to_string));
        visitor::walk_except_handler(self, handler);
        self.stops.truncate(depth);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Call(call) => self.call(call),
            Expr::Name(name) if name.id == "GeneratorExit" => {
                self.exits.insert(name.start());
            }
            Expr::Attribute(attribute) if &*attribute.attr == "value" => {
                if let Expr::Name(name) = &*attribute.value
                    && self.stops.iter().any(|stop| *stop == name.id.as_str())
                {
                    self.values.push((attribute.range(), name.id.to_string()));
                }
            }
            Expr::Starred(starred)
                if starred.ctx == ExprContext::Load && may_generate(&starred.value) =>
            {
                self.stars.push(starred.range());
            }
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }

    fn visit_interpolated_string_element(&mut self, element: &'a InterpolatedStringElement) {
        // `{value=}` shows its own text.
        if element
            .as_interpolation()
            .is_none_or(|inner| inner.debug_text.is_none())
        {
            visitor::walk_interpolated_string_element(self, element);
        }
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        if !comprehension.is_async && may_generate(&comprehension.iter) {
            self.comprehensions
                .push((comprehension.range(), comprehension.iter.range()));
        }
        visitor::walk_comprehension(self, comprehension);
    }
}

/// Whether an expression's value may be a generator.
fn may_generate(expr: &Expr) -> bool {
    match expr {
        Expr::Call(call) => match &*call.func {
            Expr::Name(name) => !FINITE.contains(&name.id.as_str()),
            Expr::Attribute(attribute) => !FINITE.contains(&attribute.attr.as_str()),
            _ => true,
        },
        Expr::Name(_)
        | Expr::Attribute(_)
        | Expr::Subscript(_)
        | Expr::If(_)
        | Expr::BoolOp(_)
        | Expr::Named(_)
        | Expr::Await(_)
        | Expr::Yield(_)
        | Expr::YieldFrom(_)
        | Expr::Starred(_) => true,
        _ => false,
    }
}
