//! Characters that a reader of generated text cannot see.

/// Whether a character is invisible, changes the order of those around it, or ends a line:
/// controls, format characters (Unicode category Cf), line and paragraph separators, variation
/// selectors, tag characters, fillers, private use and noncharacters. Generated files hold them
/// escaped only.
#[must_use]
pub fn is_hidden(character: char) -> bool {
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

/// A text with its hidden characters written as `\u{…}`, for messages.
#[must_use]
pub fn visible(text: &str) -> String {
    text.chars()
        .flat_map(|character| {
            let escaped = is_hidden(character).then(|| character.escape_unicode());
            let plain = escaped.is_none().then_some(character);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bidi_zero_width_tags_and_selectors_are_hidden() {
        for character in [
            '\u{202e}',
            '\u{200b}',
            '\u{2028}',
            '\u{e0041}',
            '\u{fe0f}',
            '\u{feff}',
            '\t',
            '\u{85}',
        ] {
            assert!(is_hidden(character), "{character:?}");
        }
        for character in ['a', 'é', '雪', '😀', ' ', '\u{a0}'] {
            assert!(!is_hidden(character), "{character:?}");
        }
        assert_eq!(visible("a\u{202e}b"), "a\\u{202e}b");
    }
}
