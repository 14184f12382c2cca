//! What a worker found about itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::attempts::Attempt;

/// What is in force in a worker, as measured after everything was done to confine it.
///
/// A value that could not be measured is absent; the judge takes that as a fault.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Measured {
    /// Operating system and processor, as `linux x86_64`.
    pub platform: String,
    /// The parent process.
    pub parent: Option<u32>,
    /// How many environment variables there are.
    pub environment: Option<usize>,
    /// What is open.
    pub descriptors: Descriptors,
    /// The working directory.
    pub directory: Option<String>,
    /// The mask of file modes.
    pub mask: Option<u32>,
    /// How many threads there are.
    pub threads: Option<u32>,
    /// Whether executing a program can no longer add privileges.
    pub no_new_privileges: Option<bool>,
    /// Whether the process can be traced by others of its user.
    pub dumpable: Option<bool>,
    /// The signal that comes when the parent ends.
    pub parent_death_signal: Option<i32>,
    /// Whose the process is.
    pub user: User,
    /// What the process may do beyond its user.
    pub capabilities: Capabilities,
    /// Bytes that were mapped on entry: all, and those that are private and writable.
    pub mapped: Option<[u64; 2]>,
    /// Soft and hard limits by name; absent where unlimited.
    pub resources: BTreeMap<String, [Option<u64>; 2]>,
    /// Landlock's state.
    pub landlock: Landlock,
    /// seccomp's state.
    pub seccomp: Seccomp,
    /// The error number of each attempt; absent where it was not refused.
    pub attempts: BTreeMap<Attempt, Option<i32>>,
    /// Steps that the system refused, and how.
    pub failed: Vec<String>,
    /// Microseconds that all of this took.
    pub micros: u64,
}

/// What is open in a worker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Descriptors {
    /// Standard input, output and error.
    pub streams: Vec<Stream>,
    /// Open descriptors beyond those, of the first 256.
    pub others: Option<Vec<i32>>,
}

/// What a standard stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    /// A pipe.
    Pipe,
    /// A socket.
    Socket,
    /// Something with more behind it: a file, a terminal, a device.
    Other,
    /// Nothing.
    Closed,
}

/// Whose a process is: real, effective, saved and file system identity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct User {
    /// The user identities.
    pub users: Option<[u32; 4]>,
    /// The group identities.
    pub groups: Option<[u32; 4]>,
    /// The supplementary groups.
    pub supplementary: Option<Vec<u32>>,
    /// The process was root, and the kernel refused another user with this error number.
    pub refused: Option<i32>,
    /// The process was root, and the kernel refused to drop the groups with this error number.
    pub groups_refused: Option<i32>,
    /// The process was started as root.
    pub was_root: bool,
}

/// Sets of capabilities, a bit each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Capabilities {
    /// Kept over execution, with those of the file.
    pub inheritable: Option<u64>,
    /// Those that may be taken.
    pub permitted: Option<u64>,
    /// Those in force.
    pub effective: Option<u64>,
    /// Kept over execution.
    pub ambient: Option<u64>,
    /// Those that execution can ever give.
    pub bounding: Option<u64>,
    /// Whether the process was allowed to empty the bounding set.
    pub bounding_droppable: bool,
}

/// Landlock's state in a worker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Landlock {
    /// The version of its interface that the kernel has; absent where Landlock is.
    pub version: Option<i32>,
    /// Whether all that this version can refuse is refused.
    pub enforced: bool,
}

/// seccomp's state in a worker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Seccomp {
    /// 2 where filters decide.
    pub mode: Option<u32>,
    /// How many filters there were on entry (a container engine installs one).
    pub inherited: Option<u32>,
    /// How many filters there are.
    pub filters: Option<u32>,
}

impl Measured {
    /// Nothing but the name of the platform.
    pub(super) fn elsewhere() -> Self {
        Self {
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            ..Self::default()
        }
    }
}
