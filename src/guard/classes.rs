//! Rules for how classes are made: bases, metaclasses, `type` as a function, registration. Through
//! any of these code could get at what a library keeps from it.

use crate::pysyntax::ast::{Expr, ExprCall, ExprCompare, Operator, StmtClassDef};
use crate::pysyntax::{Ranged, TextRange};

use super::check::{Checker, has_starred};
use super::finding::quoted;
use super::knowledge::{Known, is_of};
use super::libraries::CLASS_MAKERS;
use super::rule;
use super::scope::{Binding, Value};

impl Checker<'_> {
    /// Bases and keywords of a class.
    pub(super) fn check_class(&mut self, class: &StmtClassDef) {
        for base in class.bases() {
            self.check_base(base);
            let metaclass = match base {
                Expr::Call(call) => self.may_be(&call.func, "type"),
                _ => self.may_be(base, "type") || self.is_known(base, "abc", &["ABCMeta"]),
            };
            if metaclass {
                let message = "the class is a metaclass";
                let hint = "use a class decorator, or `__init_subclass__`";
                self.report(rule::METACLASS, base.range(), message, hint);
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

    /// `type` other than in `type(x)`: whoever gets it can make classes.
    pub(super) fn check_type_reference(&mut self, range: TextRange) {
        if self.annotations == 0 && !self.direct.contains(&range) {
            let message = "`type` is used as a value, which could make classes";
            let hint =
                "call `type(x)` where the type is needed; write a `class` statement for a class";
            self.report(rule::METACLASS, range, message, hint);
        }
    }

    /// `type(name, bases, namespace)` and `type(x)(…)`, which make classes.
    pub(super) fn check_class_call(&mut self, call: &ExprCall) {
        let arguments = &call.arguments;
        let starred = has_starred(arguments);
        let makes_class = match &*call.func {
            func if self.may_be(func, "type") => {
                let one = arguments.args.len() == 1 && !starred && arguments.keywords.is_empty();
                self.direct.insert(func.range());
                !one
            }
            func @ Expr::Name(_) => match self.binding_of(func).and_then(Binding::only_value) {
                // A class that is asked of something is called by another name.
                Some(Value {
                    expr: Expr::Call(inner),
                    ..
                }) if self.may_be(&inner.func, "type") => inner
                    .arguments
                    .args
                    .iter()
                    .any(|argument| self.comes_of_library(argument)),
                _ => false,
            },
            Expr::Call(inner) if self.may_be(&inner.func, "type") => {
                let own =
                    matches!(&*inner.arguments.args, [argument] if self.is_receiver(argument));
                if !own {
                    arguments
                        .args
                        .iter()
                        .for_each(|argument| self.check_made_type(argument));
                }
                starred && !own
                    || arguments.args.len() == 3
                        && self.may_be_namespace(arguments.args.get(2), own)
            }
            Expr::Attribute(attribute) if attribute.attr.as_str() == "__class__" => {
                arguments.args.len() == 3 && self.may_be_namespace(arguments.args.get(2), true)
            }
            _ => false,
        };
        if makes_class {
            let message = "a class is made by a call";
            let hint = "write a `class` statement";
            self.report(rule::METACLASS, call.range(), message, hint);
        }
    }

    /// Whether a value is a class of a library, or comes out of a call of one.
    fn comes_of_library(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Subscript(subscript) => self.comes_of_library(&subscript.value),
            Expr::Attribute(attribute) if self.known(expr).is_empty() => {
                self.comes_of_library(&attribute.value)
            }
            Expr::Call(call) => is_of(&self.known(&call.func), &CLASS_MAKERS),
            _ => !self.known(expr).is_empty(),
        }
    }

    /// Whether the third argument of a class that may be `type` can be the members of a new class.
    fn may_be_namespace(&self, argument: Option<&Expr>, own: bool) -> bool {
        match argument {
            Some(Expr::BinOp(operation)) => operation.op == Operator::BitOr,
            Some(Expr::Name(name)) => {
                !own || self.binding(name.id.as_str()).is_none_or(|binding| {
                    binding.count != binding.values.len()
                        || binding.values.iter().any(|value| {
                            !matches!(value.expr, Expr::BinOp(_) | Expr::NumberLiteral(_))
                        })
                })
            }
            Some(Expr::Attribute(attribute)) => !own || !attribute.value.is_name_expr(),
            Some(other) => {
                !(other.is_literal_expr()
                    || matches!(
                        other,
                        Expr::UnaryOp(_) | Expr::FString(_) | Expr::Compare(_)
                    ))
            }
            None => false,
        }
    }

    /// `Own.register(Library)`: class patterns of the own class would read the other one's objects.
    pub(super) fn check_registration(&mut self, call: &ExprCall) {
        let Expr::Attribute(function) = &*call.func else {
            return;
        };
        if function.attr.as_str() == "register"
            && self
                .binding_of(&function.value)
                .is_some_and(|binding| !binding.classes.is_empty())
            && let Some(argument) = call.arguments.args.first()
            && (!self.known(argument).is_empty() || argument.is_call_expr())
        {
            let message = "a class of a library is made one of the code's own";
            let hint = "check for both classes";
            self.report(rule::CLASS_HOOK, call.range(), message, hint);
        }
    }

    /// `self.__class__ is other.__class__`, as `__eq__` is often written.
    pub(super) fn compares_own_class(&self, compare: &ExprCompare) -> bool {
        let class_of = |expr: &Expr| match expr {
            Expr::Attribute(attribute)
                if attribute.attr.as_str() == "__class__" && attribute.value.is_name_expr() =>
            {
                Some(self.is_receiver(&attribute.value))
            }
            _ => None,
        };
        let operands = std::iter::once(&*compare.left).chain(&compare.comparators);
        let receivers: Option<Vec<bool>> = operands.map(class_of).collect();
        receivers.is_some_and(|receivers| receivers.contains(&true))
    }
}
