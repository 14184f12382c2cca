//! The signals by which a process is asked to stop: SIGINT, SIGTERM.

/// Ends with the first of them.
#[cfg(unix)]
pub async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};
    let terminated = async {
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => terminate.recv().await,
            // No handler could be installed: the signal ends the process by itself.
            Err(_) => std::future::pending().await,
        };
    };
    tokio::select! {
        () = terminated => {}
        () = interrupted() => {}
    }
}

/// Ends with the first of them.
#[cfg(not(unix))]
pub async fn asked_to_stop() {
    interrupted().await;
}

async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
