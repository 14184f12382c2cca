//! One container, from its creation to its removal.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use bollard::models::ContainerInspectResponse;
use bollard::query_parameters::{
    AttachContainerOptionsBuilder, CreateContainerOptionsBuilder, InspectContainerOptions,
    KillContainerOptions, StartContainerOptions,
};
use tokio::io::AsyncWriteExt as _;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::cgroup::{self, Counters};
use super::engine::Engine;
use super::error::{EngineContext, Error, unknown_runtime};
use super::ownership::{Instance, remove};
use super::proof::{Hello, Proof};
use super::request::ContainerRequest;
use super::stream::FrameStream;
use crate::sandbox::Module;
use crate::sandbox::frames::Assembler;
use crate::sandbox::running::{CallLimits, FrameWriter, Input};

/// The program that runs the code, handed over at start.
const RUNNER: &str = include_str!("../../../templates/runner.py");
/// What sends the requests of `httpx`, imported where the image has that.
const HTTPX_TRANSPORT: (&str, &str) = (
    "_mce_httpx",
    include_str!("../../../templates/httpx_transport.py"),
);
/// From the start of a container to its report.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Libraries of the image that are imported before any code comes; one that it lacks is left out.
const LIBRARIES: [&str; 3] = ["httpx", "pydantic", "orjson"];

/// How much later than the answer a container ends.
const ENDS_LATER: Duration = Duration::from_millis(20);
/// How long one has to end by itself whose runner is hung up on. Killing it costs the engine a process
/// more.
const ENDS_BY_ITSELF: Duration = Duration::from_millis(120);

/// Starts containers and sees to it that each is removed.
#[derive(Debug)]
pub(super) struct Keeper {
    engine: Engine,
    request: ContainerRequest,
    image_environment: Vec<String>,
    instance: Instance,
    /// Modules that every container has imported before any code comes.
    modules: Vec<Module>,
    /// What containers are handed at their start, compiled by the first one before it was given any
    /// code: all have the same image.
    compiled: OnceLock<Vec<u8>>,
    runtime: Handle,
    number: AtomicU64,
    call_limits: CallLimits,
    /// How many containers exist or are being created.
    alive: watch::Sender<usize>,
    /// What is left of how many containers there may be at once. An execution that is cancelled
    /// gives its place among executions back at once; its container is still there for a while.
    room: Arc<Semaphore>,
    /// No container is created any more.
    closed: watch::Sender<bool>,
}

impl Keeper {
    pub(super) fn new(
        engine: Engine,
        request: ContainerRequest,
        image_environment: Vec<String>,
        instance: Instance,
        mut modules: Vec<Module>,
        call_limits: CallLimits,
        most_containers: usize,
    ) -> Self {
        let (name, source) = HTTPX_TRANSPORT;
        modules.push(Module {
            name: name.to_owned(),
            source: source.to_owned(),
        });
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
            compiled: OnceLock::new(),
            runtime: Handle::current(),
            number: AtomicU64::new(1),
            alive: watch::Sender::new(0),
            closed: watch::Sender::new(false),
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
        let place = Counted::taken(&self, room);
        if *self.closed.borrow() {
            return Err(Error::Closed);
        }
        let created = docker
            .create_container(Some(options), self.request.body())
            .await;
        if let Err(bollard::errors::Error::RequestTimeoutError) = &created {
            // The engine may have made it all the same.
            let keeper = Arc::clone(&self);
            self.runtime
                .spawn(async move { remove(&keeper.engine, &name).await });
        }
        let created = created
            .while_trying_to("create a container")
            .map_err(|error| unknown_runtime(error, self.request.runtime.as_deref()))?;
        let mut container = Container {
            id: created.id,
            pid: None,
            counted_before: Counters::default(),
            place: Some(place),
            keeper: Arc::clone(&self),
        };
        let mut closed = self.closed.subscribe();
        let up = tokio::select! {
            up = self.bring_up(&container.id) => up?,
            // What the engine says of a container that is removed while it starts may never end.
            _ = closed.wait_for(|closed| *closed) => return Err(Error::Closed),
        };
        let (mut hello, reader, input) = up;
        let bytecode = hello.bytecode.take();
        let proof = container.examine(hello).await?;
        // One that is not as it must be compiles for nobody else.
        if let Some(bytecode) = bytecode.filter(|_| proof.failures().is_empty()) {
            let _ = self.compiled.set(greeting(&self.modules, Some(bytecode)));
        }
        Ok(Started {
            container,
            reader,
            writer: FrameWriter::new(input),
            proof,
            unfinished: None,
        })
    }

    /// Starts a container that was created.
    async fn bring_up(&self, id: &str) -> Result<(Hello, FrameStream, Input), Error> {
        let docker = &self.engine.docker;
        let options = AttachContainerOptionsBuilder::new()
            .stream(true)
            .stdin(true)
            .stdout(true)
            .stderr(true)
            .build();
        let attached = docker
            .attach_container(id, Some(options))
            .await
            .while_trying_to("attach to the container")?;
        docker
            .start_container(id, None::<StartContainerOptions>)
            .await
            .while_trying_to("start the container")
            .map_err(|error| unknown_runtime(error, self.request.runtime.as_deref()))?;
        let mut reader = FrameStream::new(attached.output);
        let mut input = attached.input;
        let hello = tokio::time::timeout(START_TIMEOUT, self.greet(&mut input, &mut reader))
            .await
            .map_err(|_| Error::Start {
                reason: format!("nothing came within {} seconds", START_TIMEOUT.as_secs()),
            })??;
        Ok((hello, reader, input))
    }

