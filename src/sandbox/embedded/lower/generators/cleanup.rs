//! Generators that have something to clean up when they are left early.
//!
//! `CPython` closes a generator as soon as nothing refers to it, which runs its `finally` clauses
//! and the exits of its `with` statements. The interpreter never does that by itself. So a
//! generator with such code around a `yield` is supported only where it is plain when it ends: a
//! `for` loop over a call closes it, `list()` and the like exhaust it, `yield from` hands it on.

use std::collections::{BTreeMap, BTreeSet};

use crate::pysyntax::ast::visitor::{self, Visitor};
use crate::pysyntax::ast::{ExceptHandler, Expr, ExprCall, Stmt, StmtFunctionDef, StmtTry};
use crate::pysyntax::{Ranged, TextSize};

use super::Unsupported;
use super::scope::Generators;
use super::source::Source;

/// How a generator function is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Called for the iterable of the loop that starts here.
    Loop(TextSize),
    /// Called and consumed, handed on, or closed.
    Whole,
    Other,
}

struct Reference {
    name: String,
    at: TextSize,
    used: Use,
    /// The generator function around.
    within: Option<String>,
}

/// The starts of the loops that have to close what they run over.
///
/// # Errors
/// A use of a generator with cleanup of which the end is not known.
pub fn closing_loops(
    source: &Source<'_>,
    generators: &Generators,
    body: &[Stmt],
) -> Result<BTreeSet<TextSize>, Unsupported> {
    let mut definitions = Definitions {
        generators,
        functions: Vec::new(),
        names: BTreeSet::new(),
        cleaning: BTreeMap::new(),
        protected: 0,
    };
    definitions.visit_body(body);
    let mut references = References {
        generators,
        names: definitions.names,
        functions: Vec::new(),
        closed: Vec::new(),
        found: Vec::new(),
    };
    references.visit_body(body);

    let mut cleaning = definitions.cleaning;
    let mut users: BTreeMap<&str, Vec<&Reference>> = BTreeMap::new();
    for reference in &references.found {
        users.entry(&reference.name).or_default().push(reference);
    }
    let mut pending: Vec<String> = cleaning.keys().cloned().collect();
    let mut loops = BTreeSet::new();
    while let Some(name) = pending.pop() {
        let at = cleaning.get(&name).copied().unwrap_or_default();
        let feature = || {
            format!(
                "`{name}`, a generator with cleanup around a `yield`, used other than in \
                 `for ... in {name}(...)`, `list({name}(...))` or `yield from {name}(...)`,"
            )
        };
        if name.starts_with("__") && name.ends_with("__") {
            return Err(source.unsupported(feature(), at));
        }
        for reference in users.get(name.as_str()).into_iter().flatten() {
            match reference.used {
                Use::Loop(start) => {
                    loops.insert(start);
                }
                Use::Whole => {}
                Use::Other => return Err(source.unsupported(feature(), reference.at)),
            }
            if let Some(around) = &reference.within
                && !cleaning.contains_key(around)
            {
                cleaning.insert(around.clone(), reference.at);
                pending.push(around.clone());
            }
        }
    }
    Ok(loops)
}

/// Whether a decorator makes a context manager, which always ends its generator.
pub fn is_context_manager(function: &StmtFunctionDef) -> bool {
    function.decorator_list.iter().any(|decorator| {
        let name = match &decorator.expression {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            _ => "",
        };
        name.ends_with("contextmanager")
    })
}

/// Finds the generator functions, and which of them clean up.
struct Definitions<'g> {
    generators: &'g Generators,
    /// The functions around: the name of a generator function that is no context manager.
    functions: Vec<Option<String>>,
    names: BTreeSet<String>,
    /// By name, where the `yield` is.
    cleaning: BTreeMap<String, TextSize>,
    /// How many statements around would run code if the generator was closed.
    protected: usize,
}

impl<'a> Visitor<'a> for Definitions<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                let is_generator = self.generators.contains(function);
                let name = (is_generator && !is_context_manager(function))
                    .then(|| function.name.to_string());
                self.names.extend(name.clone());
                self.functions.push(name);
                let protected = std::mem::take(&mut self.protected);
                visitor::walk_stmt(self, stmt);
                self.protected = protected;
                self.functions.pop();
            }
            Stmt::ClassDef(_) => {
                self.functions.push(None);
                visitor::walk_stmt(self, stmt);
                self.functions.pop();
            }
            Stmt::With(inner) => {
                for item in &inner.items {
                    self.visit_with_item(item);
                    // The managers before are left as well.
                    self.protected += 1;
                }
                self.visit_body(&inner.body);
                self.protected -= inner.items.len();
            }
            Stmt::Try(inner) => {
                let whole = usize::from(!inner.finalbody.is_empty());
                let caught = usize::from(catches_everything(inner));
                self.protected += whole + caught;
                self.visit_body(&inner.body);
                self.protected -= caught;
                for handler in &inner.handlers {
                    self.visit_except_handler(handler);
                }
                self.visit_body(&inner.orelse);
                self.protected -= whole;
                self.visit_body(&inner.finalbody);
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if matches!(expr, Expr::Yield(_) | Expr::YieldFrom(_))
            && self.protected > 0
            && let Some(Some(name)) = self.functions.last()
        {
            self.cleaning.entry(name.clone()).or_insert(expr.start());
        }
        visitor::walk_expr(self, expr);
    }
}

