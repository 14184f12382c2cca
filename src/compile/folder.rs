//! The output folder: what is there, atomic writes, and removal of what this program wrote.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::manifest::sha256_hex;
use super::{
    FUNCTIONS_FILE, MANIFEST_FILE, RUNTIME, RUNTIME_FILE, RuntimeReport, SKILLS_FILE, swap,
};
use crate::api::{MANIFEST_VERSION, Manifest};
use crate::files::{self, Links, ReadError};
use crate::invisible::visible;
use crate::python::{MODULE_MARK, RUNTIME_MARK};

/// Size of a file that is read back, in bytes.
const LARGEST: u64 = 256 << 20;

/// Bytes at the start of a file within which it says what it is.
const LONGEST_HEADER: usize = 2048;

/// Why the output folder could not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FolderError {
    /// A symbolic link where a real folder or file belongs.
    #[error("`{path}` is a symbolic link; expected a real folder, remove the link")]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// The committed manifest, which is the lock of all names, is no manifest.
    #[error(
        "`{path}` cannot be read as a manifest ({reason}); restore it from version control, or delete it to name all functions anew"
    )]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file that this program did not write, where one of its own belongs.
    #[error(
        "`{path}` was not written by mce and would be overwritten; move it, or choose another folder for the output"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file system refused.
    #[error("cannot {action} `{path}`: {reason}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
}

fn io<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> FolderError + 'a {
    move |error| FolderError::Io {
        action,
        path: path.to_owned(),
        reason: error.to_string(),
    }
}

/// Reads the committed manifest of a server, which is the lock of all names.
pub(super) fn lock(output: &Path, server: &str) -> Result<Option<Manifest>, FolderError> {
    let folder = output.join(server);
    refuse_link(&folder)?;
    let path = folder.join(MANIFEST_FILE);
    let Some(bytes) = read_regular(&path)? else {
        return Ok(None);
    };
    let manifest = parse_manifest(&bytes);
    manifest
        .map(Some)
        .map_err(|reason| unreadable(path, &bytes, reason))
}

/// What is wrong with a manifest that cannot be read: it was spoilt, or never was one.
pub(super) fn unreadable(path: PathBuf, bytes: &[u8], reason: String) -> FolderError {
    if starts_with_mark(bytes, "\"manifest_version\"") {
        FolderError::Manifest { path, reason }
    } else {
        FolderError::Foreign { path }
    }
}

/// Reads a manifest of this version. What is wrong with it may repeat texts of it, and is shown to
/// people.
///
/// # Errors
///
/// What is wrong with it.
pub fn parse_manifest(bytes: &[u8]) -> Result<Manifest, String> {
    #[derive(serde::Deserialize)]
    struct Version {
        manifest_version: u32,
    }
    let said = |error: serde_json::Error| visible(&error.to_string());
    let version: Version = serde_json::from_slice(bytes).map_err(said)?;
    if version.manifest_version != MANIFEST_VERSION {
        return Err(format!(
            "`manifest_version` is {}, this version of mce knows {MANIFEST_VERSION}",
            version.manifest_version
        ));
    }
    serde_json::from_slice(bytes).map_err(said)
}

/// The bytes of a regular file; `None` where there is nothing.
pub(super) fn read_regular(path: &Path) -> Result<Option<Vec<u8>>, FolderError> {
    match files::read_regular(path, LARGEST, Links::Refused) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(ReadError::Io(error)) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(ReadError::Io(error)) => Err(io("read", path)(error)),
        Err(ReadError::Link) => Err(FolderError::Link {
            path: path.to_owned(),
        }),
        Err(refused) => Err(FolderError::Io {
            action: "read",
            path: path.to_owned(),
            reason: format!("it {refused}"),
        }),
    }
}

pub(super) fn refuse_link(path: &Path) -> Result<(), FolderError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => Err(FolderError::Link {
            path: path.to_owned(),
        }),
        _ => Ok(()),
    }
}

