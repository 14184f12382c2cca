//! Resource limits.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::super::measured::Measured;
use super::super::{Limits, POLLED, Weakness};
use super::Without;

/// Sets the limits and measures what they are.
///
/// A limit that was lower already stays. The stack has the limit that it was started with.
pub(super) fn limit(measured: &mut Measured, limits: &Limits, without: &Without) {
    let [mapped, data] = measured.mapped.unwrap_or_default();
    let hard = limits.processor.saturating_add(1);
    let total = mapped.saturating_add(limits.memory);
    let data = data.saturating_add(limits.memory);
    let (memory, processor, zero) = (Weakness::Memory, Weakness::Processor, Weakness::Zeroes);
    for (name, resource, [soft, hard], weakness) in [
        ("address space", Resource::As, [total, total], memory),
        // Memory that is reserved but not writable does not count here, so this is the nearer
        // limit for an allocator that reserves much.
        ("data", Resource::Data, [data, data], memory),
        // A signal that can be told apart, and a second later the one that cannot be ignored.
        (
            "processor time",
            Resource::Cpu,
            [limits.processor, hard],
            processor,
        ),
        ("file size", Resource::Fsize, [0, 0], zero),
        // What is open already may be used.
        ("open files", Resource::Nofile, [POLLED, POLLED], zero),
        ("processes", Resource::Nproc, [0, 0], zero),
        ("core", Resource::Core, [0, 0], zero),
        ("locked memory", Resource::Memlock, [0, 0], zero),
        ("message queues", Resource::Msgqueue, [0, 0], zero),
    ] {
        if without.keeps(weakness) {
            let least = |new: u64, old: Option<u64>| Some(old.map_or(new, |old| old.min(new)));
            let before = getrlimit(resource);
            let new = Rlimit {
                current: least(soft, before.maximum),
                maximum: least(hard, before.maximum),
            };
            measured.step(name, setrlimit(resource, new));
        }
        let found = getrlimit(resource);
        let found = [found.current, found.maximum];
        measured.resources.insert(name.to_owned(), found);
    }
}
