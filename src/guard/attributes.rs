//! Rules for attributes, whether written after a dot or as a string.

use crate::pysyntax::ast::visitor::source_order::SourceOrderVisitor;
use crate::pysyntax::ast::{Expr, ExprAttribute, ExprContext, StmtClassDef};
use crate::pysyntax::{Ranged, TextRange};

use super::check::{Checker, Known, is_dunder};
use super::finding::quoted;
use super::scope::ScopeKind;
use super::{format, rule};

impl<'a> Checker<'a> {
    pub(super) fn check_attribute(&mut self, expr: &'a Expr, attribute: &'a ExprAttribute) {
        let name = attribute.attr.as_str();
        let known = self.known(&attribute.value);
        let modules: Vec<&str> = known
            .iter()
            .filter_map(|known| match known {
                Known::Module(module) => Some(module.as_str()),
                Known::Name(..) => None,
            })
            .collect();
        if attribute.ctx != ExprContext::Load && !known.is_empty() {
            let message = format!("{} of an imported object is changed", quoted(name));
            let hint = "keep the value in a variable of your own";
            self.report(rule::MODULE_WRITE, attribute.range, message, hint);
        }
        if modules.is_empty() {
            self.check_object_attribute(attribute, !known.is_empty());
        } else {
            for module in &modules {
                self.check_member(module, attribute.attr.as_str(), attribute.attr.range);
            }
        }
        if !modules.is_empty() {
            self.check_attribute_getter_value(&self.known(expr), attribute.range);
        }
        // A module's own name is fine as a receiver, though not as a value.
        if modules.is_empty() || !attribute.value.is_name_expr() {
            self.visit_receiver(attribute);
        }
    }

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

    fn check_object_attribute(&mut self, attribute: &ExprAttribute, imported: bool) {
        let name = attribute.attr.as_str();
        let range = attribute.attr.range;
        if is_dunder(name) {
            let rules = &self.policy.attributes;
            let allowed = if attribute.ctx == ExprContext::Load {
                rules.dunder_readable.contains(name)
                    || name == "__class__"
                        && matches!(&*attribute.value, Expr::Name(receiver)
                            if self.is_receiver(receiver.id.as_str()))
                    || rules.class_hooks.contains(name) && self.is_own_class(&attribute.value)
            } else {
                rules.dunder_assignable.contains(name)
            };
            if !allowed {
                self.report_attribute(name, range);
            }
            return;
        }
        if matches!(name, "format" | "format_map") {
            self.check_format(attribute);
            return;
        }
        let exception = matches!(&*attribute.value, Expr::Name(receiver)
            if self.resolve(receiver.id.as_str()).is_some_and(|(_, binding)| binding.exception));
        self.check_attribute_name(name, range, !imported && !exception);
    }

