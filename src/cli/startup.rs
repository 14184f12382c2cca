//! From arguments as they were typed to what subcommands work with, in one step.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::stop::{OrStop, Stop};
use super::{Global, logging};
use crate::config::{self, Config, Environment, ServerConfig, Settings};
use crate::runtime::compiled_folders;
use crate::sandbox::docker::{self, DockerSandbox};
pub(super) use crate::signals::asked_to_stop as interrupted;

/// What every subcommand starts from.
pub(super) struct Startup {
    /// The settings, the config not considered.
    pub(super) settings: Settings,
    /// The variables of this process and those of the env file that need no config.
    pub(super) environment: Environment,
    env_file: Option<PathBuf>,
}

/// A config, and the environment with the variables it names.
pub(super) struct Configured {
    /// The config; `None` where there is no file and none was asked for.
    pub(super) config: Option<Config>,
    /// The settings, knowing whether the config was chosen or found.
    pub(super) settings: Arc<Settings>,
    /// The environment.
    pub(super) environment: Arc<Environment>,
    /// The env file, if any.
    pub(super) env_file: Option<PathBuf>,
}

impl Startup {
    /// Reads the environment and the settings, and starts logging; with `answers`, what goes wrong
    /// with a server is left to the answer unless the log level is set.
    pub(super) fn new(global: &Global, answers: bool) -> Result<Self, Stop> {
        let usual = if answers {
            "mce::runtime=error,mce::vault=error"
        } else {
            ""
        };
        Self::with_levels(global, usual)
    }

    /// The same for a command that tells everything itself: nothing is logged unless that is asked for.
    pub(super) fn quiet(global: &Global) -> Result<Self, Stop> {
        Self::with_levels(global, "off")
    }

    /// `levels` count beside the default log level, and not where one is set.
    fn with_levels(global: &Global, levels: &str) -> Result<Self, Stop> {
        let process = Environment::from_process();
        let no_colour = process.get("NO_COLOR").is_some_and(|it| !it.is_empty());
        logging::know_colours(no_colour);
        let usual = Path::new(".env");
        let file = global
            .env_file
            .as_deref()
            .or_else(|| usual.is_file().then_some(usual));
        let environment = match file {
            Some(path) => process.with_env_file(path, |_| false).or_stop()?.0,
            None => process,
        };
        let (settings, _) = Settings::from_environment(&environment).or_stop()?;
        let mut filter = settings.log_level.clone();
        let is_set = ["MCE_LOG_LEVEL", "MCP_BRIDGE_LOG_LEVEL"]
            .iter()
            .any(|name| environment.get(name).is_some_and(|it| !it.is_empty()));
        if !levels.is_empty() && !is_set {
            filter = match levels {
                "off" => "off".to_owned(),
                levels => format!("{filter},{levels}"),
            };
        }
        logging::start(global.log_format, &filter, no_colour, &environment)?;
        Ok(Self {
            settings,
            environment,
            env_file: global.env_file.clone(),
        })
    }

    /// The config: `--config`, `MCE_SWAGGER_CONFIG_FILE` or one in a usual place.
    pub(super) fn configured(&self, explicit: Option<&Path>) -> Result<Configured, Stop> {
        let opened = config::open(
            Environment::from_process(),
            explicit,
            self.env_file.as_deref(),
        )
        .or_stop()?;
        for warning in &opened.warnings {
            tracing::warn!("{warning}");
        }
        let usual = || Some(PathBuf::from(".env")).filter(|it| it.is_file());
        Ok(Configured {
            env_file: self.env_file.clone().or_else(usual),
            ..Configured::new(opened, explicit)
        })
    }
}

impl Startup {
    /// Connects to the engine.
    pub(super) async fn connect(&self) -> Result<DockerSandbox, docker::Error> {
        DockerSandbox::connect(&self.settings, &self.state_folder()).await
    }

    /// Where processes of this user say that they are alive.
    pub(super) fn state_folder(&self) -> PathBuf {
        state_folder(&self.environment)
    }
}

impl Configured {
    /// What was opened; `explicit` is the config where it was chosen.
    pub(super) fn new(opened: config::Opened, explicit: Option<&Path>) -> Self {
        let mut settings = opened.settings;
        if let Some(path) = explicit {
            settings.swagger_config_file = Some(path.to_owned());
        }
        Self {
            config: opened.config,
            settings: Arc::new(settings),
            environment: Arc::new(opened.environment),
            env_file: None,
        }
    }

    /// The servers of the config; without one those of the folder.
    pub(super) fn servers(&self) -> Vec<Arc<ServerConfig>> {
        match &self.config {
            Some(config) => config.servers.iter().cloned().map(Arc::new).collect(),
            None => compiled_folders(&self.settings.compiled_output_dir)
                .unwrap_or_default()
                .into_iter()
                .map(|name| {
                    Arc::new(ServerConfig {
                        name,
                        ..ServerConfig::default()
                    })
                })
                .collect(),
        }
    }

    /// Takes another folder for compiled servers than the settings say.
    pub(super) fn set_output(&mut self, folder: &Path) {
        folder.clone_into(&mut Arc::make_mut(&mut self.settings).compiled_output_dir);
    }
}

/// Where processes of this user say that they are alive.
pub(super) fn state_folder(environment: &Environment) -> PathBuf {
    let folder = |name, below: &str| {
        let value = environment.get(name).filter(|it| !it.is_empty())?;
        Some(Path::new(value).join(below))
    };
    folder("XDG_STATE_HOME", "mce")
        .or_else(|| folder("HOME", ".local/state/mce"))
        .unwrap_or_else(|| std::env::temp_dir().join("mce-state"))
}

/// Runs a future until it ends or a signal asks to end.
pub(super) fn block_on<T>(future: impl Future<Output = Result<T, Stop>>) -> Result<T, Stop> {
    on_threads(async {
        tokio::select! {
            outcome = future => outcome,
            () = interrupted() => Err(Stop::Interrupted),
        }
    })
}

/// Threads beside the workers, for files and the like: as many as any command needs.
const BLOCKING: usize = 2;

/// Whether the system allows so many threads more. The runtime has no error for one that it cannot
/// start, and may wait for it for ever.
fn can_start(threads: usize) -> io::Result<()> {
    let gate = Mutex::new(());
    std::thread::scope(|scope| {
        // Nobody fails with it in hand.
        let _held = gate.lock();
        for _ in 0..threads {
            std::thread::Builder::new().spawn_scoped(scope, || drop(gate.lock()))?;
        }
        Ok(())
    })
}

pub(super) fn on_threads<T>(future: impl Future<Output = Result<T, Stop>>) -> Result<T, Stop> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    can_start(workers + BLOCKING).or_stop_with("cannot start the threads that calls need")?;
    let threads = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .or_stop_with("cannot start the threads that calls need")?;
    let outcome = threads.block_on(future);
    // A thread that waits for input which never comes must not keep the process alive.
    threads.shutdown_timeout(Duration::from_secs(5));
    outcome
}
