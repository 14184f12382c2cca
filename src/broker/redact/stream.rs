//! Secrets in a text that comes in pieces.

use bytes::{Bytes, BytesMut};

use super::readings::{DECODINGS, unfinished_escape, visit_readings_once};
use super::{PLACEHOLDER, Redactor};

/// Removes secrets from a text that comes in pieces, wherever it is cut: what may be the beginning of
/// a secret is held back until it is told apart. Usually that is nothing.
pub struct Scrubber {
    redactor: Redactor,
    held: BytesMut,
    has_begun: bool,
}

impl Scrubber {
    pub(super) fn new(redactor: Redactor) -> Self {
        Self {
            redactor,
            held: BytesMut::new(),
            has_begun: false,
        }
    }

    /// Takes a piece, and gives what can be told by now.
    pub fn push(&mut self, piece: &[u8]) -> Bytes {
        self.held.extend_from_slice(piece);
        let known = &self.redactor.known;
        let might_be_whole = |whole: &Vec<u8>| whole.starts_with(&self.held);
        if !self.has_begun && known.whole.iter().any(might_be_whole) {
            return Bytes::new();
        }
        let end = self.undecided(&self.held, DECODINGS);
        let found = self.redactor.found(&self.held);
        // Of a secret that is there, nothing is left to be decided, unless it goes on.
        let end = found
            .iter()
            .find(|part| part.start < end && end < part.end)
            .map_or(end, |part| part.start);
        if end == 0 {
            return Bytes::new();
        }
        self.has_begun = true;
        let decided = self.held.split_to(end).freeze();
        let mut clean = BytesMut::with_capacity(decided.len());
        let mut done = 0;
        for part in found.iter().filter(|part| part.end <= end) {
            clean.extend_from_slice(decided.get(done..part.start).unwrap_or_default());
            clean.extend_from_slice(PLACEHOLDER.as_bytes());
            done = part.end;
        }
        clean.extend_from_slice(decided.get(done..).unwrap_or_default());
        clean.freeze()
    }

    /// The rest, when no piece is left.
    pub fn finish(&mut self) -> Bytes {
        let rest = self.held.split().freeze();
        let known = &self.redactor.known;
        if !self.has_begun && known.whole.contains(rest.as_ref()) {
            return Bytes::from_static(PLACEHOLDER.as_bytes());
        }
        self.has_begun = true;
        self.redactor.bytes_within(&rest)
    }

    /// Removes secrets that came to be known as well, from now on.
    pub fn know(&mut self, redactor: Redactor) {
        self.redactor = redactor;
    }

    /// Where what may be the beginning of a secret begins, in any reading of a text: with the escape
    /// that it ends within, and without that, which may be of anything.
    fn undecided(&self, text: &[u8], decodings: usize) -> usize {
        let escape = unfinished_escape(text);
        let before = text.get(..escape).unwrap_or_default();
        let mut end = self.begun(text).min(escape);
        if escape < text.len() {
            end = end.min(self.begun(before));
        }
        if decodings == 0 {
            return end;
        }
        for part in [text, before] {
            visit_readings_once(part, |reading, source| {
                let start = self.undecided(reading, decodings - 1);
                if start < reading.len() {
                    end = end.min(source(start));
                }
            });
            if escape == text.len() {
                break;
            }
        }
        end
    }

