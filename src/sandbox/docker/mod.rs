//! The container sandbox: Docker or Podman through the Engine API.
//!
//! A fresh container for every execution: created with every constraint of `request`, proven
//! from inside and outside ([`Proof`]), given the code over the attached stream, killed and
//! removed afterwards. Nothing falls back to anything weaker.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use serde::Serialize;

mod cgroup;
mod container;
mod engine;
mod error;
mod execution;
pub mod image;
mod output;
mod ownership;
mod proof;
mod request;
mod verdict;

pub use engine::{Engine, EngineFacts};
pub use error::Error;
pub use image::Installed;
pub use proof::{Finding, Proof};

use super::{Failure, FailureKind, Host, Job, Outcome, Sandbox};
use crate::config::Settings;
use container::{CallLimits, Keeper};
use ownership::Instance;
use request::ContainerRequest;

/// Runs code in containers.
#[derive(Debug, Clone)]
pub struct DockerSandbox {
    keeper: Arc<Keeper>,
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
        let engine = Engine::connect(settings).await?;
        let image_id = engine.image_id(&settings.docker_image).await?;
        image::check_packages(&engine, &image_id, settings).await?;
        let environment = image::environment(&engine, &image_id).await?;
        let instance = Instance::new(state_dir)?;
        match instance.sweep(&engine).await {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "removed containers of processes that are gone"),
            Err(error) => tracing::warn!(%error, "looking for left-over containers failed"),
        }
        let request = ContainerRequest::new(settings, image_id.clone(), instance.labels());
        Ok(Self {
            keeper: Arc::new(Keeper::new(
                engine,
                request,
                environment,
                instance,
                CallLimits {
                    at_once: settings.max_concurrent_calls.max(1),
                    max_bytes: settings.max_request_bytes,
                },
                // Beside those that run: as many on their way out, and one for the proof.
                settings
                    .max_concurrent_executions
                    .saturating_mul(2)
                    .saturating_add(1),
            )),
            image: settings.docker_image.clone(),
            image_id,
        })
    }

    /// Starts a container, runs every check on it and removes it.
    ///
    /// # Errors
    /// [`Error::NotProven`] with the checks that failed, or why no container started.
    pub async fn prove(&self) -> Result<Proof, Error> {
        Ok(self.keeper.start().await?.proof)
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
        self.keeper.close().await
    }
}

#[async_trait]
impl Sandbox for DockerSandbox {
    fn name(&self) -> &'static str {
        "docker"
    }

    async fn run(&self, job: Job, host: Arc<dyn Host>) -> Outcome {
        match self.keeper.start().await {
            Ok(started) => execution::execute(started, job, host).await,
            Err(error) => {
                let kind = match error {
                    Error::Internal(_) => FailureKind::Internal,
                    _ => FailureKind::Sandbox,
                };
                Outcome {
                    result: Err(Failure {
                        kind,
                        message: error.to_string(),
                        traceback: None,
                        hint: Some("`mce sandbox status` shows what is wrong".to_owned()),
                    }),
                    prints: String::new(),
                    stderr: String::new(),
                    truncated: false,
                    elapsed: std::time::Duration::ZERO,
                }
            }
        }
    }
}
