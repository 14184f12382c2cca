//! A credential that has to be fetched first: kept until shortly before it expires, and fetched once
//! however many calls wait for it.

use std::collections::VecDeque;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use secrecy::SecretString;
use tokio::sync::OnceCell;
use tokio::time::Instant;
use tracing::Instrument as _;

use super::endpoint::{Endpoint, Problem};
use super::learnt::Learnt;
use super::login::Login;
use super::network::Network;
use super::token::ClientCredentials;
use super::{Error, Said};
use crate::connect::{Connections, Unknown};

/// For a fetch as a whole.
const FETCH_TIME: Duration = Duration::from_secs(15);
/// What is fetched anew before it expires: a call may take that long.
const MARGIN: Duration = Duration::from_secs(30);
/// What lasts less is used for this long all the same: an endpoint that says nonsense is not asked
/// before every call.
const SHORTEST_LIFE: Duration = Duration::from_secs(1);
/// What lasts longer is fetched anew all the same.
pub(super) const LONGEST_LIFE: Duration = Duration::from_hours(24);
/// How long a failure answers for further calls, so that an endpoint that is down is not asked by each
/// of them.
const FAILURE_TIME: Duration = Duration::from_secs(1);
/// The same where the endpoint refused: who asks again and again with a wrong password is locked out.
const REFUSAL_TIME: Duration = Duration::from_secs(30);
/// The same where the endpoint said when to come back.
const LONGEST_FAILURE_TIME: Duration = Duration::from_mins(1);
/// Credentials that are fetched anew within a minute since the API refused the ones before. An API that
/// refuses every one of them is not helped by more.
const RENEWALS: usize = 5;
const RENEWALS_TIME: Duration = Duration::from_mins(1);

/// Where a credential is fetched.
#[derive(Debug)]
pub(super) enum Source {
    Token(ClientCredentials),
    Login(Login),
}

/// What was fetched.
#[derive(Debug)]
pub(super) struct Live {
    /// The value of `Authorization`.
    pub(super) authorization: Option<SecretString>,
    /// Cookies by name.
    pub(super) cookies: Vec<(String, SecretString)>,
    /// What of them nobody may see.
    pub(super) secrets: Vec<SecretString>,
    /// How long it lasts, by its issuer or the config.
    pub(super) lifetime: Duration,
}

/// A credential of which each has a number, so that nobody throws away one that came after the one
/// that was refused.
#[derive(Debug, Clone)]
pub(super) struct Numbered {
    pub(super) live: Arc<Live>,
    pub(super) number: u64,
    /// Until when no other one is fetched.
    until: Instant,
    /// Until when it is of use at all.
    expiry: Instant,
}

/// Why there is none, and how long that answers for further calls.
struct Failed {
    error: Error,
    kept: Duration,
}

impl Failed {
    /// The same where it is the address that is refused.
    fn refused(self) -> Self {
        let error = match self.error {
            Error::Fetch { server, what, .. } => Error::Refused { server, what },
            other => other,
        };
        Self { error, ..self }
    }
}

type Flight = Shared<BoxFuture<'static, Result<Numbered, Error>>>;

#[derive(Default)]
struct State {
    current: Option<Numbered>,
    /// The fetch that is under way.
    flight: Option<Flight>,
    /// The last failure, and until when it answers for further calls.
    failure: Option<(Instant, Error)>,
    renewals: VecDeque<Instant>,
    count: u64,
}

impl State {
    /// The credential that should be fetched anew, where it has not expired yet.
    fn still_of_use(&self) -> Option<Numbered> {
        let current = self.current.as_ref();
        current.filter(|it| Instant::now() < it.expiry).cloned()
    }
}

/// The fetched credential of one server.
pub(super) struct Fetched {
    server: String,
    pub(super) source: Source,
    network: Network,
    connections: OnceCell<Connections>,
    learnt: Arc<Learnt>,
    state: Mutex<State>,
}

impl fmt::Debug for Fetched {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Fetched")
            .field("server", &self.server)
            .field("source", &self.source)
            .finish_non_exhaustive()
    }
}

impl Fetched {
    pub(super) fn new(server: &str, source: Source, network: Network, learnt: Arc<Learnt>) -> Self {
        Self {
            server: server.to_owned(),
            source,
            network,
            connections: OnceCell::new(),
            learnt,
            state: Mutex::default(),
        }
    }

    /// Whether it is a value of `Authorization`, and not cookies.
    pub(super) fn gives_authorization(&self) -> bool {
        match &self.source {
            Source::Token(_) => true,
            Source::Login(login) => login.token_path.is_some(),
        }
    }

    /// The credential, fetched unless there is one that lasts. A fetch goes on when who waits for it
    /// does not.
    ///
    /// # Errors
    /// Why there is none, for all who waited alike.
    pub(super) async fn get(self: &Arc<Self>) -> Result<Numbered, Error> {
        let flight = {
            let mut state = self.state();
            if let Some(current) = &state.current
                && Instant::now() < current.until
            {
                return Ok(current.clone());
            }
            if let Some((until, error)) = &state.failure
                && Instant::now() < *until
            {
                return state.still_of_use().ok_or_else(|| error.clone());
            }
            let flight = state.flight.get_or_insert_with(|| self.depart()).clone();
            // It lands by itself; meanwhile what there is serves.
            if let Some(current) = state.still_of_use() {
                return Ok(current);
            }
            flight
        };
        flight.await
    }

