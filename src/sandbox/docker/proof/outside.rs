//! What the engine says is in force.

use std::collections::BTreeSet;

use bollard::models::ContainerInspectResponse;
use serde_json::Value;

use super::super::engine::EngineKind;
use super::super::request::ContainerRequest;
use super::{Findings, Hello, join};

/// Fields of limits that weak limits leave out of force.
const LIMITS: [&str; 6] = [
    "Memory",
    "MemorySwap",
    "PidsLimit",
    "CpuPeriod",
    "CpuQuota",
    "Ulimits",
];

/// Compares what the engine says is in force with what was asked for.
pub(super) fn judge(
    findings: &mut Findings,
    inspected: &ContainerInspectResponse,
    hello: &Hello,
    request: &ContainerRequest,
) {
    let requested = serde_json::to_value(request.final_host_config()).unwrap_or_default();
    let in_force = serde_json::to_value(&inspected.host_config).unwrap_or_default();
    for (name, expected) in requested.as_object().into_iter().flatten() {
        let found = in_force.get(name).unwrap_or(&Value::Null);
        let ok = is_in_force(name, expected, found, request.engine);
        // The profile is long; whether it is the same says enough.
        let brief = |value: &Value| -> String {
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
        if LIMITS.contains(&name.as_str()) {
            findings.tolerate_last();
        }
    }
    for name in [
        "Devices",
        "DeviceRequests",
        "VolumesFrom",
        "Mounts",
        "GroupAdd",
        "Sysctls",
    ] {
        let found = in_force.get(name).unwrap_or(&Value::Null);
        findings.add(
            &format!("HostConfig.{name}"),
            "nothing",
            found,
            is_nothing(found),
        );
    }
    for name in ["PidMode", "UTSMode", "CgroupnsMode", "UsernsMode"] {
        let found = in_force.get(name).unwrap_or(&Value::Null);
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
}

/// Whether a field of the host configuration means what was asked for. Podman spells some
/// differently.
fn is_in_force(name: &str, expected: &Value, found: &Value, engine: EngineKind) -> bool {
    let is_podman = engine == EngineKind::Podman;
    match name {
        "Tmpfs" => tmpfs_agree(expected, found),
        "Ulimits" if is_podman => ulimits_agree(expected, found),
        // It lists what it took away of its default set in place of `ALL`. What is left, of all
        // there are, is measured from inside.
        "CapDrop" if is_podman => found.as_array().is_some_and(|dropped| !dropped.is_empty()),
        // What it says of `none` depends on its version. That `/dev/shm` is not there is measured
        // from inside; here it is that the namespace is its own.
        "IpcMode" if is_podman => {
            matches!(found.as_str(), Some("none" | "private" | "shareable"))
        }
        _ => agrees(expected, found),
    }
}

/// Whether each mount has the options asked for, in whatever order and beside whatever others.
fn tmpfs_agree(expected: &Value, found: &Value) -> bool {
    let (Some(expected), Some(found)) = (expected.as_object(), found.as_object()) else {
        return false;
    };
    expected.iter().all(|(path, expected)| {
        let options = |value: &Value| -> BTreeSet<String> {
            let text = value.as_str().unwrap_or_default();
            text.split(',').map(str::to_owned).collect()
        };
        let has = found.get(path).map(options).unwrap_or_default();
        options(expected)
            .iter()
            .all(|option| match option.as_str() {
                // Podman says only the opposite, and whose the mount became.
                "notmpcopyup" => !has.contains("tmpcopyup"),
                "U" => has.contains("U") || has.iter().any(|it| it.starts_with("uid=")),
                _ => has.contains(option),
            })
    })
}

/// Whether each limit asked for is there. Podman names them `RLIMIT_CORE`, and sets more.
fn ulimits_agree(expected: &Value, found: &Value) -> bool {
    let plain = |limit: &Value| -> Option<(String, i64, i64)> {
        let name = limit.get("Name")?.as_str()?.to_ascii_lowercase();
        let name = name.strip_prefix("rlimit_").unwrap_or(&name).to_owned();
        Some((
            name,
            limit.get("Soft")?.as_i64()?,
            limit.get("Hard")?.as_i64()?,
        ))
    };
    let all = |limits: &Value| -> Vec<Option<(String, i64, i64)>> {
        limits.as_array().into_iter().flatten().map(plain).collect()
    };
    let found = all(found);
    all(expected)
        .iter()
        .all(|limit| limit.is_some() && found.contains(limit))
}

/// Whether everything asked for is in force. The engine may say more, and may say nothing where
/// nothing was asked for.
fn agrees(expected: &Value, found: &Value) -> bool {
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

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}
