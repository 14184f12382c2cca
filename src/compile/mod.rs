//! The pipeline from a config to `compiled/`: fetch, normalise, name, filter, render, check, write.
//!
//! [`run`] compiles every server of a config, [`clean`] removes what was compiled, [`verify`] is
//! the check before a compiled server is used.

mod advice;
mod agree;
mod deadline;
mod folder;
mod json;
mod manifest;
mod server;
mod swap;
mod verify;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::StreamExt;
use serde::Serialize;

use self::deadline::Unfinished;
use crate::config::{Config, Environment, ServerConfig};
use crate::invisible::visible;

pub use folder::{Cleaned, FolderError, clean};

pub use verify::{Verified, VerifyError, verify};

/// The text of `mce_runtime.py`, written beside the servers' folders.
pub const RUNTIME: &str = crate::python::RUNTIME_SOURCE;
/// The name of that file.
pub const RUNTIME_FILE: &str = "mce_runtime.py";
/// The compiled module of a server.
pub const FUNCTIONS_FILE: &str = "functions.py";
/// The manifest of a server.
pub const MANIFEST_FILE: &str = "manifest.json";

/// Sources fetched and compiled at once.
const CONCURRENT: usize = 8;
/// The time that reading and rendering one document may take.
const DEADLINE: Duration = Duration::from_secs(30);

/// How to compile.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder to write to, such as `./compiled`.
    pub output: PathBuf,
    /// Do everything but write.
    pub dry_run: bool,
    /// Accept a document that moves the API to another origin than the committed manifest's.
    pub accept_origin: bool,
    /// Keep mutating operations of read-only servers, so that tests can attack the next layer.
    #[cfg(feature = "test-hooks")]
    pub no_filter: bool,
}

/// What became of a compilation.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// One entry for each server of the config, in its order.
    pub servers: Vec<ServerReport>,
    /// What became of `mce_runtime.py`; `None` where no server was compiled.
    pub runtime: Option<RuntimeReport>,
    /// Folders of servers that are no longer listed, removed.
    pub removed: Vec<PathBuf>,
    /// What concerns no single server.
    pub warnings: Vec<String>,
    /// What failed that concerns no single server.
    pub error: Option<String>,
}

impl Report {
    /// Whether anything failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.error.is_some() || self.servers.iter().any(|server| server.error.is_some())
    }
}

/// What became of `mce_runtime.py`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuntimeReport {
    /// The file.
    pub path: PathBuf,
    /// Whether it was changed, or in a dry run would be.
    pub changed: bool,
}

/// What became of one server.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ServerReport {
    /// Its identifier.
    pub server: String,
    /// Operations with a function.
    pub functions: usize,
    /// Operations left out by the read-only rule.
    pub read_only: usize,
    /// Operations left out by `include` and `exclude`.
    pub excluded: usize,
    /// Operations that cannot be compiled yet, as `METHOD /path: reason`.
    pub unsupported: Vec<String>,
    /// What was repaired or left out.
    pub warnings: Vec<String>,
    /// Why there is no output; what was there before is untouched.
    pub error: Option<String>,
    /// The files, whether or not they had to be written.
    pub paths: Vec<PathBuf>,
    /// Whether any of them was changed, or in a dry run would be.
    pub changed: bool,
}

/// How to compile, and what all servers of one run share.
#[derive(Debug)]
struct Run {
    options: Options,
    /// Written once, before the first module that imports it.
    runtime: OnceLock<Result<RuntimeReport, FolderError>>,
}

/// Compiles every server of a config. A server that fails leaves its old output untouched and
/// does not stop the others. Output of servers that are no longer listed is removed, unless one
/// failed, the config lists none at all, or nothing is to be written.
pub async fn run(config: &Config, environment: &Environment, options: &Options) -> Report {
    run_with(config, environment, options, &|_| {}).await
}

/// As [`run`]; `progress` is told each server's report as soon as it is done.
pub async fn run_with(
    config: &Config,
    environment: &Environment,
    options: &Options,
    progress: &(dyn Fn(&ServerReport) + Sync),
) -> Report {
    let mut report = Report::default();
    if config.servers.is_empty() {
        report
            .warnings
            .push(format!("{}: no servers", config.path.display()));
        return report;
    }
    if let Err(error) = folder::check_output(&options.output) {
        report.error = Some(error.to_string());
        return report;
    }
    let parent = config.path.parent().map(PathBuf::from).unwrap_or_default();
    let run = Arc::new(Run {
        options: options.clone(),
        runtime: OnceLock::new(),
    });
    let compiled: Vec<ServerReport> = futures::stream::iter(&config.servers)
        .map(|server| {
            let folder = parent.clone();
            let run = Arc::clone(&run);
            async move {
                let report = one(server, folder, environment, run).await;
                progress(&report);
                report
            }
        })
        .buffered(CONCURRENT)
        .collect()
        .await;
    report.servers = compiled;
    report.runtime = run.runtime.get().and_then(|it| it.clone().ok());
    // A name that is mistyped must not cost the output, and the names it locks, of the server meant.
    if options.dry_run || report.servers.iter().any(|server| server.error.is_some()) {
        return report;
    }
    let names: Vec<String> = config
        .servers
        .iter()
        .map(|server| server.name.clone())
        .collect();
    let output = options.output.clone();
    let finished = tokio::task::spawn_blocking(move || folder::finish(&output, &names)).await;
    match finished {
        Ok(Ok(finished)) => {
            report.removed = finished.removed;
            report.warnings.extend(finished.warnings);
        }
        Ok(Err(error)) => report.error = Some(error.to_string()),
        Err(error) => report.error = Some(format!("writing was interrupted: {error}")),
    }
    report
}

async fn one(
    server: &ServerConfig,
    config_folder: PathBuf,
    environment: &Environment,
    run: Arc<Run>,
) -> ServerReport {
    let mut report = ServerReport {
        server: server.name.clone(),
        ..ServerReport::default()
    };
    let loaded = match server::load(server, config_folder, environment).await {
        Ok(loaded) => loaded,
        Err(error) => {
            report.error = Some(error.to_string());
            return report;
        }
    };
    let config = server.clone();
    // Parsing and rendering are work for a processor, not for the event loop.
    let compiled = deadline::within(DEADLINE, move |gate| {
        let mut report = report;
        if let Err(error) = server::compile(&config, loaded, &run, gate, &mut report) {
            report.error = Some(error.to_string());
        }
        report
    });
    let error = match compiled.await {
        Ok(report) => return report,
        Err(Unfinished::Late) => format!(
            "`{}`: reading and rendering it took longer than {} s",
            visible(&manifest::shown(server)),
            DEADLINE.as_secs()
        ),
        Err(Unfinished::Broken) => "internal error while compiling".to_owned(),
    };
    ServerReport {
        server: server.name.clone(),
        error: Some(error),
        ..ServerReport::default()
    }
}
