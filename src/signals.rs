//! The signals by which a process is asked to stop: SIGINT, SIGTERM.

/// Ends with the first of them. They are waited for from this call on, before anything that is polled
/// beside the future begins: one that comes in between would end the process at once.
#[cfg(unix)]
pub fn asked_to_stop() -> impl Future<Output = ()> {
    use tokio::signal::unix::{Signal, SignalKind, signal};
    // Where no handler can be installed, the signal ends the process by itself.
    let waited_for = |kind: SignalKind| signal(kind).ok();
    let (mut terminate, mut interrupt) = (
        waited_for(SignalKind::terminate()),
        waited_for(SignalKind::interrupt()),
    );
    let came = async |signal: &mut Option<Signal>| match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    };
    async move {
        tokio::select! {
            () = came(&mut terminate) => {}
            () = came(&mut interrupt) => {}
        }
    }
}

/// Ends with the first of them.
#[cfg(not(unix))]
pub async fn asked_to_stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
