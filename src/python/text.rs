//! Document text as Python: string literals and docstrings in which nothing can end the string,
//! hide, or pass for something the compiler wrote.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::invisible::is_invisible;

/// Characters looked at beyond those that can be shown: blanks may stand between them.
const MOST_BLANKS: usize = 2_000;

/// A string literal in double quotes.
pub(super) fn string_literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for character in text.chars() {
        match character {
            '"' => literal.push_str("\\\""),
            '\n' => literal.push_str("\\n"),
            other => push_escaped(&mut literal, other),
        }
    }
    literal.push('"');
    literal
}

fn push_escaped(target: &mut String, character: char) {
    let code = u32::from(character);
    match character {
        '\\' => target.push_str("\\\\"),
        '\r' => target.push_str("\\r"),
        '\t' => target.push_str("\\t"),
        _ if !is_invisible(character) => target.push(character),
        _ if code < 0x100 => {
            let _ = write!(target, "\\x{code:02x}");
        }
        _ if code < 0x1_0000 => {
            let _ = write!(target, "\\u{code:04x}");
        }
        _ => {
            let _ = write!(target, "\\U{code:08x}");
        }
    }
}

/// One line of a docstring, escaped.
fn docstring_line(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    for character in line.chars() {
        push_escaped(&mut escaped, character);
    }
    escaped.replace("\"\"\"", "\\\"\\\"\\\"")
}

/// A docstring of the given lines (each without its indentation), quotes and all.
pub(super) fn docstring(lines: &[String], indent: usize) -> String {
    let end = lines.iter().rposition(|line| !line.is_empty());
    let lines = lines.get(..=end.unwrap_or(0)).unwrap_or_default();
    let margin = " ".repeat(indent);
    if let [only] = lines {
        // A quote beside the closing ones is escaped, whatever stands before it.
        let (text, last) = match only.strip_suffix('"') {
            Some(text) => (text, "\\\""),
            None => (only.as_str(), ""),
        };
        return format!("{margin}\"\"\"{}{last}\"\"\"", docstring_line(text));
    }
    let lines = lines.iter().map(|line| docstring_line(line));
    let mut text = format!("{margin}\"\"\"");
    for (index, line) in lines.enumerate() {
        if index > 0 && !line.is_empty() {
            text.push_str(&margin);
        }
        text.push_str(&line);
        text.push('\n');
    }
    text.push_str(&margin);
    text.push_str("\"\"\"");
    text
}

/// The lines of a document's prose: line ends and tabs made plain, wrapped at `width`, cut after
/// `limit` characters.
pub(super) fn prose(text: &str, width: usize, limit: usize) -> Vec<String> {
    // Line ends may take two characters; what lies further on is not looked at.
    let text: String = text
        .trim_start()
        .chars()
        .take(limit.saturating_add(1).saturating_mul(2))
        .collect();
    let text = text
        .replace("\r\n", "\n")
        .replace('\r', "\n")
        .replace('\t', "    ");
    let cut: String = text.trim().chars().take(limit).collect();
    let is_cut = cut.len() < text.trim().len();
    let mut lines: Vec<String> = Vec::new();
    let mut paragraph = String::new();
    let mut in_fence = false;
    for line in cut.split('\n') {
        let line = line.trim_end_matches(' ');
        let opens_or_closes = line.trim_start().starts_with("```");
        // Lists, tables, headings and code keep their lines; the rest is running text.
        let keeps_its_line = in_fence
            || opens_or_closes
            || line.starts_with(|c: char| " -*+|#>=[".contains(c) || c.is_ascii_digit());
        in_fence ^= opens_or_closes;
        if line.is_empty() || keeps_its_line {
            flush(&mut paragraph, width, &mut lines);
        }
        if line.is_empty() {
            if lines.last().is_some_and(|last| !last.is_empty()) {
                lines.push(String::new());
            }
        } else if keeps_its_line {
            wrap(&defused(line), width, &mut lines);
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(&defused(line));
        }
    }
    flush(&mut paragraph, width, &mut lines);
    if is_cut {
        lines.push("[…]".to_owned());
    }
    lines
}

/// A document's text as one line of at most `limit` characters. Of a long text only the beginning
/// is looked at.
pub(super) fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    let mut count = 0;
    let mut looked_at = 0;
    let mut is_cut = false;
    let mut is_apart = false;
    for character in text.trim_start().chars() {
        looked_at += 1;
        if count >= limit && !character.is_whitespace() || looked_at > MOST_BLANKS + limit * 4 {
            is_cut = true;
            break;
        }
        if character.is_whitespace() {
            is_apart = true;
            continue;
        }
        if std::mem::take(&mut is_apart) {
            line.push(' ');
            count += 1;
            if count >= limit {
                is_cut = true;
                break;
            }
        }
        line.push(character);
        count += 1;
    }
    if is_cut {
        line.truncate(line.trim_end().len());
        line.push('…');
    }
    defused(&line)
}

/// The JSON of a value for [`one_line`], without what is more than `limit` characters need.
pub(super) fn json_start(value: &Value, limit: usize) -> String {
    beginning(value, &mut (MOST_BLANKS + limit * 8)).to_string()
}

/// A value without what comes after the first `left` bytes or so.
fn beginning(value: &Value, left: &mut usize) -> Value {
    match value {
        Value::String(text) => cut(text, left).into(),
        Value::Array(items) => {
            let mut kept = Vec::new();
            for item in items {
                kept.push(beginning(item, left));
                *left = left.saturating_sub(1);
                if *left == 0 {
                    break;
                }
            }
            kept.into()
        }
        Value::Object(members) => {
            let mut kept = Map::new();
            for (key, member) in members {
                let key = cut(key, left);
                kept.insert(key, beginning(member, left));
                if *left == 0 {
                    break;
                }
            }
            kept.into()
        }
        other => other.clone(),
    }
}

