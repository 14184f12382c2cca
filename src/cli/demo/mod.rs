//! `mce demo`: every layer at work on the bundled example, with an API of its own to call.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use super::output::{self, printable};
use super::startup::{Configured, Startup, block_on};
use super::stop::{OrStop, Stop};
use super::{Outcome, compile};
use crate::config::{Config, Environment, Settings};
use crate::runtime::{
    ErrorType, ExecuteRequest, ExecutionResult, Finding, LOCAL_PRINCIPAL, Runtime,
};

mod api;
mod collector;
mod serve;
mod stages;

use api::{Bookshop, Closed, Received};
use collector::Collector;
use stages::{STAGES, Stage};

const EXAMPLES: &str = "\
Compiles the bundled bookshop document, serves that API on loopback, and runs four snippets:
useful work, a write against a read-only server, an attempt to send data away, and a forbidden
import. Then checks what the API received. Code runs in containers where an engine answers that has
the sandbox image (`mce sandbox build`), else in worker processes of mce.

With --serve nothing is run: the API stays up, for `mce call` and `mce exec` of your own.

Exit codes: 0 everything came as it must, 1 something did not.

Examples:
  mce demo
  mce demo --serve";

const DOCUMENT: &str = include_str!("../../../examples/bookshop/openapi.yaml");
const CONFIG: &str = include_str!("../../../examples/bookshop/swaggers.yaml");

/// Arguments of `mce demo`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Serve the bookshop's API on loopback until Ctrl-C, and say how to call it
    #[arg(long)]
    serve: bool,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    if arguments.serve {
        return serve::run(&random_key()?);
    }
    let folder = tempfile::Builder::new()
        .prefix("mce-demo-")
        .tempdir()
        .or_stop_with("cannot make a folder for the demo")?;
    let key = random_key()?;
    // The shop's port is part of the config, and the config of the runtime.
    let shop = Closed::new(key.clone()).or_stop_with("cannot serve the demo's API on loopback")?;
    let configured = configure(startup, folder.path(), &shop, &key)?;
    let compiled = block_on(compile::described(&configured))?;
    let opened = configured.open()?;
    opened.run(async |runtime| {
        // Nothing can be shown where no code runs, so nothing is begun there.
        runtime.prove().await.map_err(no_sandbox)?;
        output::line("The bundled bookshop API, compiled as a read-only server:\n")?;
        output::line(compiled)?;
        play(&runtime, shop, &key).await
    })
}

fn no_sandbox(finding: Finding) -> Stop {
    let stop = Stop::failure(finding.message);
    match finding.hint {
        Some(hint) => stop.hint(hint),
        None => stop,
    }
}

async fn play(runtime: &Runtime, shop: Closed, key: &str) -> Outcome {
    let shop = shop
        .open()
        .or_stop_with("cannot serve the demo's API on loopback")?;
    let mut faults = 0;
    let mut has_run_in_containers = false;
    let collector =
        Collector::open().or_stop_with("cannot listen for what might leave the sandbox")?;
    for (number, stage) in (1..).zip(&STAGES) {
        let (found, sandbox) = show(number, stage, runtime, &shop, &collector, key).await?;
        faults += found;
        has_run_in_containers |= sandbox == Some("docker");
    }
    if faults == 0 {
        let reads = if has_run_in_containers {
            "the three reads above and the\nharmless one of stage 3, each with its key, and no write"
        } else {
            "the three reads above, each\nwith its key, and no write"
        };
        output::line(format_args!(
            "Everything came as it must: the API received {reads}; nothing reached the collector.\n\n\
             Next: `mce demo --serve` keeps this API up, to be called by you."
        ))?;
        Ok(ExitCode::SUCCESS)
    } else {
        Err(Stop::failure(format!(
            "{faults} things did not come as they must; they are marked `✗` above"
        )))
    }
}

