//! What each function of a module yields and binds.

use std::collections::{BTreeMap, BTreeSet};

use crate::pysyntax::ast::visitor::{self, Visitor};
use crate::pysyntax::ast::{
    Comprehension, ExceptHandler, Expr, ExprContext, Pattern, Stmt, StmtFunctionDef,
};
use crate::pysyntax::{Ranged, TextRange, TextSize};

/// What matters of one generator function.
#[derive(Default)]
pub struct Generator {
    /// Where its own `yield`s start, in order.
    yields: Vec<TextSize>,
    /// Where its `return`s inside loops start, in order.
    returns_in_loops: Vec<TextSize>,
    pub has_yield_from: bool,
    /// Whether a `yield` stands inside a `try` or a `with`.
    pub has_regions: bool,
}

impl Generator {
    pub fn yields_in(&self, range: TextRange) -> bool {
        any_in(&self.yields, range)
    }

    pub fn returns_in_loop(&self, range: TextRange) -> bool {
        any_in(&self.returns_in_loops, range)
    }
}

/// Whether one of the sorted `offsets` lies in `range`.
pub fn any_in(offsets: &[TextSize], range: TextRange) -> bool {
    offsets
        .get(offsets.partition_point(|offset| *offset < range.start()))
        .is_some_and(|offset| *offset < range.end())
}

/// The generator functions of a module.
#[derive(Default)]
pub struct Generators {
    /// By the start of the definition.
    found: BTreeMap<TextSize, Generator>,
    starts: Vec<TextSize>,
    /// Where loops start that may run over a generator, in order.
    loops: Vec<TextSize>,
    /// A `yield` where none can be lowered: in a lambda, or outside of a function.
    pub misplaced: Option<TextSize>,
}

impl Generators {
    pub fn find(body: &[Stmt]) -> Self {
        let mut finder = Finder {
            generators: Self::default(),
            functions: Vec::new(),
            loops: 0,
        };
        finder.visit_body(body);
        let mut generators = finder.generators;
        generators.starts = generators.found.keys().copied().collect();
        generators
    }

    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    pub fn contains(&self, function: &StmtFunctionDef) -> bool {
        self.starts.binary_search(&function.start()).is_ok()
    }

    /// Hands out what was found of `function`, once.
    pub fn take(&mut self, function: &StmtFunctionDef) -> Generator {
        self.found.remove(&function.start()).unwrap_or_default()
    }

    /// Whether `range` holds a generator function, or a loop that is rewritten.
    pub fn changed_in(&self, range: TextRange) -> bool {
        any_in(&self.starts, range) || any_in(&self.loops, range)
    }

    /// Rewrites the loops that start at `loops`.
    pub fn rewrite_loops(&mut self, mut loops: Vec<TextSize>) {
        loops.sort_unstable();
        self.loops = loops;
    }

    pub fn is_rewritten(&self, start: TextSize) -> bool {
        self.loops.binary_search(&start).is_ok()
    }
}

struct Finder {
    generators: Generators,
    /// The functions around, each with what was found of it; `None` for what is no function.
    functions: Vec<Option<Generator>>,
    loops: usize,
}

impl Finder {
    fn yields_at(&mut self, at: TextSize, from: bool) {
        if let Some(Some(generator)) = self.functions.last_mut() {
            generator.yields.push(at);
            generator.has_yield_from |= from;
        } else {
            self.generators.misplaced.get_or_insert(at);
        }
    }

    fn own_yields(&self) -> usize {
        match self.functions.last() {
            Some(Some(generator)) => generator.yields.len(),
            _ => 0,
        }
    }

    fn body(&mut self, body: &[Stmt], function: Option<Generator>) -> Option<Generator> {
        let loops = std::mem::take(&mut self.loops);
        self.functions.push(function);
        self.visit_body(body);
        self.loops = loops;
        self.functions.pop().flatten()
    }
}

