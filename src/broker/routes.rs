//! Which operation a path reaches. The broker sends a path only where every reasonable reading
//! of it (decoded once, decoded again, encoded slashes taken for slashes, full-width characters for
//! those of ASCII, `;…` cut off) leads to the operation that was called, among **all** operations of
//! the document: those that were compiled and those that were left out.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use percent_encoding::percent_decode_str;

use super::base::Base;
use super::templates::{Case, Item, Template, trimmed};
use crate::api::Manifest;

/// How often a path is decoded when looking for what a careless proxy would make of it.
const DECODINGS: usize = 3;

/// Why a path is not sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PathError {
    /// A `.` or `..`, which servers and proxies resolve.
    #[error("a path argument may not be, or hold between slashes, `.` or `..`")]
    Dots,
    /// A control character.
    #[error("a path argument may not hold control characters")]
    Control,
    /// Text that is not UTF-8 once decoded.
    #[error("a path argument must be UTF-8")]
    Encoding,
    /// A path that does not fit the operation's own template.
    #[error("the path does not match `{template}`; path arguments must not be empty")]
    Template {
        /// The template.
        template: String,
    },
    /// A path that (also) reaches another operation.
    #[error("these path arguments would reach `{other}` rather than `{template}`")]
    Other {
        /// The template of the other operation.
        other: String,
        /// The template of the operation called.
        template: String,
    },
}

/// The path templates of all operations of one document.
#[derive(Debug)]
pub(super) struct Routes {
    /// By number of segments, so that a call looks at few.
    templates: BTreeMap<usize, Vec<Template>>,
}

impl Routes {
    /// Of every operation in the manifest, whatever its method. Where operations have base URLs of
    /// their own, the path of that goes before each template, and has to before what is checked.
    pub(super) fn new(manifest: &Manifest, base: Option<&Base>) -> Self {
        let functions = manifest.functions.iter();
        let functions = functions.map(|it| (&it.base_url, &it.path));
        let skipped = manifest.skipped.iter();
        let skipped = skipped.map(|it| (&it.base_url, &it.path));
        let paths = functions.chain(skipped).map(|(own, path)| {
            let prefix = base.map(|base| base.route_prefix_of(own.as_deref()));
            format!("{}{path}", prefix.unwrap_or_default())
        });
        let paths: Vec<String> = paths.collect();
        Self::of(paths.iter().map(String::as_str))
    }

    fn of<'path>(paths: impl Iterator<Item = &'path str>) -> Self {
        let mut templates: BTreeMap<usize, Vec<Template>> = BTreeMap::new();
        for path in paths.collect::<BTreeSet<_>>() {
            let template = Template::new(path);
            let count = trimmed(&template.segments).len();
            templates.entry(count).or_default().push(template);
        }
        Self { templates }
    }

    /// Whether an encoded path, below the base URL, with these encoded query items, reaches the
    /// operation with this template and no other one.
    pub(super) fn check(
        &self,
        path: &str,
        query: &[String],
        called: &str,
    ) -> Result<(), PathError> {
        let called = Template::new(called);
        let query: Vec<Item> = query.iter().map(|item| Item::new(item)).collect();
        let segments = decoded(path)?;
        if segments
            .iter()
            .any(|segment| segment.chars().any(char::is_control))
        {
            return Err(PathError::Control);
        }
        let segments: Vec<&str> = segments.iter().map(AsRef::as_ref).collect();
        if !called.matches(&segments, Case::Exact) {
            return Err(PathError::Template {
                template: called.text,
            });
        }
        self.only(&segments, &query, &called, Reading::Plain)?;

        let mut text = Cow::Borrowed(path);
        for _ in 0..DECODINGS {
            // That it is UTF-8 when decoded once was seen above. Decoded again, an argument such as
            // `100%AB` need not be, and whoever decodes it so reads the replacement character;
            // unless it is an ASCII character in too many bytes, which a few take for that one.
            let bytes: Vec<u8> = percent_decode_str(&text).collect();
            if is_overlong(&bytes) {
                return Err(PathError::Encoding);
            }
            let once = String::from_utf8_lossy(&bytes).into_owned();
            for text in [Some(once.clone()), folded(&once)].into_iter().flatten() {
                if text.split(['/', '\\']).any(is_dots) {
                    return Err(PathError::Dots);
                }
                for reading in readings(&text) {
                    if trimmed(&reading) != trimmed(&segments) {
                        self.only(&reading, &query, &called, Reading::Careless)?;
                    }
                }
            }
            if once == text {
                break;
            }
            text = Cow::Owned(once);
        }
        Ok(())
    }

    /// Whether no other template claims these segments.
    fn only(
        &self,
        segments: &[&str],
        query: &[Item],
        called: &Template,
        reading: Reading,
    ) -> Result<(), PathError> {
        let candidates = self.templates.get(&trimmed(segments).len());
        for other in candidates.into_iter().flatten() {
            let claims =
                other.matches(trimmed(segments), Case::Ignored) && other.is_asked_by(query);
            if !claims {
                continue;
            }
            let is_less_concrete =
                called.is_same(other) || (reading == Reading::Plain && called.is_within(other));
            if !is_less_concrete || !other.is_asked_by(&called.fixed) {
                return Err(PathError::Other {
                    other: other.text.clone(),
                    template: called.text.clone(),
                });
            }
        }
        Ok(())
    }
}

