//! How many executions run at once, and who is next: each costs a container, its memory and its
//! processes. Those that wait are served by turns of their principals, and of one principal by turns of
//! its clients: the one is next whose last turn is longest ago, so that one who asks for much holds up
//! nobody but himself. Of a full queue who has most waiting, then who had a turn last, makes room for who
//! has less.

mod turns;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

pub use self::turns::Client;
use self::turns::Turns;
use super::result::{ErrorType, Refusal};
use crate::config::Settings;

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
    /// Who waits, by principal.
    waiting: Vec<(String, Line)>,
    turns: Turns,
    /// How long an execution takes, of late.
    pace: Duration,
}

/// Who waits of one principal, by client.
#[derive(Default)]
struct Line(Vec<(Client, VecDeque<oneshot::Sender<Place>>)>);

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
            self.0.push((client, VecDeque::from([sender])));
        }
    }

    /// Turns away who came last of the client that has most waiting, if those are more than `fewer`.
    fn turn_away(&mut self, fewer: usize) -> bool {
        let most = self.0.iter_mut().max_by_key(|(_, waiting)| waiting.len());
        most.filter(|(_, waiting)| waiting.len() > fewer)
            .is_some_and(|(_, waiting)| waiting.pop_back().is_some())
    }

    /// Turns away who came last of the client that had its turn last, if that is after `before` and it
    /// has more waiting than `fewer`.
    fn turn_away_served(&mut self, fewer: usize, before: u64, turns: &Turns) -> bool {
        let all = self.0.iter_mut();
        let more = all
            .filter(|(client, waiting)| waiting.len() > fewer && turns.of_client(*client) > before);
        more.max_by_key(|(client, _)| turns.of_client(*client))
            .is_some_and(|(_, waiting)| waiting.pop_back().is_some())
    }

    /// The first of the client whose last turn is longest ago.
    fn next(&mut self, turns: &Turns) -> Option<(Client, oneshot::Sender<Place>)> {
        let all = self.0.iter().enumerate();
        let (place, _) = all.min_by_key(|(_, (client, _))| turns.of_client(*client))?;
        let (client, waiting) = self.0.get_mut(place)?;
        let (client, next) = (*client, waiting.pop_front()?);
        if waiting.is_empty() {
            self.0.remove(place);
        }
        Some((client, next))
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

    /// Makes room in a full queue for one that has less, if there is one who has more.
    fn make_room(&mut self, principal: &str, client: Client) -> bool {
        let line = self.line_of(principal);
        let own = line.map_or(0, Line::count);
        let of_client = line.map_or(0, |line| line.count_of(client));
        self.even_out(principal, own, of_client)
            || self.turn_away_served(principal, client, own, of_client)
    }

    /// Turns away who came last of the principal that has most waiting, for one that would still have
    /// fewer; or of the client that has most, for another one of that principal.
    fn even_out(&mut self, principal: &str, own: usize, of_client: usize) -> bool {
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

    /// Turns away one of the principal that had its turn last, for one whose turn is longer ago and that
    /// has fewer waiting; or of the client that had, for another one of that principal.
    fn turn_away_served(
        &mut self,
        principal: &str,
        client: Client,
        own: usize,
        of_client: usize,
    ) -> bool {
        let turns = &self.turns;
        let before = turns.of_principal(principal);
        let others = self.waiting.iter_mut().filter(|(name, line)| {
            name != principal && line.count() > own && turns.of_principal(name) > before
        });
        let latest = others.max_by_key(|(name, _)| turns.of_principal(name));
        if let Some((_, line)) = latest {
            return line.turn_away(0);
        }
        let before = turns.of_client(client);
        let mut all = self.waiting.iter_mut();
        all.find(|(name, _)| name == principal)
            .is_some_and(|(_, line)| line.turn_away_served(of_client, before, turns))
    }

    /// Who is next: of the principal whose last turn is longest ago. Those that went away are forgotten
    /// before.
    fn next(&mut self) -> Option<Next> {
        let all = self.waiting.iter().enumerate();
        let (place, _) = all.min_by_key(|(_, (name, _))| self.turns.of_principal(name))?;
        let (principal, line) = self.waiting.get_mut(place)?;
        let (client, sender) = line.next(&self.turns)?;
        let principal = principal.clone();
        if line.count() == 0 {
            self.waiting.remove(place);
        }
        Some(Next {
            principal,
            client,
            sender,
        })
    }
}

/// Who is next to have a place.
struct Next {
    principal: String,
    client: Client,
    sender: oneshot::Sender<Place>,
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
                waiting: Vec::new(),
                turns: Turns::default(),
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
                state.turns.note(principal, client);
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
                state.waiting.push((principal.to_owned(), line));
            }
            receiver
        };
        let why = match tokio::time::timeout(self.0.patience, receiver).await {
            Ok(Ok(place)) => return Ok(place),
            Ok(Err(_)) => "and others wait who had less".to_owned(),
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
        state.forget_gone();
        state.pace = (state.pace * 7 + took) / 8;
        while let Some(next) = state.next() {
            match next.sender.send(place) {
                Ok(()) => return state.turns.note(&next.principal, next.client),
                // Who went away meanwhile has had no turn.
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
mod tests;
