//! One execution from code to result; the registry of compiled servers; code cache; audit.
//!
//! - [`Runtime`]: everything one process needs to answer, whatever the transport.
//! - `policy`: the guard's policy, where a file gives it.
//! - `registry`, `load`: the compiled servers, checked before their first use.
//! - `execution`: size → guard → lint → sandbox → answer → audit; `answer`: redaction and caps;
//!   `rerun`: what is kept in the cache, and run again from it.
//! - `queue`, `sessions`: who runs when, and what is kept between executions.
//! - `discovery`, `excerpt`: what there is to call.
//! - `searched`, `docstrings`: what of a manifest and its module is searched.
//! - `cache`, `audit`, `database`: two SQLite files.

use std::path::Path;
use std::sync::Arc;

use crate::broker::Recorder;
use crate::config::{Config, Environment, ServerConfig, Settings};
use crate::guard::Guard;

mod admission;
mod answer;
mod audit;
mod brokered;
mod cache;
mod clock;
mod database;
mod discovery;
mod docstrings;
mod egress;
mod engine;
mod excerpt;
mod execution;
mod identifier;
mod lint;
mod load;
mod policy;
mod preview;
mod queue;
mod registry;
mod rerun;
mod result;
mod searched;
mod sessions;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod scenarios;

pub use cache::remove_code_cache;
pub use database::Error as DatabaseError;
pub use database::IN_MEMORY;
pub use discovery::{
    FunctionAnswer, FunctionDetail, FunctionName, FunctionProblem, FunctionsAnswer, InlineFunction,
    RefusedServer, ServerSummary, ServersPage, UnknownCursor,
};
pub use docstrings::descriptions;
pub use egress::{Egress, Targets};
pub use engine::{Finding, SandboxProvider};
pub use execution::{CachedRequest, CallRequest, ExecuteRequest, SessionChoice, runtime_module};
pub use lint::{LINT_RULES, LintRule};
pub use policy::{PolicyFileError, guard_of, unguarded};
pub use registry::compiled_folders;
pub use result::{CallSummary, ErrorType, ExecutionResult, PlannedUse};
pub use searched::search_document;

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

/// Everything one process needs to answer.
pub struct Runtime {
    settings: Arc<Settings>,
    guard: Guard,
    registry: registry::Registry,
    engine: engine::Engine,
    queue: queue::Queue,
    sessions: sessions::Sessions,
    egress: Arc<dyn Egress>,
    audit: Arc<audit::Audit>,
    cache: Option<cache::Cache>,
    linter: Option<lint::Linter>,
    switches: Switches,
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
        let guard = guard_of(&settings)?;
        let audit = Arc::new(audit::Audit::open(
            &settings.audit_db_path,
            settings.audit_max_rows,
        )?);
        let cache = if settings.cache_enabled {
            Some(cache::Cache::open(
                &settings.cache_db_path,
                settings.cache_ttl,
                settings.cache_max_entries,
            )?)
        } else {
            None
        };
        let linter = settings
            .lint_enabled
            .then(|| lint::Linter::new(environment));
        #[cfg(feature = "test-hooks")]
        let load = if switches.no_load_check {
            load::read_unchecked
        } else {
            load::check
        };
        #[cfg(not(feature = "test-hooks"))]
        let load = load::check;
        let registry = registry::Registry::find(&settings, config, load);
        let recorder: Arc<dyn Recorder> = audit.clone();
        let egress = egress(&registry.configs(), recorder);
        Ok(Arc::new(Self {
            queue: queue::Queue::new(&settings),
            sessions: sessions::Sessions::new(&settings),
            settings,
            guard,
            registry,
            engine: engine::Engine::new(sandbox),
            egress,
            audit,
            cache,
            linter,
            switches,
        }))
    }

    /// Connects the sandbox, checks all compiled servers and asks for ruff, so that the first request need not
    /// wait for them. Meant to run beside a server.
    pub async fn warm_up(&self) {
        let check = self
            .registry
            .servers(self.registry.names().map(str::to_owned).collect());
        let prepare = async {
            check.await;
            self.egress.prepare(&self.registry.targets()).await;
        };
        // What goes wrong is logged, and told to whoever asks for it.
        let lint = async {
            if let Some(linter) = &self.linter {
                linter.program().await;
            }
        };
        let _ = tokio::join!(self.engine.sandbox(), prepare, lint);
    }

    /// Ends all sessions and writes everything that is still queued. Executions should have ended.
    pub async fn shutdown(&self) {
        self.sessions.close();
        self.audit.flush().await;
        if let Some(cache) = &self.cache {
            cache.flush().await;
        }
    }
}
