//! The sandbox image: built by the engine, on request only.
//!
//! A build is a line of steps: the base, pinned (`base`); the image on it by
//! `templates/Dockerfile` (`recipe`); what a container of that tells (`examine`); where packages
//! are added, their wheels (`fetch`, else a folder), which of them are installed (`plan`, by the
//! `lock`), and a second image that holds them. Only an image that was found to be right gets the
//! name that the settings give.

mod base;
mod error;
mod examine;
mod fetch;
mod lock;
mod packages;
mod plan;
mod recipe;
mod requirement;
mod run;
mod tags;
mod wheel;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bollard::query_parameters::{RemoveImageOptionsBuilder, TagImageOptionsBuilder};

pub use base::Base;
pub use error::PackageError;
pub use examine::{GUARDED, Installed};
pub(super) use packages::{check_packages, installed};

use super::engine::Engine;
use super::error::{EngineContext, Error};
use super::ownership::Instance;
use super::request::ContainerRequest;
use crate::config::Settings;
use examine::{Examination, Imports, pinned};
use recipe::Recipe;

/// The recipe.
const DOCKERFILE: &str = include_str!("../../../../templates/Dockerfile");
/// What the image is built on unless asked otherwise.
pub const DEFAULT_BASE: &str = "python:3.13-slim";

/// How often is looked for what appears after a build was given up.
const LATE_LOOKS: u32 = 10;

/// What to build.
#[derive(Debug, Clone)]
pub struct Request {
    /// What the image is built on.
    pub base: String,
    /// The network of what fetches packages; the engine's default where absent.
    pub network: Option<String>,
    /// A folder with the wheels of added packages; where absent, pip fetches them in a container.
    pub wheels: Option<PathBuf>,
    /// Whether the lock file is written anew.
    pub update_lock: bool,
}

/// How far a build is.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// A step begins.
    Step(&'a str),
    /// What the engine, or a program in a container, says on the way.
    Detail(&'a str),
}

/// Is told how far a build is.
pub type Report<'a> = dyn FnMut(Progress<'_>) + Send + 'a;

/// An image that was built, checked and named.
#[derive(Debug, Clone)]
pub struct Built {
    /// Its name.
    pub image: String,
    /// Its id.
    pub image_id: String,
    /// What it is built on.
    pub base: Base,
    /// Its version of Python.
    pub python: String,
    /// The packages in it, sorted by name.
    pub packages: Vec<Installed>,
    /// Whether the lock file was written.
    pub lock_written: bool,
    /// What is worth knowing.
    pub warnings: Vec<String>,
}

/// Builds images. [`Builder::clean`] is to be called in the end, however a build ends.
#[derive(Debug)]
pub struct Builder {
    engine: Engine,
    settings: Settings,
    instance: Instance,
    /// A build has begun and not ended. The engine still does what it was asked for last when the
    /// request is dropped.
    is_under_way: AtomicBool,
}

impl Builder {
    /// Connects to the engine. `state_dir` holds the lock that says this process is alive.
    ///
    /// # Errors
    /// [`Error::Unreachable`] and its like.
    pub async fn connect(settings: &Settings, state_dir: &Path) -> Result<Self, Error> {
        Ok(Self {
            engine: Engine::connect(settings).await?,
            settings: settings.clone(),
            instance: Instance::new(state_dir)?,
            is_under_way: AtomicBool::new(false),
        })
    }

    /// Builds the image of the settings.
    ///
    /// # Errors
    /// [`Error::Build`], [`Error::Checks`], [`Error::Packages`] and their like. Nothing has the
    /// image's name then that had not before.
    pub async fn build(&self, request: &Request, report: &mut Report<'_>) -> Result<Built, Error> {
        self.is_under_way.store(true, Ordering::SeqCst);
        let built = self.built(request, report).await;
        self.is_under_way.store(false, Ordering::SeqCst);
        built
    }

    async fn built(&self, request: &Request, report: &mut Report<'_>) -> Result<Built, Error> {
        let image = &self.settings.docker_image;
        let (repository, tag) = base::name_and_tag(image).ok_or_else(|| Error::Build {
            message: format!("`{image}` is a digest, which no image can be given as its name"),
        })?;
        let base = base::resolve(&self.engine, &request.base, report).await?;
        report(Progress::Step(&format!("building on {}", base.pinned)));
        let recipe = Recipe {
            tag: self.temporary("base"),
            dockerfile: DOCKERFILE,
            base: &base.pinned,
            network: request.network.as_deref(),
            labels: packages::labels(&base, &[], None),
            // Empty, so that the packages are fetched.
            folder: "site",
            files: Vec::new(),
        };
        let plain = recipe.build(&self.engine, report).await?;
        report(Progress::Step("checking the image"));
        let names = pinned().map(|(name, _)| name.to_owned()).collect();
        let (found, imports) = self.examined(&plain, names).await?;
        let mut built = Built {
            image: image.clone(),
            image_id: plain,
            python: found.python.clone(),
            packages: found.distributions.clone(),
            lock_written: false,
            warnings: found.warnings(&imports),
            base,
        };
        if !self.settings.sandbox_packages.is_empty() {
            self.add_packages(request, &found, &mut built, report)
                .await?;
        }
        let options = TagImageOptionsBuilder::new().repo(repository).tag(tag);
        self.engine
            .docker
            .tag_image(&built.image_id, Some(options.build()))
            .await
            .while_trying_to("name the image")?;
        Ok(built)
    }

    /// Removes the containers and the names that a build leaves on its way.
    ///
    /// # Errors
    /// [`Error::Engine`]; containers that are left then are removed by the next process.
    pub async fn clean(&self) -> Result<(), Error> {
        self.remove_what_is_left().await?;
        if self.is_under_way.load(Ordering::SeqCst) {
            for _ in 0..LATE_LOOKS {
                tokio::time::sleep(Duration::from_millis(250)).await;
                self.remove_what_is_left().await?;
            }
        }
        self.instance.forget();
        Ok(())
    }

    async fn remove_what_is_left(&self) -> Result<(), Error> {
        for stage in ["base", "packages"] {
            // What it was made from stays: the next build, and one beside this, begins with it.
            let options = RemoveImageOptionsBuilder::new().noprune(true).build();
            // Most often it is not there.
            let _ = self
                .engine
                .docker
                .remove_image(&self.temporary(stage), Some(options), None)
                .await;
        }
        self.instance.remove_own(&self.engine).await?;
        Ok(())
    }

    /// The name that an image has until it is found to be right.
    fn temporary(&self, stage: &str) -> String {
        format!("mce-build:{}-{stage}", self.instance.name())
    }

    /// What an image holds, in a container as code will have it.
    async fn examined(
        &self,
        image_id: &str,
        modules: Vec<String>,
    ) -> Result<(Examination, Imports), Error> {
        let labels = self.instance.labels();
        let request = ContainerRequest::new(&self.settings, image_id.to_owned(), labels);
        let (found, imports) = run::examine(&self.engine, &request, modules).await?;
        let problems = found.problems(&imports);
        if problems.is_empty() {
            return Ok((found, imports));
        }
        Err(Error::Checks {
            problems: problems.join("; "),
        })
    }
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
