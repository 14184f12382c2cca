//! What the kernel counted for a container, read on the host. Only where the engine runs on this
//! machine and its files can be read; elsewhere the engine's own word has to do.

use std::fs;
use std::path::PathBuf;

/// Events of a container's control groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counters {
    /// Processes killed because memory ran out.
    pub(super) oom_kills: u64,
    /// Processes and threads refused because of the limit.
    pub(super) pids_refused: u64,
}

/// Limits in force for a container, as its control groups spell them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Limits {
    /// Bytes.
    pub(super) memory: Option<String>,
    /// Processes and threads.
    pub(super) pids: Option<String>,
    /// Processor time of each period: `quota period`.
    pub(super) cpu: Option<String>,
}

/// The limits of the container whose first process is `pid`.
pub(super) fn limits(pid: Option<i64>, container: &str) -> Limits {
    let groups = pid.and_then(|pid| fs::read_to_string(format!("/proc/{pid}/cgroup")).ok());
    let Some(groups) = groups else {
        return Limits::default();
    };
    let read = |controller: &str, file: &str| {
        let path = group_path(&groups, controller, container)?;
        let text = fs::read_to_string(path.join(file)).ok()?;
        Some(text.trim().to_owned())
    };
    let cpu_v1 = || {
        let quota = read("cpu", "cpu.cfs_quota_us")?;
        Some(format!("{quota} {}", read("cpu", "cpu.cfs_period_us")?))
    };
    Limits {
        memory: read("memory", "memory.limit_in_bytes").or_else(|| read("", "memory.max")),
        pids: read("pids", "pids.max").or_else(|| read("", "pids.max")),
        cpu: cpu_v1().or_else(|| read("", "cpu.max")),
    }
}

/// The counters of the container whose first process is `pid`.
pub(super) fn counters(pid: Option<i64>, container: &str) -> Option<Counters> {
    let groups = fs::read_to_string(format!("/proc/{}/cgroup", pid?)).ok()?;
    let read = |controller: &str, file: &str| {
        let path = group_path(&groups, controller, container)?;
        fs::read_to_string(path.join(file)).ok()
    };
    let oom = read("memory", "memory.oom_control").or_else(|| read("", "memory.events"));
    let pids = read("pids", "pids.events").or_else(|| read("", "pids.events"));
    Some(Counters {
        oom_kills: oom.and_then(|text| value(&text, "oom_kill")).unwrap_or(0),
        pids_refused: pids.and_then(|text| value(&text, "max")).unwrap_or(0),
    })
}

/// The folder of a controller's group (`""`: cgroup v2) from the lines of `/proc/<pid>/cgroup`.
/// A group that does not carry the container's id is another one's: the number was reused.
fn group_path(groups: &str, controller: &str, container: &str) -> Option<PathBuf> {
    groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let is_it = controllers.split(',').any(|name| name == controller);
        if !is_it || !path.contains(container) {
            return None;
        }
        let root = PathBuf::from("/sys/fs/cgroup").join(controllers);
        Some(root.join(path.trim_start_matches('/')))
    })
}

fn value(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let (found, value) = line.split_once(' ')?;
        if found == name {
            value.trim().parse().ok()
        } else {
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_found_in_both_versions_and_never_anothers() {
        let v1 = "8:pids:/docker/abc\n4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n0::/";
        let path = |groups, controller| group_path(groups, controller, "abc");
        assert_eq!(
            path(v1, "memory").unwrap(),
            PathBuf::from("/sys/fs/cgroup/memory/docker/abc")
        );
        assert_eq!(
            path(v1, "cpuacct").unwrap(),
            PathBuf::from("/sys/fs/cgroup/cpu,cpuacct/docker/abc")
        );
        assert_eq!(path(v1, ""), None);
        let v2 = "0::/system.slice/docker-abc.scope";
        assert_eq!(
            path(v2, "").unwrap(),
            PathBuf::from("/sys/fs/cgroup/system.slice/docker-abc.scope")
        );
        assert_eq!(group_path(v1, "memory", "other"), None);
    }

    #[test]
    fn a_counter_is_taken_by_its_whole_name() {
        let text = "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n";
        assert_eq!(value(text, "oom_kill"), Some(3));
        assert_eq!(value("max 12\n", "max"), Some(12));
    }
}
