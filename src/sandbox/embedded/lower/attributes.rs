//! Attributes that the interpreter does not have.

use crate::pysyntax::ast::token::TokenKind;
use crate::pysyntax::ast::visitor::Visitor as _;
use crate::pysyntax::ast::{Expr, ExprAttribute, ExprContext};
use crate::pysyntax::{Ranged, TextRange};

use super::builtins::{WHOLE_PATTERNS, is_exception};
use super::calls::METHODS;
use super::imports::helper;
use super::methods::{BUILTIN_METHODS, OF_TYPES, TYPES};
use super::rewrite::Rewriter;
use super::scope::Site;

/// The fields of the errors of compiled servers.
const ERROR_FIELDS: &[&str] = &["body", "headers", "message", "status"];

/// Special attributes that are as they should be, of what has them at all.
const SPECIAL: &[&str] = &["__class__", "__name__"];

/// Special methods that code may call by their name: those of its own classes, and those that the
/// interpreter has.
const CALLED: &[&str] = &[
    "__aenter__",
    "__aexit__",
    "__aiter__",
    "__anext__",
    "__contains__",
    "__enter__",
    "__eq__",
    "__exit__",
    "__hash__",
    "__init__",
    "__iter__",
    "__next__",
    "__repr__",
    "__str__",
];

/// Attributes of functions, exceptions and coroutines that nothing else has.
const MISSING: &[&str] = &["add_note", "cr_code", "gi_code", "with_traceback"];

