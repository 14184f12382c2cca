//! Removes secrets from what leaves the host: raw, percent-encoded or JSON-escaped in whatever way
//! and up to twice, as base64 at any alignment, and as hex. This is against accidental echo; an API that means to tell the code
//! its own credential can always find another spelling.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use percent_encoding::utf8_percent_encode;
use secrecy::{ExposeSecret as _, SecretString};

use super::readings::visit_readings;
use crate::vault::SHORT;
use crate::wire::{COMPONENT, Value};

/// What stands in place of a secret.
pub const PLACEHOLDER: &str = "[redacted]";

/// Knows the secrets, and finds them: within any text, but [`SHORT`] ones only where they are the
/// whole of it.
pub struct Redactor {
    within: Option<AhoCorasick>,
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
            if secret.len() >= SHORT {
                spellings(secret, &mut patterns);
            } else if !secret.is_empty() {
                whole.insert(secret.as_bytes().to_vec());
            }
        }
        let within = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(&patterns)
            .ok()
            .filter(|_| !patterns.is_empty());
        Self { within, whole }
    }

    /// A text without secrets.
    #[must_use]
    pub fn text<'text>(&self, text: &'text str) -> Cow<'text, str> {
        if self.whole.contains(text.as_bytes()) {
            return Cow::Borrowed(PLACEHOLDER);
        }
        match self.cleaned(text.as_bytes()) {
            None => Cow::Borrowed(text),
            // A secret is whole characters, and so is what spells it.
            Some(clean) => Cow::Owned(String::from_utf8_lossy(&clean).into_owned()),
        }
    }

    /// Bytes without secrets.
    #[must_use]
    pub fn bytes(&self, bytes: &Bytes) -> Bytes {
        if self.whole.contains(bytes.as_ref()) {
            return Bytes::from_static(PLACEHOLDER.as_bytes());
        }
        self.cleaned(bytes)
            .map_or_else(|| bytes.clone(), Bytes::from)
    }

    /// The text without what spells a secret; none where nothing does.
    fn cleaned(&self, text: &[u8]) -> Option<Vec<u8>> {
        let within = self.within.as_ref()?;
        let mut found: Vec<Range<usize>> = within.find_iter(text).map(|it| it.range()).collect();
        visit_readings(text, |reading, source| {
            found.extend(within.find_iter(reading).map(|it| source(it.range())));
        });
        if found.is_empty() {
            return None;
        }
        found.sort_unstable_by_key(|part| part.start);
        let mut clean = Vec::with_capacity(text.len());
        let mut done = 0;
        for part in found {
            // Several readings find the same secret.
            if part.start >= done {
                clean.extend_from_slice(text.get(done..part.start)?);
                clean.extend_from_slice(PLACEHOLDER.as_bytes());
            }
            done = done.max(part.end);
        }
        clean.extend_from_slice(text.get(done..)?);
        Some(clean)
    }

    /// A decoded value without secrets: strings, byte strings, keys, and numbers spelt like one.
    /// Walks with a list of its own, so depth costs no stack.
    pub fn value(&self, value: &mut Value) {
        if self.within.is_none() && self.whole.is_empty() {
            return;
        }
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            match value {
                Value::Null | Value::Bool(_) => {}
                Value::Number(number) => {
                    let spelling = number.to_string();
                    let clean = self.text(&spelling);
                    if clean != spelling {
                        *value = Value::String(clean.into_owned());
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
                    if members.keys().any(|key| self.text(key) != key.as_str()) {
                        *members = std::mem::take(members)
                            .into_iter()
                            .map(|(key, value)| (self.text(&key).into_owned(), value))
                            .collect();
                    }
                    pending.extend(members.values_mut());
                }
            }
        }
    }
}

/// Every spelling of a secret that is looked for.
fn spellings(secret: &str, patterns: &mut BTreeSet<Vec<u8>>) {
    let mut add = |text: String| {
        if text.len() >= SHORT {
            patterns.insert(text.into_bytes());
        }
    };
    add(secret.to_owned());

    let escaped = utf8_percent_encode(secret, COMPONENT).to_string();
    add(lower_escapes(&escaped));
    // A form spells a blank as a plus sign.
    add(escaped.replace("%20", "+"));
    add(escaped);
    let (mut every, mut hex) = (String::new(), String::new());
    for byte in secret.bytes() {
        let _ = write!(every, "%{byte:02X}");
        let _ = write!(hex, "{byte:02x}");
    }
    add(every.to_ascii_lowercase());
    add(every);
    add(hex.to_ascii_uppercase());
    add(hex);

    // UTF-16 of either order, where it is taken for another encoding.
    let units: Vec<String> = secret.chars().map(String::from).collect();
    add(units.join("\0"));

    let json = serde_json::Value::from(secret).to_string();
    let json = json.trim_matches('"').to_owned();
    add(json.replace('/', "\\/"));
    add(ascii_json(&json));
    add(json);

    for skipped in 0..3_usize {
        let mut bytes = vec![0; skipped];
        bytes.extend_from_slice(secret.as_bytes());
        // Characters that also hold bits of what stands before or after the secret are left out.
        let first = (skipped * 8).div_ceil(6);
        let last = bytes.len() * 8 / 6;
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            let text = engine.encode(&bytes);
            if let Some(text) = text.get(first..last) {
                add(text.to_owned());
            }
        }
    }
}

/// `%2F` as `%2f`, the rest as it is.
fn lower_escapes(text: &str) -> String {
    let mut left = 0;
    text.chars()
        .map(|character| {
            if character == '%' {
                left = 2;
                character
            } else if left > 0 {
                left -= 1;
                character.to_ascii_lowercase()
            } else {
                character
            }
        })
        .collect()
}

/// JSON text with everything outside ASCII as `\uXXXX`.
fn ascii_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn redactor(secret: &str) -> Redactor {
        Redactor::new(&[SecretString::from(secret)])
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
            "s~3~c~r~\"~t~/~v~ä~l~+~e~ ~1".replace('~', "\0"),
        ] {
            assert_eq!(
                redactor.text(&format!("<{text}>")),
                "<[redacted]>",
                "{text}"
            );
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
