//! One container, from its creation to its removal, and the stream to the runner in it.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bollard::container::LogOutput;
use bollard::models::ContainerInspectResponse;
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptionsBuilder, InspectContainerOptions,
    KillContainerOptions, StartContainerOptions,
};
use bytes::Bytes;
use futures::{FutureExt, Stream, StreamExt};
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinSet;

use super::cgroup;
use super::engine::Engine;
use super::error::{EngineContext, Error};
use super::ownership::{Instance, remove};
use super::proof::{Hello, Proof};
use super::request::ContainerRequest;
use crate::sandbox::Module;
use crate::sandbox::frames::{Assembled, Assembler, Decoder, Frame, Kind, unpack_json};

/// The program that runs the code, handed over at start.
const RUNNER: &str = include_str!("../../../templates/runner.py");
/// From the start of a container to its report.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// What the runner itself may say on stderr when it cannot start.
const DIAGNOSTICS: usize = 4096;
/// Libraries of the image that are imported before any code comes; one that it lacks is left out.
const LIBRARIES: [&str; 3] = ["httpx", "pydantic", "orjson"];
/// Frames that wait to be written.
const WRITE_QUEUE: usize = 4;

/// Bounds on the calls of one execution.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallLimits {
    /// Calls that may be on their way at once; at least 1.
    pub(super) at_once: usize,
    /// Bytes of the request that a call becomes.
    pub(super) max_bytes: usize,
}

/// Starts containers and sees to it that each is removed.
#[derive(Debug)]
pub(super) struct Keeper {
    engine: Engine,
    request: ContainerRequest,
    image_environment: Vec<String>,
    instance: Instance,
    /// Modules that every container has imported before any code comes.
    modules: Vec<Module>,
    /// What the first container compiled them to, and the runner, before it was given any code: all
    /// have the same image.
    bytecode: OnceLock<BTreeMap<String, String>>,
    runtime: Handle,
    number: AtomicU64,
    call_limits: CallLimits,
    /// How many containers exist or are being created.
    alive: watch::Sender<usize>,
    /// What is left of how many containers there may be at once. An execution that is cancelled
    /// gives its place among executions back at once; its container is still there for a while.
    room: Arc<Semaphore>,
    /// No container is created any more.
    closed: AtomicBool,
}

impl Keeper {
    pub(super) fn new(
        engine: Engine,
        request: ContainerRequest,
        image_environment: Vec<String>,
        instance: Instance,
        modules: Vec<Module>,
        call_limits: CallLimits,
        most_containers: usize,
    ) -> Self {
        Self {
            room: Arc::new(Semaphore::new(
                most_containers.clamp(1, Semaphore::MAX_PERMITS),
            )),
            call_limits,
            engine,
            request,
            image_environment,
            instance,
            modules,
            bytecode: OnceLock::new(),
            runtime: Handle::current(),
            number: AtomicU64::new(1),
            alive: watch::Sender::new(0),
            closed: AtomicBool::new(false),
        }
    }

