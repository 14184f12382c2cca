//! The hidden subcommand that makes this process a worker of the embedded sandbox.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::sandbox::embedded::{WORKER, WorkerLimits, run_worker};

/// Runs code that its parent hands over; of no use to anybody else.
#[derive(Debug, Parser)]
#[command(hide = true)]
struct Arguments {
    /// The process that started it
    #[arg(long)]
    parent: u32,
    /// Bytes of memory for code
    #[arg(long)]
    memory: usize,
    /// Seconds of processor time
    #[arg(long)]
    processor: u64,
}

/// The life of a worker, where the command line asks for one. Before anything else: what a worker is not
/// to have, it must not open.
pub(super) fn run(arguments: &[OsString]) -> Option<ExitCode> {
    let (program, asked) = arguments.split_first()?;
    let (subcommand, asked) = asked.split_first()?;
    if subcommand != WORKER {
        return None;
    }
    let line = std::iter::once(program).chain(asked);
    Some(match Arguments::try_parse_from(line) {
        Ok(Arguments {
            parent,
            memory,
            processor,
        }) => run_worker(&WorkerLimits {
            parent,
            memory,
            processor,
        }),
        Err(error) => {
            let _ = error.print();
            ExitCode::from(2)
        }
    })
}
