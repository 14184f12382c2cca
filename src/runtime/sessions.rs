//! Sessions: Python state that a principal keeps from one execution to the next. One execution at a
//! time runs in a session; it ends when its principal says so, when it was not used for long, when
//! it is old, and with an execution that takes its sandbox along.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedMutexGuard, watch};

use super::identifier;
use super::result::{ErrorType, Refusal};
use crate::config::Settings;
use crate::sandbox::Session;

/// How often sessions that are over are looked for; more often where they are short.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How many executions may wait for one session.
const MOST_WAITING: usize = 4;

/// The sessions of this process. Cheap to clone.
#[derive(Clone)]
pub(super) struct Sessions(Arc<Shared>);

struct Shared {
    most: usize,
    most_of_one: usize,
    idle: Duration,
    age: Duration,
    patience: Duration,
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    by_id: HashMap<String, Arc<Entry>>,
    /// Whether somebody looks for those that are over.
    looked_after: bool,
    /// Nothing is opened any more.
    closed: bool,
}

struct Entry {
    principal: String,
    born: Instant,
    used: Mutex<Instant>,
    /// How many executions wait for it.
    waiting: AtomicUsize,
    /// Set when it is to end whatever runs in it.
    ended: watch::Sender<bool>,
    held: Arc<tokio::sync::Mutex<Held>>,
}

/// What a session holds.
#[derive(Default)]
pub(super) struct Held {
    /// Where it runs; `None` before its first execution, and when that is gone.
    pub(super) session: Option<Box<dyn Session>>,
    /// All code that ran in it, which the guard judges together with what follows.
    pub(super) earlier: Earlier,
}

/// Code that ran in a session.
#[derive(Default)]
pub(super) struct Earlier {
    /// One piece after the other, each with a line feed behind it.
    pub(super) code: String,
    /// Where each piece begins.
    pub(super) starts: Vec<usize>,
}

impl Earlier {
    /// Adds a piece.
    pub(super) fn add(&mut self, code: &str) {
        self.starts.push(self.code.len());
        self.code.push_str(code.trim_start_matches('\u{feff}'));
        self.code.push('\n');
    }
}

/// A session in the hands of one execution. One that holds no open sandbox then is over.
pub(super) struct Lease {
    pub(super) id: String,
    pub(super) held: OwnedMutexGuard<Held>,
    ended: watch::Receiver<bool>,
    entry: Arc<Entry>,
    shared: Arc<Shared>,
}

impl Sessions {
    pub(super) fn new(settings: &Settings) -> Self {
        Self(Arc::new(Shared {
            most: settings.sessions.most,
            most_of_one: settings.sessions.most.div_ceil(2),
            idle: settings.sessions.idle,
            age: settings.sessions.max_age,
            patience: settings.queue.patience,
            entries: Mutex::default(),
        }))
    }

    /// A new session.
    pub(super) fn open(&self, principal: &str) -> Result<Lease, Refusal> {
        let id = identifier::random().map_err(|error| Refusal::internal(&error))?;
        let held = Arc::new(tokio::sync::Mutex::new(Held::default()));
        let entry = Arc::new(Entry {
            principal: principal.to_owned(),
            born: Instant::now(),
            used: Mutex::new(Instant::now()),
            waiting: AtomicUsize::new(0),
            ended: watch::Sender::new(false),
            held: Arc::clone(&held),
        });
        let mut entries = self.0.entries();
        let own = entries.by_id.values();
        let own = own.filter(|entry| entry.principal == principal).count();
        if entries.closed || entries.by_id.len() >= self.0.most || own >= self.0.most_of_one {
            return Err(too_many(self.0.most, own));
        }
        entries.by_id.insert(id.clone(), Arc::clone(&entry));
        if !std::mem::replace(&mut entries.looked_after, true) {
            let pause = LOOK_EVERY.min(self.0.idle / 4).min(self.0.age / 4);
            tokio::spawn(look_after(Arc::downgrade(&self.0), pause));
        }
        drop(entries);
        let held = held
            .try_lock_owned()
            .map_err(|error| Refusal::internal(&error))?;
        Ok(self.lease(id, entry, held))
    }

