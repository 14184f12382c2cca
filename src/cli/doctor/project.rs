//! The config, whether what was compiled is up to date, and the credentials of its servers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::time::timeout;

use super::super::auth;
use super::super::output::{absolute, counted};
use super::super::startup::Configured;
use super::super::token;
use super::{Arguments, Finding, PATIENCE, compiled};
use crate::compile::{self, CheckReport, Options, ServerCheck, verify};
use crate::config::{Config, Environment, Opened, ServerConfig};

pub(super) async fn look(opened: &Opened, arguments: &Arguments) -> Vec<Finding> {
    let mut findings = of_config(opened);
    let configured = Configured::new(opened.clone(), arguments.config.path());
    let servers = configured.servers();
    findings.extend(tokens(&configured));
    findings.extend(compiled::look(&configured, &servers).await);
    if let Some(config) = &configured.config {
        findings.extend(fresh(config, &configured, arguments.fetch).await);
    }
    findings.extend(credentials(&configured, servers, arguments.fetch).await);
    findings
}

fn of_config(opened: &Opened) -> Vec<Finding> {
    let folder = absolute(&opened.settings.compiled_output_dir);
    let mut findings = vec![match &opened.config {
        Some(config) if config.servers.is_empty() => {
            Finding::problem("config", format!("{}: no servers", config.path.display()))
                .advice("list at least one under `servers`, or begin with `mce init`")
        }
        Some(config) => Finding::ok(
            "config",
            format!(
                "{} in {}",
                counted(config.servers.len(), "server"),
                absolute(&config.path).display()
            ),
        ),
        None => Finding::warning(
            "config",
            format!(
                "none (looked for ./swaggers.yaml, ./config/swaggers.yaml); what is compiled in {} \
                 is served",
                folder.display()
            ),
        )
        .advice("begin with `mce init URL|FILE`, or give `--config`"),
    }];
    // Those of variables without effect, of old names and of keys of the config.
    for warning in &opened.warnings {
        findings.push(Finding::warning("config", warning.clone()));
    }
    findings
}

/// What is told of tokens for servers that do not exist; what else is wrong with them was told before.
fn tokens(configured: &Configured) -> Vec<Finding> {
    let tokens = configured.settings.http.named_tokens().unwrap_or_default();
    let warnings = token::of_no_server(&tokens, configured).into_iter();
    let otherwise = "correct `servers` of the token in `MCE_HTTP_TOKENS_FILE`";
    warnings
        .map(|it| Finding::warning_of("http", &it, otherwise))
        .collect()
}

/// Whether compiling would change anything.
async fn fresh(config: &Config, configured: &Configured, fetch: bool) -> Vec<Finding> {
    let environment = &configured.environment;
    let is_remote = |server: &ServerConfig| {
        let url = server.swagger_url.expand(environment).unwrap_or_default();
        url.starts_with("http://") || url.starts_with("https://")
    };
    let (remote, local): (Vec<&ServerConfig>, Vec<_>) =
        config.servers.iter().partition(|server| is_remote(server));
    let names = |servers: &[&ServerConfig]| -> Vec<String> {
        servers.iter().map(|server| server.name.clone()).collect()
    };
    let mut findings = Vec::new();
    let mut checked = local;
    if fetch {
        checked.extend(&remote);
    } else if !remote.is_empty() {
        let found = format!("documents that have a URL: {}", names(&remote).join(", "));
        findings.push(Finding::skipped("up to date", found).advice("`--fetch` fetches them"));
    }
    // Where servers are only served, as in a container, nothing but what was compiled has to be there.
    checked.retain(|server| {
        let Some(file) = missing(server, config, environment) else {
            return true;
        };
        let is_sound = verify(&configured.settings.compiled_output_dir, &server.name).is_ok();
        if is_sound {
            let name = &server.name;
            let found = format!("server `{name}`: `{}` is not here", file.display());
            findings.push(
                Finding::skipped("up to date", found)
                    .advice("where documents are: `mce compile --check`"),
            );
        }
        !is_sound
    });
    if checked.is_empty() && !config.servers.is_empty() {
        return findings;
    }
    let options = Options {
        output: configured.settings.compiled_output_dir.clone(),
        // All of them, where what belongs to none is looked for too.
        only: if checked.len() == config.servers.len() {
            Vec::new()
        } else {
            names(&checked)
        },
        ..Options::default()
    };
    let checking = compile::check(config, environment, &options, &|_| {});
    match timeout(PATIENCE, checking).await {
        Ok(report) => findings.extend(of_report(&report)),
        Err(_) => findings.push(Finding::late("up to date")),
    }
    findings
}

