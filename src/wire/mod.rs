//! Turns a manifest function and arguments into a request, and a response into a value. Pure: it
//! holds no secret and opens no socket. The only encoder on the host; the outside backend of
//! `mce_runtime.py` passes the same vectors (`tests/wire/`).

mod value;

pub use value::{Arguments, Value};

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
