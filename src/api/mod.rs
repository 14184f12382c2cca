//! What an API offers, once names are given and the read-only filter has run: the manifest's
//! types, Python-safe names, and the filter. Knows nothing of OpenAPI or of Python text.

mod manifest;

pub use manifest::*;
