//! What the bodies of all requests may take together while they arrive.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Of each body so much counts as nothing: who sends short messages is never told to wait for those who
/// send long ones. The number of connections bounds these.
const FREE: usize = 16 * 1024;

/// How many bodies of the longest kind may arrive at once.
const AT_ONCE: usize = 32;

/// The bytes that bodies may still take.
#[derive(Debug)]
pub(super) struct Bodies(Arc<Semaphore>);

/// What one body takes, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    all: Arc<Semaphore>,
    length: usize,
    held: Option<OwnedSemaphorePermit>,
}

impl Bodies {
    /// Of which none is longer than `longest`.
    pub(super) fn new(longest: usize) -> Self {
        let all = longest.saturating_mul(AT_ONCE).min(Semaphore::MAX_PERMITS);
        Self(Arc::new(Semaphore::new(all)))
    }

    /// The share of a body that begins to arrive.
    pub(super) fn share(&self) -> Share {
        Share {
            all: Arc::clone(&self.0),
            length: 0,
            held: None,
        }
    }
}

impl Share {
    /// Takes so many bytes more, if there are as many.
    pub(super) fn grow(&mut self, bytes: usize) -> bool {
        let counted = |length: usize| length.saturating_sub(FREE);
        let before = self.length;
        self.length = before.saturating_add(bytes);
        let Ok(more) = u32::try_from(counted(self.length) - counted(before)) else {
            return false;
        };
        if more == 0 {
            return true;
        }
        let Ok(permit) = Arc::clone(&self.all).try_acquire_many_owned(more) else {
            return false;
        };
        match &mut self.held {
            Some(held) => held.merge(permit),
            None => self.held = Some(permit),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_take_no_more_than_there_is_and_give_it_back() {
        let bodies = Bodies::new(64 * 1024);
        let mut shares: Vec<_> = (0..AT_ONCE).map(|_| bodies.share()).collect();
        for share in &mut shares {
            assert!(share.grow(FREE + 60 * 1024));
        }
        assert_eq!(bodies.0.available_permits(), AT_ONCE * 4 * 1024);
        let mut late = bodies.share();
        assert!(late.grow(FREE));
        assert!(!late.grow(AT_ONCE * 4 * 1024 + 1));
        drop(shares);
        assert!(late.grow(1));
        drop(late);
        assert_eq!(bodies.0.available_permits(), AT_ONCE * 64 * 1024);
    }
}
