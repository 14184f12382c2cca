//! Which names the code binds, where, and to what: the pass before the judgement.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::pysyntax::ast::visitor::source_order::{self, SourceOrderVisitor};
use crate::pysyntax::ast::{
    Alias, ExceptHandler, Expr, ExprContext, ModModule, Parameters, Pattern, Stmt, StmtClassDef,
    TypeParam,
};

use super::walk::{ScopeNode, ScopedVisitor, walk_expr, walk_stmt};

/// The number of a scope in [`Scopes`].
pub(super) type ScopeId = usize;

/// What a scope belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Module,
    Class,
    Function,
    Lambda,
    Comprehension,
    TypeParameters,
}

impl ScopeKind {
    /// Whether a name bound in the scope is a local slot, so that a load never falls through to
    /// the built-in of that name.
    pub(super) fn has_slots(self) -> bool {
        !matches!(self, Self::Module | Self::Class)
    }
}

/// What an import binds a name to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Imported {
    /// A module, by its full dotted name.
    Module(String),
    /// A name of a module, which may be a module itself.
    Name(String, String),
}

/// Everything that is known of one name in one scope.
#[derive(Debug, Default)]
pub(super) struct Binding<'a> {
    /// How often the name is bound.
    pub(super) count: usize,
    /// The imports among these.
    pub(super) imports: Vec<Imported>,
    /// The values of the plain assignments among these.
    pub(super) values: Vec<&'a Expr>,
    /// The classes among these.
    pub(super) classes: Vec<&'a StmtClassDef>,
    /// Whether the name is unbound somewhere (`del`, the end of an `except … as`).
    pub(super) deleted: bool,
    /// Whether it is the first parameter of a method.
    pub(super) receiver: bool,
    /// Whether an `except … as` binds it.
    pub(super) exception: bool,
}

impl<'a> Binding<'a> {
    fn merge(&mut self, other: Binding<'a>) {
        self.count += other.count;
        self.imports.extend(other.imports);
        self.values.extend(other.values);
        self.classes.extend(other.classes);
        self.deleted |= other.deleted;
        self.receiver &= other.receiver;
        self.exception |= other.exception;
    }

    /// Whether nothing but imports binds the name.
    pub(super) fn only_imports(&self) -> bool {
        self.count > 0 && self.count == self.imports.len()
    }
}

/// One scope.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) kind: ScopeKind,
    parent: Option<ScopeId>,
    bindings: HashMap<&'a str, Binding<'a>>,
    globals: HashSet<&'a str>,
    nonlocals: HashSet<&'a str>,
}

/// All scopes of a module, in the order in which [`super::walk`] enters them; the first is the
/// module's.
#[derive(Debug)]
pub(super) struct Scopes<'a> {
    all: Vec<Scope<'a>>,
    /// Attribute names that the code's own classes and instances have.
    pub(super) own_attributes: HashSet<&'a str>,
    /// Names that are used otherwise than by reading an item of them.
    escaped: HashSet<&'a str>,
    /// Names that are read.
    read: HashSet<&'a str>,
    /// First components of all imported modules.
    pub(super) imported_roots: HashSet<String>,
}

impl<'a> Scopes<'a> {
    /// Binds the names of a module.
    pub(super) fn of(module: &'a ModModule) -> Self {
        let mut binder = Binder {
            scopes: Scopes {
                all: vec![Scope::new(ScopeKind::Module, None)],
                own_attributes: HashSet::default(),
                escaped: HashSet::default(),
                read: HashSet::default(),
                imported_roots: HashSet::default(),
            },
            stack: vec![0],
        };
        binder.visit_body(&module.body);
        binder.scopes.move_nonlocals();
        binder.scopes
    }

    /// Gives what functions bind by `nonlocal` to the scope that owns the name. It may come later
    /// in the text, so this waits until all names are bound.
    fn move_nonlocals(&mut self) {
        for id in 0..self.all.len() {
            let Some(scope) = self.all.get_mut(id) else {
                continue;
            };
            let Some(parent) = scope.parent else { continue };
            let nonlocals = std::mem::take(&mut scope.nonlocals);
            for name in nonlocals {
                let moved = self
                    .all
                    .get_mut(id)
                    .and_then(|scope| scope.bindings.remove(name));
                let owner = self.resolve(parent, name).map(|(owner, _)| owner);
                let (Some(moved), Some(owner)) = (moved, owner) else {
                    continue;
                };
                if let Some(scope) = self.all.get_mut(owner) {
                    scope.bindings.entry(name).or_default().merge(moved);
                }
            }
        }
    }

    /// The kind of a scope.
    pub(super) fn kind(&self, id: ScopeId) -> ScopeKind {
        self.all
            .get(id)
            .map_or(ScopeKind::Module, |scope| scope.kind)
    }

