//! Renders an API as Python. Pure.
//!
//! [`render`] makes the text of `functions.py` and the type texts that the manifest repeats;
//! [`CompiledModule`] takes out of such a text what some of its functions need.
//! Document text reaches Python only as an escaped literal or docstring, and the rendered module
//! is parsed and held against the closed grammar of [`crate::pysyntax::module`] before anyone
//! sees it.

mod check;
mod class_text;
mod classes;
mod code;
mod examples;
mod functions;
mod members;
mod module;
mod remarks;
mod slice;
mod text;
mod types;

pub use check::{ModuleError, check_module};
pub use module::{Rendered, RenderedFunction, Target, render};
pub use slice::CompiledModule;

/// The text of `mce_runtime.py`, which every compiled module imports.
pub const RUNTIME_SOURCE: &str = include_str!("../../templates/mce_runtime.py");
