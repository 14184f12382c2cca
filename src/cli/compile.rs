//! `mce compile`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::Value;

use super::output::{self, counted, printable};
use super::startup::{Configured, Startup, block_on};
use super::stop::Stop;
use super::{ConfigFile, Format, Outcome, check, client};
use crate::compile::{self, MANIFEST_FILE, Options, Report, ServerReport};
use crate::config::Config;

const EXAMPLES: &str = "\
Writes functions.py and manifest.json for each server of the config, and mce_runtime.py beside
them. Commit the folder: its manifests are what is enforced, and what keeps names stable. A server
that fails leaves its old output untouched. Where a server is compiled for the first time, it ends
with the configuration an MCP client needs; `--format json` always has it.

With `--check` nothing is written: it compares every byte of what is there with what the inputs
give, for CI. `mce diff` shows what differs, for reviewers.

Exit codes: 0 every server was compiled, or with `--check` is what its inputs give; 1 at least one
was not, or is not.

Examples:
  mce compile
  mce compile --check
  mce compile --server tasks --accept-origin
  mce compile --config apis/swaggers.yaml --output apis/compiled
  mce compile --format json | jq '.servers[] | {server, functions}'";

/// Groups of reasons, and warnings, that the text shows of each server.
const MOST_LINES: usize = 10;

/// Characters of a warning that the text shows.
const LONGEST_LINE: usize = 600;

/// Arguments of `mce compile`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
#[cfg_attr(
    feature = "test-hooks",
    expect(
        clippy::struct_excessive_bools,
        reason = "each is an option of its own"
    )
)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) target: Target,

    /// Do everything but write
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Write nothing; fail where what is there is not what the inputs give
    #[arg(long, conflicts_with_all = ["dry_run", "accept_origin"])]
    pub(super) check: bool,

    /// How the summary is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: Format,

    /// Accept that a document moved its API to another origin than the committed manifest's
    #[arg(long)]
    accept_origin: bool,

    /// Keep mutating operations of read-only servers
    #[cfg(feature = "test-hooks")]
    #[arg(long)]
    no_filter: bool,
}

/// Which servers, and where they are compiled to.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Target {
    #[command(flatten)]
    config: ConfigFile,

    /// The compiled folder, in place of the one that `MCE_COMPILED_OUTPUT_DIR` names
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Only this server; may be given more than once
    #[arg(long = "server", value_name = "NAME")]
    pub(super) servers: Vec<String>,
}

/// The summary for programs.
#[derive(Serialize)]
struct Summary<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(flatten)]
    client: Value,
}

impl Target {
    /// The config, which lists the servers, and the settings with the compiled folder.
    pub(super) fn configured(&self, startup: &Startup) -> Result<Configured, Stop> {
        let mut configured = startup.configured(self.config.path())?;
        if let Some(folder) = &self.output {
            configured.set_output(folder);
        }
        let config = servers_of(&configured)?;
        for name in &self.servers {
            if config.server(name).is_none() {
                let known = config.servers.iter().map(|server| server.name.as_str());
                return Err(unknown(
                    name,
                    "the config has no such",
                    &known.collect::<Vec<_>>(),
                ));
            }
        }
        Ok(configured)
    }

    pub(super) fn options(&self, configured: &Configured) -> Options {
        Options {
            output: configured.settings.compiled_output_dir.clone(),
            only: self.servers.clone(),
            ..Options::default()
        }
    }

