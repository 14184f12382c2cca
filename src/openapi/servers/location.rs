//! Where a document came from, for what is relative to it.

use std::cell::Cell;

use url::{ParseError, Url};

/// Where a document came from, and whether anybody asked.
pub(in crate::openapi) struct Location<'a> {
    /// The http(s) URL, if it is one. What is made of more than its scheme goes through
    /// [`Location::join`].
    pub(super) url: Option<&'a Url>,
    was_used: Cell<bool>,
}

impl<'a> Location<'a> {
    pub(super) fn new(url: Option<&'a Url>) -> Self {
        let was_used = Cell::new(false);
        Self { url, was_used }
    }

    /// What a relative reference leads to; `None` where the document comes from no URL.
    pub(super) fn join(&self, relative: &str) -> Option<Result<Url, ParseError>> {
        self.was_used.set(true);
        self.url.map(|url| url.join(relative))
    }

    /// Whether anything depends on it.
    pub(in crate::openapi) fn was_used(&self) -> bool {
        self.was_used.get()
    }
}
