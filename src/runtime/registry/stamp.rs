//! How a change of a compiled server is noticed without reading it.

use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;

use crate::compile::{FUNCTIONS_FILE, MANIFEST_FILE};

/// What the file system says of a server's two files. Each compilation exchanges the whole folder, so
/// that another one always has another stamp.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    manifest: Option<Seen>,
    functions: Option<Seen>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    length: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    inode: u64,
}

impl From<Metadata> for Seen {
    fn from(metadata: Metadata) -> Self {
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(&metadata),
        }
    }
}

impl Stamp {
    /// That of a server's folder, as it is now.
    pub(super) fn of(folder: &Path) -> Self {
        let seen = |file: &str| {
            let metadata = std::fs::symlink_metadata(folder.join(file));
            metadata.ok().map(Seen::from)
        };
        Self {
            manifest: seen(MANIFEST_FILE),
            functions: seen(FUNCTIONS_FILE),
        }
    }

    /// Bytes of both files.
    pub(super) fn bytes(&self) -> u64 {
        let length = |seen: &Option<Seen>| seen.as_ref().map_or(0, |seen| seen.length);
        length(&self.manifest).saturating_add(length(&self.functions))
    }
}
