//! The guard's policy: the built-in one, or that of the file which a setting names.

use std::collections::BTreeSet;

use crate::config::Settings;
use crate::files::{Links, ReadError, read_regular};
use crate::guard::{Guard, PolicyError};

/// A policy is text that people review; more than this is not one.
const LARGEST_POLICY: u64 = 128 << 10;

/// Why the file that `MCE_GUARD_POLICY` names gives no policy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyFileError {
    /// It cannot be read.
    #[error("the guard's policy `{path}` {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        error: ReadError,
    },
    /// It is no text.
    #[error("the guard's policy `{path}` is not UTF-8 at byte {valid_up_to}")]
    NoText {
        /// The file.
        path: String,
        /// How many bytes are text.
        valid_up_to: usize,
    },
    /// It is not valid.
    #[error("the guard's policy is not valid\n{}", .error.in_file(.path))]
    Invalid {
        /// The file.
        path: String,
        /// What is wrong, and where.
        error: PolicyError,
    },
}

/// The guard that the settings ask for. Where they name a file, that file counts or nothing does.
///
/// # Errors
/// The file cannot be read, or is no valid policy.
pub fn guard_of(settings: &Settings) -> Result<Guard, PolicyFileError> {
    let Some(file) = &settings.guard_policy else {
        return Ok(Guard::built_in());
    };
    let path = file.display().to_string();
    let bytes = match read_regular(file, LARGEST_POLICY, Links::Followed) {
        Ok(bytes) => bytes,
        Err(error) => return Err(PolicyFileError::Unreadable { path, error }),
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid_up_to = error.utf8_error().valid_up_to();
            return Err(PolicyFileError::NoText { path, valid_up_to });
        }
    };
    tracing::info!(file = %path, "the guard's policy is that of a file");
    Guard::of_policy(&text).map_err(|error| PolicyFileError::Invalid { path, error })
}

/// Those of these top-level modules of which the policy of the settings lets code import nothing,
/// neither the module nor one within it. Private ones are of no interest to code.
///
/// # Errors
/// As [`guard_of`].
pub fn unguarded<'m>(
    settings: &Settings,
    modules: impl IntoIterator<Item = &'m str>,
) -> Result<BTreeSet<&'m str>, PolicyFileError> {
    let guard = guard_of(settings)?;
    let importable = guard.importable();
    let roots: BTreeSet<&str> = importable
        .iter()
        .filter_map(|module| module.split('.').next())
        .collect();
    Ok(modules
        .into_iter()
        .filter(|module| !module.starts_with('_') && !roots.contains(module))
        .collect())
}
