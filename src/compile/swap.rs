//! Puts a whole folder in another's place in one step of the file system.
//!
//! What is in a folder reaches the disk before it gets its name, so that a machine that loses its
//! power has what was there before or what was compiled. Which of the two is not waited for:
//! compiling again gives the same.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use std::time::Duration;

use tempfile::TempDir;

/// Where folders are prepared, in the output folder so that they are on its file system. It never
/// holds a manifest itself, so nobody takes it for a server.
const STAGING: &str = ".mce-staging";

/// What Python writes beside a module that it imports.
const BYTECODE: &str = "__pycache__";

/// Puts a folder of exactly these files in place. `false`, and nothing changed, where the folder
/// that is there holds anything else, but for files of the names `own`, which go, or the system cannot exchange folders. Bytecode of what is
/// replaced is of no use to anybody and goes with it.
pub(super) fn put(
    output: &Path,
    folder: &Path,
    files: &[(&str, &str)],
    own: &[&str],
) -> io::Result<bool> {
    let names = files.iter().map(|(name, _)| *name);
    let names: Vec<&str> = names.chain(own.iter().copied()).collect();
    let exists = match fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries {
                let entry = entry?;
                let is_ours = names.iter().any(|name| entry.file_name() == *name)
                    && entry.file_type()?.is_file();
                if !is_ours && !is_bytecode(&entry.path()) {
                    return Ok(false);
                }
            }
            true
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(error),
    };
    let staging = output.join(STAGING);
    if fs::symlink_metadata(&staging).is_ok_and(|metadata| !metadata.is_dir()) {
        return Ok(false);
    }
    let (prepared, _lock) = prepare(&staging)?;
    for (name, text) in files {
        let mut file = fs::File::create_new(prepared.path().join(name))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
    }
    sync(prepared.path());
    let done = if exists {
        // What was there is then in the prepared folder's place, and removed with it.
        exchange(prepared.path(), folder)
    } else {
        fs::rename(prepared.path(), folder).is_ok()
    };
    drop(prepared);
    // Fails while another process prepares a folder there, which then removes it.
    let _ = fs::remove_dir(&staging);
    Ok(done)
}

/// Puts one file in place. It is prepared in the staging folder too, so that a process that is
/// killed leaves nothing elsewhere.
pub(super) fn replace(output: &Path, path: &Path, text: &str) -> io::Result<()> {
    let staging = output.join(STAGING);
    if fs::symlink_metadata(&staging).is_ok_and(|metadata| !metadata.is_dir()) {
        let message = format!("`{}` is no folder; remove it", staging.display());
        return Err(io::Error::other(message));
    }
    let (prepared, _lock) = prepare(&staging)?;
    let file = prepared.path().join("file");
    let mut handle = fs::File::create_new(&file)?;
    handle.write_all(text.as_bytes())?;
    handle.sync_all()?;
    let done = fs::rename(&file, path);
    drop(prepared);
    let _ = fs::remove_dir(&staging);
    done
}

/// Removes the bytecode beside compiled modules; anything else in its folder keeps it.
pub(super) fn remove_bytecode(folder: &Path) {
    let bytecode = folder.join(BYTECODE);
    if is_bytecode(&bytecode) {
        let _ = fs::remove_dir_all(&bytecode);
    }
}

/// Whether this is a folder, not a link to one, that Python made and nobody else uses.
pub(super) fn is_bytecode(path: &Path) -> bool {
    let is_compiled = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| {
            entry.file_type().is_ok_and(|kind| kind.is_file())
                && entry.path().extension().is_some_and(|it| it == "pyc")
        })
    };
    path.file_name().is_some_and(|name| name == BYTECODE)
        && fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
        && fs::read_dir(path).is_ok_and(|mut entries| entries.all(is_compiled))
}

