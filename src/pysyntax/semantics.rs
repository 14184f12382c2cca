//! Errors that Python's compiler finds in a tree that parses: `return` outside a function, a name
//! used before its `global`, two parameters of one name, blocks nested too deep. `await` at the top
//! level is none: the sandbox allows it.

mod blocks;
mod forms;
mod scopes;

use std::cell::RefCell;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    Comprehension, ExceptHandler, Expr, ExprNamed, Identifier, ModModule, Parameters, Pattern,
    Stmt, TypeParam,
};
use ruff_python_parser::semantic_errors::SemanticSyntaxChecker;
use ruff_text_size::{Ranged, TextRange};
use rustc_hash::FxHashSet as HashSet;

use super::SyntaxError;
use scopes::{Context, Scope, ScopeKind};

/// Everything that is wrong with a module.
pub(super) fn errors(source: &str, module: &ModModule) -> Vec<SyntaxError> {
    let mut visitor = SemanticVisitor {
        checker: SemanticSyntaxChecker::new(),
        context: Context {
            source,
            errors: RefCell::default(),
            scopes: vec![Scope::new(ScopeKind::Module, &module.body, None)],
        },
        indents: 0,
        indentation: None,
        finallys: 0,
        stars: HashSet::default(),
        errors: Vec::new(),
    };
    visitor.check_docstring(&module.body);
    visitor.visit_body(&module.body);
    let semantic = visitor.context.errors.into_inner().into_iter();
    let mut errors = visitor.errors;
    errors.extend(semantic.map(|error| SyntaxError {
        range: error.range,
        message: error.to_string(),
        too_deep: false,
    }));
    errors
}

struct SemanticVisitor<'a> {
    checker: SemanticSyntaxChecker,
    context: Context<'a>,
    /// How many statements with blocks are around.
    indents: usize,
    /// How many `try` with a `finally` are around.
    finallys: usize,
    /// What the lines begin with that are indented.
    indentation: Option<u8>,
    /// Where `*x` may stand.
    stars: HashSet<TextRange>,
    errors: Vec<SyntaxError>,
}

impl<'a> SemanticVisitor<'a> {
    /// A name is used or bound in the innermost scope.
    fn note_use(&mut self, name: &str) {
        if let Some(scope) = self.context.scopes.last_mut()
            && let Some(used) = scope.declared.get_mut(name)
        {
            *used = true;
        }
    }

    /// Whether the innermost scope declares a name `global` or `nonlocal`.
    fn is_declared(&self, name: &str) -> bool {
        let scope = self.context.scopes.last();
        scope.is_some_and(|scope| scope.declared.contains_key(name))
    }

    /// `:=` in a comprehension binds a name of the scope around it.
    fn note_walrus(&mut self, named: &ExprNamed) {
        let Expr::Name(name) = &*named.target else {
            return;
        };
        let outer = self.context.scopes.iter_mut().rev().find(|scope| {
            !matches!(
                scope.kind,
                ScopeKind::Generator | ScopeKind::Comprehension { .. }
            )
        });
        if let Some(used) = outer.and_then(|scope| scope.declared.get_mut(name.id.as_str())) {
            *used = true;
        }
    }

    fn error(&mut self, range: TextRange, message: impl Into<String>) {
        self.errors.push(SyntaxError {
            range,
            message: message.into(),
            too_deep: false,
        });
    }

    /// Notes what a statement binds, and looks for names declared after their use.
    fn note_names(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                self.note_use(&function.name);
                self.check_docstring(&function.body);
            }
            Stmt::ClassDef(class) => {
                self.note_use(&class.name);
                self.check_docstring(&class.body);
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let root = alias.name.split('.').next().unwrap_or(&alias.name);
                    self.note_use(alias.asname.as_ref().map_or(root, |name| name.as_str()));
                }
            }
            Stmt::ImportFrom(import) => {
                for alias in &import.names {
                    self.note_use(alias.asname.as_ref().unwrap_or(&alias.name));
                }
            }
            Stmt::Try(statement) => self.check_try(statement),
            Stmt::Nonlocal(statement) => self.check_declared(&statement.names),
            Stmt::Global(statement) => self.check_declared(&statement.names),
            // `x[*y]: int` is one of the few subscripts that may hold no star.
            Stmt::AnnAssign(assign) => {
                if let Expr::Name(name) = &*assign.target
                    && self.is_declared(&name.id)
                {
                    let message =
                        format!("annotated name `{}` may not be declared elsewhere", name.id);
                    self.error(assign.target.range(), message);
                }
                if assign.value.is_none()
                    && let Expr::Subscript(subscript) = &*assign.target
                    && let Expr::Tuple(tuple) = &*subscript.slice
                    && let Some(starred) = tuple.elts.iter().find(|item| item.is_starred_expr())
                {
                    self.error(starred.range(), "a starred expression may not stand here");
                }
            }
            _ => {}
        }
    }

    fn check_declared(&mut self, names: &[Identifier]) {
        for name in names {
            let scope = self.context.scopes.last();
            let late = scope.is_some_and(|scope| {
                scope.parameters.contains(name.as_str())
                    || scope.declared.get(name.as_str()) == Some(&true)
            });
            if late {
                let message = format!("name `{name}` is used prior to its declaration");
                self.error(name.range, message);
            }
        }
    }

    fn within(&mut self, scope: Scope<'a>, visit: impl FnOnce(&mut Self)) {
        self.context.scopes.push(scope);
        visit(self);
        self.context.scopes.pop();
    }

    fn visit_loop(&mut self, body: &'a [Stmt], orelse: &'a [Stmt]) {
        if let Some(scope) = self.context.scopes.last_mut() {
            scope.loops += 1;
        }
        self.visit_body(body);
        if let Some(scope) = self.context.scopes.last_mut() {
            scope.loops -= 1;
        }
        self.visit_body(orelse);
    }

    fn visit_generators(
        &mut self,
        kind: ScopeKind,
        generators: &'a [Comprehension],
        elements: &[&'a Expr],
    ) {
        if let Some(first) = generators.first() {
            self.visit_expr(&first.iter);
        }
        let mut scope = Scope::new(kind, &[], None);
        scope.blocks = self.blocks_within(kind, generators);
        self.within(scope, |visitor| {
            for (index, generator) in generators.iter().enumerate() {
                if index > 0 {
                    visitor.visit_expr(&generator.iter);
                }
                visitor.visit_expr(&generator.target);
                generator
                    .ifs
                    .iter()
                    .for_each(|condition| visitor.visit_expr(condition));
            }
            for element in elements {
                visitor.visit_expr(element);
            }
        });
    }
}

