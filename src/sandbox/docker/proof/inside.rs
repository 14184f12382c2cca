//! What the runner measured.

use std::collections::BTreeMap;

use super::super::request::{ContainerRequest, ENVIRONMENT, TMPFS};
use super::{Findings, Hello, join};

/// Judges what the runner measured. `image_environment` is what the image itself sets.
pub(super) fn judge(
    findings: &mut Findings,
    hello: &Hello,
    request: &ContainerRequest,
    image_environment: &[String],
) {
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
            findings.limit(&format!("limit in force: {name}"), expected, found);
        }
    }
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
    let podman = match name {
        "container" => value == "podman" || value == "oci",
        "TERM" => value == "xterm",
        _ => false,
    };
    fixed || podman || image_environment.contains(&format!("{name}={value}"))
}

fn field<'a>(fields: &'a BTreeMap<String, String>, name: &str) -> &'a str {
    fields.get(name).map_or("nothing", String::as_str)
}
