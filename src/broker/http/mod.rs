//! Plain HTTP requests of code, to the hosts of `MCE_ALLOWED_DOMAINS`.
//!
//! A request is sent only if
//! 1. it is one of HTTP, without anything in it that says where else it goes (`request`),
//! 2. its place is not that of a compiled server: those have functions (`origins`),
//! 3. the allow-list holds its host and port,
//! 4. every address that its host leads to is of the internet, or is written in the allow-list (`place`),
//! 5. the execution is within its limits.
//!
//! No credential is attached, and no redirect followed: `httpx` sends another request for each, which
//! is judged like the first. Of answers the code gets all but secrets of the vault and what belongs to
//! the connection.

mod client;
mod failure;
mod origins;
mod phase;
mod place;
mod request;
mod streams;
mod unreviewed;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::base::configured_urls;
use super::limits::Limits;
use super::names::quoted;
use super::{Redactor, Target};
use crate::config::{Environment, ServerConfig};
use crate::sandbox::{CallError, HttpFailure, HttpPiece, HttpRequest, HttpResponse, HttpTimeouts};
use client::Clients;
use origins::Origins;
use place::Place;
pub(super) use request::Judged;
use streams::{Reading, Streams};

/// How records name plain requests in the place of a server. No server has this name: it is a module
/// of Python.
pub(crate) const SERVER: &str = "http";

/// How a record names a request in the place of a function: method and origin, such as `GET
/// https://api.example:8443`. Neither path nor query, which may hold what is nobody's business.
pub(super) fn name_of(request: &HttpRequest) -> String {
    let method = quoted(&request.method);
    match request::url_of(&request.url) {
        Ok(url) => format!("{method} {}", origin_of(&url)),
        Err(_) => format!("{method} ?"),
    }
}

/// Scheme, host and port.
fn origin_of(url: &url::Url) -> String {
    url.origin().ascii_serialization()
}

/// What all executions share.
#[derive(Debug, Clone)]
pub(super) struct Shared {
    limits: Limits,
    origins: Origins,
    /// Servers of which nobody knows where they are, and why.
    unknown: BTreeMap<String, String>,
    place: Place,
}

impl Shared {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            origins: Origins::default(),
            unknown: BTreeMap::new(),
            place: Place::new(limits.allowed_domains.as_deref()),
        }
    }

    /// Lets no request go to where these servers are. Where they were known to be before, none goes
    /// either.
    pub(super) fn keep_off(&mut self, targets: &BTreeMap<String, Target>, env: &Environment) {
        for (name, target) in targets {
            let mut urls = vec![target.manifest.base_url.clone()];
            urls.extend(
                target
                    .manifest
                    .functions
                    .iter()
                    .map(|it| it.base_url.clone()),
            );
            self.unknown.remove(name);
            self.keep_off_urls(name, urls.into_iter().flatten().collect());
            self.keep_off_configured(&target.config, env);
        }
    }

    /// Lets no request go anywhere while nobody knows where these servers are.
    pub(super) fn not_knowing(&mut self, servers: &[Arc<ServerConfig>]) {
        let why = "its manifest was not read yet";
        let names = servers.iter().map(|it| (it.name.clone(), why.to_owned()));
        self.unknown.extend(names);
    }

    pub(super) fn knows_not_where(&self) -> bool {
        !self.unknown.is_empty()
    }

    /// The same of servers of which only the config is known, and whatever their manifests in this
    /// folder say, be they as they were reviewed or not.
    pub(super) fn keep_off_folder(
        &mut self,
        servers: &[Arc<ServerConfig>],
        folder: &Path,
        env: &Environment,
    ) {
        for config in servers {
            self.unknown.remove(&config.name);
            let is_configured = self.keep_off_configured(config, env);
            match unreviewed::base_urls(&folder.join(&config.name)) {
                Ok(urls) => {
                    self.keep_off_urls(&config.name, urls);
                }
                Err(_) if is_configured => {}
                Err(why) => {
                    self.unknown.insert(config.name.clone(), why);
                }
            }
        }
    }

    /// Keeps off where environment and config say that a server is, and tells whether they say so.
    fn keep_off_configured(&mut self, config: &ServerConfig, env: &Environment) -> bool {
        match configured_urls(config, env) {
            Ok(urls) => self.keep_off_urls(&config.name, urls),
            Err(why) => {
                self.unknown.insert(config.name.clone(), why);
                false
            }
        }
    }

    /// Tells whether any of them says where the server is.
    fn keep_off_urls(&mut self, server: &str, urls: Vec<String>) -> bool {
        let mut is_known = false;
        for url in urls {
            is_known |= self.origins.add(server, &url);
        }
        self.place.resolver = self
            .place
            .resolver
            .clone()
            .without(self.origins.addresses());
        is_known
    }
}

/// The plain requests of one execution. Its connections are nobody else's: some servers know who
/// they talk to by the connection.
#[derive(Debug)]
pub(super) struct Plain {
    clients: Clients,
    streams: Streams,
    /// Places of answers that are being read.
    places: Arc<Semaphore>,
}

impl Plain {
    pub(super) fn new(limits: &Limits) -> Self {
        let places = limits.max_concurrent_calls.clamp(1, 1024);
        Self {
            clients: Clients::default(),
            streams: Streams::default(),
            places: Arc::new(Semaphore::new(places)),
        }
    }

