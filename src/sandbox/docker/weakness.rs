//! One protection of the container taken away, so that tests can attack what is left. Only with the
//! feature `test-hooks`; never in a release.

use bollard::models::{ContainerCreateBody, DeviceMapping, HostConfig};

use super::DockerSandbox;
use super::proof::Finding;
use super::request::ContainerRequest;

/// The protection that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Weakness {
    /// Every system call is allowed.
    Seccomp,
    /// The network namespace is the host's.
    HostNetwork,
    /// The process namespace is the host's.
    HostProcesses,
    /// The IPC namespace is the host's.
    HostIpc,
    /// The host's name is the container's.
    HostName,
    /// The root file system can be written.
    WritableRoot,
    /// Code runs as root.
    RootUser,
    /// Code runs with the group of root beside its own.
    RootGroup,
    /// A capability is not dropped.
    Capability(String),
    /// Programs with the setuid or setgid bit gain what these give. The system calls that change
    /// the user are allowed as well: without `no-new-privileges` the profile is in force already when
    /// the runtime makes them, and no container would start.
    NewPrivileges,
    /// What the engine hides of `/proc` and `/sys` is seen.
    MaskedPaths,
    /// What the engine protects of `/proc` can be written.
    ReadOnlyPaths,
    /// No limit on memory.
    Memory,
    /// No limit on processes.
    Processes,
    /// No limit on processor time.
    Processor,
    /// No limit on open files below the engine's own.
    OpenFiles,
    /// What is written to the temporary folders can be run.
    RunnableFolders,
    /// The temporary folders have no size.
    BoundlessFolders,
    /// `/dev/shm` is there.
    SharedMemory,
    /// `/dev/mqueue` is not covered.
    MessageQueues,
    /// A folder of the host is mounted at `/host`.
    Mount(String),
    /// A device of the host is in `/dev`.
    Device(String),
    /// The environment holds one more variable, `NAME=value`.
    Environment(String),
    /// The supervisor's memory and descriptors can be opened.
    OpenSupervisor,
    /// The executing process keeps the supervisor's descriptors.
    KeptDescriptors,
    /// The supervisor passes every kind of frame on.
    AnyFrame,
}

impl DockerSandbox {
    /// Takes a protection away from all containers to come, which count as proven in spite of it.
    /// Only the first call has an effect.
    pub fn weaken(&self, weakness: Weakness) {
        let _ = self.keeper.request().weakness.set(weakness);
    }
}

impl ContainerRequest {
    /// What is asked for, without the missing protection.
    pub(super) fn weakened(&self, mut body: ContainerCreateBody) -> ContainerCreateBody {
        if let Some(weakness) = self.weakness.get() {
            weakness.apply(&mut body);
        }
        body
    }

    /// What of the failed checks still counts.
    pub(super) fn tolerated(&self, findings: Vec<Finding>) -> Vec<Finding> {
        match self.weakness.get() {
            Some(_) => Vec::new(),
            None => findings,
        }
    }
}

impl Weakness {
    fn apply(&self, body: &mut ContainerCreateBody) {
        match self {
            Self::HostNetwork => body.network_disabled = None,
            // The host's name cannot be set from here.
            Self::HostName => body.hostname = None,
            Self::RootUser => body.user = Some("0:0".to_owned()),
            Self::Environment(variable) => {
                body.env.get_or_insert_default().push(variable.clone());
            }
            Self::OpenSupervisor => change_runner(body, "LIBC.prctl(PR_SET_DUMPABLE, 0,", "max(0,"),
            Self::KeptDescriptors => change_runner(body, "os.closerange(", "max("),
            Self::AnyFrame => change_runner(
                body,
                "FROM_THE_CODE = frozenset((CALL, RESULT, STREAM))",
                "FROM_THE_CODE = frozenset(range(256))",
            ),
            _ => {}
        }
        if let Some(host) = &mut body.host_config {
            self.apply_to_host(host);
        }
    }

    fn apply_to_host(&self, host: &mut HostConfig) {
        let shared = || Some("host".to_owned());
        match self {
            Self::Seccomp => {
                let options = host.security_opt.iter_mut().flatten();
                for option in options.filter(|option| option.starts_with("seccomp=")) {
                    "seccomp=unconfined".clone_into(option);
                }
            }
            Self::NewPrivileges => {
                let options = host.security_opt.get_or_insert_default();
                options.retain(|option| option != "no-new-privileges");
                for option in options {
                    let calls = r#""setgroups","setgid","setuid","umask""#;
                    *option = option.replace(r#""umask""#, calls);
                }
            }
            Self::HostNetwork => host.network_mode = shared(),
            Self::HostProcesses => host.pid_mode = shared(),
            Self::HostIpc => host.ipc_mode = shared(),
            Self::SharedMemory => host.ipc_mode = Some("private".to_owned()),
            Self::HostName => host.uts_mode = shared(),
            Self::WritableRoot => host.readonly_rootfs = Some(false),
            Self::RootGroup => host.group_add = Some(vec!["0".to_owned()]),
            Self::Capability(name) => host.cap_add = Some(vec![name.clone()]),
            Self::MaskedPaths => host.masked_paths = Some(Vec::new()),
            Self::ReadOnlyPaths => host.readonly_paths = Some(Vec::new()),
            Self::Memory => (host.memory, host.memory_swap) = (None, None),
            Self::Processes => host.pids_limit = None,
            Self::OpenFiles => {
                let limits = host.ulimits.get_or_insert_default();
                limits.retain(|limit| limit.name.as_deref() != Some("nofile"));
            }
            Self::RunnableFolders => {
                for options in host.tmpfs.iter_mut().flat_map(|mounts| mounts.values_mut()) {
                    *options = options.replace("noexec", "exec");
                }
            }
            Self::BoundlessFolders => {
                for options in host.tmpfs.iter_mut().flat_map(|mounts| mounts.values_mut()) {
                    let kept = options.split(',').filter(|part| !part.starts_with("size="));
                    *options = kept.collect::<Vec<_>>().join(",");
                }
            }
            Self::MessageQueues => {
                let mounts = host.tmpfs.get_or_insert_default();
                mounts.retain(|path, _| path != "/dev/mqueue");
            }
            Self::Mount(source) => host.binds = Some(vec![format!("{source}:/host")]),
            Self::Device(path) => {
                host.devices = Some(vec![DeviceMapping {
                    path_on_host: Some(path.clone()),
                    path_in_container: Some(path.clone()),
                    cgroup_permissions: Some("rwm".to_owned()),
                }]);
            }
            Self::Processor => {
                host.cpu_period = None;
                host.cpu_quota = None;
            }
            Self::RootUser
            | Self::Environment(_)
            | Self::OpenSupervisor
            | Self::KeptDescriptors
            | Self::AnyFrame => {}
        }
    }
}

/// Lets the start of the container change the runner before it runs it.
fn change_runner(body: &mut ContainerCreateBody, text: &str, by: &str) {
    let read = "read(int.from_bytes(read(4), 'big'))";
    if let Some(program) = body.cmd.as_mut().and_then(|command| command.last_mut()) {
        *program = program.replace(read, &format!("{read}.replace(b'{text}', b'{by}')"));
    }
}
