//! One execution: size → guard → lint → sandbox → redaction → caps → cache → audit.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tracing::Instrument as _;

use super::Runtime;
use super::admission::{Limits, refused_server};
use super::audit::{Audit, Origin, Subject};
use super::cache::Fingerprints;
use super::discovery::nearest;
use super::identifier;
use super::result::{ErrorType, ExecutionResult, PlannedUse, Refusal, milliseconds, summarise};
use super::sessions::{Earlier, Held, Lease};
use super::spans;
use crate::broker::Scope;
use crate::guard::Facts;
use crate::python::RUNTIME_SOURCE;
use crate::sandbox::{Call, CallError, Host, Job, Module, Outcome, Sandbox};
use crate::wire::Arguments;

/// A sandbox that neither answers nor gives up this long after its time limit is given up on.
const SANDBOX_GRACE: Duration = Duration::from_mins(1);

/// Sets advice apart in messages that are one text.
pub(super) const HINT: &str = "\n  hint: ";

/// The module that all compiled modules import: always this build's own copy, never the one on disk.
#[must_use]
pub fn runtime_module() -> Module {
    Module {
        name: "mce_runtime".to_owned(),
        source: RUNTIME_SOURCE.to_owned(),
    }
}

/// Code to run.
#[derive(Debug, Clone, Default)]
pub struct ExecuteRequest {
    /// The Python code.
    pub code: String,
    /// What it does, in words; kept with the code in the cache.
    pub description: String,
    /// Who asks.
    pub principal: String,
    /// Time limit; the setting's where absent, its ceiling where higher.
    pub timeout: Option<Duration>,
    /// Whether to stop after guard and lint, and tell what the code would use.
    pub dry_run: bool,
    /// The session to run in, if any.
    pub session: Option<SessionChoice>,
}

/// The session that code is to run in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionChoice {
    /// A new one, whose id the result has.
    New,
    /// The one of this id.
    Existing(String),
}

/// Code of the cache to run again.
#[derive(Debug, Clone, Default)]
pub struct CachedRequest {
    /// The id that a result gave.
    pub cache_id: String,
    /// Other values for the code's top-level names.
    pub params: Map<String, Value>,
    /// Who asks.
    pub principal: String,
    /// As in [`ExecuteRequest`].
    pub timeout: Option<Duration>,
    /// As in [`ExecuteRequest`].
    pub session: Option<SessionChoice>,
}

/// One compiled function to call, without code and sandbox.
#[derive(Debug, Clone, Default)]
pub struct CallRequest {
    /// The server.
    pub server: String,
    /// The function.
    pub function: String,
    /// Its arguments by Python name.
    pub arguments: Arguments,
    /// Which of the declared media types the body is sent as; the first where this is absent.
    pub content_type: Option<String>,
    /// Who asks.
    pub principal: String,
}

/// What the pipeline runs.
pub(super) struct Work<'a> {
    pub(super) code: &'a str,
    pub(super) timeout: Option<Duration>,
    pub(super) dry_run: bool,
    pub(super) session: Option<&'a SessionChoice>,
    pub(super) keep: Keep<'a>,
}

/// What becomes of code that ran well.
pub(super) enum Keep<'a> {
    /// It is stored under this description.
    Store(&'a str),
    /// It is in the cache already, under this id.
    Stored(String),
}

/// An execution in the audit. Dropped before its end, it was cancelled.
struct Running<'a> {
    audit: &'a Audit,
    subject: Subject,
    started: Instant,
    ended: bool,
    /// Carries the execution's id to every line of the log within it.
    span: tracing::Span,
}

impl<'a> Running<'a> {
    fn begin(audit: &'a Audit, principal: &str, origin: Origin) -> Result<Self, Refusal> {
        let subject = Subject {
            execution_id: identifier::random().map_err(|error| Refusal::internal(&error))?,
            principal: principal.to_owned(),
        };
        audit.begin(&subject, origin);
        let span = spans::execution(&subject, origin);
        Ok(Self {
            span,
            audit,
            subject,
            started: Instant::now(),
            ended: false,
        })
    }