    /// Hands over the runner and what it is to import, and takes what it measured.
    async fn greet(&self, input: &mut Input, reader: &mut FrameStream) -> Result<Hello, Error> {
        let start = |reason: String| Error::Start { reason };
        let from_source;
        let program = if let Some(compiled) = self.compiled.get() {
            compiled
        } else {
            from_source = greeting(&self.modules, None);
            &from_source
        };
        let written = async {
            input.write_all(program).await?;
            input.flush().await
        };
        written.await.map_err(|error| start(error.to_string()))?;
        reader.hello().await.map_err(start)
    }

    /// Lets no container be created any more. Waits until no container is left, removing those that
    /// are; then forgets the instance.
    pub(super) async fn close(&self) -> Result<(), Error> {
        self.closed.send_replace(true);
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

/// What a container is handed at its start: `kind:u8 length:u32 runner length:u32 json`. The runner is
/// its source or, of the kind `c`, bytecode; the JSON is what `preload` in the runner says.
fn greeting(modules: &[Module], bytecode: Option<BTreeMap<String, String>>) -> Vec<u8> {
    let mut bytecode = bytecode;
    let runner = bytecode.as_mut().and_then(|codes| codes.remove(""));
    let runner = runner.and_then(|text| BASE64.decode(text).ok());
    let (kind, runner) = match runner {
        Some(code) => (b'c', code),
        None => (b's', RUNNER.as_bytes().to_vec()),
    };
    let modules = modules.iter();
    let sources = modules.map(|module| (module.name.clone(), module.source.clone().into()));
    let sources: serde_json::Map<String, serde_json::Value> = sources.collect();
    let imports = serde_json::json!({
        "libraries": LIBRARIES, "modules": sources, "bytecode": bytecode,
    });
    let mut greeting = vec![kind];
    for part in [runner, imports.to_string().into_bytes()] {
        let length = u32::try_from(part.len()).unwrap_or(u32::MAX);
        greeting.extend_from_slice(&length.to_be_bytes());
        greeting.extend_from_slice(&part);
    }
    greeting
}

/// One of the containers that exist or are being created.
#[derive(Debug)]
struct Counted {
    alive: watch::Sender<usize>,
    /// Given back when the container is gone.
    _room: OwnedSemaphorePermit,
}

impl Counted {
    fn taken(keeper: &Keeper, room: OwnedSemaphorePermit) -> Self {
        keeper.alive.send_modify(|alive| *alive += 1);
        Self {
            alive: keeper.alive.clone(),
            _room: room,
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.alive
            .send_modify(|alive| *alive = alive.saturating_sub(1));
    }
}

/// A container that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Container {
    id: String,
    /// Its first process as the host sees it, where the engine is on this machine.
    pid: Option<i64>,
    /// What was counted for earlier code.
    counted_before: Counters,
    place: Option<Counted>,
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

    /// What the kernel counted since the code began that runs, where the host can read it.
    pub(super) fn counters(&self) -> Option<Counters> {
        let all = cgroup::counters(self.pid, &self.id)?;
        Some(all.since(self.counted_before))
    }

    /// More code is to follow, which has no part in what was counted until now.
    pub(super) fn note_counters(&mut self) {
        self.counted_before = cgroup::counters(self.pid, &self.id).unwrap_or_default();
    }

    /// Sets the processor quota, and compares the container with what was asked for.
    async fn examine(&mut self, hello: Hello) -> Result<Proof, Error> {
        let keeper = Arc::clone(&self.keeper);
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
        self.pid = state.and_then(|state| state.pid).filter(|pid| *pid > 0);
        let limits = cgroup::limits(self.pid, &self.id);
        let environment = &keeper.image_environment;
        Ok(Proof::of(
            hello,
            &inspected,
            &limits,
            &keeper.request,
            environment,
        ))
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
        let Some(place) = self.place.take() else {
            return;
        };
        let (keeper, id) = (Arc::clone(&self.keeper), self.id.clone());
        self.keeper.runtime.spawn(async move {
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
    pub(super) proof: Proof,
    /// Messages of which the end is still to come, of a job that has ended.
    pub(super) unfinished: Option<Assembler>,
}

impl Started {
    /// Whether it still waits for code.
    pub(super) fn is_waiting(&mut self) -> bool {
        self.reader.is_silent()
    }

    /// Removes the container, in which nothing runs any more, when the answer is on its way: what the
    /// engine has to do for it would take its time from that.
    pub(super) fn end_later(self) {
        let Self {
            container,
            reader,
            writer,
            ..
        } = self;
        let runtime = container.keeper.runtime.clone();
        runtime.spawn(async move {
            tokio::time::sleep(ENDS_LATER).await;
            drop((reader, writer));
            tokio::time::sleep(ENDS_BY_ITSELF).await;
            drop(container);
        });
    }
}
