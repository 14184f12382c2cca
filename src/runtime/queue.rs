//! How many executions run at once, and who is next: each costs a container, its memory and its
//! processes. Those that wait are served by turns of their principals, and of one principal by turns of
//! its clients, so that one who asks for much holds up nobody but himself.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::result::{ErrorType, Refusal};
use crate::config::Settings;

/// One of those that a principal asks through, such as a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Client(u64);

impl Client {
    /// One that is none of those before.
    #[must_use]
    pub fn another() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self(LAST.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// The queue of this process. Cheap to clone.
#[derive(Clone)]
pub(super) struct Queue(Arc<Shared>);

struct Shared {
    places: usize,
    /// How many may wait.
    most: usize,
    patience: Duration,
    state: Mutex<State>,
}

struct State {
    free: usize,
    /// Who waits, by principal; the first principal is next.
    waiting: VecDeque<(String, Line)>,
    /// How long an execution takes, of late.
    pace: Duration,
}

/// Who waits of one principal, by client; the first client is next.
#[derive(Default)]
struct Line(VecDeque<(Client, VecDeque<oneshot::Sender<Place>>)>);

impl Line {
    fn forget_gone(&mut self) {
        for (_, waiting) in &mut self.0 {
            waiting.retain(|waiting| !waiting.is_closed());
        }
        self.0.retain(|(_, waiting)| !waiting.is_empty());
    }

    fn count(&self) -> usize {
        self.0.iter().map(|(_, waiting)| waiting.len()).sum()
    }

    fn count_of(&self, client: Client) -> usize {
        let mut all = self.0.iter();
        all.find(|(one, _)| *one == client)
            .map_or(0, |(_, waiting)| waiting.len())
    }

    fn add(&mut self, client: Client, sender: oneshot::Sender<Place>) {
        let mut all = self.0.iter_mut();
        if let Some((_, waiting)) = all.find(|(one, _)| *one == client) {
            waiting.push_back(sender);
        } else {
            self.0.push_back((client, VecDeque::from([sender])));
        }
    }

    /// Turns away who came last of the client that has most waiting, if those are more than `fewer`.
    fn turn_away(&mut self, fewer: usize) -> bool {
        let most = self.0.iter_mut().max_by_key(|(_, waiting)| waiting.len());
        most.filter(|(_, waiting)| waiting.len() > fewer)
            .is_some_and(|(_, waiting)| waiting.pop_back().is_some())
    }

    /// Who is next. Whose turn it was comes last.
    fn next(&mut self) -> Option<oneshot::Sender<Place>> {
        let (client, mut waiting) = self.0.pop_front()?;
        let next = waiting.pop_front();
        if !waiting.is_empty() {
            self.0.push_back((client, waiting));
        }
        next
    }
}

impl State {
    /// Drops those that went away.
    fn forget_gone(&mut self) {
        for (_, line) in &mut self.waiting {
            line.forget_gone();
        }
        self.waiting.retain(|(_, line)| line.count() > 0);
    }

    fn count(&self) -> usize {
        self.waiting.iter().map(|(_, line)| line.count()).sum()
    }

    fn line_of(&self, principal: &str) -> Option<&Line> {
        let mut all = self.waiting.iter();
        all.find(|(name, _)| name == principal)
            .map(|(_, line)| line)
    }

    /// Turns away who came last of the principal that has most waiting, for one that would still have
    /// fewer; or of the client that has most, for another one of that principal.
    fn make_room(&mut self, principal: &str, client: Client) -> bool {
        let line = self.line_of(principal);
        let own = line.map_or(0, Line::count);
        let of_client = line.map_or(0, |line| line.count_of(client));
        let most = self.waiting.iter_mut().max_by_key(|(_, line)| line.count());
        let Some((name, line)) = most else {
            return false;
        };
        if line.count() > own + 1 {
            return line.turn_away(0);
        }
        if name == principal {
            return line.turn_away(of_client + 1);
        }
        let mut all = self.waiting.iter_mut();
        all.find(|(name, _)| name == principal)
            .is_some_and(|(_, line)| line.turn_away(of_client + 1))
    }

    /// Who is next. Whose turn it was comes last.
    fn next(&mut self) -> Option<oneshot::Sender<Place>> {
        let (principal, mut line) = self.waiting.pop_front()?;
        let next = line.next();
        if line.count() > 0 {
            self.waiting.push_back((principal, line));
        }
        next
    }
}

/// A place among the executions that run; given on when it is dropped.
pub(super) struct Place {
    /// `None` where the place was given back already.
    queue: Option<Queue>,
    since: Instant,
}

impl Queue {
    pub(super) fn new(settings: &Settings) -> Self {
        let places = settings.max_concurrent_executions.max(1);
        Self(Arc::new(Shared {
            places,
            most: settings.queue.most,
            patience: settings.queue.patience,
            state: Mutex::new(State {
                free: places,
                waiting: VecDeque::new(),
                pace: Duration::from_secs(1),
            }),
        }))
    }

    /// A place, as long as the value is held; `busy` where too many wait or none becomes free.
    pub(super) async fn take(&self, principal: &str, client: Client) -> Result<Place, Refusal> {
        let receiver = {
            let mut state = self.state();
            state.forget_gone();
            if state.free > 0 {
                state.free -= 1;
                return Ok(self.place());
            }
            if state.count() >= self.0.most && !state.make_room(principal, client) {
                return Err(self.busy(&state, "and as many wait as may"));
            }
            let (sender, receiver) = oneshot::channel();
            let mut all = state.waiting.iter_mut();
            if let Some((_, line)) = all.find(|(name, _)| name == principal) {
                line.add(client, sender);
            } else {
                let mut line = Line::default();
                line.add(client, sender);
                state.waiting.push_back((principal.to_owned(), line));
            }
            receiver
        };
        let why = match tokio::time::timeout(self.0.patience, receiver).await {
            Ok(Ok(place)) => return Ok(place),
            Ok(Err(_)) => "and others wait who asked for less".to_owned(),
            Err(_) => format!("for {} seconds", self.0.patience.as_secs_f64()),
        };
        Err(self.busy(&self.state(), &why))
    }

    /// How many places there are, how many of them are free, and how many executions wait.
    pub(super) fn numbers(&self) -> (u64, u64, u64) {
        let mut state = self.state();
        state.forget_gone();
        let [places, free, waiting] = [self.0.places, state.free, state.count()]
            .map(|number| u64::try_from(number).unwrap_or(u64::MAX));
        (places, free, waiting)
    }

    fn place(&self) -> Place {
        Place {
            queue: Some(self.clone()),
            since: Instant::now(),
        }
    }

    fn busy(&self, state: &State, why: &str) -> Refusal {
        let places = u32::try_from(self.0.places).unwrap_or(u32::MAX);
        let before = u32::try_from(state.count()).unwrap_or(u32::MAX);
        let wait = state.pace.saturating_mul(before.saturating_add(1)) / places;
        let seconds = wait.as_secs_f64().ceil().clamp(1.0, 120.0);
        Refusal::new(
            ErrorType::Busy,
            format!(
                "{places} executions are running already (`MCE_MAX_CONCURRENT_EXECUTIONS`), {why}"
            ),
        )
        .hint(format!(
            "try again in about {seconds} seconds, with fewer executions at once"
        ))
    }

    /// Gives a place to who is next.
    fn give_on(&self, took: Duration) {
        let mut place = self.place();
        let mut state = self.state();
        state.pace = (state.pace * 7 + took) / 8;
        while let Some(next) = state.next() {
            match next.send(place) {
                Ok(()) => return,
                Err(back) => place = back,
            }
        }
        state.free += 1;
        place.queue = None;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(queue) = self.queue.take() {
            queue.give_on(self.since.elapsed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Environment;

    fn queue(pairs: &[(&str, &str)]) -> Queue {
        let environment = Environment::from_pairs(pairs.iter().copied());
        Queue::new(&Settings::from_environment(&environment).unwrap().0)
    }

    #[tokio::test]
    async fn principals_take_turns_whoever_asked_for_more() {
        let queue = queue(&[("MCE_MAX_CONCURRENT_EXECUTIONS", "1")]);
        let first = queue.take("ada", Client::default()).await.unwrap();
        let served = Arc::new(Mutex::new(Vec::new()));
        let mut waiting = Vec::new();
        for principal in ["ada", "ada", "ada", "bob", "bob", "eve"] {
            let (queue, served) = (queue.clone(), Arc::clone(&served));
            waiting.push(tokio::spawn(async move {
                let _place = queue.take(principal, Client::default()).await.unwrap();
                served.lock().unwrap().push(principal);
            }));
            tokio::task::yield_now().await;
        }
        drop(first);
        for one in waiting {
            one.await.unwrap();
        }
        let served = served.lock().unwrap().clone();
        assert_eq!(served, ["ada", "bob", "eve", "ada", "bob", "ada"]);
        assert_eq!(queue.state().free, 1);
    }

    #[tokio::test]
    async fn of_a_full_queue_who_has_most_waiting_makes_room_for_who_has_less() {
        let queue = queue(&[
            ("MCE_MAX_CONCURRENT_EXECUTIONS", "1"),
            ("MCE_MAX_QUEUED_EXECUTIONS", "4"),
        ]);
        let _running = queue.take("ada", Client::default()).await.unwrap();
        let wait = |principal: &'static str| {
            let queue = queue.clone();
            tokio::spawn(async move { queue.take(principal, Client::default()).await.map(drop) })
        };
        let mut of_ada: Vec<_> = (0..4).map(|_| wait("ada")).collect();
        tokio::task::yield_now().await;
        let refusal = queue.take("ada", Client::default()).await.err().unwrap();
        assert_eq!(refusal.error_type, ErrorType::Busy);
        assert_eq!(
            refusal.hint.as_deref(),
            Some("try again in about 5 seconds, with fewer executions at once")
        );
        let _of_bob = [wait("bob"), wait("bob")];
        for _ in 0..2 {
            let turned_away = of_ada.pop().unwrap().await.unwrap().err().unwrap();
            assert_eq!(turned_away.error_type, ErrorType::Busy);
            assert!(
                turned_away
                    .message
                    .ends_with("others wait who asked for less")
            );
        }
        // Two and two: a third of either would only change places.
        assert!(queue.take("bob", Client::default()).await.is_err());
        let _of_eve = wait("eve");
        tokio::task::yield_now().await;
        let state = queue.state();
        assert_eq!(state.count(), 4);
        let counts =
            ["ada", "bob", "eve"].map(|principal| state.line_of(principal).map_or(0, Line::count));
        assert!([[1, 2, 1], [2, 1, 1]].contains(&counts), "{counts:?}");
        assert!(
            of_ada
                .iter()
                .filter(|waiting| waiting.is_finished())
                .count()
                <= 1
        );
    }

    #[tokio::test]
    async fn ten_thousand_at_once_are_served_or_told_so_at_once() {
        let queue = queue(&[("MCE_MAX_CONCURRENT_EXECUTIONS", "4")]);
        let asked = tokio::sync::watch::Sender::new(0);
        let take = || {
            let (queue, asked) = (queue.clone(), asked.clone());
            tokio::spawn(async move {
                asked.send_modify(|asked| *asked += 1);
                let place = queue.take("ada", Client::default()).await;
                let mut all = asked.subscribe();
                let _ = all.wait_for(|asked| *asked == 10_000).await;
                place.is_ok()
            })
        };
        let all: Vec<_> = (0..10_000).map(|_| take()).collect();
        let mut served = 0;
        for one in all {
            served += usize::from(one.await.unwrap());
        }
        // Four run, and the queue waits.
        assert_eq!(served, 4 + 64);
        let state = queue.state();
        assert_eq!((state.free, state.count()), (4, 0));
    }

    #[tokio::test]
    async fn who_waits_too_long_or_goes_away_keeps_no_place() {
        let queue = queue(&[
            ("MCE_MAX_CONCURRENT_EXECUTIONS", "1"),
            ("MCE_QUEUE_SECONDS", "0.05"),
        ]);
        let running = queue.take("ada", Client::default()).await.unwrap();
        let refusal = queue.take("bob", Client::default()).await.err().unwrap();
        assert!(
            refusal.message.ends_with("for 0.05 seconds"),
            "{}",
            refusal.message
        );
        let gone = tokio::spawn({
            let queue = queue.clone();
            async move { queue.take("eve", Client::default()).await.map(drop) }
        });
        tokio::task::yield_now().await;
        gone.abort();
        let _ = gone.await;
        drop(running);
        assert!(queue.take("bob", Client::default()).await.is_ok());
    }

    #[tokio::test]
    async fn clients_of_one_principal_take_turns_and_make_room_for_each_other() {
        let queue = queue(&[
            ("MCE_MAX_CONCURRENT_EXECUTIONS", "1"),
            ("MCE_MAX_QUEUED_EXECUTIONS", "4"),
        ]);
        let [busy, modest] = [Client::another(), Client::another()];
        let first = queue.take("ada", busy).await.unwrap();
        let served = Arc::new(Mutex::new(Vec::new()));
        let mut waiting = Vec::new();
        for client in [busy, busy, busy, busy, modest] {
            let (queue, served) = (queue.clone(), Arc::clone(&served));
            waiting.push(tokio::spawn(async move {
                let place = queue.take("ada", client).await;
                if place.is_ok() {
                    served.lock().unwrap().push(client);
                }
            }));
            tokio::task::yield_now().await;
        }
        assert_eq!(queue.numbers(), (1, 0, 4));
        drop(first);
        for one in waiting {
            one.await.unwrap();
        }
        assert_eq!(*served.lock().unwrap(), [busy, modest, busy, busy]);
        assert_eq!(queue.numbers(), (1, 1, 0));
    }
}