/// Whether a handler catches what closing a generator raises in it.
fn catches_everything(stmt: &StmtTry) -> bool {
    stmt.handlers.iter().any(|handler| {
        let ExceptHandler::ExceptHandler(handler) = handler;
        handler.type_.as_deref().is_none_or(may_catch_exit)
    })
}

fn may_catch_exit(kind: &Expr) -> bool {
    match kind {
        Expr::Name(name) => matches!(name.id.as_str(), "BaseException" | "GeneratorExit"),
        Expr::Tuple(tuple) => tuple.elts.iter().any(may_catch_exit),
        _ => false,
    }
}

/// Finds how generator functions are used.
struct References<'g> {
    generators: &'g Generators,
    names: BTreeSet<String>,
    functions: Vec<Option<String>>,
    /// For each suite around, the variables that a statement of it closes.
    closed: Vec<BTreeSet<String>>,
    found: Vec<Reference>,
}

impl References<'_> {
    fn add(&mut self, name: &str, at: TextSize, used: Use) {
        if self.names.contains(name) {
            self.found.push(Reference {
                name: name.to_owned(),
                at,
                used,
                within: self.functions.last().cloned().flatten(),
            });
        }
    }

    /// Notes a call of a generator function that is used as said, if `expr` is one.
    fn called(&mut self, expr: &Expr, used: Use) -> bool {
        let Expr::Call(call) = expr else { return false };
        let Some(name) = callee(call).filter(|name| self.names.contains(*name)) else {
            return false;
        };
        self.add(name, call.start(), used);
        if let Expr::Attribute(attribute) = &*call.func {
            self.visit_expr(&attribute.value);
        }
        self.visit_arguments(&call.arguments);
        true
    }

    fn suite(&mut self, body: &[Stmt]) {
        let closed = body.iter().filter_map(closed_variable).collect();
        self.closed.push(closed);
        for stmt in body {
            self.visit_stmt(stmt);
        }
        self.closed.pop();
    }
}

fn callee(call: &ExprCall) -> Option<&str> {
    match &*call.func {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}

/// The variable that `stmt` closes.
fn closed_variable(stmt: &Stmt) -> Option<String> {
    let Stmt::Expr(inner) = stmt else { return None };
    let Expr::Call(call) = &*inner.value else {
        return None;
    };
    let Expr::Attribute(attribute) = &*call.func else {
        return None;
    };
    let Expr::Name(name) = &*attribute.value else {
        return None;
    };
    (&*attribute.attr == "close").then(|| name.id.to_string())
}

impl<'a> Visitor<'a> for References<'_> {
    fn visit_body(&mut self, body: &'a [Stmt]) {
        self.suite(body);
    }

    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                for decorator in &function.decorator_list {
                    self.visit_decorator(decorator);
                }
                self.visit_parameters(&function.parameters);
                let is_generator = self.generators.contains(function);
                let name = (is_generator && !is_context_manager(function))
                    .then(|| function.name.to_string());
                self.functions.push(name);
                self.visit_body(&function.body);
                self.functions.pop();
            }
            Stmt::For(inner) if !inner.is_async => {
                let direct = match &*inner.iter {
                    Expr::Call(call) if callee(call) == Some("enumerate") => {
                        call.arguments.args.first().unwrap_or(&inner.iter)
                    }
                    other => other,
                };
                if !self.called(direct, Use::Loop(inner.start())) {
                    self.visit_expr(&inner.iter);
                }
                self.visit_expr(&inner.target);
                self.visit_body(&inner.body);
                self.visit_body(&inner.orelse);
            }
            Stmt::Assign(inner) => {
                let closed = match inner.targets.as_slice() {
                    [Expr::Name(name)] => self
                        .closed
                        .last()
                        .is_some_and(|closed| closed.contains(name.id.as_str())),
                    _ => false,
                };
                if !closed || !self.called(&inner.value, Use::Whole) {
                    visitor::walk_stmt(self, stmt);
                }
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_annotation(&mut self, _: &'a Expr) {}

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::YieldFrom(inner) => {
                if !self.called(&inner.value, Use::Whole) {
                    visitor::walk_expr(self, expr);
                }
            }
            Expr::Call(call) => {
                let consumes = matches!(callee(call), Some("list" | "tuple" | "sorted" | "join"));
                let first = call.arguments.args.first();
                if let Some(first) = first.filter(|_| consumes)
                    && self.called(first, Use::Whole)
                {
                    self.visit_expr(&call.func);
                    for keyword in &call.arguments.keywords {
                        self.visit_keyword(keyword);
                    }
                    return;
                }
                visitor::walk_expr(self, expr);
            }
            Expr::Name(name) if name.ctx.is_load() => {
                self.add(&name.id, name.start(), Use::Other);
            }
            Expr::Attribute(attribute) => {
                self.add(&attribute.attr, attribute.start(), Use::Other);
                visitor::walk_expr(self, expr);
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}