    /// Completes the result with what only the audit knows.
    fn end(mut self, outcome: Result<ExecutionResult, Refusal>) -> ExecutionResult {
        let mut result = outcome.unwrap_or_else(ExecutionResult::from);
        self.ended = true;
        let id = &self.subject.execution_id;
        let calls = self
            .audit
            .end(&self.subject, result.error_type, self.started.elapsed());
        spans::ended(&self.span, result.error_type);
        result.calls = summarise(calls);
        result.execution_id.clone_from(id);
        result
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.ended {
            let failure = if std::thread::panicking() {
                ErrorType::Internal
            } else {
                ErrorType::Cancelled
            };
            spans::ended(&self.span, Some(failure));
            self.audit
                .end(&self.subject, Some(failure), self.started.elapsed());
        }
    }
}

impl From<Refusal> for ExecutionResult {
    fn from(refusal: Refusal) -> Self {
        Self {
            error: Some(refusal.message),
            error_type: Some(refusal.error_type),
            hint: refusal.hint,
            violations: refusal.violations,
            lint_output: refusal.lint_output,
            ..Self::default()
        }
    }
}

/// Runs a job in a session, opening its sandbox where it is the first.
async fn run_in_session(
    lease: &mut Lease,
    sandbox: &dyn Sandbox,
    job: Job,
    host: Arc<dyn Host>,
) -> Result<Outcome, Refusal> {
    let ended = lease.ended();
    let Held { session, earlier } = &mut *lease.held;
    let running = async {
        let session = match session {
            Some(session) => session,
            None => match sandbox.open().await {
                Ok(opened) => session.insert(opened),
                Err(failure) => {
                    return Err(Refusal {
                        hint: failure.hint,
                        ..Refusal::new(ErrorType::from(failure.kind), failure.message)
                    });
                }
            },
        };
        earlier.add(&job.code);
        Ok(session.run(job, host).await)
    };
    tokio::select! {
        biased;
        () = ended => Err(Refusal::new(ErrorType::Cancelled, "the session was ended")),
        outcome = running => outcome,
    }
}

impl Runtime {
    /// Ends a session of a principal, and what runs in it.
    ///
    /// # Errors
    /// The result to answer with, where the principal has no session of this id.
    pub fn end_session(&self, principal: &str, id: &str) -> Result<(), Box<ExecutionResult>> {
        let ended = self.sessions.end(principal, id);
        ended.map_err(|refusal| Box::new(refusal.into()))
    }

    /// Runs code. Dropping the future ends the execution.
    pub async fn execute(&self, request: ExecuteRequest) -> ExecutionResult {
        let origin = if request.dry_run {
            Origin::DryRun
        } else {
            Origin::Code
        };
        let running = match Running::begin(&self.audit, &request.principal, origin) {
            Ok(running) => running,
            Err(refusal) => return refusal.into(),
        };
        let work = Work {
            code: &request.code,
            timeout: request.timeout,
            dry_run: request.dry_run,
            session: request.session.as_ref(),
            keep: Keep::Store(&request.description),
        };
        let span = running.span.clone();
        let outcome = self.pipeline(&running.subject, work).instrument(span).await;
        running.end(outcome)
    }

    /// Runs code of the cache again, with other values for its top-level names.
    pub async fn run_cached(&self, request: CachedRequest) -> ExecutionResult {
        let running = match Running::begin(&self.audit, &request.principal, Origin::Cached) {
            Ok(running) => running,
            Err(refusal) => return refusal.into(),
        };
        let span = running.span.clone();
        let outcome = self
            .run_again(&running.subject, &request)
            .instrument(span)
            .await;
        running.end(outcome)
    }

    /// Whether the code, or code before it in its session, looks as if it sends plain requests.
    fn may_send_requests(&self, code: &str, earlier: &Earlier) -> bool {
        let mentions = |code: &str| code.contains("httpx");
        self.settings.allowed_domains.is_some() && (mentions(code) || mentions(&earlier.code))
    }

    /// Calls one compiled function through the broker.
    pub async fn call(&self, request: CallRequest) -> ExecutionResult {
        let running = match Running::begin(&self.audit, &request.principal, Origin::Call) {
            Ok(running) => running,
            Err(refusal) => return refusal.into(),
        };
        let span = running.span.clone();
        let outcome = self
            .call_one(&running.subject, request)
            .instrument(span)
            .await;
        running.end(outcome)
    }

