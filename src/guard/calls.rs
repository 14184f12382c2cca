//! Rules for calls: which of them look at a call, and what may be done but called.

use crate::pysyntax::ast::visitor::source_order::SourceOrderVisitor;
use crate::pysyntax::ast::{Expr, ExprAttribute, ExprCall};
use crate::pysyntax::{Ranged, TextRange};

use super::check::{Checker, are_plain};
use super::knowledge::{Known, is_name};
use super::libraries::{ATTRIBUTE_BUILTINS, ATTRIBUTE_COPIERS, ATTRIBUTE_GETTERS, SORTERS};
use super::rule;
use super::templates::is_format;
use super::walk::walk_expr;

impl<'a> Checker<'a> {
    /// A call, and all that stands in it.
    pub(super) fn check_call(&mut self, expr: &'a Expr, call: &'a ExprCall) {
        if let Expr::Name(name) = &*call.func
            && ATTRIBUTE_BUILTINS.contains(&name.id.as_str())
            && self.may_be_builtin(name.id.as_str())
        {
            self.check_name_reference(name.id.as_str(), name.range);
            self.check_attribute_builtin(call, name.id.as_str());
            return;
        }
        if let Expr::Attribute(function) = &*call.func
            && function.attr.as_str() == "__setattr__"
            && self.is_builtin(&function.value, "object")
        {
            // How a frozen dataclass sets its own fields.
            self.check_name_reference("object", function.value.range());
            self.check_attribute_builtin(call, "setattr");
            return;
        }
        if is_format(&call.func) {
            self.called.insert(call.func.range());
        }
        self.check_class_call(call);
        self.check_foreign_receiver(call);
        self.check_keywords(call);
        if let Expr::Attribute(hook) = &*call.func
            && self.calls_hook_on_itself(hook, call)
        {
            self.check_library_call(call, &self.known(&hook.value));
            self.visit_expr(&hook.value);
            self.visit_arguments(&call.arguments);
            return;
        }
        let known = self.known(called(&call.func));
        self.check_library_call(call, &known);
        // Only what is imported, and `type`, is asked how it is used.
        if !known.is_empty() || is_named(called(&call.func), "type") {
            self.direct.insert(called(&call.func).range());
        }
        self.note_direct_arguments(call);
        walk_expr(self, expr);
    }

    /// What depends on which callable of a library is called.
    fn check_library_call(&mut self, call: &'a ExprCall, known: &[Known]) {
        self.check_private_keywords(call);
        self.check_reference_template(call);
        self.check_registration(call);
        if known.is_empty() {
            return;
        }
        if is_name(known, "operator", &ATTRIBUTE_GETTERS) {
            self.check_attribute_getter(call);
        }
        self.check_wrapper(call, known);
        self.check_pydantic_call(call, known);
        self.check_type_call(call, known);
        self.check_fields(call, known);
    }

    /// Where `type` may stand as an argument.
    fn note_direct_arguments(&mut self, call: &'a ExprCall) {
        let arguments = &call.arguments;
        let plain = are_plain(arguments);
        match (&*call.func, &*arguments.args) {
            (Expr::Name(name), [_, types])
                if plain
                    && matches!(name.id.as_str(), "isinstance" | "issubclass")
                    && self.resolve(name.id.as_str()).is_none() =>
            {
                match types {
                    Expr::Tuple(tuple) => self.direct.extend(tuple.elts.iter().map(Ranged::range)),
                    _ => {
                        self.direct.insert(types.range());
                    }
                }
            }
            (func, [function, _])
                if plain && self.is_builtin(func, "map") && self.may_be(function, "type") =>
            {
                self.direct.insert(function.range());
            }
            _ => {}
        }
        if let Some(key) = arguments.find_keyword("key")
            && self.may_be(&key.value, "type")
            && (SORTERS.iter().any(|name| self.is_builtin(&call.func, name))
                || self.is_surely(&call.func, "itertools", &["groupby"]))
        {
            self.direct.insert(key.value.range());
        }
    }

    /// `Base.__init__(self, …)` in a method, with a base that may be imported.
    fn calls_hook_on_itself(&self, hook: &ExprAttribute, call: &ExprCall) -> bool {
        self.policy
            .attributes
            .class_hooks
            .contains(hook.attr.as_str())
            && !self.may_be(&hook.value, "type")
            && hook.value.is_name_expr()
            && call
                .arguments
                .args
                .first()
                .is_some_and(|argument| self.is_receiver(argument))
    }

    /// A function or class that acts on names or texts which only a direct call shows.
    pub(super) fn check_direct_use(&mut self, known: &[Known], range: TextRange) {
        if known.is_empty() {
            return;
        }
        if is_name(known, "abc", &["ABCMeta"]) && !self.metaclasses.contains(&range) {
            let hint = "write a `class` statement with `abc.ABC` as its base";
            let message = "the metaclass may only stand after `metaclass=`";
            self.report(rule::METACLASS, range, message, hint);
        }
        if self.direct.contains(&range) {
            return;
        }
        let getter = names_attributes(known);
        let makes_types = is_name(known, "pydantic", &["TypeAdapter", "create_model"]);
        if getter {
            let message =
                "the function names attributes by strings; it may only be called directly";
            let hint = "call it with literal names, or use a `lambda`";
            self.report(rule::ATTRIBUTE_DYNAMIC, range, message, hint);
        } else if makes_types {
            let message =
                "what is called here evaluates texts as types; it may only be called directly";
            let hint = "call it where it is needed";
            self.report(rule::ANNOTATION, range, message, hint);
        }
    }
}

/// What is called, without the type arguments: `Adapter[T](…)`.
pub(super) fn called(func: &Expr) -> &Expr {
    match func {
        Expr::Subscript(subscript) => &subscript.value,
        _ => func,
    }
}

/// Whether something reads or copies attributes that texts name.
pub(super) fn names_attributes(known: &[Known]) -> bool {
    is_name(known, "operator", &ATTRIBUTE_GETTERS)
        || is_name(known, "functools", &ATTRIBUTE_COPIERS)
}

/// Whether an expression is this name.
fn is_named(expr: &Expr, name: &str) -> bool {
    matches!(expr, Expr::Name(found) if found.id.as_str() == name)
}
