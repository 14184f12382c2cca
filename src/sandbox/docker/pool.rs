//! Started containers that wait for code, each for one execution or one session. Whoever needs one
//! takes it and another is started in its place; where none is ready, the next that is gets handed
//! to whoever waits longest.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::container::{Keeper, Started};
use super::error::Error;
use super::proof::Proof;
use crate::config::Settings;

/// How often containers that are too old or gone are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// How much later a container is started that nobody waits for: it would take its time from code that
/// begins now.
const START_LATER: Duration = Duration::from_millis(50);
/// Demand counts for so long.
const MEMORY: Duration = Duration::from_mins(5);
/// After a failure the next attempt that nobody waits for is made after this, then after twice that.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How many containers are held ready.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// Held ready also while nothing runs.
    pub(super) minimum: usize,
    /// The most that are held ready, while much runs.
    pub(super) size: usize,
    /// One that waited longer is replaced.
    pub(super) max_age: Duration,
    /// How many are started at once while nobody waits.
    pub(super) at_once: usize,
    /// How many are started at once where as many wait. More than the engine has processors would take
    /// longer each, and what else the machine does would wait for them.
    pub(super) most_at_once: usize,
}

impl Plan {
    /// That of the settings, for an engine with so many processors.
    pub(super) fn new(settings: &Settings, processors: usize) -> Self {
        let size = settings.most_held_ready();
        let at_once = settings.pool.starts.max(1);
        Self {
            minimum: settings.pool.minimum.min(size),
            size,
            max_age: settings.pool.max_age,
            at_once,
            most_at_once: at_once.max(processors),
        }
    }
}

/// The pool of one sandbox.
pub(super) struct Pool {
    keeper: Arc<Keeper>,
    plan: Plan,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ready: VecDeque<Ready>,
    /// How many containers are being started.
    starting: usize,
    /// Who waits for one, the first first.
    waiting: VecDeque<oneshot::Sender<Result<Started, Error>>>,
    /// When containers were asked for, of late.
    asked: VecDeque<Instant>,
    failures: u32,
    /// No container that nobody waits for is started before this.
    not_before: Option<Instant>,
    closed: bool,
}

struct Ready {
    started: Started,
    since: Instant,
    /// It is kept although no more are planned for.
    asked_for: bool,
}

impl State {
    /// How many should be ready: as many as were asked for at most within the time that demand
    /// counts for, and one more.
    fn target(&mut self, plan: &Plan, now: Instant) -> usize {
        while self
            .asked
            .front()
            .is_some_and(|at| now.duration_since(*at) > MEMORY)
            || self.asked.len() > plan.size
        {
            self.asked.pop_front();
        }
        let demand = match self.asked.len() {
            0 => 0,
            count => count + 1,
        };
        demand.clamp(plan.minimum, plan.size)
    }

    /// How many containers to start now.
    fn missing(&mut self, plan: &Plan, now: Instant) -> usize {
        if self.closed {
            return 0;
        }
        self.waiting.retain(|waiting| !waiting.is_closed());
        let waiting = self.waiting.len();
        let in_stock = match self.not_before {
            Some(at) if now < at => 0,
            _ => self.target(plan, now),
        };
        let wanted = waiting + in_stock;
        // One that is too old serves until there is another.
        let is_fresh = |ready: &&Ready| now.duration_since(ready.since) <= plan.max_age;
        let fresh = self.ready.iter().filter(is_fresh).count();
        let at_once = waiting.clamp(plan.at_once, plan.most_at_once);
        let room = at_once.saturating_sub(self.starting);
        wanted.saturating_sub(fresh + self.starting).min(room)
    }

    /// The one that waited longest, without those that are gone.
    fn first_ready(&mut self) -> Option<Started> {
        loop {
            let mut ready = self.ready.pop_front()?;
            if ready.started.is_waiting() {
                return Some(ready.started);
            }
        }
    }

    /// Whether there is none and none is on its way, and one can be had.
    fn has_none(&self, now: Instant) -> bool {
        let may_start = self.not_before.is_none_or(|at| at <= now);
        self.ready.is_empty() && self.starting == 0 && may_start && !self.closed
    }
}

