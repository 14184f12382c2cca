//! Where a document came from, for what is relative to it.

use std::cell::Cell;

use url::{ParseError, Url};

use crate::openapi::document::Document;
use crate::openapi::own_uri::OwnUri;

/// Where a document came from, and whether anybody asked.
pub(in crate::openapi) struct Location<'a> {
    /// The http(s) URL, if it is one. What is made of more than its scheme goes through
    /// [`Location::join`].
    pub(super) url: Option<&'a Url>,
    /// What relative references start from, where the document says so.
    base: Option<Url>,
    was_used: Cell<bool>,
}

impl<'a> Location<'a> {
    /// Of a document; `warnings` are told where it names another base that does not count.
    pub(super) fn new(
        document: &Document,
        url: Option<&'a Url>,
        warnings: &mut Vec<String>,
    ) -> Self {
        let own = OwnUri::of(&document.root, url);
        let base = match (&own, url) {
            (Some(own), Some(url)) => own.base_at(url),
            (Some(own), None) => own.base_of_file().cloned(),
            (None, _) => None,
        };
        if own.is_some() && base.is_none() && url.is_some() {
            warnings.push(
                "`$self` is no base of references and servers: it is not on the document's origin"
                    .to_owned(),
            );
        }
        let was_used = Cell::new(own.is_some());
        Self {
            url,
            base,
            was_used,
        }
    }

    /// What a relative reference leads to; `None` where the document comes from no URL.
    pub(super) fn join(&self, relative: &str) -> Option<Result<Url, ParseError>> {
        self.was_used.set(true);
        let base = self.base.as_ref().or(self.url);
        base.map(|base| base.join(relative))
    }

    /// The server of a document that names none.
    pub(super) fn default(&self) -> Option<Url> {
        self.was_used.set(true);
        self.url?.join("/").ok()
    }

    /// Whether anything depends on it.
    pub(in crate::openapi) fn was_used(&self) -> bool {
        self.was_used.get()
    }
}
