//! What is asked, and what is answered.

use std::collections::BTreeSet;

/// More of a query is not read.
pub const MAX_QUERY_BYTES: usize = 1024;

/// A search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query<'a> {
    /// Words, a name of an operation, or a path with or without its method. Read up to
    /// [`MAX_QUERY_BYTES`].
    pub text: &'a str,
    /// Functions of this server alone.
    pub server: Option<&'a str>,
    /// Functions of these servers alone.
    pub among: Option<&'a BTreeSet<String>>,
    /// Functions with this tag alone, in any case of letters.
    pub tag: Option<&'a str>,
    /// At most that many hits.
    pub limit: usize,
    /// Whether what answers little of the text is a hit too.
    pub is_loose: bool,
}

impl<'a> Query<'a> {
    /// A search everywhere for at most ten hits.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            server: None,
            among: None,
            tag: None,
            limit: 10,
            is_loose: false,
        }
    }

    /// The text as far as it is read.
    pub(super) fn read(&self) -> &'a str {
        let mut end = self.text.len().min(MAX_QUERY_BYTES);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        self.text.get(..end).unwrap_or_default()
    }
}

/// A document that answers a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The number of the document, as it was given to `Index::build`.
    pub document: usize,
    /// How well it answers, above 0. Scores of two queries do not compare.
    pub score: f32,
}
