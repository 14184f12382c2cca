//! Verbs of APIs, and the HTTP methods that do what they say.
//!
//! The classes are the standard methods of resource-oriented APIs (Google AIP-131 to 135: get, list,
//! create, update, delete) with the plain English words for each.

/// What a verb asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Read,
    Create,
    Update,
    Delete,
}

const READ: &[&str] = &[
    "get", "list", "show", "read", "fetch", "find", "retrieve", "view", "see", "display", "lookup",
];
const CREATE: &[&str] = &[
    "create", "add", "new", "make", "insert", "post", "send", "start", "submit",
];
const UPDATE: &[&str] = &[
    "update", "change", "edit", "modify", "set", "replace", "alter", "put", "patch",
];
const DELETE: &[&str] = &["delete", "remove", "destroy", "erase", "drop"];

impl Verb {
    /// What a word asks for.
    pub(super) fn of(word: &str) -> Option<Self> {
        let classes = [
            (READ, Self::Read),
            (CREATE, Self::Create),
            (UPDATE, Self::Update),
            (DELETE, Self::Delete),
        ];
        let mut classes = classes.into_iter();
        classes.find_map(|(words, verb)| words.contains(&word).then_some(verb))
    }

    /// The words that ask for the same.
    pub(super) fn words(self) -> &'static [&'static str] {
        match self {
            Self::Read => READ,
            Self::Create => CREATE,
            Self::Update => UPDATE,
            Self::Delete => DELETE,
        }
    }

    /// Whether a method does it (RFC 9110, section 9.3; RFC 5789).
    pub(super) fn is_method(self, method: &str) -> bool {
        match self {
            Self::Read => matches!(method, "GET" | "HEAD" | "QUERY"),
            Self::Create => method == "POST",
            Self::Update => matches!(method, "PUT" | "PATCH"),
            Self::Delete => method == "DELETE",
        }
    }
}
