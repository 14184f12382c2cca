//! How a worker confines itself on Linux.
//!
//! The order matters. What needs privileges comes before they are dropped; the signal on the
//! parent's end and the dumpable flag come after the change of user, which resets both; Landlock is
//! tried before there is a filter, which would refuse the same; a limit of no open files would hide
//! that Landlock refuses them; the filter that ends the process comes last.

mod attempts;
mod identity;
mod inherited;
mod landlock;
mod raw;
mod resources;
mod seccomp;
mod status;

use std::fmt;
use std::hash::RandomState;
use std::os::fd::AsRawFd;
use std::time::Instant;

use rustix::process::{DumpableBehavior, Resource, Signal, getrlimit};
use rustix::thread::CapabilitySet;

use super::attempts::{Attempt, Refusal};
use super::measured::{Landlock, Measured, Seccomp};
use super::{Failure, Limits, Weakness};
use attempts::Targets;
use status::Status;

/// What was left out on purpose.
struct Without<'a>(&'a [Weakness]);

impl Without<'_> {
    /// Whether this protection is in.
    fn keeps(&self, weakness: Weakness) -> bool {
        !self.0.contains(&weakness)
    }
}

/// Confines this process; see [`super::enter`].
pub fn enter(limits: &Limits, without: &[Weakness]) -> Result<Measured, Failure> {
    let started = Instant::now();
    let without = Without(without);
    let mut measured = Measured::elsewhere();

    // The C library sets up its random numbers when they are first used.
    drop(RandomState::new());
    if without.keeps(Weakness::Descriptors) {
        measured.step("closing descriptors", raw::close_from(3));
    }
    let before = Status::open().and_then(|file| Status::read(&file));
    let before = measured
        .step("reading the status", before)
        .unwrap_or_default();
    // Read at the very end, when no file can be opened any more.
    let status = measured.step("opening the status", Status::open());
    let status_descriptor = status.as_ref().map_or(-1, AsRawFd::as_raw_fd);
    inherited::measure(&mut measured, status_descriptor);
    if without.keeps(Weakness::Directory) {
        inherited::leave(&mut measured);
    }
    inherited::measure_directory(&mut measured);

    identity::drop_privileges(&mut measured, &before, &without);
    watch_parent(limits, &mut measured, &without)?;

    let mut targets = Targets {
        parent: limits.parent.cast_signed(),
        // More than the limit whatever is mapped when it is tried.
        memory: limits
            .memory
            .saturating_add(before.mapped.unwrap_or_default()[0]),
        locked: u64::MAX,
        capabilities: before.effective.unwrap_or_default() | CapabilitySet::CHOWN.bits(),
        status: status_descriptor,
    };
    let version = raw::landlock_version();
    measured.landlock = Landlock {
        version: version.ok(),
        enforced: false,
    };
    if let (Ok(version), true) = (version, without.keeps(Weakness::Landlock)) {
        let files_only = !without.keeps(Weakness::LandlockFilesOnly);
        let enforced = landlock::restrict(version, files_only);
        measured.landlock.enforced = measured.step("Landlock", enforced).unwrap_or_default();
    }
    try_all(&mut measured, targets, Attempt::needs_landlock);

    measured.mapped = before.mapped;
    resources::limit(&mut measured, limits, &without);
    let locked = getrlimit(Resource::Memlock).maximum;
    targets.locked = locked.unwrap_or(u64::MAX).saturating_add(1);
    let neither = |attempt: Attempt| !attempt.needs_landlock() && !attempt.needs_filter();
    try_all(&mut measured, targets, neither);

    if without.keeps(Weakness::Seccomp) {
        let arguments = without.keeps(Weakness::SeccompArguments);
        let filters = seccomp::Filters::compile(status_descriptor, arguments)?;
        measured.step("seccomp", filters.refuse());
        try_all(&mut measured, targets, Attempt::needs_filter);
        if without.keeps(Weakness::SeccompEnd) {
            measured.step("seccomp", filters.end());
        }
    } else {
        try_all(&mut measured, targets, Attempt::needs_filter);
    }

    let after = status.as_ref().map(Status::read);
    let after = after.and_then(|status| measured.step("reading the status", status));
    drop(status);
    record(&mut measured, &before, after.unwrap_or_default());
    measured.micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    Ok(measured)
}

/// Has the process killed with its parent, hides it from others of its user, and looks whether the
/// parent is still there: it may have ended before it was watched.
fn watch_parent(
    limits: &Limits,
    measured: &mut Measured,
    without: &Without,
) -> Result<(), Failure> {
    if without.keeps(Weakness::Dumpable) {
        let set = rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable);
        measured.step("dumpable", set);
    }
    let dumpable = rustix::process::dumpable_behavior().ok();
    measured.dumpable = dumpable.map(|found| found != DumpableBehavior::NotDumpable);

    if without.keeps(Weakness::ParentDeath) {
        let set = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        measured.step("signal on the parent's end", set);
    }
    let signal = rustix::process::parent_process_death_signal().ok();
    measured.parent_death_signal = signal.flatten().map(Signal::as_raw);

    let found = rustix::process::getppid()
        .map_or(0, |parent| parent.as_raw_nonzero().get().cast_unsigned());
    measured.parent = Some(found);
    if found != limits.parent {
        let expected = limits.parent;
        return Err(Failure::Orphaned { expected, found });
    }
    Ok(())
}

fn try_all(measured: &mut Measured, targets: Targets, chosen: impl Fn(Attempt) -> bool) {
    for &attempt in Attempt::ALL {
        let refusal = attempt.refusal(&measured.platform, i32::MAX);
        if chosen(attempt) && refusal != Refusal::NotMade {
            measured
                .attempts
                .insert(attempt, attempts::make(attempt, targets));
        }
    }
}

/// Takes over what the kernel says about the process at the end.
fn record(measured: &mut Measured, before: &Status, after: Status) {
    measured.threads = after.threads;
    measured.no_new_privileges = after.no_new_privileges;
    measured.user.users = after.users;
    measured.user.groups = after.groups;
    measured.user.supplementary = after.supplementary;
    measured.capabilities.inheritable = after.inheritable;
    measured.capabilities.permitted = after.permitted;
    measured.capabilities.effective = after.effective;
    measured.capabilities.bounding = after.bounding;
    measured.capabilities.ambient = after.ambient;
    measured.seccomp = Seccomp {
        mode: after.seccomp,
        inherited: before.filters,
        filters: after.filters,
    };
}

impl Measured {
    /// Notes the error of a step, or gives its value.
    fn step<T, E: fmt::Display>(&mut self, name: &str, result: Result<T, E>) -> Option<T> {
        result
            .inspect_err(|error| self.failed.push(format!("{name}: {error}")))
            .ok()
    }
}
