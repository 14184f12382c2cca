//! What in the value of a header is secret by itself.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::percent_decode_str;
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

/// A secret, and what it stands for where it is percent-encoded: frameworks encode session ids that way,
/// and show them as they were.
pub(super) fn with_readings(secret: &SecretString) -> Vec<SecretString> {
    let text = secret.expose_secret();
    let decoded = percent_decode_str(text).decode_utf8().ok();
    let decoded = decoded.filter(|decoded| decoded != text);
    let decoded = decoded.map(|decoded| SecretString::from(decoded.into_owned()));
    [secret.clone()].into_iter().chain(decoded).collect()
}

/// Whether a value with an innocent name looks like a credential: 16 characters or more without a space,
/// or 8 or more that are letters and digits, both of them, and nothing else.
pub(super) fn looks_secret(value: &str) -> bool {
    let is_mixed = value.chars().all(char::is_alphanumeric)
        && value.chars().any(char::is_alphabetic)
        && value.chars().any(char::is_numeric);
    let length = value.chars().count();
    !value.contains(char::is_whitespace) && (length >= 16 || length >= super::SHORT && is_mixed)
}
