//! From byte offsets to the lines and columns of a message.

use crate::invisible::is_invisible;
use crate::pysyntax::TextRange;

/// The longest piece of code that a violation shows, in characters.
const SHOWN: usize = 80;

/// Where each line of a text starts.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0)
            .chain(newlines.map(|(index, _)| index + 1))
            .collect();
        Self { text, starts }
    }

    /// Line and column of a byte offset, both from 1, the column in characters.
    pub(super) fn position(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line
            .checked_sub(1)
            .and_then(|index| self.starts.get(index))
            .copied();
        let before = self
            .text
            .get(start.unwrap_or_default()..offset)
            .unwrap_or_default();
        (line.max(1), before.chars().count() + 1)
    }

    /// The first line of a range, cut to 80 characters.
    pub(super) fn shown(&self, range: TextRange) -> String {
        let start = self.text.floor_char_boundary(range.start().to_usize());
        let end = self.text.floor_char_boundary(range.end().to_usize());
        let text = self.text.get(start..end).unwrap_or_default();
        shorten(text.lines().next().unwrap_or_default())
    }
}

/// Cuts a text to 80 characters, and shows what cannot be seen by escapes.
pub(super) fn shorten(text: &str) -> String {
    let mut shown = String::new();
    for (index, character) in text.chars().enumerate() {
        if index == SHOWN - 1 && text.chars().count() > SHOWN {
            shown.push('…');
            break;
        }
        if is_invisible(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{Lines, shorten};

    #[test]
    fn tags_soft_hyphens_and_selectors_are_shown_by_escapes() {
        assert_eq!(
            shorten("a\u{ad}\u{fe0f}\u{e0041}"),
            "a\\u{ad}\\u{fe0f}\\u{e0041}"
        );
    }

    #[test]
    fn columns_count_characters_not_bytes() {
        let lines = Lines::of("a\né = ß + x\n");
        assert_eq!(lines.position("a\né = ß + ".len()), (2, 9));
        assert_eq!(lines.position(0), (1, 1));
        assert_eq!(lines.position(1), (1, 2));
        assert_eq!(lines.position(2), (2, 1));
        assert_eq!(lines.position(999), (3, 1));
    }
}
