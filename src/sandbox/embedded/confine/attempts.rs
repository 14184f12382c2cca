//! What a confined worker tries to do, and how each attempt must be refused.
//!
//! An attempt that is not refused does no harm: it is made with arguments that let the kernel do
//! little or nothing. What tells a refusal from another error is the error number. The filter has
//! one of its own, which no part of the kernel gives.
//!
//! A call through another interface of the kernel (32 bit, x32) is not attempted: a filter around
//! the parent, as a container engine or systemd installs it, often ends whoever makes one. Where
//! such a filter ends a process for another of the attempts, the worker ends before it reports.

use serde::{Deserialize, Serialize};

/// The error number with which the filter refuses a system call while the attempts are made.
pub const FILTER_ERRNO: i32 = 4000;

const EPERM: i32 = 1;
const EBADF: i32 = 9;
const ENOMEM: i32 = 12;
const EACCES: i32 = 13;

/// Which protection an attempt is made against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Against {
    /// Landlock alone, before there is a filter: access to the file system.
    Files,
    /// The same for what may not exist, or be read-only, or be another user's.
    OptionalFiles,
    /// Landlock's rules on TCP, from version 4 on.
    Tcp,
    /// Landlock's scopes, from version 6 on.
    Scopes,
    /// The limits on memory.
    Memory,
    /// The loss of privileges, before there is a filter.
    Privileges,
    /// The filter of system calls.
    Filter,
    /// The filter, for calls that only `x86_64` has.
    FilterX86,
}

