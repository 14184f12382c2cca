//! The allocator of this program: mimalloc, which counts where a bound is asked for.
//!
//! Only a worker of the embedded sandbox has a bound. What it counts is what the interpreter looks at
//! between its steps (`monty_types::LIVE_MEMORY`); what grows past the bound within one step ends the
//! process, with the exit status that says why.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mimalloc::MiMalloc;
use monty_types::{BASELINE_MEMORY, LIVE_MEMORY, OOM_EXIT_CODE};

/// Whether anything is counted. It stays false but in workers.
static COUNTS: AtomicBool = AtomicBool::new(false);
/// More ends the process.
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Counting begins late: what was there before may be given back, and must not count below zero.
const THERE_BEFORE: usize = 1 << 30;
/// What one step may take beyond the bound, so that the interpreter can say what happened.
const BEYOND: usize = 8 << 20;

/// Documents become millions of small values: `docs/decisions/011-mimalloc.md`.
pub struct Allocator;

/// Counts from now on, and bounds what is taken from now on.
pub(crate) fn limit(bytes: usize) {
    LIVE_MEMORY.store(THERE_BEFORE, Ordering::Relaxed);
    BASELINE_MEMORY.store(THERE_BEFORE, Ordering::Relaxed);
    let most = THERE_BEFORE.saturating_add(bytes).saturating_add(BEYOND);
    MOST.store(most, Ordering::Relaxed);
    COUNTS.store(true, Ordering::Relaxed);
}

fn take(bytes: usize) {
    if COUNTS.load(Ordering::Relaxed) {
        let before = LIVE_MEMORY.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > MOST.load(Ordering::Relaxed) {
            end();
        }
    }
}

fn give_back(bytes: usize) {
    if COUNTS.load(Ordering::Relaxed) {
        LIVE_MEMORY.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Ends the process without anything that takes memory.
#[cold]
fn end() -> ! {
    COUNTS.store(false, Ordering::Relaxed);
    std::process::exit(OOM_EXIT_CODE)
}

// SAFETY: each method hands its arguments to mimalloc as they are and returns what that returns.
#[expect(unsafe_code, reason = "an allocator is; all that is added is counting")]
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the layout is the caller's.
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        give_back(layout.size());
        // SAFETY: the pointer came from `alloc` with this layout, as the caller warrants.
        unsafe { MiMalloc.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the layout is the caller's.
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match size.checked_sub(layout.size()) {
            Some(more) => take(more),
            None => give_back(layout.size() - size),
        }
        // SAFETY: pointer, layout and size are the caller's.
        unsafe { MiMalloc.realloc(pointer, layout, size) }
    }
}