    /// `mce compile` with the config and folder that were given, as a shell takes it.
    pub(super) fn command(&self) -> String {
        let mut text = "mce compile".to_owned();
        let paths = [
            ("--config", self.config.path()),
            ("--output", self.output.as_deref()),
        ];
        for (option, path) in paths {
            if let Some(path) = path {
                let _ = write!(text, " {option} {}", quoted(&path.to_string_lossy()));
            }
        }
        text
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "/._-+=:@%".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A name that none of the servers has that are `known`; `nobody` says where.
pub(super) fn unknown(name: &str, nobody: &str, known: &[&str]) -> Stop {
    let stop = Stop::usage(format!("`--server {name}`: {nobody} server"));
    if let Some(nearest) = nearest(name, known) {
        return stop.hint(format!("there is `{nearest}`"));
    }
    let names = known.get(..MOST_LINES).unwrap_or(known);
    stop.hint(format!("there are: {}", names.join(", ")))
}

/// The name that a mistyped one may stand for.
pub(super) fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let short: String = name.chars().take(100).collect();
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(&short, known);
    let mut known = known.iter().copied().map(|it| (likeness(it), it));
    let first = known.next()?;
    let (likeness, nearest) = known.fold(first, |best, it| if it.0 > best.0 { it } else { best });
    (likeness >= 0.4).then_some(nearest)
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    run_with(arguments, &arguments.target.configured(startup)?)
}

pub(super) fn run_with(arguments: &Arguments, configured: &Configured) -> Outcome {
    if arguments.check {
        return check::run(arguments, configured);
    }
    let config = servers_of(configured)?;
    let options = Options {
        dry_run: arguments.dry_run,
        accept_origin: arguments.accept_origin,
        #[cfg(feature = "test-hooks")]
        no_filter: arguments.no_filter,
        ..arguments.target.options(configured)
    };
    let is_first = holds_new(config, &options);
    let report = block_on(async { Ok(compiled(config, configured, &options).await) })?;
    let client = client::configuration(configured, client::NAME);
    match arguments.format {
        Format::Json => output::json(&Summary {
            report: &report,
            client,
        })?,
        Format::Text => {
            let text = summary(&report, Some(&options));
            if !text.is_empty() {
                output::line(text.trim_end())?;
            }
            if is_first && !report.failed() && !options.dry_run {
                output::line("\nFor an MCP client's configuration:\n")?;
                output::json(&client)?;
            }
        }
    }
    verdict(&report).map(|()| ExitCode::SUCCESS)
}

/// Whether one of the servers that are to be compiled was never compiled before.
fn holds_new(config: &Config, options: &Options) -> bool {
    let mut names = config.servers.iter().map(|server| &server.name);
    names.any(|name| {
        let is_wanted = options.only.is_empty() || options.only.contains(name);
        let manifest = options.output.join(name).join(MANIFEST_FILE);
        is_wanted && !manifest.exists()
    })
}

/// Compiles as `mce compile` does, with nothing on stdout: it belongs to the protocol.
pub(super) fn before_serving(config: &ConfigFile, startup: &Startup) -> Result<(), Stop> {
    let configured = startup.configured(config.path())?;
    let options = Options {
        output: configured.settings.compiled_output_dir.clone(),
        ..Options::default()
    };
    let config = servers_of(&configured)?;
    let report = block_on(async { Ok(compiled(config, &configured, &options).await) })?;
    for server in &report.servers {
        for warning in &server.warnings {
            tracing::warn!(server = %server.server, "{warning}");
        }
        tracing::info!(
            server = %server.server,
            functions = server.functions,
            changed = server.changed,
            "compiled"
        );
    }
    verdict(&report)
}

/// Compiles and says what came of it, for people.
pub(super) async fn described(configured: &Configured) -> Result<String, Stop> {
    let config = servers_of(configured)?;
    let options = Options {
        output: configured.settings.compiled_output_dir.clone(),
        ..Options::default()
    };
    let report = compiled(config, configured, &options).await;
    verdict(&report)?;
    Ok(summary(&report, None))
}

/// The config, which must list servers: one that lists none is more likely a slip than a wish.
pub(super) fn servers_of(configured: &Configured) -> Result<&Config, Stop> {
    let Some(config) = &configured.config else {
        return Err(Stop::failure(
            "there is no config: neither `--config`, MCE_SWAGGER_CONFIG_FILE, ./swaggers.yaml nor \
             ./config/swaggers.yaml",
        )
        .hint(
            "write swaggers.yaml: `servers:` and a list, such as \
                 `- {name: tasks, swagger_url: openapi.yaml}`",
        ));
    };
    if config.servers.is_empty() {
        return Err(
            Stop::failure(format!("{}: no servers", config.path.display()))
                .hint("list at least one under `servers`; `mce clean` removes what was compiled"),
        );
    }
    Ok(config)
}

async fn compiled(config: &Config, configured: &Configured, options: &Options) -> Report {
    let count = match options.only.len() {
        0 => config.servers.len(),
        some => some,
    };
    let spinner = output::spinner(format!("compiling {}", counted(count, "server")));
    let report = compile::run_with(config, &configured.environment, options, &|server| {
        spinner.set_message(format!("compiled {server}"));
    })
    .await;
    spinner.finish_and_clear();
    report
}

/// One paragraph for each server that was compiled, and what concerns no single one. With
/// `options` it says where the files are.
fn summary(report: &Report, options: Option<&Options>) -> String {
    let mut text = String::new();
    for server in report.servers.iter().filter(|it| it.error.is_none()) {
        describe(&mut text, server, options);
    }
    if let (Some(runtime), Some(options)) = (&report.runtime, options)
        && runtime.changed
    {
        let state = if options.dry_run {
            "not written"
        } else {
            "written"
        };
        let _ = writeln!(text, "{}: {state}", runtime.path.display());
    }
    for folder in &report.removed {
        let _ = writeln!(
            text,
            "removed {}: no longer in the config",
            folder.display()
        );
    }
    for warning in &report.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    printable(&text)
}

fn describe(text: &mut String, server: &ServerReport, options: Option<&Options>) {
    let mut parts = vec![counted(server.functions, "function")];
    let left_out = [
        (server.read_only, "left out as read-only"),
        (server.excluded, "excluded"),
        (server.unsupported.len(), "not supported"),
    ];
    parts.extend(
        left_out
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, why)| format!("{count} {why}")),
    );
    let _ = write!(text, "{}: {}", server.server, parts.join(", "));
    if let Some(options) = options {
        let state = match (options.dry_run, server.changed) {
            (true, _) => "not written",
            (false, true) => "written",
            (false, false) => "unchanged",
        };
        let folder = options.output.join(&server.server);
        let took = server.load_ms.saturating_add(server.compile_ms);
        let _ = write!(text, " ({state}: {}, {took} ms)", folder.display());
    }
    text.push('\n');
    text.push_str(&remarks(server));
}

