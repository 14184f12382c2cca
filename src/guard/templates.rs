//! Rules for templates, which read attributes by the names in them: `text.format(…)` and what
//! pydantic formats.

use crate::pysyntax::Ranged;
use crate::pysyntax::ast::{Expr, ExprAttribute, ExprCall, ExprContext};

use super::check::Checker;
use super::finding::quoted;
use super::receivers::{defines_method, makes_own_instances};
use super::scope::{Binding, Value};
use super::texts::Purpose;
use super::{format, rule};

/// How many loops bind the name of an object.
const MAX_LOOPS: usize = 8;

impl Checker<'_> {
    /// Remembers a value that is compared, printed or asked for an attribute, and so not called.
    pub(super) fn note_plain_use(&mut self, expr: &Expr) {
        if is_format(expr) {
            self.plain.insert(expr.range());
        }
    }

    /// `template.format`, called or not.
    pub(super) fn check_format(&mut self, attribute: &ExprAttribute) {
        let receiver = &*attribute.value;
        // What is assigned is a value of the code's own.
        if attribute.ctx != ExprContext::Load {
            return;
        }
        if !self.called.contains(&attribute.range) && self.has_field_format(receiver) {
            return;
        }
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

    /// Whether an object has a field `format` that its class declares or sets: the object of a
    /// method, or one that is made, looped over or annotated as one of a class of the code.
    fn has_field_format(&self, receiver: &Expr) -> bool {
        if self.scopes.own_attributes.contains("format") && self.is_receiver(receiver) {
            return true;
        }
        let own = |expr: &Expr| {
            self.binding_of(expr).is_some_and(|binding| {
                binding.count == 1
                    && binding
                        .classes
                        .iter()
                        .any(|class| !defines_method(class, "format"))
            })
        };
        let made = |expr: &Expr| matches!(expr, Expr::Call(call) if own(&call.func));
        let looped = |(value, _): &(Value<'_>, Option<usize>)| match value.expr {
            Expr::List(list) => list.elts.iter().all(made),
            _ => false,
        };
        self.scopes.own_attributes.contains("format")
            && self.binding_of(receiver).is_some_and(|binding| {
                let annotated = binding.annotations.len() == binding.parameters
                    && binding.annotations.iter().all(|annotation| own(annotation));
                (1..=MAX_LOOPS).contains(&binding.count)
                    && (binding.only_value().is_some_and(|value| made(value.expr))
                        || binding.count == binding.parameters && annotated
                        || binding.count == binding.iterables.len()
                            && binding.iterables.iter().all(looped))
            })
    }

    /// Whether a name is an object of a class of the code that has a method `format`, since a loop is
    /// over such.
    fn may_be_own_format(&self, receiver: &Expr) -> bool {
        let Some(binding) = self.binding_of(receiver) else {
            return false;
        };
        let looped = || {
            binding
                .iterables
                .iter()
                .all(|(value, _)| self.holds_objects_with_format(value.expr))
        };
        (1..=MAX_LOOPS).contains(&binding.count)
            && binding.count == binding.iterables.len()
            && looped()
    }

    /// Whether a name is that of a class of the code with a method `format`.
    fn is_class_with_format(&self, expr: &Expr) -> bool {
        self.binding_of(expr).is_some_and(|binding| {
            binding.count == 1
                && binding
                    .classes
                    .iter()
                    .any(|class| defines_method(class, "format") && makes_own_instances(class))
        })
    }

    /// Whether an expression is a list of objects of such classes, or a name for one.
    fn holds_objects_with_format(&self, expr: &Expr) -> bool {
        let list = match expr {
            Expr::Name(name) if self.scopes.escapes(name.id.as_str()) => return false,
            Expr::Name(_) => match self.binding_of(expr).and_then(Binding::only_value) {
                Some(value) => value.expr,
                None => return false,
            },
            _ => expr,
        };
        let own = |item: &Expr| match item {
            Expr::Call(call) => self.is_class_with_format(&call.func),
            _ => false,
        };
        matches!(list, Expr::List(list) if list.elts.iter().all(own))
    }

    /// `ref_template=`, which pydantic formats.
    pub(super) fn check_reference_template(&mut self, call: &ExprCall) {
        let Some(keyword) = call.arguments.find_keyword("ref_template") else {
            return;
        };
        let templates = self.texts(&keyword.value, Purpose::Template);
        let plain = templates.is_some_and(|texts| {
            texts
                .iter()
                .all(|text| format::attribute_field(text).is_none())
        });
        if !plain && self.imports("pydantic") {
            let message = "the template is not a literal, or reads an attribute";
            let hint = "write a literal with `{model}` as its only field";
            self.report(rule::FORMAT_TEMPLATE, keyword.range, message, hint);
        }
    }
}

/// `x.format`
pub(super) fn is_format(expr: &Expr) -> bool {
    matches!(expr, Expr::Attribute(attribute) if attribute.attr.as_str() == "format")
}
