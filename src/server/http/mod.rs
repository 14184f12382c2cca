//! Streamable HTTP: `/mcp` for clients, `/healthz` and `/metrics` for whoever runs the server.
//!
//! - [`serve_http`]: the server of a runtime; [`Transport`]: the same for any handler of MCP.
//! - `access`, `cors`, `keys`: which requests are let in; `refusals`: what the log says of others;
//!   `message`: what they say; `bodies`: how much of it at once.
//! - `doors`, `sessions`: one MCP service for each principal, with its sessions.
//! - `connections`: how many there are, and how they end; `metrics`: all of it in numbers.
//!
//! The SDK speaks both protocol eras: 2025-11-25 with sessions, 2026-07-28 without.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Extension, Request, State};
use axum::http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get};
use futures::StreamExt as _;
use rmcp::ServerHandler;
use tokio::net::TcpListener;

use crate::config::{HttpSettings, TokensError, is_loopback};
use crate::runtime::{Client, Finding, Runtime};
use crate::signals::asked_to_stop;

mod access;
mod bodies;
mod connections;
mod cors;
mod doors;
mod keys;
mod message;
mod metrics;
mod refusals;
mod sessions;
#[cfg(test)]
mod tests;

use access::{Access, Foreign};
use bodies::Bodies;
use connections::{Busy, Connection, Connections};
use doors::Doors;
pub use doors::MakeHandler;
pub use keys::Principal;
use keys::{Denied, Keys};
use message::Message;
use metrics::{Metrics, Now};
use refusals::Refusals;

