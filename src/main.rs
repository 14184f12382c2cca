//! The `mce` binary: see [`mce::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    mce::cli::main()
}
