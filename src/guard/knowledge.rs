//! What is known of names through imports: of a name that is bound several times everything that
//! it may be, and where the code runs straight on, what it was bound to last.

use rustc_hash::FxHashMap as HashMap;

use crate::pysyntax::ast::name::Name;
use crate::pysyntax::ast::{Alias, Expr};

use super::check::Checker;
use super::following::dotted;
use super::scope::{Binding, BindingId, Imported, ScopeId, ScopeKind};

/// What is known of the value of an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Known {
    /// A module, or a package of one.
    Module(Name),
    /// A name of a module.
    Name(Name, Name),
}

impl Known {
    /// The name of the module, where it is one.
    pub(super) fn as_module(&self) -> Option<&str> {
        match self {
            Self::Module(module) => Some(module),
            Self::Name(..) => None,
        }
    }
}

/// Whether something may be one of certain names of a certain module.
pub(super) fn is_name(known: &[Known], module: &str, names: &[&str]) -> bool {
    known.iter().any(|known| is_one(known, module, names))
}

/// Whether something may be a name of one of certain modules.
pub(super) fn is_of(known: &[Known], modules: &[&str]) -> bool {
    known
        .iter()
        .any(|known| matches!(known, Known::Name(module, _) if modules.contains(&module.as_str())))
}

/// Whether something may be a module.
pub(super) fn is_any_module(known: &[Known]) -> bool {
    known.iter().any(|known| known.as_module().is_some())
}

/// Whether something is one of certain names of a certain module.
fn is_one(known: &Known, module: &str, names: &[&str]) -> bool {
    matches!(known, Known::Name(found, name)
        if has_names_of(found, module) && names.contains(&name.as_str()))
}

/// Whether a module is another one, or offers the same names as a part of it: of pydantic all parts
/// that may be imported do.
fn has_names_of(module: &str, package: &str) -> bool {
    module == package
        || package == "pydantic"
            && module
                .strip_prefix(package)
                .is_some_and(|rest| rest.starts_with('.'))
}

/// What names were bound to last, where nothing else can have been executed since.
#[derive(Debug, Default)]
pub(super) struct Flow<'a> {
    last: HashMap<BindingId<'a>, Vec<Known>>,
    changed: Vec<BindingId<'a>>,
}

impl<'a> Flow<'a> {
    /// What a name was bound to last, if that is known.
    fn get<'s>(&'s self, scope: ScopeId, name: &'s str) -> Option<&'s Vec<Known>> {
        let last: &HashMap<BindingId<'_>, Vec<Known>> = &self.last;
        last.get(&(scope, name))
    }

    /// The name is bound, certainly to this.
    fn set(&mut self, key: BindingId<'a>, known: Vec<Known>) {
        self.changed.push(key);
        self.last.insert(key, known);
    }

    /// The name may be bound to something here.
    fn forget(&mut self, key: BindingId<'a>) {
        self.changed.push(key);
        self.last.remove(&key);
    }

    /// The place at which a block begins.
    pub(super) fn mark(&self) -> usize {
        self.changed.len()
    }

    /// Ends a block that may have run in part, or not at all.
    pub(super) fn leave_block(&mut self, mark: usize) {
        for key in self.changed.get(mark..).unwrap_or_default() {
            self.last.remove(key);
        }
    }

    /// Begins a block that may run again and again.
    pub(super) fn enter_loop(&mut self) -> HashMap<BindingId<'a>, Vec<Known>> {
        std::mem::take(&mut self.last)
    }

    /// Ends such a block, given what [`Self::enter_loop`] returned.
    pub(super) fn leave_loop(&mut self, before: HashMap<BindingId<'a>, Vec<Known>>, mark: usize) {
        self.last = before;
        self.leave_block(mark);
    }
}

impl<'a> Checker<'a> {
    /// Whether it matters what the name is bound to last: of one that is bound once there is
    /// nothing more to know.
    fn is_followed(&self, name: &str) -> bool {
        let binding = self.scopes.binding(self.scope(), name);
        binding.is_some_and(|it| it.count > 1 && !it.shared && !it.imports.is_empty())
    }

    /// A statement binds the name here, certainly to this.
    pub(super) fn bind_surely(&mut self, name: &'a str, known: Vec<Known>) {
        if self.is_followed(name) {
            self.flow.set((self.scope(), name), known);
        }
    }

    /// What a value is that is assigned, where one of the targets is followed.
    pub(super) fn known_for(&self, targets: &[Expr], value: &Expr) -> Vec<Known> {
        let is_followed = |target: &Expr| matches!(target, Expr::Name(name) if self.is_followed(name.id.as_str()));
        if targets.iter().any(is_followed) {
            self.known(value)
        } else {
            Vec::new()
        }
    }

    /// A statement binds the target here, certainly to this where it is one name.
    pub(super) fn bind_target_surely(&mut self, target: &'a Expr, known: Vec<Known>) {
        if let Expr::Name(name) = target {
            self.bind_surely(name.id.as_str(), known);
        }
    }

