//! The real binary: what people see, and with which code it exits. Nothing here needs an engine.

#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test may fail anywhere"
)]

mod again;
mod auth;
mod calling;
mod check;
mod code;
mod compile;
mod diff;
mod folder;
mod foreign;
mod init;
mod lint;
mod mcp_config;
mod messages;
mod operating;
mod policy;
mod search;
mod seen;
mod serving;
mod shop;
#[cfg(feature = "otlp")]
mod spans;
mod streams;
mod told;
mod usage;
