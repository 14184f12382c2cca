//! A folder in which images are built.

#![allow(dead_code, reason = "each test binary uses its part")]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests may fail in the middle; the lints do not see that this is one"
)]

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Output};

use mce::config::{Environment, Settings};
use mce::sandbox::docker::Error;
use mce::sandbox::docker::image::{Builder, Built, PackageError, Progress, Request};
use tempfile::TempDir;

use super::wheels::Wheel;
use super::{engine, settings};

/// A folder of a user, and an image of a name of its own that is removed in the end.
pub struct Workshop {
    folder: TempDir,
    pub image: String,
    pub base: String,
}

impl Workshop {
    pub fn new(name: &str) -> Self {
        engine();
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("wheels")).unwrap();
        Self {
            image: format!("mce-test-{name}:{}", std::process::id()),
            folder,
            base: settings().docker_image,
        }
    }

    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    pub fn add(&self, wheel: &Wheel) -> String {
        wheel.write(&self.path("wheels"))
    }

    pub fn lock(&self) -> String {
        fs::read_to_string(self.path("sandbox.lock")).unwrap()
    }

    /// The processes that say in this folder that they are alive.
    pub fn instances(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("state/mce/instances")).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter_map(|name| name.strip_suffix(".lock").map(str::to_owned))
            .collect()
    }

    pub fn settings(&self, packages: &str) -> Settings {
        let lock = self.path("sandbox.lock");
        let pairs = [
            ("MCE_DOCKER_IMAGE", self.image.as_str()),
            ("MCE_SANDBOX_MODE", "cold"),
            ("MCE_SANDBOX_PACKAGES", packages),
            ("MCE_SANDBOX_LOCK", lock.to_str().unwrap()),
        ];
        let environment = Environment::from_pairs(pairs);
        Settings::from_environment(&environment).unwrap().0
    }

    pub fn request(&self) -> Request {
        Request {
            base: self.base.clone(),
            network: Some("none".to_owned()),
            wheels: Some(self.path("wheels")),
            update_lock: false,
        }
    }

    pub async fn build(&self, packages: &str) -> Result<Built, Error> {
        self.build_as(packages, &self.request()).await.0
    }

    /// The outcome, and what was reported on the way.
    pub async fn build_as(
        &self,
        packages: &str,
        request: &Request,
    ) -> (Result<Built, Error>, Vec<String>) {
        let settings = self.settings(packages);
        let builder = Builder::connect(&settings, &self.path("state")).await;
        let builder = builder.unwrap();
        let mut lines = Vec::new();
        let mut report = |progress: Progress<'_>| match progress {
            Progress::Step(text) | Progress::Detail(text) => lines.push(text.to_owned()),
        };
        let built = builder.build(request, &mut report).await;
        builder.clean().await.unwrap();
        (built, lines)
    }

    /// The error of packages that cannot be added. No image has the name then.
    pub async fn refused(&self, packages: &str) -> PackageError {
        let error = self.build(packages).await.unwrap_err();
        assert_eq!(id_of(&self.image), None, "{error}");
        match error {
            Error::Packages(error) => error,
            error => panic!("{error}"),
        }
    }

    pub fn command(&self, packages: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mce"));
        command
            .current_dir(self.folder.path())
            .env("MCE_DOCKER_IMAGE", &self.image)
            .env("MCE_SANDBOX_PACKAGES", packages)
            .env("XDG_STATE_HOME", self.path("state"))
            .args(arguments);
        command
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        docker(&["rmi", "--force", "--no-prune", &self.image]);
    }
}

pub fn docker(arguments: &[&str]) -> Output {
    let output = Command::new("docker").args(arguments).output();
    output.unwrap()
}

pub fn id_of(image: &str) -> Option<String> {
    let output = docker(&["image", "inspect", "--format", "{{.Id}}", image]);
    let text = String::from_utf8(output.stdout).unwrap();
    output.status.success().then(|| text.trim().to_owned())
}

pub fn labels_of(image: &str) -> BTreeMap<String, String> {
    let output = docker(&[
        "image",
        "inspect",
        "--format",
        "{{json .Config.Labels}}",
        image,
    ]);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// An image on that of the tests, with one more step.
pub fn variant(name: &str, step: &str) -> String {
    let folder = TempDir::new().unwrap();
    let recipe = format!("FROM {}\nUSER 0:0\n{step}\n", settings().docker_image);
    fs::write(folder.path().join("Dockerfile"), recipe).unwrap();
    let image = format!("mce-test-{name}:{}", std::process::id());
    let output = Command::new("docker")
        .env("DOCKER_BUILDKIT", "0")
        .args(["build", "--force-rm", "--network", "none", "--tag", &image])
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    image
}

pub fn names(built: &Built, added: bool) -> Vec<String> {
    let packages = built.packages.iter().filter(|it| it.added == added);
    packages
        .map(|it| format!("{}=={} {}", it.name, it.version, it.modules.join(",")))
        .collect()
}
