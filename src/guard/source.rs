//! Checks on the text itself, before it is parsed: what Python would read otherwise than the
//! parser does, and what a reader sees otherwise than either.

use memchr::{memchr_iter, memchr3_iter};

use crate::pysyntax::{TextRange, TextSize};

use super::finding::Finding;
use super::{MAX_CODE_BYTES, rule};

/// Looks at the text; the code is parsed only when nothing is found.
pub(super) fn check(code: &str) -> Vec<Finding> {
    if code.len() > MAX_CODE_BYTES {
        let message = format!(
            "the code has {} bytes; {MAX_CODE_BYTES} are allowed",
            code.len()
        );
        return vec![Finding::new(
            rule::TOO_LONG,
            TextRange::default(),
            message,
            "split the work",
        )];
    }
    if let Some(fence) = fence(code) {
        return vec![fence];
    }
    let mut findings = Vec::new();
    findings.extend(encoding_cookie(code));
    // All of these begin with one of four bytes, of which most code has none.
    let bytes = code.as_bytes();
    let places = memchr3_iter(0, b'\r', 0xc, bytes).chain(memchr_iter(0xe2, bytes));
    for index in places {
        let mut characters = code.get(index..).unwrap_or_default().chars();
        let Some(character) = characters.next() else {
            continue;
        };
        let (what, hint) = match character {
            '\0' => ("a NUL character", "write `\\0` in a string"),
            '\r' if characters.next() != Some('\n') => (
                "a carriage return without a line feed",
                "end lines with a line feed",
            ),
            '\u{c}' => (
                "a form feed",
                "write `\\f` in a string, and spaces elsewhere",
            ),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => (
                "a character that changes the direction of text",
                "write it as an escape such as `\\u202e` in a string",
            ),
            _ => continue,
        };
        let start = TextSize::try_from(index).unwrap_or_default();
        let range = TextRange::at(start, TextSize::of(character));
        let message = format!("{what} makes the code read otherwise than it looks");
        findings.push(Finding::new(rule::CONTROL_CHARACTER, range, message, hint));
    }
    findings
}

/// Code that was sent as Markdown, of which the parser would complain line by line.
fn fence(code: &str) -> Option<Finding> {
    let start = code.find(|character: char| !character.is_whitespace())?;
    code.get(start..)?.starts_with("```").then(|| {
        let at = TextSize::try_from(start).unwrap_or_default();
        let range = TextRange::at(at, TextSize::of("```"));
        let message = "the code begins with a fence of Markdown";
        Finding::new(
            rule::SYNTAX,
            range,
            message,
            "send the Python code alone, without ```` ``` ````",
        )
    })
}

/// A `coding:` comment (PEP 263) in the first two lines for anything but UTF-8.
fn encoding_cookie(code: &str) -> Option<Finding> {
    let mut start = 0;
    for line in code.split_inclusive('\n').take(2) {
        let text = line.trim_start_matches([' ', '\t', '\u{c}', '\u{feff}']);
        if let Some(comment) = text.strip_prefix('#') {
            if let Some(encoding) = cookie(comment) {
                let name = encoding.to_ascii_lowercase().replace('_', "-");
                if name != "utf-8" && name != "utf8" && !name.starts_with("utf-8-") {
                    let offset = TextSize::try_from(start).unwrap_or_default();
                    let length = TextSize::of(line.trim_end());
                    return Some(Finding::new(
                        rule::ENCODING,
                        TextRange::at(offset, length),
                        format!("the code declares the encoding `{encoding}`; it is UTF-8"),
                        "remove the comment",
                    ));
                }
                return None;
            }
        } else if !text.trim_end().is_empty() {
            // Only a blank line or a comment may stand before a cookie in the second line.
            return None;
        }
        start += line.len();
    }
    None
}

fn cookie(comment: &str) -> Option<&str> {
    let mut rest = comment;
    loop {
        rest = rest.get(rest.find("coding")? + "coding".len()..)?;
        if let Some(value) = rest.strip_prefix([':', '=']) {
            let value = value.trim_start_matches([' ', '\t']);
            let end = value
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
                .unwrap_or(value.len());
            if end > 0 {
                return value.get(..end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    fn rules(code: &str) -> Vec<&'static str> {
        check(code)
            .into_iter()
            .map(|finding| finding.rule)
            .collect()
    }

    #[test]
    fn cookies_count_only_where_cpython_reads_them() {
        assert_eq!(rules("# -*- coding: latin-1 -*-\n"), ["encoding"]);
        assert_eq!(rules("\n  # vim: set fileencoding=cp037 :\n"), ["encoding"]);
        assert_eq!(rules("# encoding: coding=utf-7"), ["encoding"]);
        assert!(rules("# coding: UTF_8\n").is_empty());
        assert!(rules("x = 1\n# coding: latin-1\n").is_empty());
        assert!(rules("\n\n# coding: latin-1\n").is_empty());
        assert!(rules("x = '# coding: latin-1'\n").is_empty());
    }

    #[test]
    fn lines_end_as_they_look() {
        assert!(rules("x = 1\r\ny = 2\r\n").is_empty());
        assert_eq!(rules("# note\rx = 1\n"), ["control-character"]);
        assert_eq!(rules("x = '\u{202e}'\n"), ["control-character"]);
        assert_eq!(rules("if x:\n\u{c}    y\n"), ["control-character"]);
    }
}
