//! What in the value of a header is secret by itself.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret as _, SecretString};

use crate::headers::is_token;

/// A header's value and what in it is secret by itself: a token without its scheme, a password out of
/// `Basic …`.
pub(super) fn parts(value: &SecretString) -> Vec<SecretString> {
    let mut parts = vec![value.clone()];
    let Some((scheme, rest)) = value.expose_secret().split_once(' ') else {
        return parts;
    };
    let rest = rest.trim();
    if !is_token(scheme) || rest.is_empty() {
        return parts;
    }
    parts.push(SecretString::from(rest));
    if scheme.eq_ignore_ascii_case("basic")
        && let Ok(bytes) = STANDARD.decode(rest)
        && let Ok(pair) = String::from_utf8(bytes)
    {
        // A key given as the user name goes with an empty password.
        match pair.split_once(':') {
            Some((user, "")) => parts.push(SecretString::from(user)),
            Some((_, password)) => parts.push(SecretString::from(password)),
            None => {}
        }
        parts.push(SecretString::from(pair));
    }
    parts
}
