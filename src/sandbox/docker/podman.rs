//! What Podman needs beyond the request: its API takes a seccomp profile only as the path of a file
//! that it opens itself (<https://github.com/containers/podman/issues/27710>).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::engine::{Engine, EngineKind};
use super::error::Error;
use super::request::{ContainerRequest, SECCOMP};
use crate::files::replace;

/// The request as the engine takes it.
///
/// # Errors
/// [`Error::RemotePodman`], and [`Error::State`] where the profile cannot be written.
pub(super) fn adapted(
    request: ContainerRequest,
    engine: &Engine,
    state_dir: &Path,
) -> Result<ContainerRequest, Error> {
    if engine.kind() == EngineKind::Docker {
        return Ok(request);
    }
    if !engine.is_local() {
        return Err(Error::RemotePodman {
            address: engine.address().to_owned(),
        });
    }
    let path = profile_path(state_dir);
    let path = write(&path).map_err(|source| Error::State { path, source })?;
    Ok(request.of_podman(path, user_processes()))
}

/// How many processes a user may have on the machine: as many as there can be by default, unless
/// this process may say less only. So may the engine, if it has no more rights.
fn user_processes() -> i64 {
    let usual = 32_768;
    #[cfg(unix)]
    {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nproc);
        let most = limit.maximum.and_then(|most| i64::try_from(most).ok());
        most.map_or(usual, |most| most.min(usual))
    }
    #[cfg(not(unix))]
    usual
}

/// Named after what it holds, so that another version of MCE has another one.
fn profile_path(state_dir: &Path) -> PathBuf {
    let hash = hex::encode(Sha256::digest(SECCOMP));
    state_dir.join(format!("seccomp-{}.json", hash.get(..16).unwrap_or(&hash)))
}

/// Writes the profile where it is not there already, whole or not at all.
fn write(path: &Path) -> io::Result<String> {
    if fs::read(path).is_ok_and(|bytes| bytes == SECCOMP.as_bytes()) {
        return text(path);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    replace(path, SECCOMP.as_bytes(), 0o644)?;
    // A rootless engine may be another user's, whatever the umask.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o644))?;
    }
    text(path)
}

/// The engine has another working directory.
fn text(path: &Path) -> io::Result<String> {
    let path = fs::canonicalize(path)?;
    let text = path.into_os_string().into_string();
    text.map_err(|_| io::Error::other("the path is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_is_written_once_and_again_where_it_was_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = profile_path(&folder.path().join("state"));
        let written = write(&path).unwrap();
        assert!(Path::new(&written).is_absolute());
        assert_eq!(fs::read_to_string(&path).unwrap(), SECCOMP);
        let first = fs::metadata(&path).unwrap().modified().unwrap();
        write(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), first);
        fs::write(&path, "{}").unwrap();
        write(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), SECCOMP);
    }
}
