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
        "no container engine answers at `{address}` ({reason}); start Docker or Podman, or \
         set `MCE_DOCKER_HOST`"
    )]
    Unreachable {
        /// The address tried.
        address: String,
        /// What came instead of an answer.
        reason: String,
    },
    /// An address of a kind that is not supported.
    #[error(
        "the engine address `{address}` is not supported; expected `unix:///path/to/socket`, \
         `tcp://host:port` or `http://host:port`"
    )]
    Address {
        /// The address given.
        address: String,
    },
    /// The image does not exist on the engine. It is never pulled by itself.
    #[error(
        "the sandbox image `{image}` does not exist on the engine; check \
         `MCE_DOCKER_IMAGE` if you set it, or build the image with `mce sandbox build`"
    )]
    ImageMissing {
        /// The image as the settings name it.
        image: String,
    },
    /// The image could not be built.
    #[error(
        "building the sandbox image failed: {message}; where no registry answers, \
         `scripts/engine` of the source tree builds it without one; where the engine's network \
         leads nowhere, `--network` takes another"
    )]
    Build {
        /// What the engine said.
        message: String,
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

/// The engine's own words where it has some, else the chain of causes.
pub(super) fn reason(error: &bollard::errors::Error) -> String {
    if let bollard::errors::Error::DockerResponseServerError { message, .. } = error {
        return message.trim().to_owned();
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
