//! The scopes around a place, and what `ruff`'s checks ask of them.

use std::cell::RefCell;

use ruff_python_ast::statement_visitor::{self, StatementVisitor};
use ruff_python_ast::{Parameters, PythonVersion, Stmt};
use ruff_python_parser::semantic_errors::{
    LazyImportContext, SemanticSyntaxContext, SemanticSyntaxError,
};
use ruff_text_size::TextRange;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::pysyntax::TARGET;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Module,
    Class,
    Function { is_async: bool },
    Lambda,
    Generator,
    Comprehension { is_async: bool },
}

pub(super) struct Scope<'a> {
    pub(super) kind: ScopeKind,
    /// Names that the scope declares `global`, and where.
    globals: HashMap<&'a str, TextRange>,
    /// Names that the scope declares `global` or `nonlocal`, and whether they were used already.
    pub(super) declared: HashMap<&'a str, bool>,
    pub(super) parameters: HashSet<&'a str>,
    pub(super) loops: usize,
    /// How many blocks are around in the same function.
    pub(super) blocks: usize,
}

impl<'a> Scope<'a> {
    pub(super) fn new(
        kind: ScopeKind,
        body: &'a [Stmt],
        parameters: Option<&'a Parameters>,
    ) -> Self {
        let mut declared = Declared::default();
        declared.visit_body(body);
        let parameters = parameters
            .into_iter()
            .flat_map(|parameters| parameters.iter());
        let parameters = parameters
            .map(|parameter| parameter.name().as_str())
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
struct Declared<'a> {
    globals: HashMap<&'a str, TextRange>,
    all: HashMap<&'a str, bool>,
}

impl<'a> StatementVisitor<'a> for Declared<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Global(statement) => {
                for name in &statement.names {
                    let entry = self.globals.entry(name.as_str());
                    entry.or_insert(statement.range);
                    self.all.insert(name.as_str(), false);
                }
            }
            Stmt::Nonlocal(statement) => {
                let names = statement.names.iter();
                self.all.extend(names.map(|name| (name.as_str(), false)));
            }
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            _ => statement_visitor::walk_stmt(self, stmt),
        }
    }
}

pub(super) struct Context<'a> {
    pub(super) source: &'a str,
    pub(super) errors: RefCell<Vec<SemanticSyntaxError>>,
    pub(super) scopes: Vec<Scope<'a>>,
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
