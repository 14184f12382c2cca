//! Characters that a reader cannot see, for every text that people judge: generated files, messages,
//! code, configs.

use std::fmt::Write as _;

/// Whether a character is invisible, changes the order of those around it, or ends a line:
/// controls, format characters (Unicode category Cf), line and paragraph separators, variation
/// selectors, tag characters, fillers, private use (which looks like anything) and noncharacters.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    let code = u32::from(character);
    character.is_control()
        || code & 0xFFFE == 0xFFFE
        || matches!(
            code,
            0xAD | 0x034F
                | 0x0600..=0x0605
                | 0x061C
                | 0x06DD
                | 0x070F
                | 0x0890..=0x0891
                | 0x08E2
                | 0x115F..=0x1160
                | 0x17B4..=0x17B5
                | 0x180B..=0x180F
                | 0x200B..=0x200F
                | 0x2028..=0x202E
                | 0x2060..=0x206F
                | 0x3164
                | 0xE000..=0xF8FF
                | 0xFDD0..=0xFDEF
                | 0xFE00..=0xFE0F
                | 0xFEFF
                | 0xFFA0
                | 0xFFF0..=0xFFFB
                | 0x110BD
                | 0x110CD
                | 0x13430..=0x1343F
                | 0x1BCA0..=0x1BCA3
                | 0x1D173..=0x1D17A
                | 0xE0000..=0x0010_FFFF
        )
}

/// A text with its invisible characters, line ends too, written as `\u{…}`.
#[must_use]
pub fn visible(text: &str) -> String {
    escape(text, |_| false)
}

/// [`visible`], but for the ends of lines: for texts of several lines.
#[must_use]
pub fn visible_lines(text: &str) -> String {
    escape(text, |character| character == '\n')
}

/// JSON that means the same, with the characters in its texts that nobody sees or that steer a
/// terminal as escapes. Those below U+0020 stand as escapes already, but for the ends of lines.
#[must_use]
pub fn json_visible(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if character != '\n' && is_invisible(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(character);
        }
    }
    text
}

fn escape(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_invisible(character) && !is_kept(character) {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bidi_zero_width_tags_and_selectors_are_invisible() {
        for character in [
            '\u{202e}',
            '\u{200b}',
            '\u{2028}',
            '\u{e0041}',
            '\u{fe0f}',
            '\u{feff}',
            '\t',
            '\u{85}',
            '\u{ad}',
            '\u{34f}',
            '\u{e000}',
            '\u{fff9}',
            '\u{ffff}',
            '\u{10fffd}',
        ] {
            assert!(is_invisible(character), "{character:?}");
        }
        for character in ['a', 'é', '雪', '😀', ' ', '\u{a0}'] {
            assert!(!is_invisible(character), "{character:?}");
        }
        assert_eq!(visible("a\u{202e}\nb"), "a\\u{202e}\\u{a}b");
        // Escape sequences cannot steer a terminal.
        assert_eq!(visible_lines("a\x1b[2J"), "a\\u{1b}[2J");
        assert_eq!(visible_lines("a\u{202e}\r\nb"), "a\\u{202e}\\u{d}\nb");
    }

    #[test]
    fn json_says_the_same_without_what_steers_a_terminal() {
        let value = serde_json::json!({
            "a\u{202e}": "\u{9b}31m \u{85}\u{7f}\u{1b}[2J \u{e0041} é 中 \u{1f600} \" \\ \n",
            "list": ["\u{feff}", 1],
        });
        let text = serde_json::to_string_pretty(&value).unwrap();
        let shown = json_visible(&text);
        assert!(
            !shown.chars().any(|c| c != '\n' && is_invisible(c)),
            "{shown}"
        );
        assert!(shown.contains("é 中 \u{1f600}"), "{shown}");
        assert!(
            shown.contains("\\u009b31m \\u0085\\u007f\\u001b[2J \\udb40\\udc41"),
            "{shown}"
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&shown).unwrap(),
            value
        );
    }
}
