//! A runtime with the sandbox it may connect, opened for one command and closed behind it.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::output::absolute;
use super::startup::{Configured, interrupted, on_threads, state_folder};
use super::stop::Stop;
use crate::compile::MANIFEST_FILE;
use crate::config::{SandboxChoice, SandboxMode, Settings};
use crate::runtime::{Finding, IN_MEMORY, Runtime, SandboxProvider, runtime_module};
use crate::sandbox::Sandbox;
use crate::sandbox::docker::{self, DockerSandbox};
#[cfg(feature = "embedded")]
use crate::sandbox::embedded::EmbeddedSandbox;

impl Configured {
    /// Opens the runtime for one execution. No engine is needed until code is to run.
    pub(super) fn open(&self) -> Result<Opened, Stop> {
        // Containers that are held ready are of use to who comes after, and so are results that are
        // kept.
        let mut settings = self.settings_to_open();
        Arc::make_mut(&mut settings).results.most_bytes = 0;
        self.open_in(SandboxMode::Cold, Callers::Own, settings)
    }

    /// Opens the runtime for whoever may come.
    pub(super) fn open_to_serve(&self, callers: Callers) -> Result<Opened, Stop> {
        self.open_in(self.settings.sandbox_mode, callers, self.settings_to_open())
    }

    fn open_in(
        &self,
        mode: SandboxMode,
        callers: Callers,
        settings: Arc<Settings>,
    ) -> Result<Opened, Stop> {
        let sandbox = Arc::new(Slot::default());
        let provider = self.provider(&sandbox, mode, callers);
        let runtime = Runtime::open(settings, self.config.as_ref(), &self.environment, provider)?;
        Ok(Opened { runtime, sandbox })
    }

    /// Why there is nothing to call: neither a config nor compiled output. `None` where there is.
    pub(super) fn nothing_here(&self) -> Option<String> {
        let folder = &self.settings.compiled_output_dir;
        let holds_manifest = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.is_ok_and(|entry| entry.path().join(MANIFEST_FILE).is_file())
        };
        let is_empty =
            !std::fs::read_dir(folder).is_ok_and(|entries| entries.into_iter().any(holds_manifest));
        let found = match &self.config {
            None => {
                "no config here (looked for ./swaggers.yaml, ./config/swaggers.yaml)".to_owned()
            }
            Some(config) if config.servers.is_empty() => {
                format!("no servers in {}", absolute(&config.path).display())
            }
            Some(_) => return None,
        };
        is_empty.then(|| {
            format!(
                "{found} and nothing compiled in {}",
                absolute(folder).display()
            )
        })
    }

    /// The settings, where nothing is here without files: whoever is in the wrong folder wants no
    /// databases there.
    fn settings_to_open(&self) -> Arc<Settings> {
        let mut settings = Arc::clone(&self.settings);
        if self.nothing_here().is_some() && self.environment.get("MCE_AUDIT_DB_PATH").is_none() {
            let changed = Arc::make_mut(&mut settings);
            changed.audit_db_path = IN_MEMORY.into();
            changed.cache_enabled = false;
            changed.results.db_path = IN_MEMORY.into();
        }
        settings
    }

    /// [`Configured::open`] with layers switched off.
    #[cfg(feature = "test-hooks")]
    pub(super) fn open_with_hooks(&self, hooks: crate::runtime::Hooks) -> Result<Opened, Stop> {
        let sandbox = Arc::new(Slot::default());
        let provider = self.provider(&sandbox, SandboxMode::Cold, Callers::Own);
        let runtime = Runtime::open_with_hooks(
            self.settings_to_open(),
            self.config.as_ref(),
            &self.environment,
            provider,
            hooks,
        )?;
        Ok(Opened { runtime, sandbox })
    }

    /// Connects and proves the sandbox when it is asked for. It stands in `slot` before the first
    /// container or worker is made, so that whoever ends early closes that one too.
    fn provider(&self, slot: &Arc<Slot>, mode: SandboxMode, callers: Callers) -> SandboxProvider {
        let mut settings = Arc::clone(&self.settings);
        Arc::make_mut(&mut settings).sandbox_mode = mode;
        let folder = state_folder(&self.environment);
        let slot = Arc::clone(slot);
        SandboxProvider::new(move || {
            let settings = Arc::clone(&settings);
            let folder = folder.clone();
            let slot = Arc::clone(&slot);
            async move {
                match settings.sandbox {
                    SandboxChoice::Docker => containers(&settings, &folder, &slot).await,
                    SandboxChoice::Embedded => embedded(&settings, &slot).await,
                    SandboxChoice::Auto => match containers(&settings, &folder, &slot).await {
                        Err(lacking) if lacking.has_no_engine && callers == Callers::Own => {
                            let chosen = embedded(&settings, &slot).await;
                            chosen.map_err(|other| other.beside(&lacking))
                        }
                        chosen => chosen,
                    },
                }
                .map_err(|lacking| lacking.finding)
            }
        })
    }
}

/// Whose code runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Callers {
    /// That of whoever started the process.
    Own,
    /// That of clients over the network: what it runs in is not chosen for the operator.
    Network,
}

/// Why there is no sandbox of a kind.
struct Lacking {
    finding: Finding,
    /// Whether no engine answers, or it has no image: where containers were never to be had, nothing
    /// that was proven once gives way to anything else.
    has_no_engine: bool,
}

impl Lacking {
    /// The reason for which there is no other one either.
    fn beside(self, other: &Self) -> Self {
        Self {
            finding: Finding {
                message: format!("{}\n{}", other.finding.message, self.finding.message),
                hint: other.finding.hint.clone(),
            },
            has_no_engine: true,
        }
    }
}

