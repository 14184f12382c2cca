//! `mce compile --check`.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde::Serialize;

use super::changes::{counts, listed, said};
use super::compile::{Arguments, Target, failures, servers_of};
use super::output::{self, counted, printable};
use super::startup::{Configured, block_on};
use super::stop::Stop;
use super::{Format, Outcome};
use crate::compile::diff::Level;
use crate::compile::{self, CheckReport, FileCheck, FileState, Options, ServerCheck};

/// Changes that matter most, of each server, that the text shows.
const MOST_CHANGES: usize = 5;

/// What to do about line ends that a checkout converted.
const STOP_CONVERTING: &str =
    "add `compiled/** -text` to .gitattributes and check the folder out again";

/// The outcome for programs.
#[derive(Serialize)]
struct Summary<'a> {
    /// Whether everything is what the inputs give.
    up_to_date: bool,
    #[serde(flatten)]
    report: &'a CheckReport,
    /// What to do by hand first.
    by_hand: Vec<String>,
    /// The commands that make it so then; empty where there is nothing to do.
    fix: Vec<String>,
}

pub(super) fn run(arguments: &Arguments, configured: &Configured) -> Outcome {
    let options = arguments.target.options(configured);
    let report = report(configured, &options)?;
    let by_hand = by_hand(&report);
    let fix = fix(&report, &arguments.target);
    match arguments.format {
        Format::Json => output::json(&Summary {
            up_to_date: report.is_equal(),
            report: &report,
            by_hand: by_hand.clone(),
            fix: fix.clone(),
        })?,
        Format::Text => {
            let text = if report.is_equal() {
                let count = counted(report.servers.len(), "server");
                format!(
                    "{} is what the inputs give: {count}",
                    options.output.display()
                )
            } else {
                summary(&report)
            };
            if !text.is_empty() {
                output::line(printable(text.trim_end()))?;
            }
        }
    }
    verdict(&report, &options, &by_hand, &fix)
}

/// Compiles in memory and compares.
pub(super) fn report(configured: &Configured, options: &Options) -> Result<CheckReport, Stop> {
    let config = servers_of(configured)?;
    block_on(async {
        let spinner = output::spinner("comparing");
        let environment = &configured.environment;
        let report = compile::check(config, environment, options, &|server| {
            spinner.set_message(format!("compared {server}"));
        })
        .await;
        spinner.finish_and_clear();
        Ok(report)
    })
}

/// What `mce compile` does not do: it overwrites and removes no file of somebody else, and what
/// it writes a checkout may convert again.
fn by_hand(report: &CheckReport) -> Vec<String> {
    let mut steps = Vec::new();
    let files = report.servers.iter().flat_map(|check| &check.files);
    let files: Vec<&FileCheck> = files.chain(&report.runtime).chain(&report.beside).collect();
    for file in &files {
        if file.state == FileState::Foreign {
            let path = file.path.display();
            steps.push(format!(
                "restore `{path}` from version control or move it elsewhere, or choose another \
                 folder for the output"
            ));
        }
        if file.state == FileState::Beside {
            let path = file.path.display();
            steps.push(format!("remove `{path}` or move it elsewhere"));
        }
    }
    for stale in report.stale.iter().filter(|stale| stale.left.is_some()) {
        let path = stale.path.display();
        steps.push(format!("remove `{path}` or list its server in the config"));
    }
    if files.iter().any(|file| file.state == FileState::LineEnds) {
        steps.push(STOP_CONVERTING.to_owned());
    }
    steps
}

/// The commands that make what is there what the inputs give.
fn fix(report: &CheckReport, target: &Target) -> Vec<String> {
    if report.is_equal() {
        return Vec::new();
    }
    let command = target.command();
    let (mut moved, mut others) = (Vec::new(), Vec::new());
    for check in report.servers.iter().filter(|check| is_to_compile(check)) {
        if check.error.is_none() && check.diff.moves_origin() && !is_new(check) {
            moved.push(check.server.as_str());
        } else if check.error.is_none() {
            others.push(check.server.as_str());
        }
    }
    let of = |servers: &[&str]| -> String {
        let each = servers.iter().map(|server| format!(" --server {server}"));
        each.collect()
    };
    let is_shared = report.stale.iter().any(|stale| stale.left.is_none())
        || others.is_empty() && report.runtime.as_ref().is_some_and(is_to_write);
    let mut commands = Vec::new();
    if !moved.is_empty() {
        commands.push(format!("{command} --accept-origin{}", of(&moved)));
    }
    if !target.servers.is_empty() && !others.is_empty() {
        commands.push(format!("{command}{}", of(&others)));
    } else if !others.is_empty() || is_shared {
        commands.push(command);
    }
    commands
}

/// Whether compiling makes a file what it should be: where only line ends were converted, what
/// converts them is to be stopped, and of somebody else's files it removes none.
fn is_to_write(file: &FileCheck) -> bool {
    !matches!(
        file.state,
        FileState::Equal | FileState::LineEnds | FileState::Beside
    )
}

