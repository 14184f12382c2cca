//! What code has to pass before a sandbox gets it: size, guard, lint.
//!
//! A [`Job`] is made here and nowhere else, out of an [`Admitted`], which only [`Runtime::admit`]
//! makes: a way to run code that forgets the guard does not compile.

use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::Runtime;
use super::audit::Subject;
use super::discovery::left_out;
use super::execution::HINT;
use super::registry::Refused;
use super::result::{ErrorType, Refusal};
use super::sessions::Earlier;
use crate::guard::{Awaited, Awaiting, Facts, Report, Violation};
use crate::sandbox::{Job, Module};

/// The most code that a session may run in all: the guard looks at all of it each time.
const MAX_SESSION_CODE: usize = 512 * 1024;

/// What the guard said about code, and which of the servers it mentions are refused.
pub(super) struct Inspection {
    pub(super) report: Report,
    refused: Vec<Refused>,
}

/// Code that may run, and what it does.
pub(super) struct Admitted<'a> {
    code: &'a str,
    facts: Facts,
}

/// What a job has beside its code.
pub(super) struct Limits {
    pub(super) execution_id: String,
    pub(super) modules: Vec<Module>,
    pub(super) timeout: Duration,
    pub(super) max_output_bytes: usize,
}

impl Admitted<'_> {
    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The job that runs the code.
    pub(super) fn job(&self, limits: Limits) -> Job {
        let Limits {
            execution_id,
            modules,
            timeout,
            max_output_bytes,
        } = limits;
        Job {
            execution_id,
            code: self.code.to_owned(),
            modules,
            timeout,
            max_output_bytes,
        }
    }
}

impl Runtime {
    /// The only place where code meets the guard: everything that runs went through here.
    pub(super) async fn inspect(&self, code: &str) -> Inspection {
        self.inspect_pieces(code, &[]).await
    }

    /// The same of code in pieces, of which none may count on what those before it did.
    async fn inspect_pieces(&self, code: &str, starts: &[usize]) -> Inspection {
        let (names, refused) = self.registry.names_for(code).await;
        Inspection {
            report: self.guard.check_pieces(code, starts, &names),
            refused,
        }
    }

    /// Lets code pass that may run, after `earlier` code of its session.
    pub(super) async fn admit<'a>(
        &self,
        subject: &Subject,
        code: &'a str,
        earlier: &Earlier,
    ) -> Result<Admitted<'a>, Refusal> {
        self.check_size(code)?;
        let inspection = if earlier.starts.is_empty() {
            self.inspect(code).await
        } else {
            self.inspect_after(earlier, code).await?
        };
        let facts = self.judge(subject, code, inspection)?;
        self.lint(subject, code, &earlier.code).await?;
        Ok(Admitted { code, facts })
    }

    /// Judges code as the end of all that ran in its session: what names stand for may be said there.
    async fn inspect_after(&self, earlier: &Earlier, code: &str) -> Result<Inspection, Refusal> {
        if earlier.code.len() + code.len() > MAX_SESSION_CODE {
            let message =
                format!("the code of the session has more than {MAX_SESSION_CODE} bytes in all");
            return Err(Refusal::new(ErrorType::Size, message).hint("open a new session"));
        }
        let alone = self.inspect(code).await.report;
        let mut all = Earlier {
            code: earlier.code.clone(),
            starts: earlier.starts.clone(),
        };
        all.add(code);
        let whole = self.inspect_pieces(&all.code, &all.starts).await;
        // The guard takes no other end of a line.
        let lines = earlier.code.matches('\n').count();
        let violations = whole.report.violations.into_iter();
        let violations = violations
            .map(|violation| since(lines, violation))
            .collect();
        let start = all.starts.last().copied().unwrap_or_default();
        let awaited = whole.report.facts.awaited.and_then(|awaited| {
            let offset = awaited.offset.checked_sub(start)?;
            Some(Awaited { offset, ..awaited })
        });
        let facts = Facts {
            servers: whole.report.facts.servers,
            reachable: whole.report.facts.reachable,
            awaited,
            ..alone.facts
        };
        Ok(Inspection {
            report: Report { violations, facts },
            refused: whole.refused,
        })
    }

    fn check_size(&self, code: &str) -> Result<(), Refusal> {
        if code.trim().is_empty() {
            return Err(Refusal::new(ErrorType::Validation, "`code` is empty"));
        }
        let limit = self.settings.max_code_bytes;
        if code.len() > limit {
            let message = format!("the code has {} bytes, the limit is {limit}", code.len());
            return Err(Refusal::new(ErrorType::Size, message)
                .hint("fetch data by calling functions instead of writing it into the code"));
        }
        Ok(())
    }

    /// Turns the guard's report into the facts to go on with, or into a refusal.
    fn judge(
        &self,
        subject: &Subject,
        code: &str,
        inspection: Inspection,
    ) -> Result<Facts, Refusal> {
        let Inspection { report, refused } = inspection;
        let code_sha256 = hex::encode(Sha256::digest(code.as_bytes()));
        let broken = report.violations.iter();
        let broken = broken.map(|violation| (violation.rule.clone(), violation.line));
        self.audit.verdict(subject, code_sha256, broken.collect());

        let imported = |refused: &&Refused| report.facts.servers.contains(&refused.server);
        if let Some(refused) = refused.iter().find(imported) {
            self.audit
                .load_refusal(subject, &refused.server, refused.for_operator());
            return Err(self.refused_server(refused));
        }
        if !report.violations.is_empty() && !self.switches.no_guard {
            let has_unknown = report
                .violations
                .iter()
                .any(|it| it.rule == UNKNOWN_FUNCTION);
            let mut refusal = refuse(report.violations);
            if has_unknown {
                let targets = self.registry.targets();
                let imported = report.facts.servers.iter();
                let mut imported = imported.filter_map(|server| targets.get(server));
                refusal.hint = match (refusal.hint, imported.find_map(|it| left_out(&it.manifest)))
                {
                    (Some(hint), Some(left_out)) => Some(format!("{hint}; {left_out}")),
                    (hint, left_out) => hint.or(left_out),
                };
            }
            return Err(refusal);
        }
        match &report.facts.awaited {
            Some(awaited) if !self.switches.no_guard => Err(refuse_awaited(code, awaited)),
            _ => Ok(report.facts),
        }
    }
}

