//! Documents that are files.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Miss;
use crate::files::{self, Links, ReadError};
use crate::openapi::bundle::Found;
use crate::openapi::places::{Bounds, OUTSIDE, Place};
use crate::yaml::Limits;

pub(super) const MISSING: &str = "there is no such file";
const REFUSED: &str = "it is no regular file";

/// Reads a regular file within the size limit. Devices, pipes and the like are refused before a
/// byte of them is read.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let whole = whole(path).map_err(Miss::reason)?;
    regular(&whole, Limits::DOCUMENT.bytes, &|_| true).map_err(Miss::reason)
}

/// Reads a root document. Its own folder is where the path says it is, not where a link leads.
pub(super) fn root(
    path: &Path,
    config: &Path,
    left: &AtomicUsize,
) -> Result<(Found, Bounds), Miss> {
    let real = whole(path)?;
    let bytes = within(&real, left, &|_| true)?;
    let own = path.parent().map(or_here).unwrap_or_default();
    let own = std::fs::canonicalize(own).map_err(|error| io(&error))?;
    let name = path.file_name().map(PathBuf::from).unwrap_or_default();
    let found = Found {
        place: Place::File(own.join(name)),
        bytes,
    };
    let config = std::fs::canonicalize(or_here(config)).ok();
    Ok((found, Bounds::of_file(own, config)))
}

/// Reads a part, if it lies where parts may lie when symbolic links are followed.
pub(super) fn part(path: &Path, bounds: &Bounds, left: &AtomicUsize) -> Result<Found, Miss> {
    let real = std::fs::canonicalize(path).map_err(|error| io(&error))?;
    if !bounds.permit(&real) {
        return Err(Miss::Failed(OUTSIDE.to_owned()));
    }
    let bytes = within(&real, left, &|opened| bounds.permit(opened))?;
    Ok(Found {
        place: Place::File(real),
        bytes,
    })
}

/// Reads a part that lies right at `path`, with no symbolic link on the way.
pub(super) fn unmoved(path: &Path, bounds: &Bounds) -> Result<Vec<u8>, Miss> {
    if !bounds.permit(path) {
        return Err(Miss::Failed(OUTSIDE.to_owned()));
    }
    regular(path, Limits::DOCUMENT.bytes, &|opened| opened == path)
}

fn or_here(folder: &Path) -> PathBuf {
    if folder.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        folder.to_owned()
    }
}

/// A path with its links followed, if it leads to no place of the system's own.
fn whole(path: &Path) -> Result<PathBuf, Miss> {
    let whole = std::fs::canonicalize(path).map_err(|error| io(&error))?;
    if is_of_system(&whole) {
        return Err(Miss::Failed(REFUSED.to_owned()));
    }
    Ok(whole)
}

fn is_of_system(path: &Path) -> bool {
    let of_system = ["/proc", "/sys", "/dev"];
    of_system.iter().any(|root| path.starts_with(root))
}

/// Reads a file that fits into what is left for the document and its parts, if it may be read
/// where it turns out to lie.
fn within(
    path: &Path,
    left: &AtomicUsize,
    permit: &dyn Fn(&Path) -> bool,
) -> Result<Vec<u8>, Miss> {
    let most = left.load(Ordering::Relaxed);
    let bytes = regular(path, most, permit)?;
    left.fetch_sub(bytes.len().min(most), Ordering::Relaxed);
    Ok(bytes)
}

/// `path` has no links any more. One that took the place of the file or of a folder on the way
/// meanwhile is found out by where the opened file lies.
fn regular(path: &Path, limit: usize, permit: &dyn Fn(&Path) -> bool) -> Result<Vec<u8>, Miss> {
    let limit = u64::try_from(limit).unwrap_or(u64::MAX);
    if is_of_system(path) {
        return Err(Miss::Failed(REFUSED.to_owned()));
    }
    let permit = |opened: &Path| !is_of_system(opened) && permit(opened);
    let read = files::read_permitted(path, limit, Links::Refused, &permit);
    read.map_err(|error| match error {
        ReadError::Elsewhere => Miss::Failed(OUTSIDE.to_owned()),
        ReadError::Io(error) => io(&error),
        ReadError::Folder => Miss::Absent("it is a folder; name the document in it".to_owned()),
        ReadError::NotRegular | ReadError::Link => Miss::Failed(REFUSED.to_owned()),
        ReadError::TooLarge { .. } => Miss::Failed(too_large()),
    })
}

/// Only what can never be there is absent. Anything else may be different for the next one who
/// looks, and must not cost operations.
fn io(error: &std::io::Error) -> Miss {
    match error.kind() {
        ErrorKind::NotFound => Miss::Absent(MISSING.to_owned()),
        kind @ (ErrorKind::NotADirectory | ErrorKind::InvalidFilename) => {
            Miss::Absent(kind.to_string())
        }
        kind => Miss::Failed(kind.to_string()),
    }
}

pub(super) fn too_large() -> String {
    format!(
        "it is larger than {} MiB with all that it refers to",
        Limits::DOCUMENT.bytes >> 20
    )
}
