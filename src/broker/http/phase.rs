//! How far a request has come, so that it can be told what it did not wait for: a connection, or an
//! answer.

use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::watch;
use tokio::time::Instant;
use tower_layer::Layer;
use tower_service::Service;

tokio::task_local! {
    /// Set where a request is being sent.
    static SENDING: watch::Sender<Phase>;
}

/// What a request waits for, and since when.
#[derive(Debug, Clone, Copy)]
pub(super) enum Phase {
    /// A connection.
    Connecting(Instant),
    /// That a part of its body is taken.
    Writing(Instant),
    /// The head of the answer.
    Reading(Instant),
}

/// Sends what `sending` sends, and tells on the channel how far it is.
pub(super) async fn noting<T>(phase: watch::Sender<Phase>, sending: impl Future<Output = T>) -> T {
    SENDING.scope(phase, sending).await
}

/// Notes when a connection is begun and when it is there. One that is used again is neither.
#[derive(Debug, Clone)]
pub(super) struct Noted;

impl<S> Layer<S> for Noted {
    type Service = NotedService<S>;

    fn layer(&self, inner: S) -> NotedService<S> {
        NotedService(inner)
    }
}

#[derive(Debug, Clone)]
pub(super) struct NotedService<S>(S);

impl<S, R> Service<R> for NotedService<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: R) -> Self::Future {
        // A connection that is made in the background is nobody's.
        let phase = SENDING.try_with(Clone::clone).ok();
        let note = move |phase: &Option<watch::Sender<Phase>>, now| {
            if let Some(phase) = phase {
                phase.send_replace(now);
            }
        };
        note(&phase, Phase::Connecting(Instant::now()));
        let connecting = self.0.call(request);
        Box::pin(async move {
            let connected = connecting.await;
            note(&phase, Phase::Reading(Instant::now()));
            connected
        })
    }
}
