//! The attempts at what a confined worker must not be able to do.

#![expect(
    unsafe_code,
    reason = "what must be refused is called as an attacker would call it"
)]

use std::ffi::CStr;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use libc::c_long;
use rustix::net::{AddressFamily, SocketType};

use super::super::attempts::Attempt;
use super::raw::call;

/// What the attempts are aimed at.
#[derive(Clone, Copy)]
pub(super) struct Targets {
    /// The process that started the worker.
    pub parent: i32,
    /// Bytes that may be mapped in all.
    pub memory: u64,
    /// More locked memory than there may be.
    pub locked: u64,
    /// The capabilities that the process started with, and one.
    pub capabilities: u64,
    /// The one descriptor beyond the standard streams.
    pub status: RawFd,
}

/// What happens to what an attempt returns if it is not refused.
#[derive(Clone, Copy)]
enum Then {
    Nothing,
    /// It is a descriptor, to be closed.
    Close,
    /// It is a mapping of so many bytes, to be unmapped.
    Unmap(c_long),
    /// It is a process, or 0 in that process, which ends.
    Reap,
}

struct Call {
    number: c_long,
    arguments: [c_long; 6],
    then: Then,
}

/// A page, on any machine.
const PAGE: c_long = 64 * 1024;
const CWD: c_long = libc::AT_FDCWD as c_long;
const READ: c_long = libc::O_RDONLY as c_long;
const READ_EXECUTE: c_long = (libc::PROT_READ | libc::PROT_EXEC) as c_long;
const ANONYMOUS: c_long = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as c_long;
const STREAM: c_long = libc::SOCK_STREAM as c_long;
const RAW: c_long = libc::SOCK_RAW as c_long;
/// `FIONREAD` and `RLIMIT_MEMLOCK`, whose types differ between C libraries.
const FIONREAD: c_long = 0x541b;
const LOCKED_MEMORY: c_long = 8;
const CHILD: c_long = libc::SIGCHLD as c_long;

/// Makes an attempt, and returns its error number unless it succeeds.
pub(super) fn make(attempt: Attempt, targets: Targets) -> Option<i32> {
    let socket = match attempt {
        Attempt::LandlockBind | Attempt::LandlockConnect => {
            rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).ok()
        }
        _ => None,
    };
    let mut memory = Memory::new(targets.locked, targets.capabilities);
    let Call {
        number,
        arguments,
        then,
    } = describe(attempt, targets, socket.as_ref(), &mut memory);
    // SAFETY: each pointer among the arguments is null, or to a literal or a part of `memory`, which
    // outlive the call and are as large as it takes them to be. `describe` chooses arguments with
    // which a call that is not refused leaves alone what this process relies on.
    let returned = match unsafe { call(number, arguments) } {
        Ok(returned) => returned,
        Err(number) => return Some(number),
    };
    let undo = match then {
        Then::Nothing => return None,
        Then::Close => (libc::SYS_close, [returned, 0, 0, 0, 0, 0]),
        Then::Unmap(length) => (libc::SYS_munmap, [returned, length, 0, 0, 0, 0]),
        Then::Reap if returned == 0 => (libc::SYS_exit_group, [0; 6]),
        Then::Reap => (libc::SYS_wait4, [returned, 0, 0, 0, 0, 0]),
    };
    // SAFETY: the attempt made this descriptor, mapping or process, and nothing else knows it.
    let _ = unsafe { call(undo.0, undo.1) };
    None
}

/// What the pointers of the attempts point to.
struct Memory {
    zeroes: [u64; 64],
    /// Port 1 of this machine, as a `sockaddr_in`.
    address: [u8; 16],
    capability_header: [u32; 2],
    capabilities: [u32; 6],
    limit: [u64; 2],
    /// As `struct open_how`.
    how: [u64; 3],
}

