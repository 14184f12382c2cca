//! Puts a whole folder in another's place in one step of the file system.
//!
//! What is in a folder reaches the disk before it gets its name, so that a machine that loses its
//! power has what was there before or what was compiled. Which of the two is not waited for:
//! compiling again gives the same.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use tempfile::TempDir;

/// Where folders are prepared, in the output folder so that they are on its file system. It never
/// holds a manifest itself, so nobody takes it for a server.
const STAGING: &str = ".mce-staging";

/// What Python writes beside a module that it imports.
const BYTECODE: &str = "__pycache__";

/// Puts a folder of exactly these files in place. `false`, and nothing changed, where the folder
/// that is there holds anything else or the system cannot exchange folders. Bytecode of what is
/// replaced is of no use to anybody and goes with it.
pub(super) fn put(output: &Path, folder: &Path, files: &[(&str, &str)]) -> io::Result<bool> {
    let exists = match fs::read_dir(folder) {
        Ok(entries) => {
            for entry in entries {
                let entry = entry?;
                let is_ours = files.iter().any(|(name, _)| entry.file_name() == *name)
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
    let prepared = prepare(&staging)?;
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
    let prepared = prepare(&staging)?;
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

/// A new folder in the staging folder, which is made where it does not exist.
fn prepare(staging: &Path) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777));
    let mut attempts = 0;
    loop {
        match fs::create_dir_all(staging).and_then(|()| builder.tempdir_in(staging)) {
            // Another server's folder was put in place just now, and the empty staging folder
            // removed behind it: before the folder was made in it, or while it was seen to exist.
            Err(error) if is_passing(&error) && attempts < 100 => attempts += 1,
            outcome => return outcome,
        }
    }
}

/// Whether an error may come of the staging folder going away that very moment.
fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists
    )
}

/// Removes what killed processes have left behind more than an hour ago.
pub(super) fn sweep(output: &Path) {
    let staging = output.join(STAGING);
    if !fs::symlink_metadata(&staging).is_ok_and(|metadata| metadata.is_dir()) {
        return;
    }
    for entry in fs::read_dir(&staging).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|metadata| metadata.modified());
        let is_old = age.is_ok_and(|then| then.elapsed().is_ok_and(|age| age.as_secs() > 3_600));
        if is_old && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
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
    use std::time::{Duration, SystemTime};

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
    fn only_what_was_left_long_ago_is_swept() {
        let output = tempfile::tempdir().unwrap();
        let staging = output.path().join(STAGING);
        for (name, age) in [("old", 3_700), ("new", 10)] {
            fs::create_dir_all(staging.join(name)).unwrap();
            fs::write(staging.join(name).join("file"), "x").unwrap();
            let then = SystemTime::now() - Duration::from_secs(age);
            let folder = fs::File::open(staging.join(name)).unwrap();
            folder.set_modified(then).unwrap();
        }
        sweep(output.path());
        assert!(!staging.join("old").exists());
        assert!(staging.join("new").exists());
    }
}
