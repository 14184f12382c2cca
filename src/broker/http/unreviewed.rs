//! Where a server is by its manifest alone, which may be anything: a server that fails the load check is
//! not called, and no plain request goes to its place either.

use std::io;
use std::path::Path;

use serde::Deserialize;

use crate::files::{self, Links, ReadError};

/// The largest manifest.
const LARGEST: u64 = 256 << 20;

#[derive(Deserialize)]
struct Manifest {
    base_url: Option<String>,
    #[serde(default)]
    functions: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    base_url: Option<String>,
}

/// The base URLs in the manifest of a folder; none where there is no manifest, and nothing compiled.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn base_urls(folder: &Path) -> Result<Vec<String>, String> {
    let bytes = match files::read_regular(&folder.join("manifest.json"), LARGEST, Links::Followed) {
        Ok(bytes) => bytes,
        Err(ReadError::Io(error)) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(format!("its manifest cannot be read: {error}")),
    };
    let manifest: Manifest = serde_json::from_slice(&bytes)
        .map_err(|_| "its manifest cannot be read: it is no manifest".to_owned())?;
    let of_functions = manifest.functions.into_iter().filter_map(|it| it.base_url);
    Ok(manifest.base_url.into_iter().chain(of_functions).collect())
}
