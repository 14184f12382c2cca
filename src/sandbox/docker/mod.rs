//! The container sandbox: Docker or Podman through the Engine API.
//!
//! A fresh container for every execution, or for every `session` of executions: created with every
//! constraint of `request`, proven from inside and outside ([`Proof`]), given the code over the
//! attached `stream`, killed and removed afterwards. A `pool` holds some that are started and proven,
//! and wait for code. Nothing falls back to anything weaker.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;

mod address;
mod cgroup;
mod container;
mod discover;
mod engine;
mod error;
pub mod image;
mod ownership;
mod place;
mod podman;
mod pool;
mod proof;
mod request;
mod session;
mod ssh;
mod stream;
mod transport;
mod verdict;
#[cfg(feature = "test-hooks")]
mod weakness;

pub use engine::{Engine, EngineFacts, EngineKind};
pub use error::{Error, Tried};
pub use image::Installed;
pub use proof::{Finding, Proof};
#[cfg(feature = "test-hooks")]
pub use weakness::Weakness;

use super::running::{Afterwards, CallLimits, execute_in};
use super::{Failure, FailureKind, Host, Job, Module, Outcome, Sandbox, Session};
use crate::config::Settings;
use container::Keeper;
use ownership::Instance;
use pool::{Plan, Pool};
use request::ContainerRequest;
use session::DockerSession;

/// Runs code in containers.
#[derive(Clone)]
pub struct DockerSandbox {
    keeper: Arc<Keeper>,
    pool: Arc<Pool>,
    image: String,
    image_id: String,
}

/// What `mce sandbox status` shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The engine.
    pub engine: EngineFacts,
    /// The image as the settings name it.
    pub image: String,
    /// The image's id, to which the name was resolved once.
    pub image_id: String,
    /// The packages in the image, sorted by name.
    pub packages: Vec<Installed>,
    /// The checks of a container that was started for this.
    pub proof: Proof,
}

impl DockerSandbox {
    /// Connects to the engine, resolves the image to its id, and removes what dead processes of
    /// this machine left behind. `state_dir` holds the lock that says this process is alive.
    /// Must be called within a tokio runtime, which also removes the containers.
    ///
    /// # Errors
    /// [`Error::Unreachable`], [`Error::ImageMissing`] and their like, each with what to do.
    pub async fn connect(settings: &Settings, state_dir: &Path) -> Result<Self, Error> {
        Self::connect_with(settings, state_dir, Vec::new()).await
    }

    /// As [`DockerSandbox::connect`], with modules that each container has imported before it is
    /// given any code: a job that brings the same ones need not wait for them.
    ///
    /// # Errors
    /// As for [`DockerSandbox::connect`].
    pub async fn connect_with(
        settings: &Settings,
        state_dir: &Path,
        modules: Vec<Module>,
    ) -> Result<Self, Error> {
        let engine = Engine::connect(settings).await?;
        let (image_id, processors) =
            tokio::join!(engine.image_id(&settings.docker_image), engine.processors());
        let image_id = image_id?;
        image::check_packages(&engine, &image_id, settings).await?;
        let environment = image::environment(&engine, &image_id).await?;
        let instance = Instance::new(state_dir)?;
        match instance.sweep(&engine).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "removed containers of processes that are gone"),
            Err(error) => tracing::warn!(%error, "looking for left-over containers failed"),
        }
        let request = ContainerRequest::new(settings, image_id.clone(), instance.labels());
        let request = podman::adapted(request, &engine, state_dir)?;
        let plan = Plan::new(settings, processors.unwrap_or_default());
        let call_limits = CallLimits {
            at_once: settings.max_concurrent_calls.max(1),
            max_bytes: settings.max_request_bytes,
        };
        // Beside those that run: as many on their way out, those of sessions and those that wait, and
        // one for the proof.
        let most = settings.max_concurrent_executions.saturating_mul(2);
        let most = most.saturating_add(settings.sessions.most + plan.size + 1);
        let keeper = Arc::new(Keeper::new(
            engine,
            request,
            environment,
            instance,
            modules,
            call_limits,
            most,
        ));
        Ok(Self {
            pool: Pool::new(Arc::clone(&keeper), plan),
            keeper,
            image: settings.docker_image.clone(),
            image_id,
        })
    }

    /// Starts a container and runs every check on it. It is kept for the first execution.
    ///
    /// # Errors
    /// [`Error::NotProven`] with the checks that failed, or why no container started.
    pub async fn prove(&self) -> Result<Proof, Error> {
        self.pool.prove().await
    }

    /// How many containers are started, proven and unused.
    #[must_use]
    pub fn ready(&self) -> usize {
        self.pool.ready()
    }

    /// The engine, the image and the checks of a container, whatever they found.
    ///
    /// # Errors
    /// Why no container started.
    pub async fn status(&self) -> Result<Status, Error> {
        Ok(Status {
            engine: self.keeper.engine().facts().await?,
            image: self.image.clone(),
            image_id: self.image_id.clone(),
            proof: self.keeper.examine().await?,
            packages: self.packages().await,
        })
    }

    /// What cannot be looked into is none the worse for running code.
    async fn packages(&self) -> Vec<Installed> {
        match image::installed(self.keeper.engine(), self.keeper.request()).await {
            Ok(packages) => packages,
            Err(error) => {
                tracing::warn!(%error, "the packages of the image cannot be told");
                Vec::new()
            }
        }
    }

    /// The exact requests that make a container: `create`, then `update` before code is handed
    /// over.
    #[must_use]
    pub fn inspect(&self) -> serde_json::Value {
        let request = self.keeper.request();
        serde_json::json!({ "create": request.body(), "update": request.quota() })
    }

    /// Removes every container of this process and waits until they are gone.
    ///
    /// # Errors
    /// [`Error::Engine`]; what is left then is removed by the next process.
    pub async fn shutdown(&self) -> Result<(), Error> {
        self.pool.close();
        self.keeper.close().await
    }
}

impl std::fmt::Debug for DockerSandbox {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut fields = formatter.debug_struct("DockerSandbox");
        fields.field("image_id", &self.image_id);
        fields.finish_non_exhaustive()
    }
}

#[async_trait]
impl Sandbox for DockerSandbox {
    fn name(&self) -> &'static str {
        "docker"
    }

    async fn run(&self, job: Job, host: Arc<dyn Host>) -> Outcome {
        match self.pool.take().await {
            Ok(mut started) => {
                let (outcome, _) = execute_in(&mut started, &job, host, Afterwards::Ends).await;
                started.end_later();
                outcome
            }
            Err(error) => Outcome::not_started(unavailable(&error)),
        }
    }

    async fn open(&self) -> Result<Box<dyn Session>, Failure> {
        match self.pool.take().await {
            Ok(started) => Ok(Box::new(DockerSession::new(started))),
            Err(error) => Err(unavailable(&error)),
        }
    }

    fn expect(&self) {
        self.pool.expect();
    }

    fn ready(&self) -> usize {
        self.pool.ready()
    }
}

/// Why there is no container to run code in.
fn unavailable(error: &Error) -> Failure {
    let kind = match error {
        Error::Internal(_) => FailureKind::Internal,
        _ => FailureKind::Sandbox,
    };
    Failure {
        kind,
        message: error.to_string(),
        traceback: None,
        hint: Some("`mce sandbox status` shows what is wrong".to_owned()),
    }
}
