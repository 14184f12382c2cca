//! Accepts connections, as many as may be: none of a slow or silent client stands in the way of others.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tower_service::Service as _;

use crate::runtime::Client;

/// Headers of a request.
const MOST_HEADERS: usize = 100;
/// Bytes of a request's head.
const LONGEST_HEAD: usize = 64 << 10;
/// How long to wait where the system has no room for another connection.
const PAUSE: Duration = Duration::from_millis(50);
/// Files that the rest of the process may need open at once.
const OTHER_FILES: u64 = 512;

/// The connections there are.
pub(super) struct Connections {
    most: usize,
    read: Duration,
    born: Instant,
    next: AtomicU64,
    open: Mutex<HashMap<u64, Arc<Connection>>>,
    /// Requests that are being answered, streams without an end not counted.
    answering: AtomicUsize,
    /// Set when no more is accepted, and connections end with what they are doing.
    draining: CancellationToken,
    /// Set when connections end at once.
    closing: CancellationToken,
}

/// One connection.
pub(super) struct Connection {
    /// Where it arrived.
    pub(super) local: SocketAddr,
    /// Where it came from.
    pub(super) peer: SocketAddr,
    /// Whose requests these are, where nothing says so better.
    pub(super) client: Client,
    connections: Arc<Connections>,
    /// Milliseconds after the server's start at which it last did something.
    last: AtomicU64,
    busy: AtomicUsize,
    ending: CancellationToken,
}

/// A request that is being answered; over when it is dropped.
pub(super) struct Busy {
    connection: Arc<Connection>,
    counted: bool,
}

impl Connections {
    /// None yet. `most` at once, or fewer where the system permits fewer.
    pub(super) fn new(most: usize, read: Duration) -> Arc<Self> {
        Arc::new(Self {
            most: within_limits(most),
            read,
            born: Instant::now(),
            next: AtomicU64::new(0),
            open: Mutex::default(),
            answering: AtomicUsize::new(0),
            draining: CancellationToken::new(),
            closing: CancellationToken::new(),
        })
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.open().len()
    }

    /// Whether the server is about to end.
    pub(super) fn are_draining(&self) -> bool {
        self.draining.is_cancelled()
    }

    /// Accepts connections and serves them, until [`Connections::end`].
    pub(super) async fn serve(self: &Arc<Self>, listener: TcpListener, router: Router) {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = self.draining.cancelled() => return,
            };
            match accepted {
                Ok((stream, peer)) => self.begin(stream, peer, router.clone()),
                Err(error) => {
                    // The client is gone already, or there are no files left: another one will do.
                    tracing::debug!(%error, "a connection could not be accepted");
                    if !self.end_idle() {
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        }
    }

    /// Lets what is being answered come to its end for as long as `patience`, then ends all.
    pub(super) async fn end(&self, patience: Duration) {
        self.draining.cancel();
        let until = Instant::now() + patience;
        while self.answering.load(Ordering::Acquire) > 0 && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Closes all connections. Those that draining does not end by itself get a moment for answers
    /// that are on their way.
    pub(super) async fn close(&self) {
        let until = Instant::now() + Duration::from_secs(1);
        while self.count() > 0 && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.closing.cancel();
    }

    fn begin(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr, router: Router) {
        let Ok(local) = stream.local_addr() else {
            return;
        };
        if self.count() >= self.most && !self.end_idle() {
            // All are busy; the client may try again.
            return;
        }
        // Answers are small and awaited.
        let _ = stream.set_nodelay(true);
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let connection = Arc::new(Connection {
            local,
            peer,
            client: Client::another(),
            connections: Arc::clone(self),
            last: AtomicU64::new(self.now()),
            busy: AtomicUsize::new(0),
            ending: CancellationToken::new(),
        });
        self.open().insert(id, Arc::clone(&connection));
        let connections = Arc::clone(self);
        tokio::spawn(async move {
            connections.run(stream, router, connection).await;
            connections.open().remove(&id);
        });
    }

    async fn run(&self, stream: TcpStream, router: Router, connection: Arc<Connection>) {
        let ending = connection.ending.clone();
        // Routes are shared; what a request has to know of its connection goes with the request.
        let service = service_fn(move |request: Request<Incoming>| {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(Arc::clone(&connection));
            router.clone().call(request)
        });
        let serving = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.read)
            .max_headers(MOST_HEADERS)
            .max_buf_size(LONGEST_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        tokio::pin!(serving);
        let mut draining = false;
        loop {
            tokio::select! {
                ended = &mut serving => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, "a connection broke off");
                    }
                    return;
                }
                () = self.draining.cancelled(), if !draining => {
                    draining = true;
                    serving.as_mut().graceful_shutdown();
                }
                () = ending.cancelled() => return,
                () = self.closing.cancelled() => return,
            }
        }
    }

    /// Ends the connection that did nothing for longest; `false` where all are busy.
    fn end_idle(&self) -> bool {
        let mut open = self.open();
        let idle = open
            .iter()
            .filter(|(_, it)| it.busy.load(Ordering::Acquire) == 0);
        let longest = idle.min_by_key(|(_, it)| it.last.load(Ordering::Relaxed));
        let Some(id) = longest.map(|(id, _)| *id) else {
            return false;
        };
        if let Some(connection) = open.remove(&id) {
            connection.ending.cancel();
        }
        true
    }

    fn now(&self) -> u64 {
        u64::try_from(self.born.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u64, Arc<Connection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Begins to answer a request. Until the value is dropped, the connection is not idle.
    pub(super) fn begin(self: &Arc<Self>) -> Busy {
        self.busy.fetch_add(1, Ordering::AcqRel);
        self.connections.answering.fetch_add(1, Ordering::AcqRel);
        Busy {
            connection: Arc::clone(self),
            counted: true,
        }
    }
}

impl Busy {
    /// Says that the answer is a stream that need not end before the server does.
    pub(super) fn endless(&mut self) {
        if std::mem::take(&mut self.counted) {
            let answering = &self.connection.connections.answering;
            answering.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.endless();
        let connection = &self.connection;
        let now = connection.connections.now();
        connection.last.store(now, Ordering::Relaxed);
        connection.busy.fetch_sub(1, Ordering::AcqRel);
    }
}

/// As many connections as the system permits, after it was asked to permit as many as it may.
#[cfg(unix)]
fn within_limits(most: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = u64::try_from(most)
        .unwrap_or(u64::MAX)
        .saturating_add(OTHER_FILES);
    let mut current = limit.current.unwrap_or(u64::MAX);
    if current < wanted {
        let raised = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted));
        let asked = Rlimit {
            current: Some(raised),
            maximum: limit.maximum,
        };
        if setrlimit(Resource::Nofile, asked).is_ok() {
            current = raised;
        }
    }
    let room = current.saturating_sub(OTHER_FILES).max(current / 2);
    let room = usize::try_from(room).unwrap_or(usize::MAX);
    if room < most {
        tracing::warn!(
            "the system permits {current} open files, which is enough for {room} connections and not \
             for the {most} of `MCE_HTTP_MAX_CONNECTIONS`"
        );
    }
    room.min(most).max(1)
}

#[cfg(not(unix))]
fn within_limits(most: usize) -> usize {
    most
}
