//! What libyaml takes for the end of a line and YAML 1.2 does not.

use std::borrow::Cow;

/// Characters that libyaml takes for line breaks and YAML 1.2 does not (section 5.4), so that a
/// comment could end, or a string be folded, where no reader of the text sees it.
const OLD_BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

/// The private-use characters that stand for [`OLD_BREAKS`] while a text is parsed.
pub(super) struct Breaks(Option<[char; 3]>);

impl Breaks {
    /// The text with old breaks replaced by characters that do not occur in it.
    pub(super) fn hide(text: &str) -> (Cow<'_, str>, Self) {
        if !text.contains(OLD_BREAKS) {
            return (Cow::Borrowed(text), Self(None));
        }
        let mut free = ('\u{e000}'..='\u{f8ff}').filter(|character| !text.contains(*character));
        let (Some(first), Some(second), Some(third)) = (free.next(), free.next(), free.next())
        else {
            return (Cow::Borrowed(text), Self(None));
        };
        let stand_ins = [first, second, third];
        let hidden = exchange(text, OLD_BREAKS, stand_ins);
        (Cow::Owned(hidden), Self(Some(stand_ins)))
    }

    pub(super) fn restore(&self, text: String) -> String {
        match self.0 {
            Some(stand_ins) if text.contains(stand_ins) => exchange(&text, stand_ins, OLD_BREAKS),
            _ => text,
        }
    }
}

fn exchange(text: &str, from: [char; 3], to: [char; 3]) -> String {
    text.chars()
        .map(|character| {
            let mut pairs = from.iter().zip(to);
            let pair = pairs.find(|(from, _)| **from == character);
            pair.map_or(character, |(_, to)| to)
        })
        .collect()
}
