//! What differs between two compilations of a server. Pure: works on manifests and module texts.
//!
//! [`compare`] makes a flat list of [`Change`]s, what a reviewer must not miss first: where
//! credentials go and what may change state, then what breaks code that calls the functions, then
//! the rest, and texts last.

mod body;
mod docstrings;
mod function;
mod kind;
mod parameter;
mod schema;
mod server;
mod skipped;
mod types;
mod users;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::api::Manifest;
use crate::invisible::visible;

pub use kind::{Kind, Level};

/// Characters of a text of a document that a change repeats.
const LONGEST_TEXT: usize = 200;

/// One side of a comparison.
#[derive(Debug, Clone)]
pub struct Side<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// The text of `functions.py`, where it is known: it holds the docstrings.
    pub functions: Option<&'a str>,
    /// Whether its files are what was compiled.
    pub integrity: Integrity,
}

/// Whether a server's files are what was compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Integrity {
    /// They are.
    AsCompiled,
    /// They are, but for their line ends.
    LineEnds,
    /// They are not; why the server would not be served.
    Refused(String),
}

impl Integrity {
    fn text(&self) -> &str {
        match self {
            Self::AsCompiled => "as compiled",
            Self::LineEnds => "as compiled, but for line ends",
            Self::Refused(reason) => reason,
        }
    }
}

/// One thing that differs. Texts hold no invisible character and are cut at 200.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Change {
    /// How much it matters.
    pub level: Level,
    /// What it is.
    pub kind: Kind,
    /// The function, by its new name where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// Its operation, as `METHOD /path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The part of it, such as a parameter or `Type.key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// What it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// Of a type, functions that it matters to: ten at most.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub used_by: Vec<String>,
    /// How many more there are.
    #[serde(skip_serializing_if = "is_zero")]
    pub used_by_more: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference to what it may leave out"
)]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Change {
    /// A change of which nothing more is known.
    #[must_use]
    pub fn new(level: Level, kind: Kind) -> Self {
        Self {
            level,
            kind,
            function: None,
            operation: None,
            subject: None,
            old: None,
            new: None,
            used_by: Vec::new(),
            used_by_more: 0,
        }
    }

    fn about(mut self, subject: &str) -> Self {
        self.subject = Some(short(subject));
        self
    }

    fn from(mut self, old: impl AsRef<str>) -> Self {
        self.old = Some(short(old.as_ref()));
        self
    }

    fn to(mut self, new: impl AsRef<str>) -> Self {
        self.new = Some(short(new.as_ref()));
        self
    }

    fn maybe_from(self, old: Option<impl AsRef<str>>) -> Self {
        match old {
            Some(old) => self.from(old),
            None => self,
        }
    }

    fn maybe_to(self, new: Option<impl AsRef<str>>) -> Self {
        match new {
            Some(new) => self.to(new),
            None => self,
        }
    }

    /// That there is a file which mce did not write and Python would run; the texts tell one from
    /// another.
    pub(super) fn of_foreign(name: &str, old: Option<&str>, new: Option<&str>) -> Self {
        let is_gone = old.is_some() && new.is_none();
        let level = if is_gone {
            Level::Other
        } else {
            Level::Security
        };
        let change = Self::new(level, Kind::ForeignCode).about(name);
        change.maybe_from(old).maybe_to(new)
    }

    /// That `mce_runtime.py` is not what it was; the texts say what it was and is.
    pub(super) fn of_runtime(level: Level, old: &str, new: &str) -> Self {
        Self::new(level, Kind::RuntimeChanged).from(old).to(new)
    }
}

/// A text as it is shown: nothing invisible in it, and no longer than need be.
fn short(text: &str) -> String {
    // Cut first: a text may be a whole chapter.
    let mut cut: String = text.chars().take(LONGEST_TEXT).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    visible(&cut)
}

/// What differs of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ServerDiff {
    /// The server.
    pub server: String,
    /// Functions that are new.
    pub added: BTreeSet<String>,
    /// Functions that are gone, by their old names.
    pub removed: BTreeSet<String>,
    /// Functions of the same operation that differ, by their new names.
    pub changed: BTreeSet<String>,
    /// Every change, what matters most first.
    pub changes: Vec<Change>,
}

impl ServerDiff {
    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Adds changes that the manifests do not show.
    pub(super) fn note(&mut self, changes: impl IntoIterator<Item = Change>) {
        self.changes.extend(changes);
        self.changes.sort();
    }

    /// Sees to it that something is said where these parts of the output differ.
    pub(super) fn note_parts(&mut self, names: &[&str]) {
        if self.changes.is_empty() && !names.is_empty() {
            let change = Change::new(Level::Other, Kind::ManifestChanged);
            self.changes.push(change.about(&names.join(", ")));
        }
    }

    /// Whether credentials would go to another origin, or to one where there was none.
    #[must_use]
    pub fn moves_origin(&self) -> bool {
        let moved = |change: &Change| change.kind == Kind::OriginMoved && change.new.is_some();
        self.changes.iter().any(moved)
    }
}

/// Compares two compilations of one server; `None` where it is not compiled.
#[must_use]
pub fn compare(server: &str, old: Option<Side<'_>>, new: Option<Side<'_>>) -> ServerDiff {
    let mut diff = ServerDiff {
        server: short(server),
        ..ServerDiff::default()
    };
    match (old, new) {
        (None, None) => {}
        (Some(old), None) => server::removed(&mut diff, old.manifest),
        (None, Some(new)) => server::added(&mut diff, &new),
        (Some(old), Some(new)) => server::changed(&mut diff, &old, &new),
    }
    diff.changes.sort();
    diff.changes.dedup();
    diff
}

#[cfg(test)]
mod tests;
