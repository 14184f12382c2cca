//! Errors that Python's compiler finds in a tree that parses: `return` outside a function, a name
//! used before its `global`, two parameters of one name. `await` at the top level is none: the
//! sandbox allows it.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use ruff_python_ast::statement_visitor::{self, StatementVisitor};
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Comprehension, Expr, ModModule, Parameters, PythonVersion, Stmt};
use ruff_python_parser::semantic_errors::{
    LazyImportContext, SemanticSyntaxChecker, SemanticSyntaxContext, SemanticSyntaxError,
};
use ruff_text_size::TextRange;

use super::TARGET;

/// Everything that is wrong with a module.
pub(super) fn errors(source: &str, module: &ModModule) -> Vec<SemanticSyntaxError> {
    let mut visitor = SemanticVisitor {
        checker: SemanticSyntaxChecker::new(),
        context: Context {
            source,
            errors: RefCell::default(),
            scopes: vec![Scope::new(ScopeKind::Module, &module.body, None)],
        },
    };
    visitor.visit_body(&module.body);
    visitor.context.errors.into_inner()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScopeKind {
    Module,
    Class,
    Function { is_async: bool },
    Lambda,
    Generator,
    Comprehension { is_async: bool },
}

struct Scope {
    kind: ScopeKind,
    /// Names that the scope declares `global`, and where.
    globals: HashMap<String, TextRange>,
    parameters: HashSet<String>,
    loops: usize,
}

impl Scope {
    fn new(kind: ScopeKind, body: &[Stmt], parameters: Option<&Parameters>) -> Self {
        let mut globals = Globals(HashMap::new());
        globals.visit_body(body);
        let parameters = parameters
            .into_iter()
            .flat_map(|parameters| parameters.iter());
        let parameters = parameters
            .map(|parameter| parameter.name().to_string())
            .collect();
        Self {
            kind,
            globals: globals.0,
            parameters,
            loops: 0,
        }
    }
}

/// Collects the `global` statements of one scope.
struct Globals(HashMap<String, TextRange>);

impl StatementVisitor<'_> for Globals {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Global(statement) => {
                for name in &statement.names {
                    self.0.entry(name.to_string()).or_insert(statement.range);
                }
            }
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            _ => statement_visitor::walk_stmt(self, stmt),
        }
    }
}

struct Context<'s> {
    source: &'s str,
    errors: RefCell<Vec<SemanticSyntaxError>>,
    scopes: Vec<Scope>,
}

impl Context<'_> {
    fn kinds(&self) -> impl Iterator<Item = ScopeKind> {
        self.scopes.iter().rev().map(|scope| scope.kind)
    }

    fn kind(&self) -> ScopeKind {
        self.kinds().next().unwrap_or(ScopeKind::Module)
    }
}

impl SemanticSyntaxContext for Context<'_> {
    fn future_annotations_or_stub(&self) -> bool {
        false
    }

    fn lazy_import_context(&self) -> Option<LazyImportContext> {
        None
    }

    fn python_version(&self) -> PythonVersion {
        TARGET
    }

    fn source(&self) -> &str {
        self.source
    }

    fn global(&self, name: &str) -> Option<TextRange> {
        self.scopes.last()?.globals.get(name).copied()
    }

    fn has_nonlocal_binding(&self, _name: &str) -> bool {
        // Only a pass that binds all names first could tell.
        true
    }

    fn in_async_context(&self) -> bool {
        for kind in self.kinds() {
            match kind {
                ScopeKind::Class | ScopeKind::Lambda => return false,
                ScopeKind::Function { is_async } => return is_async,
                ScopeKind::Module => return true,
                ScopeKind::Generator | ScopeKind::Comprehension { .. } => {}
            }
        }
        false
    }

    fn in_await_allowed_context(&self) -> bool {
        !self
            .kinds()
            .take_while(|kind| !matches!(kind, ScopeKind::Function { .. } | ScopeKind::Lambda))
            .any(|kind| kind == ScopeKind::Class)
    }

    fn in_yield_allowed_context(&self) -> bool {
        matches!(self.kind(), ScopeKind::Function { .. } | ScopeKind::Lambda)
    }

    fn in_sync_comprehension(&self) -> bool {
        self.kinds()
            .any(|kind| kind == ScopeKind::Comprehension { is_async: false })
    }

    fn in_class_body_comprehension(&self) -> bool {
        let within = |kind: &ScopeKind| {
            matches!(kind, ScopeKind::Generator | ScopeKind::Comprehension { .. })
        };
        self.kinds().find(|kind| !within(kind)) == Some(ScopeKind::Class)
    }

    fn in_module_scope(&self) -> bool {
        self.kind() == ScopeKind::Module
    }

    fn in_function_scope(&self) -> bool {
        matches!(self.kind(), ScopeKind::Function { .. } | ScopeKind::Lambda)
    }

    fn in_generator_context(&self) -> bool {
        self.kinds().any(|kind| kind == ScopeKind::Generator)
    }

    fn in_notebook(&self) -> bool {
        // A notebook, like the sandbox, has `await` at its top level.
        true
    }

    fn report_semantic_error(&self, error: SemanticSyntaxError) {
        self.errors.borrow_mut().push(error);
    }

    fn in_loop_context(&self) -> bool {
        self.scopes.last().is_some_and(|scope| scope.loops > 0)
    }

    fn is_bound_parameter(&self, name: &str) -> bool {
        self.scopes
            .last()
            .is_some_and(|scope| scope.parameters.contains(name))
    }
}

struct SemanticVisitor<'s> {
    checker: SemanticSyntaxChecker,
    context: Context<'s>,
}

impl SemanticVisitor<'_> {
    fn within(&mut self, scope: Scope, visit: impl FnOnce(&mut Self)) {
        self.context.scopes.push(scope);
        visit(self);
        self.context.scopes.pop();
    }

    fn visit_loop(&mut self, body: &[Stmt], orelse: &[Stmt]) {
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
        generators: &[Comprehension],
        elements: &[&Expr],
    ) {
        if let Some(first) = generators.first() {
            self.visit_expr(&first.iter);
        }
        self.within(Scope::new(kind, &[], None), |visitor| {
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

impl Visitor<'_> for SemanticVisitor<'_> {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        self.checker.visit_stmt(stmt, &self.context);
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

    fn visit_expr(&mut self, expr: &Expr) {
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
