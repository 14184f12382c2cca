//! The spellings of a secret that are looked for.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::utf8_percent_encode;

use crate::wire::COMPONENT;

/// A spelling below this many bytes is found in innocent text by chance.
const SHORTEST: usize = 8;

/// Every spelling of a secret that is looked for.
pub(super) fn spellings(secret: &str, patterns: &mut BTreeSet<Vec<u8>>) {
    let mut add = |text: String| {
        if text.len() >= SHORTEST {
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
pub(super) fn lower_escapes(text: &str) -> String {
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
