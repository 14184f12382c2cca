//! A file of somebody else that is changed whole or not at all, with a copy of what it was.

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::copy_of;
use super::document;
use crate::files::{self, Links, ReadError};

/// Copies that are kept before the file is left alone.
const MOST_COPIES: usize = 1_000;

/// Who may read a file that is made: it may come to hold secrets.
const MODE: u32 = 0o600;

/// What became of a file.
pub(super) enum Written {
    /// It is as it should be.
    Unchanged,
    /// There was none.
    Made,
    /// It was changed.
    Changed {
        /// A copy of what it was.
        backup: PathBuf,
    },
}

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("it {0}")]
    Read(#[from] ReadError),
    #[error("it is not UTF-8")]
    Text,
    #[error(transparent)]
    Document(#[from] document::Error),
    #[error("it is a link that leads nowhere")]
    Dangling,
    #[error("it was made by somebody else meanwhile")]
    Meanwhile,
    #[error("it cannot be written: {0}")]
    Write(#[from] io::Error),
}

/// Changes a file. A link stays one: what it leads to is changed.
pub(super) fn change(
    path: &Path,
    limit: u64,
    change: impl FnOnce(&str) -> Result<String, document::Error>,
) -> Result<Written, Error> {
    let path = match std::fs::canonicalize(path) {
        Ok(path) => path,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if std::fs::symlink_metadata(path).is_ok() {
                return Err(Error::Dangling);
            }
            return make(path, &ended(change("")?));
        }
        Err(error) => return Err(ReadError::from(error).into()),
    };
    let bytes = files::read_regular(&path, limit, Links::Followed)?;
    let before = String::from_utf8(bytes).map_err(|_| Error::Text)?;
    let after = change(&before)?;
    if after == before {
        return Ok(Written::Unchanged);
    }
    let mode = mode_of(&path)?;
    let backup = keep(&path, before.as_bytes(), mode)?;
    files::replace(&path, after.as_bytes(), mode)?;
    Ok(Written::Changed { backup })
}

/// Makes a file where none is. What a client writes there meanwhile is not overwritten.
fn make(path: &Path, text: &str) -> Result<Written, Error> {
    if let Some(folder) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    match files::create(path, text.as_bytes(), MODE) {
        Ok(()) => Ok(Written::Made),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Error::Meanwhile),
        Err(error) => Err(error.into()),
    }
}

fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(unix)]
fn mode_of(path: &Path) -> io::Result<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
fn mode_of(_: &Path) -> io::Result<u32> {
    Ok(MODE)
}

/// Keeps a copy beside the file, in the place of no other one.
fn keep(path: &Path, bytes: &[u8], mode: u32) -> io::Result<PathBuf> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    for number in 1..=MOST_COPIES {
        let copy = copy_of(path, number);
        match options.open(&copy) {
            Ok(mut file) => {
                file.write_all(bytes)?;
                file.sync_all()?;
                return Ok(copy);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("there are too many copies beside it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both were overwritten once.
    #[test]
    fn what_came_meanwhile_and_a_link_to_nowhere_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/mcp.json");
        let outcome = change(&path, 100, |_| {
            std::fs::create_dir(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "theirs").unwrap();
            Ok("ours".to_owned())
        });
        assert!(matches!(outcome, Err(Error::Meanwhile)));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs");
        #[cfg(unix)]
        {
            let link = folder.path().join("link.json");
            std::os::unix::fs::symlink("unmounted/mcp.json", &link).unwrap();
            let outcome = change(&link, 100, |_| Ok("ours".to_owned()));
            assert!(matches!(outcome, Err(Error::Dangling)));
            assert!(link.symlink_metadata().unwrap().is_symlink());
        }
        // What cannot be looked at is not taken for what is not there.
        let below = path.join("mcp.json");
        let outcome = change(&below, 100, |_| Ok("ours".to_owned()));
        assert!(matches!(outcome, Err(Error::Read(_))));
    }
}
