//! Percent-encoding (RFC 3986, section 2).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All but the unreserved characters (RFC 3986, section 2.3).
pub const STRICT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');
/// As [`STRICT`], and the dot: where dots separate items.
pub(super) const STRICT_AND_DOT: &AsciiSet = &STRICT.add(b'.');
/// With `allowReserved`. Still encoded: what would end or split the parameter (`# & ; +`), what a
/// query may not hold (`[ ]`), the quote, which URLs of the web encode there (WHATWG, section 1.3), and
/// `%` itself, so that the value arrives as it was given.
pub(super) const RESERVED_KEPT: &AsciiSet = &STRICT
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b'=');
/// As [`RESERVED_KEPT`], and the comma: where commas separate items.
pub(super) const RESERVED_KEPT_BUT_COMMA: &AsciiSet = &RESERVED_KEPT.add(b',');
/// What a URL cannot hold at all; for the fixed parts of a template.
const ILLEGAL: &AsciiSet = &RESERVED_KEPT
    .remove(b';')
    .remove(b'&')
    .remove(b'+')
    .remove(b'[')
    .remove(b']')
    .remove(b'\'')
    .remove(b'%');

/// Encodes the characters of the set in a text.
pub(super) fn encode(text: &str, set: &'static AsciiSet) -> String {
    utf8_percent_encode(text, set).to_string()
}

/// The fixed part of a template, with what a URL cannot hold encoded, a stray `%` too.
pub(super) fn legal(literal: &str) -> String {
    let encoded = encode(literal, ILLEGAL);
    let mut parts = encoded.split('%');
    let mut legal = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_triple = part
            .get(..2)
            .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        legal.push_str(if is_triple { "%" } else { "%25" });
        legal.push_str(part);
    }
    legal
}
