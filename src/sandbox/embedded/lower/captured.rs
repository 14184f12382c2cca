//! Builtins in the library: code may give their names to something else, the library means builtins.

use super::builtins::{NATIVE, is_exception};
use super::scope::{ScopeId, Scopes};
use crate::pysyntax::ast::visitor::{Visitor, walk_expr, walk_stmt};
use crate::pysyntax::ast::{Comprehension, Expr, ExprContext, Parameters, Stmt};
use crate::pysyntax::{Ranged as _, TextRange, parse};

/// What the names begin with under which builtins are kept.
const KEPT: &str = "_mce_builtin_";

/// The builtins that are kept: exceptions are not given other meanings.
fn kept() -> impl Iterator<Item = &'static str> {
    let names = NATIVE.iter().copied();
    names.filter(|name| !is_exception(name) && !name.starts_with('_'))
}

/// Keeps the builtins, before any code runs.
pub fn keep() -> String {
    kept()
        .flat_map(|name| [KEPT, name, " = ", name, "\n"])
        .collect()
}

/// Library code that looks builtins up where they are kept.
pub fn captured(code: &str) -> String {
    let Ok(module) = parse(code) else {
        return code.to_owned();
    };
    let scopes = Scopes::of(&module.body);
    let mut found = Found {
        scopes: &scopes,
        scope: ScopeId::MODULE,
        names: Vec::new(),
    };
    found.visit_body(&module.body);
    let mut text = code.to_owned();
    found
        .names
        .sort_by_key(|range| std::cmp::Reverse(range.start()));
    for range in found.names {
        text.insert_str(range.start().to_usize(), KEPT);
    }
    text
}

struct Found<'s, 'a> {
    scopes: &'s Scopes<'a>,
    scope: ScopeId,
    names: Vec<TextRange>,
}

impl<'a> Found<'_, 'a> {
    fn within(&mut self, node: TextRange, visit: impl FnOnce(&mut Self)) {
        let outside = self.scope;
        self.scope = self.scopes.at(node);
        visit(self);
        self.scope = outside;
    }

    fn outside_of(&mut self, parameters: &'a Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = parameter.default.as_deref() {
                self.visit_expr(default);
            }
        }
    }

    fn comprehension(
        &mut self,
        node: TextRange,
        elements: &[&'a Expr],
        clauses: &'a [Comprehension],
    ) {
        if let Some(first) = clauses.first() {
            self.visit_expr(&first.iter);
        }
        self.within(node, |this| {
            for (index, clause) in clauses.iter().enumerate() {
                if index > 0 {
                    this.visit_expr(&clause.iter);
                }
                for condition in &clause.ifs {
                    this.visit_expr(condition);
                }
            }
            for element in elements {
                this.visit_expr(element);
            }
        });
    }
}

impl<'a> Visitor<'a> for Found<'_, 'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                for decorator in &function.decorator_list {
                    self.visit_expr(&decorator.expression);
                }
                self.outside_of(&function.parameters);
                self.within(function.range(), |this| this.visit_body(&function.body));
            }
            Stmt::ClassDef(class) => {
                for decorator in &class.decorator_list {
                    self.visit_expr(&decorator.expression);
                }
                self.within(class.range(), |this| this.visit_body(&class.body));
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => {
                let is_kept =
                    name.ctx == ExprContext::Load && kept().any(|it| it == name.id.as_str());
                if is_kept && self.scopes.resolve(self.scope, name.id.as_str()).is_none() {
                    self.names.push(name.range());
                }
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = lambda.parameters.as_deref() {
                    self.outside_of(parameters);
                }
                self.within(lambda.range(), |this| this.visit_expr(&lambda.body));
            }
            Expr::ListComp(it) => self.comprehension(it.range(), &[&it.elt], &it.generators),
            Expr::SetComp(it) => self.comprehension(it.range(), &[&it.elt], &it.generators),
            Expr::Generator(it) => self.comprehension(it.range(), &[&it.elt], &it.generators),
            Expr::DictComp(it) => match it.key.as_deref() {
                Some(key) => self.comprehension(it.range(), &[key, &it.value], &it.generators),
                None => self.comprehension(it.range(), &[&it.value], &it.generators),
            },
            _ => walk_expr(self, expression),
        }
    }
}