impl<'a> Visitor<'a> for Finder {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                for decorator in &function.decorator_list {
                    self.visit_decorator(decorator);
                }
                if let Some(parameters) = &function.type_params {
                    self.visit_type_params(parameters);
                }
                self.visit_parameters(&function.parameters);
                if let Some(returns) = &function.returns {
                    self.visit_annotation(returns);
                }
                let found = self.body(&function.body, Some(Generator::default()));
                if let Some(mut found) = found.filter(|found| !found.yields.is_empty()) {
                    // A `yield` around another was found after it.
                    found.yields.sort_unstable();
                    self.generators.found.insert(function.start(), found);
                }
            }
            Stmt::ClassDef(class) => {
                for decorator in &class.decorator_list {
                    self.visit_decorator(decorator);
                }
                if let Some(parameters) = &class.type_params {
                    self.visit_type_params(parameters);
                }
                if let Some(arguments) = &class.arguments {
                    self.visit_arguments(arguments);
                }
                self.body(&class.body, None);
            }
            Stmt::For(_) | Stmt::While(_) => {
                self.loops += 1;
                visitor::walk_stmt(self, stmt);
                self.loops -= 1;
            }
            Stmt::Try(_) | Stmt::With(_) => {
                let before = self.own_yields();
                visitor::walk_stmt(self, stmt);
                let inside = self.own_yields() > before;
                if let Some(Some(generator)) = self.functions.last_mut() {
                    generator.has_regions |= inside;
                }
            }
            Stmt::Return(value) => {
                if self.loops > 0
                    && let Some(Some(generator)) = self.functions.last_mut()
                {
                    generator.returns_in_loops.push(value.start());
                }
                visitor::walk_stmt(self, stmt);
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Yield(inner) => {
                visitor::walk_expr(self, expr);
                self.yields_at(inner.start(), false);
            }
            Expr::YieldFrom(inner) => {
                visitor::walk_expr(self, expr);
                self.yields_at(inner.start(), true);
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.visit_parameters(parameters);
                }
                self.functions.push(None);
                self.visit_expr(&lambda.body);
                self.functions.pop();
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}

/// The names that a function's body binds.
#[derive(Default)]
pub struct Bindings {
    pub bound: BTreeSet<String>,
    pub globals: BTreeSet<String>,
    pub nonlocals: BTreeSet<String>,
    /// How many comprehensions are around, whose targets are their own.
    comprehensions: usize,
}

impl Bindings {
    pub fn of(body: &[Stmt]) -> Self {
        let mut bindings = Self::default();
        bindings.visit_body(body);
        let Self {
            bound,
            globals,
            nonlocals,
            ..
        } = &mut bindings;
        bound.retain(|name| !globals.contains(name) && !nonlocals.contains(name));
        bindings
    }

    fn bind(&mut self, name: &str) {
        self.bound.insert(name.to_owned());
    }

    fn comprehension<'a>(&mut self, generators: &'a [Comprehension], results: &[&'a Expr]) {
        self.comprehensions += 1;
        for generator in generators {
            self.visit_comprehension(generator);
        }
        for result in results {
            self.visit_expr(result);
        }
        self.comprehensions -= 1;
    }
}

impl<'a> Visitor<'a> for Bindings {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                self.bind(&function.name);
                for decorator in &function.decorator_list {
                    self.visit_decorator(decorator);
                }
                self.visit_parameters(&function.parameters);
            }
            Stmt::ClassDef(class) => {
                self.bind(&class.name);
                for decorator in &class.decorator_list {
                    self.visit_decorator(decorator);
                }
                if let Some(arguments) = &class.arguments {
                    self.visit_arguments(arguments);
                }
            }
            Stmt::Global(global) => {
                self.globals
                    .extend(global.names.iter().map(ToString::to_string));
            }
            Stmt::Nonlocal(nonlocal) => {
                self.nonlocals
                    .extend(nonlocal.names.iter().map(ToString::to_string));
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let name = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.bind(name.split('.').next().unwrap_or_default());
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    self.bind(alias.asname.as_ref().unwrap_or(&alias.name));
                }
            }
            // Annotations of a function's variables are not evaluated.
            Stmt::AnnAssign(assign) => {
                self.visit_expr(&assign.target);
                if let Some(value) = &assign.value {
                    self.visit_expr(value);
                }
            }
            Stmt::TypeAlias(alias) => self.visit_expr(&alias.name),
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.bind(name);
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        match pattern {
            Pattern::MatchAs(inner) => inner.name.iter().for_each(|name| self.bind(name)),
            Pattern::MatchStar(inner) => inner.name.iter().for_each(|name| self.bind(name)),
            Pattern::MatchMapping(inner) => inner.rest.iter().for_each(|name| self.bind(name)),
            _ => {}
        }
        visitor::walk_pattern(self, pattern);
    }

    fn visit_annotation(&mut self, _: &'a Expr) {}

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => {
                if name.ctx != ExprContext::Load && self.comprehensions == 0 {
                    self.bind(&name.id);
                }
            }
            Expr::Named(named) => {
                if let Expr::Name(name) = &*named.target {
                    self.bind(&name.id);
                }
                self.visit_expr(&named.value);
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.visit_parameters(parameters);
                }
            }
            Expr::ListComp(inner) => self.comprehension(&inner.generators, &[&inner.elt]),
            Expr::SetComp(inner) => self.comprehension(&inner.generators, &[&inner.elt]),
            Expr::Generator(inner) => self.comprehension(&inner.generators, &[&inner.elt]),
            Expr::DictComp(inner) => {
                let mut results: Vec<&Expr> = inner.key.as_deref().into_iter().collect();
                results.push(&inner.value);
                self.comprehension(&inner.generators, &results);
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}