/// Writes `mce_runtime.py`, which the modules of all servers import.
pub(super) fn write_runtime(output: &Path, dry_run: bool) -> Result<RuntimeReport, FolderError> {
    let path = output.join(RUNTIME_FILE);
    let found = read_regular(&path)?;
    let changed = found.as_deref() != Some(RUNTIME.as_bytes());
    if found.is_some_and(|bytes| !is_runtime(&bytes)) {
        return Err(FolderError::Foreign { path });
    }
    if changed && !dry_run {
        fs::create_dir_all(output).map_err(io("create", output))?;
        replace(output, &path, RUNTIME)?;
    }
    Ok(RuntimeReport { path, changed })
}

/// What [`write`] did, or would do.
pub(super) struct Written {
    pub(super) paths: Vec<PathBuf>,
    pub(super) changed: bool,
}

/// Writes the folder of a server. The set of its files is exchanged as a whole where the folder
/// holds nothing else and the system can do it: whatever the process is killed at, the old set or
/// the new one is there. Elsewhere the files are replaced one by one, and the manifest, which
/// vouches for the module by its hash, comes last: whoever loads the folder in between finds the
/// old manifest beside the new module and refuses them.
pub(super) fn write(
    output: &Path,
    server: &str,
    lock: Option<&Manifest>,
    files: &[(&str, &str)],
    dry_run: bool,
) -> Result<Written, FolderError> {
    let folder = output.join(server);
    refuse_link(&folder)?;
    refuse_foreign(&folder.join(FUNCTIONS_FILE), lock)?;
    let skills = folder.join(SKILLS_FILE);
    let has_skills = files.iter().any(|(name, _)| *name == SKILLS_FILE);
    if has_skills {
        refuse_foreign_skills(&skills, lock)?;
    }
    // Those of an earlier compilation go with it.
    let is_left_over = !has_skills && is_compiled_skills(&skills, lock)?;
    let outputs: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
    let written = Written {
        paths: paths(output, server, &outputs),
        changed: is_left_over
            || !files
                .iter()
                .all(|(name, text)| holds(&folder.join(name), text)),
    };
    if dry_run {
        return Ok(written);
    }
    fs::create_dir_all(output).map_err(io("create", output))?;
    let own: &[&str] = if is_left_over { &[SKILLS_FILE] } else { &[] };
    if !written.changed || swap::put(output, &folder, files, own).map_err(io("write", &folder))? {
        return Ok(written);
    }
    fs::create_dir_all(&folder).map_err(io("create", &folder))?;
    for (name, text) in files {
        replace(output, &folder.join(name), text)?;
    }
    if is_left_over {
        fs::remove_file(&skills).map_err(io("remove", &skills))?;
    }
    Ok(written)
}

/// The files of a server, of which these are its outputs, the manifest last.
pub(super) fn paths(output: &Path, server: &str, outputs: &[&str]) -> Vec<PathBuf> {
    let folder = output.join(server);
    let outputs = outputs.iter().filter(|name| **name != MANIFEST_FILE);
    let names = outputs.chain([&MANIFEST_FILE]);
    names.map(|name| folder.join(name)).collect()
}

/// Notes that are there must be those that the committed manifest lists, whatever was changed in
/// them since: nothing in the text itself says whose it is.
fn refuse_foreign_skills(path: &Path, lock: Option<&Manifest>) -> Result<(), FolderError> {
    let is_listed = lock.is_some_and(|manifest| manifest.outputs.contains_key(SKILLS_FILE));
    if is_listed || read_regular(path)?.is_none() {
        return Ok(());
    }
    Err(FolderError::Foreign {
        path: path.to_owned(),
    })
}

/// Whether notes are there that were compiled, and not changed since.
fn is_compiled_skills(path: &Path, lock: Option<&Manifest>) -> Result<bool, FolderError> {
    let Some(hash) = lock.and_then(|manifest| manifest.outputs.get(SKILLS_FILE)) else {
        return Ok(false);
    };
    let bytes = read_regular(path)?;
    Ok(bytes.is_some_and(|bytes| sha256_hex(&bytes) == *hash))
}

/// A module that is there must be one of this program: that of the committed manifest, or one that
/// says so itself, whatever was changed in it since.
fn refuse_foreign(path: &Path, lock: Option<&Manifest>) -> Result<(), FolderError> {
    let Some(bytes) = read_regular(path)? else {
        return Ok(());
    };
    let hash = lock.and_then(|manifest| manifest.outputs.get(FUNCTIONS_FILE));
    if is_module(&bytes) || hash.is_some_and(|hash| *hash == sha256_hex(&bytes)) {
        return Ok(());
    }
    Err(FolderError::Foreign {
        path: path.to_owned(),
    })
}

