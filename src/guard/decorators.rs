//! Decorators that the policy denies, by the full names that imports give them.

use crate::pysyntax::ast::{Decorator, Expr};
use crate::pysyntax::{Ranged, TextRange};

use super::check::Checker;
use super::finding::quoted;
use super::rule;
use super::scope::{Imported, ScopeId};

/// How many names are followed to an import.
const MAX_STEPS: usize = 8;

/// How many different imports of one name are looked at.
const MAX_IMPORTS: usize = 8;

/// How many attributes a name of a decorator may have.
const MAX_ATTRIBUTES: usize = 16;

/// The longest name of a decorator that a policy can deny, in bytes.
pub(super) const MAX_NAME: usize = 256;

impl Checker<'_> {
    /// The decorators of a function or class.
    pub(super) fn check_decorators(&mut self, decorators: &[Decorator]) {
        if self.policy.denied_decorators.is_empty() {
            return;
        }
        for decorator in decorators {
            let expr = &decorator.expression;
            for name in self.full_names(expr, self.scope(), MAX_STEPS) {
                if let Some(hint) = self.policy.denied_decorators.get(&name) {
                    self.report_decorator(&name, expr.range(), hint.clone());
                }
            }
        }
    }

    fn report_decorator(&mut self, name: &str, range: TextRange, hint: String) {
        let message = format!("the decorator {} may not be used", quoted(name));
        self.report(rule::DECORATOR_BLOCKED, range, message, hint);
    }

    /// The full names that an expression can have: those that imports give it, or that of a
    /// built-in. A call stands for what is called, so that a method of an object is known by its
    /// class: `app = Flask(…)` makes `@app.route(…)` a `flask.Flask.route`.
    fn full_names(&self, expr: &Expr, scope: ScopeId, steps: usize) -> Vec<String> {
        let mut attributes = Vec::new();
        let mut root = expr;
        let name = loop {
            match root {
                Expr::Attribute(attribute) => {
                    if attributes.len() == MAX_ATTRIBUTES {
                        return Vec::new();
                    }
                    attributes.push(attribute.attr.as_str());
                    root = &attribute.value;
                }
                Expr::Call(call) => root = &call.func,
                Expr::Named(named) => root = &named.value,
                Expr::Name(name) => break name.id.as_str(),
                _ => return Vec::new(),
            }
        };
        // Else a long name that is used often would be put together as often.
        if attributes.iter().map(|it| it.len()).sum::<usize>() > MAX_NAME {
            return Vec::new();
        }
        let mut names = self.names_of_root(name, scope, steps);
        for full in &mut names {
            for attribute in attributes.iter().rev() {
                full.push('.');
                full.push_str(attribute);
            }
        }
        names
    }

    /// The full names that a name can have.
    fn names_of_root(&self, name: &str, scope: ScopeId, steps: usize) -> Vec<String> {
        let Some((_, binding)) = self.scopes.resolve(scope, name) else {
            return vec![name.to_owned()];
        };
        let imports = binding.imports.iter().take(MAX_IMPORTS);
        let full = imports.map(|imported| match imported {
            Imported::Module(module) => module.to_string(),
            Imported::Name(module, name) => format!("{module}.{name}"),
        });
        let mut names: Vec<String> = full.filter(|full| full.len() <= MAX_NAME).collect();
        if self.policy.denied_decorators.contains_key(name) && self.may_be_builtin(name) {
            names.push(name.to_owned());
        }
        if let [value] = binding.values.as_slice()
            && let Some(steps) = steps.checked_sub(1)
        {
            names.extend(self.full_names(value.expr, value.scope, steps));
        }
        names
    }
}