    /// Size, guard, lint, sandbox, answer, cache.
    pub(super) async fn pipeline(
        &self,
        subject: &Subject,
        work: Work<'_>,
    ) -> Result<ExecutionResult, Refusal> {
        let code = work.code;
        let mut lease = match work.session {
            None => None,
            // Nothing is to run, and a session is there to run in.
            Some(SessionChoice::New) if work.dry_run => None,
            Some(SessionChoice::New) => Some(self.sessions.open(&subject.principal)?),
            Some(SessionChoice::Existing(id)) => {
                Some(self.sessions.resume(&subject.principal, id).await?)
            }
        };
        let none = Earlier::default();
        let earlier = lease.as_ref().map_or(&none, |lease| &lease.held.earlier);
        let is_first = earlier.starts.is_empty();
        let admitted = self.admit(subject, code, earlier).await?;
        let facts = admitted.facts();
        if work.dry_run {
            return Ok(ExecutionResult {
                success: true,
                facts: Some(PlannedUse::from(facts)),
                ..ExecutionResult::default()
            });
        }

        let sandbox = self.engine.sandbox().await.map_err(|finding| Refusal {
            hint: finding.hint,
            ..Refusal::new(ErrorType::Sandbox, finding.message)
        })?;
        let _place = self.queue.take(&subject.principal).await?;
        let (modules, fingerprints) = self.modules(facts).await;
        let timeout = work
            .timeout
            .unwrap_or(self.settings.execution_timeout)
            .min(self.settings.max_execution_timeout);
        let job = admitted.job(Limits {
            execution_id: subject.execution_id.clone(),
            modules,
            timeout,
            max_output_bytes: self.settings.max_output_bytes,
        });
        if self.switches.no_import_rule || self.may_send_requests(code, earlier) {
            // What was not imported can be called then, and only what was checked can be called. Refusals
            // of plain requests name the function to call, which only what was checked has.
            let all = self.registry.names().map(str::to_owned).collect();
            self.registry.servers(all).await;
        }
        let scope = Scope {
            execution_id: subject.execution_id.clone(),
            principal: subject.principal.clone(),
            servers: facts.servers.clone(),
        };
        let host = self.egress.host(&self.registry.targets(), scope).await;
        let running = async {
            match &mut lease {
                None => Ok(sandbox.run(job, host).await),
                Some(lease) => run_in_session(lease, &*sandbox, job, host).await,
            }
        };
        let outcome = tokio::time::timeout(timeout + SANDBOX_GRACE, running)
            .await
            .map_err(|_| {
                Refusal::new(
                    ErrorType::Sandbox,
                    "the sandbox did not answer, nor end at its time limit",
                )
                .hint("see `mce sandbox status`")
            })??;

        let mut result = self.answer(outcome);
        result.sandbox = Some(sandbox.name());
        if let Some(lease) = &lease {
            if lease.goes_on() {
                result.session_id = Some(lease.id.clone());
            } else {
                let lost = "the session ended with it: open a new one";
                result.hint = Some(match result.hint {
                    Some(hint) => format!("{hint}; {lost}"),
                    None => lost.to_owned(),
                });
            }
        }
        // Later code of a session does not run without what was before it.
        if result.success && is_first {
            result.cache_id = self.keep(subject, code, work.keep, fingerprints).await;
        }
        Ok(result)
    }

    /// The runtime module and of the servers the code imports what it can use, exactly as it was
    /// checked.
    async fn modules(&self, facts: &Facts) -> (Vec<Module>, Fingerprints) {
        let mut modules = vec![runtime_module()];
        let mut fingerprints = Fingerprints::new();
        let imported = facts.servers.iter().cloned().collect();
        for (name, served) in self.registry.servers(imported).await {
            let Ok(served) = served else { continue };
            // Code that the guard did not judge may name a function in ways it does not know.
            let source = if self.switches.no_guard {
                served.module.text().to_owned()
            } else {
                let reachable = facts.reachable.iter();
                let reachable = reachable.filter(|(server, _)| *server == name);
                served.module.slice(reachable.map(|(_, it)| it.as_str()))
            };
            modules.push(Module {
                name: format!("{name}.functions"),
                source,
            });
            fingerprints.insert(name, served.manifest().fingerprint.clone());
        }
        (modules, fingerprints)
    }