    /// Whether a hook may be called on the expression: `super()`, a class of the code, or a
    /// built-in class whose constructor is extended.
    pub(super) fn is_own_class(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Call(call) => self.is_builtin(&call.func, "super"),
            Expr::Name(name) => match self.resolve(name.id.as_str()) {
                Some((_, binding)) => {
                    !binding.classes.is_empty() && binding.count == binding.classes.len()
                }
                None => matches!(
                    name.id.as_str(),
                    "object"
                        | "str"
                        | "int"
                        | "float"
                        | "tuple"
                        | "list"
                        | "dict"
                        | "set"
                        | "frozenset"
                        | "bytes"
                        | "Exception"
                        | "ValueError"
                        | "RuntimeError"
                ),
            },
            _ => false,
        }
    }

    /// Judges the name of an attribute of an unknown object. `own` tells whether the name may be
    /// one that the code itself defines.
    pub(super) fn check_attribute_name(&mut self, name: &str, range: TextRange, own: bool) {
        let rules = &self.policy.attributes;
        let own = own && self.scopes.own_attributes.contains(name);
        let allowed = if rules.internals.contains(name) {
            false
        } else if is_dunder(name) {
            rules.dunder_readable.contains(name)
        } else {
            own || rules.private_readable.contains(name)
                || !(name.starts_with('_')
                    || rules
                        .internal_prefixes
                        .iter()
                        .any(|prefix| name.starts_with(prefix))
                    || rules.modules.contains(name)
                    || rules.denied.contains(name))
        };
        if !allowed {
            self.report_attribute(name, range);
        }
    }

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
            let hint = match name {
                "__class__" => "use `type(x).__name__` or `isinstance`",
                "__dict__" => "name the attributes, or use a dataclass and `asdict`",
                "__traceback__" => "print the exception itself",
                _ => "use the operator or built-in that stands for it",
            };
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
                "import an allowed module; keys of a dict are read with `[…]`",
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

    /// `template.format`, called or not.
    fn check_format(&mut self, attribute: &ExprAttribute) {
        let receiver = &*attribute.value;
        if self.is_own_instance(receiver) && self.scopes.own_attributes.contains("format") {
            return;
        }
        let Some(templates) = self.texts(receiver) else {
            let message = "the template of `format` is not a literal";
            self.report(
                rule::FORMAT_TEMPLATE,
                attribute.range,
                message,
                "use an f-string",
            );
            return;
        };
        for template in templates {
            if let Some(field) = format::attribute_field(&template) {
                let message = format!(
                    "the field {} of the template reads an attribute",
                    quoted(field)
                );
                self.report(
                    rule::FORMAT_TEMPLATE,
                    receiver.range(),
                    message,
                    "use an f-string",
                );
            }
        }
    }

    fn is_own_instance(&self, expr: &Expr) -> bool {
        let own_class = |name: &str| {
            self.resolve(name).is_some_and(|(_, binding)| {
                binding.count == 1
                    && binding
                        .classes
                        .first()
                        .is_some_and(|class| class.bases().is_empty())
            })
        };
        match expr {
            Expr::Call(call) => {
                matches!(&*call.func, Expr::Name(name) if own_class(name.id.as_str()))
            }
            Expr::Name(name) => self.resolve(name.id.as_str()).is_some_and(|(_, binding)| {
                let made = match binding.values.as_slice() {
                    [Expr::Call(call)] => {
                        matches!(&*call.func, Expr::Name(class) if own_class(class.id.as_str()))
                    }
                    _ => false,
                };
                binding.count == 1 && (binding.receiver || made)
            }),
            _ => false,
        }
    }

    /// Bases and keywords of a class.
    pub(super) fn check_class(&mut self, class: &StmtClassDef) {
        let metaclass = |checker: &Self, expr: &Expr| {
            checker.is_builtin(expr, "type") || checker.is_known(expr, "abc", &["ABCMeta"])
        };
        for base in class.bases() {
            if metaclass(self, base) {
                let hint = "use a class decorator, or `__init_subclass__`";
                self.report(
                    rule::METACLASS,
                    base.range(),
                    "the class is a metaclass",
                    hint,
                );
            }
        }
        for keyword in class.keywords() {
            let name = keyword
                .arg
                .as_ref()
                .map_or("metaclass", |name| name.as_str());
            if name == "metaclass" && !self.is_known(&keyword.value, "abc", &["ABCMeta"]) {
                let hint = "use `abc.ABC`, a class decorator, or `__init_subclass__`";
                let message = "a metaclass changes how the class is made";
                self.report(rule::METACLASS, keyword.range, message, hint);
            }
        }
    }

    /// `__slots__` and `__match_args__`, whose strings are attribute names.
    pub(super) fn check_class_attribute(&mut self, target: &Expr, value: &Expr) {
        let Expr::Name(name) = target else { return };
        if self.scopes.kind(self.scope()) != ScopeKind::Class
            || !matches!(name.id.as_str(), "__slots__" | "__match_args__")
        {
            return;
        }
        let items = match value {
            Expr::Tuple(tuple) => tuple.elts.as_slice(),
            Expr::List(list) => list.elts.as_slice(),
            _ => std::slice::from_ref(value),
        };
        for item in items {
            if let Expr::StringLiteral(literal) = item {
                self.check_attribute_name(literal.value.to_str(), literal.range, true);
            } else {
                let message = format!("{} holds more than literal names", quoted(&name.id));
                let hint = "write the names as string literals";
                self.report(rule::ATTRIBUTE_DYNAMIC, item.range(), message, hint);
            }
        }
    }
}
