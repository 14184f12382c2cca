//! Progress notifications: what an execution does, to a client that asked to be told.

use std::time::{Duration, Instant};

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;

use crate::runtime::Stage;

/// How often a client hears that it still goes on.
const EVERY: Duration = Duration::from_secs(5);

/// Who is told, and by which token.
pub(super) struct Listener {
    pub(super) peer: Peer<RoleServer>,
    pub(super) token: Option<ProgressToken>,
}

impl Listener {
    /// Gives what `work` gives, and tells the client meanwhile how far it has come, if it wants to
    /// know: each stage when it is reached, and the time every few seconds. Progress is in seconds.
    pub(super) async fn during<T>(
        &self,
        mut stages: watch::Receiver<Stage>,
        work: impl Future<Output = T>,
    ) -> T {
        let Some(token) = &self.token else {
            return work.await;
        };
        tokio::pin!(work);
        let begun = Instant::now();
        let mut told = None;
        let mut ticks = tokio::time::interval(EVERY);
        ticks.tick().await;
        let mut is_followed = true;
        loop {
            let is_due = tokio::select! {
                biased;
                outcome = &mut work => return outcome,
                changed = stages.changed(), if is_followed => {
                    is_followed = changed.is_ok();
                    is_followed
                }
                _ = ticks.tick() => true,
            };
            let seconds = begun.elapsed().as_secs_f64();
            // Progress has to increase with every notification.
            if is_due && told.is_none_or(|before| seconds > before) {
                told = Some(seconds);
                let stage = *stages.borrow_and_update();
                let progress = ProgressNotificationParam::new(token.clone(), seconds)
                    .with_message(stage.text());
                // A client that does not read must not stop the work; one that left is noticed
                // elsewhere.
                let sending = self.peer.notify_progress(progress);
                tokio::select! {
                    biased;
                    outcome = &mut work => return outcome,
                    _ = sending => {}
                }
            }
        }
    }
}
