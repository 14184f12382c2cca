//! Removes secrets from what leaves the host: raw, percent-encoded or JSON-escaped in whatever way
//! and up to three times, as base64 at any alignment, as hex, and as UTF-16. This is against accidental echo; an API
//! that means to tell the code its own credential can always find another spelling.

mod readings;
mod spellings;
mod stream;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use bytes::Bytes;
use indexmap::IndexMap;
use secrecy::{ExposeSecret as _, SecretString};

use crate::vault::is_short;
use crate::wire::Value;
use readings::visit_readings;
use spellings::spellings;
pub use stream::Scrubber;

/// Digits of a secret that no other number holds by chance.
const NO_CHANCE: usize = 16;

/// What stands in place of a secret.
pub const PLACEHOLDER: &str = "[redacted]";

/// Knows the secrets, and finds them: within any text, but [short](is_short) ones only where they are
/// the whole of it. A clone shares what it knows.
#[derive(Clone)]
pub struct Redactor {
    known: Arc<Known>,
}

struct Known {
    /// All spellings of secrets that are found within texts.
    patterns: BTreeSet<Vec<u8>>,
    within: Option<AhoCorasick>,
    /// Bytes of the longest of them.
    longest: usize,
    /// Secrets that are found as the whole of a text.
    whole: BTreeSet<Vec<u8>>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Redactor(…)")
    }
}

