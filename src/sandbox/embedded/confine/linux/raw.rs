//! System calls that have no safe binding.

#![expect(unsafe_code, reason = "there is no safe binding for these calls")]

use std::io;
use std::os::fd::{BorrowedFd, RawFd};

use libc::{c_int, c_long};

/// Makes a system call; the error is an error number.
///
/// # Safety
///
/// As of the system call: pointers among the arguments are valid for what it does with them.
pub(super) unsafe fn call(number: c_long, arguments: [c_long; 6]) -> Result<c_long, i32> {
    let [first, second, third, fourth, fifth, sixth] = arguments;
    // SAFETY: the caller's promise.
    let returned = unsafe { libc::syscall(number, first, second, third, fourth, fifth, sixth) };
    if returned == -1 {
        Err(io::Error::last_os_error().raw_os_error().unwrap_or(0))
    } else {
        Ok(returned)
    }
}

/// Closes all descriptors from this one on.
pub(super) fn close_from(first: c_int) -> io::Result<()> {
    let arguments = [c_long::from(first), c_long::from(u32::MAX), 0, 0, 0, 0];
    // SAFETY: no pointers. Nothing in this process owns a descriptor yet: it has just started.
    let closed = unsafe { call(libc::SYS_close_range, arguments) };
    closed.map(drop).map_err(io::Error::from_raw_os_error)
}

/// Whether a descriptor is open.
pub(super) fn is_open(descriptor: RawFd) -> bool {
    // SAFETY: borrowed for this call, which fails where there is none.
    let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
    rustix::io::fcntl_getfd(borrowed).is_ok()
}

/// The version of Landlock's interface, or the error number where there is none.
pub(super) fn landlock_version() -> Result<i32, i32> {
    const VERSION: c_long = 1;
    // SAFETY: with this flag there are no attributes.
    let version = unsafe { call(libc::SYS_landlock_create_ruleset, [0, 0, VERSION, 0, 0, 0]) }?;
    i32::try_from(version).map_err(|_| libc::EINVAL)
}
