//! How an MCP client starts this binary, and its configuration as text to paste.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::output::absolute;
use super::startup::Configured;
use crate::config::{SETTINGS, Setting};
use crate::runtime::IN_MEMORY;

/// What the server is called in a client's configuration, unless otherwise asked for.
pub(super) const NAME: &str = "mce";

/// What settings begin with that count over HTTP alone, where no client starts the server.
const OF_HTTP: &[&str] = &["MCE_HTTP_", "MCE_HOST", "MCE_PORT"];

/// Settings that are given otherwise: by an argument, or always.
const GIVEN: &[&str] = &[
    "MCE_SWAGGER_CONFIG_FILE",
    "MCE_COMPILED_OUTPUT_DIR",
    "MCE_CACHE_DB_PATH",
    "MCE_AUDIT_DB_PATH",
];

/// Settings that may hold a password.
const UNSHOWN: &[&str] = &["MCE_HTTPS_PROXY"];

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
            variables.push((name.to_owned(), place(path)));
        }
        variables.extend(SETTINGS.iter().filter_map(|row| set(row, configured)));
        Self {
            command: command.display().to_string(),
            arguments,
            variables,
        }
    }

    /// As most clients spell it.
    pub(super) fn entry(&self) -> Map<String, Value> {
        [
            ("command", self.command.as_str().into()),
            ("args", self.arguments.as_slice().into()),
            ("env", self.environment()),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
    }

    /// Its variables, by name.
    pub(super) fn environment(&self) -> Value {
        let variables = self.variables.iter();
        variables
            .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
            .collect::<Map<_, _>>()
            .into()
    }
}

/// A setting that is set, and its value: without it a client's server would do otherwise than the user's
/// own, and maybe permit more.
fn set(row: &Setting, configured: &Configured) -> Option<(String, String)> {
    let is_of_http = OF_HTTP.iter().any(|it| row.name.starts_with(it));
    if is_of_http || GIVEN.contains(&row.name) || row.ignored.is_some() || row.kind == "secret" {
        return None;
    }
    let names = std::iter::once(row.name).chain(row.aliases.iter().copied());
    let mut values = names.filter_map(|name| configured.environment.get(name));
    let value = values.find(|value| !value.trim().is_empty())?.trim();
    let value = match value {
        _ if UNSHOWN.contains(&row.name) => String::new(),
        // The log, which has standard error for it.
        "-" => value.to_owned(),
        _ if row.kind.starts_with("path") => place(value.as_ref()),
        _ => value.to_owned(),
    };
    Some((row.name.to_owned(), value))
}

/// A path from wherever; a database in memory has none.
fn place(path: &Path) -> String {
    if path == Path::new(IN_MEMORY) {
        return IN_MEMORY.to_owned();
    }
    absolute(path).display().to_string()
}

/// The `mcpServers` object that most clients take.
pub(super) fn configuration(configured: &Configured, name: &str) -> Value {
    json!({"mcpServers": {name: Launch::of(configured).entry()}})
}
