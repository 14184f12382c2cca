//! The wheels of added packages, fetched by the pip of the image in a container that is thrown
//! away. Wheels alone: no code of a package runs. What comes of it is read like any other folder.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::time::Duration;

use bollard::models::{ContainerCreateBody, HostConfig, HostConfigLogConfig};
use bollard::query_parameters::DownloadFromContainerOptionsBuilder;
use futures::StreamExt;
use tempfile::TempDir;

use super::error::PackageError;
use super::examine::Examination;
use super::lock::Lock;
use super::tags::Platform;
use super::{Builder, Progress, Report, Request, run};
use crate::config::Package;
use crate::sandbox::docker::error::{EngineContext, Error};
use crate::sandbox::docker::ownership::remove;

/// A folder of the container.
const FOLDER: &str = "mce-fetch";
/// All wheels together.
const LARGEST: u64 = 2 << 30;
const PATIENCE: Duration = Duration::from_mins(20);
const USER: u64 = 65534;

impl Builder {
    /// Fetches the packages and what they need; by the lock where there is one.
    pub(super) async fn fetch(
        &self,
        image_id: &str,
        image: &Examination,
        lock: Option<&Lock>,
        request: &Request,
        report: &mut Report<'_>,
    ) -> Result<TempDir, Error> {
        let asked = &self.settings.sandbox_packages;
        let lock_path = lock.map(|_| self.settings.sandbox_lock.as_path());
        let command = || on_the_host(asked, lock_path, &image.platform);
        if !image.pip {
            return Err(PackageError::NoPip { command: command() }.into());
        }
        report(Progress::Step("fetching the packages"));
        let mut arguments = vec![
            "python3 -m pip --disable-pip-version-check --no-input".to_owned(),
            format!("download --no-cache-dir --only-binary=:all: --dest /{FOLDER}/wheels"),
        ];
        let mut files = Vec::new();
        if let Some(lock) = lock {
            arguments.push(format!(
                "--no-deps --require-hashes --requirement /{FOLDER}/lock.txt"
            ));
            files.push(("lock.txt", lock.text()));
        } else {
            arguments.push(format!("--constraint /{FOLDER}/constraints.txt"));
            files.push(("constraints.txt", constraints(image)));
            arguments.extend(asked.iter().map(ToString::to_string));
        }
        let words = arguments.iter().flat_map(|part| part.split_whitespace());
        let body = ContainerCreateBody {
            image: Some(image_id.to_owned()),
            user: Some(format!("{USER}:{USER}")),
            entrypoint: Some(Vec::new()),
            cmd: Some(words.map(str::to_owned).collect()),
            env: Some(vec![format!("HOME=/{FOLDER}")]),
            working_dir: Some(format!("/{FOLDER}")),
            labels: Some(self.instance.labels().into_iter().collect()),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            host_config: Some(HostConfig {
                network_mode: request.network.clone(),
                cap_drop: Some(vec!["ALL".to_owned()]),
                security_opt: Some(vec!["no-new-privileges".to_owned()]),
                memory: Some(1 << 30),
                pids_limit: Some(256),
                log_config: Some(HostConfigLogConfig {
                    typ: Some("none".to_owned()),
                    config: None,
                }),
                ..HostConfig::default()
            }),
            ..ContainerCreateBody::default()
        };
        let files = archive(&files).map_err(|error| Error::Internal(error.to_string()))?;
        let id = run::create(&self.engine, body, Some(files)).await?;
        let fetched = async {
            let mut line = |text: &str| report(Progress::Detail(text));
            let failed = |message: String| PackageError::Pip {
                message,
                command: command(),
            };
            match tokio::time::timeout(PATIENCE, run::run(&self.engine, &id, &mut line)).await {
                Err(_) => Err(failed("it took too long".to_owned()).into()),
                Ok(Err(error)) => Err(failed(error.to_string()).into()),
                Ok(Ok(ended)) if ended.code != 0 => Err(failed(ended.said).into()),
                Ok(Ok(_)) => self.wheels_of(&id).await,
            }
        }
        .await;
        remove(&self.engine, &id).await;
        fetched
    }

    /// The wheels in a container, in a folder here.
    async fn wheels_of(&self, container: &str) -> Result<TempDir, Error> {
        let options = DownloadFromContainerOptionsBuilder::new()
            .path(&format!("/{FOLDER}/wheels"))
            .build();
        let mut parts = std::pin::pin!(
            self.engine
                .docker
                .download_from_container(container, Some(options))
        );
        let local = |error: io::Error| Error::Internal(format!("cannot keep wheels: {error}"));
        let mut archive = tempfile::tempfile().map_err(local)?;
        let mut room = LARGEST;
        while let Some(part) = parts.next().await {
            let part = part.while_trying_to("hand out the wheels")?;
            room = room.checked_sub(part.len() as u64).ok_or_else(|| {
                local(io::Error::other(format!(
                    "they have more than {LARGEST} bytes"
                )))
            })?;
            archive.write_all(&part).map_err(local)?;
        }
        let unpacked = tokio::task::spawn_blocking(move || unpack(archive)).await;
        unpacked
            .map_err(|error| Error::Internal(error.to_string()))?
            .map_err(local)
    }
}

/// Puts the files of an archive into a folder, whatever folders they have in it.
fn unpack(mut archive: File) -> io::Result<TempDir> {
    archive.rewind()?;
    let folder = tempfile::tempdir()?;
    for entry in tar::Archive::new(archive).entries()? {
        let mut entry = entry?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path()?.into_owned();
        if let Some(name) = path.file_name() {
            io::copy(&mut entry, &mut File::create_new(folder.path().join(name))?)?;
        }
    }
    Ok(folder)
}

/// What no package may change.
fn constraints(image: &Examination) -> String {
    let mut text = String::new();
    for (name, present) in image.present() {
        let _ = writeln!(text, "{name}=={}", present.version);
    }
    text
}

/// The folder of the container with files in it, owned by the user that pip runs as.
fn archive(files: &[(&str, String)]) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    let header = |kind, mode, size| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(size);
        header.set_uid(USER);
        header.set_gid(USER);
        header
    };
    for folder in [FOLDER.to_owned(), format!("{FOLDER}/wheels")] {
        let mut header = header(tar::EntryType::Directory, 0o755, 0);
        archive.append_data(&mut header, format!("{folder}/"), io::empty())?;
    }
    for (name, text) in files {
        let mut header = header(tar::EntryType::Regular, 0o644, text.len() as u64);
        archive.append_data(&mut header, format!("{FOLDER}/{name}"), text.as_bytes())?;
    }
    archive.into_inner()
}

/// The command that fetches the same wheels on any machine with pip.
fn on_the_host(asked: &[Package], lock: Option<&Path>, platform: &Platform) -> String {
    let (major, minor) = platform.python;
    let mut command = format!(
        "python3 -m pip download --dest wheels --only-binary=:all: --implementation cp \
         --python-version {major}.{minor}"
    );
    for tag in platform.pip_platforms() {
        let _ = write!(command, " --platform {tag}");
    }
    match lock {
        Some(path) => {
            let _ = write!(command, " --no-deps --require-hashes -r {}", path.display());
        }
        None => {
            for package in asked {
                let _ = write!(command, " '{package}'");
            }
        }
    }
    command
}