impl<'a> Visitor<'a> for SemanticVisitor<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if self.has_too_many_type_parameters(stmt) {
            return;
        }
        self.checker.visit_stmt(stmt, &self.context);
        self.check_indentation(stmt);
        self.note_names(stmt);
        self.within_limits(stmt, |visitor| visitor.walk_stmt(stmt));
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        self.walk_expr(expr);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        self.check_pattern(pattern);
        let captured = match pattern {
            Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = captured {
            self.note_use(name);
        }
        visitor::walk_pattern(self, pattern);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.note_use(name);
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_parameters(&mut self, parameters: &'a Parameters) {
        let packed = parameters.vararg.as_ref();
        let annotation = packed.and_then(|parameter| parameter.annotation.as_deref());
        self.stars.extend(annotation.map(Ranged::range));
        visitor::walk_parameters(self, parameters);
    }

    fn visit_type_param(&mut self, parameter: &'a TypeParam) {
        self.stars.extend(parameter.default().map(Ranged::range));
        visitor::walk_type_param(self, parameter);
    }
}

impl<'a> SemanticVisitor<'a> {
    fn walk_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                function
                    .decorator_list
                    .iter()
                    .for_each(|item| self.visit_decorator(item));
                if let Some(parameters) = &function.type_params {
                    self.visit_type_params(parameters);
                }
                self.visit_parameters(&function.parameters);
                if let Some(returns) = &function.returns {
                    self.visit_annotation(returns);
                }
                let kind = ScopeKind::Function {
                    is_async: function.is_async,
                };
                let scope = Scope::new(kind, &function.body, Some(&function.parameters));
                self.within(scope, |visitor| visitor.visit_body(&function.body));
            }
            Stmt::ClassDef(class) => {
                class
                    .decorator_list
                    .iter()
                    .for_each(|item| self.visit_decorator(item));
                if let Some(parameters) = &class.type_params {
                    self.visit_type_params(parameters);
                }
                if let Some(arguments) = &class.arguments {
                    let starred = arguments.args.iter().filter(|it| it.is_starred_expr());
                    self.stars.extend(starred.map(Ranged::range));
                    self.visit_arguments(arguments);
                }
                let scope = Scope::new(ScopeKind::Class, &class.body, None);
                self.within(scope, |visitor| visitor.visit_body(&class.body));
            }
            Stmt::For(statement) => {
                self.visit_expr(&statement.iter);
                self.visit_expr(&statement.target);
                self.visit_loop(&statement.body, &statement.orelse);
            }
            Stmt::While(statement) => {
                self.visit_expr(&statement.test);
                self.visit_loop(&statement.body, &statement.orelse);
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn walk_expr(&mut self, expr: &'a Expr) {
        self.check_star(expr);
        self.check_operands(expr);
        match expr {
            Expr::FString(text) => self.check_specifications(text),
            Expr::NumberLiteral(number) => self.check_number(number.range),
            Expr::Named(named) => {
                self.check_target(named);
                self.note_walrus(named);
            }
            _ => {}
        }
        if let Expr::Name(name) = expr {
            self.note_use(&name.id);
        }
        self.checker.visit_expr(expr, &self.context);
        let comprehension = |generators: &[Comprehension]| ScopeKind::Comprehension {
            is_async: generators.iter().any(|generator| generator.is_async),
        };
        match expr {
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.visit_parameters(parameters);
                }
                let scope = Scope::new(ScopeKind::Lambda, &[], lambda.parameters.as_deref());
                self.within(scope, |visitor| visitor.visit_expr(&lambda.body));
            }
            Expr::Generator(inner) => {
                self.visit_generators(ScopeKind::Generator, &inner.generators, &[&inner.elt]);
            }
            Expr::ListComp(inner) => {
                let kind = comprehension(&inner.generators);
                self.visit_generators(kind, &inner.generators, &[&inner.elt]);
            }
            Expr::SetComp(inner) => {
                let kind = comprehension(&inner.generators);
                self.visit_generators(kind, &inner.generators, &[&inner.elt]);
            }
            Expr::DictComp(inner) => {
                let kind = comprehension(&inner.generators);
                let key = inner.key.as_deref();
                let elements: Vec<&Expr> = key.into_iter().chain([&*inner.value]).collect();
                self.visit_generators(kind, &inner.generators, &elements);
            }
            _ => visitor::walk_expr(self, expr),
        }
    }
}