impl Runtime {
    /// That a server is refused, as it may be told here.
    pub(super) fn refused_server(&self, refused: &Refused) -> Refusal {
        let reason = self.registry.told(refused);
        let message = format!("server `{}` is refused: {reason}", refused.server);
        match message.split_once(HINT) {
            Some((message, hint)) => Refusal::new(ErrorType::Security, message).hint(hint),
            None => Refusal::new(ErrorType::Security, message),
        }
    }
}

/// Nothing was called yet: had the code run, the call would have been made, and failed after that.
fn refuse_awaited(code: &str, awaited: &Awaited) -> Refusal {
    let before = code.get(..awaited.offset).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let name = &awaited.function;
    let (message, hint) = match awaited.awaiting {
        Awaiting::Value => (
            format!("line {line}: `{name}(...)` gives its value at once and cannot be awaited"),
            format!("leave out `await`, or await `{name}.aio(...)`; nothing was called"),
        ),
        Awaiting::Pages(paging) => (
            format!("line {line}: `{name}.{paging}(...)` is for `for`, not for `async for`"),
            format!(
                "leave out `async`, or loop over `{name}.{paging}.aio(...)`; nothing was called"
            ),
        ),
    };
    Refusal::new(ErrorType::Validation, message).hint(hint)
}

/// The rule that a function breaks which is not compiled.
const UNKNOWN_FUNCTION: &str = "unknown-function";

/// A violation in the code of a session, told with the lines of what was sent last.
fn since(lines: usize, violation: Violation) -> Violation {
    if violation.line > lines {
        return Violation {
            line: violation.line - lines,
            ..violation
        };
    }
    let message = format!(
        "with this code, earlier code of the session breaks a rule: {}",
        violation.message
    );
    Violation {
        line: 1,
        column: 1,
        message,
        ..violation
    }
}

fn refuse(violations: Vec<Violation>) -> Refusal {
    // Behind the most that is listed stands how many more there are.
    let more = violations.last().is_some_and(|last| last.rule == "more");
    let message = match (violations.first(), violations.len()) {
        (Some(first), 1) => format!("line {}: {}", first.line, first.message),
        (Some(first), count) => {
            let count = if more {
                format!("more than {}", count - 1)
            } else {
                count.to_string()
            };
            format!(
                "line {}: {} ({count} violations in all)",
                first.line, first.message
            )
        }
        (None, _) => "the guard refused the code".to_owned(),
    };
    Refusal {
        hint: violations
            .iter()
            .find_map(|violation| violation.hint.clone()),
        violations,
        ..Refusal::new(ErrorType::Security, message)
    }
}
