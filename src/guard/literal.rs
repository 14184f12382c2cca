//! Which expressions are literals, and literals that are written into code.

use std::fmt::Write;

use serde_json::Value;

use crate::pysyntax::ast::{Expr, Number, Operator, UnaryOp};

/// Whether an expression makes a text where it stands: a string, an f-string, a concatenation.
pub(super) fn is_text(expr: &Expr) -> bool {
    match expr {
        Expr::StringLiteral(_) | Expr::FString(_) | Expr::TString(_) => true,
        Expr::BinOp(operation) => operation.op != Operator::BitOr,
        _ => false,
    }
}

/// Whether an expression is a literal through and through: what JSON can say, and what Python adds
/// (bytes, tuples, sets, complex numbers).
pub(super) fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::StringLiteral(_)
        | Expr::BytesLiteral(_)
        | Expr::NumberLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_) => true,
        Expr::UnaryOp(operation) => {
            matches!(operation.op, UnaryOp::USub | UnaryOp::UAdd)
                && matches!(&*operation.operand, Expr::NumberLiteral(number)
                    if !matches!(number.value, Number::Complex { .. }))
        }
        Expr::List(list) => list.elts.iter().all(is_literal),
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_literal),
        Expr::Set(set) => set.elts.iter().all(is_literal),
        Expr::Dict(dict) => dict
            .items
            .iter()
            .all(|item| item.key.as_ref().is_some_and(is_literal) && is_literal(&item.value)),
        _ => false,
    }
}

/// The strings of a literal string, tuple, list or set of them.
pub(super) fn string_items(value: &Expr) -> Vec<&str> {
    let items = match value {
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::List(list) => &list.elts,
        Expr::Set(set) => &set.elts,
        Expr::StringLiteral(literal) => return vec![literal.value.to_str()],
        _ => return Vec::new(),
    };
    items
        .iter()
        .filter_map(|item| {
            item.as_string_literal_expr()
                .map(|literal| literal.value.to_str())
        })
        .collect()
}

/// The names of fields in one text of `namedtuple("P", "x y")`.
pub(super) fn field_names(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ', '\n', '\t'])
}

/// A JSON value as a Python literal in printable ASCII.
///
/// Numbers keep their text, so integers of any size and floats of any precision stay what they are.
///
/// ```
/// use mce::guard::python_literal;
/// use serde_json::json;
///
/// assert_eq!(python_literal(&json!({"a": [true, null, 1e-7]})), r#"{"a": [True, None, 1e-7]}"#);
/// assert_eq!(python_literal(&json!("é\n\"😀")), r#""\u00e9\n\"\U0001f600""#);
/// ```
#[must_use]
pub fn python_literal(value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value);
    text
}

/// Recurses as deep as the value, which the JSON reader bounds (128 levels).
fn write_value(text: &mut String, value: &Value) {
    match value {
        Value::Null => text.push_str("None"),
        Value::Bool(true) => text.push_str("True"),
        Value::Bool(false) => text.push_str("False"),
        Value::Number(number) => text.push_str(&number.to_string()),
        Value::String(string) => write_string(text, string),
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write_value(text, item);
            }
            text.push(']');
        }
        Value::Object(entries) => {
            text.push('{');
            for (index, (key, item)) in entries.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                write_string(text, key);
                text.push_str(": ");
                write_value(text, item);
            }
            text.push('}');
        }
    }
}

fn write_string(text: &mut String, string: &str) {
    text.push('"');
    for character in string.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            ' '..='~' => text.push(character),
            _ => {
                let code = u32::from(character);
                // Writing to a `String` does not fail.
                let _ = match code {
                    0..=0xffff => write!(text, "\\u{code:04x}"),
                    _ => write!(text, "\\U{code:08x}"),
                };
            }
        }
    }
    text.push('"');
}