impl Redactor {
    /// Over these secrets.
    #[must_use]
    pub fn new(secrets: &[SecretString]) -> Self {
        let mut patterns = BTreeSet::new();
        let mut whole = BTreeSet::new();
        for secret in secrets {
            let secret = secret.expose_secret();
            if !is_short(secret) {
                spellings(secret, &mut patterns);
            } else if !secret.is_empty() {
                whole.insert(secret.as_bytes().to_vec());
            }
        }
        let within = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            // What is faster takes a thousand times as much memory as the secrets.
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&patterns)
            .ok()
            .filter(|_| !patterns.is_empty());
        let known = Arc::new(Known {
            longest: patterns.iter().map(Vec::len).max().unwrap_or(0),
            patterns,
            within,
            whole,
        });
        Self { known }
    }

    /// The same for a text that comes in pieces.
    #[must_use]
    pub fn stream(&self) -> Scrubber {
        Scrubber::new(self.clone())
    }

    /// A text without secrets.
    #[must_use]
    pub fn text<'text>(&self, text: &'text str) -> Cow<'text, str> {
        if self.known.whole.contains(text.as_bytes()) {
            return Cow::Borrowed(PLACEHOLDER);
        }
        self.within(text)
    }

    /// A text without secrets within it; one that is a short secret as a whole stays.
    #[must_use]
    pub fn within<'text>(&self, text: &'text str) -> Cow<'text, str> {
        match self.cleaned(text.as_bytes()) {
            None => Cow::Borrowed(text),
            // A secret is whole characters, and so is what spells it.
            Some(clean) => Cow::Owned(String::from_utf8_lossy(&clean).into_owned()),
        }
    }

    /// Bytes without secrets.
    #[must_use]
    pub fn bytes(&self, bytes: &Bytes) -> Bytes {
        if self.known.whole.contains(bytes.as_ref()) {
            return Bytes::from_static(PLACEHOLDER.as_bytes());
        }
        self.bytes_within(bytes)
    }

    fn bytes_within(&self, bytes: &Bytes) -> Bytes {
        self.cleaned(bytes)
            .map_or_else(|| bytes.clone(), Bytes::from)
    }

    /// The text without what spells a secret; none where nothing does.
    fn cleaned(&self, text: &[u8]) -> Option<Vec<u8>> {
        let found = self.found(text);
        if found.is_empty() {
            return None;
        }
        let mut clean = Vec::with_capacity(text.len());
        let mut done = 0;
        for part in found {
            clean.extend_from_slice(text.get(done..part.start)?);
            clean.extend_from_slice(PLACEHOLDER.as_bytes());
            done = part.end;
        }
        clean.extend_from_slice(text.get(done..)?);
        Some(clean)
    }

    /// The parts of a text that spell secrets, in order. What overlaps is one part: several readings
    /// find the same secret.
    fn found(&self, text: &[u8]) -> Vec<Range<usize>> {
        let Some(within) = &self.known.within else {
            return Vec::new();
        };
        let mut found: Vec<Range<usize>> = within.find_iter(text).map(|it| it.range()).collect();
        visit_readings(text, |reading, source| {
            found.extend(within.find_iter(reading).map(|it| source(it.range())));
        });
        found.sort_unstable_by_key(|part| part.start);
        found.dedup_by(|next, part| {
            let overlaps = next.start < part.end;
            if overlaps {
                part.end = part.end.max(next.end);
            }
            overlaps
        });
        found
    }

    /// A decoded value without secrets: strings, byte strings, keys, and numbers spelt like one. Of short
    /// ones, strings and byte strings only.
    /// Walks with a list of its own, so depth costs no stack.
    pub fn value(&self, value: &mut Value) {
        if self.known.within.is_none() && self.known.whole.is_empty() {
            return;
        }
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            match value {
                Value::Null | Value::Bool(_) => {}
                Value::Number(number) => {
                    // One that holds digits of a secret between others may hold them by chance.
                    let spelling = number.to_string();
                    let is_digit = |at: Option<usize>| {
                        let byte = at.and_then(|at| spelling.as_bytes().get(at));
                        byte.is_some_and(u8::is_ascii_digit)
                    };
                    let is_whole = |part: &Range<usize>| {
                        !is_digit(part.start.checked_sub(1)) && !is_digit(Some(part.end))
                    };
                    let mut found = self.found(spelling.as_bytes()).into_iter();
                    if found.any(|part| part.len() >= NO_CHANCE || is_whole(&part)) {
                        *value = Value::String(PLACEHOLDER.to_owned());
                    }
                }
                Value::String(text) => {
                    let clean = self.text(text);
                    if clean != text.as_str() {
                        *text = clean.into_owned();
                    }
                }
                Value::Bytes(bytes) => *bytes = self.bytes(bytes),
                Value::Array(items) => pending.extend(items.iter_mut()),
                Value::Object(members) => {
                    if members
                        .keys()
                        .any(|key| self.cleaned(key.as_bytes()).is_some())
                    {
                        *members = self.keys(std::mem::take(members));
                    }
                    pending.extend(members.values_mut());
                }
            }
        }
    }

    /// An object whose keys hold no secrets. Two that are alike then stay two.
    fn keys(&self, members: IndexMap<String, Value>) -> IndexMap<String, Value> {
        let mut clean = IndexMap::with_capacity(members.len());
        for (key, value) in members {
            let clean_key = self.cleaned(key.as_bytes());
            let key = clean_key.map_or(key, |it| String::from_utf8_lossy(&it).into_owned());
            let mut name = key.clone();
            let mut count = 1;
            while clean.contains_key(&name) {
                count += 1;
                name = format!("{key} {count}");
            }
            clean.insert(name, value);
        }
        clean
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use base64::Engine as _;
    use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
    use percent_encoding::utf8_percent_encode;

    use super::*;
    use crate::wire::COMPONENT;

    fn redactor(secret: &str) -> Redactor {
        Redactor::new(&[SecretString::from(secret)])
    }

    /// `%2F` as `%2f`, the rest as it is.
    fn lower_escapes(text: &str) -> String {
        let mut pieces = text.split('%');
        let first = pieces.next().unwrap().to_owned();
        pieces.fold(first, |lower, piece| {
            let (escape, rest) = piece.split_at(2);
            format!("{lower}%{}{rest}", escape.to_ascii_lowercase())
        })
    }

    #[test]
    fn each_listed_spelling_is_removed() {
        let secret = "s3cr\"t/väl+e 1";
        let redactor = redactor(secret);
        let hex = secret
            .bytes()
            .fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        let escaped = utf8_percent_encode(secret, COMPONENT).to_string();
        for text in [
            secret.to_owned(),
            escaped.clone(),
            escaped.replace("%20", "+"),
            lower_escapes(&escaped),
            "s3cr\\\"t/väl+e 1".into(),
            "s3cr\\\"t\\/väl+e 1".into(),
            "s3cr\\\"t/v\\u00e4l+e 1".into(),
            hex.to_uppercase(),
            hex,
        ] {
            assert_eq!(
                redactor.text(&format!("<{text}>")),
                "<[redacted]>",
                "{text}"
            );
        }
    }

    #[test]
    fn utf_16_of_either_order_is_found() {
        let secret = "abcdefgh ü ijkl漢";
        let redactor = redactor(secret);
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let text: Vec<u8> = secret.encode_utf16().flat_map(order).collect();
            let clean = redactor.bytes(&Bytes::from(text));
            let clean = String::from_utf8_lossy(&clean).replace('\0', "");
            assert_eq!(clean, "[redacted]");
        }
    }

    /// `quote()` of Python leaves slashes, `encodeURI()` of JavaScript much more, and templates of
    /// Go escape a plus sign in JSON.
    #[test]
    fn a_secret_of_which_only_some_characters_are_escaped_is_removed() {
        let redactor = redactor("s3cr3t/v+l=e&x");
        for text in [
            "s3cr3t/v%2Bl%3De%26x",
            "s3cr3t/v%2bl=e%26x",
            "%73%33cr3t/v+l=e&x",
            "s3cr3t%252Fv%252Bl%253De%2526x",
            r"s3cr3t/v\u002bl=e\u0026x",
            r"s3cr3t\\/v+l=e\\u0026x",
            r"s3cr3t\/v%2Bl=e\u0026x",
        ] {
            let text = text.replace(r"\\", "\\");
            assert_eq!(
                redactor.text(&format!("é<{text}>%41")),
                "é<[redacted]>%41",
                "{text}"
            );
            let bytes = Bytes::from(format!("\u{1}{text}%"));
            assert_eq!(
                redactor.bytes(&bytes),
                Bytes::from_static(b"\x01[redacted]%"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_short_secret_is_removed_only_as_the_whole_string() {
        let redactor = redactor("abc");
        assert_eq!(redactor.text("abc"), "[redacted]");
        assert_eq!(redactor.text("abcd"), "abcd");
        let mut value = Value::from(serde_json::json!({"abc": ["abc", "abcd"]}));
        redactor.value(&mut value);
        let expected = serde_json::json!({"abc": ["[redacted]", "abcd"]});
        assert_eq!(value, Value::from(expected));
        let mut long = Value::from(serde_json::json!([20_240_101, -20_240_101, 1_202_401_015]));
        Redactor::new(&[SecretString::from("20240101")]).value(&mut long);
        let expected = serde_json::json!(["[redacted]", "[redacted]", 1_202_401_015]);
        assert_eq!(long, Value::from(expected));
        let mut number = Value::from(serde_json::json!(1234));
        Redactor::new(&[SecretString::from("1234")]).value(&mut number);
        assert_eq!(number, Value::from(serde_json::json!(1234)));
    }

    #[test]
    fn values_are_cleaned_everywhere_and_keep_their_shape() {
        let secret = "12345678901234567890";
        let mut value = Value::from(serde_json::json!({
            "echo": [{"token": "Bearer 12345678901234567890", "n": 1.50}],
            "12345678901234567890": true,
        }));
        if let Value::Object(members) = &mut value {
            let number = serde_json::from_str(secret).unwrap();
            members.insert("number".into(), Value::Number(number));
            let bytes = Bytes::from_static(b"\xff12345678901234567890\xfe");
            members.insert("bytes".into(), Value::Bytes(bytes));
        }
        redactor(secret).value(&mut value);
        let Value::Object(members) = value else {
            panic!("an object stays an object");
        };
        assert_eq!(
            members["echo"],
            Value::from(serde_json::json!([{"token": "Bearer [redacted]", "n": 1.50}]))
        );
        assert_eq!(members["[redacted]"], Value::Bool(true));
        assert_eq!(members["number"], Value::String("[redacted]".into()));
        assert_eq!(
            members["bytes"],
            Value::Bytes(Bytes::from_static(b"\xff[redacted]\xfe"))
        );
    }

    #[test]
    fn two_keys_with_secrets_stay_two() {
        let mut value = Value::from(serde_json::json!({"a-secret-1": 1, "a-secret-2": 2}));
        let secrets = ["a-secret-1", "a-secret-2"].map(SecretString::from);
        Redactor::new(&secrets).value(&mut value);
        let expected = serde_json::json!({"[redacted]": 1, "[redacted] 2": 2});
        assert_eq!(value, Value::from(expected));
    }

    #[test]
    fn debug_shows_no_secret() {
        assert_eq!(format!("{:?}", redactor("canary-canary")), "Redactor(…)");
    }

    proptest! {
        #[test]
        fn base64_is_found_at_every_alignment(
            secret in "[!-~]{8,40}",
            before in prop::collection::vec(any::<u8>(), 0..7),
            after in prop::collection::vec(any::<u8>(), 0..7),
        ) {
            let mut bytes = before;
            bytes.extend_from_slice(secret.as_bytes());
            bytes.extend_from_slice(&after);
            let redactor = redactor(&secret);
            for text in [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)] {
                prop_assert!(redactor.text(&text).contains(PLACEHOLDER));
            }
        }
    }
}
