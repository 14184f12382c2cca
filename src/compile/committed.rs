//! What a server's folder holds, beside what it should hold.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::diff::{Integrity, Side};
use super::folder::{self, FolderError, parse_manifest};
use super::manifest::sha256_hex;
use super::{FUNCTIONS_FILE, MANIFEST_FILE, SKILLS_FILE, VerifyError, fingerprint, verify};
use crate::api::Manifest;

/// Times that a folder is read which does not fit together.
const MOST_ATTEMPTS: u32 = 4;

/// A file beside what it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileState {
    /// What it should be, byte for byte.
    Equal,
    /// Not there.
    Missing,
    /// What was compiled once, from other inputs or by another version.
    Stale,
    /// Changed since it was compiled.
    Edited,
    /// What it should be, or what was compiled once, but for its line ends.
    LineEnds,
    /// A file that mce did not write, where one of its own belongs.
    Foreign,
    /// A file or folder that mce did not write, which Python would run: beside what was compiled.
    Beside,
}

/// A file and its state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileCheck {
    /// The file.
    pub path: PathBuf,
    /// Its state.
    pub state: FileState,
}

/// The files of a server as they are.
#[derive(Debug, Default)]
pub(super) struct Committed {
    folder: PathBuf,
    functions: Option<Vec<u8>>,
    skills: Option<Vec<u8>>,
    text: Option<Vec<u8>>,
    /// The manifest, which is the lock of all names.
    pub(super) manifest: Option<Manifest>,
    /// The module's text, line ends aside, whoever wrote it.
    module: Option<String>,
    /// Why the server would not be served.
    refusal: Option<VerifyError>,
}

/// Reads a server's folder.
pub(super) fn read(output: &Path, server: &str) -> Result<Committed, FolderError> {
    let mut attempts = 1;
    loop {
        let mut committed = read_once(output, server)?;
        // Another process may have exchanged the folder between two reads.
        if attempts == MOST_ATTEMPTS || committed.fits() {
            if committed.manifest.is_some() {
                committed.refusal = verify(output, server).err();
            }
            return Ok(committed);
        }
        attempts += 1;
    }
}

fn read_once(output: &Path, server: &str) -> Result<Committed, FolderError> {
    let folder = output.join(server);
    folder::refuse_link(&folder)?;
    let path = folder.join(MANIFEST_FILE);
    let text = folder::read_regular(&path)?;
    let functions = folder::read_regular(&folder.join(FUNCTIONS_FILE))?;
    let skills = folder::read_regular(&folder.join(SKILLS_FILE))?;
    let manifest = match &text {
        None => None,
        Some(bytes) => {
            let manifest = parse_manifest(bytes);
            Some(manifest.map_err(|reason| folder::unreadable(path, bytes, reason))?)
        }
    };
    let module = functions.as_deref().map(|bytes| {
        let text = without_returns(bytes);
        String::from_utf8_lossy(&text).into_owned()
    });
    Ok(Committed {
        folder,
        functions,
        skills,
        text,
        manifest,
        module,
        refusal: None,
    })
}

impl Committed {
    /// Whether the module is the one that the manifest vouches for.
    fn fits(&self) -> bool {
        match (&self.functions, &self.manifest) {
            (Some(bytes), Some(manifest)) => is_vouched_for(manifest, bytes),
            (None, None) => true,
            _ => false,
        }
    }

