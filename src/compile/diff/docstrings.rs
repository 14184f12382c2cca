//! The docstrings of a compiled module, by function. They are in no manifest.

use std::collections::HashMap;

/// The text between the quotes of each function's docstring. Compiled modules are all laid out
/// alike, so lines will do.
pub(super) fn of(source: &str) -> HashMap<&str, &str> {
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
        if let Some((name, _)) = line.strip_prefix("def ").and_then(|it| it.split_once('(')) {
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

/// The first line that differs, of each side.
pub(super) fn first_difference<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let (mut old, mut new) = (old.lines(), new.lines());
    loop {
        match (old.next(), new.next()) {
            (Some(one), Some(other)) if one == other => {}
            (None, None) => return ("", ""),
            (one, other) => {
                return (
                    one.unwrap_or_default().trim(),
                    other.unwrap_or_default().trim(),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docstrings_of_one_and_of_several_lines() {
        let source = "\"\"\"Module.\"\"\"\n\n@_api.operation(\"GET\", \"/a\")\ndef a(\n    *,\n    \
                      x: int,\n) -> None:\n    \"\"\"One \\\"\\\"\\\" line.\"\"\"\n\n\n@_api\ndef b() -> \
                      None:\n    \"\"\"First.\n\n    def c(\n    Second.\n    \"\"\"\n";
        let found = of(source);
        assert_eq!(found["a"], "One \\\"\\\"\\\" line.");
        assert_eq!(found["b"], "First.\n\n    def c(\n    Second.\n    ");
        assert_eq!(found.len(), 2);
        assert_eq!(first_difference("a\n  b\nc", "a\n  d\nc"), ("b", "d"));
    }
}
