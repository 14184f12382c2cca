//! The container that is asked for: every constraint in one place. What `mce sandbox inspect`
//! prints and what the proof compares with.

use std::collections::{BTreeMap, HashMap};

use bollard::models::{
    ContainerCreateBody, ContainerUpdateBody, HostConfig, HostConfigLogConfig, ResourcesUlimits,
    RestartPolicy, RestartPolicyNameEnum,
};

use super::engine::EngineKind;
use crate::config::Settings;

/// The allow-list of system calls; `socket` is on it for no family.
pub(super) const SECCOMP: &str = include_str!("../../../config/seccomp.json");

/// Reads the runner from the attached stream, so that it need not be in the image: its source, or the
/// code that a container of the same image made of it.
const BOOTSTRAP: &str = "\
import marshal, os
def read(size):
    data = b''
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part:
            raise SystemExit(0)
        data += part
    return data
is_code = read(1) == b'c'
program = read(int.from_bytes(read(4), 'big'))
exec(marshal.loads(program) if is_code else compile(program, '<runner>', 'exec', dont_inherit=True))
";

/// The environment of every container: this and nothing else.
pub(super) const ENVIRONMENT: [(&str, &str); 4] = [
    (
        "PATH",
        "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    ),
    ("LANG", "C.UTF-8"),
    ("HOME", "/workspace"),
    ("HOSTNAME", "sandbox"),
];

/// The tmpfs mounts and their sizes; the only places that can be written.
pub(super) const TMPFS: [(&str, &str); 2] = [("/tmp", "64m"), ("/workspace", "128m")];

/// A mount that every container has and anyone in it could write; an empty one takes its place.
/// `/dev/shm` is not mounted at all: see `ipc_mode`.
const MESSAGE_QUEUES: &str = "/dev/mqueue";
/// Further ones of Podman, which mounts them where the root is read-only.
const OF_PODMAN: [&str; 2] = ["/run", "/var/tmp"];

/// In microseconds, the longest there is: the imports, and short code, are done within what one period
/// has and never wait for the next.
pub(super) const CPU_PERIOD: i64 = 1_000_000;
/// Processor time that the imports take at most, in microseconds, on a slow machine.
const IMPORTS: i64 = 300_000;

/// What to ask the engine for.
#[derive(Debug, Clone)]
pub(super) struct ContainerRequest {
    pub(super) engine: EngineKind,
    /// The profile, or for Podman the file that holds it.
    seccomp: String,
    image_id: String,
    pub(super) runtime: Option<String>,
    user: String,
    pub(super) memory: i64,
    pub(super) pids: i64,
    /// Processor time of each [`CPU_PERIOD`], in microseconds.
    pub(super) cpu_quota: i64,
    /// Processes of the user on the whole machine, where the engine's own default is to be left.
    user_processes: Option<i64>,
    /// Whether limits that are not in force are only spoken of.
    pub(super) allow_weak_limits: bool,
    labels: BTreeMap<String, String>,
    #[cfg(feature = "test-hooks")]
    pub(super) weakness: std::sync::OnceLock<super::weakness::Weakness>,
}

impl ContainerRequest {
    pub(super) fn new(
        settings: &Settings,
        image_id: String,
        labels: BTreeMap<String, String>,
    ) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a number of processors times 10^6 fits, and a float cast saturates"
        )]
        let cpu_quota = (settings.sandbox_cpus * 1e6).round() as i64;
        Self {
            engine: EngineKind::Docker,
            seccomp: compact(SECCOMP),
            image_id,
            runtime: settings.docker_runtime.clone(),
            user: settings.sandbox_user.clone(),
            memory: i64::try_from(settings.sandbox_memory).unwrap_or(i64::MAX),
            pids: i64::from(settings.sandbox_pids),
            cpu_quota,
            user_processes: None,
            allow_weak_limits: settings.allow_weak_limits,
            labels,
            #[cfg(feature = "test-hooks")]
            weakness: std::sync::OnceLock::new(),
        }
    }

    /// The same container, as Podman is asked for it. It takes a profile by its file only, and its
    /// own default for a user's processes is more than some machines let it set.
    pub(super) fn of_podman(self, profile: String, user_processes: i64) -> Self {
        Self {
            engine: EngineKind::Podman,
            seccomp: profile,
            user_processes: Some(user_processes),
            ..self
        }
    }

    /// The user and group as numbers, where they are numbers.
    pub(super) fn user_and_group(&self) -> Option<(u32, u32)> {
        let (user, group) = self.user.split_once(':')?;
        Some((user.parse().ok()?, group.parse().ok()?))
    }

    /// The creation request. Without a processor quota where [`Self::quota`] sets one.
    pub(super) fn body(&self) -> ContainerCreateBody {
        let environment = ENVIRONMENT
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let body = ContainerCreateBody {
            image: Some(self.image_id.clone()),
            hostname: Some("sandbox".to_owned()),
            user: Some(self.user.clone()),
            working_dir: Some("/workspace".to_owned()),
            entrypoint: Some(Vec::new()),
            cmd: Some(
                ["python3", "-I", "-B", "-u", "-c", BOOTSTRAP]
                    .map(str::to_owned)
                    .to_vec(),
            ),
            env: Some(environment),
            labels: Some(self.labels.clone().into_iter().collect()),
            attach_stdin: Some(true),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            open_stdin: Some(true),
            // The runner's stream ends when MCE does, and with it the container.
            stdin_once: Some(true),
            tty: Some(false),
            network_disabled: Some(true),
            host_config: Some(if self.has_quota_at_start() {
                self.final_host_config()
            } else {
                self.host_config()
            }),
            ..ContainerCreateBody::default()
        };
        #[cfg(feature = "test-hooks")]
        let body = self.weakened(body);
        body
    }

    fn host_config(&self) -> HostConfig {
        let limit = |name: &str, value: i64| ResourcesUlimits {
            name: Some(name.to_owned()),
            soft: Some(value),
            hard: Some(value),
        };
        HostConfig {
            network_mode: Some("none".to_owned()),
            readonly_rootfs: Some(true),
            cap_drop: Some(vec!["ALL".to_owned()]),
            cap_add: Some(Vec::new()),
            privileged: Some(false),
            security_opt: Some(vec![
                "no-new-privileges".to_owned(),
                format!("seccomp={}", self.seccomp),
            ]),
            memory: Some(self.memory),
            // Memory and swap together: no swap.
            memory_swap: Some(self.memory),
            pids_limit: Some(self.pids),
            ulimits: Some(
                [limit("core", 0), limit("nofile", 1024)]
                    .into_iter()
                    .chain(self.user_processes.map(|most| limit("nproc", most)))
                    .collect(),
            ),
            tmpfs: Some(self.tmpfs()),
            binds: Some(Vec::new()),
            // Else the engine writes the host's name servers into the container.
            dns: Some(vec!["127.0.0.1".to_owned()]),
            dns_search: Some(vec![".".to_owned()]),
            // A namespace of its own, without `/dev/shm`.
            ipc_mode: Some("none".to_owned()),
            log_config: Some(HostConfigLogConfig {
                typ: Some("none".to_owned()),
                config: None,
            }),
            init: Some(false),
            auto_remove: Some(false),
            restart_policy: Some(RestartPolicy {
                name: Some(RestartPolicyNameEnum::NO),
                maximum_retry_count: None,
            }),
            runtime: self.runtime.clone(),
            ..HostConfig::default()
        }
    }

    /// Owned by the user: a mount takes its mode from the image's folder, whatever is asked for.
    fn tmpfs(&self) -> HashMap<String, String> {
        let (owner, covers) = match self.engine {
            EngineKind::Docker => {
                let owner = self.user_and_group();
                let owner = owner.map(|(user, group)| format!(",uid={user},gid={group}"));
                (owner.unwrap_or_default(), &[][..])
            }
            // It has a word of its own for that, and would copy the image's folder into the mount.
            EngineKind::Podman => (",U,notmpcopyup".to_owned(), &OF_PODMAN[..]),
        };
        let covers = covers.iter().copied().chain([MESSAGE_QUEUES]);
        TMPFS
            .iter()
            .map(|(path, size)| {
                let options = format!("rw,noexec,nosuid,nodev,size={size}{owner}");
                ((*path).to_owned(), options)
            })
            .chain(covers.map(|path| {
                let options = "ro,noexec,nosuid,nodev,size=4k";
                (path.to_owned(), options.to_owned())
            }))
            .collect()
    }

    /// Whether the processor quota is in force while the libraries are imported: where they need less
    /// than a period has, or where nothing can change it later: Podman (before version 5), and
    /// runtimes but the engine's own (gVisor).
    fn has_quota_at_start(&self) -> bool {
        self.cpu_quota >= IMPORTS || self.engine == EngineKind::Podman || self.runtime.is_some()
    }

    /// The processor quota where it is set when the imports are done, before code is handed over.
    pub(super) fn quota(&self) -> Option<ContainerUpdateBody> {
        if self.has_quota_at_start() {
            return None;
        }
        Some(ContainerUpdateBody {
            cpu_period: Some(CPU_PERIOD),
            cpu_quota: Some(self.cpu_quota),
            ..ContainerUpdateBody::default()
        })
    }

    /// The host configuration that must be in force when code is handed over.
    pub(super) fn final_host_config(&self) -> HostConfig {
        HostConfig {
            cpu_period: Some(CPU_PERIOD),
            cpu_quota: Some(self.cpu_quota),
            ..self.host_config()
        }
    }
}

