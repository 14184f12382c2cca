//! Workers that are started and confined, and wait for code.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::confine::{self, Launcher, Measured};
use super::place::{Reader, Worker};
use super::signatures::Module;
use super::{Error, Plan};
use crate::sandbox::frames::{Assembled, Assembler, Kind, unpack_json};
use crate::sandbox::running::FrameWriter;

/// From the start of a worker to its report.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// Until a worker is started in the place of one that was taken: that one's code is mostly done by then.
const PAUSE: Duration = Duration::from_millis(10);
/// The most that a report may be.
const MAX_HELLO: usize = 256 << 10;

/// What is known of compiled modules, by their text: each is read once.
#[derive(Debug, Default)]
pub(super) struct Signatures(Mutex<HashMap<[u8; 32], Arc<Module>>>);

/// Modules whose signatures are kept.
const KEPT: usize = 64;

impl Signatures {
    /// What a compiled module has.
    pub(super) fn of(&self, source: &str) -> Arc<Module> {
        use sha2::Digest as _;
        let key: [u8; 32] = sha2::Sha256::digest(source).into();
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&key) {
            return Arc::clone(found);
        }
        if known.len() >= KEPT {
            known.clear();
        }
        let found = Arc::new(super::signatures::read(source));
        known.insert(key, Arc::clone(&found));
        found
    }
}

/// Starts workers and holds some ready.
pub(super) struct Pool {
    plan: Plan,
    launcher: Launcher,
    runtime: Handle,
    signatures: Arc<Signatures>,
    /// Room for workers, those that run included.
    room: Arc<Semaphore>,
    ready: Mutex<Ready>,
}

#[derive(Default)]
struct Ready {
    workers: VecDeque<Worker>,
    /// Workers that are being started to be held ready.
    coming: usize,
    is_closed: bool,
}

impl Pool {
    pub(super) fn new(plan: Plan) -> Result<Arc<Self>, Error> {
        let launcher = Launcher::new().map_err(|error| Error::Start(error.to_string()))?;
        Ok(Arc::new(Self {
            room: Arc::new(Semaphore::new(plan.most.clamp(1, Semaphore::MAX_PERMITS))),
            plan,
            launcher,
            runtime: Handle::current(),
            signatures: Arc::default(),
            ready: Mutex::default(),
        }))
    }

    /// A worker without code. Another takes its place.
    pub(super) async fn take(self: &Arc<Self>) -> Result<Worker, Error> {
        loop {
            let waiting = {
                let mut ready = self.held();
                if ready.is_closed {
                    return Err(Error::Closed);
                }
                ready.workers.pop_front()
            };
            let Some(mut worker) = waiting else {
                let worker = self.start().await;
                self.refill();
                return worker;
            };
            if worker.is_alive() {
                self.begin(self.plan.size, PAUSE);
                return Ok(worker);
            }
        }
    }

    /// Starts a worker, which is kept.
    pub(super) async fn prove(self: &Arc<Self>) -> Result<(), Error> {
        let worker = self.start().await?;
        self.keep(worker);
        self.refill();
        Ok(())
    }

    /// Sees to it that one waits.
    pub(super) fn expect(self: &Arc<Self>) {
        if self.plan.size == 0 {
            self.begin(1, Duration::ZERO);
        }
    }

    /// Workers that wait for code.
    pub(super) fn ready(&self) -> usize {
        self.held().workers.len()
    }

    /// Ends the workers that wait; none is started any more.
    pub(super) async fn close(&self) {
        let workers = {
            let mut ready = self.held();
            ready.is_closed = true;
            std::mem::take(&mut ready.workers)
        };
        for worker in workers {
            worker.end_now().await;
        }
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Ready> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, worker: Worker) {
        let mut ready = self.held();
        if !ready.is_closed {
            ready.workers.push_back(worker);
        }
    }

    fn refill(self: &Arc<Self>) {
        self.begin(self.plan.size, Duration::ZERO);
    }

    /// Starts as many as are lacking, in the background; where others wait still, after a pause.
    fn begin(self: &Arc<Self>, size: usize, pause: Duration) {
        let (lacking, pause) = {
            let mut ready = self.held();
            if ready.is_closed {
                return;
            }
            let there = ready.workers.len() + ready.coming;
            let lacking = size.saturating_sub(there);
            ready.coming += lacking;
            let is_last = ready.workers.is_empty();
            (lacking, if is_last { Duration::ZERO } else { pause })
        };
        for _ in 0..lacking {
            let pool = Arc::clone(self);
            self.runtime.spawn(async move {
                tokio::time::sleep(pause).await;
                let started = pool.start().await;
                pool.held().coming -= 1;
                match started {
                    Ok(worker) => pool.keep(worker),
                    Err(error) => tracing::warn!(%error, "no worker could be held ready"),
                }
            });
        }
    }

    /// A worker whose confinement is proven.
    async fn start(&self) -> Result<Worker, Error> {
        let room = Arc::clone(&self.room).acquire_owned().await;
        let room = room.map_err(|_| Error::Closed)?;
        let command = confine::command(&self.plan.program, &self.plan.arguments);
        let child = self.launcher.spawn(command).await;
        let mut child = child.map_err(|error| Error::Start(error.to_string()))?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = streams else {
            return Err(Error::Start("it has no streams".to_owned()));
        };
        let mut reader = Reader::new(output, errors);
        let hello = tokio::time::timeout(START_TIMEOUT, hello(&mut reader)).await;
        let measured = hello
            .map_err(|_| {
                Error::NotReady(format!("nothing came within {} s", START_TIMEOUT.as_secs()))
            })?
            .map_err(Error::NotReady)?;
        let findings = confine::judge(&measured, &self.plan.limits.confinement());
        if !findings.is_empty() {
            return Err(Error::NotProven(findings));
        }
        Ok(Worker::new(
            child,
            reader,
            FrameWriter::new(Box::pin(input)),
            self.plan.calls,
            Arc::clone(&self.signatures),
            room,
        ))
    }
}

/// The report of a worker.
async fn hello(reader: &mut Reader) -> Result<Measured, String> {
    let mut assembler = Assembler::new(MAX_HELLO);
    loop {
        let Some(frame) = reader.next().await? else {
            let said = reader.complaints().await;
            return Err(if said.is_empty() {
                "it ended without a word".to_owned()
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