    /// The binding of a name in exactly one scope.
    pub(super) fn binding(&self, id: ScopeId, name: &str) -> Option<&Binding<'a>> {
        self.all.get(id)?.bindings.get(name)
    }

    /// Resolves a name as Python does: the scope itself, then enclosing functions, then the module.
    /// `None` is a built-in, or nothing.
    pub(super) fn resolve(&self, from: ScopeId, name: &str) -> Option<(ScopeId, &Binding<'a>)> {
        let mut id = from;
        loop {
            let scope = self.all.get(id)?;
            if scope.globals.contains(name) {
                return self
                    .all
                    .first()?
                    .bindings
                    .get(name)
                    .map(|binding| (0, binding));
            }
            let visible = id == from || scope.kind != ScopeKind::Class;
            if visible && let Some(binding) = scope.bindings.get(name) {
                return Some((id, binding));
            }
            id = scope.parent?;
        }
    }

    /// Whether the name is read anywhere.
    pub(super) fn reads(&self, name: &str) -> bool {
        self.read.contains(name)
    }

    /// Whether an object bound to the name may have been changed after it was made.
    pub(super) fn escapes(&self, name: &str) -> bool {
        self.escaped.contains(name)
    }
}

impl Scope<'_> {
    fn new(kind: ScopeKind, parent: Option<ScopeId>) -> Self {
        Self {
            kind,
            parent,
            bindings: HashMap::default(),
            globals: HashSet::default(),
            nonlocals: HashSet::default(),
        }
    }
}

/// Methods that read a dict or list without handing out the object itself.
const READERS: [&str; 5] = ["get", "items", "keys", "values", "index"];

struct Binder<'a> {
    scopes: Scopes<'a>,
    stack: Vec<ScopeId>,
}

impl<'a> Binder<'a> {
    fn current(&self) -> ScopeId {
        self.stack.last().copied().unwrap_or_default()
    }

    /// The scope in which a store to `name` at this place lands.
    fn target(&self, name: &str, skip_comprehensions: bool) -> ScopeId {
        let mut id = self.current();
        while let Some(scope) = self.scopes.all.get(id) {
            let parent = scope.parent.unwrap_or_default();
            if skip_comprehensions && scope.kind == ScopeKind::Comprehension {
                id = parent;
            } else if scope.globals.contains(name) {
                return 0;
            } else {
                return id;
            }
        }
        0
    }

    fn bind(&mut self, name: &'a str) -> Option<&mut Binding<'a>> {
        let id = self.target(name, false);
        self.bind_in(id, name)
    }

    fn bind_in(&mut self, id: ScopeId, name: &'a str) -> Option<&mut Binding<'a>> {
        let scope = self.scopes.all.get_mut(id)?;
        if scope.kind == ScopeKind::Class {
            self.scopes.own_attributes.insert(name);
        }
        let binding = scope.bindings.entry(name).or_default();
        binding.count += 1;
        Some(binding)
    }

    fn bind_parameters(&mut self, parameters: &'a Parameters, method: bool) {
        for (index, parameter) in parameters.iter().enumerate() {
            if let Some(binding) = self.bind(parameter.name().as_str()) {
                binding.receiver = method && index == 0;
            }
        }
    }

    fn bind_import(&mut self, alias: &'a Alias, module: Option<&str>) {
        let name = alias.name.as_str();
        let (bound, imported) = match (module, &alias.asname) {
            (Some(module), asname) => (
                asname.as_ref().map_or(name, |asname| asname.as_str()),
                Imported::Name(module.to_owned(), name.to_owned()),
            ),
            (None, Some(asname)) => (asname.as_str(), Imported::Module(name.to_owned())),
            (None, None) => {
                let root = name.split('.').next().unwrap_or(name);
                (root, Imported::Module(root.to_owned()))
            }
        };
        let root = module.unwrap_or(name).split('.').next().unwrap_or_default();
        self.scopes.imported_roots.insert(root.to_owned());
        if let Some(binding) = self.bind(bound) {
            if binding.imports.contains(&imported) {
                // The same import twice is one binding.
                binding.count -= 1;
            } else {
                binding.imports.push(imported);
            }
        }
    }

    /// `_x`, `os` and the like are legal attributes where the code assigns them to its own objects.
    fn own_attribute(&mut self, receiver: &'a Expr, attribute: &'a str) {
        let Expr::Name(name) = receiver else { return };
        let own = self
            .scopes
            .resolve(self.current(), name.id.as_str())
            .is_some_and(|(_, binding)| binding.imports.is_empty() && !binding.exception);
        if own {
            self.scopes.own_attributes.insert(attribute);
        }
    }

    fn read(&mut self, expr: &'a Expr) {
        if let Expr::Name(name) = expr {
            self.scopes.read.insert(name.id.as_str());
        }
    }

    fn record_value(&mut self, target: &'a Expr, value: &'a Expr) {
        if let Expr::Name(name) = target {
            let id = self.target(name.id.as_str(), false);
            if name.id.as_str() == "__slots__" {
                for literal in string_items(value) {
                    self.scopes.own_attributes.insert(literal);
                }
            }
            if let Some(scope) = self.scopes.all.get_mut(id)
                && let Some(binding) = scope.bindings.get_mut(name.id.as_str())
            {
                binding.values.push(value);
            }
        }
    }
}

/// The strings of a literal string, tuple, list or set of them.
pub(super) fn string_items(value: &Expr) -> Vec<&str> {
    let items = match value {
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::List(list) => &list.elts,
        Expr::Set(set) => &set.elts,
        Expr::StringLiteral(literal) => return vec![literal.value.to_str()],
        _ => return Vec::new(),
    };
    items
        .iter()
        .filter_map(|item| {
            item.as_string_literal_expr()
                .map(|literal| literal.value.to_str())
        })
        .collect()
}

impl<'a> ScopedVisitor<'a> for Binder<'a> {
    fn enter_scope(&mut self, node: ScopeNode<'a>) {
        let parent = self.current();
        let kind = match node {
            ScopeNode::Function(_) => ScopeKind::Function,
            ScopeNode::Lambda(_) => ScopeKind::Lambda,
            ScopeNode::Class => ScopeKind::Class,
            ScopeNode::Comprehension => ScopeKind::Comprehension,
            ScopeNode::TypeParameters => ScopeKind::TypeParameters,
        };
        self.stack.push(self.scopes.all.len());
        self.scopes.all.push(Scope::new(kind, Some(parent)));
        match node {
            ScopeNode::Function(function) => {
                let method = self.scopes.kind(parent) == ScopeKind::Class;
                self.bind_parameters(&function.parameters, method);
            }
            ScopeNode::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.bind_parameters(parameters, false);
                }
            }
            _ => {}
        }
    }

    fn leave_scope(&mut self) {
        self.stack.pop();
    }
}

