//! Whether a container is what was asked for, before any code is handed over: measured from
//! inside by the runner, and compared from outside with what the engine says is in force. Pure.

use std::collections::BTreeMap;
use std::fmt::Display;

use bollard::models::ContainerInspectResponse;
use serde::{Deserialize, Serialize};

use super::cgroup::Limits;
use super::request::{ContainerRequest, ENVIRONMENT, TMPFS};

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
}

#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, check: &str, expected: impl Display, found: impl Display, ok: bool) {
        self.0.push(Finding {
            check: check.to_owned(),
            expected: expected.to_string(),
            found: found.to_string(),
            ok,
        });
    }

    fn equal(&mut self, check: &str, expected: impl Display, found: impl Display) {
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
    for name in ["CapInh", "CapPrm", "CapEff", "CapBnd"] {
        findings.equal(name, nothing, field(&hello.status, name));
    }
    // gVisor has none and does not show them. No capability is ambient that is not permitted.
    let ambient = hello.status.get("CapAmb").or(hello.status.get("CapPrm"));
    findings.equal("CapAmb", nothing, ambient.map_or("nothing", String::as_str));
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
    // gVisor looks at the folder's mode first.
    let is_refused = hello.root == "EROFS" || hello.root == "EACCES" && hello.root_read_only;
    findings.add("writing `/`", "EROFS", &hello.root, is_refused);
    findings.equal("`/` is mounted read-only", true, hello.root_read_only);
    findings.equal(
        "files in memory that could be run",
        "EPERM",
        &hello.programs_from_memory,
    );
    findings.equal(
        "places of the kernel that are seen",
        "",
        join(&hello.uncovered),
    );
    let writable: Vec<String> = hello
        .writable
        .iter()
        .map(|(path, options)| described(path, options))
        .collect();
    // gVisor shows of these `noexec` alone, and needs no other: without a capability nobody makes a
    // device, and with `NoNewPrivs` no program gains anything by its mode.
    let is_shown =
        |name: &&str| *name == "noexec" || hello.options_shown.iter().any(|it| it == name);
    let options: Vec<&str> = MOUNT_OPTIONS.into_iter().filter(is_shown).collect();
    let expected = join(TMPFS.map(|(path, _)| described(path, &options)));
    findings.equal("places that can be written", expected, join(&writable));
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

/// What every place that can be written is mounted with.
const MOUNT_OPTIONS: [&str; 3] = ["nodev", "noexec", "nosuid"];

/// A mount with those of its options that bound what can be done there.
fn described<T: AsRef<str>>(path: &str, options: &[T]) -> String {
    let set = MOUNT_OPTIONS
        .into_iter()
        .filter(|name| options.iter().any(|option| option.as_ref() == *name));
    format!("{path} ({})", set.collect::<Vec<_>>().join(" "))
}

fn is_expected(name: &str, value: &str, image_environment: &[String]) -> bool {
    let fixed = ENVIRONMENT
        .iter()
        .any(|(fixed, text)| *fixed == name && *text == value);
    // Podman says so to every container.
    let podman = name == "container" && (value == "podman" || value == "oci");
    fixed || podman || image_environment.contains(&format!("{name}={value}"))
}

fn field<'a>(fields: &'a BTreeMap<String, String>, name: &str) -> &'a str {
    fields.get(name).map_or("nothing", String::as_str)
}

fn join<T: AsRef<str>>(names: impl IntoIterator<Item = T>) -> String {
    let names: Vec<T> = names.into_iter().collect();
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.join(", ")
}

/// Judges the limits that the host's kernel has in force, where they can be read. A limit that
/// neither it nor the container shows is not known to be in force.
pub(super) fn from_kernel(
    limits: &Limits,
    hello: &Hello,
    request: &ContainerRequest,
) -> Vec<Finding> {
    let mut findings = Findings::default();
    for (name, expected, kernel) in [
        ("memory", request.memory, &limits.memory),
        ("pids", request.pids, &limits.pids),
    ] {
        if kernel.is_none() && !hello.limits.contains_key(name) {
            findings.add(
                &format!("limit in force: {name}"),
                expected,
                "not measured",
                false,
            );
        }
    }
    if let Some(memory) = &limits.memory {
        findings.equal("cgroup: memory", request.memory, memory);
    }
    if let Some(pids) = &limits.pids {
        findings.equal("cgroup: pids", request.pids, pids);
    }
    if let Some(cpu) = &limits.cpu {
        // Nano-processors are quota / period × 10^9; the engine chooses the period.
        let nano_cpus = cpu.split_once(' ').and_then(|(quota, period)| {
            let (quota, period): (i64, i64) = (quota.parse().ok()?, period.parse().ok()?);
            quota.checked_mul(1_000_000_000)?.checked_div(period)
        });
        let found = nano_cpus.map_or_else(|| cpu.clone(), |nano| nano.to_string());
        findings.equal("cgroup: processor time (10^-9)", request.nano_cpus, found);
    }
    findings.0
}

