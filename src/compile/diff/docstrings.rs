//! The docstrings of a compiled module, by function. They are in no manifest.

use std::collections::HashMap;

/// The text between the quotes of each function's docstring. Compiled modules are all laid out
/// alike, so lines will do.
pub(super) fn by_function(source: &str) -> HashMap<&str, &str> {
    let mut found = HashMap::new();
    let mut function = None;
    let mut begun: Option<usize> = None;
    let mut offset = 0;
    for line in source.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        if let Some(from) = begun {
            if let Some(end) = line.find(QUOTES) {
                if let (Some(name), Some(text)) = (function, source.get(from..start + end)) {
                    found.insert(name, text);
                }
                (function, begun) = (None, None);
            }
            continue;
        }
        if let Some((name, _)) = line
            .strip_prefix("def ")
            .and_then(|rest| rest.split_once('('))
        {
            function = Some(name);
        } else if let Some(name) = function
            && let Some(place) = line.find(QUOTES)
            && line.trim_start().starts_with(['"', 'r'])
        {
            let from = start + place + QUOTES.len();
            let rest = line.get(place + QUOTES.len()..).unwrap_or_default();
            if let Some(end) = rest.find(QUOTES) {
                found.insert(name, rest.get(..end).unwrap_or_default());
                function = None;
            } else {
                begun = Some(from);
            }
        }
    }
    found
}

const QUOTES: &str = "\"\"\"";

/// Lines of each side that a change shows.
const MOST_LINES: usize = 3;
/// Characters of each of them.
const LONGEST_LINE: usize = 60;

/// The lines that only one of two texts has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Lines {
    /// How many there are; where lines were exchanged for others, those of the side with more.
    pub(super) count: usize,
    /// The first of the old side.
    pub(super) old: String,
    /// The first of the new side.
    pub(super) new: String,
}

/// Compares two texts line by line, whatever the order; `None` where they are the same.
pub(super) fn lines(old: &str, new: &str) -> Option<Lines> {
    if old == new {
        return None;
    }
    let (gone, come) = (only_in(old, new), only_in(new, old));
    Some(Lines {
        // The order alone is a difference too.
        count: gone.len().max(come.len()).max(1),
        old: first(&gone),
        new: first(&come),
    })
}

/// The lines of a text that another does not have, or has less often.
fn only_in<'a>(text: &'a str, counterpart: &str) -> Vec<&'a str> {
    let mut there: HashMap<&str, usize> = HashMap::new();
    for line in counterpart.lines() {
        *there.entry(line.trim()).or_default() += 1;
    }
    let mut only = Vec::new();
    for line in text.lines().map(str::trim) {
        match there.get_mut(line) {
            Some(left @ 1..) => *left -= 1,
            _ => only.push(line),
        }
    }
    only.retain(|line| !line.is_empty());
    only
}

fn first(lines: &[&str]) -> String {
    let shown = lines.iter().take(MOST_LINES).map(|line| {
        let mut shown: String = line.chars().take(LONGEST_LINE).collect();
        if shown.len() < line.len() {
            shown.push('…');
        }
        shown
    });
    shown.collect::<Vec<_>>().join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docstrings_of_one_and_of_several_lines() {
        let source = "\"\"\"Module.\"\"\"\n\n@_api.operation(\"GET\", \"/a\")\ndef a(\n    *,\n    \
                      x: int,\n) -> None:\n    \"\"\"One \\\"\\\"\\\" line.\"\"\"\n\n\n@_api\ndef b() -> \
                      None:\n    \"\"\"First.\n\n    def c(\n    Second.\n    \"\"\"\n";
        let found = by_function(source);
        assert_eq!(found["a"], "One \\\"\\\"\\\" line.");
        assert_eq!(found["b"], "First.\n\n    def c(\n    Second.\n    ");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn lines_that_differ_are_counted_and_the_first_ones_shown() {
        assert_eq!(lines("a", "a"), None);
        let long = "x".repeat(100);
        let new = format!("a\n  d\n{long}\ne\nf\nc");
        let found = lines("a\n  b\nc", &new).unwrap();
        assert_eq!((found.count, found.old.as_str()), (4, "b"));
        assert_eq!(found.new, format!("d / {}… / e", &long[..60]));
        // The order, and how often.
        assert_eq!(lines("a\nb", "b\na").unwrap().count, 1);
        assert_eq!(lines("a\na", "a").unwrap().old, "a");
    }
}