impl Memory {
    fn new(locked: u64, capabilities: u64) -> Self {
        const VERSION_3: u32 = 0x2008_0522;
        const INET: [u8; 2] = [2, 0];
        let [first, second] = if cfg!(target_endian = "little") {
            INET
        } else {
            [INET[1], INET[0]]
        };
        let [low, high] = [capabilities & 0xffff_ffff, capabilities >> 32]
            .map(|half| u32::try_from(half).unwrap_or_default());
        Self {
            zeroes: [0; 64],
            address: [first, second, 0, 1, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],
            capability_header: [VERSION_3, 0],
            // Effective, permitted and inheritable: the low words, then the high ones.
            capabilities: [low, low, 0, high, high, 0],
            limit: [0, locked],
            how: [0; 3],
        }
    }
}

/// The address of something that the kernel may write to.
fn to<T>(value: &mut T) -> c_long {
    std::ptr::from_mut(value).expose_provenance().cast_signed() as c_long
}

fn path(text: &'static CStr) -> c_long {
    text.as_ptr().expose_provenance().cast_signed() as c_long
}

fn of(number: c_long, arguments: &[c_long], then: Then) -> Call {
    let mut all = [0; 6];
    for (to, from) in all.iter_mut().zip(arguments) {
        *to = *from;
    }
    Call {
        number,
        arguments: all,
        then,
    }
}

