//! Files that their owner alone may read: databases and the audit's lines.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// To be read and written anywhere.
    Database,
    /// To be written at its end only.
    Append,
}

/// Opens a regular file with mode 0600, making it and its folder where they are missing. A file that
/// others may read is theirs no more from then on.
///
/// # Errors
/// It is no regular file, or the system refuses.
pub(super) fn open(path: &Path, access: Access) -> io::Result<File> {
    let folder = path.parent();
    if let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).truncate(false);
    match access {
        Access::Database => options.read(true).write(true),
        Access::Append => options.read(true).append(true),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
        if access == Access::Append {
            options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
        }
    }
    // What is no file keeps its permissions: for root this could be a device that all others use. And
    // opening a pipe waits for whoever reads it.
    // Nor is what is appended to a link's: whoever can write the folder could have it appended to, and
    // taken away from others, what this process alone may write.
    let there = match access {
        Access::Database => std::fs::metadata(path),
        Access::Append => std::fs::symlink_metadata(path),
    };
    if there.is_ok_and(|it| !it.is_file()) {
        return Err(no_file());
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(no_file());
    }
    restrict(&file)?;
    Ok(file)
}

/// What stands at a path is no regular file.
pub(super) fn no_file() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file")
}

/// Takes a file away from everyone but its owner.
#[cfg(unix)]
fn restrict(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    if file.metadata()?.permissions().mode() & 0o777 != 0o600 {
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn restrict(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_is_no_file_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
        for path in [path.as_path(), Path::new("/dev/null")] {
            let before = mode(path);
            for access in [Access::Database, Access::Append] {
                let error = open(path, access).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            }
            assert_eq!(mode(path), before);
        }
    }

    /// It was appended to, and taken away from everyone else.
    #[test]
    fn what_a_link_leads_to_is_not_appended_to() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "").unwrap();
        std::fs::set_permissions(&victim, std::fs::Permissions::from_mode(0o644)).unwrap();
        let link = folder.path().join("log");
        std::os::unix::fs::symlink(&victim, &link).unwrap();
        assert!(open(&link, Access::Append).is_err());
        assert_eq!(mode(&victim), 0o644);
    }

    #[test]
    fn a_file_is_its_owners_alone_when_made_and_when_found() {
        let folder = tempfile::tempdir().unwrap();
        for access in [Access::Database, Access::Append] {
            let path = folder.path().join(format!("below/{access:?}"));
            open(&path, access).unwrap();
            assert_eq!(mode(&path), 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            open(&path, access).unwrap();
            assert_eq!(mode(&path), 0o600);
        }
    }
}
