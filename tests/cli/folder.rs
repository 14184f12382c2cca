//! A folder in which the binary runs with a bare environment, and what is seen of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use assert_cmd::cargo::CommandCargoExt as _;
use serde_json::Value;
use tempfile::TempDir;

/// A folder with a config and documents.
pub struct Folder {
    folder: TempDir,
    log_level: Option<&'static str>,
}

/// What a command came to.
#[derive(Debug)]
pub struct Seen {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    /// A folder with these files, in which errors alone are logged.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self {
            folder: TempDir::new().unwrap(),
            log_level: Some("error"),
        };
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    /// The same with the log as people see it.
    pub fn logging(self) -> Self {
        Self {
            log_level: None,
            ..self
        }
    }

    /// The same, compiled.
    pub fn compiled(self) -> Self {
        let seen = self.mce(&["compile"]);
        assert_eq!(seen.code, 0, "{}", seen.stderr);
        self
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    pub fn change(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{text}");
        self.write(name, &text.replacen(from, to, 1));
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("mce").unwrap();
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            .env("MCE_DOCKER_HOST", "unix:///nonexistent/engine.sock")
            .envs(self.log_level.map(|level| ("MCE_LOG_LEVEL", level)))
            .stdin(Stdio::null());
        command
    }

    pub fn mce(&self, arguments: &[&str]) -> Seen {
        let done = self.command(arguments).output().unwrap();
        Seen {
            code: done.status.code().unwrap(),
            stdout: String::from_utf8(done.stdout).unwrap(),
            stderr: String::from_utf8(done.stderr).unwrap(),
        }
    }

    pub fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let seen = self.mce(arguments);
        (seen.code, serde_json::from_str(&seen.stdout).unwrap())
    }

    /// Every file below the folder with its bytes and times.
    pub fn everything(&self) -> BTreeMap<String, (Vec<u8>, std::time::SystemTime)> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.path()).unwrap();
                let name = name.to_str().unwrap().to_owned();
                let changed = fs::metadata(&path).unwrap().modified().unwrap();
                if path.is_dir() {
                    files.insert(name, (Vec::new(), changed));
                    folders.push(path);
                } else {
                    files.insert(name, (fs::read(&path).unwrap(), changed));
                }
            }
        }
        files
    }

    /// The files below a folder of this one, by relative path.
    pub fn walk(&self, name: &str) -> Vec<String> {
        let folder = self.path().join(name);
        let mut folders = vec![folder.clone()];
        let mut files = Vec::new();
        while let Some(next) = folders.pop() {
            let Ok(entries) = fs::read_dir(&next) else {
                continue;
            };
            for entry in entries {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let relative = path.strip_prefix(&folder).unwrap();
                    files.push(relative.display().to_string());
                }
            }
        }
        files.sort();
        files
    }
}

#[track_caller]
pub fn has(text: &str, wanted: &str) {
    assert!(text.contains(wanted), "no `{wanted}` in:\n{text}");
}
