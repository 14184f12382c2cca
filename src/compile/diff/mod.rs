//! What differs between two compilations of a server. Pure: works on manifests and module texts.
//!
//! [`compare`] makes a flat list of [`Change`]s, what a reviewer must not miss first: where
//! credentials go and what may change state, then what breaks code that calls the functions, then
//! the rest, and texts last.

mod docstrings;
mod function;
mod schema;
mod server;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::api::Manifest;
use crate::invisible::visible;

/// Characters of a text of a document that a change repeats.
const LONGEST_TEXT: usize = 200;

/// One side of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// The text of `functions.py`, where it is known: it holds the docstrings.
    pub functions: Option<&'a str>,
}

/// How much a change matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Where requests and credentials go, and what may change state.
    Security,
    /// Code that calls the functions may no longer work.
    Breaking,
    /// Additions, and what callers need not mind.
    Other,
    /// Descriptions only.
    Text,
}

/// What kind of change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind {
    /// The API is at another origin: credentials go there.
    OriginMoved,
    /// The base URL has another path.
    BaseUrlChanged,
    /// An operation is at another base URL of its own.
    FunctionBaseUrlChanged,
    /// The server is no longer read-only.
    ReadOnlyEnded,
    /// The server is read-only now.
    ReadOnlyBegun,
    /// A security scheme is new: a further place for credentials.
    SchemeAdded,
    /// A security scheme is another one.
    SchemeChanged,
    /// A security scheme is gone.
    SchemeRemoved,
    /// A name now calls another operation.
    FunctionRetargeted,
    /// An operation that may change state is new.
    MutatingFunctionAdded,
    /// An operation that can carry others is new.
    TunnelAdded,
    /// An operation wants other credentials.
    SecurityChanged,

    /// The server is gone.
    ServerRemoved,
    /// A function is gone; `new` says why.
    FunctionRemoved,
    /// An operation has another name.
    FunctionRenamed,
    /// A parameter is gone.
    ParameterRemoved,
    /// A parameter has another name in Python.
    ParameterRenamed,
    /// A parameter that must be given is new.
    RequiredParameterAdded,
    /// A parameter must be given now.
    ParameterRequired,
    /// A parameter has another type.
    ParameterTypeChanged,
    /// A value is no longer legal.
    EnumValueRemoved,
    /// The function takes a body now that must be given.
    RequiredBodyAdded,
    /// The function takes no body any more.
    BodyRemoved,
    /// The body's argument has another name.
    BodyRenamed,
    /// The body must be given now.
    BodyRequired,
    /// The body has another type.
    BodyTypeChanged,
    /// A media type of the body is gone.
    BodyMediaTypeRemoved,
    /// The function returns another type.
    ReturnTypeChanged,
    /// A key of a type is gone.
    KeyRemoved,
    /// A key of a type must be given now.
    KeyRequired,
    /// A key that must be given is new.
    RequiredKeyAdded,
    /// A key has another schema.
    KeyChanged,
    /// A type has another schema.
    TypeChanged,

    /// The server is new.
    ServerAdded,
    /// A function is new.
    FunctionAdded,
    /// A parameter is new.
    ParameterAdded,
    /// A parameter need not be given any more.
    ParameterOptional,
    /// A value is legal now.
    EnumValueAdded,
    /// The function takes a body now that may be left out.
    BodyAdded,
    /// The body need not be given any more.
    BodyOptional,
    /// A media type of the body is new.
    BodyMediaTypeAdded,
    /// The same value is spelt otherwise on the wire.
    EncodingChanged,
    /// The documented default is another one.
    DefaultChanged,
    /// Limits of values differ: the type is the same.
    ConstraintsChanged,
    /// The documented responses are others.
    ResponsesChanged,
    /// How pages are reached differs.
    PaginationChanged,
    /// A key of a type is new.
    KeyAdded,
    /// A key need not be given any more.
    KeyOptional,
    /// The function is deprecated now, or no longer.
    DeprecationChanged,
    /// An operation of the document that has no function is new, or has none for another reason.
    SkippedChanged,
    /// Something was repaired or left out.
    WarningAdded,
    /// The document comes from elsewhere or is of another version.
    SourceChanged,
    /// Another version of mce.
    CompilerChanged,

    /// The title or description of the API.
    DescriptionChanged,
    /// The one line on what a function does.
    SummaryChanged,
    /// The docstring of a function.
    DocstringChanged,
    /// The description of a parameter.
    ParameterDescriptionChanged,
    /// Descriptions within a type.
    TypeDescriptionChanged,
    /// The tags of a function.
    TagsChanged,
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
}

impl Change {
    fn new(level: Level, kind: Kind) -> Self {
        Self {
            level,
            kind,
            function: None,
            operation: None,
            subject: None,
            old: None,
            new: None,
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

    /// The changes of a level.
    pub fn of(&self, level: Level) -> impl Iterator<Item = &Change> {
        self.changes
            .iter()
            .filter(move |change| change.level == level)
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
        (None, Some(new)) => server::added(&mut diff, new.manifest),
        (Some(old), Some(new)) => server::changed(&mut diff, old, new),
    }
    diff.changes.sort();
    diff.changes.dedup();
    diff
}

#[cfg(test)]
mod tests;
