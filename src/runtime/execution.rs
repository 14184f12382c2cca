//! One execution: size → guard → lint → sandbox → redaction → caps → cache → audit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tracing::Instrument as _;

use super::Runtime;
use super::admission::Limits;
use super::audit::{Audit, Origin, Subject};
use super::cache::Fingerprints;
use super::counters::Counters;
use super::identifier;
use super::registry::Served;
use super::result::{CallSummary, ErrorType, ExecutionResult, PlannedUse, Refusal, summarise};
use super::sessions::{Earlier, Held, Lease};
use super::spans;
use super::stage::{Stage, Stages};
use super::view::View;
use crate::api::is_mutating;
use crate::broker::{PLAIN_REQUESTS, Scope};
use crate::guard::Facts;
use crate::invisible::visible_lines;
use crate::python::RUNTIME_SOURCE;
use crate::sandbox::{Host, Job, Module, Outcome, Sandbox};

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
    /// Told how far it has come.
    pub stages: Stages,
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
    /// As in [`ExecuteRequest`].
    pub stages: Stages,
}

/// What the pipeline runs.
pub(super) struct Work<'a> {
    pub(super) code: &'a str,
    pub(super) timeout: Option<Duration>,
    pub(super) dry_run: bool,
    pub(super) session: Option<&'a SessionChoice>,
    pub(super) keep: Keep<'a>,
    pub(super) stages: &'a Stages,
}

/// What becomes of code that ran well.
pub(super) enum Keep<'a> {
    /// It is stored under this description.
    Store(&'a str),
    /// It is in the cache already, under this id.
    Stored(String),
}

/// What code imports.
struct Imported {
    /// The servers, as they were checked.
    served: Vec<Arc<Served>>,
    /// What the sandbox gets of them.
    modules: Vec<Module>,
    fingerprints: Fingerprints,
}

/// An execution in the audit. Dropped before its end, it was cancelled.
pub(super) struct Running<'a> {
    audit: &'a Audit,
    counters: &'a Counters,
    registry: &'a View,
    pub(super) subject: Subject,
    started: Instant,
    ended: bool,
    /// Carries the execution's id to every line of the log within it.
    pub(super) span: tracing::Span,
}

impl<'a> Running<'a> {
    pub(super) fn begin(
        runtime: &'a Runtime,
        principal: &str,
        origin: Origin,
    ) -> Result<Self, Refusal> {
        let (audit, counters) = (&*runtime.audit, &*runtime.counters);
        let subject = Subject {
            execution_id: identifier::random().map_err(|error| Refusal::internal(&error))?,
            principal: principal.to_owned(),
        };
        audit.begin(&subject, origin);
        counters.begun();
        let span = spans::execution(&subject, origin);
        Ok(Self {
            span,
            audit,
            counters,
            registry: &runtime.registry,
            subject,
            started: Instant::now(),
            ended: false,
        })
    }

    /// Completes the result with what only the audit knows.
    pub(super) fn end(mut self, outcome: Result<ExecutionResult, Refusal>) -> ExecutionResult {
        let mut result = outcome.unwrap_or_else(ExecutionResult::from);
        self.ended = true;
        let id = &self.subject.execution_id;
        let took = self.started.elapsed();
        let calls = self.audit.end(&self.subject, result.error_type, took);
        self.count(result.error_type, took, &calls);
        spans::ended(&self.span, result.error_type);
        result.calls = summarise(calls);
        // Errors repeat texts of documents and answers.
        if let Some(error) = &mut result.error {
            *error = visible_lines(error);
        }
        result.execution_id.clone_from(id);
        result
    }

    fn count(&self, outcome: Option<ErrorType>, took: Duration, calls: &[CallSummary]) {
        let is_known = |server: &str| {
            let mut names = self.registry.names();
            server == PLAIN_REQUESTS || names.any(|name| name == server)
        };
        self.counters.ended(outcome, took, calls, is_known);
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
            let took = self.started.elapsed();
            let calls = self.audit.end(&self.subject, Some(failure), took);
            self.count(Some(failure), took, &calls);
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
        let running = match Running::begin(self, &request.principal, origin) {
            Ok(running) => running,
            Err(refusal) => return refusal.into(),
        };
        let work = Work {
            code: &request.code,
            timeout: request.timeout,
            dry_run: request.dry_run,
            session: request.session.as_ref(),
            keep: Keep::Store(&request.description),
            stages: &request.stages,
        };
        let span = running.span.clone();
        let outcome = self.pipeline(&running.subject, work).instrument(span).await;
        let result = running.end(outcome);
        self.advised(&request.principal, &request.code, result)
    }

