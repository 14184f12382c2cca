//! The compiled servers: which there are, and the load check each passes before its first use.
//!
//! Invariant: what is used is the very text that was checked. It is read once and kept while it is
//! used; a server that is compiled anew is read and checked anew.
//!
//! - `folders`: which there are; `slot`: one of them; `stamp`: how a change is noticed; `memory`: which checked servers stay in
//!   memory; `readable`: what is kept of the others.

mod folders;
mod memory;
mod readable;
mod slot;
mod stamp;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use futures::StreamExt as _;
use tokio::sync::Semaphore;

pub(super) use self::folders::is_identifier;
use self::folders::is_whole_folder;
pub use self::folders::{compiled_folders, served_names};
use self::memory::Memory;
pub(super) use self::readable::{About, Readable};
pub(super) use self::slot::{Refused, Served, Verdict};
use self::slot::{Seen, Slot};
use self::stamp::Stamp;
use super::catalogue::Entry;
use super::egress::Targets;
use super::load::Problem;
use super::own_thread::own_thread;
use crate::config::{Config, ServerConfig, Settings};
use crate::guard::CompiledNames;

/// Servers that are read or checked at once: each takes a thread and several times its size in memory, and
/// there are seldom more processors to spare.
pub(super) const READS_AT_ONCE: usize = 4;

/// Bytes of compiled files whose servers stay in memory, where they take several times as much: those in
/// use. What is only shown needs less: see `readable`.
const KEPT_BYTES: u64 = 8 << 20;

/// The same of servers that nobody asked for yet: all of a small installation.
const UNASKED_BYTES: u64 = 1 << 20;

/// Reads a server below the folder of compiled output, and checks it.
pub(super) type Load = fn(&Path, &str, &Arc<ServerConfig>) -> Result<Served, Problem>;

/// Every server there is.
pub(super) struct Registry {
    output: PathBuf,
    slots: BTreeMap<String, Arc<Slot>>,
    targets: RwLock<Arc<Targets>>,
    memory: Mutex<Memory>,
    reads: Arc<Semaphore>,
    load: Load,
    /// Whether every server of the folder is served.
    whole_folder: bool,
}

impl Registry {
    /// Finds the servers, see [`served_names`].
    pub(super) fn find(settings: &Settings, config: Option<&Config>, load: Load) -> Self {
        let folder = &settings.compiled_output_dir;
        let mut configs: BTreeMap<String, Arc<ServerConfig>> = config
            .map(|config| config.servers.as_slice())
            .unwrap_or_default()
            .iter()
            .map(|server| (server.name.clone(), Arc::new(server.clone())))
            .collect();
        let whole_folder = is_whole_folder(settings, config);
        let slots = served_names(settings, config)
            .into_iter()
            .map(|name| {
                let slot = Slot::new(&name, configs.remove(&name), folder);
                (name, slot)
            })
            .collect();
        // Plain requests must stay off every server, so that all of them are needed at once.
        let memory = if settings.allowed_domains.is_some() {
            Memory::new(u64::MAX, u64::MAX)
        } else {
            Memory::new(KEPT_BYTES, UNASKED_BYTES)
        };
        Self {
            output: folder.clone(),
            slots,
            targets: RwLock::default(),
            memory: Mutex::new(memory),
            reads: Arc::new(Semaphore::new(READS_AT_ONCE)),
            load,
            whole_folder,
        }
    }

    /// The config entries of all servers, checked or not.
    pub(super) fn configs(&self) -> Vec<Arc<ServerConfig>> {
        self.slots
            .values()
            .map(|slot| Arc::clone(&slot.config))
            .collect()
    }

