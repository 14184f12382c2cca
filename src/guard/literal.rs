//! Literals: those of the code, and those that are written into it.

use std::fmt::Write;

use serde_json::Value;

use crate::pysyntax::ast::{Expr, Number, Operator, UnaryOp};

use super::scope::{ScopeId, Scopes};

/// How many names are followed to a literal.
const MAX_STEPS: usize = 4;

/// What a look at one expression costs of a [`TextBudget`], beside the text that is found there.
const STEP: usize = 16;

/// How much may still be looked at as texts, in bytes. Names that are bound often to names that are
/// bound often could otherwise be followed for as good as ever.
#[derive(Debug)]
pub(super) struct TextBudget(pub(super) usize);

impl TextBudget {
    fn spend(&mut self, bytes: usize) -> Result<(), Unknown> {
        match self.0.checked_sub(STEP + bytes) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err(Unknown::TooMuch),
        }
    }
}

/// Why the texts that an expression can be are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// It is no literal, or may be something else.
    NotLiteral,
    /// The budget is spent.
    TooMuch,
}

/// The texts that an expression can be, where all of them are literals of the code: a string, a
/// name that is only ever bound to such, an item of a dict or list of such that nothing changes.
pub(super) fn texts(
    expr: &Expr,
    scopes: &Scopes<'_>,
    scope: ScopeId,
    budget: &mut TextBudget,
) -> Result<Vec<String>, Unknown> {
    let mut search = Search {
        scopes,
        budget,
        found: Vec::new(),
    };
    search.collect(expr, scope, MAX_STEPS)?;
    Ok(search.found)
}

struct Search<'s, 'a> {
    scopes: &'s Scopes<'a>,
    budget: &'s mut TextBudget,
    found: Vec<String>,
}

impl Search<'_, '_> {
    fn found(&mut self, text: &str) -> Result<(), Unknown> {
        self.budget.spend(text.len())?;
        self.found.push(text.to_owned());
        Ok(())
    }

    fn collect(&mut self, expr: &Expr, scope: ScopeId, steps: usize) -> Result<(), Unknown> {
        self.budget.spend(0)?;
        match expr {
            Expr::StringLiteral(literal) => self.found(literal.value.to_str()),
            Expr::If(choice) => {
                self.collect(&choice.body, scope, steps)?;
                self.collect(&choice.orelse, scope, steps)
            }
            Expr::Name(name) => {
                let (owner, values) = values_of(name.id.as_str(), self.scopes, scope)?;
                let steps = steps.checked_sub(1).ok_or(Unknown::NotLiteral)?;
                values
                    .iter()
                    .try_for_each(|value| self.collect(value, owner, steps))
            }
            Expr::Subscript(subscript) => {
                let Expr::Name(name) = &*subscript.value else {
                    return Err(Unknown::NotLiteral);
                };
                if self.scopes.escapes(name.id.as_str()) {
                    return Err(Unknown::NotLiteral);
                }
                let (_, values) = values_of(name.id.as_str(), self.scopes, scope)?;
                for value in values {
                    self.budget.spend(0)?;
                    let items: Vec<&Expr> = match value {
                        Expr::Dict(dict) => dict.items.iter().map(|item| &item.value).collect(),
                        Expr::List(list) => list.elts.iter().collect(),
                        Expr::Tuple(tuple) => tuple.elts.iter().collect(),
                        _ => return Err(Unknown::NotLiteral),
                    };
                    for item in items {
                        let Expr::StringLiteral(literal) = item else {
                            return Err(Unknown::NotLiteral);
                        };
                        self.found(literal.value.to_str())?;
                    }
                }
                Ok(())
            }
            _ => Err(Unknown::NotLiteral),
        }
    }
}

fn values_of<'s, 'a>(
    name: &str,
    scopes: &'s Scopes<'a>,
    scope: ScopeId,
) -> Result<(ScopeId, &'s [&'a Expr]), Unknown> {
    match scopes.resolve(scope, name) {
        Some((owner, binding)) if binding.count == binding.values.len() => {
            Ok((owner, &binding.values))
        }
        _ => Err(Unknown::NotLiteral),
    }
}

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