    pub(super) fn request(&self) -> &ContainerRequest {
        &self.request
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// A started and proven container.
    pub(super) async fn start(self: &Arc<Self>) -> Result<Started, Error> {
        let started = self.start_and_examine().await?;
        let findings = started.proof.failures();
        #[cfg(feature = "test-hooks")]
        let findings = self.request.tolerated(findings);
        if findings.is_empty() {
            Ok(started)
        } else {
            Err(Error::NotProven { findings })
        }
    }

    /// The checks of a container that is started for this, whatever they found.
    pub(super) async fn examine(self: &Arc<Self>) -> Result<Proof, Error> {
        Ok(self.start_and_examine().await?.proof)
    }

    /// Runs in a task of its own, so that a caller who goes away in the middle leaves nothing
    /// behind.
    async fn start_and_examine(self: &Arc<Self>) -> Result<Started, Error> {
        // Waited for here, so that who goes away while waiting starts nothing.
        let room = Arc::clone(&self.room).acquire_owned().await;
        let room = room.map_err(|_| Error::Closed)?;
        let keeper = Arc::clone(self);
        match self.runtime.spawn(keeper.start_here(room)).await {
            Ok(started) => started,
            Err(error) => Err(Error::Internal(error.to_string())),
        }
    }

    async fn start_here(self: Arc<Self>, room: OwnedSemaphorePermit) -> Result<Started, Error> {
        let docker = self.engine.docker.clone();
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{number}", self.instance.name());
        let options = CreateContainerOptionsBuilder::new().name(&name).build();
        // Counted before it exists: whoever closes waits for it.
        let place = Place::taken(&self, room);
        if self.closed.load(Ordering::SeqCst) {
            return Err(Error::Closed);
        }
        let created = docker
            .create_container(Some(options), self.request.body())
            .await
            .while_trying_to("create a container")?;
        let container = Container {
            id: created.id,
            place: Some(place),
            keeper: Arc::clone(&self),
        };
        let options = AttachContainerOptionsBuilder::new()
            .stream(true)
            .stdin(true)
            .stdout(true)
            .stderr(true)
            .build();
        let attached = docker
            .attach_container(&container.id, Some(options))
            .await
            .while_trying_to("attach to the container")?;
        docker
            .start_container(&container.id, None::<StartContainerOptions>)
            .await
            .while_trying_to("start the container")?;
        let mut reader = FrameStream::new(attached.output);
        let mut input = attached.input;
        let hello = tokio::time::timeout(START_TIMEOUT, self.greet(&mut input, &mut reader))
            .await
            .map_err(|_| Error::Start {
                reason: format!("nothing came within {} seconds", START_TIMEOUT.as_secs()),
            })??;
        let bytecode = hello.bytecode.clone();
        let (pid, proof) = container.examine(hello).await?;
        // One that is not as it must be compiles for nobody else.
        if let Some(bytecode) = bytecode.filter(|_| proof.failures().is_empty()) {
            let _ = self.bytecode.set(bytecode);
        }
        Ok(Started {
            container,
            reader,
            writer: FrameWriter::new(input),
            pid,
            proof,
            unfinished: None,
        })
    }

    /// Hands over the runner and what it is to import, and takes what it measured.
    async fn greet(
        &self,
        input: &mut Pin<Box<dyn AsyncWrite + Send>>,
        reader: &mut FrameStream,
    ) -> Result<Hello, Error> {
        let start = |reason: String| Error::Start { reason };
        let modules = self.modules.iter();
        let modules = modules.map(|module| (module.name.clone(), module.source.clone().into()));
        let modules: serde_json::Map<String, serde_json::Value> = modules.collect();
        let mut bytecode = self.bytecode.get().cloned();
        let runner = bytecode.as_mut().and_then(|codes| codes.remove(""));
        let runner = runner.and_then(|text| BASE64.decode(text).ok());
        let (kind, runner) = match runner {
            Some(code) => (b'c', code),
            None => (b's', RUNNER.as_bytes().to_vec()),
        };
        let imports = serde_json::json!({
            "libraries": LIBRARIES, "modules": modules, "bytecode": bytecode,
        });
        let mut program = vec![kind];
        for part in [runner, imports.to_string().into_bytes()] {
            let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
            program.extend_from_slice(&length.to_be_bytes());
            program.extend_from_slice(&part);
        }
        let written = async {
            input.write_all(&program).await?;
            input.flush().await
        };
        written.await.map_err(|error| start(error.to_string()))?;
        reader.hello().await.map_err(start)
    }

    /// Lets no container be created any more. Waits until no container is left, removing those that are; then forgets the instance.
    pub(super) async fn close(&self) -> Result<(), Error> {
        self.closed.store(true, Ordering::SeqCst);
        self.instance.remove_own(&self.engine).await?;
        let mut alive = self.alive.subscribe();
        let none_left = alive.wait_for(|alive| *alive == 0);
        let _ = tokio::time::timeout(Duration::from_secs(10), none_left).await;
        if self.instance.remove_own(&self.engine).await? == 0 {
            self.instance.forget();
        }
        Ok(())
    }
}

/// One of the containers that exist or are being created.
#[derive(Debug)]
struct Place {
    alive: watch::Sender<usize>,
    /// Given back when the container is gone.
    _room: OwnedSemaphorePermit,
}

impl Place {
    fn taken(keeper: &Keeper, room: OwnedSemaphorePermit) -> Self {
        keeper.alive.send_modify(|alive| *alive += 1);
        Self {
            alive: keeper.alive.clone(),
            _room: room,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.alive
            .send_modify(|alive| *alive = alive.saturating_sub(1));
    }
}

/// A container that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Container {
    id: String,
    place: Option<Place>,
    keeper: Arc<Keeper>,
}

impl Container {
    pub(super) fn call_limits(&self) -> CallLimits {
        self.keeper.call_limits
    }

    /// What it has imported already.
    pub(super) fn known_modules(&self) -> &[Module] {
        &self.keeper.modules
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.keeper.engine
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Sets the processor quota, and compares the container with what was asked for. Also its first
    /// process as the host sees it, where the engine is on this machine.
    async fn examine(&self, hello: Hello) -> Result<(Option<i64>, Proof), Error> {
        let keeper = &self.keeper;
        if let Some(quota) = keeper.request.quota() {
            keeper
                .engine
                .docker
                .update_container(&self.id, quota)
                .await
                .while_trying_to("limit the container's processor time")?;
        }
        let inspected = self.inspect().await?;
        let state = inspected
            .state
            .as_ref()
            .filter(|_| keeper.engine.is_local());
        let pid = state.and_then(|state| state.pid).filter(|pid| *pid > 0);
        let limits = cgroup::limits(pid, &self.id);
        let environment = &keeper.image_environment;
        let proof = Proof::of(hello, &inspected, &limits, &keeper.request, environment);
        Ok((pid, proof))
    }

    pub(super) async fn inspect(&self) -> Result<ContainerInspectResponse, Error> {
        self.keeper
            .engine
            .docker
            .inspect_container(&self.id, None::<InspectContainerOptions>)
            .await
            .while_trying_to("inspect the container")
    }

    /// Kills everything in the container. It stays to be inspected.
    pub(super) async fn kill(&self) {
        let docker = &self.keeper.engine.docker;
        // It may have ended by itself.
        let _ = docker
            .kill_container(&self.id, None::<KillContainerOptions>)
            .await;
    }
}

impl Container {
    /// Removes it in the background, running or not. Nothing happens the second time.
    pub(super) fn discard(&mut self) {
        self.discard_after(Duration::ZERO);
    }

