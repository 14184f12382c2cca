//! One execution from code to result; the registry of compiled servers; code cache; audit.
//!
//! - [`Runtime`]: everything one process needs to answer, whatever the transport.
//! - `registry`, `load`: the compiled servers, checked before their first use; `view`: those of them
//!   that a caller may use; `catalogue`, `searched`, `docstrings`: what lists and search know of them.
//! - `discovery`, `excerpt`: what there is to call; `skills`: notes on servers.
//! - `execution`: `admission` (size, `policy`, guard, `lint`) → `engine` → `answer`, `result`,
//!   `preview` (redaction and caps) → audit; `rerun`: what is kept in the cache, and run again from
//!   it; `cached_code`: finding it.
//! - `calling`, `promoted`: functions that are called without code.
//! - `egress`, `brokered`: how calls get out.
//! - `queue`, `sessions`: who runs when, and what is kept between executions; `stage`: how far one is.
//! - `hints`, `repeats`: what to do about what failed.
//! - `cache`, `audit`, `kept` (results too large to inline), `database`, `private_file`: three SQLite
//!   files; `counters`, `spans`: what happened, in numbers and as spans.
//! - `notices`: what happened to servers, for who follows it; `own_thread`: work that gives its memory back.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::{broadcast, watch};

use crate::broker::Recorder;
use crate::config::{Config, Environment, ServerConfig, Settings};
use crate::guard::Guard;

mod admission;
mod answer;
mod audit;
mod brokered;
mod cache;
mod cached_code;
mod calling;
mod catalogue;
mod clock;
mod counters;
mod database;
mod discovery;
mod docstrings;
mod egress;
mod engine;
mod excerpt;
mod execution;
mod hints;
mod identifier;
mod kept;
mod lint;
mod load;
mod notices;
mod own_thread;
mod policy;
mod preview;
mod private_file;
mod promoted;
mod queue;
mod registry;
mod repeats;
mod rerun;
mod result;
mod searched;
mod sessions;
mod skills;
mod spans;
mod stage;
mod view;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod scenarios;

pub use audit::{
    AuditFilter, AuditReader, AuditedCall, AuditedDetail, AuditedExecution, AuditedRefusal,
    LogError as AuditLogError, look_at_audit,
};
pub use cache::{look_at_code_cache, remove_code_cache};
pub use cached_code::CachedCode;
pub use calling::CallRequest;
pub use counters::{DURATION_CLASSES, Durations, Snapshot};
pub use database::DatabaseState;
pub use database::Error as DatabaseError;
pub use database::IN_MEMORY;
pub use discovery::{
    FoundFunction, FunctionAnswer, FunctionDetail, FunctionName, FunctionProblem, FunctionsAnswer,
    InlineFunction, RefusedServer, SearchAnswer, SearchError, SearchRequest, ServerSummary,
    ServersPage, TypeAnswer, TypeDetail, UnknownCursor,
};
pub use docstrings::descriptions;
pub use egress::{Egress, Targets};
pub use engine::{Finding, SandboxProvider};
pub use execution::{CachedRequest, ExecuteRequest, SessionChoice, runtime_module};
pub use kept::{KeptResult, PIECE_BYTES, RESULT_URI, ResultPiece, look_at_results};
pub use lint::{LINT_RULES, LintRule};
pub use notices::{Event, Notice, Notices};
pub use policy::{PolicyFileError, guard_of, unguarded};
pub use promoted::PromotedFunction;
pub use queue::Client;
pub use registry::{compiled_folders, served_names};
pub use result::{CallSummary, ErrorType, ExecutionResult, PlannedUse};
pub use searched::search_document;
pub use skills::{Skills, SkillsPage};
pub use stage::{Stage, Stages};

/// Time between two looks for results that are kept too long.
const CLEAN_INTERVAL: Duration = Duration::from_mins(1);

