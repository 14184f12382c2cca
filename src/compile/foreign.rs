//! Files that this program did not write and that Python would run all the same: beside a compiled
//! module, or in place of a library, since the output folder is one that Python imports from.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use super::manifest::sha256_hex;
use super::{FUNCTIONS_FILE, MANIFEST_FILE, RUNTIME_FILE, folder};
use crate::invisible::visible;

/// Ends of the names of files that Python imports.
const LOADED: [&str; 5] = ["py", "pyw", "pyc", "so", "pyd"];
/// Where Python keeps the bytecode of what it has imported.
const BYTECODE: &str = "__pycache__";
/// Folders within folders that are looked into; a deeper one is named itself.
const DEEPEST: usize = 8;
/// Entries that are looked at, and files that are named.
const MOST_ENTRIES: usize = 10_000;

/// Those in the folder of a server.
pub(super) fn of_server(folder: &Path) -> Vec<PathBuf> {
    let is_own = |path: &Path| {
        let name = path.file_name();
        name.is_some_and(|name| name == FUNCTIONS_FILE || name == MANIFEST_FILE)
    };
    find(folder, is_own)
}

/// Those beside the folders of servers: `listed` ones, and those that this program wrote, are
/// judged by themselves.
pub(super) fn beside(output: &Path, listed: &[String]) -> Vec<PathBuf> {
    let is_own = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        let is_listed = name.is_some_and(|name| listed.iter().any(|server| server == name));
        name == Some(RUNTIME_FILE) || is_listed || folder::is_written(path)
    };
    // Of somebody else's package it is enough to name its folder.
    let named = find(output, is_own).into_iter().map(|path| {
        let mut parts = path.strip_prefix(output).unwrap_or(&path).components();
        match (parts.next(), parts.next()) {
            (Some(first), Some(_)) if first.as_os_str() != BYTECODE => output.join(first),
            _ => path,
        }
    });
    let mut named: Vec<PathBuf> = named.collect();
    named.dedup();
    named
}

/// What to say of one when nothing else is done about it.
pub(super) fn warning(path: &Path) -> String {
    format!(
        "`{}` was not written by mce, and Python would run it; remove or move it",
        visible(&path.to_string_lossy())
    )
}

/// The names of files within a folder, and what tells one from another.
pub(super) fn hashes(root: &Path, paths: &[PathBuf]) -> BTreeMap<String, String> {
    let each = paths.iter().map(|path| {
        let name = path.strip_prefix(root).unwrap_or(path);
        // Of a folder all that Python would run in it.
        let hash = match folder::read_regular(path) {
            Ok(Some(bytes)) => hash(&bytes),
            _ => hash(contents(path).as_bytes()),
        };
        (name.to_string_lossy().into_owned(), hash)
    });
    each.collect()
}

/// The names and hashes of what Python would run in a folder.
fn contents(folder: &Path) -> String {
    let lines = find(folder, |_| false).into_iter().map(|path| {
        let bytes = folder::read_regular(&path).ok().flatten();
        let name = path.strip_prefix(folder).unwrap_or(&path);
        let hash = bytes.map(|bytes| sha256_hex(&bytes));
        format!("{} {hash:?}\n", name.display())
    });
    lines.collect()
}

fn hash(bytes: &[u8]) -> String {
    let mut hash = sha256_hex(bytes);
    hash.truncate(12);
    format!("SHA-256 {hash}…")
}

/// What Python would run below a folder, but for what `is_own` knows directly in it.
fn find(root: &Path, is_own: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![(root.to_owned(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            // What it holds may be imported by name all the same.
            Err(_) => {
                found.push(folder);
                continue;
            }
        };
        for entry in entries.flatten() {
            let path = entry.path();
            seen += 1;
            if seen > MOST_ENTRIES {
                found.push(folder);
                folders.clear();
                break;
            }
            if depth == 0 && is_own(&path) {
                continue;
            }
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            // What a link leads to is what Python would load.
            let is_folder = fs::metadata(&path).is_ok_and(|metadata| metadata.is_dir());
            if !is_folder {
                if is_loaded(&path) {
                    found.push(path);
                }
            } else if !is_hidden(&path) {
                if is_link || depth == DEEPEST {
                    found.push(path);
                } else {
                    folders.push((path, depth + 1));
                }
            }
        }
    }
    found.sort();
    found
}

/// No statement imports from a folder whose name begins with a dot: they are caches of tools.
fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| name.starts_with('.'))
}

fn is_loaded(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    if !LOADED.iter().any(|it| extension == *it) {
        return false;
    }
    let is_cached = path
        .parent()
        .is_some_and(|folder| folder.ends_with(BYTECODE));
    !(is_cached && extension == "pyc" && is_of_a_source(path))
}

/// Whether bytecode is what an ordinary run leaves behind: it holds the time and size of its
/// source. Of any other kind Python does not look at the source at all, or at a hash that whoever
/// wrote the bytecode could put there, and runs the bytecode.
fn is_of_a_source(path: &Path) -> bool {
    // The magic number, then flags in little endian.
    let mut header = [0; 8];
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        // Whatever it is, opening it may wait for ever.
        return true;
    }
    let read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    let [_, _, mark @ .., _, _, _, _] = header;
    let [_, _, _, _, flags @ ..] = header;
    // What is too short, or begins otherwise, is no bytecode to Python.
    let is_by_hash = mark == *b"\r\n" && matches!(u32::from_le_bytes(flags), 1 | 3);
    read.is_err() || !is_by_hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_python_runs_is_found() {
        let output = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = output.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        };
        let (timed, unchecked, checked) = (
            b"\xa7\r\r\n\0\0\0\0rest",
            b"\xa7\r\r\n\x01\0\0\0rest",
            b"\xa7\r\r\n\x03\0\0\0rest",
        );
        for name in ["functions.py", "manifest.json", "README.md", ".hidden/x.py"] {
            write(name, b"x");
        }
        write("__pycache__/functions.cpython-311.pyc", timed);
        assert_eq!(of_server(output.path()), Vec::<PathBuf>::new());
        let foreign = [
            "__init__.PY",
            "__pycache__/functions.cpython-312.pyc",
            "__pycache__/functions.cpython-313.pyc",
            "extra.pyc",
            "sub/functions.py",
            "sub/sub/fast.cpython-311-x86_64-linux-gnu.so",
        ];
        write(foreign[0], b"");
        write(foreign[1], unchecked);
        write(foreign[2], checked);
        write(foreign[3], timed);
        write(foreign[4], b"");
        write(foreign[5], b"");
        let expected = foreign.map(|name| output.path().join(name));
        assert_eq!(of_server(output.path()), expected);
    }
}