impl Pool {
    /// A pool, and the task that looks after it until it is dropped.
    pub(super) fn new(keeper: Arc<Keeper>, plan: Plan) -> Arc<Self> {
        let pool = Arc::new(Self {
            keeper,
            plan,
            state: Mutex::default(),
        });
        if plan.size > 0 {
            tokio::spawn(look_after(Arc::downgrade(&pool)));
        }
        pool
    }

    /// A proven container that nothing ever ran in.
    pub(super) async fn take(self: &Arc<Self>) -> Result<Started, Error> {
        let taken = {
            let mut state = self.state();
            if state.closed {
                return Err(Error::Closed);
            }
            state.asked.push_back(Instant::now());
            state.first_ready().ok_or_else(|| {
                let (sender, receiver) = oneshot::channel();
                state.waiting.push_back(sender);
                receiver
            })
        };
        match taken {
            Ok(started) => {
                self.fill_later();
                Ok(started)
            }
            Err(receiver) => {
                self.fill();
                receiver.await.unwrap_or(Err(Error::Closed))
            }
        }
    }

    /// Starts a container, and keeps it where it is proven. Its checks.
    pub(super) async fn prove(self: &Arc<Self>) -> Result<Proof, Error> {
        let started = self.keeper.start().await?;
        let proof = started.proof.clone();
        self.keep(started, true);
        self.fill();
        Ok(proof)
    }

    /// Somebody will soon ask for a container: one is made ready where none is.
    pub(super) fn expect(self: &Arc<Self>) {
        let starts = {
            let mut state = self.state();
            let starts = self.plan.size > 0 && state.has_none(Instant::now());
            state.starting += usize::from(starts);
            starts
        };
        if starts {
            self.start(true);
        }
    }

    /// How many containers are ready.
    pub(super) fn ready(&self) -> usize {
        self.state().ready.len()
    }

    /// Starts nothing any more, and lets go of what is ready and of who waits.
    pub(super) fn close(&self) {
        let (ready, waiting) = {
            let mut state = self.state();
            state.closed = true;
            (
                std::mem::take(&mut state.ready),
                std::mem::take(&mut state.waiting),
            )
        };
        drop((ready, waiting));
    }

    /// Starts what is missing in a moment.
    fn fill_later(self: &Arc<Self>) {
        let pool = Arc::clone(self);
        tokio::spawn(async move {
            tokio::time::sleep(START_LATER).await;
            pool.fill();
        });
    }

    /// Starts what is missing.
    fn fill(self: &Arc<Self>) {
        let count = {
            let mut state = self.state();
            let count = state.missing(&self.plan, Instant::now());
            state.starting += count;
            count
        };
        for _ in 0..count {
            self.start(false);
        }
    }

    /// Starts a container, which is counted as starting already.
    fn start(self: &Arc<Self>, asked_for: bool) {
        let pool = Arc::clone(self);
        tokio::spawn(async move {
            let started = pool.keeper.start().await;
            pool.arrived(started, asked_for);
            pool.fill();
        });
    }

    /// A container that was started for whoever needs it, or why there is none.
    fn arrived(&self, started: Result<Started, Error>, asked_for: bool) {
        let mut state = self.state();
        state.starting = state.starting.saturating_sub(1);
        match started {
            Ok(started) => {
                state.failures = 0;
                state.not_before = None;
                drop(state);
                self.keep(started, asked_for);
            }
            Err(error) => {
                let pause = FIRST_PAUSE.saturating_mul(1 << state.failures.min(8));
                state.failures = state.failures.saturating_add(1);
                state.not_before = Some(Instant::now() + pause.min(LONGEST_PAUSE));
                if !state.closed && state.failures == 1 {
                    tracing::warn!(%error, "no container could be started");
                }
                // One failure for one who waits, unless there is another start for each.
                state.waiting.retain(|waiting| !waiting.is_closed());
                let mut error = Err(error);
                while state.starting < state.waiting.len()
                    && let Some(waiting) = state.waiting.pop_front()
                {
                    match waiting.send(error) {
                        Ok(()) => break,
                        Err(back) => error = back,
                    }
                }
            }
        }
    }

