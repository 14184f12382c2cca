//! Which checked servers stay in memory.

/// Checked servers by name, the least recently used first, with what they weigh.
#[derive(Debug)]
pub(super) struct Memory {
    limit: u64,
    unasked: u64,
    servers: Vec<(String, u64)>,
}

impl Memory {
    /// Keeps at most `limit`, but always the latest; and of those that nobody asked for at most as much
    /// as makes `unasked` with the others.
    pub(super) fn new(limit: u64, unasked: u64) -> Self {
        Self {
            limit,
            unasked,
            servers: Vec::new(),
        }
    }

    /// Whether another one of this weight is kept though nobody asked for it.
    pub(super) fn has_room(&self, weight: u64) -> bool {
        self.total().saturating_add(weight) <= self.unasked
    }

    /// Puts a server last and gives those that leave for it.
    pub(super) fn add(&mut self, name: &str, weight: u64) -> Vec<String> {
        self.remove(name);
        self.servers.push((name.to_owned(), weight));
        let mut leaving = Vec::new();
        while self.servers.len() > 1 && self.total() > self.limit {
            leaving.push(self.servers.remove(0).0);
        }
        leaving
    }

    /// Puts a server last, because it was used; whether it is there at all.
    pub(super) fn touch(&mut self, name: &str) -> bool {
        let Some(place) = self.servers.iter().position(|(kept, _)| kept == name) else {
            return false;
        };
        let server = self.servers.remove(place);
        self.servers.push(server);
        true
    }

    /// Whether a server is there.
    pub(super) fn holds(&self, name: &str) -> bool {
        self.servers.iter().any(|(kept, _)| kept == name)
    }

    /// Forgets a server.
    pub(super) fn remove(&mut self, name: &str) {
        self.servers.retain(|(kept, _)| kept != name);
    }

    fn total(&self) -> u64 {
        self.servers
            .iter()
            .fold(0, |sum, (_, weight)| sum.saturating_add(*weight))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_leave_first() {
        let mut memory = Memory::new(10, 6);
        assert!(memory.add("a", 4).is_empty());
        assert!(memory.has_room(2) && !memory.has_room(3));
        assert!(memory.add("b", 4).is_empty());
        assert!(!memory.has_room(1));
        assert!(memory.touch("a"));
        assert!(!memory.touch("z"));
        assert_eq!(memory.add("c", 4), ["b"]);
        assert_eq!(memory.add("d", 100), ["a", "c"]);
        // The latest stays, whatever it weighs.
        assert_eq!(memory.add("e", 1), ["d"]);
        memory.remove("e");
        assert!(memory.has_room(6));
    }
}
