//! Running code again with other values of its top-level parameters.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::{Facts, python_literal};

/// Names were given that are not parameters of the code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", describe(unknown, known))]
pub struct UnknownParameters {
    /// The names given that are not parameters, sorted.
    pub unknown: Vec<String>,
    /// The parameters of the code, in order.
    pub known: Vec<String>,
}

fn describe(unknown: &[String], known: &[String]) -> String {
    let list = |names: &[String]| {
        names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut text = format!("the code has no parameter {}; ", list(unknown));
    // Writing to a `String` does not fail.
    let _ = if known.is_empty() {
        write!(text, "no top-level name is assigned a literal exactly once")
    } else {
        write!(text, "its parameters are {}", list(known))
    };
    text
}

/// Gives top-level parameters other values: each value's text is replaced by the Python literal,
/// and nothing else changes. Code that reads `_params` without defining it also gets that dict, as
/// a statement after its docstring and `__future__` imports; then every name is accepted.
///
/// `facts` must be those of `code`.
///
/// # Errors
/// Names that are not parameters, with those that are.
pub fn substitute(
    code: &str,
    facts: &Facts,
    params: &Map<String, Value>,
) -> Result<String, UnknownParameters> {
    let find = |name: &str| {
        facts
            .parameters
            .iter()
            .find(|parameter| parameter.name == name)
    };
    if !facts.reads_params {
        let mut unknown: Vec<String> = params
            .keys()
            .filter(|name| find(name).is_none())
            .cloned()
            .collect();
        if !unknown.is_empty() {
            unknown.sort();
            let known = facts
                .parameters
                .iter()
                .map(|parameter| parameter.name.clone())
                .collect();
            return Err(UnknownParameters { unknown, known });
        }
    }
    let mut edits: Vec<(std::ops::Range<usize>, String)> = params
        .iter()
        .filter_map(|(name, value)| Some((find(name)?.span.clone(), python_literal(value))))
        .collect();
    if facts.reads_params {
        let literal = python_literal(&Value::Object(params.clone()));
        let end = facts.prologue_end;
        // After a prologue the statement shares its line, so no line number of the code changes.
        let statement = if end == 0 {
            format!("_params = {literal}; ")
        } else {
            format!("; _params = {literal}")
        };
        edits.push((statement_place(code, end), statement));
    }
    edits.sort_by_key(|(span, _)| span.start);
    let mut result = String::with_capacity(code.len());
    let mut done = 0;
    for (span, text) in edits {
        result.push_str(code.get(done..span.start).unwrap_or_default());
        result.push_str(&text);
        done = span.end;
    }
    result.push_str(code.get(done..).unwrap_or_default());
    Ok(result)
}

/// Where `_params = …` goes: right behind the prologue, or alone on the first line.
fn statement_place(code: &str, prologue_end: usize) -> std::ops::Range<usize> {
    let bom = if code.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let place = prologue_end.max(bom);
    place..place
}
