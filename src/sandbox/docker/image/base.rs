//! What an image is built on, and the digest or id that says so for good.

use std::collections::HashMap;

use bollard::query_parameters::CreateImageOptionsBuilder;
use futures::StreamExt;

use super::packages::{BASE, BASE_ID};
use super::{Progress, Report};
use crate::sandbox::docker::engine::Engine;
use crate::sandbox::docker::error::{EngineContext, Error, is_missing, reason};

/// What an image is built on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// As it was asked for.
    pub name: String,
    /// `name@sha256:…` where a registry knows it, else the image's id.
    pub pinned: String,
    /// The image's id on this engine.
    pub id: String,
    /// Why it is not pinned by a digest of a registry, or not the image that was asked for.
    pub note: Option<String>,
}

/// What the engine knows of an image.
struct Local {
    id: String,
    digests: Vec<String>,
    labels: HashMap<String, String>,
}

/// Fetches the base, or takes the one that is here where no registry has it.
pub(super) async fn resolve(
    engine: &Engine,
    name: &str,
    report: &mut Report<'_>,
) -> Result<Base, Error> {
    let local = inspect(engine, name).await?;
    if let Some(local) = &local
        && let Some(base) = origin(engine, name, local).await?
    {
        return Ok(base);
    }
    // Without a digest it was made here; a registry could only have another image of that name.
    if let Some(local) = local.as_ref().filter(|local| local.digests.is_empty()) {
        let note = format!("`{name}` was made on this engine and is pinned by its id");
        return Ok(by_id(name, local, note));
    }
    report(Progress::Step(&format!("fetching {name}")));
    match (pull(engine, name, report).await, local) {
        (Ok(()), _) => {
            let found = inspect(engine, name).await?.ok_or(Error::Build {
                message: format!("the engine fetched `{name}` and does not have it"),
            })?;
            let own = repository(name);
            let digest = found.digests.iter().find(|digest| {
                let of = digest.split('@').next().unwrap_or_default();
                of == own || of.ends_with(&format!("/{own}"))
            });
            Ok(match digest {
                Some(digest) => Base {
                    name: name.to_owned(),
                    pinned: digest.clone(),
                    id: found.id,
                    note: None,
                },
                None => by_id(
                    name,
                    &found,
                    format!("the engine knows no digest of `{name}`, so its id pins it"),
                ),
            })
        }
        (Err(why), Some(local)) => {
            let note = format!(
                "no registry answers for `{name}` ({why}); the image of that name on this engine \
                 is taken, pinned by its id"
            );
            Ok(by_id(name, &local, note))
        }
        (Err(why), None) => Err(Error::Build {
            message: format!("the base `{name}` cannot be fetched: {why}"),
        }),
    }
}

/// An image that `mce sandbox build` made is not built on again: what that was built on is, if it
/// is still there. Else layers would pile up, with packages that nobody asks for any more.
async fn origin(engine: &Engine, name: &str, local: &Local) -> Result<Option<Base>, Error> {
    let Some(id) = local.labels.get(BASE_ID).filter(|id| !id.is_empty()) else {
        return Ok(None);
    };
    let Some(found) = inspect(engine, id).await? else {
        return Ok(None);
    };
    let recorded = local.labels.get(BASE).unwrap_or(id);
    // A digest says more than an id, where the engine still knows what it stands for.
    let known = inspect(engine, recorded).await?;
    let is_same = known.is_some_and(|known| known.id == found.id);
    let pinned = if is_same { recorded } else { &found.id };
    Ok(Some(Base {
        name: name.to_owned(),
        pinned: pinned.clone(),
        note: Some(format!(
            "`{name}` was itself built by mce; what it was built on, {pinned}, is built on again"
        )),
        id: found.id,
    }))
}

fn by_id(name: &str, local: &Local, note: String) -> Base {
    Base {
        name: name.to_owned(),
        pinned: local.id.clone(),
        id: local.id.clone(),
        note: Some(note),
    }
}

async fn inspect(engine: &Engine, name: &str) -> Result<Option<Local>, Error> {
    match engine.docker.inspect_image(name).await {
        Ok(found) => Ok(found.id.map(|id| Local {
            id,
            digests: found.repo_digests.unwrap_or_default(),
            labels: found
                .config
                .and_then(|config| config.labels)
                .unwrap_or_default(),
        })),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error).while_trying_to("look up the base image"),
    }
}

/// Fetches an image; else says why not.
async fn pull(engine: &Engine, name: &str, report: &mut Report<'_>) -> Result<(), String> {
    let tag = name.split_once('@').map(|(_, digest)| digest);
    let tag = tag.or_else(|| name_and_tag(name).map(|(_, tag)| tag));
    let options = CreateImageOptionsBuilder::new()
        .from_image(repository(name))
        .tag(tag.unwrap_or("latest"))
        .build();
    let mut steps = std::pin::pin!(engine.docker.create_image(Some(options), None, None));
    while let Some(step) = steps.next().await {
        let step = step.map_err(|error| reason(&error))?;
        if let Some(error) = step.error_detail {
            return Err(error
                .message
                .unwrap_or_else(|| "no reason given".to_owned()));
        }
        if let Some(status) = step.status {
            report(Progress::Detail(status.trim()));
        }
    }
    Ok(())
}

/// The name without tag and digest.
fn repository(reference: &str) -> &str {
    let name = reference.split('@').next().unwrap_or(reference);
    match name.rsplit_once(':') {
        // The port of a registry is no tag.
        Some((name, tag)) if !tag.contains('/') => name,
        _ => name,
    }
}

/// The name, and the tag or that which stands for none; `None` for a digest.
pub(super) fn name_and_tag(reference: &str) -> Option<(&str, &str)> {
    if reference.contains('@') {
        return None;
    }
    let name = repository(reference);
    let tag = reference
        .get(name.len()..)
        .and_then(|rest| rest.strip_prefix(':'));
    Some((name, tag.unwrap_or("latest")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_no_tag_and_a_digest_is_no_name() {
        assert_eq!(
            name_and_tag("python:3.13-slim"),
            Some(("python", "3.13-slim"))
        );
        assert_eq!(name_and_tag("python"), Some(("python", "latest")));
        assert_eq!(
            name_and_tag("host:5000/a/b"),
            Some(("host:5000/a/b", "latest"))
        );
        assert_eq!(
            name_and_tag("host:5000/a/b:1"),
            Some(("host:5000/a/b", "1"))
        );
        assert_eq!(name_and_tag("a@sha256:00"), None);
        assert_eq!(repository("host:5000/a:1@sha256:00"), "host:5000/a");
    }
}
