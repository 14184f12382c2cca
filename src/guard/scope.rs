//! What the pass that binds finds out: the scopes of a module, what each binds names to, and how a
//! name is resolved.

use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use thin_vec::ThinVec;

use crate::pysyntax::ast::name::Name;
use crate::pysyntax::ast::{Alias, Expr, StmtClassDef, StmtFunctionDef};

use super::policy::root_package;

/// The number of a scope in [`Scopes`].
pub(super) type ScopeId = usize;

/// A name and the scope that binds it.
pub(super) type BindingId<'a> = (ScopeId, &'a str);

/// What a scope belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScopeKind {
    Module,
    Class,
    Function,
    Lambda,
    Comprehension,
    /// A generator expression: a comprehension that runs later than where it stands.
    Generator,
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
    Module(Name),
    /// A name of a module, which may be a module itself.
    Name(Name, Name),
}

impl Imported {
    /// The name that an import binds. `module` is that of `from … import`.
    pub(super) fn bound_by<'a>(alias: &'a Alias, module: Option<&str>) -> &'a str {
        match (module, &alias.asname) {
            (_, Some(asname)) => asname.as_str(),
            (Some(_), None) => alias.name.as_str(),
            (None, None) => root_package(&alias.name),
        }
    }

    /// What an import binds that name to.
    pub(super) fn by(alias: &Alias, module: Option<&str>) -> Self {
        let name = alias.name.as_str();
        match (module, &alias.asname) {
            (Some(module), _) => Self::Name(short(module), short(name)),
            (None, Some(_)) => Self::Module(short(name)),
            (None, None) => Self::Module(short(root_package(name))),
        }
    }

    /// What an attribute of it is.
    pub(super) fn member(&self, name: &str) -> Self {
        let module = match self {
            Self::Module(module) => module.clone(),
            Self::Name(module, outer) => short(&format!("{module}.{outer}")),
        };
        Self::Name(module, short(name))
    }
}

/// The most of a name that is kept. What is longer names nothing that exists, and is refused where
/// it is imported; put together again at every use it would cost much.
const MAX_NAME: usize = 256;

/// As much of a name as is kept.
fn short(name: &str) -> Name {
    let end = name.floor_char_boundary(MAX_NAME);
    name.get(..end).unwrap_or_default().into()
}

/// An expression and the scope that it is evaluated in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'a> {
    pub(super) scope: ScopeId,
    pub(super) expr: &'a Expr,
}

/// Everything that is known of one name in one scope.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are facts that do not depend on each other"
)]
pub(super) struct Binding<'a> {
    /// How often the name is bound.
    pub(super) count: usize,
    /// What the name can be through imports, directly or by other names.
    pub(super) imports: ThinVec<Imported>,
    /// Whether there are more imports than are kept.
    pub(super) too_many: bool,
    /// How many of the bindings are imports.
    pub(super) import_count: usize,
    /// The values of the plain assignments among these.
    pub(super) values: ThinVec<Value<'a>>,
    /// What a loop goes over whose target the name is, or the item of the target of that number.
    pub(super) iterables: ThinVec<(Value<'a>, Option<usize>)>,
    /// The context managers that a `with` binds to the name.
    pub(super) contexts: ThinVec<Value<'a>>,
    /// What is assigned to items of the name (`name[…] = value`).
    pub(super) items: ThinVec<(&'a Expr, Value<'a>)>,
    /// The annotations of the parameters among the bindings.
    pub(super) annotations: ThinVec<&'a Expr>,
    /// How many of the bindings are parameters.
    pub(super) parameters: usize,
    /// Whether a function binds the name of a scope that is not its own.
    pub(super) shared: bool,
    /// The classes among these.
    pub(super) classes: ThinVec<&'a StmtClassDef>,
    /// The functions among these.
    pub(super) functions: ThinVec<&'a StmtFunctionDef>,
    /// Whether the name is unbound somewhere (`del`, the end of an `except … as`).
    pub(super) deleted: bool,
    /// Whether it is the first parameter of a method.
    pub(super) receiver: bool,
    /// Whether an `except … as` binds it.
    pub(super) exception: bool,
}

impl<'a> Binding<'a> {
    /// Adds what a function binds by `nonlocal`.
    pub(super) fn merge(&mut self, other: Binding<'a>) {
        self.count += other.count;
        self.imports.extend(other.imports);
        self.too_many |= other.too_many;
        self.annotations.extend(other.annotations);
        self.functions.extend(other.functions);
        self.import_count += other.import_count;
        self.values.extend(other.values);
        self.iterables.extend(other.iterables);
        self.contexts.extend(other.contexts);
        self.items.extend(other.items);
        self.parameters += other.parameters;
        self.shared = true;
        self.classes.extend(other.classes);
        self.deleted |= other.deleted;
        self.receiver &= other.receiver;
        self.exception |= other.exception;
    }

    /// The only value that the name ever has, where that is an expression.
    pub(super) fn only_value(&self) -> Option<Value<'a>> {
        match self.values.as_slice() {
            [value] if self.count == 1 => Some(*value),
            _ => None,
        }
    }
}

