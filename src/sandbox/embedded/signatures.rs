//! What a compiled module has.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::pysyntax::ast::{Expr, Operator, Stmt};
use crate::pysyntax::{ast, parse};

/// A function.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Signature {
    /// Required parameters whose type has `None`: what cannot be left out can only be meant as null.
    pub(super) nullable: Vec<String>,
    /// How further pages are reached, as the decorator has it.
    pub(super) pages: Option<BTreeMap<String, String>>,
    /// Whether its answers are streams.
    pub(super) streams: bool,
}

/// Functions of servers by name.
pub(super) type Functions = BTreeMap<String, BTreeMap<String, Signature>>;

/// A compiled module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Module {
    pub(super) functions: BTreeMap<String, Signature>,
    /// Its other public names.
    pub(super) types: BTreeSet<String>,
}

/// Reads a compiled module. A text that is none has nothing.
pub(super) fn read(source: &str) -> Module {
    let mut found = Module::default();
    let body = parse(source).map(|module| module.body).unwrap_or_default();
    for statement in &body {
        let of_type = match statement {
            Stmt::FunctionDef(function) => {
                let signature = signature(function);
                found.functions.insert(function.name.to_string(), signature);
                continue;
            }
            Stmt::ClassDef(class) => Some(class.name.as_str()),
            Stmt::Assign(assign) => match assign.targets.as_slice() {
                [Expr::Name(name)] => Some(name.id.as_str()),
                _ => None,
            },
            Stmt::AnnAssign(assign) => assign.target.as_name_expr().map(|name| name.id.as_str()),
            Stmt::TypeAlias(alias) => alias.name.as_name_expr().map(|name| name.id.as_str()),
            _ => None,
        };
        let public = of_type.filter(|name| !name.starts_with('_'));
        found.types.extend(public.map(str::to_owned));
    }
    found
}

fn signature(function: &ast::StmtFunctionDef) -> Signature {
    let parameters = function.parameters.kwonlyargs.iter();
    let nullable = parameters.filter(|parameter| {
        let annotation = parameter.parameter.annotation.as_deref();
        parameter.default.is_none() && annotation.is_some_and(has_none)
    });
    let mut nullable: Vec<String> = nullable.map(|it| it.parameter.name.to_string()).collect();
    if cfg!(feature = "test-hooks") && function.decorator_list.is_empty() {
        nullable.push(STANDS_IN.to_owned());
        nullable.extend(function.is_async.then(|| AWAITED.to_owned()));
    }
    Signature {
        nullable,
        pages: function.decorator_list.iter().find_map(pages),
        streams: function.returns.as_deref().is_some_and(is_stream),
    }
}

/// `pages` of a decorator.
fn pages(decorator: &ast::Decorator) -> Option<BTreeMap<String, String>> {
    let arguments = &decorator.expression.as_call_expr()?.arguments;
    let pages = arguments.find_keyword("pages")?.value.as_dict_expr()?;
    let text = |expr: &Expr| Some(expr.as_string_literal_expr()?.value.to_str().to_owned());
    let items = pages.items.iter();
    items
        .map(|item| Some((text(item.key.as_ref()?)?, text(&item.value)?)))
        .collect()
}

/// Whether a type is that of a stream.
fn is_stream(annotation: &Expr) -> bool {
    let of = match annotation {
        Expr::Subscript(subscript) => &*subscript.value,
        other => other,
    };
    let name = match of {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => return false,
    };
    matches!(name, "EventStream" | "ItemStream")
}

/// In the place of a parameter: the function is none that was compiled, but stands in for one in a
/// test. It takes positional arguments, whose names are their numbers, and null.
pub(super) const STANDS_IN: &str = "*";

/// The same of one whose answer is awaited.
pub(super) const AWAITED: &str = "await";

/// Whether a type has `None` at its top: `X | None`, `None | X` or `None` alone.
fn has_none(annotation: &Expr) -> bool {
    let mut pending = vec![annotation];
    while let Some(annotation) = pending.pop() {
        match annotation {
            Expr::NoneLiteral(_) => return true,
            Expr::BinOp(binary) if binary.op == Operator::BitOr => {
                pending.extend([&*binary.left, &*binary.right]);
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_parameters_that_may_be_null_are_told() {
        let found = read(
            "from x import y\n\
             @api.operation('GET', '/')\n\
             def f(*, a: str | None, b: int, c: None | int = None, d: list[int | None]) -> None: ...\n\
             class C: ...\n\
             D = str\n\
             __all__ = []\n\
             @api.operation('GET', '/', pages={'kind': 'page', 'items': ''})\n\
             def g() -> EventStream[str]: ...\n",
        );
        let names: Vec<&str> = found.functions.keys().map(String::as_str).collect();
        assert_eq!(names, ["f", "g"]);
        assert_eq!(found.functions["f"].nullable, ["a"]);
        assert_eq!(found.functions["f"].pages, None);
        assert!(!found.functions["f"].streams);
        let pages = [("items", ""), ("kind", "page")];
        let pages = pages.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(found.functions["g"].pages, Some(BTreeMap::from(pages)));
        assert!(found.functions["g"].streams);
        assert_eq!(
            found.types,
            BTreeSet::from(["C".to_owned(), "D".to_owned()])
        );
        assert_eq!(read("def ("), Module::default());
    }
}
