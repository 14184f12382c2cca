//! `mce doctor`: whether everything is in order, and what to do where it is not. Every check stands
//! alone: what is missing is what is looked for. Nothing of the project is written.

mod compiled;
mod databases;
mod engine;
mod project;

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use serde::Serialize;

use super::output::{self, counted, printable};
use super::startup::{Startup, block_on};
use super::stop::Stop;
use super::{ConfigFile, Global, Outcome, Shown};
use crate::config::{self, Environment, HttpSettings, Settings, is_loopback};
use crate::runtime::guard_of;

const EXAMPLES: &str = "\
Looks at settings, config, compiled output, where calls go, credentials, databases, ruff, the engine,
the image, and the isolation of a container that it starts for this. Changes nothing of the project,
and shows no secret. With an engine it does as a server does that starts: it makes the state folder
(`mce` below $XDG_STATE_HOME or ~/.local/state) with a lock in it, removes what servers that are dead
have left on the engine, and makes a container, which it removes. `--no-engine` makes and removes
nothing.

Exit codes: 0 nothing is wrong, 1 something is.

Examples:
  mce doctor
  mce doctor --fetch                     Fetch documents, tokens and log in as well
  mce doctor --json | jq '.findings[] | select(.state == \"problem\")'";

/// How long the checks of one subject may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Arguments of `mce doctor`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    config: ConfigFile,

    /// Fetch documents that have a URL, and credentials of token and log-in endpoints
    #[arg(long)]
    fetch: bool,

    /// Start no container
    #[arg(long)]
    no_engine: bool,

    #[command(flatten)]
    shown: Shown,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Ok,
    /// It works, but not as one might think.
    Warning,
    /// Something will not work.
    Problem,
    /// It was not looked at.
    Skipped,
}

/// What a check found.
#[derive(Debug, Serialize)]
struct Finding {
    /// What was looked at.
    check: &'static str,
    state: State,
    /// What is there.
    found: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

#[derive(Serialize)]
struct Summary<'a> {
    /// Whether nothing is wrong.
    ok: bool,
    findings: &'a [Finding],
}

impl Finding {
    fn new(check: &'static str, state: State, found: impl Into<String>) -> Self {
        Self {
            check,
            state,
            found: found.into(),
            advice: None,
        }
    }

    fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, State::Ok, found)
    }

    fn warning(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, State::Warning, found)
    }

    fn problem(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, State::Problem, found)
    }

    fn skipped(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, State::Skipped, found)
    }

    fn advice(self, text: impl Into<String>) -> Self {
        Self {
            advice: Some(text.into()),
            ..self
        }
    }

    /// What a message says is wrong, and where it goes on to say what to do, that.
    fn of_message(check: &'static str, message: &str, otherwise: &str) -> Self {
        if let Some((found, advice)) = message.split_once("\n  hint: ") {
            return Self::problem(check, found).advice(advice);
        }
        match message.rsplit_once("; ") {
            Some((found, advice)) => Self::problem(check, found).advice(advice),
            None => Self::problem(check, message).advice(otherwise),
        }
    }

    /// The same of what works, but not as one might think.
    fn warning_of(check: &'static str, message: &str, otherwise: &str) -> Self {
        Self {
            state: State::Warning,
            ..Self::of_message(check, message, otherwise)
        }
    }

    /// That a check took longer than anybody waits for it.
    fn late(check: &'static str) -> Self {
        let seconds = PATIENCE.as_secs();
        Self::warning(check, format!("not known within {seconds} seconds"))
            .advice("`mce compile --check` takes the time it needs")
    }

    fn of_stop(check: &'static str, stop: Stop, otherwise: &str) -> Self {
        let (message, hint) = stop.parts();
        Self::problem(check, message).advice(hint.unwrap_or_else(|| otherwise.to_owned()))
    }
}

