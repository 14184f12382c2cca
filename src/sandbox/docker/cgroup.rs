//! What the kernel counted for a container, read on the host. Only where the engine runs on this
//! machine and its files can be read; elsewhere the engine's own word has to do.

use std::fs;
use std::path::{Path, PathBuf};

/// Events of a container's control groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counters {
    /// Processes killed because memory ran out.
    pub(super) oom_kills: u64,
    /// Processes and threads refused because of the limit.
    pub(super) pids_refused: u64,
}

impl Counters {
    /// What was counted since.
    pub(super) fn since(self, before: Self) -> Self {
        Self {
            oom_kills: self.oom_kills.saturating_sub(before.oom_kills),
            pids_refused: self.pids_refused.saturating_sub(before.pids_refused),
        }
    }
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
        let texts = group_paths(&groups, controller, container).into_iter();
        tightest(texts.filter_map(|path| fs::read_to_string(path.join(file)).ok()))
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
    // Which of the groups counts an event differs from kernel to kernel.
    let most = |controller: &str, file: &str, name: &str| {
        let texts = group_paths(&groups, controller, container).into_iter();
        let texts = texts.filter_map(|path| fs::read_to_string(path.join(file)).ok());
        texts.filter_map(|text| value(&text, name)).max()
    };
    let oom = most("memory", "memory.oom_control", "oom_kill");
    let pids = most("pids", "pids.events", "max");
    Some(Counters {
        oom_kills: oom
            .or_else(|| most("", "memory.events", "oom_kill"))
            .unwrap_or(0),
        pids_refused: pids.or_else(|| most("", "pids.events", "max")).unwrap_or(0),
    })
}

/// The limit of a group and those around it: the first that is one.
fn tightest(texts: impl Iterator<Item = String>) -> Option<String> {
    let texts: Vec<String> = texts.map(|text| text.trim().to_owned()).collect();
    let mut limits = texts.iter().filter(|text| !text.starts_with("max"));
    limits.next().or(texts.first()).cloned()
}

/// The folders of a controller's group (`""`: cgroup v2) from the lines of `/proc/<pid>/cgroup`:
/// that of the process, and those around it up to the container's. Some runtimes put the process
/// into a group of its own below the one that has the limits.
/// A group that does not carry the container's id is another one's: the number was reused.
fn group_paths(groups: &str, controller: &str, container: &str) -> Vec<PathBuf> {
    let path = groups.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        let is_it = controllers.split(',').any(|name| name == controller);
        if !is_it {
            return None;
        }
        let root = PathBuf::from("/sys/fs/cgroup").join(controllers);
        Some(root.join(path.trim_start_matches('/')))
    });
    let path = path.unwrap_or_default();
    let is_of_container = |path: &&Path| path.to_string_lossy().contains(container);
    path.ancestors()
        .take_while(is_of_container)
        .map(Path::to_path_buf)
        .collect()
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
        let paths = |groups, controller| -> Vec<String> {
            let paths = group_paths(groups, controller, "abc").into_iter();
            paths.map(|path| path.display().to_string()).collect()
        };
        assert_eq!(paths(v1, "memory"), ["/sys/fs/cgroup/memory/docker/abc"]);
        assert_eq!(
            paths(v1, "cpuacct"),
            ["/sys/fs/cgroup/cpu,cpuacct/docker/abc"]
        );
        assert_eq!(paths(v1, ""), Vec::<String>::new());
        let v2 = "0::/system.slice/docker-abc.scope";
        assert_eq!(
            paths(v2, ""),
            ["/sys/fs/cgroup/system.slice/docker-abc.scope"]
        );
        let podman = "0::/machine.slice/libpod-abc.scope/container";
        assert_eq!(
            paths(podman, ""),
            [
                "/sys/fs/cgroup/machine.slice/libpod-abc.scope/container",
                "/sys/fs/cgroup/machine.slice/libpod-abc.scope",
            ]
        );
        assert_eq!(group_paths(v1, "memory", "other"), Vec::<PathBuf>::new());
    }

    #[test]
    fn the_limit_of_a_group_around_counts_where_the_inner_has_none() {
        let of = |texts: &[&str]| tightest(texts.iter().map(|text| format!("{text}\n")));
        assert_eq!(of(&["max", "128"]).as_deref(), Some("128"));
        assert_eq!(
            of(&["max 100000", "50000 100000"]).as_deref(),
            Some("50000 100000")
        );
        assert_eq!(of(&["max", "max"]).as_deref(), Some("max"));
        assert_eq!(of(&["64", "128"]).as_deref(), Some("64"));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn a_counter_is_taken_by_its_whole_name() {
        let text = "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n";
        assert_eq!(value(text, "oom_kill"), Some(3));
        assert_eq!(value("max 12\n", "max"), Some(12));
    }
}
