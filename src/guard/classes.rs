//! Rules for how classes are made: bases, metaclasses, `type` as a function, registration. Through
//! any of these code could get at what a library keeps from it.

use crate::pysyntax::ast::{
    Expr, ExprCall, ExprCompare, ExprDict, Operator, Stmt, StmtClassDef, StmtFunctionDef,
};
use crate::pysyntax::{Ranged, TextRange};

use super::binder::RECEIVERS;
use super::check::{Checker, has_starred, is_dunder};
use super::finding::quoted;
use super::knowledge::{Known, is_name, is_of};
use super::libraries::{CLASS_MAKERS, CLASS_MEMBERS};
use super::rule;
use super::scope::{Binding, Value};

/// How many classes of one name are looked at.
const MAX_CLASSES: usize = 8;

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
        if !self.direct.contains(&range) {
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
            func @ Expr::Subscript(subscript) if self.may_be(&subscript.value, "type") => {
                self.called_types.insert(func.range());
                true
            }
            func if self.is_type_of_field(func) => arguments.args.len() == 3 || starred,
            func @ Expr::Name(_) => match self.binding_of(func).and_then(Binding::only_value) {
                // A class that is asked of something is called by another name.
                Some(Value {
                    expr: Expr::Call(inner),
                    ..
                }) if self.may_be(&inner.func, "type") => {
                    arguments.args.len() == 3
                        || starred
                        || inner.arguments.args.iter().any(|argument| {
                            self.comes_of_library(argument) || self.is_a_class(argument)
                        })
                }
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
                let of_class =
                    inner.arguments.args.iter().any(|argument| {
                        self.comes_of_library(argument) || self.is_a_class(argument)
                    });
                of_class
                    || starred && !own
                    || arguments.args.len() == 3
                        && self.may_be_namespace(arguments.args.get(2), own)
            }
            Expr::Attribute(attribute) if attribute.attr.as_str() == "__class__" => {
                arguments.args.len() == 3 && self.may_be_namespace(arguments.args.get(2), true)
            }
            _ => false,
        };
        for argument in &arguments.args {
            if let Expr::Dict(namespace) = argument {
                self.check_namespace(namespace);
            }
        }
        if makes_class {
            let message = "a class is made by a call";
            let hint = "write a `class` statement";
            self.report(rule::METACLASS, call.range(), message, hint);
        }
    }

    /// Whether an expression may be the type of a field, which may be `type`, read from the
    /// description of the field or bound to a name.
    fn is_type_of_field(&self, func: &Expr) -> bool {
        let reads = |expr: &Expr| match expr {
            Expr::Attribute(attribute) => {
                matches!(attribute.attr.as_str(), "type" | "annotation")
                    && !self.is_own_receiver(&attribute.value)
                    && !self.is_own_instance(&attribute.value)
            }
            _ => false,
        };
        let value = self.binding_of(func).and_then(Binding::only_value);
        self.imports_field_makers() && (reads(func) || value.is_some_and(|it| reads(it.expr)))
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
        argument.is_some_and(|argument| !(own && self.is_arithmetic(argument)))
    }

    /// Whether an expression is calculated from numbers and attributes of the object at hand.
    fn is_arithmetic(&self, expr: &Expr) -> bool {
        match expr {
            Expr::BinOp(operation) => {
                operation.op != Operator::BitOr
                    && self.is_arithmetic(&operation.left)
                    && self.is_arithmetic(&operation.right)
            }
            Expr::UnaryOp(operation) => self.is_arithmetic(&operation.operand),
            Expr::Attribute(attribute) => attribute.value.is_name_expr(),
            Expr::Name(name) => self.binding(name.id.as_str()).is_some_and(|binding| {
                binding.count == binding.parameters
                    || binding.count == binding.values.len()
                        && binding.values.iter().all(|value| {
                            matches!(value.expr, Expr::BinOp(_) | Expr::NumberLiteral(_))
                        })
            }),
            _ => expr.is_literal_expr() || expr.is_f_string_expr(),
        }
    }

    /// Whether an expression names a class: one of the code, or a built-in one.
    fn is_a_class(&self, expr: &Expr) -> bool {
        match self.binding_of(expr) {
            Some(binding) => !binding.classes.is_empty(),
            None => expr.is_name_expr(),
        }
    }

    /// `type(x)`
    pub(super) fn is_type_call(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Call(call) if self.may_be(&call.func, "type"))
            || self.may_be(expr, "type")
    }

    /// A dict with the members of a class that Python itself looks for.
    pub(super) fn check_namespace(&mut self, dict: &ExprDict) {
        for item in &dict.items {
            let Some(Expr::StringLiteral(key)) = &item.key else {
                continue;
            };
            let name = key.value.to_str();
            let member =
                self.policy.attributes.class_hooks.contains(name) || CLASS_MEMBERS.contains(&name);
            if member && is_dunder(name) && name != "__doc__" {
                let message = format!("the key {} is that of a member of a class", quoted(name));
                let hint = "write a `class` statement, or choose another key";
                self.report(rule::METACLASS, key.range, message, hint);
            }
        }
    }

    /// The class of a pattern: a variable could be one that code made at run time.
    pub(super) fn check_pattern_class(&mut self, class: &Expr) {
        let made = self.binding_of(class).is_some_and(|binding| {
            binding.count > 0
                && binding.import_count == 0
                && binding.classes.is_empty()
                && (binding.values.len() > MAX_CLASSES
                    || binding.values.iter().any(|value| {
                        !(value.expr.is_name_expr()
                            || value.expr.is_attribute_expr()
                            || self.makes_record_class(value.expr))
                    }))
        });
        if made {
            let message = "the class of a pattern is made by a call";
            let hint = "name a class that a `class` statement defines";
            self.report(rule::METACLASS, class.range(), message, hint);
        }
    }

    /// `namedtuple("P", "x y")` and the like.
    fn makes_record_class(&self, expr: &Expr) -> bool {
        let Expr::Call(call) = expr else { return false };
        let known = self.known(&call.func);
        is_name(&known, "collections", &["namedtuple"])
            || is_name(&known, "typing", &["NamedTuple"])
            || is_name(&known, "enum", &["Enum", "IntEnum", "StrEnum"])
            || is_name(&known, "dataclasses", &["make_dataclass"])
            || is_name(&known, "pydantic", &["create_model"])
    }

    /// `Own.method(other)`, by which a method gets an object that is not of its class.
    pub(super) fn check_foreign_receiver(&mut self, call: &ExprCall) {
        let Expr::Attribute(function) = &*call.func else {
            return;
        };
        let Some(argument) = call.arguments.args.first() else {
            return;
        };
        let takes_object = |class: &&StmtClassDef| {
            class.body.iter().any(|stmt| {
                matches!(stmt, Stmt::FunctionDef(method)
                    if method.name.as_str() == function.attr.as_str()
                        && method.decorator_list.is_empty()
                        && takes_object(method))
            })
        };
        let takes_object = self.binding_of(&function.value).is_some_and(|binding| {
            binding.classes.len() > MAX_CLASSES || binding.classes.iter().any(takes_object)
        });
        if takes_object && !is_dunder(&function.attr) && self.is_foreign(argument) {
            let message = "a method is called on something that is not of its class";
            let hint = "call it on an object of the class, or make it a function";
            self.report(rule::CLASS_HOOK, argument.range(), message, hint);
        }
    }

    /// Whether an argument is certainly no object of a class of the code.
    fn is_foreign(&self, argument: &Expr) -> bool {
        match argument {
            Expr::Name(_) if self.is_receiver(argument) => false,
            Expr::Name(name) => match self.binding(name.id.as_str()) {
                None => true,
                Some(binding) => {
                    !self.known(argument).is_empty()
                        || !binding.functions.is_empty()
                        || binding.only_value().is_some_and(|value| {
                            !value.expr.is_name_expr() && self.is_foreign(value.expr)
                        })
                }
            },
            Expr::Call(call) => !self.binding_of(&call.func).is_some_and(|binding| {
                !(binding.classes.is_empty() && binding.functions.is_empty())
            }),
            Expr::Attribute(_) | Expr::Subscript(_) => false,
            _ => true,
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

/// Whether a function takes an object of its class, by what it calls it.
fn takes_object(method: &StmtFunctionDef) -> bool {
    let first = method.parameters.iter().next();
    first.is_some_and(|parameter| RECEIVERS.contains(&parameter.name().as_str()))
}
