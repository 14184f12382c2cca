//! MCE compiles OpenAPI documents into Python clients and lets sandboxed code call the
//! operations they hold, and nothing else.
//!
//! The compiler knows every operation of an API, and that table is the security policy: code in
//! the sandbox names a compiled function and gives arguments; the host looks the function up,
//! encodes the request, attaches the credential, sends it, and returns the decoded answer.
//!
//! `ARCHITECTURE.md` has the bird's-eye view and the arrows between these modules.

pub mod address;
#[cfg(feature = "embedded")]
pub mod allocator;
pub mod api;
pub mod broker;
pub mod cli;
pub mod compile;
pub mod config;
pub mod connect;
pub mod domains;
pub mod files;
pub mod guard;
pub mod headers;
pub mod invisible;
pub mod openapi;
pub mod pysyntax;
pub mod python;
pub mod runtime;
pub mod sandbox;
pub mod search;
pub mod server;
pub mod signals;
pub mod variables;
pub mod vault;
pub mod wire;
pub mod yaml;