fn compact(json: &str) -> String {
    serde_json::from_str::<serde_json::Value>(json)
        .map_or_else(|_| json.to_owned(), |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Environment;

    #[test]
    fn the_profile_is_an_allow_list_without_sockets() {
        let profile: serde_json::Value = serde_json::from_str(SECCOMP).unwrap();
        assert_eq!(profile["defaultAction"], "SCMP_ACT_ERRNO");
        let rules = profile["syscalls"].as_array().unwrap();
        let allowed = |name: &str| {
            rules.iter().any(|rule| {
                rule["action"] == "SCMP_ACT_ALLOW"
                    && rule["names"].as_array().unwrap().iter().any(|n| n == name)
            })
        };
        for refused in [
            "socket",
            "socketcall",
            "connect",
            "bind",
            "listen",
            "accept",
            "accept4",
            "ptrace",
            "io_uring_setup",
            "io_uring_enter",
            "io_uring_register",
            "bpf",
            "userfaultfd",
            "keyctl",
            "add_key",
            "request_key",
            "mount",
            "umount2",
            "pivot_root",
            "fsopen",
            "open_tree",
            "move_mount",
            "setns",
            "unshare",
            "clone3",
            "chroot",
            "kexec_load",
            "init_module",
            "finit_module",
            "delete_module",
            "perf_event_open",
            "process_vm_readv",
            "process_vm_writev",
            "process_madvise",
            "pidfd_getfd",
            "kcmp",
            "open_by_handle_at",
            "name_to_handle_at",
            "quotactl",
            "swapon",
            "reboot",
            "syslog",
            "iopl",
            "ioperm",
            "modify_ldt",
            "seccomp",
            "landlock_create_ruleset",
            "setuid",
            "setgid",
            "setgroups",
            "setreuid",
            "setresuid",
            "setresgid",
            "setfsuid",
            "sethostname",
            "settimeofday",
            "clock_settime",
            "fanotify_init",
            // Files without a place, on no `noexec` mount, and running them.
            "memfd_create",
            "memfd_secret",
            "execveat",
            "timer_create",
        ] {
            assert!(!allowed(refused), "{refused}");
        }
        assert!(allowed("socketpair") && allowed("clone") && allowed("execve"));
    }

    #[test]
    fn the_quota_is_there_at_the_start_where_it_holds_up_no_import_or_cannot_come_later() {
        let request = |pairs: &[(&str, &str)]| {
            let environment = Environment::from_pairs(pairs.iter().copied());
            let settings = Settings::from_environment(&environment).unwrap().0;
            ContainerRequest::new(&settings, "sha256:x".to_owned(), BTreeMap::new())
        };
        let quotas = |request: &ContainerRequest| {
            let config = request.final_host_config();
            assert_eq!(config.cpu_period, Some(1_000_000));
            let created = request.body().host_config.unwrap().cpu_quota;
            let update = request.quota().and_then(|quota| quota.cpu_quota);
            (created, update, config.cpu_quota)
        };
        let half = Some(500_000);
        assert_eq!(quotas(&request(&[])), (half, None, half));
        let small = [("MCE_SANDBOX_CPUS", "0.1")];
        let tenth = Some(100_000);
        assert_eq!(quotas(&request(&small)), (None, tenth, tenth));
        let named = request(&[small[0], ("MCE_DOCKER_RUNTIME", "runsc")]);
        assert_eq!(quotas(&named), (tenth, None, tenth));
        let podman = request(&small).of_podman("/seccomp.json".to_owned(), 1);
        assert_eq!(quotas(&podman), (tenth, None, tenth));
        let third = quotas(&request(&[("MCE_SANDBOX_CPUS", "0.33333333")]));
        assert_eq!(third.2, Some(333_333));
    }

    #[test]
    fn a_namespace_flag_is_not_among_those_clone_takes() {
        let profile: serde_json::Value = serde_json::from_str(SECCOMP).unwrap();
        let rules = profile["syscalls"].as_array().unwrap();
        let clone = rules
            .iter()
            .find(|rule| rule["names"][0] == "clone")
            .unwrap();
        let mask = clone["args"][0]["value"].as_u64().unwrap();
        for flag in [
            0x0002_0000_u64,
            0x0200_0000,
            0x0400_0000,
            0x0800_0000,
            0x1000_0000,
            0x2000_0000,
            0x4000_0000,
        ] {
            assert_eq!(mask & flag, flag, "{flag:#x}");
        }
        assert_eq!(clone["args"][0]["valueTwo"], 0);
    }
}
