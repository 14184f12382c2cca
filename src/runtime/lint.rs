//! The lint gate (`MCE_LINT_ENABLED`): mistakes that `ruff` sees in code which the guard let
//! through, told before a sandbox is taken.
//!
//! - `rules`: which findings refuse code; the rest of what ruff knows is a matter of taste.
//! - `process`: one run of the program, within its bounds.
//! - `findings`: what it wrote, as findings and as the text of a result.
//!
//! This is a help to whoever writes the code and no layer of security: code is never refused for
//! what goes wrong with ruff itself, and `# noqa` comments count.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::{OnceCell, Semaphore};

use super::Runtime;
use super::audit::Subject;
use super::result::{ErrorType, Refusal};
use crate::config::Environment;
use crate::invisible::visible;

mod findings;
mod process;
mod rules;
#[cfg(test)]
mod tests;

use findings::Finding;
use process::{Failure, run};

pub use rules::{LINT_RULES, LintRule};

/// The program.
const RUFF: &str = "ruff";

/// How long ruff has, the wait for a place included. It takes some ten milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);

/// How many ruffs run at once.
const PLACES: usize = 4;

/// Under this name warnings are shown also where those of servers are left to the answer.
const LOG: &str = "mce::lint";

/// The ruff of this process.
pub(super) struct Linter {
    program: Option<PathBuf>,
    works: OnceCell<bool>,
    patience: Duration,
    places: Semaphore,
}

impl Linter {
    /// Looks for ruff on `PATH`.
    pub(super) fn new(environment: &Environment) -> Self {
        Self {
            program: environment.program(RUFF),
            works: OnceCell::new(),
            patience: PATIENCE,
            places: Semaphore::new(PLACES),
        }
    }

    /// The program, where there is one that works. Asked once; what is wrong with it is said then.
    pub(super) async fn program(&self) -> Option<&Path> {
        let works = self.works.get_or_init(|| async {
            let Some(program) = &self.program else {
                tracing::warn!(
                    target: LOG,
                    "code is not linted: there is no `ruff` in an absolute folder of `PATH` \
                     (`MCE_LINT_ENABLED`)"
                );
                return false;
            };
            let version = self.run(program, &["--version"], "").await;
            if let Err(failure) = &version {
                let program = program.display();
                let cause = visible(&failure.to_string());
                tracing::warn!(target: LOG, %program, %cause, "code is not linted: ruff does not work");
            }
            version.is_ok()
        });
        works.await.then_some(self.program.as_deref()).flatten()
    }

    /// What is wrong with code, in the order of the text; nothing where there is no ruff.
    async fn findings(&self, code: &str) -> Result<Vec<Finding>, Failure> {
        let Some(program) = self.program().await else {
            return Ok(Vec::new());
        };
        let select = format!("--select={}", rules::codes());
        let arguments = [
            "check",
            // Neither the working directory nor the home decides about code, nor is written to.
            "--isolated",
            "--no-cache",
            "--no-fix",
            "--quiet",
            "--target-version=py313",
            "--output-format=json",
            &select,
            // `run_cached_code` defines it where code reads it.
            "--config=builtins=['_params']",
            "--stdin-filename=code.py",
            "-",
        ];
        let written = self.run(program, &arguments, code).await?;
        findings::read(&written, code)
    }

    /// One run, when there is a place for it.
    async fn run(
        &self,
        program: &Path,
        arguments: &[&str],
        input: &str,
    ) -> Result<Vec<u8>, Failure> {
        let running = async {
            // Nobody closes it.
            let _place = self.places.acquire().await;
            run(program, arguments, input).await
        };
        tokio::time::timeout(self.patience, running)
            .await
            .unwrap_or(Err(Failure::Time(self.patience)))
    }
}

impl Runtime {
    /// Refuses code in which ruff finds a mistake, given `earlier` code of its session.
    pub(super) async fn lint(
        &self,
        subject: &Subject,
        code: &str,
        earlier: &str,
    ) -> Result<(), Refusal> {
        let Some(linter) = &self.linter else {
            return Ok(());
        };
        let code = format!("{earlier}{code}");
        let mut found = linter.findings(&code).await.unwrap_or_else(|failure| {
            // Ruff may have repeated the code.
            let cause = visible(&self.egress.redact(&failure.to_string()));
            tracing::warn!(target: LOG, %cause, "code was not linted: ruff failed");
            Vec::new()
        });
        let before = earlier.matches('\n').count();
        found.retain(|finding| finding.line > before);
        for finding in &mut found {
            finding.line -= before;
        }
        let Some(first) = found.first() else {
            return Ok(());
        };
        let broken = found.iter().take(findings::LISTED);
        self.audit.lint_refusal(
            subject,
            broken.map(|it| (it.rule.to_owned(), it.line)).collect(),
        );
        let shown = |text: &str| visible(&self.egress.redact(text));
        let hint = format!(
            "correct what `lint_output` lists; a line that is right as it is may end with `# noqa: {}`",
            first.rule
        );
        Err(Refusal {
            lint_output: Some(findings::listed(&found, shown)),
            ..Refusal::new(ErrorType::Lint, findings::summary(&found, shown)).hint(hint)
        })
    }
}