/// Time between two looks at the folder of compiled output.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// The principal of a process that serves its own user (stdio, command line).
pub const LOCAL_PRINCIPAL: &str = "local";

/// Why a [`Runtime`] cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A database cannot be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The guard's policy is not valid.
    #[error(transparent)]
    Policy(#[from] PolicyFileError),
    /// The audit cannot be written as it should be.
    #[error(transparent)]
    AuditLog(#[from] AuditLogError),
}

/// Layers that tests switch off, one at a time, to attack the next one alone.
#[cfg(feature = "test-hooks")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one independent switch for each layer"
)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Hooks {
    /// The guard's verdict is ignored; its facts are still used.
    pub no_guard: bool,
    /// Code may call servers it did not import.
    pub no_import_rule: bool,
    /// Compiled files are used unchecked.
    pub no_load_check: bool,
    /// The broker's read-only rule is off.
    pub no_broker_rule: bool,
}

/// `Hooks` as the rest of the module sees them, with or without the feature.
#[cfg_attr(
    feature = "test-hooks",
    expect(
        clippy::struct_excessive_bools,
        reason = "one independent switch for each layer"
    )
)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Switches {
    no_guard: bool,
    no_import_rule: bool,
    #[cfg(feature = "test-hooks")]
    no_load_check: bool,
    #[cfg(feature = "test-hooks")]
    no_broker_rule: bool,
}

#[cfg(feature = "test-hooks")]
impl From<Hooks> for Switches {
    fn from(hooks: Hooks) -> Self {
        Self {
            no_guard: hooks.no_guard,
            no_import_rule: hooks.no_import_rule,
            no_load_check: hooks.no_load_check,
            no_broker_rule: hooks.no_broker_rule,
        }
    }
}

/// Everything one process needs to answer. [`Runtime::seen_by`] makes others that share it.
#[derive(Clone)]
pub struct Runtime {
    settings: Arc<Settings>,
    guard: Arc<Guard>,
    registry: view::View,
    catalogue: Arc<catalogue::Catalogue>,
    engine: Arc<engine::Engine>,
    queue: queue::Queue,
    sessions: sessions::Sessions,
    egress: Arc<dyn Egress>,
    audit: Arc<audit::Audit>,
    cache: Option<Arc<cache::Cache>>,
    kept: Arc<kept::Kept>,
    repeats: Arc<repeats::Repeats>,
    linter: Option<Arc<lint::Linter>>,
    switches: Switches,
    counters: Arc<counters::Counters>,
    /// Counts the changes of the catalogue.
    changes: Arc<watch::Sender<u64>>,
    notices: broadcast::Sender<notices::Notice>,
    /// Who of its principal asks.
    client: Client,
}

impl Runtime {
    /// Opens the databases and finds the compiled servers. Nothing is connected, fetched or checked
    /// yet: see [`Runtime::warm_up`].
    ///
    /// `settings.swagger_config_file` says whether the config was chosen (by `--config` or
    /// `MCE_SWAGGER_CONFIG_FILE`) rather than found in a usual place: only then does it bound what
    /// a chosen `MCE_COMPILED_OUTPUT_DIR` serves.
    ///
    /// # Errors
    /// A database cannot be opened, or `MCE_GUARD_POLICY` names no valid policy.
    pub fn open(
        settings: Arc<Settings>,
        config: Option<&Config>,
        environment: &Arc<Environment>,
        sandbox: SandboxProvider,
    ) -> Result<Arc<Self>, Error> {
        Self::open_brokered(settings, config, environment, sandbox, Switches::default())
    }

    /// [`Runtime::open`] with layers switched off.
    ///
    /// # Errors
    /// As [`Runtime::open`].
    #[cfg(feature = "test-hooks")]
    pub fn open_with_hooks(
        settings: Arc<Settings>,
        config: Option<&Config>,
        environment: &Arc<Environment>,
        sandbox: SandboxProvider,
        hooks: Hooks,
    ) -> Result<Arc<Self>, Error> {
        Self::open_brokered(settings, config, environment, sandbox, hooks.into())
    }