macro_rules! attempts {
    ($($(#[$doc:meta])* $name:ident: $against:ident,)*) => {
        /// Something that a confined worker must not be able to do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Attempt {
            $($(#[$doc])* $name,)*
        }

        impl Attempt {
            /// All of them, in the order in which they are made.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            fn against(self) -> Against {
                match self {
                    $(Self::$name => Against::$against,)*
                }
            }
        }
    };
}

attempts! {
    /// Open the root directory.
    LandlockOpenRoot: Files,
    /// Open the process's own status.
    LandlockOpenStatus: Files,
    /// Open a file that all may read.
    LandlockOpenPasswd: OptionalFiles,
    /// Create a file without a name in the temporary directory.
    LandlockCreate: OptionalFiles,
    /// Bind a TCP socket.
    LandlockBind: Tcp,
    /// Connect to a port of this machine.
    LandlockConnect: Tcp,
    /// Ask whether the parent could be sent a signal.
    LandlockSignal: Scopes,
    /// Map more memory than there may be.
    MapBeyondLimit: Memory,
    /// Raise a hard limit.
    PrivilegesRaiseLimit: Privileges,
    /// Take a capability.
    PrivilegesTakeCapability: Privileges,

    /// Open the root directory.
    OpenRoot: Filter,
    /// Open a file that all may read.
    OpenPasswd: Filter,
    /// Open the environment that the process started with.
    OpenEnvironment: Filter,
    /// Create a file without a name in the temporary directory.
    Create: Filter,
    /// Open by `openat2`.
    OpenWithRules: Filter,
    /// Open by a handle instead of a path.
    OpenByHandle: Filter,
    /// Open by the old call.
    OpenByOldCall: FilterX86,
    /// Ask whether a file exists.
    Access: Filter,
    /// Ask what a descriptor is.
    Stat: Filter,
    /// Change the working directory.
    ChangeDirectory: Filter,
    /// Make an IPv4 socket.
    SocketInet: Filter,
    /// Make an IPv6 socket.
    SocketInet6: Filter,
    /// Make a local socket.
    SocketUnix: Filter,
    /// Make a socket to the kernel.
    SocketNetlink: Filter,
    /// Make a socket to the host of a virtual machine.
    SocketVsock: Filter,
    /// Make a socket for raw packets.
    SocketPacket: Filter,
    /// Make a pair of sockets.
    SocketPair: Filter,
    /// Connect a descriptor.
    Connect: Filter,
    /// Bind a descriptor.
    Bind: Filter,
    /// Send a message, which could carry descriptors.
    SendMessage: Filter,
    /// Receive a message, which could carry descriptors.
    ReceiveMessage: Filter,
    /// Start a process by `clone`.
    Clone: Filter,
    /// Start a process by `clone3`.
    Clone3: Filter,
    /// Start a process by `fork`.
    Fork: FilterX86,
    /// Execute a program.
    Execute: Filter,
    /// Execute a program by a descriptor.
    ExecuteAt: Filter,
    /// Trace the parent.
    Trace: Filter,
    /// Ask whether the parent could be sent a signal.
    Signal: Filter,
    /// Ask whether a thread of the parent could be sent a signal.
    SignalThread: Filter,
    /// Send a signal other than an abort to this thread.
    SignalOther: Filter,
    /// Get a descriptor of the parent process.
    ProcessDescriptor: Filter,
    /// Signal by a descriptor.
    ProcessDescriptorSignal: Filter,
    /// Take a descriptor of another process.
    ProcessDescriptorTake: Filter,
    /// Map memory that can be executed.
    MapExecutable: Filter,
    /// Map memory that is shared.
    MapShared: Filter,
    /// Map a descriptor.
    MapDescriptor: Filter,
    /// Make memory executable.
    ProtectExecutable: Filter,
    /// Make a file in memory.
    MemoryFile: Filter,
    /// Make a segment of shared memory.
    SharedMemory: Filter,
    /// Leave a namespace.
    Unshare: Filter,
    /// Join a namespace.
    JoinNamespace: Filter,
    /// Mount a file system.
    Mount: Filter,
    /// Change the root directory.
    ChangeRoot: Filter,
    /// Ask for the flags of a descriptor.
    DescriptorFlags: Filter,
    /// Duplicate a descriptor.
    Duplicate: Filter,
    /// Control a device.
    DeviceControl: Filter,
    /// Read from standard output.
    ReadOther: Filter,
    /// Write to standard input.
    WriteOther: Filter,
    /// Raise a limit.
    RaiseLimit: Filter,
    /// Read a limit of the parent.
    LimitParent: Filter,
    /// Become dumpable again.
    ProcessControl: Filter,
    /// Set the capabilities.
    SetCapabilities: Filter,
    /// Set the user.
    SetUser: Filter,
    /// Ask for the execution domain, which could make all memory executable.
    Personality: Filter,
    /// Make rings through which the kernel takes system calls.
    Rings: Filter,
    /// Call the kernel's virtual machine.
    Bpf: Filter,
    /// Measure the processor.
    PerformanceEvents: Filter,
    /// Handle page faults.
    PageFaults: Filter,
    /// Use the kernel's keys.
    Keys: Filter,
    /// Read the parent's memory.
    ReadParent: Filter,
    /// Write to the parent's memory.
    WriteParent: Filter,
    /// Make an event descriptor.
    EventDescriptor: Filter,
    /// Use an operation on a futex beyond waiting and waking.
    FutexOther: Filter,
    /// Use a number that no system call has.
    NoSuchCall: Filter,
}

/// What counts as a refusal of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// These error numbers.
    Errors(&'static [i32]),
    /// Any error: the attempt cannot be made everywhere.
    AnyError,
    /// The attempt is not made, or would not be refused.
    NotMade,
}

impl Attempt {
    /// What counts as a refusal on `platform`, with this version of Landlock.
    pub(super) fn refusal(self, platform: &str, landlock: i32) -> Refusal {
        use Refusal::{AnyError, Errors, NotMade};
        match self.against() {
            Against::Files => Errors(&[EACCES]),
            Against::OptionalFiles => AnyError,
            // Where there is not even a socket, what is bound or connected is no descriptor.
            Against::Tcp if landlock >= 4 => Errors(&[EACCES, EBADF]),
            Against::Scopes if landlock >= 6 => Errors(&[EPERM]),
            Against::FilterX86 if !platform.ends_with(" x86_64") => NotMade,
            Against::Memory => Errors(&[ENOMEM]),
            Against::Privileges => Errors(&[EPERM]),
            Against::Filter | Against::FilterX86 => Errors(&[FILTER_ERRNO]),
            Against::Tcp | Against::Scopes => NotMade,
        }
    }

    /// Whether the attempt is made with the filter in force, not before.
    #[cfg(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    pub(super) fn needs_filter(self) -> bool {
        matches!(self.against(), Against::Filter | Against::FilterX86)
    }

    /// Whether the attempt is one at Landlock alone.
    #[cfg(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    pub(super) fn needs_landlock(self) -> bool {
        matches!(
            self.against(),
            Against::Files | Against::OptionalFiles | Against::Tcp | Against::Scopes
        )
    }
}
