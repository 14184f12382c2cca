//! The Python parser; the only user of the ruff crates. Pure.

pub mod module;
