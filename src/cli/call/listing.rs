//! The functions of a server, for `mce call SERVER`.

use super::super::output::counted;
use crate::api::{Function, Manifest};

/// Functions that are listed.
const MOST_FUNCTIONS: usize = 40;
/// Characters of a line.
const LONGEST_LINE: usize = 160;

/// A line for each function, as Python would be told of it; the first of many.
pub(super) fn listing(manifest: &Manifest) -> String {
    let functions = manifest.functions.iter().take(MOST_FUNCTIONS);
    let mut lines: Vec<String> = functions
        .map(|function| short(&format!("{}.{}", manifest.server, signature(function))))
        .collect();
    match manifest.functions.len().saturating_sub(MOST_FUNCTIONS) {
        0 => {}
        more => lines.push(format!("and {}", counted(more, "more function"))),
    }
    if lines.is_empty() {
        lines.push(format!("`{}` has no functions", manifest.server));
    }
    lines.join("\n")
}

/// `get_book(isbn: str, fields: str = ...) -> Book`.
fn signature(function: &Function) -> String {
    let parameters = function.parameters.iter();
    let parameters = parameters.map(|it| (&it.name, &it.r#type, it.required));
    let body = function.body.iter();
    let body = body.map(|it| (&it.name, &it.r#type, it.required));
    let (needed, optional): (Vec<_>, Vec<_>) =
        parameters.chain(body).partition(|(.., required)| *required);
    let arguments: Vec<String> = needed
        .into_iter()
        .chain(optional)
        .map(|(name, kind, required)| {
            let default = if required { "" } else { " = ..." };
            format!("{name}: {kind}{default}")
        })
        .collect();
    let (name, returns) = (&function.name, &function.returns);
    format!("{name}({}) -> {returns}", arguments.join(", "))
}

fn short(line: &str) -> String {
    let mut cut: String = line.chars().take(LONGEST_LINE).collect();
    if cut.len() < line.len() {
        cut.push('…');
    }
    cut
}