#[expect(clippy::too_many_lines, reason = "a table, one entry an attempt")]
fn describe(
    attempt: Attempt,
    targets: Targets,
    socket: Option<&OwnedFd>,
    memory: &mut Memory,
) -> Call {
    use Attempt as A;
    use Then::{Close, Nothing, Reap, Unmap};

    let parent = c_long::from(targets.parent);
    let own = c_long::from(rustix::process::getpid().as_raw_nonzero().get());
    let status = c_long::from(targets.status);
    let socket = socket.map_or(-1, |socket| c_long::from(socket.as_raw_fd()));
    let beyond = targets.memory.saturating_add(1);
    let beyond = c_long::try_from(beyond).unwrap_or(c_long::MAX);
    let unnamed = c_long::from(libc::O_TMPFILE | libc::O_WRONLY);
    let zeroes = to(&mut memory.zeroes);
    let [root, passwd, environment, temporary] = [
        path(c"/"),
        path(c"/etc/passwd"),
        path(c"/proc/self/environ"),
        path(c"/tmp"),
    ];
    match attempt {
        A::LandlockOpenRoot | A::OpenRoot => of(libc::SYS_openat, &[CWD, root, READ], Close),
        A::LandlockOpenStatus => {
            let own_status = path(c"/proc/self/status");
            of(libc::SYS_openat, &[CWD, own_status, READ], Close)
        }
        A::LandlockOpenPasswd | A::OpenPasswd => of(libc::SYS_openat, &[CWD, passwd, READ], Close),
        A::OpenEnvironment => of(libc::SYS_openat, &[CWD, environment, READ], Close),
        A::LandlockCreate | A::Create => {
            of(libc::SYS_openat, &[CWD, temporary, unnamed, 0o600], Close)
        }
        A::OpenWithRules => {
            let how = to(&mut memory.how);
            of(libc::SYS_openat2, &[CWD, root, how, 24], Close)
        }
        // No handle: an error wherever the call is let through.
        A::OpenByHandle => of(libc::SYS_open_by_handle_at, &[CWD, 0, 0], Close),
        A::OpenByOldCall => of(x86::OPEN, &[root, READ], Close),
        A::Access => of(libc::SYS_faccessat, &[CWD, root, 0], Nothing),
        A::Stat => of(libc::SYS_fstat, &[0, zeroes], Nothing),
        A::ChangeDirectory => of(libc::SYS_chdir, &[path(c".")], Nothing),

        A::LandlockBind | A::Bind => {
            // Any port.
            memory.address[3] = 0;
            let address = to(&mut memory.address);
            of(libc::SYS_bind, &[socket, address, 16], Nothing)
        }
        A::LandlockConnect | A::Connect => {
            let address = to(&mut memory.address);
            of(libc::SYS_connect, &[socket, address, 16], Nothing)
        }
        A::SocketInet => of(libc::SYS_socket, &[libc::AF_INET.into(), STREAM, 0], Close),
        A::SocketInet6 => of(libc::SYS_socket, &[libc::AF_INET6.into(), STREAM, 0], Close),
        A::SocketUnix => of(libc::SYS_socket, &[libc::AF_UNIX.into(), STREAM, 0], Close),
        A::SocketNetlink => of(libc::SYS_socket, &[libc::AF_NETLINK.into(), RAW, 0], Close),
        A::SocketVsock => of(libc::SYS_socket, &[libc::AF_VSOCK.into(), STREAM, 0], Close),
        A::SocketPacket => of(libc::SYS_socket, &[libc::AF_PACKET.into(), RAW, 0], Close),
        // Nowhere to put the pair: an error wherever the call is let through.
        A::SocketPair => of(
            libc::SYS_socketpair,
            &[libc::AF_UNIX.into(), STREAM, 0, 0],
            Nothing,
        ),
        // No message: the same.
        A::SendMessage => of(libc::SYS_sendmsg, &[1, 0, 0], Nothing),
        A::ReceiveMessage => of(libc::SYS_recvmsg, &[0, 0, 0], Nothing),

        A::Clone => of(libc::SYS_clone, &[CHILD], Reap),
        // No arguments: an error wherever the call is let through.
        A::Clone3 => of(libc::SYS_clone3, &[0, 0], Reap),
        A::Fork => of(x86::FORK, &[], Reap),
        // No path: an error wherever the call is let through.
        A::Execute => of(libc::SYS_execve, &[0, 0, 0], Nothing),
        A::ExecuteAt => of(libc::SYS_execveat, &[CWD, 0, 0, 0, 0], Nothing),

        // A process that is not traced yet: an error wherever the call is let through.
        A::Trace => {
            let peek = c_long::from(libc::PTRACE_PEEKDATA);
            of(libc::SYS_ptrace, &[peek, parent, zeroes, zeroes], Nothing)
        }
        A::LandlockSignal | A::Signal => of(libc::SYS_kill, &[parent, 0], Nothing),
        A::SignalThread => of(libc::SYS_tgkill, &[parent, parent, 0], Nothing),
        A::SignalOther => of(libc::SYS_tgkill, &[own, own, 0], Nothing),
        A::ProcessDescriptor => of(libc::SYS_pidfd_open, &[parent, 0], Close),
        // Not such a descriptor: an error wherever the call is let through.
        A::ProcessDescriptorSignal => of(libc::SYS_pidfd_send_signal, &[0, 0, 0, 0], Nothing),
        A::ProcessDescriptorTake => of(libc::SYS_pidfd_getfd, &[0, 0, 0], Close),

        A::MapBeyondLimit => {
            let none = c_long::from(libc::PROT_NONE);
            of(
                libc::SYS_mmap,
                &[0, beyond, none, ANONYMOUS, -1, 0],
                Unmap(beyond),
            )
        }
        A::MapExecutable => of(
            libc::SYS_mmap,
            &[0, PAGE, READ_EXECUTE, ANONYMOUS, -1, 0],
            Unmap(PAGE),
        ),
        A::MapShared => {
            let shared = c_long::from(libc::MAP_SHARED | libc::MAP_ANONYMOUS);
            of(libc::SYS_mmap, &[0, PAGE, 1, shared, -1, 0], Unmap(PAGE))
        }
        // Not a file: an error wherever the call is let through.
        A::MapDescriptor => {
            let private = c_long::from(libc::MAP_PRIVATE);
            of(
                libc::SYS_mmap,
                &[0, PAGE, 1, private, status, 0],
                Unmap(PAGE),
            )
        }
        // Of no memory at all.
        A::ProtectExecutable => of(libc::SYS_mprotect, &[0, 0, READ_EXECUTE], Nothing),
        A::MemoryFile => of(libc::SYS_memfd_create, &[path(c"worker"), 0], Close),
        // Of no size: an error wherever the call is let through.
        A::SharedMemory => of(libc::SYS_shmget, &[libc::IPC_PRIVATE.into(), 0, 0], Nothing),

        // Of what one thread shares with no other.
        A::Unshare => of(libc::SYS_unshare, &[libc::CLONE_FS.into()], Nothing),
        // Not a namespace, no path: errors wherever the calls are let through.
        A::JoinNamespace => of(libc::SYS_setns, &[0, 0], Nothing),
        A::Mount => of(libc::SYS_mount, &[0, 0, 0, 0, 0], Nothing),
        A::ChangeRoot => of(libc::SYS_chroot, &[root], Nothing),

        A::DescriptorFlags => of(libc::SYS_fcntl, &[0, libc::F_GETFL.into()], Nothing),
        A::Duplicate => of(libc::SYS_dup, &[0], Close),
        A::DeviceControl => of(libc::SYS_ioctl, &[0, FIONREAD, zeroes], Nothing),
        // No bytes.
        A::ReadOther => of(libc::SYS_read, &[2, zeroes, 0], Nothing),
        A::WriteOther => of(libc::SYS_write, &[0, zeroes, 0], Nothing),

        A::PrivilegesRaiseLimit | A::RaiseLimit => {
            let limit = to(&mut memory.limit);
            of(libc::SYS_prlimit64, &[0, LOCKED_MEMORY, limit, 0], Nothing)
        }
        A::LimitParent => of(libc::SYS_prlimit64, &[parent, 0, 0, zeroes], Nothing),
        A::ProcessControl => {
            let dumpable = c_long::from(libc::PR_GET_DUMPABLE);
            of(libc::SYS_prctl, &[dumpable], Nothing)
        }
        A::PrivilegesTakeCapability | A::SetCapabilities => {
            let header = to(&mut memory.capability_header);
            let sets = to(&mut memory.capabilities);
            of(libc::SYS_capset, &[header, sets], Nothing)
        }
        // As it is.
        A::SetUser => of(libc::SYS_setresuid, &[-1, -1, -1], Nothing),
        A::Personality => of(libc::SYS_personality, &[0xffff_ffff], Nothing),

        A::Rings => of(libc::SYS_io_uring_setup, &[1, zeroes], Close),
        // No attributes: errors wherever the calls are let through.
        A::Bpf => of(libc::SYS_bpf, &[0, 0, 0], Close),
        A::PerformanceEvents => of(libc::SYS_perf_event_open, &[0, 0, -1, -1, 0], Close),
        A::PageFaults => of(libc::SYS_userfaultfd, &[1], Close),
        // The identity of the keyring, without making one.
        A::Keys => of(libc::SYS_keyctl, &[0, -2, 0], Nothing),
        // Of nothing.
        A::ReadParent => of(
            libc::SYS_process_vm_readv,
            &[parent, zeroes, 1, zeroes, 1, 0],
            Nothing,
        ),
        A::WriteParent => of(
            libc::SYS_process_vm_writev,
            &[parent, zeroes, 1, zeroes, 1, 0],
            Nothing,
        ),
        A::EventDescriptor => of(libc::SYS_eventfd2, &[0, 0], Close),
        // No futex: an error wherever the call is let through.
        A::FutexOther => of(libc::SYS_futex, &[0, libc::FUTEX_LOCK_PI.into()], Nothing),
        A::NoSuchCall => of(1 << 20, &[], Nothing),
    }
}

/// Numbers of system calls that only this processor has; no system call elsewhere.
mod x86 {
    use libc::c_long;

    #[cfg(target_arch = "x86_64")]
    pub(super) const OPEN: c_long = libc::SYS_open;
    #[cfg(target_arch = "x86_64")]
    pub(super) const FORK: c_long = libc::SYS_fork;

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) const OPEN: c_long = -1;
    #[cfg(not(target_arch = "x86_64"))]
    pub(super) const FORK: c_long = -1;
}
