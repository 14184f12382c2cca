//! The engine, its image, and the isolation of a container.

use std::path::Path;
use std::time::Duration;

use tokio::time::timeout;

use super::{Finding, PATIENCE, State};
use crate::config::{SandboxChoice, Settings};
use crate::sandbox::docker::{self, DockerSandbox, Engine, EngineFacts, Status};

/// How long an engine that answers may take to describe itself.
const SHORT: Duration = Duration::from_secs(15);

/// What to do where workers are not confined.
const NO_WORKERS: &str = "use a container engine: docs/engines.md";

/// What to do where the engine itself gives no advice.
const LOOK: &str = "see the engine's own log, and docs/engines.md";

pub(super) async fn look(settings: &Settings, state_folder: &Path) -> Vec<Finding> {
    match settings.sandbox {
        SandboxChoice::Embedded => vec![workers(settings).await],
        SandboxChoice::Docker => containers(settings, state_folder).await,
        SandboxChoice::Auto => {
            let mut findings = containers(settings, state_folder).await;
            let lacks = |it: &&mut Finding| {
                it.state == State::Problem && matches!(it.check, "engine" | "image")
            };
            let Some(lacking) = findings.iter_mut().find(lacks) else {
                return findings;
            };
            let workers = workers(settings).await;
            if workers.state == State::Ok {
                // Code runs, if not in containers.
                lacking.state = State::Warning;
                findings.retain(|it| it.state != State::Skipped);
                findings.push(workers);
            }
            findings
        }
    }
}

/// Whether worker processes of this program are confined.
#[cfg(feature = "embedded")]
async fn workers(settings: &Settings) -> Finding {
    use crate::cli::opened::this_program;
    use crate::sandbox::embedded::EmbeddedSandbox;
    let program = match this_program() {
        Ok(program) => program,
        Err(error) => {
            return Finding::problem("isolation", format!("no workers: {error}"))
                .advice(NO_WORKERS);
        }
    };
    let proven = async {
        let sandbox = EmbeddedSandbox::new(settings, &program)?;
        let proven = sandbox.prove().await;
        sandbox.shutdown().await;
        proven
    };
    match timeout(PATIENCE, proven).await {
        Ok(Ok(())) => Finding::ok(
            "isolation",
            "code runs in confined worker processes of mce (embedded), which know a part of Python",
        ),
        Ok(Err(error)) => Finding::of_message("isolation", &error.to_string(), NO_WORKERS),
        Err(_) => Finding::late("isolation"),
    }
}

#[cfg(not(feature = "embedded"))]
#[expect(
    clippy::unused_async,
    reason = "of the same form as where there are workers"
)]
async fn workers(_: &Settings) -> Finding {
    Finding::problem("isolation", "this build of mce has no embedded sandbox").advice(NO_WORKERS)
}

async fn containers(settings: &Settings, state_folder: &Path) -> Vec<Finding> {
    let engine = match timeout(PATIENCE, Engine::connect(settings)).await {
        Ok(Ok(engine)) => engine,
        Ok(Err(error)) => return without(&["image", "isolation"], failed("engine", &error)),
        Err(_) => return without(&["image", "isolation"], late("engine", PATIENCE)),
    };
    let mut findings = match timeout(SHORT, engine.facts()).await {
        Ok(Ok(facts)) => of_engine(&facts),
        Ok(Err(error)) => return without(&["image", "isolation"], failed("engine", &error)),
        Err(_) => return without(&["image", "isolation"], late("engine", SHORT)),
    };
    let image = &settings.docker_image;
    let id = match timeout(SHORT, engine.image_id(image)).await {
        Ok(Ok(id)) => id,
        Ok(Err(error)) => {
            findings.extend(without(&["isolation"], failed("image", &error)));
            return findings;
        }
        Err(_) => {
            findings.extend(without(&["isolation"], late("image", SHORT)));
            return findings;
        }
    };
    findings.push(Finding::ok("image", format!("{image} {id}")));
    match timeout(PATIENCE, status(settings, state_folder)).await {
        Ok(Ok(status)) => findings.extend(of_container(&status)),
        Ok(Err(error)) => findings.push(failed("isolation", &error)),
        Err(_) => findings.push(late("isolation", PATIENCE)),
    }
    findings
}

async fn status(settings: &Settings, state_folder: &Path) -> Result<Status, docker::Error> {
    let sandbox = DockerSandbox::connect(settings, state_folder).await?;
    let status = sandbox.status().await;
    let closed = sandbox.shutdown().await;
    let status = status?;
    closed?;
    Ok(status)
}

fn failed(check: &'static str, error: &docker::Error) -> Finding {
    Finding::of_message(check, &error.to_string(), LOOK)
}

fn late(check: &'static str, patience: Duration) -> Finding {
    let seconds = patience.as_secs();
    Finding::problem(
        check,
        format!("the engine did not answer within {seconds} seconds"),
    )
    .advice("see whether it hangs: `docker info`; restart it, or set `MCE_DOCKER_HOST`")
}

/// A finding that leaves others open.
fn without(checks: &[&'static str], finding: Finding) -> Vec<Finding> {
    let because = finding.check;
    let rest = checks
        .iter()
        .map(|check| Finding::skipped(check, format!("not known without the {because}")));
    std::iter::once(finding).chain(rest).collect()
}

fn of_engine(facts: &EngineFacts) -> Vec<Finding> {
    let rights = if facts.rootless {
        "rootless"
    } else {
        "with root's rights"
    };
    let engine = format!(
        "{} {} (API {}), {rights}, at {} by {}",
        facts.name, facts.version, facts.api_version, facts.address, facts.found_by
    );
    let mut findings = vec![Finding::ok("engine", engine)];
    for warning in &facts.warnings {
        findings.push(
            Finding::warning("engine", format!("it warns: {warning}")).advice("docs/engines.md"),
        );
    }
    findings
}

fn of_container(status: &Status) -> Vec<Finding> {
    let proof = &status.proof;
    let failures = proof.failures();
    let mut findings = Vec::new();
    if failures.is_empty() {
        let checks = proof.findings.len();
        findings.push(Finding::ok(
            "isolation",
            format!(
                "{checks} checks of a container passed (Python {})",
                proof.python
            ),
        ));
    }
    for failure in failures {
        let found = format!(
            "{}: {} (must be {})",
            failure.check, failure.found, failure.expected
        );
        findings.push(Finding::problem("isolation", found).advice(
            "docs/engines.md says what an engine has to be able to; no code runs until it is so",
        ));
    }
    for weak in proof.weak_limits() {
        findings.push(
            Finding::warning(
                "isolation",
                format!("{} is not in force: {}", weak.check, weak.found),
            )
            .advice("unset `MCE_ALLOW_WEAK_LIMITS` once the engine can enforce it"),
        );
    }
    findings
}
