//! The command line: one file per subcommand. Prints; knows how nothing works.

use std::process::ExitCode;

/// Runs the command line.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
