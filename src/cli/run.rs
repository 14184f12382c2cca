//! `mce run`: compile, then serve.

use super::startup::Startup;
use super::{Outcome, compile, serve};
use crate::runtime::guard_of;

const EXAMPLES: &str = "\
Compiles first; where that fails, nothing is served.

Examples:
  mce run
  mce run --config config/swaggers.yaml";

/// Arguments of `mce run`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    serve: serve::Arguments,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    // What would keep it from serving is told before anything is written.
    guard_of(&startup.settings)?;
    compile::before_serving(&arguments.serve.config, startup)?;
    serve::run(&arguments.serve, startup)
}
