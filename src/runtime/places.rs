//! How many executions run at once: each costs a container, its memory and its processes.

use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

use super::result::{ErrorType, Refusal};

/// How long an execution waits for a place: shorter than clients wait for an answer.
const WAIT: Duration = Duration::from_secs(3);

/// The places of this process.
pub(super) struct Places {
    count: usize,
    free: Semaphore,
}

impl Places {
    pub(super) fn new(count: usize) -> Self {
        Self {
            count,
            free: Semaphore::new(count.clamp(1, Semaphore::MAX_PERMITS)),
        }
    }

    /// A place, as long as the value is held; `busy` where none becomes free.
    pub(super) async fn take(&self) -> Result<SemaphorePermit<'_>, Refusal> {
        match tokio::time::timeout(WAIT, self.free.acquire()).await {
            Ok(Ok(place)) => Ok(place),
            Ok(Err(_)) | Err(_) => Err(Refusal::new(
                ErrorType::Busy,
                format!(
                    "{} executions are running already (`MCE_MAX_CONCURRENT_EXECUTIONS`)",
                    self.count
                ),
            )
            .hint("try again in a few seconds, with fewer executions at once")),
        }
    }
}
