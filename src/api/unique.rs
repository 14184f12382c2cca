//! Names that are told apart by numbers.

use std::collections::{HashMap, HashSet};

/// Names that are given once each; those that are taken get a number.
#[derive(Debug, Default)]
pub(crate) struct Unique {
    taken: HashSet<String>,
    next: HashMap<String, usize>,
}

impl Unique {
    /// The name, or the first `name` + `separator` + number that nobody has.
    pub(crate) fn take(&mut self, name: &str, separator: &str) -> String {
        if self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        // Counted on from the last one, or many alike would take a square of their number.
        let next = self.next.entry(name.to_owned()).or_insert(2);
        loop {
            let numbered = format!("{name}{separator}{next}");
            *next += 1;
            if self.taken.insert(numbered.clone()) {
                return numbered;
            }
        }
    }
}
