//! What the bodies of all requests may take together while they arrive.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Of each body so much counts as nothing: who sends short messages is never told to wait for those who
/// send long ones. The number of connections bounds these.
const FREE: usize = 16 * 1024;

/// How many bodies of the longest kind may arrive at once; of one principal half as many, so that none
/// keeps the others out.
const AT_ONCE: usize = 32;

/// The bytes that bodies may still take.
#[derive(Debug)]
pub(super) struct Bodies(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    all: usize,
    /// By principal; those that hold nothing are not there.
    held: Mutex<HashMap<String, usize>>,
}

/// What one body takes, given back when it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    shared: Arc<Shared>,
    principal: String,
    length: usize,
    held: usize,
}

impl Bodies {
    /// Of which none is longer than `longest`.
    pub(super) fn new(longest: usize) -> Self {
        Self(Arc::new(Shared {
            all: longest.saturating_mul(AT_ONCE),
            held: Mutex::default(),
        }))
    }

    /// The share of a body of this principal that begins to arrive.
    pub(super) fn share(&self, principal: &str) -> Share {
        Share {
            shared: Arc::clone(&self.0),
            principal: principal.to_owned(),
            length: 0,
            held: 0,
        }
    }
}

impl Shared {
    fn held(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Takes so many bytes more, if there are as many.
    pub(super) fn grow(&mut self, bytes: usize) -> bool {
        self.length = self.length.saturating_add(bytes);
        let more = self.length.saturating_sub(FREE) - self.held;
        if more == 0 {
            return true;
        }
        let mut held = self.shared.held();
        let all: usize = held.values().sum();
        let own = held.get(&self.principal).copied().unwrap_or_default();
        if more > self.shared.all - all || more > (self.shared.all / 2).saturating_sub(own) {
            return false;
        }
        held.insert(self.principal.clone(), own + more);
        self.held += more;
        true
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if self.held == 0 {
            return;
        }
        let mut held = self.shared.held();
        if let Some(own) = held.get_mut(&self.principal) {
            *own -= self.held;
            if *own == 0 {
                held.remove(&self.principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: usize = 64 * 1024;

    #[test]
    fn bodies_take_no_more_than_there_is_and_give_it_back() {
        let bodies = Bodies::new(LONGEST);
        let mut shares: Vec<_> = ["ada", "bob"]
            .iter()
            .flat_map(|name| (0..AT_ONCE / 2).map(|_| bodies.share(name)))
            .collect();
        for share in &mut shares {
            assert!(share.grow(FREE + LONGEST));
        }
        let mut late = bodies.share("eve");
        assert!(late.grow(FREE));
        assert!(!late.grow(1));
        drop(shares);
        assert!(late.grow(1));
        drop(late);
        assert!(bodies.0.held().is_empty());
    }

    #[test]
    fn one_principal_takes_half_of_it_at_most() {
        let bodies = Bodies::new(LONGEST);
        let mut greedy = bodies.share("ada");
        assert!(greedy.grow(FREE + AT_ONCE * LONGEST / 2));
        assert!(!greedy.grow(1));
        assert!(bodies.share("bob").grow(LONGEST));
    }
}
