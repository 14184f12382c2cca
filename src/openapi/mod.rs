//! Loads API documents and normalises them into one model. Knows neither Python nor server names.
//!
//! [`load`] gets the bytes of a document and of all that it refers to, [`Parsed::read`] makes an
//! [`Api`] of them; [`read`] does so for a document alone. Reading works on
//! the JSON tree, piece by piece: one part that cannot be understood costs only the operations
//! that need it, and those are listed with the reason.

mod bodies;
mod bundle;
mod content;
mod document;
mod events;
mod examples;
mod operations;
mod own_uri;
mod parameters;
mod part_headers;
mod paths;
mod places;
mod pointer;
mod positions;
mod repairs;
mod schema;
mod security;
mod servers;
mod source;
mod swagger;
mod version;

pub use document::ReadError;
pub(crate) use source::read_file;
pub use source::{Fetched, LoadError, Loaded, Parsed, Request, TIMEOUT, fetch, load};

use crate::api::Api;

/// Reads a document by itself: references to others lead nowhere. `location` is the http(s) URL it came from, which relative servers are
/// resolved against; `None` for a file.
///
/// # Errors
///
/// Where the bytes are no OpenAPI document at all. Parts that cannot be used are listed in
/// [`Api::skipped`] and [`Api::warnings`] instead.
pub fn read(bytes: &[u8], location: Option<&url::Url>) -> Result<Api, ReadError> {
    let document = document::Document::parse(bytes)?;
    operations::normalise(&document, location)
}

/// Reads a document that is already a JSON tree.
///
/// # Errors
///
/// Where the tree is no OpenAPI document at all.
pub fn read_value(root: serde_json::Value, location: Option<&url::Url>) -> Result<Api, ReadError> {
    let document = document::Document::new(root, crate::yaml::Position::default)?;
    operations::normalise(&document, location)
}