    /// Where the longest end of a text begins that is the beginning of a spelling.
    fn begun(&self, text: &[u8]) -> usize {
        let known = &self.redactor.known;
        let from = text.len().saturating_sub(known.longest.saturating_sub(1));
        (from..text.len())
            .find(|start| {
                let end = text.get(*start..).unwrap_or_default();
                let after = (std::ops::Bound::Excluded(end), std::ops::Bound::Unbounded);
                let next = known.patterns.range::<[u8], _>(after).next();
                next.is_some_and(|pattern| pattern.starts_with(end))
            })
            .unwrap_or(text.len())
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use proptest::prelude::*;
    use secrecy::SecretString;

    use super::*;

    fn scrubbed(redactor: &Redactor, pieces: &[&[u8]]) -> Vec<u8> {
        let mut scrubber = redactor.stream();
        let mut clean: Vec<u8> = pieces
            .iter()
            .flat_map(|piece| scrubber.push(piece))
            .collect();
        clean.extend_from_slice(&scrubber.finish());
        clean
    }

    #[test]
    fn a_line_without_a_secret_is_not_held_back() {
        let mut scrubber = Redactor::new(&[SecretString::from("s3cr3t-value")]).stream();
        assert_eq!(scrubber.push(b"data: 1\n\n"), "data: 1\n\n");
        assert_eq!(scrubber.push(b"a s3cr3"), "a ");
        assert_eq!(scrubber.push(b"ts are kept\n"), "s3cr3ts are kept\n");
    }

    #[test]
    fn half_an_escape_is_waited_for() {
        let redactor = Redactor::new(&[SecretString::from("pass/word+1")]);
        for text in [
            "x=pass%2Fword%2b1&",
            r"pass\/word\u002b1",
            "%70ass%252Fword+1",
        ] {
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            let clean = String::from_utf8(scrubbed(&redactor, &pieces)).unwrap();
            assert!(clean.contains(PLACEHOLDER), "{text}: {clean}");
            assert!(!clean.contains("word"), "{text}: {clean}");
        }
    }

    #[test]
    fn a_short_secret_is_removed_where_it_is_all_there_is() {
        let redactor = Redactor::new(&[SecretString::from("abc")]);
        assert_eq!(scrubbed(&redactor, &[b"a", b"bc"]), b"[redacted]");
        assert_eq!(scrubbed(&redactor, &[b"a", b"bcd"]), b"abcd");
        assert_eq!(scrubbed(&redactor, &[b"x", b"abc"]), b"xabc");
    }

    proptest! {
        /// However a text is cut, and however a secret in it is spelt, nothing of it comes through.
        #[test]
        fn pieces_are_cleaned_wherever_they_are_cut(
            secret in "[a-c/%+]{8,12}",
            around in prop::collection::vec("[a-c/%+ ]{0,6}", 1..5),
            forms in (0..6_usize, 0..4_usize),
            cuts in prop::collection::vec(0..400_usize, 0..8),
            is_cut_everywhere in any::<bool>(),
        ) {
            let every = |text: &str| text.bytes().fold(String::new(), |text, byte| format!("{text}%{byte:02X}"));
            let some = |text: &str| text.replace('%', "%25").replace('/', "%2f").replace('\\', "%5C");
            let json = |text: &str| text.replace('\\', "\\\\").replace('/', "\\/").replace('+', "\\u002b");
            let units = |text: &str| text.bytes().fold(String::new(), |text, byte| format!("{text}\\u{byte:04x}"));
            let spell = |text: &str, form: usize| match form {
                0 => every(text),
                1 => some(text),
                2 => json(text),
                3 => units(text),
                4 => STANDARD.encode(text),
                _ => text.to_owned(),
            };
            let spelt = spell(&spell(&secret, forms.0), forms.1);
            let text = around.join(&spelt).into_bytes();
            let redactor = Redactor::new(&[SecretString::from(secret)]);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            if is_cut_everywhere {
                cuts.extend(0..text.len());
            }
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
            let whole = redactor.bytes(&Bytes::from(text.clone()));
            let clean = scrubbed(&redactor, &pieces);
            // What stands before a secret can spoil a reading of the whole, and not that of a piece.
            let is_clean = redactor.found(&clean).is_empty();
            prop_assert!(is_clean || !redactor.found(&whole).is_empty(), "{:?}", String::from_utf8_lossy(&clean));
            let placeholder = PLACEHOLDER.as_bytes();
            let has_placeholder = clean.windows(placeholder.len()).any(|part| part == placeholder);
            prop_assert_eq!(clean != text, has_placeholder);
        }
    }
}
