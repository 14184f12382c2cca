//! The closed grammar check of a module that was just rendered, or read back from disk.

use crate::pysyntax::module::{self, ModuleFacts};

/// Why a module was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModuleError {
    /// The template could not be filled in.
    #[error("the template of `functions.py` could not be filled in: {0}")]
    Template(String),
    /// The text is no Python, or more than a compiled module may hold.
    #[error("`functions.py`, line {line}: {message}")]
    NotInGrammar {
        /// Line, from 1.
        line: usize,
        /// What was expected and found.
        message: String,
    },
}

/// Parses a module and holds its tree against the closed grammar.
///
/// # Errors
///
/// Where it holds anything else than fixed imports, literal assignments, `TypedDict` classes and
/// decorated stubs.
pub fn check_module(source: &str) -> Result<ModuleFacts, ModuleError> {
    module::read(source).map_err(|error| ModuleError::NotInGrammar {
        line: error.line,
        message: error.message,
    })
}
