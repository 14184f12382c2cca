//! How an MCP client starts this binary, and its configuration as text to paste.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::output::absolute;
use super::startup::Configured;
use crate::config::{SETTINGS, Setting};

/// What settings of the sandbox begin with: without them a client's server would run code elsewhere, or
/// otherwise, than the user's own.
const OF_THE_SANDBOX: &[&str] = &["MCE_SANDBOX", "MCE_DOCKER_", "MCE_ALLOW_WEAK_LIMITS"];

/// How a client starts a server that speaks over stdin and stdout.
pub(super) struct Launch {
    /// This binary.
    pub(super) command: String,
    /// Its arguments.
    pub(super) arguments: Vec<String>,
    /// Variables. The values of those that the config names are for people to fill in: they may be
    /// secrets, and are empty here.
    pub(super) variables: Vec<(String, String)>,
}

impl Launch {
    /// A client starts it wherever it likes, so no path depends on where.
    pub(super) fn of(configured: &Configured) -> Self {
        let command = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("mce"));
        let mut arguments = vec!["serve".to_owned()];
        let mut variables = Vec::new();
        if let Some(config) = &configured.config {
            let file = absolute(&config.path).display().to_string();
            arguments.extend(["--config".to_owned(), file]);
            let names = config.variables().into_iter();
            variables.extend(names.map(|name| (name, String::new())));
        }
        if let Some(file) = &configured.env_file {
            let file = absolute(file).display().to_string();
            arguments.extend(["--env-file".to_owned(), file]);
        }
        let settings = &configured.settings;
        let places = [
            ("MCE_COMPILED_OUTPUT_DIR", &settings.compiled_output_dir),
            ("MCE_CACHE_DB_PATH", &settings.cache_db_path),
            ("MCE_AUDIT_DB_PATH", &settings.audit_db_path),
        ];
        for (name, path) in places {
            let path = absolute(path).display().to_string();
            variables.push((name.to_owned(), path));
        }
        variables.extend(
            SETTINGS
                .iter()
                .filter_map(|row| of_sandbox(row, configured)),
        );
        Self {
            command: command.display().to_string(),
            arguments,
            variables,
        }
    }
}

/// A setting of the sandbox that is set, and its value.
fn of_sandbox(row: &Setting, configured: &Configured) -> Option<(String, String)> {
    let is_of_it = OF_THE_SANDBOX.iter().any(|it| row.name.starts_with(it));
    if !is_of_it || row.ignored.is_some() {
        return None;
    }
    let names = std::iter::once(row.name).chain(row.aliases.iter().copied());
    let mut values = names.filter_map(|name| configured.environment.get(name));
    let value = values.find(|value| !value.trim().is_empty())?;
    let value = match row.kind {
        "path" => absolute(value.as_ref()).display().to_string(),
        _ => value.to_owned(),
    };
    Some((row.name.to_owned(), value))
}

/// The `mcpServers` object that most clients take.
pub(super) fn configuration(configured: &Configured) -> Value {
    let Launch {
        command,
        arguments,
        variables,
    } = Launch::of(configured);
    let variables: Map<String, Value> = variables
        .into_iter()
        .map(|(name, value)| (name, value.into()))
        .collect();
    json!({
        "mcpServers": {
            "mce": {"command": command, "args": arguments, "env": variables}
        }
    })
}
