//! The Python parser; the only user of the ruff crates. Pure.
//!
//! A tree that [`parse`] returns is never deeper than [`MAX_DEPTH`], whatever the text: nesting is
//! counted on tokens before the parser recurses, so walking and dropping it is safe on a small
//! stack.

mod depth;
pub mod module;
mod semantics;
mod unevaluated;

pub use ruff_python_ast as ast;
pub use ruff_text_size::{Ranged, TextRange, TextSize};

use ruff_python_ast::{Expr, ModModule, PythonVersion, StringLiteral};
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_string_annotation, parse_unchecked};

pub use depth::MAX_DEPTH;
pub use unevaluated::unevaluated;

/// The Python version whose syntax is accepted: that of the sandbox image.
const TARGET: PythonVersion = PythonVersion::PY313;

/// Why a text is not Python.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    /// The bytes of the text that are wrong.
    pub range: TextRange,
    /// What is wrong there.
    pub message: String,
    /// Whether the text is refused for its nesting; such a text was not parsed at all.
    pub too_deep: bool,
}

/// Parses a module, and keeps the tokens that it is made of.
///
/// # Errors
/// As for [`parse`].
pub fn parse_with_tokens(
    source: &str,
) -> Result<(ModModule, ast::token::Tokens), Vec<SyntaxError>> {
    let parsed = parsed(source)?;
    let tokens = parsed.tokens().clone();
    Ok((parsed.into_syntax(), tokens))
}

/// Parses a module.
///
/// # Errors
/// Everything the parser found wrong, in the order of the text; at least one entry.
pub fn parse(source: &str) -> Result<ModModule, Vec<SyntaxError>> {
    parsed(source).map(Parsed::into_syntax)
}

fn parsed(source: &str) -> Result<Parsed<ModModule>, Vec<SyntaxError>> {
    if let Some(offset) = depth::exceeded_at(source) {
        return Err(vec![SyntaxError {
            range: TextRange::empty(offset),
            message: format!("the code is nested more than {MAX_DEPTH} levels deep here"),
            too_deep: true,
        }]);
    }
    let options = ParseOptions::from(Mode::Module).with_target_version(TARGET);
    let Some(parsed) = parse_unchecked(source, options).try_into_module() else {
        return Err(vec![SyntaxError {
            range: TextRange::default(),
            message: "the code is not a module".to_owned(),
            too_deep: false,
        }]);
    };
    let mut errors: Vec<SyntaxError> = parsed
        .errors()
        .iter()
        .map(|error| (error.location, error.error.to_string()))
        .chain(
            parsed
                .unsupported_syntax_errors()
                .iter()
                .map(|error| (error.range, error.to_string())),
        )
        .map(|(range, message)| SyntaxError {
            range,
            message,
            too_deep: false,
        })
        .collect();
    if errors.is_empty() {
        // These are looked for only in a whole tree: in a broken one they would be noise.
        errors.extend(semantics::errors(source, parsed.syntax()));
    }
    if errors.is_empty() {
        return Ok(parsed);
    }
    errors.sort_by_key(|error| error.range.start());
    errors.dedup_by_key(|error| error.range.start());
    Err(errors)
}

/// Parses the text inside a string literal as an expression, with ranges of the whole `source`.
/// `None` where it is not one, or is too deep to look at.
#[must_use]
pub fn parse_annotation(source: &str, literal: &StringLiteral) -> Option<Expr> {
    depth::exceeded_at(&literal.value).is_none().then_some(())?;
    let parsed = parse_string_annotation(source, literal).ok()?;
    Some(*parsed.into_syntax().body)
}

/// Whether a text is nested too deep to be parsed.
#[must_use]
pub fn is_too_deep(text: &str) -> bool {
    depth::exceeded_at(text).is_some()
}

/// Parses a text as one expression, with ranges of its own. `None` where it is not one.
#[must_use]
pub fn parse_expression(text: &str) -> Option<Expr> {
    depth::exceeded_at(text).is_none().then_some(())?;
    let parsed = ruff_python_parser::parse_expression(text).ok()?;
    Some(*parsed.into_syntax().body)
}

#[cfg(test)]
mod tests {
    use super::TARGET;
    use crate::sandbox::docker::image::GUARDED;

    #[test]
    fn images_are_held_to_the_python_that_is_parsed() {
        assert_eq!((u32::from(TARGET.major), u32::from(TARGET.minor)), GUARDED);
    }
}