/// What was not compiled of a server, and its warnings, each in a line with an indent.
pub(super) fn remarks(server: &ServerReport) -> String {
    let mut text = String::new();
    for group in server.reasons.iter().take(MOST_LINES) {
        let examples = group.examples.join(", ");
        let more = group.count.saturating_sub(group.examples.len());
        let more = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let reason = cut(&group.reason);
        let _ = writeln!(text, "  not compiled: {}{more}: {reason}", cut(&examples));
    }
    more_of(&mut text, server.reasons.len(), "reason");
    for warning in server.warnings.iter().take(MOST_LINES) {
        let _ = writeln!(text, "  warning: {}", cut(warning));
    }
    more_of(&mut text, server.warnings.len(), "warning");
    text
}

fn more_of(text: &mut String, count: usize, noun: &str) {
    if let Some(more @ 1..) = count.checked_sub(MOST_LINES) {
        let more = counted(more, &format!("more {noun}"));
        let _ = writeln!(text, "  and {more}; `--format json` lists all");
    }
}

fn cut(line: &str) -> String {
    let mut short: String = line.chars().take(LONGEST_LINE).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

/// A failure that says, for each server that failed, why.
pub(super) fn verdict(report: &Report) -> Result<(), Stop> {
    let failed = report
        .servers
        .iter()
        .filter_map(|server| Some((server.server.as_str(), server.error.as_deref()?)));
    match failures(failed, report.error.as_deref()) {
        Some(messages) => Err(Stop::failure(messages)),
        None => Ok(()),
    }
}

/// What failed, a line for each server; `None` where nothing did.
pub(super) fn failures<'a>(
    servers: impl Iterator<Item = (&'a str, &'a str)>,
    other: Option<&str>,
) -> Option<String> {
    let mut messages: Vec<_> = servers
        .map(|(server, error)| format!("`{server}` was not compiled: {error}"))
        .collect();
    messages.extend(other.map(str::to_owned));
    (!messages.is_empty()).then(|| messages.join("\n"))
}