    /// Runs code of the cache again, with other values for its top-level names.
    pub async fn run_cached(&self, request: CachedRequest) -> ExecutionResult {
        let running = match Running::begin(self, &request.principal, Origin::Cached) {
            Ok(running) => running,
            Err(refusal) => return refusal.into(),
        };
        let span = running.span.clone();
        let outcome = self
            .run_again(&running.subject, &request)
            .instrument(span)
            .await;
        let result = running.end(outcome);
        let what = format!("{} {:?}", request.cache_id, request.params);
        self.advised(&request.principal, &what, result)
    }

    /// A result with what is known to be done about it only once all of it is known.
    fn advised(&self, principal: &str, what: &str, result: ExecutionResult) -> ExecutionResult {
        let mut result = result;
        self.hint_of_credentials(&mut result);
        self.repeats.note(principal, what, &mut result);
        result
    }

    /// Whether the code, or code before it in its session, looks as if it sends plain requests.
    fn may_send_requests(&self, code: &str, earlier: &Earlier) -> bool {
        let mentions = |code: &str| code.contains("httpx");
        self.settings.allowed_domains.is_some() && (mentions(code) || mentions(&earlier.code))
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
                facts: Some(self.planned(facts).await),
                ..ExecutionResult::default()
            });
        }

        work.stages.reach(Stage::Waiting);
        let sandbox = self.engine.sandbox().await.map_err(|finding| Refusal {
            hint: finding.hint,
            ..Refusal::new(ErrorType::Sandbox, finding.message)
        })?;
        let _place = self.queue.take(&subject.principal, self.client).await?;
        let Imported {
            served,
            modules,
            fingerprints,
        } = self.imported(facts).await;
        let most = self.settings.max_execution_timeout;
        let asked = work.timeout.unwrap_or(self.settings.execution_timeout);
        let timeout = asked.min(most);
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
            servers: self.registry.shown_of(&facts.servers),
        };
        // A server may have left memory, or been compiled anew, since its module was taken.
        let targets = self.registry.targets_with(&served);
        let host = self.egress.host(&targets, scope).await;
        work.stages.reach(Stage::Running);
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

        let mut result = self.answer(&subject.principal, outcome).await;
        self.hint_of_names(&mut result, facts).await;
        if lease.is_none() && result.says_nothing() {
            result.advise(
                "the code gave no value: `return` it from `main()`, or assign it to `result`",
            );
        }
        if asked > most {
            result.advise(format!(
                "the time limit was {} s, the most there is, not {} s",
                most.as_secs_f64(),
                asked.as_secs_f64()
            ));
        }
        result.sandbox = Some(sandbox.name());
        if let Some(lease) = &lease {
            if lease.goes_on() {
                result.session_id = Some(lease.id.clone());
            } else {
                result.advise("the session ended with it: open a new one");
            }
        }
        // Later code of a session does not run without what was before it.
        if result.success && is_first {
            result.cache_id = self.keep(subject, code, work.keep, fingerprints).await;
        }
        Ok(result)
    }

    /// What code would use, and which of it may change something.
    async fn planned(&self, facts: &Facts) -> PlannedUse {
        let mut planned = PlannedUse::from(facts);
        let imported = facts.servers.iter().cloned().collect();
        for (name, served) in self.registry.servers(imported).await {
            let Ok(served) = served else { continue };
            let named = facts.functions.iter().filter(|(server, _)| *server == name);
            let named = named.filter_map(|(_, it)| served.manifest().function(it));
            let mutating = named.filter(|function| is_mutating(&function.method));
            planned
                .mutating
                .extend(mutating.map(|function| format!("{name}.{}", function.name)));
        }
        planned
    }

    /// The runtime module and of the servers the code imports what it can use, exactly as it was
    /// checked.
    async fn imported(&self, facts: &Facts) -> Imported {
        let mut used = Vec::new();
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
            used.push(served);
        }
        Imported {
            served: used,
            modules,
            fingerprints,
        }
    }
}
