//! What an MCP client's configuration needs, as text to paste.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::output::absolute;
use crate::config::{Config, Settings};

/// The `mcpServers` object: this binary, `serve`, and the names of the variables that the config
/// reads. Their values are for people to fill in: they may be secrets.
pub(super) fn configuration(config: &Config, settings: &Settings) -> Value {
    let command = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("mce"));
    // A client starts this wherever it likes, so no path may depend on where.
    let file = absolute(&config.path);
    let mut variables: Map<String, Value> = config
        .variables()
        .into_iter()
        .map(|name| (name, Value::from("")))
        .collect();
    let places = [
        ("MCE_COMPILED_OUTPUT_DIR", &settings.compiled_output_dir),
        ("MCE_CACHE_DB_PATH", &settings.cache_db_path),
        ("MCE_AUDIT_DB_PATH", &settings.audit_db_path),
    ];
    for (name, path) in places {
        let path = absolute(path).display().to_string();
        variables.insert(name.to_owned(), path.into());
    }
    json!({
        "mcpServers": {
            "mce": {
                "command": command.display().to_string(),
                "args": ["serve", "--config", file.display().to_string()],
                "env": variables,
            }
        }
    })
}
