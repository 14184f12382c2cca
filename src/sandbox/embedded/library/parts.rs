//! Sources of the library, taken apart.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::super::lower::lower_library;

/// What names of the library start with.
const PREFIX: &str = "_mce_";

/// What is done with a source before the interpreter has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pass {
    /// Nothing of generators: it has neither `yield` nor loops over what may call the host.
    Plain,
    /// Its generators are lowered, and what iterates may be given such that call the host.
    Drives,
}

/// A source.
pub(super) struct Source {
    text: &'static str,
    pass: Pass,
    parts: OnceLock<Vec<Part>>,
}

impl Source {
    pub(super) fn new((pass, text): &(Pass, &'static str)) -> Self {
        Self {
            text,
            pass: *pass,
            parts: OnceLock::new(),
        }
    }

    /// What it defines, before any pass.
    pub(super) fn names(&self) -> BTreeSet<&'static str> {
        let statements = statements(self.text).into_iter();
        statements.flat_map(defined).collect()
    }

    /// Its statements, lowered.
    pub(super) fn parts(&self) -> &[Part] {
        self.parts.get_or_init(|| {
            let lowered = lower_library(self.text, self.pass == Pass::Drives);
            // A test lowers every source; code that needs what failed here is told of its names.
            let text = lowered.unwrap_or_default();
            let statements = statements(&text).into_iter();
            statements.map(Part::new).collect()
        })
    }
}

/// A statement at the top level of a source.
pub(super) struct Part {
    text: String,
    names: Vec<String>,
}

impl Part {
    fn new(text: &str) -> Self {
        Self {
            names: defined(text).into_iter().map(str::to_owned).collect(),
            text: text.to_owned(),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn defines(&self, name: &str) -> bool {
        self.names.iter().any(|it| it == name)
    }

    /// The names of the library in it.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        words(&self.text)
    }
}

/// The names in a text that may be those of the library.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    text.match_indices(PREFIX).filter_map(move |(at, _)| {
        let before = text.get(..at)?.chars().next_back();
        let rest = text.get(at..)?;
        let end = rest.find(|it| !is_name(it)).unwrap_or(rest.len());
        (!before.is_some_and(is_name)).then(|| rest.get(..end))?
    })
}

/// The statements at the top level: what is indented, closes a bracket or goes on with a statement
/// belongs to what came before it. Decorators and comments belong to what follows.
fn statements(text: &str) -> Vec<&str> {
    let mut starts = Vec::new();
    let mut at = 0;
    let mut is_open = false;
    for line in text.split_inclusive('\n') {
        let goes_on = line.starts_with([' ', '\t', ')', ']', '}', '\n', '\r'])
            || ["else", "elif", "except", "finally"]
                .iter()
                .any(|word| line.starts_with(word));
        if !goes_on {
            if !is_open {
                starts.push(at);
            }
            is_open = line.starts_with(['@', '#']);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let ranges = starts.iter().zip(ends);
    ranges
        .filter_map(|(start, end)| text.get(*start..end))
        .collect()
}

/// The names that a statement defines or changes: of an assignment or an import what is bound, of
/// anything else, such as a call or an assignment to an item, what it starts with.
fn defined(statement: &str) -> Vec<&str> {
    let lines = statement.lines();
    let Some(line) = lines
        .filter(|line| !line.starts_with(['@', '#']))
        .find(|line| !line.is_empty())
    else {
        return Vec::new();
    };
    let head = ["async def ", "def ", "class "]
        .iter()
        .find_map(|word| line.strip_prefix(word));
    if let Some(head) = head {
        return words(head).take(1).collect();
    }
    if line.starts_with("import ") || line.starts_with("from ") {
        return words(line).collect();
    }
    match line.split_once(" = ") {
        Some((targets, _)) if !targets.contains(['[', '(', '.']) => words(targets).collect(),
        _ => words(line).take(1).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_apart() {
        let text = "import a as _mce_a\n\n# of it\n_mce_X = [\n    1,\n]\n\n@decorated\ndef _mce_f():\n    \
                    return _mce_X\n_mce_X[0] = _mce_f\nif 1:\n    pass\nelse:\n    _mce_y = 1\n";
        let found = statements(text);
        assert_eq!(found.len(), 5);
        assert_eq!(found.concat(), text);
        let names: Vec<Vec<&str>> = found.into_iter().map(defined).collect();
        let expected: [&[&str]; 5] = [&["_mce_a"], &["_mce_X"], &["_mce_f"], &["_mce_X"], &[]];
        assert_eq!(names, expected);
    }

    #[test]
    fn words_are_whole_names() {
        let found: Vec<&str> = words("_mce_a(x_mce_b, _mce_c.d) + \"_mce_e\"").collect();
        assert_eq!(found, ["_mce_a", "_mce_c", "_mce_e"]);
    }
}
