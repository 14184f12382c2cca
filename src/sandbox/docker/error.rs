//! What can be wrong with an engine, an image or a container.

use std::path::PathBuf;

use super::image::PackageError;
use super::proof::Finding;

/// Why there is no container to run code in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing answers where the engine should be.
    #[error(
        "no container engine answers: {}; start Docker or Podman, or set `MCE_DOCKER_HOST`",
        tried(.places)
    )]
    Unreachable {
        /// Every place that was tried, in turn.
        places: Vec<Tried>,
    },
    /// An address of a kind that is not supported.
    #[error(
        "the engine address `{address}` is not supported; expected `unix:///path/to/socket`, \
         `ssh://user@host`, `tcp://host:port` or `https://host:port`, without a password"
    )]
    Address {
        /// The address given.
        address: String,
    },
    /// Another machine without encryption.
    #[error(
        "the engine address `{address}` leads to another machine and is not encrypted: whoever is \
         on the way could read what runs and rule the engine; use `ssh://user@host`, or TLS \
         (`DOCKER_TLS_VERIFY=1`, with the certificates in `DOCKER_CERT_PATH`)"
    )]
    ClearText {
        /// The address given.
        address: String,
    },
    /// What Docker's client keeps of its contexts cannot be used.
    #[error(
        "cannot tell where the engine is from `{}`: {reason}; `MCE_DOCKER_HOST` goes before it",
        path.display()
    )]
    Context {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The image does not exist on the engine. It is never pulled by itself.
    #[error(
        "the sandbox image `{image}` does not exist on the engine; check \
         `MCE_DOCKER_IMAGE` if you set it, or build the image with `mce sandbox build`, where no \
         registry answers with `--base` and an image that the engine has"
    )]
    ImageMissing {
        /// The image as the settings name it.
        image: String,
    },
    /// The image could not be built.
    #[error(
        "building the sandbox image failed: {message}; where no registry answers, `--base` names an \
         image of Python that the engine has, `--wheels` a folder with the packages, and \
         `scripts/engine` of the source tree builds it from this system; where the engine's network \
         leads nowhere, `--network` takes another"
    )]
    Build {
        /// What the engine said.
        message: String,
    },
    /// Podman of another machine, which does not see this one's files.
    #[error(
        "Podman takes the sandbox's seccomp profile from a file only, and the one at `{address}` \
         does not share this machine's files: use its socket here, or Docker"
    )]
    RemotePodman {
        /// Its address.
        address: String,
    },
    /// An image was built and is not as it must be. It does not get the name.
    #[error("the image is not as it must be: {problems}")]
    Checks {
        /// What is wrong with it.
        problems: String,
    },
    /// Packages cannot be added.
    #[error(transparent)]
    Packages(#[from] PackageError),
    /// The image does not hold what the settings ask for.
    #[error(
        "the sandbox image `{image}` does not hold the packages that `MCE_SANDBOX_PACKAGES` asks \
         for, {difference}; run `mce sandbox build`"
    )]
    OtherPackages {
        /// The image as the settings name it.
        image: String,
        /// What was asked for, and what is there.
        difference: String,
    },
    /// The engine refused or failed a request.
    #[error("the engine failed to {action}: {message}")]
    Engine {
        /// What was asked of it.
        action: &'static str,
        /// What it said.
        message: String,
    },
    /// The engine does not know the runtime that the settings name.
    #[error(
        "the engine has no runtime `{runtime}`: {message}; `docker info` lists those it has, \
         `MCE_DOCKER_RUNTIME` names one"
    )]
    Runtime {
        /// The runtime as the settings name it.
        runtime: String,
        /// What the engine said.
        message: String,
    },
    /// The container started, but what runs in it does not answer as it should.
    #[error("the container did not report for duty: {reason}")]
    Start {
        /// What came instead.
        reason: String,
    },
    /// The container is not what was asked for. Nothing runs in it.
    #[error("the container is not isolated as required: {}", summary(.findings))]
    NotProven {
        /// The checks that failed.
        findings: Vec<Finding>,
    },
    /// The sandbox was shut down.
    #[error("the sandbox is shut down; nothing is started any more")]
    Closed,
    /// The folder for lock files cannot be used.
    #[error("cannot use the state folder `{}`: {source}", path.display())]
    State {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A fault of MCE.
    #[error("internal error: {0}")]
    Internal(String),
}

/// A place where no engine answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// Its address.
    pub address: String,
    /// Why it was tried.
    pub source: String,
    /// What came instead of an answer.
    pub reason: String,
}

fn tried(places: &[Tried]) -> String {
    let texts: Vec<String> = places
        .iter()
        .map(|place| {
            format!(
                "nothing at `{}` ({}): {}",
                place.address, place.source, place.reason
            )
        })
        .collect();
    texts.join("; ")
}

fn summary(findings: &[Finding]) -> String {
    let texts: Vec<String> = findings
        .iter()
        .map(|finding| {
            format!(
                "{}: expected {}, found {}",
                finding.check, finding.expected, finding.found
            )
        })
        .collect();
    texts.join("; ")
}

/// Names what was asked of the engine when it fails.
pub(super) trait EngineContext<T> {
    /// The error of this module.
    fn while_trying_to(self, action: &'static str) -> Result<T, Error>;
}

impl<T> EngineContext<T> for Result<T, bollard::errors::Error> {
    fn while_trying_to(self, action: &'static str) -> Result<T, Error> {
        self.map_err(|error| Error::Engine {
            action,
            message: reason(&error),
        })
    }
}

/// Whether the engine says that it does not know the runtime it was asked for.
pub(super) fn unknown_runtime(error: Error, runtime: Option<&str>) -> Error {
    match (error, runtime) {
        (Error::Engine { message, .. }, Some(runtime))
            if message.contains("runtime") && message.contains(runtime) =>
        {
            Error::Runtime {
                runtime: runtime.to_owned(),
                message,
            }
        }
        (error, _) => error,
    }
}

/// The engine's own words where it has some, else the chain of causes.
pub(super) fn reason(error: &bollard::errors::Error) -> String {
    if let bollard::errors::Error::DockerResponseServerError { message, .. } = error {
        return excerpt(message.trim());
    }
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// Whether the engine answered, with a refusal that will be the same the next time.
pub(super) fn is_answer(error: &bollard::errors::Error) -> bool {
    matches!(
        error,
        bollard::errors::Error::DockerResponseServerError { status_code, .. }
            if (400..500).contains(status_code) && *status_code != 409
    )
}

/// The beginning and the end of a long text: some engines repeat what they were sent.
fn excerpt(text: &str) -> String {
    const SIDE: usize = 400;
    let characters = text.chars().count();
    if characters <= 2 * SIDE {
        return text.to_owned();
    }
    let begin: String = text.chars().take(SIDE).collect();
    let end: String = text.chars().skip(characters - SIDE).collect();
    format!("{begin} … {end}")
}

/// Whether the engine answered that the thing named does not exist.
pub(super) fn is_missing(error: &bollard::errors::Error) -> bool {
    matches!(
        error,
        bollard::errors::Error::DockerResponseServerError {
            status_code: 404,
            ..
        }
    )
}
