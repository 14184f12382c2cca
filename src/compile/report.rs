//! What became of a compilation, as programs read it too (`mce compile --format json`).

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::facts::Facts;
use crate::invisible::visible;

/// Operations that a group of reasons names.
const EXAMPLES: usize = 3;

/// What became of a compilation.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    /// One entry for each server that was to be compiled, in the order of the config.
    pub servers: Vec<ServerReport>,
    /// What became of `mce_runtime.py`; `None` where no server was compiled.
    pub runtime: Option<RuntimeReport>,
    /// Folders of servers that are no longer listed, removed.
    pub removed: Vec<PathBuf>,
    /// What concerns no single server.
    pub warnings: Vec<String>,
    /// What failed that concerns no single server.
    pub error: Option<String>,
}

impl Report {
    /// Whether anything failed.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.error.is_some() || self.servers.iter().any(|server| server.error.is_some())
    }
}

/// What became of `mce_runtime.py`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuntimeReport {
    /// The file.
    pub path: PathBuf,
    /// Whether it was changed, or in a dry run would be.
    pub changed: bool,
}

/// What became of one server.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ServerReport {
    /// Its identifier.
    pub server: String,
    /// Operations with a function.
    pub functions: usize,
    /// Operations left out by the read-only rule.
    pub read_only: usize,
    /// Operations left out by `include` and `exclude`.
    pub excluded: usize,
    /// Operations that cannot be compiled, as `METHOD /path: reason`.
    pub unsupported: Vec<String>,
    /// The same, grouped by reason, the most frequent first.
    pub reasons: Vec<Reason>,
    /// What was repaired or left out, and what the config lacks.
    pub warnings: Vec<String>,
    /// Why there is no output; what was there before is untouched.
    pub error: Option<String>,
    /// The files, whether or not they had to be written.
    pub paths: Vec<PathBuf>,
    /// Whether any of them was changed, or in a dry run would be.
    pub changed: bool,
    /// Whether the fingerprint showed that there was nothing to do, so that nothing was rendered.
    pub up_to_date: bool,
    /// Milliseconds that loading the document and parsing it took.
    pub load_ms: u64,
    /// Milliseconds that the rest took, waiting for a processor not counted.
    pub compile_ms: u64,
}

/// A reason that operations cannot be compiled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// The reason; where several differ in names only, these are `…`.
    pub reason: String,
    /// Operations.
    pub count: usize,
    /// The first of them, as `METHOD /path`.
    pub examples: Vec<String>,
}

impl ServerReport {
    /// Says what was compiled and what was not.
    pub(super) fn describe(&mut self, facts: &Facts) {
        self.functions = facts.functions.len();
        let mut groups: BTreeMap<String, (Reason, bool)> = BTreeMap::new();
        for skipped in &facts.skipped {
            let reason = match skipped.reason.as_str() {
                "read_only" => {
                    self.read_only += 1;
                    continue;
                }
                "excluded" => {
                    self.excluded += 1;
                    continue;
                }
                reason => visible(reason.trim_start_matches("unsupported: ")),
            };
            let operation = visible(&format!("{} {}", skipped.method, skipped.path));
            self.unsupported.push(format!("{operation}: {reason}"));
            let (group, alike) = groups.entry(without_names(&reason)).or_insert_with(|| {
                let group = Reason {
                    reason: reason.clone(),
                    count: 0,
                    examples: Vec::new(),
                };
                (group, true)
            });
            *alike &= group.reason == reason;
            group.count += 1;
            if group.examples.len() < EXAMPLES {
                group.examples.push(operation);
            }
        }
        let groups = groups.into_iter().map(|(general, (mut group, alike))| {
            if !alike {
                group.reason = general;
            }
            group
        });
        self.reasons = groups.collect();
        self.reasons
            .sort_by_key(|group| std::cmp::Reverse(group.count));
        let warnings = facts.warnings.iter();
        self.warnings
            .extend(warnings.map(|warning| visible(warning)));
        if facts.functions.is_empty() {
            self.warnings
                .push("no operation of the document was compiled".to_owned());
        }
    }
}

/// A reason with `…` for everything in backticks.
fn without_names(reason: &str) -> String {
    let parts = reason.split('`').enumerate();
    let parts = parts.map(|(index, part)| if index % 2 == 1 { "`…`" } else { part });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Skipped;

    #[test]
    fn reasons_are_grouped_whatever_they_name() {
        let skipped = |path: &str, reason: &str| Skipped {
            method: "GET".to_owned(),
            path: path.to_owned(),
            reason: reason.to_owned(),
            base_url: None,
        };
        let skipped = vec![
            skipped("/one", "unsupported: cookies"),
            skipped("/a", "unsupported: reference `#/a` leads nowhere"),
            skipped("/b", "read_only"),
            skipped("/c", "unsupported: reference `#/c` leads nowhere"),
        ];
        let facts = Facts {
            skipped,
            ..Facts::default()
        };
        let mut report = ServerReport::default();
        report.describe(&facts);
        assert_eq!((report.read_only, report.unsupported.len()), (1, 3));
        let said: Vec<_> = report
            .reasons
            .iter()
            .map(|it| (it.reason.as_str(), it.count, it.examples.join(", ")))
            .collect();
        assert_eq!(
            said,
            [
                (
                    "reference `…` leads nowhere",
                    2,
                    "GET /a, GET /c".to_owned()
                ),
                ("cookies", 1, "GET /one".to_owned()),
            ]
        );
    }
}
