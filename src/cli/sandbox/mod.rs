//! `mce sandbox`.

mod build;
mod packages;

use std::fmt::Write as _;
use std::process::ExitCode;

use super::output::{self, printable};
use super::startup::{Startup, block_on, interrupted, on_threads};
use super::stop::{OrStop, Stop};
use super::{Format, Outcome};
use crate::sandbox::docker::Status;

const EXAMPLES: &str = "\
Examples:
  mce sandbox build                  Build MCE_DOCKER_IMAGE from the bundled recipe
  mce sandbox status                 Start a container and prove its isolation
  mce sandbox inspect | jq .create   See the request that makes a container";

/// Arguments of `mce sandbox`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Build the sandbox image, with the packages of `MCE_SANDBOX_PACKAGES`
    Build(build::Arguments),
    /// Start a container, check its isolation from inside and outside, and remove it
    #[command(after_help = "Examples:\n  mce sandbox status\n  \
        mce sandbox status --format json | jq .")]
    Status {
        /// How the findings are written
        #[arg(long, value_name = "FORMAT", default_value = "text")]
        format: Format,
    },
    /// Print the requests that make a container, as JSON
    #[command(after_help = "Examples:\n  mce sandbox inspect | jq .create")]
    Inspect,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    match &arguments.command {
        Command::Build(arguments) => build::run(arguments, startup),
        Command::Status { format } => status(*format, startup),
        Command::Inspect => inspect(startup),
    }
}

fn status(format: Format, startup: &Startup) -> Outcome {
    let status = on_threads(async {
        let spinner = output::spinner("proving the sandbox");
        let status = async {
            let sandbox = startup.connect().await.or_stop()?;
            let status = tokio::select! {
                status = sandbox.status() => status.or_stop(),
                () = interrupted() => Err(Stop::Interrupted),
            };
            sandbox.shutdown().await.or_stop()?;
            status
        }
        .await;
        spinner.finish_and_clear();
        status
    })?;
    match format {
        Format::Json => output::json(&status)?,
        Format::Text => output::line(describe(&status).trim_end())?,
    }
    packages::tell_unguarded(&startup.settings, &status.packages)?;
    Ok(if status.proof.failures().is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn describe(status: &Status) -> String {
    let engine = &status.engine;
    let rights = if engine.rootless {
        "rootless"
    } else {
        "with root's rights"
    };
    let groups = engine.cgroup_version.as_deref().unwrap_or("unknown");
    let mut text = format!(
        "engine    {} {} (API {}), {rights}, cgroup version {groups}\n\
         found     at {} by {}\nimage     {} {}\npython    {}\n",
        engine.name,
        engine.version,
        engine.api_version,
        engine.address,
        engine.found_by,
        status.image,
        status.image_id,
        status.proof.python
    );
    text.push_str(&packages::lines(&status.packages));
    for warning in &engine.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    for weak in status.proof.weak_limits() {
        let _ = writeln!(
            text,
            "warning: {} is not in force: {} (allowed by MCE_ALLOW_WEAK_LIMITS)",
            weak.check, weak.found
        );
    }
    text.push_str("checks of a container, from inside and outside:\n");
    for finding in &status.proof.findings {
        let mark = match (finding.ok, finding.tolerated) {
            (true, _) => "ok    ",
            (false, true) => "weak  ",
            (false, false) => "FAILED",
        };
        let _ = write!(text, "  {mark}  {}: {}", finding.check, finding.found);
        if !finding.ok {
            let _ = write!(text, " (must be {})", finding.expected);
        }
        text.push('\n');
    }
    printable(&text)
}

fn inspect(startup: &Startup) -> Outcome {
    let requests = block_on(async {
        let sandbox = startup.connect().await.or_stop()?;
        let requests = sandbox.inspect();
        sandbox.shutdown().await.or_stop()?;
        Ok(requests)
    })?;
    output::json(&requests)?;
    Ok(ExitCode::SUCCESS)
}
