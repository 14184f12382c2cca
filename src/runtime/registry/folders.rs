//! The servers that a folder of compiled output holds.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// The servers that a folder of compiled output holds, by name: its sub-folders that hold a
/// manifest and could be a server. Links are not followed.
///
/// # Errors
/// The folder cannot be read.
pub fn compiled_folders(folder: &Path) -> io::Result<BTreeSet<String>> {
    let servers = std::fs::read_dir(folder)?
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| entry.path().join("manifest.json").is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_identifier(name))
        .collect();
    Ok(servers)
}

/// Whether a server can have this name.
pub(in crate::runtime) fn is_identifier(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}
