//! The connection to a container engine.

use std::time::Duration;

use bollard::Docker;
use serde::Serialize;

use super::error::{EngineContext, Error, is_missing, reason};
use crate::config::Settings;

const DEFAULT_ADDRESS: &str = "unix:///var/run/docker.sock";
/// How long an engine may take to answer at all.
const PATIENCE: Duration = Duration::from_secs(10);

/// An engine that answers: Docker, or Podman through its Docker-compatible API.
#[derive(Debug, Clone)]
pub struct Engine {
    pub(super) docker: Docker,
    address: String,
}

/// What the engine says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineFacts {
    /// Where it listens.
    pub address: String,
    /// `Docker` or `Podman`, as it calls itself.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The version of its API.
    pub api_version: String,
    /// Whether it runs without root.
    pub rootless: bool,
    /// Whether container users are mapped to other users of the host.
    pub user_namespaces: bool,
    /// `1` or `2`.
    pub cgroup_version: Option<String>,
    /// What it warns of.
    pub warnings: Vec<String>,
}

impl Engine {
    /// Connects to the engine of the settings, else to the default socket.
    ///
    /// # Errors
    /// [`Error::Address`] and [`Error::Unreachable`].
    pub async fn connect(settings: &Settings) -> Result<Self, Error> {
        let address = settings
            .docker_host
            .clone()
            .unwrap_or_else(|| DEFAULT_ADDRESS.to_owned());
        let supported = ["unix://", "tcp://", "http://"];
        if !supported.iter().any(|scheme| address.starts_with(scheme)) {
            return Err(Error::Address { address });
        }
        let unreachable = |error: bollard::errors::Error| Error::Unreachable {
            address: address.clone(),
            reason: reason(&error),
        };
        let docker = Docker::connect_with_host(&address).map_err(unreachable)?;
        let answer = tokio::time::timeout(PATIENCE, async {
            let docker = docker.negotiate_version().await?;
            docker.ping().await?;
            Ok(docker)
        });
        match answer.await {
            Ok(docker) => Ok(Self {
                docker: docker.map_err(unreachable)?,
                address,
            }),
            Err(_) => Err(Error::Unreachable {
                address,
                reason: format!("nothing came within {} seconds", PATIENCE.as_secs()),
            }),
        }
    }

    /// Where the engine listens.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Whether the engine shares this machine's `/proc`, as far as its address tells.
    pub(super) fn is_local(&self) -> bool {
        self.address.starts_with("unix://")
    }

    /// What the engine says of itself.
    ///
    /// # Errors
    /// [`Error::Engine`].
    pub async fn facts(&self) -> Result<EngineFacts, Error> {
        let version = self
            .docker
            .version()
            .await
            .while_trying_to("give its version")?;
        let info = self
            .docker
            .info()
            .await
            .while_trying_to("describe itself")?;
        let options = info.security_options.unwrap_or_default();
        let has = |name: &str| options.iter().any(|option| option.contains(name));
        let podman = version
            .components
            .iter()
            .flatten()
            .any(|component| component.name.to_ascii_lowercase().contains("podman"));
        Ok(EngineFacts {
            address: self.address.clone(),
            name: if podman { "Podman" } else { "Docker" }.to_owned(),
            version: version.version.unwrap_or_default(),
            api_version: version.api_version.unwrap_or_default(),
            rootless: has("name=rootless"),
            user_namespaces: has("name=userns"),
            cgroup_version: info.cgroup_version.map(|version| version.to_string()),
            warnings: info.warnings.unwrap_or_default(),
        })
    }

    /// The id of an image that exists on the engine.
    ///
    /// # Errors
    /// [`Error::ImageMissing`]; it is never pulled.
    pub async fn image_id(&self, image: &str) -> Result<String, Error> {
        match self.docker.inspect_image(image).await {
            Ok(found) => found
                .id
                .ok_or_else(|| Error::Internal(format!("the image `{image}` has no id"))),
            Err(error) if is_missing(&error) => Err(Error::ImageMissing {
                image: image.to_owned(),
            }),
            Err(error) => Err(error).while_trying_to("look up the sandbox image"),
        }
    }
}
