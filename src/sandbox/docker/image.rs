//! The sandbox image: built from `templates/Dockerfile` by the engine, on request only.

use std::collections::HashMap;

use bollard::query_parameters::BuildImageOptionsBuilder;
use futures::StreamExt;

use super::engine::Engine;
use super::error::{EngineContext, Error, reason};

/// The recipe.
const DOCKERFILE: &str = include_str!("../../../templates/Dockerfile");
/// What the image is built on unless asked otherwise.
pub const DEFAULT_BASE: &str = "python:3.13-slim";

/// Builds the sandbox image under the name `image` and returns its id. The engine fetches `base`
/// if it does not have it, and the packages, so both a registry and PyPI must answer; a base that
/// already holds the packages needs neither. `progress` is given one line at a time.
///
/// # Errors
/// [`Error::Build`] with what the engine said.
pub async fn build(
    engine: &Engine,
    image: &str,
    base: &str,
    mut progress: impl FnMut(&str),
) -> Result<String, Error> {
    let context = context().map_err(|error| Error::Internal(error.to_string()))?;
    let options = BuildImageOptionsBuilder::new()
        .dockerfile("Dockerfile")
        .t(image)
        .rm(true)
        .forcerm(true)
        .buildargs(&HashMap::from([("BASE", base)]))
        .build();
    let body = bollard::body_full(context.into());
    let mut steps = std::pin::pin!(engine.docker.build_image(options, None, Some(body)));
    while let Some(step) = steps.next().await {
        let step = step.map_err(|error| Error::Build {
            message: reason(&error),
        })?;
        if let Some(error) = step.error_detail {
            let message = error
                .message
                .unwrap_or_else(|| "no reason given".to_owned());
            return Err(Error::Build { message });
        }
        for line in [step.stream, step.status].iter().flatten() {
            let line = line.trim();
            if !line.is_empty() {
                progress(line);
            }
        }
    }
    engine.image_id(image).await
}

/// The variables that an image sets in its containers.
pub(super) async fn environment(engine: &Engine, image_id: &str) -> Result<Vec<String>, Error> {
    let found = engine
        .docker
        .inspect_image(image_id)
        .await
        .while_trying_to("inspect the sandbox image")?;
    Ok(found
        .config
        .and_then(|config| config.env)
        .unwrap_or_default())
}

/// The build context: the recipe and an empty `site/`, so that the packages are fetched.
fn context() -> std::io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut file = tar::Header::new_gnu();
    file.set_size(DOCKERFILE.len() as u64);
    file.set_mode(0o644);
    archive.append_data(&mut file, "Dockerfile", DOCKERFILE.as_bytes())?;
    let mut folder = tar::Header::new_gnu();
    folder.set_entry_type(tar::EntryType::Directory);
    folder.set_size(0);
    folder.set_mode(0o755);
    archive.append_data(&mut folder, "site/", std::io::empty())?;
    archive.into_inner()
}
