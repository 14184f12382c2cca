//! Sends a judged request and waits for the head of its answer.

use std::sync::OnceLock;

use bytes::Bytes;
use reqwest::header::CONTENT_LENGTH;
use reqwest::{Body, Client, Method, Response};
use secrecy::SecretString;
use tokio::sync::watch;
use tokio::time::Instant;
use url::Url;

use super::failure::failed;
use super::phase::{Noted, Phase, noting};
use super::place::address_of;
use super::request::Judged;
use super::{Shared, Waits};
use crate::address::{Reach, reach};
use crate::connect::{Resolver, Unknown, build, client_builder};
use crate::sandbox::{CallError, HttpFailure};

/// A body of this size is sent as one piece, and what takes it is not looked at.
const SMALL: usize = 64 << 10;

/// The clients of one execution, each made when it is first needed.
#[derive(Debug, Default)]
pub(super) struct Clients {
    direct: OnceLock<Result<Client, String>>,
    proxied: OnceLock<Result<Client, String>>,
}

impl Clients {
    /// A client that goes by the proxy, or by none.
    fn get(&self, proxy: Option<&SecretString>, resolver: &Resolver) -> Result<&Client, CallError> {
        let place = match proxy {
            None => &self.direct,
            Some(_) => &self.proxied,
        };
        let client = place.get_or_init(|| client(proxy, resolver)).as_ref();
        client.map_err(|message| CallError::Internal {
            message: message.clone(),
        })
    }
}

fn client(proxy: Option<&SecretString>, resolver: &Resolver) -> Result<Client, String> {
    build(client_builder(proxy, resolver)?.connector_layer(Noted))
}

/// Sends a request. Nothing that it waits for takes longer than it is given.
pub(super) async fn send(
    clients: &Clients,
    shared: &Shared,
    judged: Judged,
    waits: Waits,
) -> Result<Response, CallError> {
    let client = clients.get(proxy_of(shared, &judged.url), &shared.place.resolver)?;
    let host = judged.url.host_str().unwrap_or_default().to_owned();
    let name = judged.name();
    let phase = watch::Sender::new(Phase::Reading(Instant::now()));
    let mut seen = phase.subscribe();
    let request = request(client, judged, &phase);
    let sending = noting(phase.clone(), request.send());
    tokio::pin!(sending);
    let end = Instant::now() + waits.all;
    loop {
        let phase = *seen.borrow_and_update();
        let (since, wait, failure, what) = match phase {
            Phase::Connecting(since) => {
                let failure = HttpFailure::ConnectTimeout;
                (since, waits.connect, failure, "no connection")
            }
            Phase::Writing(since) => {
                let failure = HttpFailure::WriteTimeout;
                (since, waits.write, failure, "the request was not taken")
            }
            Phase::Reading(since) => (since, waits.read, HttpFailure::ReadTimeout, "no answer"),
        };
        let until = (since + wait).min(end);
        tokio::select! {
            biased;
            sent = &mut sending => return sent.map_err(|error| failed(&error, &host)),
            Ok(()) = seen.changed() => {}
            () = tokio::time::sleep_until(until) => {
                let waited = until.duration_since(since.min(until)).as_secs_f64();
                return Err(failure.because(format!("{name}: {what} within {waited:.1} s")));
            }
        }
    }
}

fn request(
    client: &Client,
    judged: Judged,
    phase: &watch::Sender<Phase>,
) -> reqwest::RequestBuilder {
    let Judged {
        method,
        url,
        headers,
        body,
    } = judged;
    let gives_meaning = [Method::POST, Method::PUT, Method::PATCH].contains(&method);
    let request = client.request(method, url).headers(headers);
    if body.len() > SMALL {
        request
            .header(CONTENT_LENGTH, body.len())
            .body(Body::wrap_stream(in_parts(body, phase.clone())))
    } else if !body.is_empty() {
        request.body(body)
    } else if gives_meaning {
        // As for compiled functions: some servers answer 411 otherwise.
        request.header(CONTENT_LENGTH, 0)
    } else {
        request
    }
}

/// The body in parts, each noted when it is taken.
fn in_parts(
    body: Bytes,
    phase: watch::Sender<Phase>,
) -> impl futures::Stream<Item = Result<Bytes, std::convert::Infallible>> {
    let mut rest = body;
    futures::stream::iter(std::iter::from_fn(move || {
        let now = Instant::now();
        if rest.is_empty() {
            phase.send_replace(Phase::Reading(now));
            return None;
        }
        phase.send_replace(Phase::Writing(now));
        let part = rest.split_to(rest.len().min(SMALL));
        if rest.is_empty() {
            // The end is not asked for where the length is known.
            phase.send_replace(Phase::Reading(now));
        }
        Some(Ok(part))
    }))
}

/// The proxy by which a request goes. An address in a private network is not the proxy's to reach.
pub(super) fn proxy_of<'shared>(
    shared: &'shared Shared,
    url: &Url,
) -> Option<&'shared SecretString> {
    let is_private = address_of(url).is_some_and(|it| reach(it) != Reach::Public);
    let proxy = shared.limits.https_proxy.as_ref();
    proxy.filter(|_| url.scheme() == "https" && !is_private)
}

/// A proxy looks names up by itself; what they lead to is judged here all the same.
pub(super) async fn check_proxied(shared: &Shared, url: &Url) -> Result<(), CallError> {
    let host = url.host_str().unwrap_or_default();
    if address_of(url).is_some() {
        return Ok(());
    }
    match shared.place.resolver.check_proxied(host).await {
        Ok(()) => Ok(()),
        Err(Unknown::Refused(refused)) => Err(super::failure::refused(&refused)),
        Err(Unknown::Nowhere) => Err(CallError::Egress {
            message: format!(
                "`{host}` cannot be looked up here, so that nobody knows where the proxy would \
                 connect to"
            ),
        }),
    }
}
