//! The servers that a folder of compiled output holds.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use crate::config::{Config, Settings};

/// The names of the servers that are served: those of the config; or all of the folder where there is
/// no config, or where the folder was chosen (`MCE_COMPILED_OUTPUT_DIR`) and the config was not.
#[must_use]
pub fn served_names(settings: &Settings, config: Option<&Config>) -> BTreeSet<String> {
    match config {
        Some(config) if !is_whole_folder(settings, Some(config)) => {
            config.servers.iter().map(|it| it.name.clone()).collect()
        }
        _ => compiled_folders(&settings.compiled_output_dir).unwrap_or_default(),
    }
}

pub(super) fn is_whole_folder(settings: &Settings, config: Option<&Config>) -> bool {
    config.is_none()
        || (settings.compiled_output_dir_is_set && settings.swagger_config_file.is_none())
}

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