/// Why the server did not start, or ended otherwise than by being asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Others than this machine could reach it, and nothing would keep them out.
    #[error("{address} can be reached from other machines, and no token is set")]
    NoToken {
        /// Where it was to listen.
        address: SocketAddr,
    },
    /// The tokens cannot be read.
    #[error(transparent)]
    Tokens(#[from] TokensError),
    /// The address cannot be had.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Where it was to listen.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
    /// A promoted function cannot be a tool.
    #[error(transparent)]
    Promoted(#[from] super::PromotedError),
    /// Code could not run.
    #[error("there is no proven sandbox: {}", .0.message)]
    Sandbox(Finding),
}

/// A server that listens.
pub struct Transport<H> {
    listener: TcpListener,
    shared: Arc<Shared<H>>,
}

/// What all requests need.
struct Shared<H> {
    settings: HttpSettings,
    access: Access,
    keys: Keys,
    doors: Doors<H>,
    connections: Arc<Connections>,
    bodies: Bodies,
    metrics: Metrics,
    refusals: Refusals,
}

/// Serves a runtime until the process is asked to stop (SIGINT, SIGTERM), which a running request has
/// some seconds to finish after, or until it turns out that no code can run. `listening` is told
/// the address.
///
/// # Errors
/// [`Error`].
pub async fn serve_http(
    runtime: Arc<Runtime>,
    address: SocketAddr,
    settings: &HttpSettings,
    listening: impl FnOnce(SocketAddr),
) -> Result<(), Error> {
    let asked = asked_to_stop();
    Box::pin(super::check_promoted(&runtime)).await?;
    let for_handlers = Arc::clone(&runtime);
    let make = move |principal: &Principal, client| {
        super::Server::new(
            &for_handlers.seen_by(client, principal.servers.as_ref()),
            principal.name.clone(),
        )
    };
    let metrics = Metrics::new(Some(Arc::clone(&runtime)));
    let transport = Transport::bind_with(address, settings, Arc::new(make), metrics).await?;
    listening(transport.address());
    let proving = tokio::spawn({
        let runtime = Arc::clone(&runtime);
        async move {
            let (proof, ()) = tokio::join!(runtime.prove(), runtime.warm_up());
            proof
        }
    });
    let mut finding = None;
    let stop = async {
        let unproven = async {
            match proving.await {
                Ok(Err(finding)) => finding,
                _ => std::future::pending().await,
            }
        };
        tokio::select! {
            () = asked => {}
            found = unproven => finding = Some(found),
        }
    };
    let watching = tokio::spawn(Arc::clone(&runtime).watch());
    transport.run(stop).await;
    watching.abort();
    runtime.shutdown().await;
    finding.map_or(Ok(()), |finding| Err(Error::Sandbox(finding)))
}

impl<H: ServerHandler> Transport<H> {
    /// Listens, without anything behind it but what `make` makes for each client.
    ///
    /// # Errors
    /// [`Error`], but no sandbox is asked for.
    pub async fn bind(
        address: SocketAddr,
        settings: &HttpSettings,
        make: Arc<MakeHandler<H>>,
    ) -> Result<Self, Error> {
        Self::bind_with(address, settings, make, Metrics::new(None)).await
    }

    async fn bind_with(
        address: SocketAddr,
        settings: &HttpSettings,
        make: Arc<MakeHandler<H>>,
        metrics: Metrics,
    ) -> Result<Self, Error> {
        let keys = Keys::open(settings)?;
        if !keys.are_needed() && !is_loopback(address.ip()) {
            return Err(Error::NoToken { address });
        }
        let listen = |source| Error::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        Ok(Self {
            listener,
            shared: Arc::new(Shared {
                settings: settings.clone(),
                access: Access {
                    hosts: settings.allowed_hosts.clone(),
                    origins: settings.allowed_origins.clone(),
                },
                keys,
                doors: Doors::new(make, settings.clone()),
                connections: Connections::new(settings.max_connections, settings.read),
                bodies: Bodies::new(settings.max_body_bytes),
                metrics,
                refusals: Refusals::default(),
            }),
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        let unknown = SocketAddr::from(([0, 0, 0, 0], 0));
        self.listener.local_addr().unwrap_or(unknown)
    }

    /// Serves until `stop` ends; then what is being answered may come to its end, within
    /// `MCE_HTTP_SHUTDOWN_SECONDS`, or sooner where the process is asked to stop once more.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Self { listener, shared } = self;
        let connections = &shared.connections;
        let router = router(&shared);
        let serving = connections.serve(listener, router);
        let following = shared.keys.follow(keys::LOOK_EVERY, || {
            shared.doors.keep_only(&shared.keys.current());
        });
        tokio::select! {
            () = stop => {}
            () = serving => {}
            () = following => {}
        }
        tokio::select! {
            () = connections.end(shared.settings.shutdown) => {}
            () = asked_to_stop() => {}
        }
        // What still runs is cancelled, and its containers go.
        shared.doors.close();
        connections.close().await;
    }
}

fn router<H: ServerHandler>(shared: &Arc<Shared<H>>) -> Router {
    Router::new()
        .route("/mcp", any(mcp::<H>))
        .route("/healthz", get(healthz))
        .route("/metrics", get(numbers::<H>))
        .layer(middleware::from_fn_with_state(
            Arc::clone(shared),
            guarded::<H>,
        ))
        .with_state(Arc::clone(shared))
}

/// What every request goes through, whatever its path.
async fn guarded<H: ServerHandler>(
    State(shared): State<Arc<Shared<H>>>,
    Extension(connection): Extension<Arc<Connection>>,
    mut request: Request,
    next: Next,
) -> Response {
    let busy = connection.begin();
    let path = match request.uri().path() {
        "/mcp" => "/mcp",
        "/healthz" => "/healthz",
        "/metrics" => "/metrics",
        _ => "other",
    };
    let local = connection.local.ip();
    let listed = shared.access.listed_origin(request.headers());
    let mut answer = match shared.access.check(local, request.uri(), request.headers()) {
        Ok(()) => {
            let question = cors::preflight(request.method(), request.headers());
            if let (Some(answer), true) = (question, listed.is_some()) {
                answer
            } else {
                request.extensions_mut().insert(connection);
                next.run(request).await
            }
        }
        Err(foreign) => {
            shared.refusals.note(foreign, connection.peer);
            let status = match foreign {
                Foreign::NoHost => StatusCode::BAD_REQUEST,
                Foreign::Host | Foreign::Origin => StatusCode::FORBIDDEN,
            };
            (status, foreign.to_string()).into_response()
        }
    };
    if let Some(origin) = listed {
        cors::permit(&mut answer, origin);
    }
    shared.metrics.answered(path, answer.status().as_u16());
    hold(answer, busy)
}

/// Counts the connection as busy until all of an answer was read, and an answer that need not end as
/// none to wait for.
fn hold(answer: Response, mut busy: Busy) -> Response {
    if !is_stream(&answer) {
        return answer;
    }
    if answer.extensions().get::<Endless>().is_some() {
        busy.endless();
    }
    answer.map(|body| {
        let pieces = body.into_data_stream().map(move |piece| {
            let _held = &busy;
            piece
        });
        axum::body::Body::from_stream(pieces)
    })
}

/// Marks an answer that need not end before the server does.
#[derive(Debug, Clone, Copy)]
struct Endless;

fn is_stream(answer: &Response) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// Says that the server runs, and nothing else.
async fn healthz() -> &'static str {
    "ok\n"
}

async fn numbers<H: ServerHandler>(
    State(shared): State<Arc<Shared<H>>>,
    Extension(connection): Extension<Arc<Connection>>,
    request: Request,
) -> Response {
    match shared.keys.key(request.headers()) {
        Err(denied) => return unauthorised(denied, &shared.refusals, &connection),
        // They name servers that do not exist for it.
        Ok(key) if key.principal.servers.is_some() => {
            let text = "the numbers are for tokens that may use all servers";
            return (StatusCode::FORBIDDEN, text).into_response();
        }
        Ok(_) => {}
    }
    let now = Now {
        connections: shared.connections.count(),
        sessions: shared.doors.sessions(),
    };
    match shared.metrics.text(now) {
        Ok(text) => ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

async fn mcp<H: ServerHandler>(
    State(shared): State<Arc<Shared<H>>>,
    Extension(connection): Extension<Arc<Connection>>,
    request: Request,
) -> Response {
    let key = match shared.keys.key(request.headers()) {
        Ok(key) => key,
        Err(denied) => return unauthorised(denied, &shared.refusals, &connection),
    };
    let door = shared.doors.of(&key);
    if *request.method() != Method::POST {
        let ends_session = *request.method() == Method::DELETE;
        let mut answer = door.answer(connection.client, request).await;
        answer.extensions_mut().insert(Endless);
        // Clients wait for 200 or 204, and the session is gone by now.
        if ends_session && answer.status() == StatusCode::ACCEPTED {
            *answer.status_mut() = StatusCode::NO_CONTENT;
        }
        return answer;
    }
    if shared.connections.are_draining() {
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is being stopped",
        )
            .into_response();
    }
    let share = shared.bodies.share(&key.principal.name);
    let (message, request) = match Message::read(request, &shared.settings, share).await {
        Ok(read) => read,
        Err(refusal) => return refusal.into_response(),
    };
    // Of an era with sessions each session is a client of its own, whatever it connects through.
    let client = if message.begins_session() {
        Client::another()
    } else {
        connection.client
    };
    let mut answer = door.answer(client, request).await;
    if message.asks_for_a_subscription() {
        answer.extensions_mut().insert(Endless);
    }
    answer
}

fn unauthorised(denied: Denied, refusals: &Refusals, connection: &Connection) -> Response {
    refusals.note(denied, connection.peer);
    // RFC 6750, section 3.
    let challenge = match denied {
        Denied::Missing => "Bearer",
        Denied::Wrong => "Bearer error=\"invalid_token\"",
    };
    let challenge = HeaderValue::from_static(challenge);
    (
        StatusCode::UNAUTHORIZED,
        [(WWW_AUTHENTICATE, challenge)],
        denied.to_string(),
    )
        .into_response()
}
