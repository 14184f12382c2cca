//! The filter of system calls.
//!
//! The list is what the interpreter, its allocator and the Rust runtime need between [`super::enter`]
//! and the end of the process, each with its reason. The same list is installed twice: first to
//! refuse with an error number of its own, so that refusals can be tried; then to end the process.
//! Of several filters the strictest answer counts, so nothing is lost by the first.
//!
//! A call through another interface of the kernel (32 bit on `x86_64`) ends the process from the
//! first filter on; x32 has the architecture of `x86_64` but other numbers, which are not listed.

use std::collections::BTreeMap;

use libc::c_long;
use rustix::process::getpid;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

use super::super::attempts::FILTER_ERRNO;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: TargetArch = TargetArch::aarch64;

/// Private memory that the kernel may drop, from Linux 6.11 on.
const MAP_DROPPABLE: i32 = 0x8;

/// Both filters, compiled: once the first is installed, little can be done.
pub(super) struct Filters {
    refusing: BpfProgram,
    ending: BpfProgram,
}

impl Filters {
    /// Compiles the filters; `status` is the one descriptor that may be read beside the input.
    pub(super) fn compile(status: i32, arguments: bool) -> Result<Self, BackendError> {
        let list = List::interpreter(status, arguments)?;
        let mut first = list.clone();
        first.needed_to_install_the_second()?;
        let refuse = SeccompAction::Errno(FILTER_ERRNO.cast_unsigned());
        Ok(Self {
            refusing: first.program(refuse)?,
            ending: list.program(SeccompAction::KillProcess)?,
        })
    }

    /// From here on, what is not listed is refused.
    pub(super) fn refuse(&self) -> seccompiler::Result<()> {
        seccompiler::apply_filter(&self.refusing)
    }

    /// From here on, what is not listed ends the process.
    pub(super) fn end(&self) -> seccompiler::Result<()> {
        seccompiler::apply_filter(&self.ending)
    }
}

/// Rules by the number of the system call: any of them allows it, and an empty list always does.
#[derive(Clone)]
struct List {
    rules: BTreeMap<i64, Vec<SeccompRule>>,
    arguments: bool,
}

impl List {
    fn interpreter(status: i32, arguments: bool) -> Result<Self, BackendError> {
        let mut list = Self {
            rules: BTreeMap::new(),
            arguments,
        };
        list.streams(status)?;
        list.memory()?;
        list.time_and_chance()?;
        list.runtime()?;
        Ok(list)
    }

    /// Frames come in by the input and go out by the output; messages of last resort by the error
    /// stream. Dropping a handle closes, and without optimization asks before whether it is open.
    fn streams(&mut self, status: i32) -> Result<(), BackendError> {
        for input in [0, status.cast_unsigned()] {
            self.allow(libc::SYS_read, &[equal(0, input)])?;
        }
        for output in [1, 2] {
            self.allow(libc::SYS_write, &[equal(0, output)])?;
            self.allow(libc::SYS_writev, &[equal(0, output)])?;
        }
        for own in [0, 1, 2, status.cast_unsigned()] {
            let is_open = equal(1, libc::F_GETFD.cast_unsigned());
            self.allow(libc::SYS_fcntl, &[equal(0, own), is_open])?;
        }
        self.always(libc::SYS_close);
        Ok(())
    }

    /// The allocator. Memory is private, backed by nothing, and cannot be executed. mimalloc gives
    /// its mappings a name.
    fn memory(&mut self) -> Result<(), BackendError> {
        let no_execution = only(2, libc::PROT_READ | libc::PROT_WRITE);
        let plain = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let harmless = libc::MAP_NORESERVE | libc::MAP_STACK;
        let private = masked(3, !wide(harmless), wide(plain));
        self.allow(libc::SYS_mmap, &[no_execution, private])?;
        // Where glibc (2.41) keeps the state of random numbers that are made without the kernel.
        let droppable = masked(3, u64::MAX, wide(MAP_DROPPABLE | libc::MAP_ANONYMOUS));
        self.allow(libc::SYS_mmap, &[no_execution, droppable])?;
        self.allow(libc::SYS_mprotect, &[no_execution])?;
        let may_move = equal(3, libc::MREMAP_MAYMOVE.cast_unsigned());
        self.allow(libc::SYS_mremap, &[may_move])?;
        for advice in [libc::MADV_DONTNEED, libc::MADV_FREE] {
            self.allow(libc::SYS_madvise, &[equal(2, advice.cast_unsigned())])?;
        }
        let mapping = equal(0, libc::PR_SET_VMA.cast_unsigned());
        let name = masked(1, u64::MAX, 0);
        self.allow(libc::SYS_prctl, &[mapping, name])?;
        self.always(libc::SYS_munmap);
        self.always(libc::SYS_brk);
        Ok(())
    }

