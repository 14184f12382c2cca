//! Rules for names: what may be read, what may be bound, and what Python reads otherwise than it is
//! written.

use crate::pysyntax::TextRange;
use crate::pysyntax::ast::{Alias, Expr, ExprName, Identifier};

use super::check::{Checker, PARAMS, is_dunder};
use super::finding::quoted;
use super::libraries::{ATTRIBUTE_BUILTINS, NAMES_OF_ATTRIBUTES};
use super::rule;
use super::scope::ScopeKind;

impl<'a> Checker<'a> {
    /// A name that is read.
    pub(super) fn check_load(&mut self, expr: &Expr, name: &ExprName) {
        let id = name.id.as_str();
        let range = name.range;
        let resolved = self.resolve(id);
        self.check_mangled(id, range);
        let imported = resolved.is_some_and(|(owner, binding)| {
            !binding.imports.is_empty() || self.scopes.kind(owner) == ScopeKind::Class
        });
        if !imported && resolved.is_some_and(|(scope, _)| self.scopes.kind(scope).has_slots()) {
            return;
        }
        let passed = self.check_name_reference(id, range);
        if id == "type" && self.may_be_builtin(id) {
            self.check_type_reference(range);
        }
        if ATTRIBUTE_BUILTINS.contains(&id) && self.may_be_builtin(id) {
            let message = format!("{} may only be called directly", quoted(id));
            let hint = "call it with a literal attribute name, or use a `lambda`";
            self.report(rule::ATTRIBUTE_DYNAMIC, range, message, hint);
        }
        if !imported {
            return;
        }
        let known = self.known(expr);
        if resolved.is_some_and(|(_, binding)| binding.too_many) {
            let message = format!("{} is bound by too many imports", quoted(id));
            let hint = "give each import its own name";
            self.report(rule::MODULE_VALUE, range, message, hint);
        }
        if passed && self.is_importable(&known) && !self.is_tested(range) {
            self.report_module_value(expr);
        }
        self.check_direct_use(&known, range);
    }

    /// Remembers where a class assigns what holds names of attributes.
    pub(super) fn note_assigned(&mut self, target: &Expr) {
        if let Expr::Name(name) = target
            && NAMES_OF_ATTRIBUTES.contains(&name.id.as_str())
        {
            self.assigned.insert(name.range);
        }
    }

    /// Judges a reference to a name, also those inside string annotations; whether it may stand.
    pub(super) fn check_name_reference(&mut self, id: &str, range: TextRange) -> bool {
        if let Some(hint) = self.policy.denied_names.get(id) {
            if self.may_be_builtin(id) {
                let message = format!("the built-in {} may not be used", quoted(id));
                let hint = hint.clone();
                self.report(rule::NAME_BLOCKED, range, message, hint);
                return false;
            }
        } else if id.starts_with('_')
            && !self.policy.names.readable.contains(id)
            && id != PARAMS
            && self.resolve(id).is_none()
        {
            let message = format!("{} is not defined by the code", quoted(id));
            let hint = if is_dunder(id) {
                "use the documented built-ins and modules"
            } else {
                "define it, or choose a name without `_`"
            };
            self.report(rule::NAME_PRIVATE, range, message, hint);
            return false;
        }
        true
    }

    /// A name such as `__x` inside a class, which Python reads as `_Class__x`.
    fn check_mangled(&mut self, id: &str, range: TextRange) {
        if !id.starts_with("__") || id.ends_with("__") {
            return;
        }
        let Some(class) = self.scopes.class_around(self.scope()) else {
            return;
        };
        // Names of the class and of its functions are all read so, and mean the same.
        if self.resolve(id).is_none_or(|(owner, _)| owner < class) {
            let message = format!("inside a class Python reads {} as another name", quoted(id));
            let hint = "choose a name that begins with one `_` or none";
            self.report(rule::NAME_PRIVATE, range, message, hint);
        }
    }

    /// A name that the code binds.
    pub(super) fn check_binding(&mut self, name: &'a str, range: TextRange) {
        self.bind_perhaps(name);
        let in_class = self.scopes.kind(self.scope()) == ScopeKind::Class;
        if in_class && self.policy.attributes.internals.contains(name) {
            let message = format!("{} belongs to Python's own machinery", quoted(name));
            let hint = "choose another name";
            self.report(rule::ATTRIBUTE_INTERNAL, range, message, hint);
        }
        if !is_dunder(name) || self.policy.names.assignable.contains(name) {
            return;
        }
        if in_class && NAMES_OF_ATTRIBUTES.contains(&name) && !self.assigned.contains(&range) {
            let message = format!(
                "{} is bound in a way that hides which names it holds",
                quoted(name)
            );
            let hint = format!("write `{name} = (\"…\",)`");
            self.report(rule::ATTRIBUTE_DYNAMIC, range, message, hint);
            return;
        }
        if !in_class {
            let message = format!("{} has a meaning of its own to Python", quoted(name));
            let hint = "choose a name without `__`";
            self.report(rule::NAME_PRIVATE, range, message, hint);
        } else if !self.policy.attributes.class_hooks.contains(name) {
            let message = format!("a class may not define {}", quoted(name));
            let hint = "use an ordinary method or attribute";
            self.report(rule::CLASS_HOOK, range, message, hint);
        }
    }

    /// The name that an import gives by `as`.
    pub(super) fn check_alias_name(&mut self, alias: &'a Alias) {
        if let Some(name) = &alias.asname {
            self.check_binding(name.as_str(), name.range);
        }
    }

    /// The names of a `global` or `nonlocal`.
    pub(super) fn check_declared(&mut self, names: &'a [Identifier]) {
        for name in names {
            self.check_mangled(name.as_str(), name.range);
            self.check_binding(name.as_str(), name.range);
        }
    }

    /// `nonlocal` of a name that no function around binds, which Python does not compile.
    pub(super) fn check_nonlocal(&mut self, names: &[Identifier]) {
        for name in names {
            let owner = self
                .resolve(name.as_str())
                .map(|(scope, _)| self.scopes.kind(scope));
            let bound =
                owner.is_some_and(|kind| kind.has_slots() && kind != ScopeKind::TypeParameters);
            if !bound {
                let message = format!("no function around binds {}", quoted(name.as_str()));
                let hint = "assign it in the outer function";
                self.report(rule::SYNTAX, name.range, message, hint);
            }
        }
    }
}
