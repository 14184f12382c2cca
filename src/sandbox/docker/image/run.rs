//! A program in a container of its own, from start to end.

use std::time::Duration;

use bollard::container::LogOutput;
use bollard::models::ContainerCreateBody;
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptions, StartContainerOptions,
    UploadToContainerOptionsBuilder, WaitContainerOptions,
};
use futures::StreamExt;

use super::examine::{self, Examination, Imports};
use crate::sandbox::docker::engine::Engine;
use crate::sandbox::docker::error::{EngineContext, Error};
use crate::sandbox::docker::ownership::remove;
use crate::sandbox::docker::request::ContainerRequest;

/// What a program may write; the rest is dropped.
const MOST_OUTPUT: usize = 16 << 20;
/// The end of what it says on stderr.
const DIAGNOSTICS: usize = 4000;
/// A slow machine takes a few seconds to look at everything.
const EXAMINATION: Duration = Duration::from_mins(3);

/// What became of a program.
pub(super) struct Ended {
    pub(super) code: i64,
    pub(super) output: Vec<u8>,
    /// The end of stderr.
    pub(super) said: String,
}

/// What an image holds, and what became of importing modules in it: in a container as code has it.
pub(super) async fn examine(
    engine: &Engine,
    request: &ContainerRequest,
    modules: Vec<String>,
) -> Result<(Examination, Imports), Error> {
    let command = ["python3", "-I", "-B", "-c", examine::PROGRAM];
    let body = ContainerCreateBody {
        cmd: Some(
            command
                .map(str::to_owned)
                .into_iter()
                .chain(modules)
                .collect(),
        ),
        attach_stdin: Some(false),
        open_stdin: Some(false),
        stdin_once: Some(false),
        ..request.body()
    };
    let id = create(engine, body, None).await?;
    let ended = tokio::time::timeout(EXAMINATION, run(engine, &id, &mut |_| ())).await;
    remove(engine, &id).await;
    let wrong = |reason: String| Error::Checks {
        problems: format!("looking into it failed: {reason}"),
    };
    let ended = ended.map_err(|_| wrong("it took too long".to_owned()))??;
    if ended.code != 0 {
        return Err(wrong(format!(
            "`python3` ended with {}: {}",
            ended.code, ended.said
        )));
    }
    examine::parse(&ended.output).map_err(|reason| wrong(format!("{reason}: {}", ended.said)))
}

/// Creates a container; with `files`, a tar archive, below its root.
pub(super) async fn create(
    engine: &Engine,
    body: ContainerCreateBody,
    files: Option<Vec<u8>>,
) -> Result<String, Error> {
    let created = engine
        .docker
        .create_container(None::<CreateContainerOptions>, body)
        .await
        .while_trying_to("create a container")?;
    if let Some(files) = files {
        let options = UploadToContainerOptionsBuilder::new().path("/").build();
        engine
            .docker
            .upload_to_container(&created.id, Some(options), bollard::body_full(files.into()))
            .await
            .while_trying_to("put files into the container")?;
    }
    Ok(created.id)
}

/// Runs a container that was created to its end. It stays, to be looked at or removed.
pub(super) async fn run(
    engine: &Engine,
    id: &str,
    line: &mut (dyn FnMut(&str) + Send),
) -> Result<Ended, Error> {
    let options = AttachContainerOptionsBuilder::new()
        .stream(true)
        .stdout(true)
        .stderr(true)
        .build();
    let attached = engine
        .docker
        .attach_container(id, Some(options))
        .await
        .while_trying_to("attach to the container")?;
    engine
        .docker
        .start_container(id, None::<StartContainerOptions>)
        .await
        .while_trying_to("start the container")?;
    let mut stream = attached.output;
    let mut output = Vec::new();
    let mut said = Vec::new();
    while let Some(part) = stream.next().await {
        match part.while_trying_to("read from the container")? {
            LogOutput::StdOut { message } => {
                for text in String::from_utf8_lossy(&message).lines() {
                    line(text.trim());
                }
                let room = MOST_OUTPUT.saturating_sub(output.len());
                output.extend(message.iter().take(room));
            }
            LogOutput::StdErr { message }
            | LogOutput::Console { message }
            | LogOutput::StdIn { message } => {
                said.extend_from_slice(&message);
                let excess = said.len().saturating_sub(DIAGNOSTICS);
                said.drain(..excess);
            }
        }
    }
    let mut ends = std::pin::pin!(
        engine
            .docker
            .wait_container(id, None::<WaitContainerOptions>)
    );
    let code = match ends.next().await {
        None => 0,
        Some(Ok(ended)) => ended.status_code,
        Some(Err(bollard::errors::Error::DockerContainerWaitError { code, .. })) => code,
        Some(Err(error)) => return Err(error).while_trying_to("wait for the container"),
    };
    Ok(Ended {
        code,
        output,
        said: String::from_utf8_lossy(&said).trim().to_owned(),
    })
}
