//! Which names a module binds, where, and to what.

mod build;

use std::collections::{HashMap, HashSet};

use crate::pysyntax::ast::{Expr, Operator, Stmt, StmtAugAssign, StmtClassDef};
use crate::pysyntax::{TextRange, TextSize};

/// A scope in [`Scopes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScopeId(usize);

impl ScopeId {
    /// The scope of the module.
    pub const MODULE: Self = Self(0);
}

/// What kind of scope it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Module,
    Class,
    Function,
    Lambda,
    Comprehension,
}

/// One place that binds a name.
#[derive(Debug, Clone, Copy)]
pub enum Site<'a> {
    /// `name = value`, evaluated in the scope given.
    Value(&'a Expr, ScopeId),
    /// `name += value`.
    Augmented(&'a StmtAugAssign, ScopeId),
    /// An item of what is gone over.
    Item(&'a Expr, ScopeId),
    /// The first of two, for an item of what is gone over.
    First(&'a Expr, ScopeId),
    /// `import module` or `from module import name`.
    Import(&'a str, Option<&'a str>),
    Function,
    Class(&'a StmtClassDef),
    /// `except … as name`.
    Exception,
    Parameter,
    /// Anything else.
    Other,
}

/// A name of a scope.
#[derive(Debug, Default)]
pub struct Binding<'a> {
    pub sites: Vec<Site<'a>>,
    /// Where the first statement that binds the name starts; for an assignment or a class, where it
    /// ends.
    pub first: Option<TextSize>,
    pub deleted: bool,
    /// How often the name is looked up outside of annotations.
    pub loads: usize,
}

impl<'a> Binding<'a> {
    /// The only place that binds the name.
    pub fn only(&self) -> Option<Site<'a>> {
        match self.sites.as_slice() {
            [site] if !self.deleted => Some(*site),
            _ => None,
        }
    }

    /// The class that the name always is.
    pub fn class(&self) -> Option<&'a StmtClassDef> {
        match self.only()? {
            Site::Class(class) => Some(class),
            _ => None,
        }
    }

    /// What is imported, where that is all that the name ever is.
    pub fn import(&self) -> Option<(&'a str, Option<&'a str>)> {
        let mut found = None;
        for site in &self.sites {
            let Site::Import(module, name) = site else {
                return None;
            };
            match found {
                None => found = Some((*module, *name)),
                Some(known) if known == (*module, *name) => {}
                Some(_) => return None,
            }
        }
        found
    }
}

#[derive(Debug)]
struct Scope<'a> {
    kind: Kind,
    parent: Option<ScopeId>,
    bindings: HashMap<&'a str, Binding<'a>>,
    globals: HashSet<&'a str>,
    nonlocals: HashSet<&'a str>,
}

/// All scopes of a module.
#[derive(Debug)]
pub struct Scopes<'a> {
    scopes: Vec<Scope<'a>>,
    by_node: HashMap<TextRange, ScopeId>,
}

impl<'a> Scopes<'a> {
    pub fn of(body: &'a [Stmt]) -> Self {
        build::build(body)
    }

    /// The scope that a function, class, lambda or comprehension makes.
    pub fn at(&self, node: TextRange) -> ScopeId {
        self.by_node.get(&node).copied().unwrap_or(ScopeId::MODULE)
    }

    pub fn kind(&self, scope: ScopeId) -> Kind {
        self.scopes
            .get(scope.0)
            .map_or(Kind::Module, |scope| scope.kind)
    }

    pub fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.scopes.get(scope.0)?.parent
    }

    fn own(&self, scope: ScopeId, name: &str) -> Option<&Binding<'a>> {
        self.scopes.get(scope.0)?.bindings.get(name)
    }

    /// The scope that a name in a scope belongs to; `None` for builtins.
    pub fn owner(&self, scope: ScopeId, name: &str) -> Option<ScopeId> {
        let mut at = Some(scope);
        let mut is_first = true;
        while let Some(id) = at {
            let scope = self.scopes.get(id.0)?;
            if scope.globals.contains(name) {
                return self.own(ScopeId::MODULE, name).map(|_| ScopeId::MODULE);
            }
            let is_seen = is_first || scope.kind != Kind::Class;
            if is_seen && !scope.nonlocals.contains(name) && scope.bindings.contains_key(name) {
                return Some(id);
            }
            // A comprehension in a class body sees the class only in its first iterable; taking it
            // for outside is what the rest does.
            is_first = false;
            at = scope.parent;
        }
        None
    }

    /// What a name in a scope is bound to; `None` for builtins.
    pub fn resolve(&self, scope: ScopeId, name: &str) -> Option<&Binding<'a>> {
        self.own(self.owner(scope, name)?, name)
    }

    /// The names that the module binds, sorted.
    pub fn names_of_module(&self) -> impl Iterator<Item = &'a str> {
        let module = self.scopes.first();
        let names = module.into_iter().flat_map(|scope| scope.bindings.keys());
        let mut names: Vec<&str> = names.copied().collect();
        names.sort_unstable();
        names.into_iter()
    }

    /// All bindings.
    pub fn bindings(&self) -> impl Iterator<Item = (&'a str, &Binding<'a>)> {
        self.scopes.iter().flat_map(|scope| {
            scope
                .bindings
                .iter()
                .map(|(name, binding)| (*name, binding))
        })
    }
}

/// Whether the result of an operator is never a bool, whatever builtins are its operands.
pub fn is_arithmetic(operator: Operator) -> bool {
    !matches!(
        operator,
        Operator::BitOr | Operator::BitXor | Operator::BitAnd
    )
}
