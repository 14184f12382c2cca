//! External references: what they lead to, where they may not lead, and what it costs when they
//! lead nowhere.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod current;
mod folders;
mod limits;
mod meaning;
mod project;
mod remote;
