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

/// When a session was last used, and which of its requests can be taken up again.
struct Use {
    last: Instant,
    awaited: HashMap<StreamId, Resumable>,
}

/// How the SDK counts the requests of a session; the ids of their events say it.
type StreamId = u64;

/// A request that is not answered, and how often its broken stream was taken up again.
struct Resumable {
    request: RequestId,
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

    fn awaited(
        &self,
        session: &SessionId,
        request: RequestId,
        stream: Option<StreamId>,
        resumed: u64,
    ) -> Awaited {
        Awaited {
            sessions: Arc::clone(&self.inner),
            used: Arc::clone(&self.used),
            session: SessionId::clone(session),
            request,
            stream,
            resumed,
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
            awaited: HashMap::new(),
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
            awaited: request.map(|request| self.awaited(id, request, None, 0)),
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
        // Counted before the stream from before ends, and given up again where this one does not begin.
        let awaited = stream_of(&last_event_id).and_then(|stream| {
            let mut used = self.used();
            let resumable = used.get_mut(id)?.awaited.get_mut(&stream)?;
            resumable.resumed += 1;
            let request = resumable.request.clone();
            Some(self.awaited(id, request, Some(stream), resumable.resumed))
        });
        match self.inner.resume(id, last_event_id).await {
            Ok(inner) => Ok(Watched {
                inner: Box::pin(inner),
                awaited,
            }),
            Err(error) => {
                if let Some(awaited) = awaited {
                    tokio::spawn(awaited.give_up());
                }
                Err(error)
            }
        }
    }
}

/// Which request an event belongs to (`index/stream`); `None` for those of the session's own stream.
fn stream_of(event_id: &str) -> Option<StreamId> {
    let (index, stream) = event_id.split_once('/')?;
    index.parse::<usize>().ok()?;
    stream.parse().ok()
}

/// A stream that answers a request. Where its client breaks it off and does not come back, the
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
    /// Known from the first event on: without one there is nothing to come back with.
    stream: Option<StreamId>,
    /// How often the stream had been taken up again when this one began. A later one took over.
    resumed: u64,
}

impl Awaited {
    /// Notes by which events a client can come back.
    fn seen(&mut self, event_id: Option<&str>) {
        if self.stream.is_some() {
            return;
        }
        let Some(stream) = event_id.and_then(stream_of) else {
            return;
        };
        self.stream = Some(stream);
        if let Some(used) = lock(&self.used).get_mut(&self.session) {
            let resumable = Resumable {
                request: self.request.clone(),
                resumed: self.resumed,
            };
            used.awaited.insert(stream, resumable);
        }
    }

    /// Whether no other stream took over, in a session that is there.
    fn is_latest(&self) -> bool {
        let used = lock(&self.used);
        let Some(used) = used.get(&self.session) else {
            return false;
        };
        self.stream.is_none_or(|stream| {
            let resumable = used.awaited.get(&stream);
            resumable.is_some_and(|it| it.resumed == self.resumed)
        })
    }

    /// Nobody waits any more: the request has its answer.
    fn forget(&self) {
        if let Some(stream) = self.stream
            && let Some(used) = lock(&self.used).get_mut(&self.session)
        {
            used.awaited.remove(&stream);
        }
    }

    /// Cancels the request as its client would, unless that comes back.
    async fn give_up(self) {
        tokio::time::sleep(RETURN_WITHIN).await;
        if !self.is_latest() {
            return;
        }
        self.forget();
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
            Poll::Ready(Some(event)) => {
                if let Some(awaited) = &mut self.awaited {
                    awaited.seen(event.event_id.as_deref());
                }
                event.message.as_deref().is_some_and(|message| {
                    matches!(
                        message,
                        ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)
                    )
                })
            }
            Poll::Pending => false,
        };
        // The end of a stream that another one took over from says nothing of the request.
        if is_answered
            && let Some(awaited) = self.awaited.take()
            && awaited.is_latest()
        {
            awaited.forget();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// One that the SDK cannot read takes nothing over, so it must not count either.
    #[test]
    fn only_ids_of_events_name_a_stream() {
        assert_eq!(stream_of("0/7"), Some(7));
        for other in ["", "3", "/7", "x/7", "-1/7", "0/", "0/x", "0/7/1"] {
            assert_eq!(stream_of(other), None, "{other}");
        }
    }
}