/// Runs a stage and shows it; returns how many things did not come as they must, and where it ran.
async fn show(
    number: usize,
    stage: &Stage,
    runtime: &Runtime,
    shop: &Bookshop,
    collector: &Collector,
    key: &str,
) -> Result<(usize, Option<&'static str>), Stop> {
    let code = collector.named_in(stage.code);
    output::line(format_args!(
        "── {number}. {}\n   {}\n",
        stage.title, stage.about
    ))?;
    for line in code.lines() {
        output::line(format_args!("   │ {line}"))?;
    }
    let spinner = output::spinner("running");
    let result = runtime
        .execute(ExecuteRequest {
            code,
            description: stage.title.to_owned(),
            principal: LOCAL_PRINCIPAL.to_owned(),
            ..ExecuteRequest::default()
        })
        .await;
    spinner.finish_and_clear();
    if result.error_type == Some(ErrorType::Sandbox) {
        // Nothing can be shown without one, and the finding says what to do.
        return Err(
            Stop::failure(result.error.unwrap_or_default()).hint("`mce sandbox status` says more")
        );
    }
    let received = shop.take_received();
    output::line(outcome(&result, &received))?;

    let mut faults = stage.judge(&result, &received);
    if stage.code.contains(collector::PLACE) {
        let connections = collector.connections();
        output::line(format_args!("   collector received {connections} requests"))?;
        if connections > 0 {
            faults.push("the sandbox reached the collector: it has a network".to_owned());
        }
    }
    let text = serde_json::to_string(&result).or_stop_with("cannot write the result as JSON")?;
    if text.contains(key) {
        faults.push("the result holds the key".to_owned());
    }
    if faults.is_empty() {
        output::line("   ✓ as it must be\n")?;
    }
    for fault in &faults {
        output::line(format_args!("   ✗ {}\n", printable(fault)))?;
    }
    Ok((faults.len(), result.sandbox))
}

/// What each layer did, one line each.
fn outcome(result: &ExecutionResult, received: &[Received]) -> String {
    let mut lines = vec![String::new()];
    if result.violations.is_empty() {
        lines.push("   guard    passed".to_owned());
    }
    for violation in &result.violations {
        let hint = violation
            .hint
            .as_ref()
            .map_or_else(String::new, |hint| format!("\n            hint: {hint}"));
        lines.push(format!(
            "   guard    line {}: {} ({}){hint}",
            violation.line, violation.message, violation.rule
        ));
    }
    if let Some(time) = result.execution_time_ms {
        let sandbox = result.sandbox.unwrap_or("none");
        lines.push(format!("   sandbox  {sandbox}, {time} ms"));
    }
    for call in &result.calls {
        let status = call.status.map_or_else(
            || call.error.clone().unwrap_or_default(),
            |status| status.to_string(),
        );
        lines.push(format!(
            "   broker   {}.{} → {status}, {} ms",
            call.server, call.function, call.ms
        ));
    }
    for request in received {
        let key = if request.authorised {
            "with"
        } else {
            "without"
        };
        lines.push(format!(
            "   API      received {} ({key} the key)",
            request.line
        ));
    }
    match (&result.data, &result.error) {
        (_, Some(error)) => {
            let class = result.error_type.map_or("error", |it| it.name());
            lines.push(format!("   result   {class}: {}", error.trim_end()));
        }
        (Some(data), None) => lines.push(format!("   result   {data}")),
        (None, None) => lines.push("   result   none".to_owned()),
    }
    printable(&lines.join("\n"))
}

/// Writes the example to the folder, and makes an environment in which nothing of the user's own
/// set-up but the engine plays a part.
fn configure(
    startup: &Startup,
    folder: &Path,
    shop: &Closed,
    key: &str,
) -> Result<Configured, Stop> {
    let config = format!("{CONFIG}    base_url: {}\n", shop.url());
    let path = folder.join("swaggers.yaml");
    fs::write(&path, config)
        .and_then(|()| fs::write(folder.join("openapi.yaml"), DOCUMENT))
        .or_stop_with("cannot write the demo's files")?;
    let kept = |name: &&str| {
        ["MCE_DOCKER_", "MCE_SANDBOX", "DOCKER_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
    };
    let of_user = startup.environment.names().filter(kept).map(|name| {
        let value = startup.environment.get(name).unwrap_or_default();
        (name.to_owned(), value.to_owned())
    });
    let own = [
        ("MCE_COMPILED_OUTPUT_DIR", folder.join("compiled")),
        ("MCE_CACHE_DB_PATH", folder.join("cache.db")),
        ("MCE_AUDIT_DB_PATH", folder.join("audit.db")),
    ]
    .map(|(name, path)| (name.to_owned(), path.display().to_string()));
    let secret = ("MCE_BOOKSHOP_API_KEY".to_owned(), key.to_owned());
    let environment = Environment::from_pairs(of_user.chain(own).chain([secret]));
    let (mut settings, _) = Settings::from_environment(&environment).or_stop()?;
    settings.swagger_config_file = Some(path.clone());
    Ok(Configured {
        config: Some(Config::load(&path).or_stop()?),
        settings: Arc::new(settings),
        environment: Arc::new(environment),
        env_file: None,
    })
}

/// A key that no text holds by chance.
fn random_key() -> Result<String, Stop> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Stop::failure(format!("the system gives no random numbers: {error}")))?;
    Ok(format!("demo-{}", hex::encode(bytes)))
}
