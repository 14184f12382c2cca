//! `mce sandbox build`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use super::super::output::{self, Steps, printable};
use super::super::startup::{Startup, interrupted, on_threads};
use super::super::stop::{OrStop, Stop};
use super::Outcome;
use super::packages;
use crate::config::Settings;
use crate::sandbox::docker::image::{self, Builder, Built, Progress, Request};

const EXAMPLES: &str = "\
Examples:
  mce sandbox build
  mce sandbox build --base registry.example/python:3.13-slim
  MCE_SANDBOX_PACKAGES='tabulate==0.9.0' mce sandbox build
  mce sandbox build --wheels wheels      Packages from a folder, where no index answers";

/// Arguments of `mce sandbox build`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// What the image is built on; the engine fetches it, or takes the one it has where no
    /// registry answers
    #[arg(long, value_name = "IMAGE", default_value = image::DEFAULT_BASE)]
    base: String,
    /// Take added packages from the wheels in this folder, and fetch nothing
    #[arg(long, value_name = "DIR")]
    wheels: Option<PathBuf>,
    /// Write the lock file of added packages anew
    #[arg(long)]
    update_lock: bool,
    /// Network of what fetches packages during the build, such as `host`
    #[arg(long, value_name = "NAME")]
    network: Option<String>,
}

pub(super) fn run(arguments: &Arguments, startup: &Startup) -> Outcome {
    let settings = &startup.settings;
    let request = Request {
        base: arguments.base.clone(),
        network: arguments.network.clone(),
        wheels: arguments.wheels.clone(),
        update_lock: arguments.update_lock,
    };
    let built = on_threads(async {
        let steps = Steps::begin(&format!("building {}", settings.docker_image));
        let builder = Builder::connect(settings, &startup.state_folder())
            .await
            .or_stop();
        let built = match builder {
            Err(stop) => Err(stop),
            Ok(builder) => {
                let mut report = |progress: Progress<'_>| match progress {
                    Progress::Step(text) => steps.step(text),
                    Progress::Detail(text) => {
                        tracing::debug!("{text}");
                        steps.detail(text);
                    }
                };
                let built = tokio::select! {
                    built = builder.build(&request, &mut report) => built.or_stop(),
                    () = interrupted() => Err(Stop::Interrupted),
                };
                // What failed matters more than what is left of it.
                if let Err(error) = builder.clean().await {
                    tracing::warn!(%error, "removing what the build left failed");
                }
                built
            }
        };
        steps.end();
        built
    })?;
    for warning in &built.warnings {
        tracing::warn!("{}", printable(warning));
    }
    output::line(printable(describe(&built, settings).trim_end()))?;
    packages::tell_unguarded(settings, &built.packages)?;
    Ok(ExitCode::SUCCESS)
}

fn describe(built: &Built, settings: &Settings) -> String {
    let base = &built.base;
    let mut text = format!(
        "{} {}\nbase      {}\n",
        built.image, built.image_id, base.pinned
    );
    if let Some(note) = &base.note {
        let _ = writeln!(text, "          {note}");
    }
    let _ = writeln!(text, "python    {}", built.python);
    text.push_str(&packages::lines(&built.packages));
    if !settings.sandbox_packages.is_empty() {
        let written = if built.lock_written {
            " (written; commit it)"
        } else {
            ""
        };
        let path = settings.sandbox_lock.display();
        let _ = writeln!(text, "lock      {path}{written}");
    }
    text
}