/// Whether a file says of itself that it is a compiled module.
pub(super) fn is_module(bytes: &[u8]) -> bool {
    starts_with_mark(bytes, MODULE_MARK)
}

/// Whether a file says of itself that it is the runtime of compiled modules.
pub(super) fn is_runtime(bytes: &[u8]) -> bool {
    starts_with_mark(bytes, RUNTIME_MARK)
}

/// Whether the first lines of a file hold a text.
fn starts_with_mark(bytes: &[u8], mark: &str) -> bool {
    let start = bytes.get(..LONGEST_HEADER).unwrap_or(bytes);
    start.windows(mark.len()).any(|it| it == mark.as_bytes())
}

fn holds(path: &Path, text: &str) -> bool {
    matches!(read_regular(path), Ok(Some(bytes)) if bytes == text.as_bytes())
}

/// Puts a file in place as a whole, whatever happens.
fn replace(output: &Path, path: &Path, text: &str) -> Result<(), FolderError> {
    if holds(path, text) {
        return Ok(());
    }
    swap::replace(output, path, text).map_err(io("write", path))
}

/// Whether the output folder is one, or can be made: found once, not by each server.
pub(super) fn check_output(output: &Path) -> Result<(), FolderError> {
    // A link is followed here: the place is the user's choice.
    let reason = match (fs::metadata(output), fs::symlink_metadata(output)) {
        (Ok(metadata), _) if !metadata.is_dir() => "it is a file; name a folder",
        (Err(_), Ok(metadata)) if metadata.is_symlink() => "it is a link that leads nowhere",
        _ => return Ok(()),
    };
    Err(FolderError::Io {
        action: "use",
        path: output.to_owned(),
        reason: reason.to_owned(),
    })
}

/// What [`finish`] did.
pub(super) struct Finished {
    pub(super) removed: Vec<PathBuf>,
    pub(super) warnings: Vec<String>,
}

/// Removes the output of servers that are no longer listed.
pub(super) fn finish(output: &Path, servers: &[String]) -> Result<Finished, FolderError> {
    swap::sweep(output);
    let mut finished = Finished {
        removed: Vec::new(),
        warnings: Vec::new(),
    };
    for folder in unlisted(output, servers)? {
        match remove_written(&folder) {
            Ok(true) => finished.removed.push(folder),
            Ok(false) => {}
            Err(reason) => finished.warnings.push(format!(
                "`{}` belongs to no server of the config and was left: {reason}",
                folder.display()
            )),
        }
    }
    Ok(finished)
}

/// Folders of servers that are no longer listed, and why [`finish`] would leave them, if it would.
pub(super) fn stale(
    output: &Path,
    servers: &[String],
) -> Result<Vec<(PathBuf, Option<String>)>, FolderError> {
    let judged = unlisted(output, servers)?.into_iter().map(|folder| {
        let written = written(&folder);
        (folder, written)
    });
    Ok(judged
        .filter_map(|(folder, written)| match written {
            Ok(None) => None,
            Ok(Some(files)) => {
                let left = holds_others(&folder, &files).then(|| HOLDS_OTHERS.to_owned());
                Some((folder, left))
            }
            Err(reason) => Some((folder, Some(reason))),
        })
        .collect())
}

/// The folders in the output folder that are none of these servers'.
fn unlisted(output: &Path, servers: &[String]) -> Result<Vec<PathBuf>, FolderError> {
    let listed: BTreeSet<&str> = servers.iter().map(String::as_str).collect();
    let mut folders = folders(output)?;
    folders.retain(|folder| {
        let name = folder.file_name().and_then(|name| name.to_str());
        !listed.contains(name.unwrap_or_default())
    });
    Ok(folders)
}

/// What [`clean`] did.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct Cleaned {
    /// The folders that were removed.
    pub removed: Vec<PathBuf>,
    /// What was left, and why.
    pub warnings: Vec<String>,
}

