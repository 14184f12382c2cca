//! Turns a manifest function and arguments into a request, and a response into a value. Pure: it
//! holds no secret and opens no socket. The only encoder on the host; the outside backend of
//! `mce_runtime.py` passes the same vectors (`tests/wire/`).
//!
//! What OpenAPI leaves open is decided here as follows:
//!
//! - Everything but RFC 3986's unreserved characters is percent-encoded, `/` in a path value too.
//!   Delimiters between items stand as they are, except those a URL may not hold: `%20` and `%7C`.
//! - `allowReserved` keeps `:/?@!$'()*,=`. What would end or split the parameter (`# & ; +`) and
//!   `[ ] %` are still encoded, so that a value always arrives as it was given.
//! - A JSON null that was asked for is spelt `null`; an empty list or object is left out of
//!   queries, headers and cookies; an empty value in a path is an error.
//! - A nested value in a flat style is written as JSON text. `deepObject` goes on in brackets,
//!   `name[a][b]`, lists as `name[a][]` (with an index where items are nested themselves).
//! - An item that holds its own delimiter, where that cannot be escaped (`spaceDelimited`,
//!   `pipeDelimited`, lists in headers), is an error.
//! - Headers are sent as they are: visible ASCII, no space at either end.

mod body;
mod charset;
mod check;
mod decode;
mod encode;
mod error_text;
mod form;
mod json;
mod media;
mod percent;
mod stream;
mod style;
mod value;

pub(crate) use check::{Said, resolve};
pub use decode::{DecodeError, decode};
pub use encode::encode;
pub use error_text::error_message;
pub(crate) use json::{JsonError, parse_json};
pub(crate) use percent::STRICT as COMPONENT;
pub use stream::{Streamed, decode as decode_stream};
pub use value::{Arguments, Value};

/// What both backends call themselves.
pub const USER_AGENT: &str = concat!("mce/", env!("CARGO_PKG_VERSION"));
/// The coding that both backends ask for: one that every client of theirs can undo, and every
/// document that describes this header allows.
pub const ACCEPT_ENCODING: &str = "gzip";

/// A request of one operation, encoded but not yet addressed: no base URL, no credential.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The method in upper case.
    pub method: String,
    /// The percent-encoded path below the base URL; begins with `/`.
    pub path: String,
    /// The percent-encoded query items in order: `name=value` or a bare `name`.
    pub query: Vec<String>,
    /// Declared header parameters that were given, `Accept` and `Content-Type`, in order.
    pub headers: Vec<(String, String)>,
    /// Declared cookie parameters that were given: encoded `name`, `value`.
    pub cookies: Vec<(String, String)>,
    /// The body, where one was given.
    pub body: Option<bytes::Bytes>,
}

/// Arguments that do not fit the function, in the words of Python's own `TypeError`, such as
/// `get_pet() argument 'limit' must be int, not str`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ArgumentError {
    /// The whole text.
    pub message: String,
}

impl ArgumentError {
    /// `function() argument 'name' problem`.
    fn argument(function: &str, name: &str, problem: &str) -> Self {
        Self {
            message: format!("{function}() argument '{name}' {problem}"),
        }
    }
}
