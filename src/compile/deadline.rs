//! A deadline for work that cannot be stopped.
//!
//! A thread that reads a document cannot be killed. When its time is over it is left to itself,
//! and must then write nothing: the report has already said that there is no output.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

const WORKING: u8 = 0;
const WRITING: u8 = 1;
const LATE: u8 = 2;

/// Whether the work is in time. One of the two sides decides, and only once.
#[derive(Debug, Clone, Default)]
pub(super) struct Gate(Arc<AtomicU8>);

impl Gate {
    /// Asks to write. Once this is granted, the work is waited for.
    pub(super) fn pass(&self) -> bool {
        self.decide(WRITING)
    }

    fn decide(&self, outcome: u8) -> bool {
        let order = Ordering::SeqCst;
        let decided = self.0.compare_exchange(WORKING, outcome, order, order);
        decided.is_ok()
    }
}

/// Why work has no outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unfinished {
    /// It was not ready to write in time.
    Late,
    /// It panicked.
    Broken,
}

/// Does blocking work on a thread of its own, within `limit` up to where it passes the gate.
pub(super) async fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce(&Gate) -> T + Send + 'static,
) -> Result<T, Unfinished> {
    let gate = Gate::default();
    let inner = gate.clone();
    let mut task = tokio::task::spawn_blocking(move || work(&inner));
    let outcome = match tokio::time::timeout(limit, &mut task).await {
        Ok(outcome) => outcome,
        Err(_) if gate.decide(LATE) => return Err(Unfinished::Late),
        Err(_) => task.await,
    };
    outcome.map_err(|_| Unfinished::Broken)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const LIMIT: Duration = Duration::from_millis(50);

    #[tokio::test]
    async fn work_that_is_late_ends_the_wait_and_writes_nothing() {
        let (over, is_over) = mpsc::channel::<()>();
        let (said, passed) = mpsc::channel();
        let outcome = within(LIMIT, move |gate| {
            let _ = is_over.recv();
            let _ = said.send(gate.pass());
        });
        assert_eq!(outcome.await, Err(Unfinished::Late));
        drop(over);
        assert!(!passed.recv().unwrap());
    }

    #[tokio::test]
    async fn work_that_has_begun_to_write_is_waited_for() {
        let outcome = within(LIMIT, |gate| {
            let passed = gate.pass();
            std::thread::sleep(LIMIT * 4);
            passed
        });
        assert_eq!(outcome.await, Ok(true));
    }
}