    /// Begins a fetch.
    fn depart(self: &Arc<Self>) -> Flight {
        let this = Arc::clone(self);
        let fetched = async move {
            let fetching = AssertUnwindSafe(this.fetch()).catch_unwind();
            let fetched = match tokio::time::timeout(FETCH_TIME, fetching).await {
                Ok(Ok(fetched)) => fetched,
                Ok(Err(_)) => Err(this.failed("the fetch failed in MCE itself")),
                Err(_) => Err(this.failed(&format!("no answer within {} s", FETCH_TIME.as_secs()))),
            };
            this.land(fetched)
        };
        // What it logs is of the call that asked first.
        let task = tokio::spawn(fetched.in_current_span());
        let server = self.server.clone();
        async move {
            task.await.unwrap_or_else(|_| {
                Err(Error::Fetch {
                    server,
                    what: "no credential: MCE is ending".to_owned(),
                    said: None,
                })
            })
        }
        .boxed()
        .shared()
    }

    /// Keeps what came of a fetch. Its secrets are known before anybody can use them.
    fn land(&self, fetched: Result<Live, Failed>) -> Result<Numbered, Error> {
        if let Ok(live) = &fetched {
            let until = Instant::now() + live.lifetime.min(LONGEST_LIFE);
            self.learnt.learn(&self.server, &live.secrets, until);
        }
        let mut state = self.state();
        state.flight = None;
        match fetched {
            Ok(live) => {
                state.count += 1;
                state.failure = None;
                let now = Instant::now();
                let current = Numbered {
                    until: now + usable(live.lifetime),
                    expiry: now + live.lifetime.min(LONGEST_LIFE),
                    live: Arc::new(live),
                    number: state.count,
                };
                state.current = Some(current.clone());
                Ok(current)
            }
            Err(Failed { error, kept }) => {
                state.failure = Some((Instant::now() + kept, error.clone()));
                state.still_of_use().ok_or(error)
            }
        }
    }

    async fn fetch(&self) -> Result<Live, Failed> {
        let connections = self
            .connections
            .get_or_try_init(|| self.network.connections(self.endpoint()))
            .await
            .map_err(|message| Failed {
                error: Error::Expansion {
                    server: self.server.clone(),
                    message,
                },
                kept: FAILURE_TIME,
            })?;
        let client = connections.client().map_err(|what| self.failed(what))?;
        match connections.check_proxied(self.endpoint().host()).await {
            Ok(()) => {}
            Err(Unknown::Refused(why)) => return Err(self.failed(&why.to_string()).refused()),
            Err(Unknown::Nowhere) => {
                let what = "it cannot be looked up here, so that nobody knows where the proxy would \
                            connect to; `allow_private_network: true` lets the proxy decide";
                return Err(self.failed(what).refused());
            }
        }
        let fetched = match &self.source {
            Source::Token(token) => token.fetch(client).await,
            Source::Login(login) => login.fetch(client).await,
        };
        fetched.map_err(|problem| self.failed_by(problem))
    }

    fn failed_by(&self, problem: Problem) -> Failed {
        tracing::warn!(
            server = self.server,
            problem = problem.what,
            "a credential could not be fetched"
        );
        let mut failed = self.failed(&problem.what);
        if let Error::Fetch { said, .. } = &mut failed.error {
            *said = problem.said.map(Said);
        }
        if problem.is_refused_address {
            return failed.refused();
        }
        let kept = match problem.retry_after {
            Some(wait) => wait.clamp(FAILURE_TIME, LONGEST_FAILURE_TIME),
            None if problem.is_final => REFUSAL_TIME,
            None => FAILURE_TIME,
        };
        Failed { kept, ..failed }
    }

    fn endpoint(&self) -> &Endpoint {
        match &self.source {
            Source::Token(token) => &token.endpoint,
            Source::Login(login) => &login.endpoint,
        }
    }

    fn failed(&self, what: &str) -> Failed {
        let kind = match &self.source {
            Source::Token(_) => "token",
            Source::Login(_) => "log-in",
        };
        Failed {
            error: Error::Fetch {
                server: self.server.clone(),
                what: format!("the {kind} endpoint `{}`: {what}", self.endpoint().shown()),
                said: None,
            },
            kept: FAILURE_TIME,
        }
    }

    /// Whether it is worth while to ask again after the API refused the credential of this number: there
    /// is another one by now, or there may be.
    pub(super) fn renew(&self, number: u64) -> bool {
        let mut state = self.state();
        if state.current.as_ref().is_none_or(|it| it.number != number) {
            return true;
        }
        let now = Instant::now();
        // An endpoint that gives nothing is not asked, and what there is may serve others.
        let has_failed = state.failure.as_ref();
        if has_failed.is_some_and(|(until, _)| now < *until) {
            return false;
        }
        state
            .renewals
            .retain(|at| now.duration_since(*at) < RENEWALS_TIME);
        if state.renewals.len() >= RENEWALS {
            return false;
        }
        state.renewals.push_back(now);
        state.current = None;
        true
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a credential is used.
fn usable(lifetime: Duration) -> Duration {
    let lifetime = lifetime.min(LONGEST_LIFE);
    lifetime
        .saturating_sub(MARGIN.min(lifetime / 2))
        .max(SHORTEST_LIFE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_used_until_shortly_before_it_expires() {
        for (lifetime, used) in [(3600, 3570), (60, 30), (40, 20), (8, 4), (0, 1)] {
            let (lifetime, used) = (Duration::from_secs(lifetime), Duration::from_secs(used));
            assert_eq!(usable(lifetime), used, "{lifetime:?}");
        }
        assert_eq!(usable(Duration::MAX), LONGEST_LIFE.saturating_sub(MARGIN));
    }
}