    fn open_brokered(
        settings: Arc<Settings>,
        config: Option<&Config>,
        environment: &Arc<Environment>,
        sandbox: SandboxProvider,
        switches: Switches,
    ) -> Result<Arc<Self>, Error> {
        let for_broker = Arc::clone(&settings);
        let config_folder = config
            .and_then(|config| config.path.parent())
            .map(Path::to_owned)
            .unwrap_or_default();
        Self::assemble(
            settings,
            config,
            environment,
            sandbox,
            switches,
            |servers, recorder| {
                let brokered = brokered::Brokered::new(
                    servers,
                    environment,
                    recorder,
                    &for_broker,
                    &config_folder,
                );
                #[cfg(feature = "test-hooks")]
                let brokered = brokered.with_hooks(crate::broker::Hooks {
                    no_import_rule: switches.no_import_rule,
                    no_broker_rule: switches.no_broker_rule,
                });
                Arc::new(brokered)
            },
        )
    }

    /// Puts the parts together around any way to reach APIs.
    fn assemble(
        settings: Arc<Settings>,
        config: Option<&Config>,
        environment: &Environment,
        sandbox: SandboxProvider,
        switches: Switches,
        egress: impl FnOnce(&[Arc<ServerConfig>], Arc<dyn Recorder>) -> Arc<dyn Egress>,
    ) -> Result<Arc<Self>, Error> {
        let guard = Arc::new(guard_of(&settings)?);
        let audit = Arc::new(audit::Audit::open(&settings)?);
        let cache = if settings.cache_enabled {
            Some(Arc::new(cache::Cache::open(
                &settings.cache_db_path,
                settings.cache_ttl,
                settings.cache_max_entries,
            )?))
        } else {
            None
        };
        let linter = settings
            .lint_enabled
            .then(|| Arc::new(lint::Linter::new(environment)));
        #[cfg(feature = "test-hooks")]
        let load = if switches.no_load_check {
            load::read_unchecked
        } else {
            load::check
        };
        #[cfg(not(feature = "test-hooks"))]
        let load = load::check;
        let registry = view::View::of_all(registry::Registry::find(&settings, config, load));
        let recorder: Arc<dyn Recorder> = audit.clone();
        let egress = egress(&registry.configs(), recorder);
        let catalogue = Arc::new(catalogue::Catalogue::new(
            settings.compiled_output_dir.clone(),
            registry.names().map(str::to_owned).collect(),
        ));
        Ok(Arc::new(Self {
            queue: queue::Queue::new(&settings),
            sessions: sessions::Sessions::new(&settings),
            kept: Arc::new(kept::Kept::new(&settings.results)),
            repeats: Arc::default(),
            settings,
            guard,
            registry,
            catalogue,
            engine: Arc::new(engine::Engine::new(sandbox)),
            egress,
            audit,
            cache,
            linter,
            switches,
            counters: Arc::default(),
            changes: Arc::default(),
            notices: broadcast::Sender::new(notices::KEPT),
            client: Client::default(),
        }))
    }

    /// The same runtime as one client sees it, who may use `servers` only (`None`: all). Others do not
    /// exist for it: not in answers, not for code.
    #[must_use]
    pub fn seen_by(&self, client: Client, servers: Option<&BTreeSet<String>>) -> Arc<Self> {
        let registry = match servers {
            Some(servers) => self.registry.only(servers),
            None => self.registry.clone(),
        };
        Arc::new(Self {
            registry,
            client,
            ..self.clone()
        })
    }

    /// The same runtime as clients see it: why a server is refused they are told without the paths of
    /// this host.
    #[must_use]
    pub fn for_clients(&self) -> Arc<Self> {
        Arc::new(Self {
            registry: self.registry.for_clients(),
            ..self.clone()
        })
    }