    async fn call_one(
        &self,
        subject: &Subject,
        request: CallRequest,
    ) -> Result<ExecutionResult, Refusal> {
        let CallRequest {
            server,
            function,
            arguments,
            content_type,
            ..
        } = request;
        let compiled = match self.registry.server(&server).await {
            Some(Ok(compiled)) => compiled,
            Some(Err(refused)) => {
                self.audit.load_refusal(subject, &server, &refused.reason);
                return Err(refused_server(&refused));
            }
            None => return Err(unknown_server(&server, self.registry.names())),
        };
        if compiled.manifest().function(&function).is_none() {
            let functions = compiled.manifest().functions.iter();
            let names = functions.map(|function| function.name.as_str());
            let mut refusal = unknown("function", &function, names);
            let skipped = compiled.manifest().skipped.iter();
            let left_out = skipped.filter(|it| it.reason == "read_only").count();
            if left_out > 0 {
                let note = format!(
                    "`{server}` is read-only: operations that may change something were left \
                     out ({left_out})"
                );
                refusal.hint = Some(match refusal.hint {
                    Some(hint) => format!("{hint} {note}"),
                    None => note,
                });
            }
            return Err(refusal);
        }
        let scope = Scope {
            execution_id: subject.execution_id.clone(),
            principal: subject.principal.clone(),
            servers: BTreeSet::from([server.clone()]),
        };
        let host = self.egress.host(&self.registry.targets(), scope).await;
        let started = Instant::now();
        let outcome = host
            .perform(Call {
                server,
                function,
                arguments,
                content_type,
            })
            .await;
        let mut result = ExecutionResult {
            execution_time_ms: Some(milliseconds(started.elapsed())),
            ..ExecutionResult::default()
        };
        match outcome {
            Ok(reply) => {
                let value = reply.value;
                result.success = true;
                result.data = Some(self.without_secrets(value.into_json()));
                match reply.stream.and_then(|stream| stream.cut) {
                    None => {}
                    // What arrived is shown, but nobody asked for less.
                    Some(limit @ CallError::Limit { .. }) => {
                        result.truncated = true;
                        result.hint = Some(self.egress.redact(&limit.to_string()));
                    }
                    Some(error) => {
                        result.success = false;
                        result.truncated = true;
                        result.error_type = Some(ErrorType::from(&error));
                        result.error = Some(self.egress.redact(&error.to_string()));
                    }
                }
            }
            Err(error) => {
                result.error_type = Some(ErrorType::from(&error));
                result.error = Some(self.egress.redact(&error.to_string()));
                part_hint(&mut result);
            }
        }
        // The whole of it, not a preview: it is read by programs as often as by people.
        self.limit(&mut result);
        if result.error_type == Some(ErrorType::OutputLimit) {
            result.hint = Some("ask for less, or raise `MCE_MAX_OUTPUT_SIZE_BYTES`".to_owned());
        }
        Ok(result)
    }
}

/// Moves the line of advice at the end of a refusal of the host to its own member.
pub(super) fn part_hint(result: &mut ExecutionResult) {
    if result.error_type != Some(ErrorType::Egress) || result.hint.is_some() {
        return;
    }
    let parted = result.error.as_deref().and_then(|it| it.split_once(HINT));
    if let Some((error, hint)) = parted {
        let (error, hint) = (error.to_owned(), hint.replace(HINT, "; "));
        result.error = Some(error);
        result.hint = Some(hint);
    }
}

/// As many names as a hint lists.
const LISTED_NAMES: usize = 20;

/// Where no name is near, those that there are.
fn unknown_server<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Refusal {
    let names: Vec<&str> = names.collect();
    let refusal = unknown("server", name, names.iter().copied());
    if refusal.hint.is_some() || names.is_empty() {
        return refusal;
    }
    let shown = names.get(..LISTED_NAMES).unwrap_or(&names).join("`, `");
    refusal.hint(format!("there are `{shown}`"))
}

fn unknown<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str>) -> Refusal {
    let shown: String = name.chars().take(100).collect();
    let near = nearest(name, names);
    let refusal = Refusal::new(
        ErrorType::Validation,
        format!("there is no {what} `{shown}`"),
    );
    if near.is_empty() {
        refusal
    } else {
        refusal.hint(format!("did you mean `{}`?", near.join("`, `")))
    }
}
