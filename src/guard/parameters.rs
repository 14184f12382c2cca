//! Running code again with other values of its top-level parameters.

use std::fmt::Write;
use std::ops::Range;

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

/// Names that a message lists.
const LISTED: usize = 20;
/// Characters of a name that a message shows.
const SHOWN: usize = 80;

fn quoted(name: &String) -> String {
    if name.chars().nth(SHOWN).is_none() {
        return format!("`{name}`");
    }
    let start: String = name.chars().take(SHOWN).collect();
    format!("`{start}…`")
}

fn describe(unknown: &[String], known: &[String]) -> String {
    let list = |names: &[String]| {
        let mut shown: Vec<String> = names.iter().take(LISTED).map(quoted).collect();
        if names.len() > LISTED {
            shown.push(format!("{} more", names.len() - LISTED));
        }
        shown.join(", ")
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
    let mut edits: Vec<(Range<usize>, String)> = params
        .iter()
        .filter_map(|(name, value)| Some((find(name)?.span.clone(), python_literal(value))))
        .collect();
    if facts.reads_params {
        let literal = python_literal(&Value::Object(params.clone()));
        edits.push(params_statement(code, facts.prologue_end, &literal));
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

/// The statement that defines `_params`, and where it goes. It shares a line with the prologue or
/// with a leading comment where there is one, so that line numbers stay what they are.
fn params_statement(code: &str, prologue_end: usize, literal: &str) -> (Range<usize>, String) {
    if prologue_end > 0 {
        return (prologue_end..prologue_end, format!("; _params = {literal}"));
    }
    let start = if code.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let rest = code.get(start..).unwrap_or_default();
    let text = if rest.starts_with('#') {
        format!("_params = {literal}  ")
    } else if rest.starts_with(['\n', '\r']) {
        format!("_params = {literal}")
    } else {
        format!("_params = {literal}\n")
    };
    (start..start, text)
}
