//! What the parts of a document are called.

use std::collections::HashMap;

use crate::api::identifiers::Unique;
use crate::openapi::document::shown;
use crate::openapi::places::{self, Place};

/// Bytes of a name; longer ones lose their beginning.
const LONGEST: usize = 200;

/// The names that places go by, each given once.
#[derive(Debug)]
pub(super) struct Names {
    root: Place,
    hides_url: bool,
    given: HashMap<Place, String>,
    failed: HashMap<String, (String, String)>,
    unique: Unique,
}

impl Names {
    /// Names relative to a root document. `hides_url`: they must not tell where it is from.
    pub(super) fn new(root: Place, hides_url: bool) -> Self {
        Self {
            root,
            hides_url,
            given: HashMap::new(),
            failed: HashMap::new(),
            unique: Unique::default(),
        }
    }

    /// The name of a place.
    pub(super) fn of(&mut self, place: &Place) -> String {
        if let Some(name) = self.given.get(place) {
            return name.clone();
        }
        let name = self.plain(place);
        let name = self.unique.take(&name, " ");
        self.given.insert(place.clone(), name.clone());
        name
    }

    /// A place as messages call it.
    pub(super) fn plain(&self, place: &Place) -> String {
        shortened(&places::name(place, &self.root, self.hides_url))
    }

    /// The name of what a reference says that leads to no place, and why not.
    pub(super) fn of_failed(&mut self, target: &str, reason: String) -> String {
        if let Some((name, _)) = self.failed.get(target) {
            return name.clone();
        }
        let name = shortened(&shown(target).replace('#', "%23"));
        let name = self.unique.take(&name, " ");
        self.failed
            .insert(target.to_owned(), (name.clone(), reason));
        name
    }

    /// The names that lead nowhere, and why.
    pub(super) fn into_failed(self) -> impl Iterator<Item = (String, String)> {
        self.failed.into_values()
    }
}

/// Every reference spells the name, so that a long one would be repeated many times. An empty one
/// would lead into the root document.
fn shortened(name: &str) -> String {
    if name.is_empty() {
        return "?".to_owned();
    }
    let from = name.len().saturating_sub(LONGEST);
    let from = (from..name.len()).find(|at| name.is_char_boundary(*at));
    match from.and_then(|from| name.get(from..)) {
        Some(end) if end.len() < name.len() => format!("…{end}"),
        _ => name.to_owned(),
    }
}
