//! Errors that Python's compiler finds in a tree that parses: `return` outside a function, a name
//! used before its `global`, two parameters of one name, blocks nested too deep. `await` at the top
//! level is none: the sandbox allows it.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use ruff_python_ast::statement_visitor::{self, StatementVisitor};
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    Comprehension, ExceptHandler, Expr, ExprNamed, Identifier, ModModule, Parameters, Pattern,
    PythonVersion, Stmt, TypeParam,
};
use ruff_python_parser::semantic_errors::{
    LazyImportContext, SemanticSyntaxChecker, SemanticSyntaxContext, SemanticSyntaxError,
};
use ruff_text_size::{Ranged, TextRange};

use super::{SyntaxError, TARGET};

mod forms;

/// How deep loops, `with`, `try` and comprehensions may stand in each other in one function.
///
/// `CPython` 3.13 has room for 21 (`CO_MAXBLOCKS`), of which a `try` takes two; with comprehensions
/// more it does not refuse but reads beyond the end of an array and crashes.
const MAX_BLOCKS: usize = 18;

/// How deep `finally` may stand in each other. `CPython` copies its block to every way out of the
/// `try`, and what is in the block with it.
const MAX_FINALLY: usize = 4;

/// How many type parameters one list may have: each is compared with each.
const MAX_TYPE_PARAMETERS: usize = 100;

/// How deep blocks may be indented: `MAXINDENT` of `CPython`, less the outermost level.
const MAX_INDENTS: usize = 98;

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
        stars: HashSet::new(),
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
    /// Names that the scope declares `global` or `nonlocal`, and whether they were used already.
    declared: HashMap<String, bool>,
    parameters: HashSet<String>,
    loops: usize,
    /// How many blocks are around in the same function.
    blocks: usize,
}

impl Scope {
    fn new(kind: ScopeKind, body: &[Stmt], parameters: Option<&Parameters>) -> Self {
        let mut declared = Declared::default();
        declared.visit_body(body);
        let parameters = parameters
            .into_iter()
            .flat_map(|parameters| parameters.iter());
        let parameters = parameters
            .map(|parameter| parameter.name().to_string())
            .collect();
        Self {
            kind,
            globals: declared.globals,
            declared: declared.all,
            parameters,
            loops: 0,
            blocks: 0,
        }
    }
}

/// Collects the `global` and `nonlocal` statements of one scope.
#[derive(Default)]
struct Declared {
    globals: HashMap<String, TextRange>,
    all: HashMap<String, bool>,
}

impl StatementVisitor<'_> for Declared {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Global(statement) => {
                for name in &statement.names {
                    let entry = self.globals.entry(name.to_string());
                    entry.or_insert(statement.range);
                    self.all.insert(name.to_string(), false);
                }
            }
            Stmt::Nonlocal(statement) => {
                let names = statement.names.iter();
                self.all.extend(names.map(|name| (name.to_string(), false)));
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
    /// How many statements with blocks are around.
    indents: usize,
    /// How many `try` with a `finally` are around.
    finallys: usize,
    /// What the lines begin with that are indented.
    indentation: Option<char>,
    /// Where `*x` may stand.
    stars: HashSet<TextRange>,
    errors: Vec<SyntaxError>,
}