/// One scope.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) kind: ScopeKind,
    pub(super) parent: Option<ScopeId>,
    pub(super) bindings: HashMap<&'a str, Binding<'a>>,
    pub(super) globals: HashSet<&'a str>,
    pub(super) nonlocals: HashSet<&'a str>,
}

/// All scopes of a module, in the order in which [`super::walk`] enters them; the first is the
/// module's.
#[derive(Debug)]
pub(super) struct Scopes<'a> {
    pub(super) all: Vec<Scope<'a>>,
    /// Attribute names that the code's own classes and instances have.
    pub(super) own_attributes: HashSet<&'a str>,
    /// Names that are used otherwise than by reading an item of them.
    pub(super) escaped: HashSet<&'a str>,
    /// Attributes that are assigned to anything.
    pub(super) changed_attributes: HashSet<&'a str>,
    /// Names that loops go over.
    pub(super) looped_over: HashSet<&'a str>,
    /// Names whose items are given to somebody.
    pub(super) handed_on: HashSet<&'a str>,
    /// Whether the code reads `_params`.
    pub(super) reads_params: bool,
    /// Attributes that are assigned to anything but the first parameter of a method.
    pub(super) stored_attributes: HashSet<&'a str>,
    /// What class bodies bind names to; `None` where it is not a plain assignment.
    pub(super) class_values: HashMap<&'a str, Vec<Option<&'a Expr>>>,
    /// First components of all imported modules.
    pub(super) imported_roots: HashSet<&'a str>,
}

impl<'a> Scopes<'a> {
    /// The scopes before any name is bound: the module's.
    pub(super) fn new() -> Self {
        Self {
            all: vec![Scope::new(ScopeKind::Module, None)],
            own_attributes: HashSet::default(),
            escaped: HashSet::default(),
            changed_attributes: HashSet::default(),
            looped_over: HashSet::default(),
            handed_on: HashSet::default(),
            reads_params: false,
            stored_attributes: HashSet::default(),
            class_values: HashMap::default(),
            imported_roots: HashSet::default(),
        }
    }

    /// A name in exactly one scope, to add to what is known of it.
    pub(super) fn binding_mut(&mut self, id: ScopeId, name: &str) -> Option<&mut Binding<'a>> {
        self.all.get_mut(id)?.bindings.get_mut(name)
    }

    /// The scopes whose binding of a name a load may reach: that of a class body falls through to
    /// those around it while the name is not bound yet.
    pub(super) fn owners(&self, from: ScopeId, name: &str) -> Vec<ScopeId> {
        let mut owners = Vec::new();
        let mut next = self.resolve(from, name).map(|(owner, _)| owner);
        while let Some(owner) = next {
            owners.push(owner);
            let scope = self.all.get(owner);
            next = scope
                .filter(|scope| scope.kind == ScopeKind::Class)
                .and_then(|class| self.resolve(class.parent?, name))
                .map(|(owner, _)| owner);
        }
        owners
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
        let (owner, _, binding) = self.resolve_entry(from, name)?;
        Some((owner, binding))
    }

    /// The same, with the name as the code has it where it is bound.
    pub(super) fn resolve_entry(
        &self,
        from: ScopeId,
        name: &str,
    ) -> Option<(ScopeId, &'a str, &Binding<'a>)> {
        let mut id = from;
        // The parameters of a type belong to the class around it.
        let mut direct = true;
        loop {
            let scope = self.all.get(id)?;
            // What a class body declares global does not concern its functions.
            let visible = direct || scope.kind != ScopeKind::Class;
            if visible && scope.globals.contains(name) {
                let (name, binding) = self.all.first()?.bindings.get_key_value(name)?;
                return Some((0, name, binding));
            }
            if visible && let Some((name, binding)) = scope.bindings.get_key_value(name) {
                return Some((id, name, binding));
            }
            direct &= scope.kind == ScopeKind::TypeParameters;
            id = scope.parent?;
        }
    }

    /// Whether the code assigns an attribute of the name to any object, or may do so.
    pub(super) fn changes_attribute(&self, name: &str) -> bool {
        self.changed_attributes.contains(name) || self.stores_attribute(name)
    }

    /// Whether the code assigns an attribute of the name, other than a method to its own object.
    pub(super) fn stores_attribute(&self, name: &str) -> bool {
        self.stored_attributes.contains(name)
    }

    /// What the class bodies bind the name to, where it is a plain assignment each time.
    pub(super) fn class_values(&self, name: &str) -> Option<Vec<&'a Expr>> {
        self.class_values.get(name)?.iter().copied().collect()
    }

    /// The innermost class whose body, or a function of it, the scope is.
    pub(super) fn class_around(&self, mut id: ScopeId) -> Option<ScopeId> {
        loop {
            let scope = self.all.get(id)?;
            if scope.kind == ScopeKind::Class {
                return Some(id);
            }
            id = scope.parent?;
        }
    }

    /// Whether an object bound to the name may have been changed after it was made.
    pub(super) fn escapes(&self, name: &str) -> bool {
        self.escaped.contains(name)
    }
}

impl Scope<'_> {
    pub(super) fn new(kind: ScopeKind, parent: Option<ScopeId>) -> Self {
        Self {
            kind,
            parent,
            bindings: HashMap::default(),
            globals: HashSet::default(),
            nonlocals: HashSet::default(),
        }
    }
}