    /// Hands a container to who waits longest, else keeps it, also beyond what is planned for where
    /// it is the only one and was `asked_for`.
    fn keep(&self, started: Started, asked_for: bool) {
        let mut started = Ok(started);
        let mut state = self.state();
        while let Some(waiting) = state.waiting.pop_front() {
            match waiting.send(started) {
                Ok(()) => return,
                Err(back) => started = back,
            }
        }
        let now = Instant::now();
        let target = state.target(&self.plan, now).max(usize::from(asked_for));
        let Ok(started) = started else { return };
        if state.ready.len() >= target
            && let Some(first) = state.ready.front()
            && now.duration_since(first.since) > self.plan.max_age
        {
            state.ready.pop_front();
        }
        if !state.closed && state.ready.len() < target {
            state.ready.push_back(Ready {
                started,
                since: now,
                asked_for,
            });
        }
    }

    /// Lets go of containers that are too many or gone, and starts those that are missing.
    fn renew(self: &Arc<Self>) {
        let gone = {
            let mut state = self.state();
            let now = Instant::now();
            let target = state.target(&self.plan, now);
            let mut gone = Vec::new();
            for mut ready in std::mem::take(&mut state.ready) {
                let is_old = now.duration_since(ready.since) > self.plan.max_age;
                let target = target.max(usize::from(ready.asked_for && !is_old));
                if state.ready.len() >= target || !ready.started.is_waiting() {
                    gone.push(ready);
                } else {
                    state.ready.push_back(ready);
                }
            }
            gone
        };
        drop(gone);
        self.fill();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn look_after(pool: Weak<Pool>) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let Some(pool) = pool.upgrade() else { return };
        if pool.state().closed {
            return;
        }
        pool.renew();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan {
        minimum: 1,
        size: 4,
        max_age: Duration::from_mins(1),
        at_once: 2,
        most_at_once: 3,
    };

    fn asked(times: usize) -> State {
        let mut state = State::default();
        state.asked.extend((0..times).map(|_| Instant::now()));
        state
    }

    #[test]
    fn as_many_are_held_as_were_asked_for_of_late_and_one_more() {
        let now = Instant::now();
        let targets = [0, 1, 2, 9].map(|times| asked(times).target(&PLAN, now));
        assert_eq!(targets, [1, 2, 3, 4]);
        let later = now + MEMORY + Duration::from_secs(1);
        assert_eq!(asked(3).target(&PLAN, later), 1);
    }

    #[test]
    fn more_are_started_at_once_where_more_wait_up_to_the_processors() {
        let now = Instant::now();
        let mut quiet = asked(9);
        assert_eq!(quiet.missing(&PLAN, now), 2);
        quiet.starting = 1;
        assert_eq!(quiet.missing(&PLAN, now), 1);
        let mut busy = asked(9);
        let mut wait = || {
            let (sender, receiver) = oneshot::channel();
            busy.waiting.push_back(sender);
            (receiver, busy.missing(&PLAN, now))
        };
        let (receivers, missing): (Vec<_>, Vec<_>) = (0..5).map(|_| wait()).unzip();
        assert_eq!(missing, [2, 2, 3, 3, 3]);
        // Who went away needs none.
        drop(receivers);
        assert_eq!(busy.missing(&PLAN, now), 2);
    }

    #[test]
    fn one_is_expected_where_there_is_none_and_one_can_be_had() {
        let now = Instant::now();
        let later = Some(now + Duration::from_secs(1));
        let with = |change: fn(&mut State)| {
            let mut state = State::default();
            change(&mut state);
            state
        };
        assert!(with(|_| ()).has_none(now));
        assert!(!with(|state| state.starting = 1).has_none(now));
        assert!(!with(|state| state.closed = true).has_none(now));
        let mut failed = with(|state| state.failures = 1);
        failed.not_before = later;
        assert!(!failed.has_none(now));
        failed.not_before = Some(now);
        assert!(failed.has_none(now));
    }

    #[test]
    fn after_a_failure_only_who_waits_is_served() {
        let now = Instant::now();
        let mut state = asked(1);
        state.not_before = Some(now + Duration::from_secs(1));
        assert_eq!(state.missing(&PLAN, now), 0);
        let (sender, _receiver) = oneshot::channel();
        state.waiting.push_back(sender);
        assert_eq!(state.missing(&PLAN, now), 1);
        state.closed = true;
        assert_eq!(state.missing(&PLAN, now), 0);
    }
}
