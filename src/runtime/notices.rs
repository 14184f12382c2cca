//! What happened to servers while this process runs, for whoever may use them.

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::Runtime;
use super::view::View;

/// How many notices wait for who does not read them; of more, the oldest are lost.
pub(super) const KEPT: usize = 64;

/// What happened to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The server.
    pub server: String,
    /// What happened to it.
    pub event: Event,
}

/// What can happen to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// It was compiled anew, changed or removed.
    Changed,
    /// Its compiled output was refused; why, as lists of servers say it too.
    Refused(String),
}

/// Follows what happens to the servers that one caller may use.
pub struct Notices {
    receiver: broadcast::Receiver<Notice>,
    registry: View,
}

impl Notices {
    /// The next one; `None` where there is no runtime any more.
    pub async fn next(&mut self) -> Option<Notice> {
        loop {
            match self.receiver.recv().await {
                Ok(notice) if self.registry.shows(&notice.server) => return Some(notice),
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

impl Runtime {
    /// Follows what happens to servers from now on.
    #[must_use]
    pub fn notices(&self) -> Notices {
        Notices {
            receiver: self.notices.subscribe(),
            registry: self.registry.clone(),
        }
    }

    /// Tells whoever follows what happened to a server.
    pub(crate) fn notify(&self, server: &str, event: Event) {
        // Nobody may follow.
        let _ = self.notices.send(Notice {
            server: server.to_owned(),
            event,
        });
    }
}