    /// Connects the sandbox and proves it.
    ///
    /// # Errors
    /// Why code cannot run.
    pub async fn prove(&self) -> Result<(), Finding> {
        self.engine.sandbox().await.map(|_| ())
    }

    /// What happened so far, and what is going on.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let (places, free, waiting) = self.queue.numbers();
        Snapshot {
            places,
            free_places: free,
            waiting,
            ready: self.engine.ready(),
            ..self.counters.snapshot()
        }
    }

    /// Says that there are other servers or functions than before: clients are told.
    pub fn catalogue_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Follows [`Runtime::catalogue_changed`]; what happened before is not seen.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Connects the sandbox, checks all compiled servers and asks for ruff, so that the first request need not
    /// wait for them. Meant to run beside a server.
    pub async fn warm_up(&self) {
        let check = async {
            self.catalogue.searchable().await;
            for name in self.registry.names() {
                // What is refused is logged, and told to whoever asks for it.
                if let Some(served) = self.examine(name).await {
                    let targets = self.registry.targets_with([&served]);
                    self.egress.prepare(&targets).await;
                }
            }
            self.egress.prepare(&self.registry.targets()).await;
        };
        let lint = async {
            if let Some(linter) = &self.linter {
                linter.program().await;
            }
        };
        let _ = tokio::join!(self.engine.sandbox(), check, lint);
    }

    /// Removes results whose time is over.
    async fn clean(&self) {
        if let Err(error) = self.kept.clean(SystemTime::now()).await {
            tracing::error!(%error, "results that are kept cannot be read");
        }
    }

    /// Checks a server, unless it was checked before, and tells who follows where it is refused.
    async fn examine(&self, name: &str) -> Option<Arc<registry::Served>> {
        match self.registry.examine(name).await? {
            Ok(served) => Some(served),
            Err(refused) => {
                self.notify(name, Event::Refused(refused.for_clients().to_owned()));
                None
            }
        }
    }

    /// Notices what is compiled anew while this runs, and removes what is kept too long. Meant to run
    /// beside a server; it does not end by itself.
    pub async fn watch(self: Arc<Self>) {
        let mut told = Vec::new();
        let mut interval = tokio::time::interval(WATCH_INTERVAL);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut cleaned: Option<Instant> = None;
        loop {
            interval.tick().await;
            if cleaned.is_none_or(|cleaned| cleaned.elapsed() > CLEAN_INTERVAL) {
                self.clean().await;
                cleaned = Some(Instant::now());
            }
            let runtime = Arc::clone(&self);
            let looking = tokio::task::spawn_blocking(move || runtime.registry.refresh());
            let Ok(changes) = looking.await else { continue };
            for name in &changes.servers {
                self.registry.forget(name).await;
                tracing::info!(server = name, "a server was compiled anew");
            }
            for name in &changes.new {
                if !told.contains(name) {
                    tracing::warn!(server = name, "a new server is not served before a restart");
                    told.push(name.clone());
                }
            }
            if !changes.servers.is_empty() {
                self.catalogue.renew().await;
                // What is refused is listed as refused, whether or not anybody asks for it.
                for name in &changes.servers {
                    self.notify(name, Event::Changed);
                    self.examine(name).await;
                }
                self.catalogue_changed();
            }
        }
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Ends all sessions and writes everything that is still queued. Executions should have ended.
    pub async fn shutdown(&self) {
        self.sessions.close();
        self.audit.flush().await;
        if let Some(cache) = &self.cache {
            cache.flush().await;
        }
        self.kept.flush().await;
        let lost = self.audit.lost();
        if lost > 0 {
            tracing::error!(lost, "the audit is not whole: rows could not be written");
        }
    }

    /// How many rows of the audit could not be written so far: the disk was full, or too slow.
    #[must_use]
    pub fn audit_losses(&self) -> usize {
        self.audit.lost()
    }
}
