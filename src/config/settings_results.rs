//! The settings of what results look like, and of those that are kept to be read piece by piece.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::settings::{LONGEST, Lookup};
use super::settings_values::{GIB, Invalid, MIB, parse_path, seconds, size};

/// `MCE_OUTPUT_MODE`: the form of the text beside the structured content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OutputMode {
    /// The structured content as JSON.
    #[default]
    Json,
    /// The structured content as TOON.
    Toon,
    /// The value first, then what else matters, a line each.
    Compact,
}

/// What results look like, and how long large ones are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultSettings {
    /// `MCE_OUTPUT_MODE` (`MCP_BRIDGE_OUTPUT_MODE`)
    pub mode: OutputMode,
    /// `MCE_RESULTS_DB_PATH`; unset, `results.db` beside the database of the code cache
    pub db_path: PathBuf,
    /// `MCE_RESULT_TTL_SECONDS`
    pub ttl: Duration,
    /// `MCE_RESULTS_MAX_BYTES` of all together
    pub most_bytes: usize,
}

impl Lookup<'_> {
    /// `cache` is where the database of the code cache is.
    pub(super) fn results(&mut self, cache: Option<&Path>) -> Option<ResultSettings> {
        let mode = self.required("MCE_OUTPUT_MODE", parse_output_mode);
        let db_path = self.optional("MCE_RESULTS_DB_PATH", parse_path);
        let ttl = self.required("MCE_RESULT_TTL_SECONDS", |text| {
            seconds(text, 30.0 * LONGEST)
        });
        let most_bytes = self.required("MCE_RESULTS_MAX_BYTES", |text| size(text, MIB, 256 * GIB));
        Some(ResultSettings {
            mode: mode?,
            db_path: match db_path {
                Some(path) => path,
                // Who keeps the cache in memory does not expect a file in the working folder.
                None if cache.is_some_and(|cache| cache.as_os_str() == ":memory:") => {
                    PathBuf::from(":memory:")
                }
                None => cache?.with_file_name("results.db"),
            },
            ttl: ttl?,
            most_bytes: most_bytes?,
        })
    }
}

fn parse_output_mode(text: &str) -> Result<OutputMode, Invalid> {
    match text.to_ascii_lowercase().as_str() {
        "json" => Ok(OutputMode::Json),
        "toon" => Ok(OutputMode::Toon),
        "compact" => Ok(OutputMode::Compact),
        _ => Err(Invalid::expected("`json`, `toon` or `compact`")),
    }
}