/// How a path was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As RFC 3986 has it: split, then decoded once. A more general template may match as well,
    /// since the most concrete one is served.
    Plain,
    /// As a careless server might: nothing but the called operation may match.
    Careless,
}

/// Whether a character that needs fewer bytes is spelt in two, three or four of them.
fn is_overlong(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|pair| {
        matches!(
            pair,
            [0xC0 | 0xC1, 0x80..=0xBF] | [0xE0, 0x80..=0x9F] | [0xF0, 0x80..=0x8F]
        )
    })
}

/// The segments of an encoded path after its leading slash, each decoded once.
fn decoded(path: &str) -> Result<Vec<Cow<'_, str>>, PathError> {
    path.split('/')
        .map(|segment| {
            percent_decode_str(segment)
                .decode_utf8()
                .map_err(|_| PathError::Encoding)
        })
        .collect()
}

/// What careless servers may make of a decoded path: encoded slashes are slashes, backslashes too or
/// not, the path ends at `?` or `#`, what [`bare`] cuts off is, and empty segments are dropped.
fn readings(path: &str) -> Vec<Vec<&str>> {
    let until_query = path.split(['?', '#']).next().unwrap_or(path);
    let mut readings = Vec::new();
    let mut splits = Vec::new();
    for path in [path, until_query] {
        splits.push(path.split(['/', '\\']).collect::<Vec<&str>>());
        if path.contains('\\') {
            splits.push(path.split('/').collect());
        }
    }
    for pieces in splits {
        let cut: Vec<&str> = pieces.iter().map(|piece| bare(piece)).collect();
        for pieces in [pieces, cut] {
            let mut merged = vec![""];
            merged.extend(pieces.iter().filter(|piece| !piece.is_empty()));
            readings.extend([pieces, merged]);
        }
    }
    readings
}

/// The text with what compatibility forms and "best fit" tables make ASCII of: full-width
/// characters, and the dots and slashes that look like those of ASCII. None where there are none.
fn folded(text: &str) -> Option<String> {
    if text.is_ascii() {
        return None;
    }
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\u{2024}' | '\u{fe52}' => folded.push('.'),
            '\u{2025}' => folded.push_str(".."),
            '\u{2044}' | '\u{2215}' => folded.push('/'),
            '\u{2216}' | '\u{29f5}' | '\u{fe68}' => folded.push('\\'),
            // Full-width forms of `!` to `~` stand in the same order.
            '\u{ff01}'..='\u{ff5e}' => {
                folded.extend(char::from_u32(u32::from(character) - 0xff01 + 0x21));
            }
            other => folded.push(other),
        }
    }
    (folded != text).then_some(folded)
}

/// `.` or `..`, also between blanks, and before a `;`, which some servers cut off only after
/// looking for dots.
fn is_dots(segment: &str) -> bool {
    let before = segment.split(';').next().unwrap_or_default();
    matches!(before.trim(), "." | "..")
}

/// A segment without `;…`, and without the dots and blanks at its end that Windows drops. One that
/// is nothing else (style `matrix`) is kept.
fn bare(segment: &str) -> &str {
    let before = segment.split(';').next().unwrap_or_default();
    match before.trim_end_matches(['.', ' ']) {
        "" => segment,
        bare => bare,
    }
}

#[cfg(test)]
mod tests;
