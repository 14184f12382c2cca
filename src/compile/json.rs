//! `manifest.json` as text: two spaces, one key a line, and every invisible character escaped.

use std::fmt::Write as _;

use crate::api::Manifest;
use crate::invisible::is_invisible;

/// The manifest's text, a line end at its end.
pub(super) fn to_text(manifest: &Manifest) -> String {
    // A manifest's keys are strings and its numbers are finite, so this cannot fail.
    let plain = serde_json::to_string_pretty(manifest).unwrap_or_default();
    let mut text = String::with_capacity(plain.len() + 1);
    for character in plain.chars() {
        // Such characters occur within strings only; all of JSON's own are visible.
        if is_invisible(character) && character != '\n' {
            let mut units = [0_u16; 2];
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(character);
        }
    }
    text.push('\n');
    text
}
