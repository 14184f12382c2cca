//! Reads files whose path came from outside: regular ones, of a bounded size. Writes them whole or
//! not at all.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// What is done about a path that ends in a symbolic link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// The file it leads to is read.
    Followed,
    /// It is no regular file.
    Refused,
}

/// Why a file is not read. The texts go behind the file's name.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Links are refused, and it is one.
    #[error("is a symbolic link")]
    Link,
    /// A folder.
    #[error("is a folder and no regular file")]
    Folder,
    /// A device, pipe, socket or the like.
    #[error("is no regular file")]
    NotRegular,
    /// Not where the caller permits it to lie.
    #[error("lies elsewhere by now")]
    Elsewhere,
    /// Larger than the caller permits.
    #[error("is larger than {limit} bytes")]
    TooLarge {
        /// The most bytes it may have.
        limit: u64,
    },
}

/// Puts a file in the place of what is there, whole or not at all. `mode` is that of its permissions,
/// of which the umask takes some.
///
/// # Errors
///
/// Where it cannot be written; what was there is there still.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    draft(path, bytes, mode)?.persist(path)?;
    Ok(())
}

/// Puts a file where nothing is, whole or not at all; as [`replace`] else.
///
/// # Errors
///
/// Where something is there already, or it cannot be written.
pub fn create(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    draft(path, bytes, mode)?.persist_noclobber(path)?;
    Ok(())
}

/// A file with these bytes in the folder of another.
fn draft(path: &Path, bytes: &[u8], mode: u32) -> io::Result<tempfile::NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut draft = tempfile::Builder::new();
    #[cfg(unix)]
    draft.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = draft.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// The bytes of a regular file of at most `limit` bytes. Of anything else no byte is read.
///
/// # Errors
///
/// Where it is no such file or cannot be read.
pub fn read_regular(path: &Path, limit: u64, links: Links) -> Result<Vec<u8>, ReadError> {
    read(path, limit, links, None)
}

/// As [`read_regular`], if `permit` says so of the path at which the file lies once it is open,
/// links followed: what was looked at before may have been exchanged since.
///
/// # Errors
///
/// As [`read_regular`], and where it is not permitted.
pub fn read_permitted(
    path: &Path,
    limit: u64,
    links: Links,
    permit: &dyn Fn(&Path) -> bool,
) -> Result<Vec<u8>, ReadError> {
    read(path, limit, links, Some(permit))
}

fn read(
    path: &Path,
    limit: u64,
    links: Links,
    permit: Option<&dyn Fn(&Path) -> bool>,
) -> Result<Vec<u8>, ReadError> {
    // Looked at before it is opened: opening a named pipe waits for a writer, and opening a device
    // may have an effect.
    judge(
        &match links {
            Links::Followed => fs::metadata(path)?,
            Links::Refused => fs::symlink_metadata(path)?,
        },
        limit,
    )?;
    let file = open(path, links)?;
    // And again: another file may have taken its place.
    let metadata = file.metadata()?;
    judge(&metadata, limit)?;
    if let Some(permit) = permit
        && !permit(&place(&file, path)?)
    {
        return Err(ReadError::Elsewhere);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    // One byte beyond the limit tells a file that has grown from one that fits.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).map_or(true, |length| length > limit) {
        return Err(ReadError::TooLarge { limit });
    }
    Ok(bytes)
}

/// Where an open file lies.
#[cfg(target_os = "linux")]
fn place(file: &File, _: &Path) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd as _;

    fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Where an open file lies, as far as its path still tells.
#[cfg(not(target_os = "linux"))]
fn place(_: &File, path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

fn judge(metadata: &Metadata, limit: u64) -> Result<(), ReadError> {
    if metadata.is_symlink() {
        Err(ReadError::Link)
    } else if metadata.is_dir() {
        Err(ReadError::Folder)
    } else if !metadata.is_file() {
        Err(ReadError::NotRegular)
    } else if metadata.len() > limit {
        Err(ReadError::TooLarge { limit })
    } else {
        Ok(())
    }
}

#[cfg(unix)]
fn open(path: &Path, links: Links) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;

    let flags = match links {
        Links::Followed => OFlags::NONBLOCK,
        Links::Refused => OFlags::NONBLOCK | OFlags::NOFOLLOW,
    };
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

#[cfg(not(unix))]
fn open(path: &Path, _: Links) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_at_the_limit_is_read_and_one_beyond_it_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, "four").unwrap();
        let read = |limit| read_regular(&path, limit, Links::Refused);
        assert_eq!(read(4).unwrap(), b"four");
        assert!(matches!(read(3), Err(ReadError::TooLarge { limit: 3 })));
    }

    #[test]
    fn folders_and_missing_files_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let read = |path: &Path| read_regular(path, 9, Links::Followed);
        assert!(matches!(read(folder.path()), Err(ReadError::Folder)));
        let missing = read(&folder.path().join("x"));
        assert!(
            matches!(missing, Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound)
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_without_a_writer_is_refused_at_once() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR, 0).unwrap();
        let read = read_regular(&path, 9, Links::Followed);
        assert!(matches!(read, Err(ReadError::NotRegular)));
        // Even where it took the place of a file after that was looked at.
        open(&path, Links::Followed).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn where_an_opened_file_lies_is_judged_and_not_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(real.join("outside")).unwrap();
        fs::write(real.join("outside/a"), "a").unwrap();
        // As after somebody has put a link in the place of a folder that was looked at.
        std::os::unix::fs::symlink(real.join("outside"), real.join("inside")).unwrap();
        let path = real.join("inside/a");
        let permitted = |within: &str| {
            let within = real.join(within);
            read_permitted(&path, 9, Links::Refused, &|place| {
                place.starts_with(&within)
            })
        };
        assert!(matches!(permitted("inside"), Err(ReadError::Elsewhere)));
        assert_eq!(permitted("outside").unwrap(), b"a");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_only_where_that_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("link"));
        fs::write(&path, "a").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert_eq!(read_regular(&link, 9, Links::Followed).unwrap(), b"a");
        let refused = read_regular(&link, 9, Links::Refused);
        assert!(matches!(refused, Err(ReadError::Link)));
        assert!(open(&link, Links::Refused).is_err());
    }
}