    /// Clocks are read without the kernel unless its clock source has no page for it, as in some
    /// virtual machines. The seeds of hash tables come from the kernel. Code sleeps, and waits for an
    /// answer on the one descriptor that it reads.
    fn time_and_chance(&mut self) -> Result<(), BackendError> {
        self.always(libc::SYS_clock_nanosleep);
        self.always(libc::SYS_nanosleep);
        self.allow(libc::SYS_ppoll, &[equal(1, 1)])?;
        self.always(libc::SYS_clock_gettime);
        self.always(libc::SYS_gettimeofday);
        self.always(libc::SYS_getrandom);
        Ok(())
    }

    /// The Rust runtime: locks, the handler that tells a stack overflow from another fault, a panic
    /// (which names the thread), an abort, the end.
    fn runtime(&mut self) -> Result<(), BackendError> {
        let wait_or_wake = [
            libc::FUTEX_WAIT,
            libc::FUTEX_WAKE,
            libc::FUTEX_WAIT_BITSET,
            libc::FUTEX_WAKE_BITSET,
        ];
        for operation in wait_or_wake {
            let flags = libc::FUTEX_PRIVATE_FLAG | libc::FUTEX_CLOCK_REALTIME;
            let operation = masked(1, !wide(flags) & 0xffff_ffff, wide(operation));
            self.allow(libc::SYS_futex, &[operation])?;
        }
        self.always(libc::SYS_sigaltstack);
        self.always(libc::SYS_rt_sigaction);
        self.always(libc::SYS_rt_sigprocmask);
        self.always(libc::SYS_rt_sigreturn);
        self.always(libc::SYS_getpid);
        self.always(libc::SYS_gettid);
        let own = equal(0, getpid().as_raw_nonzero().get().cast_unsigned());
        let abort = equal(2, libc::SIGABRT.cast_unsigned());
        self.allow(libc::SYS_tgkill, &[own, abort])?;
        // musl's way to the same.
        let abort = equal(1, libc::SIGABRT.cast_unsigned());
        self.allow(libc::SYS_tkill, &[own, abort])?;
        self.always(libc::SYS_exit);
        self.always(libc::SYS_exit_group);
        Ok(())
    }

    /// What `seccompiler` calls for the second filter.
    fn needed_to_install_the_second(&mut self) -> Result<(), BackendError> {
        let no_new_privileges = equal(0, libc::PR_SET_NO_NEW_PRIVS.cast_unsigned());
        self.allow(libc::SYS_prctl, &[no_new_privileges])?;
        let filter = equal(0, libc::SECCOMP_SET_MODE_FILTER);
        self.allow(libc::SYS_seccomp, &[filter])
    }

    fn always(&mut self, call: c_long) {
        self.rules.insert(call, Vec::new());
    }

    fn allow(&mut self, call: c_long, conditions: &[Condition]) -> Result<(), BackendError> {
        if !self.arguments {
            self.always(call);
            return Ok(());
        }
        let conditions = conditions.iter().map(|condition| condition.compile());
        let rule = SeccompRule::new(conditions.collect::<Result<_, _>>()?)?;
        self.rules.entry(call).or_default().push(rule);
        Ok(())
    }

    fn program(self, otherwise: SeccompAction) -> Result<BpfProgram, BackendError> {
        SeccompFilter::new(self.rules, otherwise, SeccompAction::Allow, ARCHITECTURE)?.try_into()
    }
}

/// A condition on one argument.
#[derive(Clone, Copy)]
struct Condition {
    argument: u8,
    mask: u64,
    value: u64,
}

impl Condition {
    fn compile(self) -> Result<SeccompCondition, BackendError> {
        let operator = SeccompCmpOp::MaskedEq(self.mask);
        SeccompCondition::new(self.argument, SeccompCmpArgLen::Qword, operator, self.value)
    }
}

/// An argument of 32 bits has this value.
fn equal(argument: u8, value: u32) -> Condition {
    masked(argument, 0xffff_ffff, u64::from(value))
}

/// The bits of an argument that are in `mask` are those of `value`.
fn masked(argument: u8, mask: u64, value: u64) -> Condition {
    Condition {
        argument,
        mask,
        value,
    }
}

/// An argument has no bits but these.
fn only(argument: u8, bits: i32) -> Condition {
    masked(argument, !wide(bits), 0)
}

fn wide(bits: i32) -> u64 {
    u64::from(bits.cast_unsigned())
}
