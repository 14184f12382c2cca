//! The MCP sessions of one principal (protocol versions before 2026-07-28): as many as may be, and the
//! requests of clients that went away cancelled.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::Stream;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::session::SessionManager;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

/// How long a client whose stream broke off may take to ask for the rest of it (`Last-Event-ID`)
/// before its request counts as given up.
const RETURN_WITHIN: Duration = if cfg!(test) {
    Duration::from_millis(200)
} else {
    Duration::from_secs(5)
};

/// The sessions of one principal.
pub(super) struct Sessions {
    inner: Arc<LocalSessionManager>,
    most: usize,
    used: Arc<Mutex<HashMap<SessionId, Use>>>,
}

/// When a session was last used, and how often a broken stream of it was taken up again.
struct Use {
    last: Instant,
    resumed: u64,
}

type Failure = <LocalSessionManager as SessionManager>::Error;

impl Sessions {
    /// None yet; `most` at once, each ended when it was not used for `idle`.
    pub(super) fn new(most: usize, idle: Duration) -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = Some(idle);
        Self {
            inner: Arc::new(inner),
            most,
            used: Arc::default(),
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.used().len()
    }

    fn used(&self) -> MutexGuard<'_, HashMap<SessionId, Use>> {
        lock(&self.used)
    }

    fn touch(&self, id: &SessionId) {
        if let Some(used) = self.used().get_mut(id) {
            used.last = Instant::now();
        }
    }

    /// Ends the sessions that were not used for longest, until another one may be there.
    async fn make_room(&self) {
        loop {
            let idle_longest = {
                let mut used = self.used();
                if used.len() < self.most {
                    return;
                }
                let oldest = used.iter().min_by_key(|(_, used)| used.last);
                let Some(id) = oldest.map(|(id, _)| SessionId::clone(id)) else {
                    return;
                };
                used.remove(&id);
                id
            };
            tracing::info!("an MCP session makes room for a new one (`MCE_HTTP_MAX_SESSIONS`)");
            if let Err(error) = self.inner.close_session(&idle_longest).await {
                tracing::warn!(%error, "an MCP session did not end well");
            }
        }
    }
}

impl SessionManager for Sessions {
    type Error = Failure;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Failure> {
        self.make_room().await;
        let (id, transport) = self.inner.create_session().await?;
        let used = Use {
            last: Instant::now(),
            resumed: 0,
        };
        self.used().insert(SessionId::clone(&id), used);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Failure> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Failure> {
        self.touch(id);
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Failure> {
        self.used().remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        let request = match &message {
            ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        };
        let inner = self.inner.create_stream(id, message).await?;
        Ok(Watched {
            inner: Box::pin(inner),
            awaited: request.map(|request| Awaited {
                sessions: Arc::clone(&self.inner),
                used: Arc::clone(&self.used),
                session: SessionId::clone(id),
                request,
            }),
        })
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Failure> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Failure> {
        if let Some(used) = self.used().get_mut(id) {
            used.resumed += 1;
        }
        self.inner.resume(id, last_event_id).await
    }
}

/// The stream that answers a request. Where its client breaks it off and does not come back, the
/// request is cancelled.
struct Watched<S> {
    inner: Pin<Box<S>>,
    awaited: Option<Awaited>,
}

/// A request that somebody waits for.
struct Awaited {
    sessions: Arc<LocalSessionManager>,
    used: Arc<Mutex<HashMap<SessionId, Use>>>,
    session: SessionId,
    request: RequestId,
}

impl Awaited {
    fn resumed(&self) -> Option<u64> {
        lock(&self.used).get(&self.session).map(|used| used.resumed)
    }

    /// Cancels the request as its client would, unless that comes back.
    async fn give_up(self) {
        let before = self.resumed();
        tokio::time::sleep(RETURN_WITHIN).await;
        if before.is_none() || self.resumed() != before {
            return;
        }
        let notification = CancelledNotification::new(CancelledNotificationParam::new(
            Some(self.request),
            Some("the client went away".to_owned()),
        ));
        let notification = ClientNotification::CancelledNotification(notification);
        let message = ClientJsonRpcMessage::notification(notification);
        // A session that ended meanwhile took the request along.
        let _ = self.sessions.accept_message(&self.session, message).await;
    }
}

impl<S: Stream<Item = ServerSseMessage>> Stream for Watched<S> {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.inner.as_mut().poll_next(context);
        let is_answered = match &polled {
            Poll::Ready(None) => true,
            Poll::Ready(Some(event)) => event.message.as_deref().is_some_and(|message| {
                matches!(
                    message,
                    ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)
                )
            }),
            Poll::Pending => false,
        };
        if is_answered {
            self.awaited = None;
        }
        polled
    }
}

impl<S> Drop for Watched<S> {
    fn drop(&mut self) {
        if let Some(awaited) = self.awaited.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(awaited.give_up());
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
