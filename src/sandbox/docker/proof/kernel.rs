//! The limits that the host's kernel has in force.

use super::super::cgroup::Limits;
use super::super::request::ContainerRequest;
use super::{Findings, Hello};

const NOT_MEASURED: &str = "not measured";
const PROCESSOR_TIME: &str = "cgroup: processor time (µs/s)";

/// Judges the limits that the host's kernel has in force, where they can be read. A limit that
/// neither it nor the container shows is not known to be in force.
pub(super) fn judge(
    findings: &mut Findings,
    limits: &Limits,
    hello: &Hello,
    request: &ContainerRequest,
) {
    for (name, expected, kernel) in [
        ("memory", request.memory, &limits.memory),
        ("pids", request.pids, &limits.pids),
    ] {
        if kernel.is_none() && !hello.limits.contains_key(name) {
            findings.limit(&format!("limit in force: {name}"), expected, NOT_MEASURED);
        }
    }
    if let Some(memory) = &limits.memory {
        findings.limit("cgroup: memory", request.memory, memory);
    }
    if let Some(pids) = &limits.pids {
        findings.limit("cgroup: pids", request.pids, pids);
    }
    if let Some(cpu) = &limits.cpu {
        let per_second = cpu.split_once(' ').and_then(|(quota, period)| {
            let (quota, period): (i64, i64) = (quota.parse().ok()?, period.parse().ok()?);
            quota.checked_mul(1_000_000)?.checked_div(period)
        });
        let found = per_second.map_or_else(|| cpu.clone(), |time| time.to_string());
        findings.limit(PROCESSOR_TIME, request.cpu_quota, found);
    } else if limits.memory.is_some() || limits.pids.is_some() {
        // The groups can be read, and there is no such limit in them.
        findings.limit(PROCESSOR_TIME, request.cpu_quota, NOT_MEASURED);
    }
}
