//! Facts that stand at the top level of the code; those about imports and `await` come from the
//! judging pass.

use std::ops::Range;

use crate::pysyntax::Ranged;
use crate::pysyntax::ast::{Expr, ModModule, Stmt};

use super::check::PARAMS;
use super::literal::is_literal;
use super::scope::Scopes;
use super::{Facts, MainFunction, TopLevelParameter};

/// What stands at the top level of a module.
pub(super) fn of_module(module: &ModModule, scopes: &Scopes<'_>) -> Facts {
    let mut facts = Facts {
        prologue_end: prologue_end(module),
        reads_params: scopes.binding(0, PARAMS).is_none() && scopes.reads_params,
        assigns_result: scopes.binding(0, "result").is_some(),
        ..Facts::default()
    };
    for stmt in &module.body {
        match stmt {
            Stmt::FunctionDef(function) if function.name.as_str() == "main" => {
                facts.main = Some(if function.is_async {
                    MainFunction::Async
                } else {
                    MainFunction::Sync
                });
            }
            Stmt::Assign(assign) => {
                if let [target] = assign.targets.as_slice() {
                    parameters(target, &assign.value, scopes, &mut facts.parameters);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    parameters(&assign.target, value, scopes, &mut facts.parameters);
                }
            }
            _ => {}
        }
    }
    facts
}

/// The names that an assignment gives a literal: `a = 1`, `a: int = 1`, `a, b = 1, 2`.
fn parameters(
    target: &Expr,
    value: &Expr,
    scopes: &Scopes<'_>,
    parameters: &mut Vec<TopLevelParameter>,
) {
    match (target, value) {
        (Expr::Name(name), _) => {
            let id = name.id.as_str();
            let once = scopes
                .binding(0, id)
                .is_some_and(|binding| binding.count == 1);
            if once && id != "result" && !id.starts_with('_') && is_literal(value) {
                parameters.push(TopLevelParameter {
                    name: id.to_owned(),
                    span: span(value),
                });
            }
        }
        (Expr::Tuple(targets), Expr::Tuple(values)) if targets.elts.len() == values.elts.len() => {
            for (target, value) in targets.elts.iter().zip(&values.elts) {
                if target.is_name_expr() && !value.is_starred_expr() {
                    self::parameters(target, value, scopes, parameters);
                }
            }
        }
        _ => {}
    }
}

/// The bytes of an expression.
fn span(expr: &Expr) -> Range<usize> {
    expr.range().start().to_usize()..expr.range().end().to_usize()
}

/// The end of the docstring and of the `__future__` imports.
fn prologue_end(module: &ModModule) -> usize {
    let mut end = 0;
    for (index, stmt) in module.body.iter().enumerate() {
        let prologue = match stmt {
            Stmt::Expr(expression) => index == 0 && expression.value.is_string_literal_expr(),
            Stmt::ImportFrom(import) => {
                import.level == 0
                    && import
                        .module
                        .as_ref()
                        .is_some_and(|name| name.as_str() == "__future__")
            }
            _ => false,
        };
        if !prologue {
            break;
        }
        end = stmt.range().end().to_usize();
    }
    end
}