/// A new folder in the staging folder, which is made where it does not exist, and a lock on it for
/// as long as somebody needs it.
fn prepare(staging: &Path) -> io::Result<(TempDir, Option<Lock>)> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    let mut attempts = 0;
    loop {
        match fs::create_dir_all(staging).and_then(|()| builder.tempdir_in(staging)) {
            // Another server's folder was put in place just now, and the empty staging folder
            // removed behind it: before the folder was made in it, or while it was seen to exist.
            Err(error) if is_passing(&error) && attempts < 100 => attempts += 1,
            outcome => {
                let folder = outcome?;
                let lock = match Lock::of(folder.path()) {
                    Locked::Now(lock) => Some(lock),
                    Locked::BySomebody | Locked::Never => None,
                };
                return Ok((folder, lock));
            }
        }
    }
}

/// That a process needs a folder, until it drops this or ends.
struct Lock {
    _folder: fs::File,
}

/// What came of an attempt to lock a folder.
enum Locked {
    Now(Lock),
    BySomebody,
    /// The file system has no locks, or the folder is gone.
    Never,
}

impl Lock {
    #[cfg(unix)]
    fn of(folder: &Path) -> Locked {
        use rustix::fs::{FlockOperation, flock};
        use rustix::io::Errno;

        let Ok(folder) = fs::File::open(folder) else {
            return Locked::Never;
        };
        match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Locked::Now(Self { _folder: folder }),
            Err(Errno::WOULDBLOCK) => Locked::BySomebody,
            Err(_) => Locked::Never,
        }
    }

    #[cfg(not(unix))]
    fn of(_: &Path) -> Locked {
        Locked::Never
    }
}

/// Whether an error may come of the staging folder going away that very moment.
fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists
    )
}

/// Removes what killed processes have left behind: what nobody holds a lock on, or, where there are
/// no locks, what is older than an hour.
pub(super) fn sweep(output: &Path) {
    let staging = output.join(STAGING);
    if !fs::symlink_metadata(&staging).is_ok_and(|metadata| metadata.is_dir()) {
        return;
    }
    for entry in fs::read_dir(&staging).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let Ok(modified) = modified else { continue };
        // One of the future is one of a clock that was put back.
        let age = modified.elapsed().unwrap_or_else(|ahead| ahead.duration());
        let is_left = match Lock::of(&entry.path()) {
            // One that was made just now may not be locked yet.
            Locked::Now(_) => age > Duration::from_secs(10),
            Locked::BySomebody => false,
            Locked::Never => age > Duration::from_hours(1),
        };
        if is_left && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    let _ = fs::remove_dir(&staging);
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn exchange(one: &Path, other: &Path) -> bool {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).is_ok()
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn exchange(_: &Path, _: &Path) -> bool {
    false
}

/// Makes the names in a folder durable; not every file system can.
fn sync(folder: &Path) {
    if let Ok(handle) = fs::File::open(folder) {
        let _ = handle.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn a_staging_folder_that_another_server_removes_is_made_again() {
        let output = tempfile::tempdir().unwrap();
        let staging = output.path().join(STAGING);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let _ = fs::remove_dir(&staging);
                    std::thread::sleep(Duration::from_micros(20));
                }
            });
            let prepared = (0..2_000).map(|_| prepare(&staging).map(drop));
            let outcome: io::Result<()> = prepared.collect();
            done.store(true, Ordering::Relaxed);
            outcome.unwrap();
        });
    }

    #[test]
    fn what_nobody_holds_is_swept() {
        let output = tempfile::tempdir().unwrap();
        let staging = output.path().join(STAGING);
        let now = SystemTime::now();
        for (name, then) in [
            ("left", now - Duration::from_mins(1)),
            ("ahead", now + Duration::from_mins(150)),
            ("held", now - Duration::from_mins(150)),
            ("new", now),
        ] {
            fs::create_dir_all(staging.join(name)).unwrap();
            fs::write(staging.join(name).join("file"), "x").unwrap();
            let folder = fs::File::open(staging.join(name)).unwrap();
            folder.set_modified(then).unwrap();
        }
        let held = Lock::of(&staging.join("held"));
        assert!(matches!(held, Locked::Now(_)));
        sweep(output.path());
        let there = |name: &&str| staging.join(name).exists();
        let names = ["left", "ahead", "held", "new"];
        let there: Vec<&str> = names.into_iter().filter(there).collect();
        assert_eq!(there, ["held", "new"]);
    }
}
