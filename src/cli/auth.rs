//! `mce auth`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use serde::Serialize;

use super::output::{self, printable};
use super::startup::{Configured, Startup, block_on};
use super::stop::Stop;
use super::{ConfigFile, Format, Outcome};
use crate::api::Manifest;
use crate::broker::{Limits, Redactor, Target};
use crate::compile;
use crate::config::ServerConfig;
use crate::connect::Tls;
use crate::vault::{NetworkSettings, Vault};

const EXAMPLES: &str = "\
Shows no secret. Exits with 1 where a credential cannot be used or fetched.

Examples:
  mce auth check                     What every server has, and where it was found
  mce auth check bookshop --fetch    Fetch its token or log in as well";

/// Arguments of `mce auth`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Say which credentials servers have
    #[command(after_help = EXAMPLES)]
    Check(Check),
}

#[derive(Debug, clap::Args)]
struct Check {
    /// The server; all of them where left out
    server: Option<String>,

    /// Ask token and log-in endpoints for a credential
    #[arg(long)]
    fetch: bool,

    /// How the answer is written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    #[command(flatten)]
    config: ConfigFile,
}

/// What a server has.
#[derive(Serialize)]
pub(super) struct Checked {
    pub(super) server: String,
    /// Each with the variable or the place in the config.
    credentials: Vec<Found>,
    /// Seconds that a fetched credential lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    fetched_for_seconds: Option<u64>,
    /// Whether that is what the document asks for, where it asks for anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    fits: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<String>,
}

#[derive(Serialize)]
struct Found {
    kind: String,
    place: String,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    let Command::Check(arguments) = &arguments.command;
    check(arguments, startup)
}

fn check(arguments: &Check, startup: &Startup) -> Outcome {
    let configured = startup.configured(arguments.config.path())?;
    let servers = chosen(&configured, arguments.server.as_deref())?;
    let checked = block_on(async { Ok(checked(&configured, &servers, arguments.fetch).await) })?;
    match arguments.format {
        Format::Json => output::json(&checked)?,
        Format::Text => {
            for server in &checked {
                output::line(printable(text(server, arguments.fetch).trim_end()))?;
            }
        }
    }
    let is_sound = checked.iter().all(|server| server.problem.is_none());
    Ok(if is_sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What each of these servers has.
pub(super) async fn checked(
    configured: &Configured,
    servers: &[Arc<ServerConfig>],
    fetch: bool,
) -> Vec<Checked> {
    let config = configured.config.as_ref();
    let folder = config.and_then(|config| config.path.parent());
    let network = NetworkSettings {
        folder: folder.unwrap_or(Path::new("")).to_owned(),
        https_proxy: configured.settings.https_proxy.clone(),
    };
    let vault = Vault::with_network(servers, &configured.environment, &network);
    let warnings = vault.warnings();
    let checking = servers.iter().map(async |server| {
        let tls = Tls::of(server, &network.folder, &configured.environment);
        let mut checked = of(&vault, &server.name, fetch).await;
        let of_files = tls
            .err()
            .map(|what| format!("server `{}`: {what}", server.name));
        checked.problem = checked.problem.or(of_files);
        let begin = format!("server `{}`: ", server.name);
        let own = warnings.iter().filter(|it| it.starts_with(&begin));
        checked.warnings = own.cloned().collect();
        if checked.problem.is_none()
            && let Some(manifest) = manifest(configured, &server.name).await
        {
            let misfits = vault.misfits(&manifest);
            let asks = manifest.functions.iter().any(|it| !it.security.is_empty());
            checked.fits = asks.then_some(misfits.is_empty());
            let misfits = misfits.into_iter();
            checked
                .warnings
                .extend(misfits.map(|it| format!("{begin}{it}")));
            let limits = Limits::from(&*configured.settings);
            let target = Target::new(manifest, server);
            if vault.has_secrets(&server.name)
                && let Ok(destination) = target.destination(&configured.environment, &limits)
            {
                checked.warnings.extend(destination.in_the_clear);
            }
        }
        checked
    });
    join_all(checking).await
}

/// What was compiled of a server, if it can be used.
async fn manifest(configured: &Configured, server: &str) -> Option<Manifest> {
    let output = configured.settings.compiled_output_dir.clone();
    let server = server.to_owned();
    let verifying = tokio::task::spawn_blocking(move || compile::verify(&output, &server).ok());
    Some(verifying.await.ok()??.manifest)
}

/// The server that was named, or all.
fn chosen(configured: &Configured, name: Option<&str>) -> Result<Vec<Arc<ServerConfig>>, Stop> {
    let servers = configured.servers();
    if servers.is_empty() {
        return Err(Stop::failure("there are no servers here")
            .hint("name the config with `--config`, or compile first"));
    }
    let Some(name) = name else {
        return Ok(servers);
    };
    let known: Vec<String> = servers.iter().map(|it| format!("`{}`", it.name)).collect();
    let chosen: Vec<_> = servers.into_iter().filter(|it| it.name == name).collect();
    if chosen.is_empty() {
        let message = format!("there is no server `{}`", printable(name));
        return Err(Stop::usage(message).hint(format!("there are {}", known.join(", "))));
    }
    Ok(chosen)
}

async fn of(vault: &Vault, server: &str, fetch: bool) -> Checked {
    let mut checked = Checked {
        server: server.to_owned(),
        credentials: Vec::new(),
        fetched_for_seconds: None,
        fits: None,
        warnings: Vec::new(),
        problem: None,
    };
    match vault.configuration(server) {
        Ok(found) => {
            checked.credentials = found
                .iter()
                .map(|found| Found {
                    kind: found.what.clone(),
                    place: found.place.clone(),
                })
                .collect();
        }
        Err(error) => checked.problem = Some(error.to_string()),
    }
    if fetch && checked.problem.is_none() {
        match vault.fetch(server).await {
            Ok(lifetime) => checked.fetched_for_seconds = lifetime.map(|it| it.as_secs()),
            Err(error) => {
                let redactor = Redactor::new(&vault.secrets());
                let told = error.told(|said| redactor.text(said).into_owned());
                checked.problem = Some(redactor.text(&told).into_owned());
            }
        }
    }
    checked
}

fn text(checked: &Checked, fetch: bool) -> String {
    let mut text = format!("{}\n", checked.server);
    if checked.credentials.is_empty() && checked.problem.is_none() {
        text.push_str("  no credential\n");
    }
    for Found { kind, place } in &checked.credentials {
        let _ = writeln!(text, "  {kind} from {place}");
    }
    match checked.fetched_for_seconds.map(Duration::from_secs) {
        Some(lifetime) if fetch => {
            let _ = writeln!(text, "  fetched, lasts {} s", lifetime.as_secs());
        }
        _ => {}
    }
    if checked.fits == Some(true) {
        text.push_str("  fits what the document asks for\n");
    }
    for warning in &checked.warnings {
        let _ = writeln!(text, "  warning: {warning}");
    }
    if let Some(problem) = &checked.problem {
        let _ = writeln!(text, "  problem: {problem}");
    }
    text
}
