//! A runtime with the sandbox it may connect, opened for one command and closed behind it.

use std::sync::{Arc, OnceLock};

use super::startup::{Configured, interrupted, on_threads, state_folder};
use super::stop::{OrStop, Stop};
use crate::runtime::{Finding, Runtime, SandboxProvider};
use crate::sandbox::Sandbox;
use crate::sandbox::docker::{self, DockerSandbox};

impl Configured {
    /// Opens the runtime. No engine is needed until code is to run.
    pub(super) fn open(&self) -> Result<Opened, Stop> {
        let sandbox = Arc::new(OnceLock::new());
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
        let sandbox = Arc::new(OnceLock::new());
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

    /// Connects to the engine and proves the sandbox when it is asked for, and leaves it in
    /// `slot` so that it can be closed.
    fn provider(&self, slot: &Arc<OnceLock<Arc<DockerSandbox>>>) -> SandboxProvider {
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
                    sandbox.prove().await?;
                    Ok(Arc::new(sandbox))
                }
                .await
                .map_err(|error: docker::Error| Finding {
                    message: error.to_string(),
                    hint: None,
                })?;
                // Asked again only after a failure, so there is none in it.
                let _ = slot.set(Arc::clone(&sandbox));
                Ok(sandbox as Arc<dyn Sandbox>)
            }
        })
    }
}

/// A runtime, and the sandbox it connected, if it did.
pub(super) struct Opened {
    runtime: Arc<Runtime>,
    sandbox: Arc<OnceLock<Arc<DockerSandbox>>>,
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
        if let Some(sandbox) = self.sandbox.get()
            && let Err(error) = sandbox.shutdown().await
        {
            tracing::warn!(%error, "containers may be left; the next start removes them");
        }
    }
}
