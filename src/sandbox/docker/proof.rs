//! Whether a container is what was asked for, before any code is handed over: measured from
//! inside by the runner, and compared from outside with what the engine says is in force. Pure.

use std::collections::BTreeMap;

use bollard::models::ContainerInspectResponse;
use serde::{Deserialize, Serialize};

use super::request::{ContainerRequest, ENVIRONMENT};

/// What the checks of one container found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
}

impl Proof {
    /// The checks that failed.
    #[must_use]
    pub fn failures(&self) -> Vec<Finding> {
        self.findings
            .iter()
            .filter(|finding| !finding.ok)
            .cloned()
            .collect()
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
    pub interfaces: Vec<String>,
    pub limits: BTreeMap<String, String>,
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, check: &str, expected: impl ToString, found: impl ToString, ok: bool) {
        self.0.push(Finding {
            check: check.to_owned(),
            expected: expected.to_string(),
            found: found.to_string(),
            ok,
        });
    }

    fn equal(&mut self, check: &str, expected: impl ToString, found: impl ToString) {
        let (expected, found) = (expected.to_string(), found.to_string());
        let ok = expected == found;
        self.add(check, expected, found, ok);
    }
}

/// Judges what the runner measured. `image_environment` is what the image itself sets.
pub(super) fn from_inside(
    hello: &Hello,
    request: &ContainerRequest,
    image_environment: &[String],
) -> Vec<Finding> {
    let mut findings = Findings::default();
    let nothing = "0000000000000000";
    for name in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        findings.equal(name, nothing, field(&hello.status, name));
    }
    findings.equal("NoNewPrivs", "1", field(&hello.status, "NoNewPrivs"));
    findings.equal("Seccomp", "2", field(&hello.status, "Seccomp"));
    findings.equal("pid", 1, hello.pid);
    if let Some((user, group)) = request.user_and_group() {
        findings.equal(
            "uid",
            format!("{:?}", [user; 3]),
            format!("{:?}", hello.uid),
        );
        findings.equal(
            "gid",
            format!("{:?}", [group; 3]),
            format!("{:?}", hello.gid),
        );
        let groups_are_own = hello.groups.iter().all(|found| *found == group);
        findings.add(
            "groups",
            group,
            format!("{:?}", hello.groups),
            groups_are_own,
        );
    }
    let refused = hello
        .sockets
        .keys()
        .all(|outcome| outcome == "EPERM" || outcome == "EACCES");
    findings.add(
        "sockets of any family",
        "EPERM",
        join(hello.sockets.keys()),
        refused && !hello.sockets.is_empty(),
    );
    let no_interface = hello.interfaces.iter().all(|name| name == "lo");
    findings.add(
        "network interfaces",
        "lo",
        join(&hello.interfaces),
        no_interface,
    );
    findings.equal("writing `/`", "EROFS", &hello.root);
    findings.equal("`/` is mounted read-only", true, hello.root_read_only);
    let unexpected: Vec<&String> = hello
        .environment
        .iter()
        .filter(|(name, value)| !is_expected(name, value, image_environment))
        .map(|(name, _)| name)
        .collect();
    findings.add(
        "environment",
        "the fixed list",
        if unexpected.is_empty() {
            "the fixed list".to_owned()
        } else {
            join(unexpected.iter())
        },
        unexpected.is_empty(),
    );
    for (name, expected) in [
        ("memory", request.memory),
        ("memory_and_swap", request.memory),
        ("swap", 0),
        ("pids", request.pids),
    ] {
        // Which of them a container sees depends on the cgroup version.
        if let Some(found) = hello.limits.get(name) {
            findings.equal(&format!("limit in force: {name}"), expected, found);
        }
    }
    findings.0
}

fn is_expected(name: &str, value: &str, image_environment: &[String]) -> bool {
    let fixed = ENVIRONMENT
        .iter()
        .any(|(fixed, text)| *fixed == name && *text == value);
    // Podman says `container=…` to every container.
    fixed || name == "container" || image_environment.contains(&format!("{name}={value}"))
}

fn field<'a>(fields: &'a BTreeMap<String, String>, name: &str) -> &'a str {
    fields.get(name).map_or("nothing", String::as_str)
}

fn join<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<T> = names.into_iter().collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.join(", ")
}

/// Compares what the engine says is in force with what was asked for.
pub(super) fn from_outside(
    inspected: &ContainerInspectResponse,
    request: &ContainerRequest,
) -> Vec<Finding> {
    let mut findings = Findings::default();
    let requested = serde_json::to_value(request.final_host_config()).unwrap_or_default();
    let in_force = serde_json::to_value(&inspected.host_config).unwrap_or_default();
    for (name, expected) in requested.as_object().into_iter().flatten() {
        let found = in_force.get(name).unwrap_or(&serde_json::Value::Null);
        let ok = agrees(expected, found);
        // The profile is long; whether it is the same says enough.
        let brief = |value: &serde_json::Value| -> String {
            let text = value.to_string();
            if text.len() > 200 {
                format!("{}…", text.chars().take(60).collect::<String>())
            } else {
                text
            }
        };
        findings.add(
            &format!("HostConfig.{name}"),
            brief(expected),
            brief(found),
            ok,
        );
    }
    for name in [
        "Devices",
        "DeviceRequests",
        "VolumesFrom",
        "Mounts",
        "GroupAdd",
        "Sysctls",
    ] {
        let found = in_force.get(name).unwrap_or(&serde_json::Value::Null);
        findings.add(
            &format!("HostConfig.{name}"),
            "nothing",
            found,
            is_nothing(found),
        );
    }
    for name in ["PidMode", "UTSMode", "CgroupnsMode", "UsernsMode"] {
        let found = in_force.get(name).unwrap_or(&serde_json::Value::Null);
        let shared = found.as_str().is_some_and(|mode| {
            mode.starts_with("container:") || (mode == "host" && name != "CgroupnsMode")
        });
        findings.add(&format!("HostConfig.{name}"), "its own", found, !shared);
    }
    let mounts = inspected.mounts.as_deref().unwrap_or_default();
    let foreign: Vec<&str> = mounts
        .iter()
        .filter(|mount| mount.typ.as_deref() != Some("tmpfs"))
        .filter_map(|mount| mount.destination.as_deref())
        .collect();
    findings.add(
        "mounts",
        "none of the host",
        join(&foreign),
        foreign.is_empty(),
    );
    findings.0
}

/// Whether everything asked for is in force. The engine may say more, and may say nothing where
/// nothing was asked for.
fn agrees(expected: &serde_json::Value, found: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => expected
            .iter()
            .all(|(name, value)| agrees(value, found.get(name).unwrap_or(&Value::Null))),
        (Value::Array(expected), Value::Array(found)) => {
            expected.len() == found.len()
                && expected
                    .iter()
                    .all(|value| found.iter().any(|other| agrees(value, other)))
        }
        (expected, found) => expected == found || (is_nothing(expected) && is_nothing(found)),
    }
}

fn is_nothing(value: &serde_json::Value) -> bool {
    use serde_json::Value;
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}
