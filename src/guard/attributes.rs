//! Rules for attributes, by what stands before the dot: a module, of which the policy says what may
//! be taken, or an object.

use crate::pysyntax::ast::visitor::source_order::SourceOrderVisitor;
use crate::pysyntax::ast::{Expr, ExprAttribute, ExprContext, ExprSubscript};
use crate::pysyntax::{Ranged, TextRange};

use super::check::{Checker, is_dunder};
use super::finding::quoted;
use super::knowledge::Known;
use super::libraries::FORMAT_METHODS;
use super::position::shorten;
use super::{hints, rule};

impl<'a> Checker<'a> {
    /// An attribute that stands anywhere but before another dot.
    pub(super) fn check_attribute(&mut self, expr: &'a Expr, attribute: &'a ExprAttribute) {
        if !self.check_path(attribute) {
            return;
        }
        let known = self.known(expr);
        if self.is_importable(&known) && !self.is_tested(attribute.range) {
            self.report_module_value(expr);
        }
        self.check_direct_use(&known, attribute.range);
    }

    /// A module as such, where it is not named to take something of it.
    pub(super) fn report_module_value(&mut self, expr: &Expr) {
        let text = self.source(expr.range()).to_owned();
        let message = format!("the module {} is used as a value", quoted(&text));
        let hint = format!("name what is used of it, such as `{}.…`", shorten(&text));
        self.report(rule::MODULE_VALUE, expr.range(), message, hint);
    }

    /// An item of a library's object that is assigned or deleted.
    pub(super) fn check_item_change(&mut self, subscript: &ExprSubscript) {
        if subscript.ctx != ExprContext::Load && !self.known(&subscript.value).is_empty() {
            self.report_change(subscript.range);
        }
    }

    /// An object of a library that is changed for all code that uses it.
    pub(super) fn report_change(&mut self, range: TextRange) {
        let message = "an imported object is changed";
        let hint = "keep the value in a variable of your own";
        self.report(rule::MODULE_WRITE, range, message, hint);
    }

    /// A module that a statement gives another name.
    pub(super) fn visit_alias_value(&mut self, value: &'a Expr) {
        match value {
            Expr::Attribute(attribute) => {
                self.check_path(attribute);
            }
            Expr::Name(name) => {
                self.check_name_reference(name.id.as_str(), name.range);
            }
            _ => self.visit_expr(value),
        }
    }

    /// What stands before a dot and after it, whatever becomes of the whole. Tells whether what
    /// stands before it is known through imports; else the whole is not.
    fn check_path(&mut self, attribute: &'a ExprAttribute) -> bool {
        let name = attribute.attr.as_str();
        let known = self.known(&attribute.value);
        let modules: Vec<&str> = known.iter().filter_map(Known::as_module).collect();
        if attribute.ctx != ExprContext::Load && !known.is_empty() {
            let message = format!("{} of an imported object is changed", quoted(name));
            let hint = "keep the value in a variable of your own";
            self.report(rule::MODULE_WRITE, attribute.range, message, hint);
        } else if attribute.ctx != ExprContext::Load && self.describes_fields(&attribute.value) {
            let message = format!("{} of the description of a field is changed", quoted(name));
            let hint = "describe fields where the class is written";
            self.report(rule::MODULE_WRITE, attribute.range, message, hint);
        }
        if modules.is_empty() {
            self.check_object_attribute(attribute, !known.is_empty());
            self.visit_receiver(attribute);
            return !known.is_empty();
        }
        for module in &modules {
            self.check_member(module, attribute.attr.as_str(), attribute.attr.range);
        }
        // A module's own name is fine before a dot, though not as a value.
        match &*attribute.value {
            Expr::Attribute(outer) => {
                self.check_path(outer);
            }
            Expr::Name(_) => {}
            _ => self.visit_receiver(attribute),
        }
        true
    }