impl From<docker::Error> for Lacking {
    fn from(error: docker::Error) -> Self {
        Self {
            has_no_engine: matches!(
                error,
                docker::Error::Unreachable { .. } | docker::Error::ImageMissing { .. }
            ),
            finding: Finding {
                message: error.to_string(),
                hint: None,
            },
        }
    }
}

/// Containers, with what all compiled modules import imported.
async fn containers(
    settings: &Settings,
    folder: &Path,
    slot: &Slot,
) -> Result<Arc<dyn Sandbox>, Lacking> {
    let modules = vec![runtime_module()];
    let sandbox = DockerSandbox::connect_with(settings, folder, modules).await?;
    let sandbox = Arc::new(sandbox);
    slot.put(Connected::Containers(Arc::clone(&sandbox)))
        .await?;
    sandbox.prove().await?;
    Ok(sandbox)
}

/// Worker processes.
#[cfg(feature = "embedded")]
async fn embedded(settings: &Settings, slot: &Slot) -> Result<Arc<dyn Sandbox>, Lacking> {
    let lacking = |error: crate::sandbox::embedded::Error| Lacking {
        finding: Finding {
            message: error.to_string(),
            hint: None,
        },
        has_no_engine: false,
    };
    let sandbox = Arc::new(EmbeddedSandbox::new(settings, &program()?).map_err(lacking)?);
    slot.put(Connected::Workers(Arc::clone(&sandbox))).await?;
    sandbox.prove().await.map_err(lacking)?;
    tracing::info!("code runs in worker processes of mce");
    Ok(sandbox)
}

/// This program: on Linux the file that runs, in whose place there may be another since.
#[cfg(feature = "embedded")]
pub(super) fn this_program() -> std::io::Result<std::path::PathBuf> {
    let running = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && running.exists() {
        return Ok(running.to_owned());
    }
    std::env::current_exe()
}

#[cfg(feature = "embedded")]
fn program() -> Result<std::path::PathBuf, Lacking> {
    this_program().map_err(|error| Lacking {
        finding: Finding {
            message: format!("the system does not tell where this program is: {error}"),
            hint: None,
        },
        has_no_engine: false,
    })
}

#[cfg(not(feature = "embedded"))]
#[expect(
    clippy::unused_async,
    reason = "of the same form as where there are workers"
)]
async fn embedded(_: &Settings, _: &Slot) -> Result<Arc<dyn Sandbox>, Lacking> {
    Err(Lacking {
        finding: Finding {
            message: "this build of mce has no embedded sandbox".to_owned(),
            hint: None,
        },
        has_no_engine: false,
    })
}

/// A sandbox that there is to close.
#[derive(Clone)]
enum Connected {
    Containers(Arc<DockerSandbox>),
    #[cfg(feature = "embedded")]
    Workers(Arc<EmbeddedSandbox>),
}

impl Connected {
    async fn shutdown(self) -> Result<(), docker::Error> {
        match self {
            Self::Containers(sandbox) => sandbox.shutdown().await,
            #[cfg(feature = "embedded")]
            Self::Workers(sandbox) => {
                sandbox.shutdown().await;
                Ok(())
            }
        }
    }
}

/// The sandbox that there is to close.
#[derive(Default)]
struct Slot(Mutex<Held>);

#[derive(Default)]
enum Held {
    #[default]
    Nothing,
    Sandbox(Connected),
    /// Closed; nothing is held any more.
    Closed,
}

impl Slot {
    /// Holds a sandbox. One that came before it was not proven, and is shut down.
    async fn put(&self, sandbox: Connected) -> Result<(), docker::Error> {
        let before = {
            let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if matches!(*held, Held::Closed) {
                Err(sandbox)
            } else {
                Ok(std::mem::replace(&mut *held, Held::Sandbox(sandbox)))
            }
        };
        match before {
            Ok(Held::Sandbox(unproven)) => {
                if let Err(error) = unproven.shutdown().await {
                    tracing::warn!(%error, "containers may be left; the next start removes them");
                }
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(late) => {
                late.shutdown().await?;
                Err(docker::Error::Closed)
            }
        }
    }

    /// Holds nothing from now on.
    fn close(&self) -> Option<Connected> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *held, Held::Closed) {
            Held::Sandbox(sandbox) => Some(sandbox),
            Held::Nothing | Held::Closed => None,
        }
    }
}

/// A runtime, and the sandbox it connected, if it did.
pub(super) struct Opened {
    runtime: Arc<Runtime>,
    sandbox: Arc<Slot>,
}

impl Opened {
    /// Runs `work` until it ends or a signal asks to end; then whatever was started is ended and
    /// whatever is queued is written.
    pub(super) fn run<T, Work>(self, work: impl FnOnce(Arc<Runtime>) -> Work) -> Result<T, Stop>
    where
        Work: Future<Output = Result<T, Stop>>,
    {
        on_threads(async {
            let work = work(Arc::clone(&self.runtime));
            let outcome = tokio::select! {
                outcome = work => outcome,
                () = interrupted() => Err(Stop::Interrupted),
            };
            self.close().await;
            outcome
        })
    }

    /// [`Opened::run`] for work that minds signals itself.
    pub(super) fn run_to_its_end<T, Work>(
        self,
        work: impl FnOnce(Arc<Runtime>) -> Work,
    ) -> Result<T, Stop>
    where
        Work: Future<Output = Result<T, Stop>>,
    {
        on_threads(async {
            let outcome = work(Arc::clone(&self.runtime)).await;
            self.close().await;
            outcome
        })
    }

    async fn close(&self) {
        self.runtime.shutdown().await;
        if let Some(sandbox) = self.sandbox.close()
            && let Err(error) = sandbox.shutdown().await
        {
            tracing::warn!(%error, "containers may be left; the next start removes them");
        }
    }
}
