//! Whether a server is up to date by its fingerprint, so that nothing need be read or rendered.

use std::collections::BTreeMap;
use std::path::Path;

use super::facts::Facts;
use super::fingerprint::{self, Parts, Source};
use super::manifest::sha256_hex;
use super::{FUNCTIONS_FILE, MANIFEST_FILE, SKILLS_FILE, folder};
use crate::config::ServerConfig;
use crate::openapi::{Fetched, Loaded};

/// What to report of a server whose folder holds what its document gives, told without reading the
/// document: by its bytes, and by those of the files that the manifest names. `None` where that
/// cannot be told.
pub(super) fn before_reading(
    output: &Path,
    server: &ServerConfig,
    fetched: &Fetched,
    skills: Option<&str>,
) -> Option<Facts> {
    let committed = Committed::of(output, server)?;
    let document = sha256_hex(&fetched.bytes);
    let (file_name, none) = (fetched.file_name(), BTreeMap::new());
    let mut source = Source {
        document: &document,
        location: fetched.location.as_ref(),
        parts: None,
        skills,
    };
    if committed.is_of(server, &source) {
        return committed.vouched_for(skills);
    }
    // Files that are what they were refer to the same files again. From the web there may be
    // redirects, and of what was absent nobody knows whether it still is.
    source.parts = Some(Parts {
        file_name: Some(file_name.as_deref()?),
        files: &committed.facts.spec.files,
        absent: &none,
        detours: false,
    });
    let mut files = committed.facts.spec.files.iter();
    let are_same = committed.is_of(server, &source)
        && files.all(|(name, hash)| {
            let bytes = fetched.part(name);
            bytes.is_some_and(|bytes| sha256_hex(&bytes) == *hash)
        });
    are_same.then(|| committed.vouched_for(skills))?
}

/// As [`before_reading`], of a document that was loaded with all its parts.
pub(super) fn after_reading(
    output: &Path,
    server: &ServerConfig,
    loaded: &Loaded,
    skills: Option<&str>,
) -> Option<Facts> {
    let committed = Committed::of(output, server)?;
    let files = loaded.files.iter();
    let files = files.map(|(name, bytes)| (name.clone(), sha256_hex(bytes)));
    let files = files.collect();
    let source = Source {
        document: &sha256_hex(&loaded.bytes),
        location: loaded.location.as_ref(),
        parts: (!loaded.alone).then_some(Parts {
            file_name: loaded.file_name.as_deref(),
            files: &files,
            absent: &loaded.absent,
            detours: loaded.detours,
        }),
        skills,
    };
    let is_same = committed.is_of(server, &source);
    is_same.then(|| committed.vouched_for(skills))?
}

/// A server's folder as it is.
struct Committed {
    /// The half of the fingerprint that is of the inputs.
    inputs: String,
    facts: Facts,
    functions: Vec<u8>,
    skills: Option<Vec<u8>>,
}

impl Committed {
    /// Reads it. `None` where the manifest is not as it was written.
    fn of(output: &Path, server: &ServerConfig) -> Option<Self> {
        let folder = output.join(&server.name);
        folder::refuse_link(&folder).ok()?;
        let text = folder::read_regular(&folder.join(MANIFEST_FILE)).ok()??;
        Some(Self {
            inputs: fingerprint::intact(&text)?.to_owned(),
            facts: serde_json::from_slice(&text).ok()?,
            functions: folder::read_regular(&folder.join(FUNCTIONS_FILE)).ok()??,
            skills: folder::read_regular(&folder.join(SKILLS_FILE)).ok()?,
        })
    }

    /// Whether it was made from these inputs.
    fn is_of(&self, server: &ServerConfig, source: &Source<'_>) -> bool {
        // Whether the output depends on where the document came from is not known here. It was
        // when the fingerprint was made, from the same document.
        let inputs = |place: bool| fingerprint::of_inputs(server, source, place);
        [false, true]
            .into_iter()
            .any(|it| inputs(it) == self.inputs)
    }

    /// What the manifest says, if it vouches for the module beside it, and for these notes.
    fn vouched_for(self, skills: Option<&str>) -> Option<Facts> {
        let outputs = &self.facts.outputs;
        let functions = sha256_hex(&self.functions);
        let notes = skills.map(|text| sha256_hex(text.as_bytes()));
        let is_vouched_for = outputs.len() == 1 + usize::from(notes.is_some())
            && outputs.get(FUNCTIONS_FILE) == Some(&functions)
            && outputs.get(SKILLS_FILE) == notes.as_ref()
            && self.skills.as_deref() == skills.map(str::as_bytes);
        is_vouched_for.then_some(self.facts)
    }
}