/// A file that a server is compiled from and that is not there.
fn missing(server: &ServerConfig, config: &Config, environment: &Environment) -> Option<PathBuf> {
    let folder = config.path.parent().unwrap_or(Path::new(""));
    let sources = std::iter::once(&server.swagger_url).chain(&server.skills_url);
    let files = sources.filter_map(|source| {
        let source = source.expand(environment).ok()?;
        let source = source.trim();
        (!source.is_empty() && !source.contains("://")).then(|| folder.join(source))
    });
    let is_missing = |file: &PathBuf| {
        let looked = file.metadata();
        looked.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    };
    files.into_iter().find(is_missing)
}

fn of_report(report: &CheckReport) -> Vec<Finding> {
    let check = "up to date";
    let mut findings = Vec::new();
    if report.is_equal() {
        let count = counted(report.servers.len(), "server");
        return vec![Finding::ok(check, format!("{count} as the documents say"))];
    }
    if let Some(error) = &report.error {
        findings.push(Finding::problem(check, error.clone()).advice("run `mce compile`"));
    }
    for server in report.servers.iter().filter(|it| !it.is_equal()) {
        let ServerCheck { server, error, .. } = server;
        findings.push(match error {
            Some(error) => Finding::problem(check, format!("server `{server}`: {error}"))
                .advice("put the document or its entry in the config right, then `mce compile`"),
            None => Finding::problem(
                check,
                format!("server `{server}` is not what its document and the config give"),
            )
            .advice("see `mce diff`, then run `mce compile`"),
        });
    }
    let stale: BTreeSet<_> = report
        .stale
        .iter()
        .map(|it| it.path.display().to_string())
        .collect();
    for path in stale {
        findings.push(
            Finding::warning(
                check,
                format!("`{path}` belongs to no server of the config"),
            )
            .advice("run `mce compile`, which removes it, or list its server"),
        );
    }
    if findings.is_empty() {
        let found = "mce_runtime.py, or a file beside it, is not what this version writes";
        findings.push(
            Finding::problem(check, found).advice("`mce compile --check` says what, and why"),
        );
    }
    findings
}

/// Whether every server has the credentials that its operations ask for.
async fn credentials(
    configured: &Configured,
    servers: Vec<Arc<ServerConfig>>,
    fetch: bool,
) -> Vec<Finding> {
    let check = "credentials";
    let checking = auth::checked(configured, &servers, fetch);
    let Ok(checked) = timeout(PATIENCE, checking).await else {
        return vec![Finding::problem(
            check,
            "an endpoint did not answer in time",
        )];
    };
    let (mut findings, mut sound) = (Vec::new(), 0);
    for server in checked {
        let name = &server.server;
        match &server.problem {
            Some(problem) => {
                let begin = format!("server `{name}`: ");
                let problem = problem.strip_prefix(&begin).unwrap_or(problem);
                let otherwise = format!("`mce auth check {name}` says what is there");
                findings.push(Finding::of_message(
                    check,
                    &format!("{begin}{problem}"),
                    &otherwise,
                ));
            }
            None if server.warnings.is_empty() => sound += 1,
            None => {}
        }
        for warning in &server.warnings {
            let otherwise = format!("`mce auth check {name}` says what is there");
            findings.push(Finding::warning_of(check, warning, &otherwise));
        }
    }
    if sound > 0 {
        let fetched = if fetch {
            ", fetched where they have to be"
        } else {
            ""
        };
        let found = format!("{} with what they need{fetched}", counted(sound, "server"));
        findings.insert(0, Finding::ok(check, found));
    }
    findings
}
