//! `mce clean`.

use std::path::Path;
use std::process::ExitCode;

use super::output::{self, printable};
use super::startup::Startup;
use super::stop::{OrStop, Stop};
use super::{Outcome, compile};
use crate::runtime::remove_code_cache;

const EXAMPLES: &str = "\
Removes the folders that `mce compile` wrote, of them only files that are unchanged since, and the
code cache. What anybody else put there stays.

Examples:
  mce clean
  mce clean compile                  Start from scratch: names are given anew";

/// Arguments of `mce clean`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    then: Option<Then>,
}

/// What to do afterwards.
#[derive(Debug, clap::Subcommand)]
enum Then {
    /// Compile afterwards
    Compile(compile::Arguments),
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    let Some(Then::Compile(compiling)) = &arguments.then else {
        clean(&startup.settings.compiled_output_dir, startup)?;
        return Ok(ExitCode::SUCCESS);
    };
    // A config that cannot be read must not cost the output, nor the names it locks.
    let configured = compiling.target.configured(startup)?;
    if compiling.check || !compiling.target.servers.is_empty() {
        return Err(Stop::usage(
            "`mce clean` removes the output of every server: `--check` and `--server` make no \
             sense behind it",
        ));
    }
    if !compiling.dry_run {
        clean(&configured.settings.compiled_output_dir, startup)?;
    }
    compile::run_with(compiling, &configured)
}

fn clean(folder: &Path, startup: &Startup) -> Result<(), Stop> {
    let cleaned = crate::compile::clean(folder).or_stop()?;
    for path in &cleaned.removed {
        output::line(format_args!("removed {}", path.display()))?;
    }
    for warning in &cleaned.warnings {
        output::line(format_args!("left: {}", printable(warning)))?;
    }
    if cleaned.removed.is_empty() {
        output::line(format_args!("nothing to clean in {}", folder.display()))?;
    }
    let cache = &startup.settings.cache_db_path;
    if remove_code_cache(cache).or_stop()? {
        output::line(format_args!("removed {}", cache.display()))
    } else {
        output::line(format_args!("no code cache at {}", cache.display()))
    }
}