    /// The names of all servers, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.slots.keys().map(String::as_str)
    }

    /// The names after `name`.
    pub(super) fn names_after(&self, name: &str) -> impl Iterator<Item = &str> {
        let after = (Bound::Excluded(name), Bound::Unbounded);
        let names = self.slots.range::<str, _>(after);
        names.map(|(name, _)| name.as_str())
    }

    /// The checked servers that are in memory.
    pub(super) fn targets(&self) -> Arc<Targets> {
        let targets = self.targets.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&targets)
    }

    /// The same with these, of which some may have left meanwhile.
    pub(super) fn targets_with<'s>(
        &self,
        needed: impl IntoIterator<Item = &'s Arc<Served>>,
    ) -> Arc<Targets> {
        let mut targets = self.targets();
        for served in needed {
            let name = &served.manifest().server;
            let is_there = targets
                .get(name)
                .is_some_and(|target| Arc::ptr_eq(&target.manifest, &served.target.manifest));
            if !is_there {
                Arc::make_mut(&mut targets).insert(name.clone(), served.target.clone());
            }
        }
        targets
    }

    /// The server of this name, checked now unless it was before; `None` where there is none.
    pub(super) async fn server(&self, name: &str) -> Option<Result<Arc<Served>, Refused>> {
        let slot = self.slots.get(name)?;
        let mut served = slot.served.lock().await;
        let checked = match &*served {
            Some(served) if self.memory().touch(name) => return Some(Ok(Arc::clone(served))),
            // It was to leave while it was asked for.
            Some(served) => Ok(Arc::clone(served)),
            None => self.check(name, slot).await,
        };
        if let Ok(passed) = &checked {
            *served = Some(Arc::clone(passed));
            let leaving = self.memory().add(name, slot.weight());
            self.enter(passed, &leaving);
            for name in leaving {
                self.drop_from_memory(&name);
            }
        }
        Some(checked)
    }

    /// What is shown of the server of this name: one that was checked and left memory is read without
    /// another load check, as long as its text is the one that was checked.
    pub(super) async fn readable(&self, name: &str) -> Option<Result<Readable, Refused>> {
        let known = self.slots.get(name)?.seen().known.clone();
        if let Some(known) = known
            && !self.memory().holds(name)
        {
            let output = self.output.clone();
            if let Some(Some(readable)) = self.read(move || known.read(&output)).await {
                return Some(Ok(readable));
            }
        }
        let served = self.server(name).await?;
        Some(served.map(|served| served.readable()))
    }

    /// Checks a server and keeps it where there is room.
    pub(super) async fn examine(&self, name: &str) -> Option<Result<Arc<Served>, Refused>> {
        let slot = self.slots.get(name)?;
        if self.memory().has_room(slot.weight()) {
            return self.server(name).await;
        }
        let served = slot.served.lock().await;
        Some(match &*served {
            Some(served) => Ok(Arc::clone(served)),
            None => self.check(name, slot).await,
        })
    }

    /// Those servers of `names` that exist, each with the outcome of its load check.
    pub(super) async fn servers(
        &self,
        names: Vec<String>,
    ) -> Vec<(String, Result<Arc<Served>, Refused>)> {
        let found: Vec<_> = futures::stream::iter(names)
            .map(|name| self.named(name))
            .buffered(READS_AT_ONCE)
            .collect()
            .await;
        found.into_iter().flatten().collect()
    }

    async fn named(&self, name: String) -> Option<(String, Result<Arc<Served>, Refused>)> {
        let served = self.server(&name).await?;
        Some((name, served))
    }

    /// What lists show of a server, which needs no load check; `None` where it cannot be read.
    pub(super) async fn entry(&self, name: &str) -> Option<Arc<Entry>> {
        let slot = self.slots.get(name)?;
        let mut entry = slot.entry.lock().await;
        if entry.is_none() {
            let (output, server) = (self.output.clone(), name.to_owned());
            let read = self.read(move || Entry::read(&output, &server)).await;
            *entry = read.flatten().map(Arc::new);
        }
        entry.clone()
    }

    /// What is known of a server's load check.
    pub(super) fn verdict(&self, name: &str) -> Verdict {
        let slot = self.slots.get(name);
        slot.map(|slot| slot.seen().verdict.clone())
            .unwrap_or_default()
    }

    /// Whether the config says that a server only reads.
    pub(super) fn is_configured_read_only(&self, name: &str) -> bool {
        let slot = self.slots.get(name);
        slot.is_some_and(|slot| slot.config.is_read_only)
    }

    /// Bytes of a server's compiled files.
    pub(super) fn bytes(&self, name: &str) -> u64 {
        self.slots.get(name).map_or(0, |slot| slot.weight())
    }

    /// The names that code can import, of the servers that are `shown`. Those that the code does not
    /// even mention stand there without their functions, so that code need not wait for load checks
    /// it has no use for.
    pub(super) async fn names_for(
        &self,
        code: &str,
        shown: impl Fn(&str) -> bool,
    ) -> (CompiledNames, Vec<Refused>) {
        let all = || self.names().filter(|name| shown(name));
        let mentioned = all().filter(|name| code.contains(name));
        let mentioned = mentioned.map(str::to_owned).collect();
        let mut names: CompiledNames = all()
            .map(|name| (name.to_owned(), BTreeSet::new()))
            .collect();
        let mut refused = Vec::new();
        for (name, served) in self.servers(mentioned).await {
            match served {
                Ok(served) => {
                    let functions = served.manifest().functions.iter();
                    let functions = functions.map(|function| function.name.clone()).collect();
                    names.insert(name, functions);
                }
                Err(refusal) => refused.push(refusal),
            }
        }
        (names, refused)
    }

    /// Looks for servers that were compiled anew or removed, and forgets what was known of them.
    /// What runs goes on with what it began with. Reads the file system.
    pub(super) fn refresh(&self) -> Changes {
        let mut changes = Changes::default();
        for (name, slot) in &self.slots {
            let stamp = Stamp::of(&self.output.join(name));
            let mut seen = slot.seen();
            if seen.stamp == stamp {
                continue;
            }
            *seen = Seen::of(stamp);
            drop(seen);
            changes.servers.push(name.clone());
        }
        if self.whole_folder {
            let names = compiled_folders(&self.output).unwrap_or_default();
            let new = names.into_iter();
            changes.new = new.filter(|name| !self.slots.contains_key(name)).collect();
        }
        changes
    }

    /// Forgets what was read of a server before it changed.
    pub(super) async fn forget(&self, name: &str) {
        let Some(slot) = self.slots.get(name) else {
            return;
        };
        *slot.entry.lock().await = None;
        let mut served = slot.served.lock().await;
        *served = None;
        // A check that began before the change may have ended after it.
        let stamp = slot.seen().stamp.clone();
        *slot.seen() = Seen::of(stamp);
        self.memory().remove(name);
        self.leave(name);
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a server callable, and those that leave for it uncallable but by who has them already.
    fn enter(&self, served: &Served, leaving: &[String]) {
        let mut targets = self.targets.write().unwrap_or_else(PoisonError::into_inner);
        let targets = Arc::make_mut(&mut targets);
        for name in leaving {
            targets.remove(name);
        }
        targets.insert(served.manifest().server.clone(), served.target.clone());
    }

    fn leave(&self, name: &str) {
        let mut targets = self.targets.write().unwrap_or_else(PoisonError::into_inner);
        if targets.contains_key(name) {
            Arc::make_mut(&mut targets).remove(name);
        }
    }

    fn drop_from_memory(&self, name: &str) {
        // One that is being asked for stays until it leaves another time.
        if let Some(slot) = self.slots.get(name)
            && let Ok(mut served) = slot.served.try_lock()
        {
            *served = None;
        }
    }

    /// Reads files where waiting for them holds up nobody; `None` where that panics, or
    /// no thread can be had for it.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        // The turn ends with the work, also where nobody waits for it any more.
        let turn = Arc::clone(&self.reads).acquire_owned().await.ok()?;
        own_thread(move || {
            let _turn = turn;
            read()
        })
        .await
    }

    async fn check(&self, name: &str, slot: &Slot) -> Result<Arc<Served>, Refused> {
        let output = self.output.clone();
        let config = Arc::clone(&slot.config);
        let server = name.to_owned();
        let check = self.load;
        let refused = |problem| Refused {
            server: name.to_owned(),
            problem,
        };
        let Some(checked) = self.read(move || check(&output, &server, &config)).await else {
            // That says nothing of the server: what is known of it stays.
            let problem = "the load check could not be made; try again".to_owned();
            return Err(refused(problem.into()));
        };
        let verdict = match &checked {
            Ok(_) => Verdict::Passed,
            Err(problem) => Verdict::Refused(problem.reason.clone()),
        };
        let before = {
            let mut seen = slot.seen();
            seen.known = checked.as_ref().ok().map(Served::known);
            std::mem::replace(&mut seen.verdict, verdict.clone())
        };
        checked.map(Arc::new).map_err(|problem| {
            if before != verdict {
                let reason = &problem.reason;
                tracing::warn!(server = name, %reason, "a compiled server is refused");
            }
            refused(problem)
        })
    }
}

/// What changed in the folder of compiled output.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// Servers that were compiled anew, changed or removed.
    pub(super) servers: Vec<String>,
    /// Folders that were not there at the start.
    pub(super) new: Vec<String>,
}