    /// The session of this id, once nothing else runs in it.
    pub(super) async fn resume(&self, principal: &str, id: &str) -> Result<Lease, Refusal> {
        let entry = self.0.entry(principal, id).ok_or_else(|| unknown(id))?;
        let busy = || {
            let message = "another execution is running in the session";
            Refusal::new(ErrorType::Busy, message)
                .hint("wait for its result, or open a new session")
        };
        let waiting = Waiting::behind(&entry.waiting);
        if waiting.count > MOST_WAITING {
            return Err(busy());
        }
        let held = Arc::clone(&entry.held).lock_owned();
        let held = tokio::time::timeout(self.0.patience, held).await;
        let mut held = held.map_err(|_| busy())?;
        drop(waiting);
        if held.session.is_none() || *entry.ended.borrow() {
            return Err(unknown(id));
        }
        if entry.born.elapsed() > self.0.age {
            held.session = None;
            self.0.remove(id, &entry);
            return Err(unknown(id));
        }
        Ok(self.lease(id.to_owned(), entry, held))
    }

    /// Ends a session, and what runs in it.
    pub(super) fn end(&self, principal: &str, id: &str) -> Result<(), Refusal> {
        let entry = self.0.entry(principal, id).ok_or_else(|| unknown(id))?;
        self.0.remove(id, &entry);
        Ok(())
    }

    /// Ends all sessions, and opens none any more.
    pub(super) fn close(&self) {
        let all = {
            let mut entries = self.0.entries();
            entries.closed = true;
            std::mem::take(&mut entries.by_id)
        };
        for entry in all.into_values() {
            entry.ended.send_replace(true);
            // What runs ends by itself, now that it was told.
            if let Ok(mut held) = entry.held.try_lock() {
                held.session = None;
            }
        }
    }

    fn lease(&self, id: String, entry: Arc<Entry>, held: OwnedMutexGuard<Held>) -> Lease {
        Lease {
            id,
            held,
            ended: entry.ended.subscribe(),
            entry,
            shared: Arc::clone(&self.0),
        }
    }
}

/// One who waits for a session, counted while it lives.
struct Waiting<'a> {
    waiting: &'a AtomicUsize,
    /// How many there are with this one.
    count: usize,
}

impl<'a> Waiting<'a> {
    fn behind(waiting: &'a AtomicUsize) -> Self {
        let count = waiting.fetch_add(1, Ordering::Relaxed) + 1;
        Self { waiting, count }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Lease {
    /// Waits until somebody ends the session.
    pub(super) fn ended(&self) -> impl Future<Output = ()> + use<> {
        let mut ended = self.ended.clone();
        async move {
            if ended.wait_for(|ended| *ended).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Whether the session goes on after this execution.
    pub(super) fn goes_on(&self) -> bool {
        let session = self.held.session.as_ref();
        session.is_some_and(|session| session.is_open())
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        *lock(&self.entry.used) = Instant::now();
        if !self.goes_on() {
            self.held.session = None;
            self.shared.remove(&self.id, &self.entry);
        }
    }
}

impl Shared {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        lock(&self.entries)
    }

    /// The session, if it is the principal's.
    fn entry(&self, principal: &str, id: &str) -> Option<Arc<Entry>> {
        let entries = self.entries();
        let entry = entries.by_id.get(id)?;
        (entry.principal == principal).then(|| Arc::clone(entry))
    }

    fn remove(&self, id: &str, entry: &Entry) {
        entry.ended.send_replace(true);
        self.entries().by_id.remove(id);
    }

    /// Ends the sessions that are over while nothing runs in them.
    fn end_old(&self) {
        let all: Vec<(String, Arc<Entry>)> = {
            let entries = self.entries();
            let all = entries.by_id.iter();
            all.map(|(id, entry)| (id.clone(), Arc::clone(entry)))
                .collect()
        };
        for (id, entry) in all {
            let is_over =
                lock(&entry.used).elapsed() > self.idle || entry.born.elapsed() > self.age;
            if is_over && let Ok(mut held) = entry.held.try_lock() {
                held.session = None;
                self.remove(&id, &entry);
            }
        }
    }
}

async fn look_after(shared: Weak<Shared>, pause: Duration) {
    loop {
        tokio::time::sleep(pause).await;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        shared.end_old();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn too_many(most: usize, own: usize) -> Refusal {
    let message = format!(
        "no more sessions may be open ({most}, half of them of one caller: `MCE_MAX_SESSIONS`; yours: {own})"
    );
    let hint = if own == 0 {
        "try again later, or run the code without a session"
    } else {
        "end one by `end_session`, or run the code without a session"
    };
    Refusal::new(ErrorType::Busy, message).hint(hint)
}

/// One text for unknown, foreign and ended ids: they must look alike.
fn unknown(id: &str) -> Refusal {
    let id: String = id.chars().take(64).collect();
    let message = format!("no session has the id `{id}`: it ended, or it never was");
    Refusal::new(ErrorType::Validation, message)
        .hint("open one with `session_id: \"new\"` and run again what it needs")
}
