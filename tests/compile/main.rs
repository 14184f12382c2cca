//! The pipeline as a whole: what is written, when, and what is left alone.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod errors;
mod origins;
mod others;
mod output;
mod project;
mod served;
mod skills;
mod whole;