    /// The same a little later, where nothing runs in it any more: what the engine has to do would
    /// take its time from the answer.
    pub(super) fn discard_after(&mut self, pause: Duration) {
        let Some(place) = self.place.take() else {
            return;
        };
        let (keeper, id) = (Arc::clone(&self.keeper), self.id.clone());
        self.keeper.runtime.spawn(async move {
            tokio::time::sleep(pause).await;
            remove(&keeper.engine, &id).await;
            drop(place);
        });
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        self.discard();
    }
}

/// A container that runs the runner, and what it was found to be.
pub(super) struct Started {
    pub(super) container: Container,
    pub(super) reader: FrameStream,
    pub(super) writer: FrameWriter,
    /// PID 1 of the container as the host sees it, where the engine is on this machine.
    pub(super) pid: Option<i64>,
    pub(super) proof: Proof,
    /// Messages of which the end is still to come, of a job that has ended.
    pub(super) unfinished: Option<Assembler>,
}

impl Started {
    /// Whether it still waits for code. Before that nothing can come out of it but its end.
    pub(super) fn is_waiting(&mut self) -> bool {
        self.reader.next().now_or_never().is_none()
    }
}

/// Frames on their way into a container. The stream stays open as long as this lives: the runner
/// takes its end for the host's.
pub(super) struct FrameWriter {
    queue: mpsc::Sender<Bytes>,
    _writing: JoinSet<()>,
}

impl FrameWriter {
    fn new(mut input: Pin<Box<dyn AsyncWrite + Send>>) -> Self {
        let (queue, mut frames) = mpsc::channel::<Bytes>(WRITE_QUEUE);
        let mut writing = JoinSet::new();
        writing.spawn(async move {
            while let Some(frame) = frames.recv().await {
                if input.write_all(&frame).await.is_err() || input.flush().await.is_err() {
                    // The reading side finds out why.
                    break;
                }
            }
            drop(frames);
            std::future::pending::<()>().await;
        });
        Self {
            queue,
            _writing: writing,
        }
    }

    /// Where to put whole frames.
    pub(super) fn queue(&self) -> mpsc::Sender<Bytes> {
        self.queue.clone()
    }
}

type Output = Pin<Box<dyn Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>;

/// The frames that come out of a container.
pub(super) struct FrameStream {
    output: Output,
    decoder: Decoder,
    diagnostics: VecDeque<u8>,
}

impl FrameStream {
    fn new(output: Output) -> Self {
        Self {
            output,
            decoder: Decoder::default(),
            diagnostics: VecDeque::new(),
        }
    }

    /// The first frame of a container; or why there is none.
    async fn hello(&mut self) -> Result<Hello, String> {
        let mut assembler = Assembler::new(1 << 20);
        loop {
            let Some(frame) = self.next().await? else {
                let said = self.diagnostics();
                return Err(if said.is_empty() {
                    "it ended without a word; does the image hold `python3` 3.11 or newer?"
                        .to_owned()
                } else {
                    format!("it ended and said: {said}")
                });
            };
            if frame.kind != Kind::Hello {
                return Err(format!("expected `Hello`, found `{:?}`", frame.kind));
            }
            let added = assembler.add(frame).map_err(|error| error.to_string())?;
            if let Assembled::Whole(payload) = added {
                return unpack_json(&payload).map_err(|error| error.to_string());
            }
        }
    }

    /// The next frame; `None` when the stream ended. Nothing is lost when the future is dropped.
    pub(super) async fn next(&mut self) -> Result<Option<Frame>, String> {
        loop {
            if let Some(frame) = self
                .decoder
                .next_frame()
                .map_err(|error| error.to_string())?
            {
                return Ok(Some(frame));
            }
            match self.output.next().await {
                None => return Ok(None),
                Some(Err(error)) => return Err(super::error::reason(&error)),
                Some(Ok(LogOutput::StdOut { message })) => self.decoder.feed(&message),
                Some(Ok(
                    LogOutput::StdErr { message }
                    | LogOutput::Console { message }
                    | LogOutput::StdIn { message },
                )) => self.diagnose(&message),
            }
        }
    }

    fn diagnose(&mut self, message: &[u8]) {
        self.diagnostics.extend(message);
        let excess = self.diagnostics.len().saturating_sub(DIAGNOSTICS);
        self.diagnostics.drain(..excess);
    }

    /// The end of what the runner, not the code, wrote to stderr.
    pub(super) fn diagnostics(&self) -> String {
        let bytes: Vec<u8> = self.diagnostics.iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}
