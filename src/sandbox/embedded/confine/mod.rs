//! Confines a worker process, and proves that it is confined.
//!
//! A worker is this program executed again, in an empty environment and with pipes or sockets as
//! its three standard streams ([`command`], [`Launcher`]). Before it takes anything to run, it
//! calls [`enter`], which gives up everything that an interpreter does not need, then tries to do
//! what it must no longer be able to do, and returns what it found as [`Measured`]. The parent has
//! [`judge`] compare that with what must be so: a worker with a single [`Finding`] is not used.
//! [`verdict`] tells how a worker ended.
//!
//! What is in force afterwards, each of it required:
//!
//! - **Nothing inherited**: no environment, no descriptor but the three streams, `/` as the working
//!   directory, one thread.
//! - **No privileges**: `no_new_privs`, no capabilities, not root where another user can be had,
//!   not dumpable (so that no process of the same user may trace it), killed with its parent.
//! - **Resource limits**: memory, processor time; no files, descriptors, processes, locked memory.
//! - **Landlock**: all that the kernel's version of it can refuse is refused, without exception.
//! - **seccomp**: a list of the system calls that an interpreter needs, some with checked
//!   arguments. Any other ends the process.
//!
//! Landlock and seccomp refuse much of the same, by different parts of the kernel: a fault in one
//! is covered by the other, so neither may be missing. What may be less than on a new kernel:
//! Landlock's version (any from 1 on; TCP is in it from 4, signals and abstract sockets from 6),
//! and the user, which stays root where the kernel refuses to change it (a user namespace that maps
//! only root, a container without `CAP_SETUID`). Root is then without capabilities.
//!
//! Where there is no Linux, or another processor than `x86_64` and `aarch64`, [`enter`] does
//! nothing and says so.

mod attempts;
mod ended;
mod judge;
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod linux;
mod measured;
mod spawn;

use serde::{Deserialize, Serialize};

#[cfg(feature = "test-hooks")]
pub use attempts::{Attempt, FILTER_ERRNO};
pub use ended::{EXIT_MEMORY, EXIT_UNCONFINED, Ended, verdict};
pub use judge::{Finding, judge};
pub use measured::Measured;
#[cfg(feature = "test-hooks")]
pub use measured::{Capabilities, Descriptors, Landlock, Seccomp, Stream, User};
pub use spawn::{Launcher, command};

/// What a worker may use, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The process that spawns the worker (`std::process::id()` there).
    pub parent: u32,
    /// Bytes that the worker may map beyond what it has mapped when it enters.
    pub memory: u64,
    /// Seconds of processor time over the whole life of the worker, its start included.
    pub processor: u64,
}

/// What the limit on open files has to be for one stream to be waited for. It is below the number of
/// the first descriptor that could be opened.
const POLLED: u64 = 1;

/// Why a worker could not say how it is confined.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The parent ended, or it is not the one that it said.
    #[error("expected to be a child of process {expected}, found {found}")]
    Orphaned {
        /// The parent according to [`Limits`].
        expected: u32,
        /// The parent according to the kernel; 0 where it is in another namespace.
        found: u32,
    },
    /// The filter of system calls could not be compiled.
    #[cfg(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    #[error("the filter of system calls does not compile: {0}")]
    Filter(#[from] seccompiler::BackendError),
}

/// Confines this process as far as the system allows, and measures what is in force.
///
/// To be called first thing in a process of one thread. From then on a system call that is not on
/// the list ends the process, so a panic hook that prints backtraces must have been replaced.
///
/// # Errors
///
/// [`Failure`] where there is nobody to report to, or no filter. What the system lacks is no error
/// here: [`judge`] finds it in what was measured.
pub fn enter(limits: &Limits) -> Result<Measured, Failure> {
    #[cfg(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    return linux::enter(limits, &[]);
    #[cfg(not(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )))]
    {
        let _ = limits;
        Ok(Measured::elsewhere())
    }
}

/// [`enter`] with some of the protections left out.
///
/// # Errors
///
/// As of [`enter`].
#[cfg(all(
    feature = "test-hooks",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
pub fn enter_without(limits: &Limits, without: &[Weakness]) -> Result<Measured, Failure> {
    linux::enter(limits, without)
}

/// A protection that is left out, for a test of what notices it.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Weakness {
    /// Inherited descriptors stay open.
    Descriptors,
    /// The working directory and the file mode mask stay.
    Directory,
    /// The user stays.
    User,
    /// The capabilities stay, those that a change of user takes included.
    Capabilities,
    /// The process may gain privileges by executing, where neither Landlock nor seccomp is on.
    Privileges,
    /// The process stays dumpable.
    Dumpable,
    /// The worker outlives its parent.
    ParentDeath,
    /// Memory is unlimited.
    Memory,
    /// Processor time is unlimited.
    Processor,
    /// The limits that are zero stay as they were.
    Zeroes,
    /// No Landlock.
    Landlock,
    /// Landlock without its network rights and scopes.
    LandlockFilesOnly,
    /// No seccomp.
    Seccomp,
    /// The filter that ends the process is not installed, only the one that refuses.
    SeccompEnd,
    /// The filter does not look at arguments.
    SeccompArguments,
}

#[cfg(all(
    feature = "test-hooks",
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
impl Weakness {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Descriptors,
        Self::Directory,
        Self::User,
        Self::Capabilities,
        Self::Privileges,
        Self::Dumpable,
        Self::ParentDeath,
        Self::Memory,
        Self::Processor,
        Self::Zeroes,
        Self::Landlock,
        Self::LandlockFilesOnly,
        Self::Seccomp,
        Self::SeccompEnd,
        Self::SeccompArguments,
    ];
}