impl SemanticVisitor<'_> {
    /// Visits what stands inside so many more blocks of the function.
    fn within_blocks(&mut self, count: usize, range: TextRange, visit: impl FnOnce(&mut Self)) {
        let blocks = self.add_blocks(count);
        if blocks > MAX_BLOCKS && blocks - count <= MAX_BLOCKS {
            self.refuse(
                range,
                "loops, `with`, `try` and comprehensions are nested more than 18 levels deep here",
            );
        }
        visit(self);
        if let Some(scope) = self.context.scopes.last_mut() {
            scope.blocks -= count;
        }
    }

    fn add_blocks(&mut self, count: usize) -> usize {
        self.context.scopes.last_mut().map_or(0, |scope| {
            scope.blocks += count;
            scope.blocks
        })
    }

    fn refuse(&mut self, range: TextRange, message: &str) {
        self.errors.push(SyntaxError {
            range: TextRange::empty(range.start()),
            message: message.to_owned(),
            too_deep: true,
        });
    }

    fn has_too_many_type_parameters(&mut self, stmt: &Stmt) -> bool {
        let parameters = match stmt {
            Stmt::FunctionDef(function) => function.type_params.as_deref(),
            Stmt::ClassDef(class) => class.type_params.as_deref(),
            Stmt::TypeAlias(alias) => alias.type_params.as_deref(),
            _ => None,
        };
        let many = parameters.filter(|it| it.type_params.len() > MAX_TYPE_PARAMETERS);
        if let Some(parameters) = many {
            let message = format!("more than {MAX_TYPE_PARAMETERS} type parameters");
            self.error(parameters.range, message);
        }
        many.is_some()
    }

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

    /// The blocks that a statement is for the function around it.
    fn blocks_of(stmt: &Stmt) -> usize {
        match stmt {
            Stmt::For(_) | Stmt::While(_) => 1,
            Stmt::With(statement) => statement.items.len(),
            Stmt::Try(_) => 2,
            _ => 0,
        }
    }

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
        let mut scope = Scope::new(kind, &[], None);
        let added = match kind {
            ScopeKind::Comprehension { is_async: true } => generators.len(),
            ScopeKind::Generator if generators.iter().any(|it| it.is_async) => generators.len(),
            _ => 1,
        };
        // A generator is a function of its own.
        let around = match kind {
            ScopeKind::Generator => 0,
            _ => self.context.scopes.last().map_or(0, |scope| scope.blocks),
        };
        scope.blocks = around + added;
        if scope.blocks > MAX_BLOCKS && around <= MAX_BLOCKS {
            let first = generators.first().map(|generator| generator.range);
            let message = "comprehensions are nested more than 18 levels deep here";
            self.refuse(first.unwrap_or_default(), message);
        }
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

impl Visitor<'_> for SemanticVisitor<'_> {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        if self.has_too_many_type_parameters(stmt) {
            return;
        }
        self.checker.visit_stmt(stmt, &self.context);
        self.check_indentation(stmt);
        self.note_names(stmt);
        let has_blocks = matches!(
            stmt,
            Stmt::FunctionDef(_)
                | Stmt::ClassDef(_)
                | Stmt::For(_)
                | Stmt::While(_)
                | Stmt::If(_)
                | Stmt::With(_)
                | Stmt::Try(_)
                | Stmt::Match(_)
        );
        // The cases of a `match` are indented once more.
        let indents = usize::from(has_blocks) + usize::from(stmt.is_match_stmt());
        self.indents += indents;
        if self.indents > MAX_INDENTS && self.indents - indents <= MAX_INDENTS {
            self.refuse(
                stmt.range(),
                "the code is indented more than 98 levels deep here",
            );
        }
        let finallys = usize::from(matches!(stmt, Stmt::Try(it) if !it.finalbody.is_empty()));
        self.finallys += finallys;
        if self.finallys > MAX_FINALLY && self.finallys - finallys <= MAX_FINALLY {
            self.refuse(
                stmt.range(),
                "`finally` is nested more than 4 levels deep here",
            );
        }
        self.within_blocks(Self::blocks_of(stmt), stmt.range(), |visitor| {
            visitor.walk_stmt(stmt);
        });
        self.indents -= indents;
        self.finallys -= finallys;
    }

    fn visit_expr(&mut self, expr: &Expr) {
        self.walk_expr(expr);
    }

    fn visit_pattern(&mut self, pattern: &Pattern) {
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

    fn visit_except_handler(&mut self, handler: &ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.note_use(name);
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_parameters(&mut self, parameters: &Parameters) {
        let packed = parameters.vararg.as_ref();
        let annotation = packed.and_then(|parameter| parameter.annotation.as_deref());
        self.stars.extend(annotation.map(Ranged::range));
        visitor::walk_parameters(self, parameters);
    }

    fn visit_type_param(&mut self, parameter: &TypeParam) {
        self.stars.extend(parameter.default().map(Ranged::range));
        visitor::walk_type_param(self, parameter);
    }
}

impl SemanticVisitor<'_> {
    fn walk_stmt(&mut self, stmt: &Stmt) {
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

    fn walk_expr(&mut self, expr: &Expr) {
        self.check_star(expr);
        self.check_operands(expr);
        match expr {
            Expr::FString(text) => self.check_specifications(text),
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
