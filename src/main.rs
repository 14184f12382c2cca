//! The `mce` binary: see [`mce::cli`].

use std::process::ExitCode;

#[cfg(feature = "embedded")]
#[global_allocator]
static ALLOCATOR: mce::allocator::Allocator = mce::allocator::Allocator;

/// Documents become millions of small values: `docs/decisions/011-mimalloc.md`.
#[cfg(not(feature = "embedded"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mce::cli::main()
}