/// Removes what was compiled: the folders whose manifest this program wrote, of them only the
/// files that the manifest lists and that are unchanged since, and the runtime.
///
/// # Errors
///
/// Where the output folder cannot be read.
pub fn clean(output: &Path) -> Result<Cleaned, FolderError> {
    let finished = finish(output, &[])?;
    let mut cleaned = Cleaned {
        removed: finished.removed,
        warnings: finished.warnings,
    };
    let runtime = output.join(RUNTIME_FILE);
    if cleaned.warnings.is_empty() && holds(&runtime, RUNTIME) {
        fs::remove_file(&runtime).map_err(io("remove", &runtime))?;
        swap::remove_bytecode(output);
        cleaned.removed.push(runtime);
    }
    // Fails where anything is left in it, which is then somebody else's.
    let _ = fs::remove_dir(output);
    Ok(cleaned)
}

/// The names of the folders that hold a manifest.
pub(super) fn compiled(output: &Path) -> Result<Vec<String>, FolderError> {
    let mut folders = folders(output)?;
    folders.retain(|folder| fs::symlink_metadata(folder.join(MANIFEST_FILE)).is_ok());
    let names = folders
        .iter()
        .filter_map(|folder| folder.file_name()?.to_str());
    Ok(names.map(str::to_owned).collect())
}

/// The real folders in the output folder, by name.
fn folders(output: &Path) -> Result<Vec<PathBuf>, FolderError> {
    let entries = match fs::read_dir(output) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io("read", output)(error)),
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry.map_err(io("read", output))?;
        // The type of the entry itself: links are not followed.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

/// Said of a folder that holds more than what was compiled.
const HOLDS_OTHERS: &str = "it holds other files; those that were compiled are removed";

/// Removes a folder that this program wrote; `false` where it did not.
fn remove_written(folder: &Path) -> Result<bool, String> {
    let Some(files) = written(folder)? else {
        return Ok(false);
    };
    for file in files {
        fs::remove_file(&file).map_err(|error| format!("`{}`: {error}", file.display()))?;
    }
    swap::remove_bytecode(folder);
    match fs::remove_dir(folder) {
        Ok(()) => Ok(true),
        Err(_) => Err(HOLDS_OTHERS.to_owned()),
    }
}

/// Whether a folder holds anything but these files and bytecode of them.
fn holds_others(folder: &Path, files: &[PathBuf]) -> bool {
    let is_other = |path: PathBuf| !files.contains(&path) && !swap::is_bytecode(&path);
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(is_other)
}

/// The files in a folder that this program wrote and nobody has changed since, the manifest last:
/// as long as it is there, the rest is known to be this program's. `None` where the folder is
/// somebody else's.
fn written(folder: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let path = folder.join(MANIFEST_FILE);
    let Ok(Some(bytes)) = read_regular(&path) else {
        return Ok(None);
    };
    let manifest = match parse_manifest(&bytes) {
        Ok(manifest) => manifest,
        Err(reason) if is_of_this_program(&bytes) => {
            return Err(format!("its manifest cannot be read ({reason})"));
        }
        Err(_) => return Ok(None),
    };
    let name = folder
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    if manifest.server != name || !manifest.compiler.starts_with("mce ") {
        return Ok(None);
    }
    let mut files = Vec::new();
    for (file, sha256) in &manifest.outputs {
        let is_plain = Path::new(file)
            .file_name()
            .is_some_and(|plain| plain == file.as_str());
        if !is_plain {
            return Err(format!(
                "its manifest lists `{}`, which is no plain file name",
                visible(file)
            ));
        }
        let path = folder.join(file);
        match read_regular(&path).map_err(|error| error.to_string())? {
            Some(bytes) if sha256_hex(&bytes) == *sha256 => files.push(path),
            Some(_) => return Err(format!("`{file}` was changed by hand")),
            None => {}
        }
    }
    files.push(path);
    Ok(Some(files))
}

/// Whether a folder is that of a server, which this program wrote.
pub(super) fn is_written(folder: &Path) -> bool {
    !matches!(written(folder), Ok(None))
}

/// Whether a manifest that cannot be read, such as that of another version, names this program.
fn is_of_this_program(bytes: &[u8]) -> bool {
    #[derive(serde::Deserialize)]
    struct Named {
        #[expect(dead_code, reason = "it must be there")]
        manifest_version: u32,
        compiler: String,
    }
    serde_json::from_slice(bytes).is_ok_and(|named: Named| named.compiler.starts_with("mce "))
}
