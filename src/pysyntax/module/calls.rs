//! The calls in a compiled module, all of them of literals: `Api(…)`, `TypedDict(…)` and
//! `@_api.operation(…)`.

use std::collections::BTreeMap;

use ruff_python_ast::{Arguments as Given, Expr, ExprStringLiteral, Number, UnaryOp};
use ruff_text_size::Ranged;
use serde_json::Value;

use super::{Refusal, name_of, text_of};

/// Keyword arguments of a call. A tuple is an array, a dictionary an object.
pub type Arguments = BTreeMap<String, Value>;

/// Keyword arguments of `operation`.
const OPERATION: &[&str] = &[
    "path",
    "query",
    "header",
    "cookie",
    "reserved",
    "items",
    "content",
    "body",
    "encoding",
    "part_headers",
    "accept",
    "responses",
    "api_key",
    "auth",
    "base_url",
    "pages",
];
/// Keyword arguments of `Api`.
const API: &[&str] = &["base_url_env", "auth_env", "base_url"];
/// Digits of an integer that `CPython` reads.
const MOST_DIGITS: usize = 4_300;

/// What the decorator of a stub says.
pub(super) struct Operation {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) arguments: Arguments,
}

/// The server's name and the further arguments of `Api(…)`.
pub(super) fn api(arguments: &Given) -> Result<(String, Arguments), Refusal> {
    let further = keywords(arguments, API)?;
    match arguments.args.as_ref() {
        [server] => {
            let name = text_of(server).ok_or((server.start(), "expected the server's name"))?;
            Ok((name, further))
        }
        _ => Err((arguments.start(), "expected the server's name")),
    }
}

/// `@_api.operation(method, path, …)`.
pub(super) fn operation(decorator: &Expr) -> Result<Operation, Refusal> {
    let refusal = (
        decorator.start(),
        "expected `@_api.operation(method, path, …)`",
    );
    let Expr::Call(call) = decorator else {
        return Err(refusal);
    };
    let Expr::Attribute(attribute) = call.func.as_ref() else {
        return Err(refusal);
    };
    if name_of(&attribute.value) != Some("_api") || attribute.attr.as_str() != "operation" {
        return Err(refusal);
    }
    let arguments = keywords(&call.arguments, OPERATION)?;
    match call.arguments.args.as_ref() {
        [method, path] => match (text_of(method), text_of(path)) {
            (Some(method), Some(path)) => Ok(Operation {
                method,
                path,
                arguments,
            }),
            _ => Err(refusal),
        },
        _ => Err(refusal),
    }
}

/// The types of the keys of `TypedDict(name, {…}, total=…)`, which are texts.
pub(super) fn typed_dict<'a>(
    name: &str,
    arguments: &'a Given,
) -> Result<Vec<&'a ExprStringLiteral>, Refusal> {
    let refusal = (
        arguments.start(),
        "expected the name of the `TypedDict` and its keys",
    );
    if !keywords(arguments, &["total"])?
        .values()
        .all(Value::is_boolean)
    {
        return Err(refusal);
    }
    match arguments.args.as_ref() {
        [first, Expr::Dict(fields)] if text_of(first).as_deref() == Some(name) => fields
            .items
            .iter()
            .map(|field| match (&field.key, &field.value) {
                (Some(Expr::StringLiteral(_)), Expr::StringLiteral(kind)) => Ok(kind),
                _ => Err((field.value.start(), "expected a key and its type as texts")),
            })
            .collect(),
        _ => Err(refusal),
    }
}

fn keywords(arguments: &Given, allowed: &[&str]) -> Result<Arguments, Refusal> {
    let mut found = Arguments::new();
    for keyword in &arguments.keywords {
        let place = keyword.value.start();
        let name = keyword
            .arg
            .as_deref()
            .ok_or((place, "expected a named argument"))?;
        if !allowed.contains(&name) {
            return Err((place, "this argument is unknown"));
        }
        if found
            .insert(name.to_owned(), value(&keyword.value)?)
            .is_some()
        {
            return Err((place, "this argument is given twice"));
        }
    }
    Ok(found)
}

/// A text, a truth value, or tuples and dictionaries of them.
fn value(expression: &Expr) -> Result<Value, Refusal> {
    match expression {
        Expr::StringLiteral(literal) => Ok(Value::from(literal.value.to_str())),
        Expr::BooleanLiteral(literal) => Ok(Value::Bool(literal.value)),
        Expr::Tuple(tuple) => tuple.elts.iter().map(value).collect(),
        Expr::Dict(dict) => {
            let mut members = serde_json::Map::new();
            for item in &dict.items {
                let place = item.value.start();
                let key = item.key.as_ref().and_then(text_of);
                let key = key.ok_or((place, "expected a text as key"))?;
                if members.insert(key, value(&item.value)?).is_some() {
                    return Err((place, "this key is given twice"));
                }
            }
            Ok(Value::Object(members))
        }
        other => Err((
            other.start(),
            "expected a text, `True`, `False`, or a tuple or dictionary of them",
        )),
    }
}

/// A constant that `Literal[…]` may list.
pub(super) fn literal(expression: &Expr) -> Result<(), Refusal> {
    let integer = match expression {
        Expr::StringLiteral(_) | Expr::BooleanLiteral(_) | Expr::NoneLiteral(_) => return Ok(()),
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => unary.operand.as_ref(),
        other => other,
    };
    match integer {
        Expr::NumberLiteral(number) if matches!(number.value, Number::Int(_)) => {
            // Never shorter than its digits.
            if number.range.len().to_usize() > MOST_DIGITS {
                return Err((number.start(), "a number has more digits than Python reads"));
            }
            Ok(())
        }
        _ => Err((expression.start(), "expected a literal")),
    }
}