impl<'a> Rewriter<'_, 'a> {
    /// An attribute that is looked up; `is_called` where that is to call it.
    pub fn attribute(&mut self, attribute: &'a ExprAttribute, is_called: bool) {
        let name = attribute.attr.as_str();
        self.check_private(name, attribute.attr.start(), true);
        if attribute.ctx != ExprContext::Load {
            self.stored_attribute(attribute);
            self.visit_expr(&attribute.value);
            return;
        }
        if let Some(module) = self.module_path(&attribute.value) {
            if let Some(helper) = helper(&module, name) {
                self.edits.replace(attribute.range(), helper);
            } else if let Some(value) = self.type_of_server(&module, name) {
                self.edits.replace(attribute.range(), value);
            } else if !self.has_member(&module, name) {
                self.refuse(format!("`{module}.{name}`"), attribute.attr.start());
            } else if !is_called && self.is_type(&module) {
                self.bound_method(attribute);
            }
            return;
        }
        if name == "__name__" && self.is_nameless(&attribute.value) {
            self.edits.wrap(attribute.range(), "_mce_class_name(", ")");
            let gap = TextRange::new(self.dot(attribute).start(), attribute.end());
            self.edits.replace(gap, self.padding(gap, ""));
            return;
        }
        if let Expr::Name(it) = &*attribute.value
            && let Some(binding) = self.scopes.resolve(self.scope, it.id.as_str())
            && matches!(binding.only(), Some(Site::Function))
        {
            self.refuse("an attribute of a function", attribute.attr.start());
            return;
        }
        if MISSING.contains(&name) || (is_special(name) && !self.is_fine(attribute)) {
            self.refuse(format!("the attribute `{name}`"), attribute.attr.start());
            return;
        }
        if name == "__name__" && self.facts.has_api_errors && self.type_name(attribute) {
            return;
        }
        if name == "__class__" {
            self.edits.wrap(attribute.range(), "_mce_type(", ")");
            let dot = self.dot(attribute);
            let gap = TextRange::new(dot.start(), attribute.end());
            self.edits.replace(gap, self.padding(gap, ""));
            self.visit_expr(&attribute.value);
            return;
        }
        if self.facts.has_api_errors && ERROR_FIELDS.contains(&name) {
            self.edits.wrap(attribute.range(), "_mce_error_field(", ")");
            let dot = self.dot(attribute);
            let gap = TextRange::new(dot.start(), attribute.end());
            let padding = self.padding(gap, "");
            self.edits.replace(gap, format!(", {padding}\"{name}\""));
        } else if name != "args" && self.is_caught(&attribute.value) {
            self.refuse(format!("`.{name}` of an exception"), attribute.attr.start());
            return;
        } else if !is_called && self.bound_method(attribute) {
            return;
        }
        self.visit_expr(&attribute.value);
    }

    /// A method that is a value: builtin types have theirs only to be called.
    fn bound_method(&mut self, attribute: &'a ExprAttribute) -> bool {
        let name = attribute.attr.as_str();
        if BUILTIN_METHODS.binary_search(&name).is_err() {
            return false;
        }
        let kind = self.builtin_name(&attribute.value);
        let gap = TextRange::new(self.dot(attribute).start(), attribute.end());
        let padding = self.padding(gap, "");
        if kind.is_some_and(|kind| TYPES.contains(&kind)) && !OF_TYPES.contains(&name) {
            let call = method_call(name);
            self.edits.wrap(attribute.range(), "_mce_unbound(", ")");
            self.edits.replace(
                gap,
                format!(
                    ", {padding}\"{name}\", \
                     lambda _mce_self, *_mce_args, **_mce_options: {call}"
                ),
            );
            return true;
        }
        // The receiver of a method of the code's own is of its class.
        if let Expr::Name(it) = &*attribute.value
            && it.id.as_str() == "self"
            && self.is_in_class()
        {
            return false;
        }
        self.edits.wrap(attribute.range(), "_mce_bound(", ")");
        let make = bound(name);
        self.edits
            .replace(gap, format!(", {padding}\"{name}\", {make}"));
        self.visit_expr(&attribute.value);
        true
    }

    fn dot(&self, attribute: &ExprAttribute) -> TextRange {
        let between = TextRange::new(attribute.value.end(), attribute.attr.start());
        self.source.last(between, TokenKind::Dot).unwrap_or(between)
    }

    /// Whether a value is nothing but what `except … as` bound.
    fn is_caught(&self, expr: &Expr) -> bool {
        let binding = expr
            .as_name_expr()
            .and_then(|name| self.scopes.resolve(self.scope, name.id.as_str()));
        binding.is_some_and(|binding| {
            !binding.sites.is_empty()
                && binding
                    .sites
                    .iter()
                    .all(|site| matches!(site, Site::Exception))
        })
    }

    /// `type(x).__name__` and `x.__class__.__name__`: errors of compiled servers are of a class with
    /// another name.
    fn type_name(&mut self, attribute: &'a ExprAttribute) -> bool {
        let (value, from) = match &*attribute.value {
            Expr::Call(call) if self.is_builtin(&call.func, "type") => {
                let [value] = &*call.arguments.args else {
                    return false;
                };
                self.edits.replace(call.func.range(), "");
                (value, self.dot(attribute))
            }
            Expr::Attribute(class) if class.attr.as_str() == "__class__" => {
                (&*class.value, self.dot(class))
            }
            _ => return false,
        };
        self.edits.wrap(attribute.range(), "_mce_type_name(", ")");
        let gap = TextRange::new(from.start(), attribute.end());
        self.edits.replace(gap, self.padding(gap, ""));
        self.visit_expr(value);
        true
    }

    /// Whether a special attribute is as it should be.
    fn is_fine(&self, attribute: &ExprAttribute) -> bool {
        let name = attribute.attr.as_str();
        if name == "__name__" {
            return match &*attribute.value {
                Expr::Call(call) => self.is_builtin(&call.func, "type"),
                Expr::Attribute(value) => value.attr.as_str() == "__class__",
                Expr::Name(it) => match self.scopes.resolve(self.scope, it.id.as_str()) {
                    Some(binding) => binding
                        .class()
                        .is_some_and(|class| !self.is_replaced(class)),
                    None => WHOLE_PATTERNS.contains(&it.id.as_str()),
                },
                _ => false,
            };
        }
        SPECIAL.contains(&name) || CALLED.contains(&name)
    }

    /// Whether a value surely is a class that does not tell its name: that of an exception.
    fn is_nameless(&self, expr: &Expr) -> bool {
        let Expr::Name(name) = expr else {
            return false;
        };
        match self.scopes.resolve(self.scope, name.id.as_str()) {
            None => is_exception(name.id.as_str()),
            // What leaving a `with` is told.
            Some(binding) => {
                matches!(self.function, "__exit__" | "__aexit__")
                    && matches!(binding.only(), Some(Site::Parameter))
            }
        }
    }

    /// A place that an attribute is put in.
    pub fn stored_attribute(&mut self, attribute: &'a ExprAttribute) {
        let name = attribute.attr.as_str();
        self.check_private(name, attribute.attr.start(), true);
        if let Some(module) = self.module_path(&attribute.value) {
            self.refuse(format!("assigning to `{module}.{name}`"), attribute.start());
        } else if is_special(name) {
            self.refuse(format!("assigning to `{name}`"), attribute.attr.start());
        } else if let Expr::Name(it) = &*attribute.value
            && let Some(binding) = self.scopes.resolve(self.scope, it.id.as_str())
            && matches!(binding.only(), Some(Site::Function))
        {
            self.refuse("an attribute of a function", attribute.attr.start());
        } else if self.is_caught(&attribute.value) {
            self.refuse("an attribute of an exception", attribute.attr.start());
        }
    }
}

fn is_special(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("__")
}

/// The text of a function that gives a method of its argument.
pub fn bound(name: &str) -> String {
    let call = method_call(name);
    format!("lambda _mce_self: lambda *_mce_args, **_mce_options: {call}")
}

fn method_call(name: &str) -> String {
    let (method, first) = if METHODS.contains(&name) {
        (format!("_mce_method_{name}"), "_mce_self, ")
    } else {
        (format!("_mce_self.{name}"), "")
    };
    // Builtin methods take no keywords, not even none of them.
    format!(
        "({method}({first}*_mce_args, **_mce_options) if _mce_options else {method}({first}*_mce_args))"
    )
}