impl<'a> SourceOrderVisitor<'a> for Binder<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(function) => {
                self.bind(function.name.as_str());
            }
            Stmt::ClassDef(class) => {
                if let Some(binding) = self.bind(class.name.as_str()) {
                    binding.classes.push(class);
                }
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.bind_import(alias, None);
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map_or("", |module| module.as_str());
                for alias in &import.names {
                    self.bind_import(alias, Some(module));
                }
            }
            Stmt::Global(statement) => {
                let id = self.current();
                for name in &statement.names {
                    if let Some(scope) = self.scopes.all.get_mut(id) {
                        scope.globals.insert(name.as_str());
                    }
                }
            }
            Stmt::Nonlocal(statement) => {
                let id = self.current();
                for name in &statement.names {
                    if let Some(scope) = self.scopes.all.get_mut(id) {
                        scope.nonlocals.insert(name.as_str());
                    }
                }
            }
            _ => {}
        }
        walk_stmt(self, stmt);
        match stmt {
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.record_value(target, &assign.value);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.record_value(&assign.target, value);
                }
            }
            _ => {}
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => match name.ctx {
                ExprContext::Store => {
                    self.bind(name.id.as_str());
                }
                ExprContext::Del => {
                    if let Some(binding) = self.bind(name.id.as_str()) {
                        binding.deleted = true;
                    }
                }
                _ => {
                    self.scopes.read.insert(name.id.as_str());
                    self.scopes.escaped.insert(name.id.as_str());
                }
            },
            Expr::Named(named) => {
                if let Expr::Name(target) = &*named.target {
                    let id = self.target(target.id.as_str(), true);
                    self.bind_in(id, target.id.as_str());
                }
                self.visit_expr(&named.value);
            }
            Expr::Subscript(subscript)
                if subscript.ctx == ExprContext::Load && subscript.value.is_name_expr() =>
            {
                self.read(&subscript.value);
                self.visit_expr(&subscript.slice);
            }
            Expr::Attribute(attribute) => {
                if attribute.ctx == ExprContext::Store {
                    self.own_attribute(&attribute.value, attribute.attr.as_str());
                }
                let reads = attribute.ctx == ExprContext::Load
                    && READERS.contains(&attribute.attr.as_str())
                    && attribute.value.is_name_expr();
                if reads {
                    self.read(&attribute.value);
                } else {
                    self.visit_expr(&attribute.value);
                }
            }
            _ => walk_expr(self, expr),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name
            && let Some(binding) = self.bind(name.as_str())
        {
            binding.deleted = true;
            binding.exception = true;
        }
        source_order::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.bind(name.as_str());
        }
        source_order::walk_pattern(self, pattern);
    }

    fn visit_type_param(&mut self, parameter: &'a TypeParam) {
        self.bind(parameter.name().as_str());
        source_order::walk_type_param(self, parameter);
    }
}
