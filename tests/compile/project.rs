//! A folder with a config and documents, compiled in this process.

use std::fs;
use std::path::PathBuf;

use mce::compile::{self, Options, Report};
use mce::config::{Config, Environment};
use tempfile::TempDir;

pub const WEATHER: &str = include_str!("../fixtures/compile/weather.yaml");

/// A folder with a config and documents, and its output.
pub struct Project {
    pub folder: TempDir,
}

impl Project {
    pub fn new(servers: &str) -> Self {
        let project = Self {
            folder: TempDir::new().unwrap(),
        };
        project.write("weather.yaml", WEATHER);
        project.configure(servers);
        project
    }

    pub fn weather() -> Self {
        Self::new("  - name: weather\n    swagger_url: weather.yaml\n")
    }

    pub fn configure(&self, servers: &str) {
        self.write("swaggers.yaml", &format!("servers:\n{servers}"));
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn run_with(&self, change: impl FnOnce(&mut Options)) -> Report {
        let config = Config::load(&self.path("swaggers.yaml")).unwrap();
        let mut options = Options {
            output: self.path("compiled"),
            ..Options::default()
        };
        change(&mut options);
        tokio::runtime::Runtime::new()
            .unwrap()
            .block_on(compile::run(
                &config,
                &Environment::from_pairs::<&str, &str>([]),
                &options,
            ))
    }

    pub fn compile(&self) -> Report {
        self.run_with(|_| {})
    }

    pub fn verify(&self, server: &str) -> Result<compile::Verified, compile::VerifyError> {
        compile::verify(&self.path("compiled"), server)
    }
}

pub fn error_of(report: &Report) -> &str {
    report.servers[0].error.as_deref().unwrap()
}

pub fn manifest_of(project: &Project) -> serde_json::Value {
    serde_json::from_str(&project.read("compiled/weather/manifest.json")).unwrap()
}
