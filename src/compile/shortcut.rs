//! Whether a server is up to date by its fingerprint, so that nothing need be read or rendered.

use std::path::Path;

use super::facts::Facts;
use super::fingerprint::{self, Source};
use super::manifest::sha256_hex;
use super::{FUNCTIONS_FILE, MANIFEST_FILE, folder};
use crate::config::ServerConfig;

/// What to report of a server whose folder holds what its inputs give. `None` where that cannot be
/// told without compiling it. Of a document that refers to others this takes all of them; before
/// it is read, nobody knows that it does, but its fingerprint does.
pub(super) fn find(output: &Path, server: &ServerConfig, source: &Source<'_>) -> Option<Facts> {
    let folder = output.join(&server.name);
    folder::refuse_link(&folder).ok()?;
    let text = folder::read_regular(&folder.join(MANIFEST_FILE)).ok()??;
    let inputs = fingerprint::intact(&text)?;
    // Whether the output depends on where the document came from is not known here. It was when
    // the fingerprint was made, from the same document.
    let is_same = [false, true]
        .into_iter()
        .any(|place| fingerprint::of_inputs(server, source, place) == inputs);
    if !is_same {
        return None;
    }
    let facts: Facts = serde_json::from_slice(&text).ok()?;
    let module = folder::read_regular(&folder.join(FUNCTIONS_FILE)).ok()??;
    let is_vouched_for =
        facts.outputs.len() == 1 && facts.outputs.get(FUNCTIONS_FILE) == Some(&sha256_hex(&module));
    is_vouched_for.then_some(facts)
}
