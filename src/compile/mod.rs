//! The pipeline from a config to `compiled/`: fetch, normalise, name, filter, render, check, write.
//!
//! [`run`] compiles every server of a config, [`check`] compares what would be compiled with what
//! is there, [`clean`] removes what was compiled, [`verify`] is the check before a compiled server
//! is used.

mod advice;
mod agree;
mod check;
mod committed;
mod deadline;
pub mod diff;
mod examine;
mod facts;
mod fingerprint;
mod folder;
mod foreign;
mod manifest;
mod origin;
mod report;
mod server;
mod shortcut;
mod skills;
mod swap;
mod tunnel;
mod verify;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use futures::{StreamExt as _, TryFutureExt as _};
use tokio::sync::Semaphore;

use self::deadline::{Gate, Unfinished};
use crate::api::Body;
use crate::config::{Config, Environment, ServerConfig};
use crate::invisible::visible;
use crate::openapi::{self, Fetched, Loaded};

pub use check::{
    CheckReport, FolderDiff, ServerCheck, Stale, check, compare_folders, compiled_servers,
};
pub use committed::{FileCheck, FileState};
pub use examine::{Examined, examine, run_examined};
pub use folder::{Cleaned, FolderError, clean, parse_manifest};
pub use report::{Reason, Report, RuntimeReport, ServerReport};
pub use skills::SKILLS_FILE;
pub use verify::{Verified, VerifyError, reread, verify};

/// The text of `mce_runtime.py`, written beside the servers' folders.
pub const RUNTIME: &str = crate::python::RUNTIME_SOURCE;
/// The name of that file.
pub const RUNTIME_FILE: &str = "mce_runtime.py";
/// The compiled module of a server.
pub const FUNCTIONS_FILE: &str = "functions.py";
/// The manifest of a server.
pub const MANIFEST_FILE: &str = "manifest.json";

/// Sources that are fetched or wait for a processor at once.
const CONCURRENT: usize = 8;
/// The time that reading and rendering one document may take.
const DEADLINE: Duration = Duration::from_secs(30);

/// How to compile.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The folder to write to, such as `./compiled`.
    pub output: PathBuf,
    /// Only these servers, by name; nothing of others is touched or removed. Empty: all.
    pub only: Vec<String>,
    /// Do everything but write.
    pub dry_run: bool,
    /// Accept a document that moves the API to another origin than the committed manifest's.
    pub accept_origin: bool,
    /// Keep mutating operations of read-only servers, so that tests can attack the next layer.
    #[cfg(feature = "test-hooks")]
    pub no_filter: bool,
}

impl Options {
    fn covers(&self, server: &ServerConfig) -> bool {
        self.only.is_empty() || self.only.contains(&server.name)
    }
}

/// How to compile, and what all servers of one run share.
#[derive(Debug)]
struct Run {
    options: Options,
    /// Written once, before the first module that imports it.
    runtime: OnceLock<Result<RuntimeReport, FolderError>>,
    /// One document for each processor, though parts of the work have a second thread: more at once
    /// would only need more memory, and time that each of them is allowed.
    processors: Semaphore,
    /// What a server is compiled from whose document was read before, by its name.
    read_before: Option<(String, Inputs)>,
}

impl Run {
    fn new(options: &Options) -> Arc<Self> {
        Self::of(options, None)
    }

    fn of(options: &Options, read_before: Option<(String, Inputs)>) -> Arc<Self> {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Arc::new(Self {
            options: options.clone(),
            runtime: OnceLock::new(),
            processors: Semaphore::new(processors),
            read_before,
        })
    }

    fn inputs_of(&self, server: &ServerConfig) -> Option<Inputs> {
        let (_, inputs) = self
            .read_before
            .as_ref()
            .filter(|(name, _)| *name == server.name)?;
        Some(inputs.clone())
    }

    fn write_runtime(&self) -> Result<RuntimeReport, FolderError> {
        let (output, dry_run) = (&self.options.output, self.options.dry_run);
        self.runtime
            .get_or_init(|| folder::write_runtime(output, dry_run))
            .clone()
    }
}

