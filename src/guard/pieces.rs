//! Code that runs in pieces, such as that of a session.

use crate::pysyntax::Ranged;
use crate::pysyntax::ast::Stmt;

/// Where the pieces begin in which code runs.
pub(super) struct Pieces<'s> {
    starts: &'s [usize],
}

impl<'s> Pieces<'s> {
    pub(super) fn new(starts: &'s [usize]) -> Self {
        Self { starts }
    }

    /// Whether a piece begins with the next statement of the module.
    pub(super) fn begins_with(&mut self, stmt: &Stmt) -> bool {
        let mut begins = false;
        while let [first, rest @ ..] = self.starts
            && *first <= stmt.start().to_usize()
        {
            self.starts = rest;
            begins = true;
        }
        begins
    }
}
