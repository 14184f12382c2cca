//! Credentials: which kinds a server has, and what is attached to a request. Secrets live in
//! `secrecy` types here and nowhere else; the sandbox is never told any.

use secrecy::SecretString;

/// A credential ready to be attached to one request.
#[derive(Debug)]
pub enum Credential {
    /// A header, such as `Authorization`.
    Header {
        /// Name as it is sent.
        name: String,
        /// The whole value.
        value: SecretString,
    },
    /// A query parameter.
    Query {
        /// Name before percent-encoding.
        name: String,
        /// Value before percent-encoding.
        value: SecretString,
    },
    /// A cookie.
    Cookie {
        /// Name.
        name: String,
        /// Value as it is sent.
        value: SecretString,
    },
}
