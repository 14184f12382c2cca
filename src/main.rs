//! The `mce` binary: see [`mce::cli`].

use std::process::ExitCode;

/// Documents become millions of small values: `docs/decisions/011-mimalloc.md`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    mce::cli::main()
}
