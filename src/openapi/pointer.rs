//! JSON Pointers (RFC 6901) as fragments of references, where they are percent-encoded as well.

use percent_encoding::percent_decode_str;
use serde_json::Value;

/// References within a pointer that are followed to find what it points at.
pub(super) const MOST_HOPS: usize = 32;
/// Bytes of a reference that others have made longer on the way.
pub(super) const LONGEST_REFERENCE: usize = 64 << 10;

/// A fragment without its percent-encoding.
pub(super) fn decoded(fragment: &str) -> Option<String> {
    let decoded = percent_decode_str(fragment).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

/// A token of a pointer without its percent-encoding and escapes (RFC 6901, section 4).
pub(super) fn token(written: &str) -> Option<String> {
    decoded(written).map(|token| unescaped(&token))
}

/// A token of a pointer without its escapes.
pub(super) fn unescaped(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// A token of a pointer, as it is written behind `#`.
pub(super) fn escaped(token: &str) -> String {
    let token = token.replace('~', "~0").replace('/', "~1");
    token.replace('%', "%25")
}

/// The member or item of this name.
pub(super) fn step<'v>(node: &'v Value, token: &str) -> Option<&'v Value> {
    match node {
        Value::Object(members) => members.get(token),
        Value::Array(items) => items.get(token.parse::<usize>().ok()?),
        _ => None,
    }
}

/// Whether there is something where a pointer leads.
pub(super) fn reaches(root: &Value, pointer: &str) -> bool {
    let mut tokens = pointer.split('/').skip(1);
    tokens
        .try_fold(root, |node, written| step(node, &token(written)?))
        .is_some()
}

/// The pointer of tokens, as it is written behind `#`.
pub(super) fn pointer_of(tokens: &[String]) -> String {
    tokens.iter().fold(String::new(), |mut pointer, token| {
        pointer.push('/');
        pointer.push_str(&escaped(token));
        pointer
    })
}