fn cut(text: &str, left: &mut usize) -> String {
    let cut: String = text.chars().take(*left).collect();
    *left = left.saturating_sub(cut.len() + 1);
    cut
}

/// The headings of the compiler's own in docstrings.
pub(super) mod heading {
    pub(in crate::python) const ARGS: &str = "Args";
    pub(in crate::python) const RETURNS: &str = "Returns";
    pub(in crate::python) const PAGES: &str = "Pages";
    pub(in crate::python) const RAISES: &str = "Raises";
    pub(in crate::python) const EXAMPLE: &str = "Example";
    pub(in crate::python) const KEYS: &str = "Keys";
    pub(super) const ALL: [&str; 6] = [ARGS, RETURNS, PAGES, RAISES, EXAMPLE, KEYS];
}

/// An empty line and a heading.
pub(super) fn begin(heading: &str, lines: &mut Vec<String>) {
    lines.extend([String::new(), format!("{heading}:")]);
}

/// A line that cannot pass for a doctest prompt or for a heading of the compiler's own.
fn defused(line: &str) -> String {
    let start = line.len() - line.trim_start().len();
    let (margin, rest) = line.split_at(start);
    if rest.starts_with(">>>") || rest.starts_with("...") {
        let (first, others) = rest.split_at(1);
        return format!("{margin}{first} {others}");
    }
    match rest.split_once(':') {
        Some((word, others)) if heading::ALL.contains(&word.trim_end()) => {
            format!("{margin}{} -{others}", word.trim_end())
        }
        _ => line.to_owned(),
    }
}

fn flush(paragraph: &mut String, width: usize, lines: &mut Vec<String>) {
    if !paragraph.is_empty() {
        wrap(&defused(&std::mem::take(paragraph)), width, lines);
    }
}

fn wrap(line: &str, width: usize, lines: &mut Vec<String>) {
    if line.chars().count() <= width {
        lines.push(line.to_owned());
        return;
    }
    let margin: String = line.chars().take_while(|c| *c == ' ').take(24).collect();
    let mut current = margin.clone();
    let mut length = margin.len();
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        let count = word.chars().count();
        if length > margin.len() && length + 1 + count > width {
            lines.push(defused(&std::mem::replace(&mut current, margin.clone())));
            length = margin.len();
        }
        if length > margin.len() {
            current.push(' ');
            length += 1;
        }
        current.push_str(word);
        length += count;
    }
    lines.push(defused(&current));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_escape_what_ends_or_hides() {
        assert_eq!(
            string_literal("a\"b\\c\nd\u{202e}\u{e0041}\0"),
            "\"a\\\"b\\\\c\\nd\\u202e\\U000e0041\\x00\""
        );
        assert_eq!(string_literal("größe"), "\"größe\"");
    }

    #[test]
    fn docstrings_cannot_be_ended_from_inside() {
        assert_eq!(
            docstring(&["say \"hi\"".into()], 0),
            "\"\"\"say \"hi\\\"\"\"\""
        );
        assert_eq!(docstring(&["\"\"\"".into()], 0), "\"\"\"\"\"\\\"\"\"\"");
        assert_eq!(docstring(&["\\\"".into()], 0), "\"\"\"\\\\\\\"\"\"\"");
        assert_eq!(
            docstring(&["a\"\"\"\"b\\".into()], 4),
            "    \"\"\"a\\\"\\\"\\\"\"b\\\\\"\"\""
        );
        assert_eq!(
            docstring(&["a".into(), String::new(), "b\"".into()], 0),
            "\"\"\"a\n\nb\"\n\"\"\""
        );
    }

    #[test]
    fn prose_is_wrapped_and_headings_and_prompts_are_defused() {
        assert_eq!(
            prose("a\r\nb\r- c\td\n\n\ne", 80, 100),
            ["a b", "- c    d", "", "e"]
        );
        assert_eq!(prose("aaa bbb ccc", 7, 100), ["aaa bbb", "ccc"]);
        assert_eq!(
            prose("Args:\n    >>> import os", 80, 100),
            ["Args -", "    > >> import os"]
        );
        assert_eq!(one_line("Returns: x\n y", 100), "Returns - x y");
        for heading in heading::ALL {
            let mut lines = Vec::new();
            begin(heading, &mut lines);
            assert_eq!(defused(&lines[1]), format!("{heading} -"));
        }
        assert_eq!(one_line("abcdef", 3), "abc…");
        assert_eq!(one_line(" ab  cd ", 5), "ab cd");
        assert_eq!(one_line("ab cd", 3), "ab…");
        assert_eq!(one_line("ab ", 2), "ab");
    }

    #[test]
    fn of_long_texts_and_values_only_the_beginning_is_looked_at() {
        let blanks = " ".repeat(100_000);
        assert_eq!(one_line(&format!("a{blanks}b"), 10), "a…");
        assert_eq!(one_line(&format!("a{}b", " ".repeat(1_000)), 10), "a b");
        let value = Value::from(vec!["größe"; 100_000]);
        let start = json_start(&value, 80);
        assert!(start.len() < 3_000, "{}", start.len());
        assert_eq!(one_line(&start, 80), one_line(&value.to_string(), 80));
        assert_eq!(json_start(&Value::from("a"), 80), "\"a\"");
    }
}
