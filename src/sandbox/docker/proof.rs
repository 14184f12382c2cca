//! Whether a container is what was asked for, before any code is handed over: measured from
//! inside by the runner, and compared from outside with what the engine says is in force. Pure.

use std::collections::BTreeMap;
use std::fmt::Display;

use bollard::models::ContainerInspectResponse;
use serde::{Deserialize, Serialize};

use super::cgroup::Limits;
use super::request::ContainerRequest;

mod inside;
mod kernel;
mod outside;

/// What the checks of one container found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Proof {
    /// The version of Python inside.
    pub python: String,
    /// Every check.
    pub findings: Vec<Finding>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub check: String,
    /// What must be.
    pub expected: String,
    /// What is.
    pub found: String,
    /// Whether the two agree.
    pub ok: bool,
    /// Whether they may differ all the same: a limit, where weak ones are allowed.
    pub tolerated: bool,
}

impl Proof {
    /// Judges a container by all that is known of it.
    pub(super) fn of(
        hello: Hello,
        inspected: &ContainerInspectResponse,
        limits: &Limits,
        request: &ContainerRequest,
        image_environment: &[String],
    ) -> Self {
        let mut findings = Findings::new(request.allow_weak_limits);
        inside::judge(&mut findings, &hello, request, image_environment);
        outside::judge(&mut findings, inspected, &hello, request);
        kernel::judge(&mut findings, limits, &hello, request);
        Self {
            python: hello.python,
            findings: findings.all,
        }
    }

    /// The checks that failed.
    #[must_use]
    pub fn failures(&self) -> Vec<Finding> {
        let failed = |finding: &&Finding| !finding.ok && !finding.tolerated;
        self.findings.iter().filter(failed).cloned().collect()
    }

    /// The limits that are not in force and need not be.
    pub fn weak_limits(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.tolerated)
    }
}

/// What the runner measures before it is given any code.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(super) struct Hello {
    pub python: String,
    pub pid: u32,
    pub uid: [u32; 3],
    pub gid: [u32; 3],
    pub groups: Vec<u32>,
    pub status: BTreeMap<String, String>,
    pub environment: BTreeMap<String, String>,
    pub sockets: BTreeMap<String, u32>,
    pub root: String,
    pub root_read_only: bool,
    /// The mounts that can be written, with their options.
    pub writable: BTreeMap<String, Vec<String>>,
    /// The options of mounts that the kernel shows at all.
    pub options_shown: Vec<String>,
    pub programs_from_memory: String,
    /// What the engine should hide of the kernel, and does not.
    pub uncovered: Vec<String>,
    /// What the engine should mount read-only of the kernel, and does not.
    pub changeable: Vec<String>,
    pub interfaces: Vec<String>,
    pub limits: BTreeMap<String, String>,
    /// What the runner and the modules it imported are compiled to, in base64; `None` where it was
    /// given that.
    #[serde(default)]
    pub bytecode: Option<BTreeMap<String, String>>,
}

struct Findings {
    all: Vec<Finding>,
    allow_weak_limits: bool,
}

impl Findings {
    fn new(allow_weak_limits: bool) -> Self {
        Self {
            all: Vec::new(),
            allow_weak_limits,
        }
    }

    fn add(&mut self, check: &str, expected: impl Display, found: impl Display, ok: bool) {
        self.all.push(Finding {
            check: check.to_owned(),
            expected: expected.to_string(),
            found: found.to_string(),
            ok,
            tolerated: false,
        });
    }

    fn equal(&mut self, check: &str, expected: impl Display, found: impl Display) {
        let (expected, found) = (expected.to_string(), found.to_string());
        let ok = expected == found;
        self.add(check, expected, found, ok);
    }

    /// The like of a limit of resources.
    fn limit(&mut self, check: &str, expected: impl Display, found: impl Display) {
        self.equal(check, expected, found);
        self.tolerate_last();
    }

    fn tolerate_last(&mut self) {
        if let Some(last) = self.all.last_mut() {
            last.tolerated = !last.ok && self.allow_weak_limits;
        }
    }
}

fn join<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<T> = names.into_iter().collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests;
