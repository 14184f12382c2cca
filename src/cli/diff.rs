//! `mce diff`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use serde::Serialize;

use super::compile::{Target, failures, unknown};
use super::output;
use super::startup::Startup;
use super::stop::{OrStop, Stop};
use super::{Outcome, changes, check};
use crate::compile::diff::{Change, ServerDiff};
use crate::compile::{self, FolderDiff};

const EXAMPLES: &str = "\
Without arguments, compares what is committed with what the inputs give now; with two folders, one
compilation with another, for which no config is needed. Writes nothing. What a reviewer must not
miss comes first: where credentials go and what may change state, then what breaks code that calls
the functions, then the rest.

Markdown is bounded to fit a comment on a pull request; JSON holds every change.

Exit codes: 0 it was compared, whether or not anything differs; with `--exit-code` 1 where anything
differs; 1 too where a server could not be compared.

Examples:
  mce diff
  mce diff --server tasks --format json | jq '.servers[].changes[] | select(.level == \"breaking\")'
  git worktree add base main && mce diff base/compiled compiled";

/// Arguments of `mce diff`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// A folder of compiled servers, and one to compare it with
    #[arg(
        value_names = ["OLD", "NEW"],
        num_args = 2,
        conflicts_with_all = ["config", "output"]
    )]
    folders: Vec<PathBuf>,

    #[command(flatten)]
    target: Target,

    /// How the changes are written
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    format: DiffFormat,

    /// Exit with 1 where anything differs
    #[arg(long)]
    exit_code: bool,
}

/// `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// For people, and for comments on pull requests
    Markdown,
    /// For programs
    Json,
}

/// The changes for programs.
#[derive(Serialize)]
struct Changes<'a> {
    differs: bool,
    servers: &'a [ServerDiff],
    /// What concerns no single server.
    shared: &'a [Change],
    failed: Vec<Failed<'a>>,
}

#[derive(Serialize)]
struct Failed<'a> {
    server: &'a str,
    error: &'a str,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    if let [old, new] = arguments.folders.as_slice() {
        check_folders(old, new, &arguments.target.servers)?;
        let diff = compile::compare_folders(old, new, &arguments.target.servers).or_stop()?;
        return show(arguments, &diff, &[], None);
    }
    let configured = arguments.target.configured(startup)?;
    let options = arguments.target.options(&configured);
    let report = check::report(&configured, &options)?;
    let mut diffs = Vec::new();
    let mut failed = Vec::new();
    for check in &report.servers {
        match &check.error {
            Some(error) => failed.push((check.server.as_str(), error.as_str())),
            None => diffs.push(check.diff.clone()),
        }
    }
    diffs.extend(report.stale.iter().map(|stale| stale.diff.clone()));
    let diff = FolderDiff {
        servers: diffs,
        shared: report.shared(),
    };
    show(arguments, &diff, &failed, report.error.as_deref())
}

/// Whether there is anything to compare: a folder that is mistyped has no differences.
fn check_folders(old: &Path, new: &Path, servers: &[String]) -> Result<(), Stop> {
    let mut known = BTreeSet::new();
    for folder in [old, new] {
        let shown = folder.display();
        if !folder.is_dir() {
            let stop = Stop::usage(format!("`{shown}` is no folder"));
            return Err(stop.hint("name two folders of compiled servers"));
        }
        if folder.join(compile::MANIFEST_FILE).exists() {
            let stop = Stop::usage(format!("`{shown}` is the folder of a single server"));
            return Err(stop.hint("name the folder that holds it; `--server` picks one server"));
        }
        known.extend(compile::compiled_servers(folder).or_stop()?);
    }
    if known.is_empty() {
        let (old, new) = (old.display(), new.display());
        let stop = Stop::usage(format!(
            "neither `{old}` nor `{new}` holds a compiled server"
        ));
        return Err(stop.hint("name two folders that `mce compile` wrote, such as `compiled`"));
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    for name in servers {
        if !known.contains(&name.as_str()) {
            return Err(unknown(name, "neither folder has such a", &known));
        }
    }
    Ok(())
}

fn show(
    arguments: &Arguments,
    diff: &FolderDiff,
    failed: &[(&str, &str)],
    error: Option<&str>,
) -> Outcome {
    let differs = !diff.is_empty();
    match arguments.format {
        DiffFormat::Json => output::json(&Changes {
            differs,
            servers: &diff.servers,
            shared: &diff.shared,
            failed: failed
                .iter()
                .map(|(server, error)| Failed { server, error })
                .collect(),
        })?,
        DiffFormat::Markdown => {
            output::line(changes::markdown(diff, failed).trim_end())?;
        }
    }
    if let Some(messages) = failures(failed.iter().copied(), error) {
        return Err(Stop::failure(messages));
    }
    Ok(if differs && arguments.exit_code {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
