//! A text as those may read it who decode it: with percent-escapes or the escapes of JSON strings
//! undone, and where in the text each part of that came from. However a secret's characters are
//! escaped, some or all of them, it stands in a reading as it is.

use std::ops::Range;

/// How often a text is decoded: an API may put what it echoes into a URL, that into JSON, and that into
/// the JSON of a message.
pub(super) const DECODINGS: usize = 3;

/// Bytes of the longest escape, a pair of surrogates.
const LONGEST_ESCAPE: usize = 12;

/// Places where a decoded text stops running beside its source: the position here, and there.
type Marks = Vec<(u32, u32)>;

/// Where an escape begins that a text ends within, of either kind; the text's length where none does.
pub(super) fn unfinished_escape(text: &[u8]) -> usize {
    let from = text.len().saturating_sub(LONGEST_ESCAPE - 1);
    let tail = text.get(from..).unwrap_or_default();
    let mut starts = tail
        .iter()
        .enumerate()
        .filter(|(_, byte)| matches!(byte, b'%' | b'\\'));
    let unfinished = starts.find(|(start, _)| {
        let escape = tail.get(*start..).unwrap_or_default();
        is_begun(escape)
    });
    unfinished.map_or(text.len(), |(start, _)| from + start)
}

/// Whether a text is the beginning of an escape and not the whole of one. Half of a pair of surrogates
/// counts as a beginning.
fn is_begun(text: &[u8]) -> bool {
    match text {
        [b'%' | b'\\'] => true,
        [b'%', high] => digit(*high).is_some(),
        [b'\\', b'u', digits @ ..] => {
            let own = digits.get(..4).unwrap_or(digits);
            let all_digits = own.iter().all(|byte| digit(*byte).is_some());
            let second = digits.get(4..).unwrap_or_default();
            let begins =
                |whole: &[u8]| second.len() < 6 && second.iter().zip(whole).all(|(a, b)| a == b);
            all_digits
                && (own.len() < 4
                    || unit(own).is_some_and(|unit| (0xd800..0xdc00).contains(&unit))
                        && begins(b"\\u"))
        }
        _ => false,
    }
}

/// Calls `visit` with every reading that differs from the text, and with what tells which part of
/// the text a part of the reading came from.
pub(super) fn visit_readings(
    text: &[u8],
    mut visit: impl FnMut(&[u8], &dyn Fn(Range<usize>) -> Range<usize>),
) {
    // Positions are kept as `u32`; no answer is so long.
    if u32::try_from(text.len()).is_ok() {
        visit_deeper(text, &mut Vec::new(), &mut visit);
    }
}

/// Calls `visit` with the readings by one decoding, and with what tells which place of the text a place of
/// the reading came from.
pub(super) fn visit_readings_once(
    text: &[u8],
    mut visit: impl FnMut(&[u8], &dyn Fn(usize) -> usize),
) {
    for (first, decode) in KINDS {
        if let Some((reading, marks)) = unescaped(text, first, decode) {
            visit(&reading, &|place| came_from(place, &marks));
        }
    }
}

fn visit_deeper(
    text: &[u8],
    layers: &mut Vec<Marks>,
    visit: &mut impl FnMut(&[u8], &dyn Fn(Range<usize>) -> Range<usize>),
) {
    if layers.len() == DECODINGS {
        return;
    }
    for (first, decode) in KINDS {
        let Some((reading, marks)) = unescaped(text, first, decode) else {
            continue;
        };
        layers.push(marks);
        let source = |position: usize| layers.iter().rev().fold(position, came_from);
        visit(&reading, &|part| source(part.start)..source(part.end));
        visit_deeper(&reading, layers, visit);
        layers.pop();
    }
}

fn came_from(position: usize, marks: &Marks) -> usize {
    let before = marks.partition_point(|(here, _)| *here as usize <= position);
    match before.checked_sub(1).and_then(|last| marks.get(last)) {
        Some((here, there)) => *there as usize + (position - *here as usize),
        None => position,
    }
}

/// What an escape stands for, in UTF-8, and how long it is.
struct Escape {
    meaning: [u8; 4],
    size: usize,
    length: usize,
}

impl Escape {
    fn byte(byte: u8, length: usize) -> Self {
        Self {
            meaning: [byte, 0, 0, 0],
            size: 1,
            length,
        }
    }
}

/// Reads the escape at the start of a text.
type Decode = fn(&[u8]) -> Option<Escape>;

