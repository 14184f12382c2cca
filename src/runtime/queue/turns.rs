//! When who had its last turn.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

/// Turns that are remembered, of clients.
const REMEMBERED: usize = 4_096;

/// One of those that a principal asks through, such as a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Client(u64);

impl Client {
    /// One that is none of those before.
    #[must_use]
    pub fn another() -> Self {
        Self(tick())
    }
}

/// A number above all before it: that of a client, or of a turn.
fn tick() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// When who had its last turn, as numbers of [`tick`].
#[derive(Default)]
pub(super) struct Turns {
    principals: HashMap<String, u64>,
    clients: HashMap<Client, u64>,
    /// The clients by their last turn.
    latest: BTreeMap<u64, Client>,
}

impl Turns {
    pub(super) fn note(&mut self, principal: &str, client: Client) {
        let now = tick();
        // Principals are as many as the operator names.
        self.principals.insert(principal.to_owned(), now);
        self.latest.insert(now, client);
        if let Some(before) = self.clients.insert(client, now) {
            self.latest.remove(&before);
        }
        if self.latest.len() > REMEMBERED
            && let Some((_, forgotten)) = self.latest.pop_first()
        {
            self.clients.remove(&forgotten);
        }
    }

    pub(super) fn of_principal(&self, principal: &str) -> u64 {
        self.principals.get(principal).copied().unwrap_or_default()
    }

    /// That of a client that had none is when it came, so that it is of no use to come again.
    pub(super) fn of_client(&self, client: Client) -> u64 {
        self.clients.get(&client).copied().unwrap_or(client.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_of_few_clients_are_remembered() {
        let mut turns = Turns::default();
        let first = Client::another();
        for client in std::iter::once(first).chain((0..REMEMBERED).map(|_| Client::another())) {
            turns.note("ada", client);
            turns.note("ada", client);
        }
        assert_eq!(turns.clients.len(), REMEMBERED);
        assert_eq!(turns.latest.len(), REMEMBERED);
        assert_eq!(turns.of_client(first), first.0);
    }
}
