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
    most: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    all: usize,
    /// Of each principal; those that hold nothing are not there.
    by_principal: HashMap<String, usize>,
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
            most: longest.saturating_mul(AT_ONCE),
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
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Takes so many bytes more, if there are as many.
    pub(super) fn grow(&mut self, bytes: usize) -> bool {
        let length = self.length.saturating_add(bytes);
        let more = length.saturating_sub(FREE) - self.held;
        if more > 0 && !self.take(more) {
            return false;
        }
        self.length = length;
        self.held += more;
        true
    }

    fn take(&self, more: usize) -> bool {
        let most = self.shared.most;
        let mut held = self.shared.held();
        let own = held.by_principal.get(&self.principal).copied();
        let own = own.unwrap_or_default();
        if more > most - held.all || more > (most / 2).saturating_sub(own) {
            return false;
        }
        held.all += more;
        match held.by_principal.get_mut(&self.principal) {
            Some(own) => *own += more,
            None => {
                held.by_principal.insert(self.principal.clone(), more);
            }
        }
        true
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if self.held == 0 {
            return;
        }
        let mut held = self.shared.held();
        held.all -= self.held;
        if let Some(own) = held.by_principal.get_mut(&self.principal) {
            *own -= self.held;
            if *own == 0 {
                held.by_principal.remove(&self.principal);
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
        let held = bodies.0.held();
        assert_eq!((held.all, held.by_principal.len()), (0, 0));
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
