//! What is wrong with a policy file, and where.

use std::fmt;

/// How many complaints one error lists.
const MOST: usize = 20;

/// One thing that is wrong in a policy file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyComplaint {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Everything that is wrong with a policy, at least one [`PolicyComplaint`]. `Display` has one
/// `line:column: message` line for each, followed by a `hint:` line where there is advice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct PolicyError {
    complaints: Vec<PolicyComplaint>,
    omitted: usize,
}

impl PolicyError {
    /// An error of these complaints; `None` where there are none.
    pub(super) fn from_complaints(mut complaints: Vec<PolicyComplaint>) -> Option<Self> {
        if complaints.is_empty() {
            return None;
        }
        complaints.sort_by_key(|complaint| (complaint.line, complaint.column));
        let omitted = complaints.len().saturating_sub(MOST);
        complaints.truncate(MOST);
        Some(Self {
            complaints,
            omitted,
        })
    }

    /// What is wrong, in the order of the file; 20 at most.
    #[must_use]
    pub fn complaints(&self) -> &[PolicyComplaint] {
        &self.complaints
    }

    /// The error as text, each place preceded by the name of the file.
    #[must_use]
    pub fn in_file(&self, file: &str) -> String {
        self.text(&format!("{file}:"))
    }

    fn text(&self, before: &str) -> String {
        let mut lines: Vec<String> = self
            .complaints
            .iter()
            .map(|complaint| format!("{before}{complaint}"))
            .collect();
        if self.omitted > 0 {
            lines.push(format!("and {} more", self.omitted));
        }
        lines.join("\n")
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text(""))
    }
}

impl fmt::Display for PolicyComplaint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.line, self.column, self.message)?;
        if let Some(hint) = &self.hint {
            write!(formatter, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}