/// Compiles the servers of a config. A server that fails leaves its old output untouched and does
/// not stop the others. Output of servers that are no longer listed is removed, unless one failed,
/// the config lists none at all, only some are compiled, or nothing is to be written.
pub async fn run(config: &Config, environment: &Environment, options: &Options) -> Report {
    run_with(config, environment, options, &|_| {}).await
}

/// As [`run`]; `progress` is told each server's name as soon as it is done.
pub async fn run_with(
    config: &Config,
    environment: &Environment,
    options: &Options,
    progress: &(dyn Fn(&str) + Sync),
) -> Report {
    run_in(config, environment, Run::new(options), progress).await
}

async fn run_in(
    config: &Config,
    environment: &Environment,
    run: Arc<Run>,
    progress: &(dyn Fn(&str) + Sync),
) -> Report {
    let options = &run.options;
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
    let early = |server: &ServerConfig, fetched: &Source, run: &Run, gate: &Gate| {
        let mut report = ServerReport::default();
        let find = |output: &Path| {
            shortcut::before_reading(output, server, &fetched.document, fetched.skills.as_deref())
        };
        match server::reuse(server, find, run, gate, &mut report) {
            Ok(false) => return None,
            Ok(true) => {}
            Err(error) => report.error = Some(error.to_string()),
        }
        Some(report)
    };
    let work = |server: &ServerConfig, loaded: Inputs, run: &Run, gate: &Gate| {
        let mut report = ServerReport::default();
        if let Err(error) = server::compile(server, loaded, run, gate, &mut report) {
            report.error = Some(error.to_string());
        }
        report
    };
    let done = each_server(config, environment, &run, early, work, progress).await;
    let reports = done.into_iter().map(|done| {
        let mut report = done.outcome.unwrap_or_else(|error| ServerReport {
            error: Some(error),
            ..ServerReport::default()
        });
        report.server = done.server;
        report.load_ms = milliseconds(done.loading);
        report.compile_ms = milliseconds(done.working);
        report
    });
    report.servers = reports.collect();
    report.runtime = run.runtime.get().and_then(|it| it.clone().ok());
    let (output, names) = (options.output.clone(), names(config));
    let beside = tokio::task::spawn_blocking({
        let (output, names) = (output.clone(), names.clone());
        move || foreign::beside(&output, &names)
    });
    let beside = beside.await.unwrap_or_default();
    report
        .warnings
        .extend(beside.iter().map(|path| foreign::warning(path)));
    // A name that is mistyped must not cost the output, and the names it locks, of the server meant.
    if options.dry_run || !options.only.is_empty() || report.failed() {
        return report;
    }
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

fn names(config: &Config) -> Vec<String> {
    let names = config.servers.iter().map(|server| server.name.clone());
    names.collect()
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A document's own bytes, and the notes on its server.
struct Source {
    document: Fetched,
    skills: Option<String>,
}

/// What a server is compiled from.
#[derive(Debug, Clone)]
pub(super) struct Inputs {
    document: Loaded,
    skills: Option<String>,
}

/// What the work on one server came to.
struct Done<T> {
    server: String,
    /// Of the work, or why there is none.
    outcome: Result<T, String>,
    loading: Duration,
    working: Duration,
}

/// Loads the document of each server that is asked for, several at once, and does `work` on it,
/// one on each processor. Where `early` can tell the outcome from bytes alone, the document is not
/// read. The order is that of the config.
async fn each_server<T: Send + 'static>(
    config: &Config,
    environment: &Environment,
    run: &Arc<Run>,
    early: impl Fn(&ServerConfig, &Source, &Run, &Gate) -> Option<T> + Copy + Send + 'static,
    work: impl Fn(&ServerConfig, Inputs, &Run, &Gate) -> T + Copy + Send + 'static,
    progress: &(dyn Fn(&str) + Sync),
) -> Vec<Done<T>> {
    let folder = config.path.parent().map(PathBuf::from).unwrap_or_default();
    let servers = config.servers.iter();
    futures::stream::iter(servers.filter(|server| run.options.covers(server)))
        .map(|server| {
            let (folder, run) = (folder.clone(), Arc::clone(run));
            async move {
                let mut done = Done {
                    server: server.name.clone(),
                    outcome: Err(String::new()),
                    loading: Duration::ZERO,
                    working: Duration::ZERO,
                };
                let outcome =
                    load_and_work(server, folder, environment, run, early, work, &mut done).await;
                done.outcome = outcome;
                progress(&server.name);
                done
            }
        })
        .buffered(CONCURRENT)
        .collect()
        .await
}

/// Loads the document of one server and does `work` on it; [`each_server`] says how.
async fn load_and_work<T: Send + 'static>(
    server: &ServerConfig,
    config_folder: PathBuf,
    environment: &Environment,
    run: Arc<Run>,
    early: impl Fn(&ServerConfig, &Source, &Run, &Gate) -> Option<T> + Copy + Send + 'static,
    work: impl Fn(&ServerConfig, Inputs, &Run, &Gate) -> T + Copy + Send + 'static,
    done: &mut Done<T>,
) -> Result<T, String> {
    if let Some(inputs) = run.inputs_of(server) {
        let work =
            move |server: &ServerConfig, run: &Run, gate: &Gate| work(server, inputs, run, gate);
        return on_processor(server, &run, &mut done.working, work).await;
    }
    let begun = Instant::now();
    let request = server::request(server, config_folder.clone(), environment).await;
    let request = request.map_err(|error| error.to_string())?;
    // Side by side: notes that are slow take none of the document's time.
    let (document, skills) = tokio::try_join!(
        openapi::fetch(&request).map_err(|error| error.to_string()),
        skills::fetch(server, config_folder, environment).map_err(|error| error.to_string()),
    )?;
    let source = Source { document, skills };
    done.loading = begun.elapsed();
    let early = on_processor(server, &run, &mut done.working, move |server, run, gate| {
        let outcome = early(server, &source, run, gate);
        (source, outcome)
    });
    let source = match early.await? {
        (_, Some(outcome)) => return Ok(outcome),
        (source, None) => source,
    };
    let begun = Instant::now();
    let loaded = source.document.gather(&request).await;
    let inputs = Inputs {
        document: loaded.map_err(|error| error.to_string())?,
        skills: source.skills,
    };
    done.loading += begun.elapsed();
    let work = move |server: &ServerConfig, run: &Run, gate: &Gate| work(server, inputs, run, gate);
    on_processor(server, &run, &mut done.working, work).await
}

/// Waits for a processor and does blocking work on it: parsing and rendering are no work for the
/// event loop.
async fn on_processor<T: Send + 'static>(
    server: &ServerConfig,
    run: &Arc<Run>,
    working: &mut Duration,
    work: impl FnOnce(&ServerConfig, &Run, &Gate) -> T + Send + 'static,
) -> Result<T, String> {
    // Held here and not by the work: of work that never ends nobody waits for the end.
    let _processor = run.processors.acquire().await;
    let begun = Instant::now();
    let (config, shared) = (server.clone(), Arc::clone(run));
    let worked = deadline::within(DEADLINE, move |gate| work(&config, &shared, gate)).await;
    *working += begun.elapsed();
    worked.map_err(|unfinished| match unfinished {
        Unfinished::Late => format!(
            "`{}`: reading and rendering it took longer than {} s",
            visible(&manifest::shown(server)),
            DEADLINE.as_secs()
        ),
        Unfinished::Broken => "internal error while compiling".to_owned(),
    })
}

/// All media types that a body may be sent as, the default one first.
fn media_types(body: &Body) -> Vec<String> {
    let mut all = vec![body.content_type.clone()];
    let others = body.alternatives.iter();
    all.extend(others.map(|other| other.content_type.clone()));
    all
}
