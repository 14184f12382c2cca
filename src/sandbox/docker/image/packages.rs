//! Packages that the settings add: put into an image of their own, and told from its labels.

use std::collections::HashMap;
use std::path::Path;

use super::examine::{Examination, Installed};
use super::lock::Lock;
use super::plan::{Plan, Pool};
use super::recipe::Recipe;
use super::{Base, Builder, Built, PackageError, Progress, Report, Request, pinned, run};
use crate::config::{Package, Settings};
use crate::sandbox::docker::engine::Engine;
use crate::sandbox::docker::error::{EngineContext, Error};
use crate::sandbox::docker::request::ContainerRequest;

/// The recipe.
const DOCKERFILE: &str = include_str!("../../../../templates/packages.Dockerfile");
/// The label with what an image is built on, pinned.
pub(super) const BASE: &str = "mce.base";
/// The label with the id of that.
pub(super) const BASE_ID: &str = "mce.base.id";
/// The label with the packages that were asked for.
const PACKAGES: &str = "mce.packages";
/// The label with the digest of the lock that they were installed by.
const LOCK: &str = "mce.lock";

/// The labels of an image. One without packages says so, since it inherits the labels of its base.
pub(super) fn labels(
    base: &Base,
    packages: &[Package],
    lock: Option<&Lock>,
) -> HashMap<String, String> {
    HashMap::from([
        (BASE.to_owned(), base.pinned.clone()),
        (BASE_ID.to_owned(), base.id.clone()),
        (PACKAGES.to_owned(), list(packages)),
        (LOCK.to_owned(), lock.map(Lock::digest).unwrap_or_default()),
    ])
}

fn list(packages: &[Package]) -> String {
    let texts: Vec<String> = packages.iter().map(ToString::to_string).collect();
    texts.join(" ")
}

/// Holds an image to what the settings add. An image may hold more than is asked for.
pub(in crate::sandbox::docker) async fn check_packages(
    engine: &Engine,
    image_id: &str,
    settings: &Settings,
) -> Result<(), Error> {
    if settings.sandbox_packages.is_empty() {
        return Ok(());
    }
    let found = engine
        .docker
        .inspect_image(image_id)
        .await
        .while_trying_to("inspect the sandbox image")?;
    let labels = found.config.and_then(|config| config.labels);
    let label = |name| {
        let value = labels.as_ref().and_then(|labels| labels.get(name));
        value.map_or("", String::as_str)
    };
    let asked = list(&settings.sandbox_packages);
    let differs = |difference| Error::OtherPackages {
        image: settings.docker_image.clone(),
        difference,
    };
    if label(PACKAGES) != asked {
        let holds = match label(PACKAGES) {
            "" => "it was built without any".to_owned(),
            packages => format!("it was built with `{packages}`"),
        };
        return Err(differs(format!("`{asked}`; {holds}")));
    }
    // Where the file is not deployed with the image, the image was checked when it was built.
    if let Some(lock) = Lock::read(&settings.sandbox_lock)?
        && lock.digest() != label(LOCK)
    {
        let path = settings.sandbox_lock.display();
        return Err(differs(format!(
            "`{asked}` by `{path}`, which has changed since"
        )));
    }
    Ok(())
}

/// The packages of an image, as a container of it tells.
pub(in crate::sandbox::docker) async fn installed(
    engine: &Engine,
    request: &ContainerRequest,
) -> Result<Vec<Installed>, Error> {
    let (found, _) = run::examine(engine, request, Vec::new()).await?;
    Ok(found.distributions)
}

impl Builder {
    /// Builds an image with the added packages on one that has none.
    pub(super) async fn add_packages(
        &self,
        request: &Request,
        image: &Examination,
        built: &mut Built,
        report: &mut Report<'_>,
    ) -> Result<(), Error> {
        let path = self.settings.sandbox_lock.as_path();
        let old = match Lock::read(path) {
            // It is about to be written anew.
            Err(PackageError::Lock { .. }) if request.update_lock => None,
            found => found?,
        };
        let followed = old.as_ref().filter(|_| !request.update_lock);
        let fetched;
        let folder = if let Some(folder) = &request.wheels {
            folder.as_path()
        } else {
            fetched = self
                .fetch(&built.image_id, image, followed, request, report)
                .await?;
            fetched.path()
        };
        report(Progress::Step("reading the wheels"));
        let plan = self.plan(image, folder, followed).await?;
        let mut lock = plan.lock();
        // What is installed by a lock has that lock, with its hashes for other machines.
        if let Some(old) = &old {
            lock.keep_hashes_of(old);
        }
        report(Progress::Step("adding the packages"));
        let files = plan.wheels.values().flat_map(|wheel| &wheel.files);
        let recipe = Recipe {
            tag: self.temporary("packages"),
            dockerfile: DOCKERFILE,
            base: &built.image_id,
            network: Some("none"),
            labels: labels(&built.base, &self.settings.sandbox_packages, Some(&lock)),
            folder: "packages",
            files: files
                .map(|(path, content)| (path.as_str(), content.as_slice()))
                .collect(),
        };
        built.image_id = recipe.build(&self.engine, report).await?;
        report(Progress::Step("checking the packages"));
        let base = pinned().map(|(name, _)| name.to_owned());
        let public = plan.wheels.values().flat_map(|wheel| &wheel.modules);
        let public = public.filter(|name| !name.starts_with('_')).cloned();
        let (found, imports) = self
            .examined(&built.image_id, base.chain(public).collect())
            .await?;
        check_added(&plan, &found)?;
        built.packages.clone_from(&found.distributions);
        built.warnings = found.warnings(&imports);
        if old.as_ref() != Some(&lock) {
            lock.write(path)?;
            built.lock_written = true;
        }
        Ok(())
    }

    /// Reading and unpacking take a thread of their own.
    async fn plan(
        &self,
        image: &Examination,
        folder: &Path,
        lock: Option<&Lock>,
    ) -> Result<Plan, Error> {
        let image = image.clone();
        let asked = self.settings.sandbox_packages.clone();
        let path = self.settings.sandbox_lock.clone();
        let folder = folder.to_owned();
        let lock = lock.cloned();
        let planned = tokio::task::spawn_blocking(move || {
            let pool = Pool::of(&folder)?;
            let lock = lock.as_ref().map(|lock| (path.as_path(), lock));
            Plan::make(&asked, &image, &pool, lock)
        });
        let planned = planned
            .await
            .map_err(|error| Error::Internal(error.to_string()))?;
        Ok(planned?)
    }
}

/// Every package that was to be added is there.
fn check_added(plan: &Plan, found: &Examination) -> Result<(), Error> {
    for wheel in plan.wheels.values() {
        let name = &wheel.name;
        let is_there = found.distributions.iter().any(|it| {
            it.added
                && it.name.parse().as_ref() == Ok(&name.name)
                && it.version.parse().as_ref() == Ok(&name.version)
        });
        if !is_there {
            return Err(Error::Checks {
                problems: format!("`{}=={}` is not found in it", name.name, name.version),
            });
        }
    }
    Ok(())
}
