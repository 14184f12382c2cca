//! What there is to call, as lists and search show it: names and one line each, without schemas.
//!
//! It is read out of manifests before the load check, which takes much longer. Nothing here decides
//! what can be called.
//!
//! - `skim`: one pass over a manifest; `searchable`: the index over all of them.

mod searchable;
mod skim;

use std::collections::BTreeMap;
use std::path::Path;

pub(super) use self::searchable::Catalogue;
use self::skim::Skimmed;
use super::discovery::one_line;
use crate::api::Manifest;
use crate::compile::{MANIFEST_FILE, SKILLS_FILE};
use crate::files::{self, Links};

/// Bound on a file that is read for its names, in bytes.
const LARGEST_FILE: u64 = 256 << 20;
/// Bound on what is kept of a title or a summary, in characters.
const LINE_CHARS: usize = 200;

/// A server as lists show it. Texts are the document's, each on one line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The document's title.
    pub(super) title: String,
    /// What the server is for.
    pub(super) description: String,
    /// Whether the manifest says that it only reads.
    pub(super) read_only: bool,
    /// The manifest's fingerprint.
    pub(super) fingerprint: String,
    /// Whether it has notes.
    pub(super) has_skills: bool,
    /// The tags of its functions, those of most functions first.
    pub(super) tags: Vec<String>,
    /// Its functions, in the manifest's order.
    pub(super) functions: Vec<Listed>,
}

/// What a manifest says of a function.
struct Lines<'m> {
    name: &'m str,
    method: &'m str,
    path: &'m str,
    summary: &'m str,
    tags: &'m [String],
}

/// A function as lists show it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Listed {
    /// The Python name.
    pub(super) name: String,
    /// The HTTP method.
    pub(super) method: String,
    /// The path template.
    pub(super) path: String,
    /// One line on what it does.
    pub(super) summary: String,
}

impl Entry {
    /// That of a server that was read whole.
    pub(super) fn of(manifest: &Manifest) -> Self {
        let functions = manifest.functions.iter().map(|function| Lines {
            name: &function.name,
            method: &function.method,
            path: &function.path,
            summary: &function.summary,
            tags: &function.tags,
        });
        let functions: Vec<_> = functions.collect();
        let texts = [
            &manifest.title,
            &manifest.description,
            &manifest.fingerprint,
        ];
        let has_skills = manifest.outputs.contains_key(SKILLS_FILE);
        Self::new(texts, [manifest.read_only, has_skills], &functions)
    }

    fn skimmed(skimmed: &Skimmed) -> Self {
        let functions = skimmed.functions.iter().map(|function| Lines {
            name: &function.name,
            method: &function.method,
            path: &function.path,
            summary: &function.summary,
            tags: &function.tags,
        });
        let functions: Vec<_> = functions.collect();
        let texts = [&skimmed.title, &skimmed.description, &skimmed.fingerprint];
        let has_skills = skimmed.outputs.contains_key(SKILLS_FILE);
        Self::new(texts, [skimmed.read_only, has_skills], &functions)
    }

    fn new(
        [title, description, fingerprint]: [&String; 3],
        [read_only, has_skills]: [bool; 2],
        functions: &[Lines<'_>],
    ) -> Self {
        let tags = by_use(functions.iter().flat_map(|it| it.tags));
        let functions = functions.iter().map(|function| Listed {
            name: function.name.to_owned(),
            method: function.method.to_owned(),
            path: function.path.to_owned(),
            summary: one_line(function.summary, LINE_CHARS),
        });
        Self {
            title: one_line(title, LINE_CHARS),
            description: one_line(description, LINE_CHARS),
            read_only,
            fingerprint: fingerprint.clone(),
            has_skills,
            tags,
            functions: functions.collect(),
        }
    }

    /// Reads the entry of a server below the folder of compiled output; `None` where there is no
    /// manifest that can be read. Why, the load check says.
    pub(super) fn read(output: &Path, server: &str) -> Option<Self> {
        let skimmed = Skimmed::read(&bytes(output, server, MANIFEST_FILE)?, server);
        skimmed
            .inspect_err(|reason| tracing::debug!(server, %reason, "a manifest cannot be read"))
            .ok()
            .map(|skimmed| Self::skimmed(&skimmed))
    }
}

/// The bytes of one of a server's files.
fn bytes(output: &Path, server: &str, file: &str) -> Option<Vec<u8>> {
    let path = output.join(server).join(file);
    files::read_regular(&path, LARGEST_FILE, Links::Refused).ok()
}

/// Tags on one line each, those that stand most often first.
fn by_use<'t>(tags: impl Iterator<Item = &'t String>) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for tag in tags {
        *counts.entry(tag).or_default() += 1;
    }
    let mut tags: Vec<_> = counts.into_iter().collect();
    tags.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    tags.into_iter()
        .map(|(tag, _)| one_line(tag, LINE_CHARS))
        .collect()
}