fn is_to_compile(check: &ServerCheck) -> bool {
    check.files.iter().any(is_to_write)
}

/// Whether a server was not compiled before, so that nothing moved.
fn is_new(check: &ServerCheck) -> bool {
    let is_manifest = |file: &FileCheck| file.path.ends_with(compile::MANIFEST_FILE);
    let manifest = check.files.iter().find(|file| is_manifest(file));
    manifest.is_some_and(|file| file.state == FileState::Missing)
}

/// What differs, for people.
fn summary(report: &CheckReport) -> String {
    let mut text = String::new();
    for check in &report.servers {
        if check.error.is_none() && !check.is_equal() {
            describe(&mut text, check);
        }
    }
    if let Some(file) = &report.runtime
        && file.state != FileState::Equal
    {
        let _ = writeln!(text, "{}", state(file));
    }
    for file in &report.beside {
        let _ = writeln!(text, "{}", state(file));
    }
    for stale in &report.stale {
        let path = stale.path.display();
        let _ = match &stale.left {
            None => writeln!(text, "{path}: belongs to no server of the config"),
            Some(why) => writeln!(
                text,
                "{path}: belongs to no server of the config, and compiling would leave it \
                 ({why}); remove it by hand"
            ),
        };
    }
    text
}

fn describe(text: &mut String, check: &ServerCheck) {
    let diff = &check.diff;
    let _ = writeln!(text, "{}: {}", check.server, counts(diff));
    for file in check.files.iter().filter(|it| it.state != FileState::Equal) {
        let _ = writeln!(text, "  {}", state(file));
    }
    let matter: Vec<_> = diff
        .changes
        .iter()
        .filter(|change| matches!(change.level, Level::Security | Level::Breaking))
        .collect();
    for change in matter.iter().take(MOST_CHANGES) {
        let _ = writeln!(text, "  {}", said(&check.server, change));
    }
    if let Some(more @ 1..) = matter.len().checked_sub(MOST_CHANGES) {
        let _ = writeln!(text, "  and {more} more that matter");
    }
    for (names, what) in [
        (&diff.added, "added"),
        (&diff.removed, "removed"),
        (&diff.changed, "changed"),
    ] {
        if !names.is_empty() {
            let _ = writeln!(text, "  {what}: {}", listed(names.iter()));
        }
    }
}

/// A file and what is wrong with it.
fn state(file: &FileCheck) -> String {
    let path = file.path.display();
    let what = match file.state {
        FileState::Equal => "is what the inputs give",
        FileState::Missing => "is missing",
        FileState::Edited => "was changed since it was compiled",
        FileState::LineEnds => {
            return format!(
                "{path}: line ends were converted, most likely by git's autocrlf; \
                 {STOP_CONVERTING}"
            );
        }
        FileState::Foreign => {
            "was not written by mce, which does not overwrite it; restore it from version control, \
             move it, or choose another folder for the output"
        }
        FileState::Beside => "was not written by mce, and Python would run it; remove or move it",
        FileState::Stale if file.path.ends_with(compile::RUNTIME_FILE) => {
            "is not that of this version of mce: it is another version's, or was changed by hand"
        }
        _ => "was compiled from other inputs or by another version",
    };
    format!("{path}: {what}")
}

fn verdict(report: &CheckReport, options: &Options, by_hand: &[String], fix: &[String]) -> Outcome {
    if report.is_equal() {
        return Ok(ExitCode::SUCCESS);
    }
    let failed = report
        .servers
        .iter()
        .filter_map(|check| Some((check.server.as_str(), check.error.as_deref()?)));
    let mut messages = Vec::new();
    messages.extend(failures(failed, report.error.as_deref()));
    let differing: Vec<&str> = report
        .servers
        .iter()
        .filter(|check| check.error.is_none() && !check.is_equal())
        .map(|check| check.server.as_str())
        .collect();
    let others = report.stale.len() + report.beside.len() + usize::from(is_runtime_other(report));
    if !differing.is_empty() || others > 0 {
        let folder = options.output.display();
        messages.push(format!("{folder} is not what the inputs give"));
    }
    let stop = Stop::failure(messages.join("\n"));
    let mut steps = by_hand.to_vec();
    if !fix.is_empty() {
        let commands: Vec<String> = fix.iter().map(|command| format!("`{command}`")).collect();
        let is_moved = fix.iter().any(|it| it.contains("--accept-origin"));
        let sure = if is_moved {
            ", if credentials may go where the API moved to,"
        } else {
            ""
        };
        let run = format!("run {}{sure} and commit", commands.join(" and "));
        steps.push(run);
    }
    Err(if steps.is_empty() {
        stop
    } else {
        stop.hint(steps.join("; then "))
    })
}

fn is_runtime_other(report: &CheckReport) -> bool {
    let runtime = report.runtime.as_ref();
    runtime.is_some_and(|file| file.state != FileState::Equal)
}