const KINDS: [(u8, Decode); 2] = [(b'%', percent_escape), (b'\\', json_escape)];

/// Undoes the escapes of one kind, which begin with `first`; none where there are none.
fn unescaped(text: &[u8], first: u8, decode: Decode) -> Option<(Vec<u8>, Marks)> {
    let mut reading = Vec::new();
    let mut marks = Marks::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(rest) = text.get(at..) {
        let Some(plain) = rest.iter().position(|byte| *byte == first) else {
            break;
        };
        at += plain;
        let Some(escape) = text.get(at..).and_then(decode) else {
            at += 1;
            continue;
        };
        reading.extend_from_slice(text.get(copied..at)?);
        mark(&mut marks, reading.len(), at);
        reading.extend_from_slice(escape.meaning.get(..escape.size)?);
        at += escape.length;
        copied = at;
        mark(&mut marks, reading.len(), at);
    }
    if marks.is_empty() {
        return None;
    }
    reading.extend_from_slice(text.get(copied..)?);
    Some((reading, marks))
}

fn mark(marks: &mut Marks, here: usize, there: usize) {
    if let (Ok(here), Ok(there)) = (u32::try_from(here), u32::try_from(there))
        && marks.last() != Some(&(here, there))
    {
        marks.push((here, there));
    }
}

/// `%2F`
fn percent_escape(text: &[u8]) -> Option<Escape> {
    let [b'%', high, low, ..] = text else {
        return None;
    };
    Some(Escape::byte((digit(*high)? << 4) | digit(*low)?, 3))
}

/// `\/`, `\"`, `\n`, `\u002f`, `\ud83d\ude00`
fn json_escape(text: &[u8]) -> Option<Escape> {
    let [b'\\', kind, rest @ ..] = text else {
        return None;
    };
    let byte = match kind {
        b'"' | b'\\' | b'/' => *kind,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => return unicode_escape(rest),
        _ => return None,
    };
    Some(Escape::byte(byte, 2))
}

/// What follows `\u`.
fn unicode_escape(text: &[u8]) -> Option<Escape> {
    let first = unit(text)?;
    let (character, length) = match (char::from_u32(first), text.get(4..)) {
        (Some(character), _) => (character, 6),
        (None, Some([b'\\', b'u', rest @ ..])) => {
            let units = [first, unit(rest)?].map(|unit| u16::try_from(unit).unwrap_or_default());
            let character = char::decode_utf16(units).next()?.ok()?;
            (character, 12)
        }
        _ => return None,
    };
    let mut meaning = [0; 4];
    let size = character.encode_utf8(&mut meaning).len();
    Some(Escape {
        meaning,
        size,
        length,
    })
}

/// Four hexadecimal digits.
fn unit(text: &[u8]) -> Option<u32> {
    text.get(..4)?
        .iter()
        .try_fold(0, |unit, byte| Some((unit << 4) | u32::from(digit(*byte)?)))
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the parts of the text are that `wanted` comes from in some reading.
    fn found(text: &str, wanted: &str) -> Vec<String> {
        let mut parts = Vec::new();
        visit_readings(text.as_bytes(), |reading, source| {
            let reading = std::str::from_utf8(reading).unwrap();
            for (at, part) in reading.match_indices(wanted) {
                parts.push(text[source(at..at + part.len())].to_owned());
            }
        });
        parts
    }

    #[test]
    fn a_part_of_a_reading_leads_to_what_it_came_from() {
        assert_eq!(found("<a%2Fb+c>", "a/b"), ["a%2Fb"]);
        assert_eq!(found("%61%62%63", "b"), ["%62"]);
        assert_eq!(
            found(r"x\u00e4\/y\ud83d\ude00z", "ä/y😀"),
            [r"\u00e4\/y\ud83d\ude00"]
        );
        assert_eq!(found("é%20a%252Fb%20é", "a/b"), ["a%252Fb"]);
        assert_eq!(
            found(r#"\"a\\\/b%2F\""#, "a/b/").first().unwrap(),
            r"a\\\/b%2F"
        );
        assert!(found("a%2525252Fb", "a/b").is_empty(), "four times");
        assert_eq!(found(r"a\\u002Fb", "a/b"), [r"a\\u002Fb"]);
        assert_eq!(found(r"a\u00252Fb", "a/b"), [r"a\u00252Fb"]);
    }

    #[test]
    fn what_is_no_escape_is_left_alone() {
        assert!(found(r"100% %zz \x \u12 \ud83d %", "%").is_empty());
    }
}