    /// Imports bind names here.
    pub(super) fn bind_imports(&mut self, aliases: &'a [Alias], module: Option<&str>) {
        for alias in aliases {
            self.bind_import(alias, module);
        }
    }

    /// An import binds a name here.
    fn bind_import(&mut self, alias: &'a Alias, module: Option<&str>) {
        let name = Imported::bound_by(alias, module);
        if self.is_followed(name) {
            let known = self.imported(&Imported::by(alias, module));
            let known = known.into_iter().collect();
            self.flow.set((self.scope(), name), known);
        }
    }

    /// Something may bind the name here.
    pub(super) fn bind_perhaps(&mut self, name: &'a str) {
        let scope = self.scope();
        let binding = self.scopes.binding(scope, name);
        if binding.is_some_and(|it| it.count > 1 && !it.imports.is_empty()) {
            self.flow.forget((scope, name));
        }
    }

    /// What an expression may be through imports; several where several imports bind it.
    pub(super) fn known(&self, expr: &Expr) -> Vec<Known> {
        let mut root = expr;
        let mut steps = 0;
        while let Expr::Attribute(attribute) = root {
            root = &attribute.value;
            steps += 1;
        }
        self.spend_work(steps);
        let Expr::Name(name) = root else {
            return Vec::new();
        };
        let name = name.id.as_str();
        let Some((owner, binding)) = self.resolve(name) else {
            return Vec::new();
        };
        // Most expressions are done with here.
        if binding.imports.is_empty() && self.scopes.kind(owner) != ScopeKind::Class {
            return Vec::new();
        }
        let mut known = self.known_name(name, owner, binding);
        if steps == 0 {
            return known;
        }
        let Some((_, path)) = dotted(expr) else {
            return Vec::new();
        };
        for name in path.iter().rev() {
            known = known
                .into_iter()
                .filter_map(|known| match known {
                    Known::Module(module) => Some(self.member(&module, name)),
                    Known::Name(..) => None,
                })
                .collect();
        }
        known
    }

    /// What a name may be through imports, given the scope that binds it.
    fn known_name(&self, name: &str, owner: ScopeId, binding: &Binding<'_>) -> Vec<Known> {
        if owner == self.scope()
            && let Some(known) = self.flow.get(owner, name)
        {
            return known.clone();
        }
        if self.scopes.kind(owner) != ScopeKind::Class {
            let imports = binding.imports.iter();
            return imports
                .filter_map(|imported| self.imported(imported))
                .collect();
        }
        let owners = self.scopes.owners(self.scope(), name).into_iter();
        owners
            .filter_map(|owner| self.scopes.binding(owner, name))
            .flat_map(|binding| &binding.imports)
            .filter_map(|imported| self.imported(imported))
            .collect()
    }

    /// What an import is.
    fn imported(&self, imported: &Imported) -> Option<Known> {
        match imported {
            Imported::Module(module) => Some(Known::Module(module.clone())),
            // What follows a name of a module is an attribute of a value.
            Imported::Name(module, name) => {
                let outer = module.rsplit_once('.');
                let of_value = outer.is_some()
                    && !self.is_module(module)
                    && self.policy.instead_of(module).is_none();
                (!of_value).then(|| self.member(module, name))
            }
        }
    }

    /// What a name of a module is.
    fn member(&self, module: &Name, name: &str) -> Known {
        if self.has_part(module, name) {
            Known::Module(format!("{module}.{name}").into())
        } else {
            Known::Name(module.clone(), name.into())
        }
    }

    /// Whether an expression may be a certain name of a certain module: for what is refused.
    pub(super) fn is_known(&self, expr: &Expr, module: &str, names: &[&str]) -> bool {
        is_name(&self.known(expr), module, names)
    }

    /// Whether an expression cannot but be a certain name of a certain module: for what is allowed.
    pub(super) fn is_surely(&self, expr: &Expr, module: &str, names: &[&str]) -> bool {
        let known = self.known(expr);
        if known.is_empty() || !known.iter().all(|known| is_one(known, module, names)) {
            return false;
        }
        let Some((root, _)) = dotted(expr) else {
            return false;
        };
        self.resolve(root).is_some_and(|(owner, binding)| {
            owner == self.scope() && self.flow.get(owner, root).is_some()
                || binding.count == binding.import_count
                || binding.only_value().is_some()
        })
    }

    /// Whether an expression may be a module.
    pub(super) fn is_module_value(&self, expr: &Expr) -> bool {
        is_any_module(&self.known(expr))
    }

    /// Whether something may be a module that may be imported. Of others the import was refused, and
    /// what is done with them is not told again.
    pub(super) fn is_importable(&self, known: &[Known]) -> bool {
        known
            .iter()
            .any(|known| matches!(known, Known::Module(module) if self.is_module(module)))
    }

    /// Whether a statement gives a module another name. Not in a class, of which the name would be
    /// an attribute, which objects carry about.
    pub(super) fn is_alias(&self, targets: &[Expr], value: &Expr) -> bool {
        matches!(targets, [Expr::Name(_)])
            && self.scopes.kind(self.scope()) != ScopeKind::Class
            && self.is_module_value(value)
    }
}
