//! An index over functions, and the ranked search for those that a query means.
//!
//! Pure: it knows neither OpenAPI nor MCP, reads nothing and keeps no state. [`Index::build`] takes
//! [`Document`]s, one a function, and [`Index::search`] gives their numbers, best first; an index
//! that is to change is built anew beside the one in use.
//!
//! A query is words, an identifier, or a path. Words are ranked by BM25F (Robertson and Zaragoza, "The
//! Probabilistic Relevance Framework", 2009): the fields of a document count by their weights, after
//! that by how much of the query a document answers. A word stands for its stem, for near spellings
//! where nobody writes it as it is, and for its synonyms (`config/synonyms.txt`). What answers too
//! little of a query is left out, so a query that nothing fits has no hits.

mod document;
mod expand;
mod fields;
mod identifiers;
mod index;
mod paths;
mod postings;
mod query;
mod rank;
mod spelling;
mod stops;
mod synonyms;
mod verbs;
mod words;

#[cfg(test)]
mod tests;

pub use document::{Document, Named};
pub use index::Index;
pub use query::{Hit, MAX_QUERY_BYTES, Query};
