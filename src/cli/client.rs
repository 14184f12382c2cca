//! What an MCP client's configuration needs, as text to paste.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::config::{Config, Settings};

/// The `mcpServers` object: this binary, `serve`, and the names of the variables that the config
/// reads. Their values are for people to fill in: they may be secrets.
pub(super) fn configuration(config: &Config, settings: &Settings) -> Value {
    let command = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("mce"));
    // A client starts this wherever it likes.
    let file = absolute(&config.path);
    let mut variables: Map<String, Value> = config
        .variables()
        .into_iter()
        .map(|name| (name, Value::from("")))
        .collect();
    let folder = absolute(&settings.compiled_output_dir);
    variables.insert(
        "MCE_COMPILED_OUTPUT_DIR".to_owned(),
        folder.display().to_string().into(),
    );
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

fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
