//! Rules for attributes, whether written after a dot or as a string.

use crate::pysyntax::ast::visitor::source_order::SourceOrderVisitor;
use crate::pysyntax::ast::{Expr, ExprAttribute, ExprContext, Stmt, StmtClassDef};
use crate::pysyntax::{Ranged, TextRange};

use super::check::{Checker, NAMES_OF_ATTRIBUTES, is_dunder};
use super::finding::quoted;
use super::knowledge::Known;
use super::position::shorten;
use super::scope::{ScopeKind, Value};
use super::texts::Purpose;
use super::{format, rule};

/// How many attributes and items lead to an object that a library made.
const MAX_RECEIVERS: usize = 8;

/// How many values of a name are looked at for one that a library made.
const MAX_VALUES: usize = 8;

/// Whether the body of a class has a method.
fn defines_method(class: &StmtClassDef, name: &str) -> bool {
    let is_it =
        |stmt: &Stmt| matches!(stmt, Stmt::FunctionDef(function) if function.name.as_str() == name);
    class.body.iter().any(is_it)
}

/// Whether the body of a class itself binds a name.
fn binds(class: &StmtClassDef, name: &str) -> bool {
    class.body.iter().any(|stmt| match stmt {
        Stmt::FunctionDef(function) => function.name.as_str() == name,
        Stmt::ClassDef(class) => class.name.as_str() == name,
        Stmt::AnnAssign(assign) => {
            matches!(&*assign.target, Expr::Name(target) if target.id.as_str() == name)
        }
        Stmt::Assign(assign) => assign.targets.iter().any(|target| match target {
            Expr::Name(target) => target.id.as_str() == name,
            Expr::Tuple(_) => true,
            _ => false,
        }),
        _ => false,
    })
}

/// Whether calling a class gives an instance of it and of nothing else.
fn makes_own_instances(class: &StmtClassDef) -> bool {
    let has_new = |stmt: &Stmt| match stmt {
        Stmt::FunctionDef(function) => function.name.as_str() == "__new__",
        Stmt::Assign(_) | Stmt::If(_) | Stmt::For(_) | Stmt::With(_) | Stmt::Try(_) => true,
        _ => false,
    };
    class.bases().is_empty() && class.decorator_list.is_empty() && !class.body.iter().any(has_new)
}