pub(super) fn run(arguments: &Arguments, global: &Global) -> Outcome {
    let spinner = output::spinner("looking");
    let findings = findings(arguments, global)?;
    spinner.finish_and_clear();
    let ok = !findings.iter().any(|it| it.state == State::Problem);
    if arguments.shown.is_json() {
        output::json(&Summary {
            ok,
            findings: &findings,
        })?;
    } else {
        output::line(printable(text(&findings).trim_end()))?;
    }
    Ok(if ok {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn findings(arguments: &Arguments, global: &Global) -> Result<Vec<Finding>, Stop> {
    // What goes wrong is told here; the log would say it twice.
    let startup = match Startup::quiet(global) {
        Ok(startup) => startup,
        Err(stop) => {
            let skipped = "everything else, which the settings say how to look at";
            return Ok(vec![
                Finding::of_stop("settings", stop, "`mce settings` lists what they may be"),
                Finding::skipped("the rest", skipped),
            ]);
        }
    };
    let mut findings = settings(&startup.settings, &startup.environment);
    let opened = config::open(
        Environment::from_process(),
        arguments.config.path(),
        global.env_file.as_deref(),
    );
    let settings = match &opened {
        Ok(opened) => &opened.settings,
        Err(_) => &startup.settings,
    };
    findings.extend(databases::look(settings));
    block_on(async {
        match &opened {
            Ok(opened) => {
                findings.extend(project::look(opened, arguments).await);
            }
            Err(error) => {
                let otherwise = "docs/configuration.md says how it is written";
                findings.push(Finding::problem("config", error.to_string()).advice(otherwise));
            }
        }
        if arguments.no_engine {
            findings.push(Finding::skipped("engine", "as `--no-engine` asks"));
        } else {
            findings.extend(engine::look(settings, &startup.state_folder()).await);
        }
        Ok(())
    })?;
    Ok(findings)
}

/// The settings that are files or programs of their own.
fn settings(settings: &Settings, environment: &Environment) -> Vec<Finding> {
    let mut findings = vec![Finding::ok("settings", "every value is valid")];
    findings.push(match (&settings.guard_policy, guard_of(settings)) {
        (None, _) => Finding::ok("guard", "the built-in policy"),
        (Some(file), Ok(_)) => Finding::ok("guard", format!("the policy of `{}`", file.display())),
        (Some(_), Err(error)) => Finding::problem("guard", error.to_string()).advice(
            "docs/guard-rules.md says how a policy is written; unset `MCE_GUARD_POLICY` for the \
             built-in one",
        ),
    });
    findings.push(http(&settings.http));
    let ruff = environment.program("ruff");
    findings.push(match (settings.lint_enabled, ruff) {
        (false, _) => Finding::ok("ruff", "not asked for (`MCE_LINT_ENABLED`)"),
        (true, Some(path)) => Finding::ok("ruff", path.display().to_string()),
        (true, None) => Finding::problem(
            "ruff",
            "`MCE_LINT_ENABLED` is set, and `PATH` has no `ruff`: code runs without being linted",
        )
        .advice("install ruff (`pip install ruff`) where `PATH` finds it, or unset the setting"),
    });
    findings
}

/// Whether clients could come over HTTP, if it is served.
fn http(settings: &HttpSettings) -> Finding {
    let check = "http";
    let named = match settings.named_tokens() {
        Ok(named) => named.len(),
        Err(error) => {
            let otherwise = "`mce token new NAME` prints an entry of that file";
            return Finding::of_message(check, &error.to_string(), otherwise);
        }
    };
    let address = SocketAddr::new(settings.host, settings.port);
    let tokens = named + usize::from(settings.token.is_some());
    match (is_loopback(settings.host), tokens) {
        (false, 0) => Finding::problem(
            check,
            format!(
                "`MCE_HOST` is {}, which other machines reach, and no token is set",
                settings.host
            ),
        )
        .advice(
            "set `MCE_HTTP_TOKEN` or `MCE_HTTP_TOKENS_FILE` (`mce token new` makes a token), or \
             unset `MCE_HOST`",
        ),
        (true, 0) => Finding::ok(
            check,
            format!("{address}, for this machine, without a token"),
        ),
        (_, tokens) => Finding::ok(
            check,
            format!("{address}, with {}", counted(tokens, "token")),
        ),
    }
}

fn text(findings: &[Finding]) -> String {
    let width = findings.iter().map(|it| it.check.len()).max().unwrap_or(0);
    let mut text = String::new();
    for Finding {
        check,
        state,
        found,
        advice,
    } in findings
    {
        let mark = match state {
            State::Ok => "ok     ",
            State::Warning => "warning",
            State::Problem => "PROBLEM",
            State::Skipped => "skipped",
        };
        let indent = " ".repeat(mark.len() + width + 4);
        let found = found.trim_end().replace('\n', &format!("\n{indent}"));
        let _ = writeln!(text, "{mark}  {check:<width$}  {found}");
        if let Some(advice) = advice {
            let advice = advice.trim_end().replace('\n', &format!("\n{indent}   "));
            let _ = writeln!(text, "{indent}-> {advice}");
        }
    }
    let count = |state| findings.iter().filter(|it| it.state == state).count();
    let _ = match (count(State::Problem), count(State::Warning)) {
        (0, 0) => writeln!(text, "\nnothing is wrong"),
        (problems, warnings) => writeln!(
            text,
            "\n{}, {}",
            counted(problems, "problem"),
            counted(warnings, "warning")
        ),
    };
    text
}