/// Compares what the engine says is in force with what was asked for.
pub(super) fn from_outside(
    inspected: &ContainerInspectResponse,
    hello: &Hello,
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
    // A runtime with a kernel of its own (gVisor) does not mount them so: there it is enough that the
    // engine asked it to, for what is written there changes nothing of the host.
    let host = inspected.host_config.as_ref();
    let read_only = host.and_then(|host| host.readonly_paths.as_deref());
    let read_only = read_only.unwrap_or_default();
    let mut changeable = hello.changeable.clone();
    changeable.retain(|path| !read_only.contains(path));
    findings.equal(
        "places of the kernel that can be changed",
        "",
        join(&changeable),
    );
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::{Environment, Settings};

    fn request() -> ContainerRequest {
        let pairs: [(&str, &str); 0] = [];
        let settings = Settings::from_environment(&Environment::from_pairs(pairs))
            .unwrap()
            .0;
        ContainerRequest::new(&settings, "sha256:x".to_owned(), BTreeMap::new())
    }

    fn good() -> serde_json::Value {
        let none = "0000000000000000";
        json!({
            "python": "3.13.5", "pid": 1,
            "uid": [65534, 65534, 65534], "gid": [65534, 65534, 65534], "groups": [65534],
            "status": {
                "CapInh": none, "CapPrm": none, "CapEff": none, "CapBnd": none, "CapAmb": none,
                "NoNewPrivs": "1", "Seccomp": "2",
            },
            "environment": {"LANG": "C.UTF-8", "PYTHON_VERSION": "3.13"},
            "sockets": {"EPERM": 138},
            "root": "EROFS", "root_read_only": true, "interfaces": ["lo"],
            "writable": {
                "/tmp": ["rw", "nosuid", "nodev", "noexec", "relatime"],
                "/workspace": ["rw", "noexec", "nosuid", "nodev"],
            },
            "options_shown": ["nodev", "noexec", "nosuid", "relatime", "ro", "rw"],
            "programs_from_memory": "EPERM", "uncovered": [], "changeable": [],
            "limits": {"memory": "268435456", "pids": "128"},
        })
    }

    fn failures(hello: serde_json::Value) -> Vec<String> {
        let hello: Hello = serde_json::from_value(hello).unwrap();
        let image = ["PYTHON_VERSION=3.13".to_owned()];
        let findings = from_inside(&hello, &request(), &image);
        findings
            .into_iter()
            .filter(|f| !f.ok)
            .map(|f| f.check)
            .collect()
    }

    #[test]
    fn a_sound_container_passes_and_each_weakness_is_named() {
        assert_eq!(failures(good()), Vec::<String>::new());
        for (pointer, value, check) in [
            ("/status/CapBnd", json!("00000000a80425fb"), "CapBnd"),
            ("/status/NoNewPrivs", json!("0"), "NoNewPrivs"),
            ("/status/Seccomp", json!("0"), "Seccomp"),
            ("/uid", json!([0, 65534, 65534]), "uid"),
            ("/gid", json!([65534, 65534, 0]), "gid"),
            ("/groups", json!([65534, 0]), "groups"),
            ("/pid", json!(7), "pid"),
            (
                "/sockets",
                json!({"EPERM": 137, "created:2": 1}),
                "sockets of any family",
            ),
            (
                "/sockets",
                json!({"EAFNOSUPPORT": 138}),
                "sockets of any family",
            ),
            ("/sockets", json!({}), "sockets of any family"),
            ("/root", json!("created"), "writing `/`"),
            ("/root_read_only", json!(false), "`/` is mounted read-only"),
            ("/interfaces", json!(["lo", "eth0"]), "network interfaces"),
            ("/environment", json!({"TOKEN": "x"}), "environment"),
            ("/environment", json!({"container": "x"}), "environment"),
            (
                "/programs_from_memory",
                json!("created"),
                "files in memory that could be run",
            ),
            (
                "/uncovered",
                json!(["/proc/keys"]),
                "places of the kernel that are seen",
            ),
            (
                "/writable/~1tmp",
                json!(["rw", "nosuid", "nodev"]),
                "places that can be written",
            ),
            (
                "/writable",
                json!({
                    "/dev/shm": ["rw", "noexec", "nosuid", "nodev"],
                    "/tmp": ["rw", "noexec", "nosuid", "nodev"],
                    "/workspace": ["rw", "noexec", "nosuid", "nodev"],
                }),
                "places that can be written",
            ),
            (
                "/environment",
                json!({"PYTHON_VERSION": "other"}),
                "environment",
            ),
            (
                "/limits/memory",
                json!("9223372036854771712"),
                "limit in force: memory",
            ),
            ("/limits/pids", json!("max"), "limit in force: pids"),
        ] {
            let mut hello = good();
            *hello.pointer_mut(pointer).unwrap() = value;
            assert_eq!(failures(hello), vec![check.to_owned()], "{pointer}");
        }
    }

    #[test]
    fn what_gvisor_does_not_show_is_judged_by_what_it_does() {
        let mut hello = good();
        hello["status"].as_object_mut().unwrap().remove("CapAmb");
        hello["root"] = json!("EACCES");
        hello["options_shown"] = json!(["noexec", "ro", "rw"]);
        for path in ["/tmp", "/workspace"] {
            hello["writable"][path] = json!(["rw", "noexec"]);
        }
        assert_eq!(failures(hello.clone()), Vec::<String>::new());
        for (pointer, value, checks) in [
            (
                "/status/CapPrm",
                json!("0000000000000001"),
                &["CapPrm", "CapAmb"][..],
            ),
            (
                "/root_read_only",
                json!(false),
                &["writing `/`", "`/` is mounted read-only"],
            ),
            (
                "/writable/~1tmp",
                json!(["rw"]),
                &["places that can be written"],
            ),
            (
                "/options_shown",
                json!(["nosuid"]),
                &["places that can be written"],
            ),
        ] {
            let mut hello = hello.clone();
            *hello.pointer_mut(pointer).unwrap() = value;
            assert_eq!(failures(hello), checks, "{pointer}");
        }
    }

    fn inspected(change: impl FnOnce(&mut serde_json::Value)) -> Vec<String> {
        let mut container = json!({ "HostConfig": request().final_host_config(), "Mounts": [] });
        container["HostConfig"]["ReadonlyPaths"] = json!(["/proc/sys"]);
        change(&mut container);
        let container = serde_json::from_value(container).unwrap();
        let mut hello: Hello = serde_json::from_value(good()).unwrap();
        hello.changeable = vec!["/proc/sys".to_owned()];
        let findings = from_outside(&container, &hello, &request());
        findings
            .into_iter()
            .filter(|f| !f.ok)
            .map(|f| f.check)
            .collect()
    }

    #[test]
    fn what_the_engine_changed_is_found() {
        assert_eq!(inspected(|_| ()), Vec::<String>::new());
        let set = |name: &'static str, value: serde_json::Value| {
            inspected(move |container| container["HostConfig"][name] = value)
        };
        assert_eq!(
            set("NetworkMode", json!("bridge")),
            ["HostConfig.NetworkMode"]
        );
        assert_eq!(set("MemorySwap", json!(-1)), ["HostConfig.MemorySwap"]);
        assert_eq!(set("NanoCpus", json!(0)), ["HostConfig.NanoCpus"]);
        assert_eq!(
            set("ReadonlyRootfs", json!(false)),
            ["HostConfig.ReadonlyRootfs"]
        );
        assert_eq!(set("CapAdd", json!(["SYS_ADMIN"])), ["HostConfig.CapAdd"]);
        assert_eq!(set("Binds", json!(["/:/host"])), ["HostConfig.Binds"]);
        assert_eq!(set("Privileged", json!(true)), ["HostConfig.Privileged"]);
        assert_eq!(set("PidMode", json!("host")), ["HostConfig.PidMode"]);
        assert_eq!(
            set("ReadonlyPaths", json!([])),
            ["places of the kernel that can be changed"]
        );
        assert_eq!(
            set(
                "SecurityOpt",
                json!(["no-new-privileges", "seccomp=unconfined"])
            ),
            ["HostConfig.SecurityOpt"]
        );
        let mount = json!([{"Type": "volume", "Destination": "/data"}]);
        assert_eq!(
            inspected(|container| container["Mounts"] = mount),
            ["mounts"]
        );
    }

    #[test]
    fn a_limit_that_nobody_can_see_is_not_taken_for_one_in_force() {
        let unseen = |limits: &Limits, change: &dyn Fn(&mut Hello)| -> Vec<String> {
            let mut hello = serde_json::from_value(good()).unwrap();
            change(&mut hello);
            let findings = from_kernel(limits, &hello, &request());
            let failed = findings.into_iter().filter(|finding| !finding.ok);
            failed.map(|finding| finding.check).collect()
        };
        let none = Limits::default();
        assert_eq!(unseen(&none, &|_| ()), Vec::<String>::new());
        assert_eq!(
            unseen(&none, &|hello| hello.limits.clear()),
            ["limit in force: memory", "limit in force: pids"]
        );
        let seen = Limits {
            memory: Some("268435456".to_owned()),
            pids: Some("128".to_owned()),
            cpu: None,
        };
        assert_eq!(
            unseen(&seen, &|hello| hello.limits.clear()),
            Vec::<String>::new()
        );
    }

    #[test]
    fn the_processor_time_is_computed_from_quota_and_period() {
        let failed = |cpu: &str| {
            let limits = Limits {
                cpu: Some(cpu.to_owned()),
                ..Limits::default()
            };
            let hello = serde_json::from_value(good()).unwrap();
            from_kernel(&limits, &hello, &request())
                .iter()
                .any(|finding| !finding.ok)
        };
        assert!(!failed("50000 100000"));
        assert!(!failed("5000 10000"));
        assert!(failed("-1 100000") && failed("max 100000") && failed("100000 100000"));
    }
}
