//! `mce compile`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::Value;

use super::output::{self, counted, printable};
use super::startup::{Configured, Startup, block_on};
use super::stop::Stop;
use super::{ConfigFile, Format, Outcome, client};
use crate::compile::{self, Options, Report, ServerReport};
use crate::config::Config;

const EXAMPLES: &str = "\
Writes functions.py and manifest.json for each server of the config, and mce_runtime.py beside
them. Commit the folder: its manifests are what is enforced, and what keeps names stable. A server
that fails leaves its old output untouched. Ends with the configuration an MCP client needs.

Exit codes: 0 every server was compiled, 1 at least one was not.

Examples:
  mce compile
  mce compile --dry-run
  mce compile --config apis/swaggers.yaml --output apis/compiled
  mce compile --format json | jq '.servers[] | {server, functions}'";

/// Arguments of `mce compile`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: ConfigFile,

    /// The folder to write to, in place of the one that `MCE_COMPILED_OUTPUT_DIR` names
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,

    /// Do everything but write
    #[arg(long)]
    pub(super) dry_run: bool,

    /// How the summary is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Accept that a document moved its API to another origin than the committed manifest's
    #[arg(long)]
    accept_origin: bool,

    /// Keep mutating operations of read-only servers
    #[cfg(feature = "test-hooks")]
    #[arg(long)]
    no_filter: bool,
}

/// The summary for programs.
#[derive(Serialize)]
struct Summary<'a> {
    #[serde(flatten)]
    report: &'a Report,
    #[serde(flatten)]
    client: Value,
}

impl Arguments {
    /// The config, which lists servers, and the settings with the folder to write to.
    pub(super) fn configured(&self, startup: &Startup) -> Result<Configured, Stop> {
        let mut configured = startup.configured(self.config.path())?;
        if let Some(folder) = &self.output {
            configured.set_output(folder);
        }
        servers_of(&configured)?;
        Ok(configured)
    }
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    run_with(arguments, &arguments.configured(startup)?)
}

pub(super) fn run_with(arguments: &Arguments, configured: &Configured) -> Outcome {
    let config = servers_of(configured)?;
    let options = Options {
        output: configured.settings.compiled_output_dir.clone(),
        dry_run: arguments.dry_run,
        accept_origin: arguments.accept_origin,
        #[cfg(feature = "test-hooks")]
        no_filter: arguments.no_filter,
    };
    let report = block_on(async { Ok(compiled(config, configured, &options).await) })?;
    let client = client::configuration(config, &configured.settings);
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
            if !report.failed() && !options.dry_run {
                output::line("\nFor an MCP client's configuration:\n")?;
                output::json(&client)?;
            }
        }
    }
    verdict(&report).map(|()| ExitCode::SUCCESS)
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
fn servers_of(configured: &Configured) -> Result<&Config, Stop> {
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
    let spinner = output::spinner(format!(
        "compiling {}",
        counted(config.servers.len(), "server")
    ));
    let report = compile::run_with(config, &configured.environment, options, &|server| {
        spinner.set_message(format!("compiled {}", server.server));
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
        let _ = write!(text, " ({state}: {})", folder.display());
    }
    text.push('\n');
    for operation in &server.unsupported {
        let _ = writeln!(text, "  not compiled: {operation}");
    }
    for warning in &server.warnings {
        let _ = writeln!(text, "  warning: {warning}");
    }
}

/// A failure that says, for each server that failed, why.
fn verdict(report: &Report) -> Result<(), Stop> {
    if !report.failed() {
        return Ok(());
    }
    let failed = report
        .servers
        .iter()
        .filter_map(|server| Some((&server.server, server.error.as_ref()?)));
    let mut messages: Vec<_> = failed
        .map(|(server, error)| format!("`{server}` was not compiled: {error}"))
        .collect();
    messages.extend(report.error.clone());
    Err(Stop::failure(messages.join("\n")))
}
