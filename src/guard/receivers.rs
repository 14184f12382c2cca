//! What is known of the object before a dot: whether the code itself made it or a library did,
//! which tells whose attributes it has.

use crate::pysyntax::ast::{Expr, Stmt, StmtClassDef};

use super::check::Checker;
use super::knowledge::Known;
use super::libraries::{EXTENDED_BUILTINS, OBJECT_MAKERS, RESULT_GIVERS};

/// How many values of a name are looked at for one that a library made.
const MAX_VALUES: usize = 8;

/// How many names that are bound to names are followed.
const MAX_NAMES: usize = 4;

/// How many statements of a class are looked at for a name that it binds.
const MAX_STATEMENTS: usize = 200;

impl Checker<'_> {
    /// Whether an attribute that the code's own classes have may be meant.
    pub(super) fn may_be_own(&self, receiver: &Expr, name: &str) -> bool {
        let exception = self.binding_of(receiver).is_some_and(|binding| {
            let other = binding
                .only_value()
                .and_then(|value| self.binding_of(value.expr));
            binding.exception || other.is_some_and(|binding| binding.exception)
        });
        let of_library = self.is_of_library(receiver);
        if exception || of_library {
            return false;
        }
        if let Expr::Name(class) = receiver {
            // A built-in class has none; nor is it one that a class of the code has from a library.
            let Some(binding) = self.binding(class.id.as_str()) else {
                return false;
            };
            let has = |class: &&StmtClassDef| !self.extends_library(class) || binds(class, name);
            if binding.classes.len() > MAX_VALUES || !binding.classes.iter().all(has) {
                return false;
            }
        }
        if self.may_lead_to_event_loop(name) {
            return self.is_own_receiver(receiver) || self.is_own_instance(receiver);
        }
        true
    }

    /// Whether an attribute of that name may lead from an object of asyncio to its event loop.
    pub(super) fn may_lead_to_event_loop(&self, name: &str) -> bool {
        (self.imports("asyncio") || self.imports("contextlib"))
            && self.policy.attributes.of_event_loops.contains(name)
    }

    /// Whether an object is one that a library made, or an attribute of one.
    fn is_of_library(&self, expr: &Expr) -> bool {
        self.spend_work(1);
        match expr {
            Expr::Attribute(attribute) => self.is_of_library(&attribute.value),
            Expr::Subscript(subscript) => self.is_of_library(&subscript.value),
            Expr::Call(call) if self.may_be(&call.func, "super") => self
                .classes
                .last()
                .is_some_and(|class| self.extends_library(class)),
            Expr::Call(call) => self.known(&call.func).iter().any(|known| match known {
                // What it holds the code itself gave it.
                Known::Name(module, name) if module == "types" && name == "SimpleNamespace" => {
                    false
                }
                Known::Name(module, name) => {
                    let class = name.starts_with(|first: char| first.is_ascii_uppercase());
                    let made = OBJECT_MAKERS.contains(&module.as_str());
                    class || made && !RESULT_GIVERS.contains(&name.as_str())
                }
                Known::Module(_) => false,
            }),
            Expr::Name(_) => self.is_name_of_library(expr, MAX_NAMES),
            _ => false,
        }
    }

    /// Whether a name is bound to such an object, or to a name that is.
    fn is_name_of_library(&self, name: &Expr, names: usize) -> bool {
        self.binding_of(name).is_some_and(|binding| {
            let mut values = binding.values.iter().chain(&binding.contexts);
            binding.values.len() + binding.contexts.len() > MAX_VALUES
                || values.any(|value| match value.expr {
                    Expr::Call(_) => self.is_of_library(value.expr),
                    Expr::Name(_) => names > 0 && self.is_name_of_library(value.expr, names - 1),
                    _ => false,
                })
        })
    }

    /// Whether a class has a base that is imported.
    pub(super) fn extends_library(&self, class: &StmtClassDef) -> bool {
        let bases = class.bases();
        bases.len() > MAX_VALUES || bases.iter().any(|base| !self.known(base).is_empty())
    }

    /// Whether an expression is the object of the method around, whose class is the code's alone.
    pub(super) fn is_own_receiver(&self, expr: &Expr) -> bool {
        self.is_receiver(expr)
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
            Expr::Name(name) => match self.binding(name.id.as_str()) {
                Some(binding) => {
                    !binding.classes.is_empty() && binding.count == binding.classes.len()
                }
                None => EXTENDED_BUILTINS.contains(&name.id.as_str()),
            },
            _ => false,
        }
    }

    /// Whether an object is certainly one of a class of the code: one that is made there, or that a
    /// method with a `format` of its own is called on.
    pub(super) fn is_own_instance(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Call(_) => self.makes_own_instance(expr),
            Expr::Name(_) => self.binding_of(expr).is_some_and(|binding| {
                let made = binding
                    .only_value()
                    .is_some_and(|value| self.makes_own_instance(value.expr));
                let receiver = binding.receiver
                    && self.classes.last().is_some_and(|class| {
                        defines_method(class, "format") && !self.extends_library(class)
                    });
                binding.count == 1 && (receiver || made)
            }),
            _ => false,
        }
    }

    /// Whether an expression is a call of a class of the code that gives an instance of it.
    fn makes_own_instance(&self, expr: &Expr) -> bool {
        let Expr::Call(call) = expr else { return false };
        self.binding_of(&call.func).is_some_and(|binding| {
            let class = binding.classes.first();
            binding.count == 1 && class.is_some_and(|class| makes_own_instances(class))
        })
    }

    /// Whether an object describes a field of a dataclass or model, from which the library makes
    /// code.
    pub(super) fn describes_fields(&self, expr: &Expr) -> bool {
        self.imports_field_makers() && self.may_describe_fields(expr, MAX_NAMES)
    }

    /// Whether the code uses a library whose classes have descriptions of fields.
    pub(super) fn imports_field_makers(&self) -> bool {
        self.imports("dataclasses") || self.imports("pydantic")
    }

    /// The same, where so many names are followed.
    fn may_describe_fields(&self, expr: &Expr, names: usize) -> bool {
        self.spend_work(1);
        let are_fields = |expr: &Expr| matches!(expr, Expr::Attribute(fields) if fields.attr.as_str() == "model_fields");
        match expr {
            Expr::Subscript(subscript) => {
                are_fields(&subscript.value) || self.may_describe_fields(&subscript.value, names)
            }
            // `Model.model_fields.values()`, `.get("x")`
            Expr::Call(call) => {
                matches!(&*call.func, Expr::Attribute(method) if are_fields(&method.value))
                    || self.is_known(&call.func, "dataclasses", &["fields", "field"])
            }
            Expr::Name(_) => self.binding_of(expr).is_some_and(|binding| {
                let loops = binding.iterables.iter().map(|(value, _)| value);
                let mut values = binding.values.iter().chain(loops);
                binding.values.len() + binding.iterables.len() > MAX_VALUES
                    || names > 0
                        && values.any(|value| self.may_describe_fields(value.expr, names - 1))
            }),
            _ => false,
        }
    }
}

/// Whether the body of a class has a method.
pub(super) fn defines_method(class: &StmtClassDef, name: &str) -> bool {
    let is_it =
        |stmt: &Stmt| matches!(stmt, Stmt::FunctionDef(function) if function.name.as_str() == name);
    class.body.iter().any(is_it)
}

/// Whether the body of a class itself binds a name.
fn binds(class: &StmtClassDef, name: &str) -> bool {
    class
        .body
        .iter()
        .take(MAX_STATEMENTS)
        .any(|stmt| match stmt {
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
pub(super) fn makes_own_instances(class: &StmtClassDef) -> bool {
    let has_new = |stmt: &Stmt| match stmt {
        Stmt::FunctionDef(function) => function.name.as_str() == "__new__",
        Stmt::Assign(_) | Stmt::If(_) | Stmt::For(_) | Stmt::With(_) | Stmt::Try(_) => true,
        _ => false,
    };
    class.bases().is_empty() && class.decorator_list.is_empty() && !class.body.iter().any(has_new)
}
