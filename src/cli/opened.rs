//! A runtime with the sandbox it may connect, opened for one command and closed behind it.

use std::sync::{Arc, Mutex, PoisonError};

use super::startup::{Configured, interrupted, on_threads, state_folder};
use super::stop::{OrStop, Stop};
use crate::runtime::{Finding, Runtime, SandboxProvider};
use crate::sandbox::Sandbox;
use crate::sandbox::docker::{self, DockerSandbox};

impl Configured {
    /// Opens the runtime. No engine is needed until code is to run.
    pub(super) fn open(&self) -> Result<Opened, Stop> {
        let sandbox = Arc::new(Slot::default());
        let provider = self.provider(&sandbox);
        let runtime = Runtime::open(
            Arc::clone(&self.settings),
            self.config.as_ref(),
            &self.environment,
            provider,
        )
        .or_stop()?;
        Ok(Opened { runtime, sandbox })
    }

    /// [`Configured::open`] with layers switched off.
    #[cfg(feature = "test-hooks")]
    pub(super) fn open_with_hooks(&self, hooks: crate::runtime::Hooks) -> Result<Opened, Stop> {
        let sandbox = Arc::new(Slot::default());
        let provider = self.provider(&sandbox);
        let runtime = Runtime::open_with_hooks(
            Arc::clone(&self.settings),
            self.config.as_ref(),
            &self.environment,
            provider,
            hooks,
        )
        .or_stop()?;
        Ok(Opened { runtime, sandbox })
    }

    /// Connects to the engine and proves the sandbox when it is asked for. It stands in `slot`
    /// before the first container is made, so that whoever ends early closes that one too.
    fn provider(&self, slot: &Arc<Slot>) -> SandboxProvider {
        let settings = Arc::clone(&self.settings);
        let folder = state_folder(&self.environment);
        let slot = Arc::clone(slot);
        SandboxProvider::new(move || {
            let settings = Arc::clone(&settings);
            let folder = folder.clone();
            let slot = Arc::clone(&slot);
            async move {
                let sandbox = async {
                    let sandbox = DockerSandbox::connect(&settings, &folder).await?;
                    let sandbox = slot.put(sandbox).await?;
                    sandbox.prove().await?;
                    Ok(sandbox)
                }
                .await
                .map_err(|error: docker::Error| Finding {
                    message: error.to_string(),
                    hint: None,
                })?;
                Ok(sandbox as Arc<dyn Sandbox>)
            }
        })
    }
}

/// The sandbox that there is to close.
#[derive(Default)]
struct Slot(Mutex<Held>);

#[derive(Default)]
enum Held {
    #[default]
    Nothing,
    Sandbox(Arc<DockerSandbox>),
    /// Closed; nothing is held any more.
    Closed,
}

impl Slot {
    /// Holds a sandbox. One that came before it was not proven, and is shut down.
    async fn put(&self, sandbox: DockerSandbox) -> Result<Arc<DockerSandbox>, docker::Error> {
        let sandbox = Arc::new(sandbox);
        let before = {
            let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if matches!(*held, Held::Closed) {
                Err(Arc::clone(&sandbox))
            } else {
                Ok(std::mem::replace(
                    &mut *held,
                    Held::Sandbox(Arc::clone(&sandbox)),
                ))
            }
        };
        match before {
            Ok(Held::Sandbox(unproven)) => unproven.shutdown().await.map(|()| sandbox),
            Ok(_) => Ok(sandbox),
            Err(late) => {
                late.shutdown().await?;
                Err(docker::Error::Closed)
            }
        }
    }

    /// Holds nothing from now on.
    fn close(&self) -> Option<Arc<DockerSandbox>> {
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
