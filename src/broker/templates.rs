//! Path templates: which paths they match, and which of two is the more concrete.

use percent_encoding::percent_decode_str;

use crate::headers::normal;

/// Whether letters must agree in case. The called operation must match exactly; others count
/// even where a server would have to ignore case, as some do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Exact,
    Ignored,
}

impl Case {
    fn eq(self, left: &str, right: &str) -> bool {
        match self {
            Self::Exact => left == right,
            Self::Ignored => left.eq_ignore_ascii_case(right),
        }
    }
}

/// Segments without an empty last one: many servers take `/a/` for `/a`.
pub(super) fn trimmed<T: AsRef<str>>(segments: &[T]) -> &[T] {
    match segments {
        [rest @ .., last] if last.as_ref().is_empty() && !rest.is_empty() => rest,
        all => all,
    }
}

/// A query item as a careless server reads it: the name by [`normal`], the value decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) name: String,
    value: String,
}

impl Item {
    /// Of an encoded item.
    pub(super) fn new(text: &str) -> Self {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        Self {
            name: normal(&decoded_item(name)),
            value: decoded_item(value),
        }
    }
}

/// A part of a query as a server reads it.
pub(super) fn decoded_item(text: &str) -> String {
    let text = text.replace('+', " ");
    percent_decode_str(&text).decode_utf8_lossy().into_owned()
}

/// A path template, cut into segments, each cut into its literal pieces.
#[derive(Debug)]
pub(super) struct Template {
    /// As the document spells it.
    pub(super) text: String,
    pub(super) segments: Vec<Segment>,
    /// Its fixed query items, as a server reads them: some documents tell operations apart by
    /// them (`/items?action=close`).
    pub(super) fixed: Vec<Item>,
}

/// The literal texts around the expressions of one segment: `{a}.json` is `["", ".json"]`, and a
/// segment without expressions is one text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// The segment as it is spelt.
    text: String,
    pub(super) literals: Vec<String>,
}

impl AsRef<str> for Segment {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl Template {
    pub(super) fn new(text: &str) -> Self {
        // A fragment tells operations apart in the document only; it is never sent.
        let sent = text.split('#').next().unwrap_or_default();
        let (path, query) = sent.split_once('?').unwrap_or((sent, ""));
        // An item with a placeholder (`/items?kind={kind}`) is a parameter and fixes nothing.
        let is_fixed = |item: &&str| !item.is_empty() && !item.contains('{');
        let items = query.split('&').filter(is_fixed);
        Self {
            text: text.to_owned(),
            segments: path.split('/').map(Segment::new).collect(),
            fixed: items.map(Item::new).collect(),
        }
    }

    pub(super) fn matches(&self, path: &[&str], case: Case) -> bool {
        let own: &[Segment] = match case {
            Case::Exact => &self.segments,
            Case::Ignored => trimmed(&self.segments),
        };
        own.len() == path.len()
            && own
                .iter()
                .zip(path)
                .all(|(segment, text)| segment.matches(text, case))
    }

    /// Whether a query makes it this template's: it holds every fixed item.
    pub(super) fn is_asked_by(&self, query: &[Item]) -> bool {
        self.fixed.iter().all(|item| query.contains(item))
    }

    /// Whether both have the same path but for the expressions' names.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (own, theirs) = (trimmed(&self.segments), trimmed(&other.segments));
        own.len() == theirs.len() && own.iter().zip(theirs).all(|(a, b)| a.is_same(b))
    }

    /// Whether every path of this template is one of the other, which is therefore less concrete.
    pub(super) fn is_within(&self, other: &Self) -> bool {
        let (own, theirs) = (trimmed(&self.segments), trimmed(&other.segments));
        own.len() == theirs.len() && own.iter().zip(theirs).all(|(a, b)| a.is_within(b))
    }
}

impl Segment {
    fn new(text: &str) -> Self {
        let mut literals = Vec::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((_, after)) = after.split_once('}') else {
                break;
            };
            literals.push(decode_literal(before));
            rest = after;
        }
        literals.push(decode_literal(rest));
        Self {
            text: text.to_owned(),
            literals,
        }
    }

    /// Whether a decoded segment fits, each expression standing for one character or more.
    fn matches(&self, text: &str, case: Case) -> bool {
        let [first, middle @ .., last] = self.literals.as_slice() else {
            return self
                .literals
                .first()
                .is_some_and(|literal| case.eq(literal, text));
        };
        let Some(mut rest) = strip_prefix(text, first, case) else {
            return false;
        };
        for literal in middle {
            let Some(after) = after_first(rest, literal, case) else {
                return false;
            };
            rest = after;
        }
        rest.len() > last.len()
            && rest
                .get(rest.len() - last.len()..)
                .is_some_and(|end| case.eq(end, last))
    }

    fn is_same(&self, other: &Self) -> bool {
        self.literals.len() == other.literals.len()
            && self
                .literals
                .iter()
                .zip(&other.literals)
                .all(|(a, b)| a.eq_ignore_ascii_case(b))
    }

    /// Tried with a character that no document's literal holds in place of each expression.
    fn is_within(&self, other: &Self) -> bool {
        self.is_same(other) || other.matches(&self.literals.join("\u{1}"), Case::Ignored)
    }
}

/// Literal parts of a template are compared decoded, as paths are.
fn decode_literal(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn strip_prefix<'text>(text: &'text str, prefix: &str, case: Case) -> Option<&'text str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    case.eq(head, prefix).then_some(rest)
}

/// What follows the first occurrence of a literal that has at least one character before it.
fn after_first<'text>(text: &'text str, literal: &str, case: Case) -> Option<&'text str> {
    text.char_indices()
        .skip(1)
        .find_map(|(at, _)| strip_prefix(text.get(at..)?, literal, case))
}
