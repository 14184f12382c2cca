//! The connection to a container engine.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use bollard::Docker;
use bollard::models::SystemVersion;
use serde::Serialize;

use super::address::{Address, shown};
use super::discover::{Candidate, places};
use super::error::{EngineContext, Error, Tried, is_missing, reason};
use super::transport::client;
use crate::config::Settings;

/// How long an engine may take to answer at all. Nobody waits for one that is not there.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long one that answered before may take to show that it is still there.
const STILL_THERE: Duration = Duration::from_secs(10);

/// An engine that answers: Docker, or Podman through its Docker-compatible API.
#[derive(Debug, Clone)]
pub struct Engine {
    pub(super) docker: Docker,
    address: String,
    found_by: String,
    is_local: bool,
    /// Whether its socket belongs to another user than root. Podman does not say that it is
    /// rootless where Docker does.
    is_of_a_user: bool,
    kind: EngineKind,
}

/// Which engine it is: Podman takes some of the API in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum EngineKind {
    /// Docker, or what is like it in all that matters here.
    Docker,
    /// Podman.
    Podman,
}

impl fmt::Display for EngineKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Docker => "Docker",
            Self::Podman => "Podman",
        })
    }
}

/// What the engine says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineFacts {
    /// Where it listens.
    pub address: String,
    /// Why it was looked for there.
    pub found_by: String,
    /// Which it is.
    pub name: EngineKind,
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
    /// Connects to the engine that the settings or Docker's own client name. Where nobody names
    /// one, to the first that answers in the usual places.
    ///
    /// # Errors
    /// [`Error::Unreachable`] with what was tried, and for what was said of the engine and is of no
    /// use [`Error::Address`], [`Error::ClearText`] and [`Error::Context`].
    pub async fn connect(settings: &Settings) -> Result<Self, Error> {
        let variables = &settings.engine_variables;
        #[cfg(unix)]
        let user = Some(rustix::process::getuid().as_raw());
        #[cfg(not(unix))]
        let user = None;
        let ours = settings.docker_host.as_deref();
        let mut tried = Vec::new();
        for place in places(ours, variables, user, Path::new("/"))? {
            let greeted = match client(&place.address, variables) {
                Ok(docker) => Self::greet(docker, &place).await,
                Err(reason) => Err(reason),
            };
            match greeted {
                Ok(engine) => return Ok(engine),
                Err(reason) => tried.push(Tried {
                    address: shown(&place.text),
                    source: place.reason,
                    reason,
                }),
            }
        }
        Err(Error::Unreachable { places: tried })
    }

    /// Waits for an answer; what came instead is the error.
    async fn greet(docker: Docker, place: &Candidate) -> Result<Self, String> {
        let answer = tokio::time::timeout(PATIENCE, async {
            let docker = docker.negotiate_version().await?;
            let version = docker.version().await?;
            Ok((docker, version))
        });
        match answer.await {
            Ok(Ok((docker, version))) => Ok(Self {
                kind: kind(&version),
                docker,
                address: shown(&place.text),
                found_by: place.reason.clone(),
                is_local: place.address.is_local(),
                is_of_a_user: is_of_a_user(&place.address),
            }),
            Ok(Err(error)) => Err(reason(&error)),
            Err(_) => Err(format!(
                "nothing came within {} seconds",
                PATIENCE.as_secs()
            )),
        }
    }

    /// Where the engine listens.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Which engine it is.
    #[must_use]
    pub fn kind(&self) -> EngineKind {
        self.kind
    }

    /// Whether the engine shares this machine's `/proc`, as far as its address tells.
    pub(super) fn is_local(&self) -> bool {
        self.is_local
    }

    /// Whether the engine is still there.
    pub(super) async fn answers(&self) -> bool {
        let answer = tokio::time::timeout(STILL_THERE, self.docker.ping()).await;
        matches!(answer, Ok(Ok(_)))
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
        Ok(EngineFacts {
            address: self.address.clone(),
            found_by: self.found_by.clone(),
            name: kind(&version),
            version: version.version.unwrap_or_default(),
            api_version: version.api_version.unwrap_or_default(),
            rootless: has("name=rootless") || self.is_of_a_user,
            user_namespaces: has("name=userns"),
            cgroup_version: info.cgroup_version.map(|version| version.to_string()),
            warnings: info.warnings.unwrap_or_default(),
        })
    }

    /// How many processors the machine of the engine has, where it says so.
    pub(super) async fn processors(&self) -> Option<usize> {
        let processors = self.docker.info().await.ok()?.ncpu?;
        usize::try_from(processors).ok()
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

#[cfg(unix)]
fn is_of_a_user(address: &Address) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    match address {
        Address::Unix(socket) => std::fs::metadata(socket).is_ok_and(|socket| socket.uid() != 0),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_of_a_user(_: &Address) -> bool {
    false
}

fn kind(version: &SystemVersion) -> EngineKind {
    let mut components = version.components.iter().flatten();
    if components.any(|component| component.name.to_ascii_lowercase().contains("podman")) {
        EngineKind::Podman
    } else {
        EngineKind::Docker
    }
}