    /// What is compared with another compilation.
    pub(super) fn side(&self) -> Option<Side<'_>> {
        self.manifest.as_ref().map(|manifest| Side {
            manifest,
            functions: self.module.as_deref(),
            integrity: self.integrity(),
        })
    }

    fn integrity(&self) -> Integrity {
        let are_ends_converted = |text: &Option<Vec<u8>>| {
            let bytes = text.as_deref();
            bytes.is_some_and(|bytes| without_returns(bytes).len() < bytes.len())
        };
        match &self.refusal {
            Some(VerifyError::LineEnds { .. }) => Integrity::LineEnds,
            Some(refusal) => Integrity::Refused(refusal.reason()),
            None if are_ends_converted(&self.text) => Integrity::LineEnds,
            None => Integrity::AsCompiled,
        }
    }

    /// The names of the files that are not, byte for byte, those of another folder.
    pub(super) fn differing(&self, other: &Self) -> Vec<&'static str> {
        let mut names = Vec::new();
        if self.functions != other.functions {
            names.push(FUNCTIONS_FILE);
        }
        if self.own_skills() != other.own_skills() {
            names.push(SKILLS_FILE);
        }
        if self.text != other.text {
            names.push(MANIFEST_FILE);
        }
        names
    }

    /// The notes, if the manifest lists them: else they are somebody's own.
    fn own_skills(&self) -> Option<&[u8]> {
        let manifest = self.manifest.as_ref()?;
        let is_listed = manifest.outputs.contains_key(SKILLS_FILE);
        self.skills.as_deref().filter(|_| is_listed)
    }

    /// The state of the notes, of which there should be `expected`; `None` where there should be
    /// none and there are none of ours.
    fn skills_state(&self, expected: Option<&str>) -> Option<FileState> {
        let vouched = |bytes: &[u8]| {
            let manifest = self.manifest.as_ref();
            let hash = manifest.and_then(|manifest| manifest.outputs.get(SKILLS_FILE));
            hash.is_some_and(|hash| *hash == sha256_hex(bytes))
        };
        let own = self.own_skills();
        match expected {
            Some(_) if own.is_none() && self.skills.is_some() => Some(FileState::Foreign),
            Some(expected) => Some(state(own, expected, vouched)),
            // Compiling removes them.
            None => own.filter(|bytes| vouched(bytes)).map(|_| FileState::Stale),
        }
    }

    /// Each file beside what it should be.
    pub(super) fn states(
        &self,
        functions: &str,
        skills: Option<&str>,
        manifest: &str,
    ) -> Vec<FileCheck> {
        let check = |name: &str, state| FileCheck {
            path: self.folder.join(name),
            state,
        };
        let vouched = |bytes: &[u8]| {
            let manifest = self.manifest.as_ref();
            manifest.is_some_and(|manifest| is_vouched_for(manifest, bytes))
        };
        let is_intact = |bytes: &[u8]| fingerprint::intact(bytes).is_some();
        let module = match &self.functions {
            // As compiling judges, which overwrites no such file.
            Some(bytes) if !folder::is_module(bytes) && !vouched(bytes) => FileState::Foreign,
            bytes => state(bytes.as_deref(), functions, vouched),
        };
        let mut files = vec![check(FUNCTIONS_FILE, module)];
        files.extend(
            self.skills_state(skills)
                .map(|state| check(SKILLS_FILE, state)),
        );
        files.push(check(
            MANIFEST_FILE,
            state(self.text.as_deref(), manifest, is_intact),
        ));
        files
    }
}

/// `is_compiled` says whether bytes are what some compilation wrote.
pub(super) fn state(
    found: Option<&[u8]>,
    expected: &str,
    is_compiled: impl Fn(&[u8]) -> bool,
) -> FileState {
    let Some(found) = found else {
        return FileState::Missing;
    };
    if found == expected.as_bytes() {
        return FileState::Equal;
    }
    if is_compiled(found) {
        return FileState::Stale;
    }
    let converted = without_returns(found);
    if converted.len() < found.len()
        && (converted == expected.as_bytes() || is_compiled(&converted))
    {
        return FileState::LineEnds;
    }
    FileState::Edited
}

fn is_vouched_for(manifest: &Manifest, functions: &[u8]) -> bool {
    let hash = manifest.outputs.get(FUNCTIONS_FILE);
    hash.is_some_and(|hash| *hash == sha256_hex(functions))
}

/// Bytes with the line ends that are compiled.
pub(super) fn without_returns(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    for (index, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(index + 1) != Some(&b'\n') {
            text.push(*byte);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_edits_and_old_output_are_told_apart() {
        let was_compiled = |bytes: &[u8]| bytes == b"old\n";
        for (found, expected) in [
            (None, FileState::Missing),
            (Some("new\n"), FileState::Equal),
            (Some("old\n"), FileState::Stale),
            (Some("new\r\n"), FileState::LineEnds),
            (Some("old\r\n"), FileState::LineEnds),
            (Some("mine\r\n"), FileState::Edited),
            (Some("new\n\n"), FileState::Edited),
            (Some("new\r"), FileState::Edited),
        ] {
            let found = found.map(str::as_bytes);
            assert_eq!(state(found, "new\n", was_compiled), expected, "{found:?}");
        }
    }
}