    /// Visits what stands before the dot.
    fn visit_receiver(&mut self, attribute: &'a ExprAttribute) {
        // `type(x).__name__` in its older spelling, `x.__class__.__name__`.
        if matches!(attribute.attr.as_str(), "__name__" | "__qualname__")
            && attribute.ctx == ExprContext::Load
            && let Expr::Attribute(inner) = &*attribute.value
            && inner.attr.as_str() == "__class__"
        {
            self.visit_expr(&inner.value);
        } else {
            self.visit_expr(&attribute.value);
        }
    }

    /// Judges an attribute of an object that is no module. `imported` tells whether it is one that
    /// a module offers.
    fn check_object_attribute(&mut self, attribute: &ExprAttribute, imported: bool) {
        let name = attribute.attr.as_str();
        let range = attribute.attr.range;
        if is_dunder(name) {
            if !self.allows_dunder(attribute) {
                self.report_attribute(name, range);
            }
            return;
        }
        if FORMAT_METHODS.contains(&name) {
            self.check_format(attribute);
            return;
        }
        let own = |checker: &Self| !imported && checker.may_be_own(&attribute.value, name);
        self.check_attribute_name(name, range, own);
    }

    /// Whether a dunder attribute may be used as it is here. Some may be read of a method's own
    /// object or of a class of the code alone.
    fn allows_dunder(&self, attribute: &ExprAttribute) -> bool {
        let rules = &self.policy.attributes;
        let name = attribute.attr.as_str();
        let receiver = &*attribute.value;
        if attribute.ctx != ExprContext::Load {
            return rules.dunder_assignable.contains(name);
        }
        rules.dunder_readable.contains(name)
            || name == "__class__" && self.is_receiver(receiver)
            || rules.class_hooks.contains(name)
                && (self.is_own_class(receiver)
                    || rules.operators.contains(name) && self.is_receiver(receiver))
    }

    /// Judges the name of an attribute of an unknown object. `own` tells whether the name may be
    /// one that the code itself defines.
    pub(super) fn check_attribute_name(
        &mut self,
        name: &str,
        range: TextRange,
        own: impl FnOnce(&Self) -> bool,
    ) {
        let rules = &self.policy.attributes;
        let allowed = if rules.internals.contains(name) {
            false
        } else if is_dunder(name) {
            rules.dunder_readable.contains(name)
        } else {
            let is_internal = |prefix: &String| name.starts_with(prefix);
            let refused = name.starts_with('_')
                || rules.internal_prefixes.iter().any(is_internal)
                || rules.modules.contains(name)
                || rules.denied.contains(name);
            !refused
                || rules.private_readable.contains(name)
                || self.scopes.own_attributes.contains(name) && own(self)
        };
        if !allowed {
            self.report_attribute(name, range);
        }
    }

    /// Tells by which rule an attribute may not be used.
    fn report_attribute(&mut self, name: &str, range: TextRange) {
        let rules = &self.policy.attributes;
        let shown = quoted(name);
        let (rule, message, hint) = if rules.internals.contains(name) {
            (
                rule::ATTRIBUTE_INTERNAL,
                format!("{shown} belongs to Python's own machinery"),
                "work with values, not with frames, tracebacks or code objects",
            )
        } else if is_dunder(name) {
            let hint = hints::of_dunder(name);
            (
                rule::ATTRIBUTE_DUNDER,
                format!("the attribute {shown} may not be used"),
                hint,
            )
        } else if name.starts_with('_') {
            (
                rule::ATTRIBUTE_PRIVATE,
                format!("{shown} is private to an object that the code does not define"),
                "use its documented attributes",
            )
        } else if rules.modules.contains(name) {
            (
                rule::ATTRIBUTE_BLOCKED,
                format!("{shown} is the name of a module that may not be reached"),
                "choose another name for a field of your own; keys of a dict are read with `[…]`",
            )
        } else {
            (
                rule::ATTRIBUTE_BLOCKED,
                format!("the attribute {shown} may not be used"),
                "use another documented attribute or function; keys of a dict are read with `[…]`",
            )
        };
        self.report(rule, range, message, hint);
    }
}