    /// Sends a request, and answers when the head of the answer and a first piece are there.
    pub(super) async fn send(
        &self,
        request: HttpRequest,
        shared: &Shared,
        around: &impl Around,
    ) -> Result<HttpResponse, CallError> {
        let timeouts = within(request.timeouts, shared.limits.call_timeout);
        let opening = self.streams.begin(request.stream)?;
        let answer = async {
            let judged = request::judged(request, &shared.limits)?;
            let permit = shared.permit(&judged, around);
            let permit = tokio::time::timeout(timeouts.connect, permit).await;
            permit.map_err(|_| {
                let what = "the addresses were not found in time";
                HttpFailure::ConnectTimeout.because(format!("{}: {what}", judged.name()))
            })??;
            let place = Arc::clone(&self.places).acquire_owned();
            let place = tokio::time::timeout(timeouts.pool, place).await;
            let place = place.map_err(|_| {
                HttpFailure::PoolTimeout.because(format!(
                    "{} other answers are still being read (`MCE_MAX_CONCURRENT_CALLS`)",
                    shared.limits.max_concurrent_calls
                ))
            })?;
            let place = place.map_err(|_| CallError::Internal {
                message: "the execution has ended".into(),
            })?;
            let response = client::send(&self.clients, shared, judged, timeouts).await?;
            let redactor = || around.redactor();
            Ok(Reading::begin(response, &shared.limits, &redactor, place).await)
        };
        let answer = opening.unless_closed(answer).await;
        let (response, rest) = answer.ok_or_else(streams::closed)??;
        opening.keep(rest);
        Ok(response)
    }

    /// The next piece of a body.
    pub(super) async fn more(
        &self,
        stream: u64,
        read: Option<Duration>,
        shared: &Shared,
        redactor: &(dyn Fn() -> Redactor + Sync),
    ) -> Result<HttpPiece, CallError> {
        let most = shared.limits.call_timeout;
        let wait = read.map_or(most, |read| read.min(most));
        self.streams.more(stream, wait, redactor).await
    }

    /// Ends a request, or the reading of its answer.
    pub(super) fn close(&self, stream: u64) {
        self.streams.close(stream);
    }
}

impl Shared {
    /// Whether a request may go where it wants to.
    async fn permit(&self, judged: &Judged, around: &impl Around) -> Result<(), CallError> {
        let refuse = |why: String| CallError::Egress {
            message: format!("{} is refused: {why}", judged.name()),
        };
        if let Some(server) = self.origins.server_at(&judged.url) {
            return Err(refuse(around.instead(server, judged)));
        }
        self.place.check(&judged.url).map_err(refuse)?;
        if let Some((server, why)) = self.unknown.first_key_value() {
            return Err(refuse(format!(
                "it may lead to the server `{server}`, of which nobody knows where it is: {why}"
            )));
        }
        if client::proxy_of(self, &judged.url).is_some() {
            client::check_proxied(self, &judged.url).await?;
        }
        let known = self
            .origins
            .server_at_addresses_of(&judged.url, &self.place);
        match known.await {
            Some(server) => Err(refuse(around.instead(server, judged))),
            None => Ok(()),
        }
    }
}

/// What requests need to know of the broker.
pub(super) trait Around: Sync {
    /// Removes the secrets that the vault has by now.
    fn redactor(&self) -> Redactor;

    /// Why the request is refused and what to write.
    fn instead(&self, server: &str, judged: &Judged) -> String;
}

/// What a request waits for, none of it longer than any call.
#[derive(Debug, Clone, Copy)]
struct Waits {
    pool: Duration,
    connect: Duration,
    write: Duration,
    read: Duration,
    /// All of it together, until the head is there.
    all: Duration,
}

fn within(timeouts: HttpTimeouts, most: Duration) -> Waits {
    let bounded = |wait: Option<Duration>| wait.map_or(most, |wait| wait.min(most));
    Waits {
        pool: bounded(timeouts.pool),
        connect: bounded(timeouts.connect),
        write: bounded(timeouts.write),
        read: bounded(timeouts.read),
        all: most,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect::answering;

    struct Nobody;

    impl Around for Nobody {
        fn redactor(&self) -> Redactor {
            Redactor::new(&[])
        }

        fn instead(&self, server: &str, _: &Judged) -> String {
            server.to_owned()
        }
    }

    /// What comes of a request to a listed name that has these addresses, after it was looked up as often
    /// as there are answers before the last one.
    async fn request(answers: &[&[&str]]) -> CallError {
        let limits = Limits {
            allowed_domains: Some(vec!["api.example".to_owned()]),
            ..Limits::default()
        };
        let mut shared = Shared::new(&limits);
        shared.place.resolver = answering(answers);
        for _ in 1..answers.len() {
            let found = shared.place.resolver.addresses("api.example").await;
            assert!(found.is_ok(), "{found:?}");
        }
        let request = HttpRequest {
            method: "GET".to_owned(),
            url: "http://api.example/".to_owned(),
            ..HttpRequest::default()
        };
        let sent = Plain::new(&limits).send(request, &shared, &Nobody).await;
        sent.unwrap_err()
    }

    #[tokio::test]
    async fn a_name_that_turns_private_after_it_was_public_is_refused() {
        for last in [["127.0.0.1"].as_slice(), &["8.8.8.8", "10.0.0.1"], &["::1"]] {
            let error = request(&[&["8.8.8.8"], last]).await;
            assert_eq!(error.kind(), "egress", "{last:?}: {error}");
            assert!(
                error.to_string().contains("`api.example` leads to"),
                "{error}"
            );
        }
    }

    #[tokio::test]
    async fn a_name_of_the_metadata_service_is_refused() {
        let error = request(&[&["169.254.169.254"]]).await;
        assert!(error.to_string().contains("never called"), "{error}");
    }
}