impl<'a> Checker<'a> {
    /// Whether an object describes a field of a dataclass or model, from which the library makes
    /// code.
    fn describes_fields(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Subscript(subscript) => match &*subscript.value {
                Expr::Attribute(attribute) => attribute.attr.as_str() == "model_fields",
                value => self.describes_fields(value),
            },
            Expr::Call(call) => self.is_known(&call.func, "dataclasses", &["fields", "field"]),
            Expr::Name(name) => self.resolve(name.id.as_str()).is_some_and(|(_, binding)| {
                let loops = binding.iterables.iter().map(|(value, _)| value);
                let values = binding.values.iter().chain(loops);
                values
                    .take(MAX_VALUES)
                    .any(|value| !value.expr.is_name_expr() && self.describes_fields(value.expr))
            }),
            _ => false,
        }
    }

    /// A class that the code extends.
    fn check_base(&mut self, base: &Expr) {
        for known in self.known(base) {
            let Known::Name(module, name) = known else {
                continue;
            };
            if let Some(hint) = self.policy.denied_bases.get(&format!("{module}.{name}")) {
                let message = format!("{} may not be extended", quoted(&name));
                self.report(rule::CLASS_BASE, base.range(), message, hint.clone());
            }
        }
    }

    pub(super) fn check_attribute(&mut self, expr: &'a Expr, attribute: &'a ExprAttribute) {
        self.check_path(attribute);
        if self.is_module_value(expr) && !self.is_tested(attribute.range) {
            self.report_module_value(expr);
        }
        self.check_direct_use(&self.known(expr), attribute.range);
    }

    /// A module as such, where it is not named to take something of it.
    pub(super) fn report_module_value(&mut self, expr: &Expr) {
        let text = self.source(expr.range()).to_owned();
        let message = format!("the module {} is used as a value", quoted(&text));
        let hint = format!("name what is used of it, such as `{}.…`", shorten(&text));
        self.report(rule::MODULE_VALUE, expr.range(), message, hint);
    }

    /// A module that a statement gives another name.
    pub(super) fn visit_alias_value(&mut self, value: &'a Expr) {
        match value {
            Expr::Attribute(attribute) => self.check_path(attribute),
            Expr::Name(name) => {
                self.check_name_reference(name.id.as_str(), name.range);
            }
            _ => self.visit_expr(value),
        }
    }

    /// What stands before a dot and after it, whatever becomes of the whole.
    fn check_path(&mut self, attribute: &'a ExprAttribute) {
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
        } else if attribute.ctx != ExprContext::Load && self.describes_fields(&attribute.value) {
            let message = format!("{} of the description of a field is changed", quoted(name));
            let hint = "describe fields where the class is written";
            self.report(rule::MODULE_WRITE, attribute.range, message, hint);
        }
        if modules.is_empty() {
            self.check_object_attribute(attribute, !known.is_empty());
            self.visit_receiver(attribute);
            return;
        }
        for module in &modules {
            self.check_member(module, attribute.attr.as_str(), attribute.attr.range);
        }
        // A module's own name is fine before a dot, though not as a value.
        match &*attribute.value {
            Expr::Attribute(outer) => self.check_path(outer),
            Expr::Name(_) => {}
            _ => self.visit_receiver(attribute),
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
                    || rules.class_hooks.contains(name)
                        && (self.is_own_class(&attribute.value)
                            || rules.operators.contains(name)
                                && matches!(&*attribute.value, Expr::Name(receiver)
                                if self.is_receiver(receiver.id.as_str())))
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
        let own = !imported && self.may_be_own(&attribute.value, name);
        self.check_attribute_name(name, range, own);
    }

    /// Whether an attribute that the code's own classes have may be meant.
    pub(super) fn may_be_own(&self, receiver: &Expr, name: &str) -> bool {
        let exception = matches!(receiver, Expr::Name(receiver)
            if self.resolve(receiver.id.as_str()).is_some_and(|(_, binding)| binding.exception));
        let of_library = self.is_of_library(receiver, MAX_RECEIVERS);
        if exception || of_library {
            return false;
        }
        if let Expr::Name(class) = receiver {
            match self.resolve(class.id.as_str()) {
                // A built-in class, or what a class of the code has from a library.
                None => return false,
                Some((_, binding)) => {
                    let has =
                        |class: &&StmtClassDef| binds(class, name) || !self.extends_library(class);
                    if !binding.classes.iter().all(has) {
                        return false;
                    }
                }
            }
        }
        let asyncio = self.scopes.imported_roots.contains("asyncio");
        if asyncio && self.policy.attributes.of_event_loops.contains(name) {
            return self.is_own_receiver(receiver) || self.is_own_instance(receiver);
        }
        true
    }

    /// Whether an object is one that a library made, or an attribute of one.
    fn is_of_library(&self, expr: &Expr, steps: usize) -> bool {
        let Some(steps) = steps.checked_sub(1) else {
            return false;
        };
        match expr {
            Expr::Attribute(attribute) => self.is_of_library(&attribute.value, steps),
            Expr::Subscript(subscript) => self.is_of_library(&subscript.value, steps),
            Expr::Call(call) if self.may_be(&call.func, "super") => self
                .classes
                .last()
                .is_some_and(|class| self.extends_library(class)),
            Expr::Call(call) => self.known(&call.func).iter().any(|known| match known {
                Known::Name(module, name) => {
                    let class = name.starts_with(|first: char| first.is_ascii_uppercase());
                    let gives_results = ["run", "gather", "wait_for", "to_thread", "shield"];
                    let made = matches!(module.as_str(), "asyncio" | "contextlib");
                    class || made && !gives_results.contains(&name.as_str())
                }
                Known::Module(_) => false,
            }),
            Expr::Name(name) => self.resolve(name.id.as_str()).is_some_and(|(_, binding)| {
                let values = binding.values.iter().chain(&binding.contexts);
                values
                    .take(MAX_VALUES)
                    .any(|value| value.expr.is_call_expr() && self.is_of_library(value.expr, 1))
            }),
            _ => false,
        }
    }

    /// Whether a class has a base that is imported.
    fn extends_library(&self, class: &StmtClassDef) -> bool {
        class
            .bases()
            .iter()
            .any(|base| !self.known(base).is_empty())
    }

    /// Whether an expression is the object of the method around, whose class is the code's alone.
    fn is_own_receiver(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Name(name) if self.is_receiver(name.id.as_str()))
            && self
                .classes
                .last()
                .is_some_and(|class| !self.extends_library(class))
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

    /// Remembers a value that is compared, printed or asked for an attribute, and so not called.
    pub(super) fn note_plain_use(&mut self, expr: &Expr) {
        if matches!(expr, Expr::Attribute(attribute) if attribute.attr.as_str() == "format") {
            self.plain.insert(expr.range());
        }
    }

    /// `template.format`, called or not.
    fn check_format(&mut self, attribute: &ExprAttribute) {
        let receiver = &*attribute.value;
        if self.is_own_instance(receiver) && self.scopes.own_attributes.contains("format") {
            return;
        }
        if self.plain.contains(&attribute.range) {
            // Compared, or asked for something else: a value that only has this name.
            return;
        }
        if self.may_be_own_format(receiver) {
            return;
        }
        let Some(templates) = self.texts(receiver, Purpose::Template) else {
            let message = format!(
                "the template of {} is not a literal",
                quoted(&attribute.attr)
            );
            let hint = "use an f-string, or a function that returns one; give a method or field of your own \
                        another name";
            self.report(rule::FORMAT_TEMPLATE, attribute.range, message, hint);
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

    /// Whether a name may be an object of a class of the code that has a method `format`: one that
    /// a loop is over, or that is annotated so.
    fn may_be_own_format(&self, receiver: &Expr) -> bool {
        let Expr::Name(name) = receiver else {
            return false;
        };
        let Some((_, binding)) = self.resolve(name.id.as_str()) else {
            return false;
        };
        let own = |expr: &Expr| match expr {
            Expr::Name(class) => self.resolve(class.id.as_str()).is_some_and(|(_, binding)| {
                binding.count == 1
                    && binding
                        .classes
                        .iter()
                        .any(|class| defines_method(class, "format"))
            }),
            _ => false,
        };
        let looped = |(value, _): &(Value<'_>, Option<usize>)| {
            match value.expr {
            Expr::List(list) => list.elts.iter().all(|item| matches!(item, Expr::Call(call) if own(&call.func))),
            Expr::Name(list) => self.resolve(list.id.as_str()).and_then(|(_, binding)| binding.only_value()).is_some_and(|value| {
                matches!(value.expr, Expr::List(list) if list.elts.iter().all(|item| matches!(item, Expr::Call(call) if own(&call.func))))
            }),
            _ => false,
        }
        };
        let annotated = binding.annotations.iter().any(|annotation| own(annotation));
        binding.count > 0
            && (binding.count == binding.parameters && annotated
                || binding.count == binding.iterables.len() && binding.iterables.iter().all(looped))
    }

    fn is_own_instance(&self, expr: &Expr) -> bool {
        let own_class = |name: &str| {
            self.resolve(name).is_some_and(|(_, binding)| {
                let class = binding.classes.first();
                binding.count == 1 && class.is_some_and(|class| makes_own_instances(class))
            })
        };
        match expr {
            Expr::Call(call) => {
                matches!(&*call.func, Expr::Name(name) if own_class(name.id.as_str()))
            }
            Expr::Name(name) => self.resolve(name.id.as_str()).is_some_and(|(_, binding)| {
                let made = match binding.only_value().map(|value| value.expr) {
                    Some(Expr::Call(call)) => {
                        matches!(&*call.func, Expr::Name(class) if own_class(class.id.as_str()))
                    }
                    _ => false,
                };
                let receiver = binding.receiver
                    && self
                        .classes
                        .last()
                        .is_some_and(|class| defines_method(class, "format"));
                binding.count == 1 && (receiver || made)
            }),
            _ => false,
        }
    }

    /// Bases and keywords of a class.
    pub(super) fn check_class(&mut self, class: &StmtClassDef) {
        for base in class.bases() {
            self.check_base(base);
            let metaclass = match base {
                Expr::Call(call) => self.may_be(&call.func, "type"),
                _ => self.may_be(base, "type") || self.is_known(base, "abc", &["ABCMeta"]),
            };
            if metaclass {
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
            self.check_alias_generator(keyword);
            let name = keyword
                .arg
                .as_ref()
                .map_or("metaclass", |name| name.as_str());
            if name == "metaclass" {
                self.metaclasses.insert(keyword.value.range());
            }
            if name == "metaclass" && !self.is_surely(&keyword.value, "abc", &["ABCMeta"]) {
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
            || !NAMES_OF_ATTRIBUTES.contains(&name.id.as_str())
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
                // An object may be said to have these; that reads neither.
                let declared = name.id.as_str() == "__slots__"
                    && matches!(literal.value.to_str(), "__dict__" | "__weakref__");
                if !declared {
                    self.check_text_attribute(literal.value.to_str(), literal.range, true);
                }
            } else {
                let message = format!("{} holds more than literal names", quoted(&name.id));
                let hint = "write the names as string literals";
                self.report(rule::ATTRIBUTE_DYNAMIC, item.range(), message, hint);
            }
        }
    }
}
