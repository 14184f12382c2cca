//! One execution: size → guard → sandbox → redaction → caps → cache → audit.

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::audit::{Audit, Origin, Subject};
use super::cache::{Entry, Fingerprints};
use super::discovery::nearest;
use super::identifier;
use super::registry::Refused;
use super::result::{ErrorType, ExecutionResult, PlannedUse, Refusal, milliseconds, summarise};
use super::{Runtime, preview};
use crate::broker::Scope;
use crate::guard::{self, Facts, Report, Violation};
use crate::sandbox::{Job, Module, Outcome};
use crate::wire::Arguments;

/// What the stubs in `functions.py` import. Always this build's own copy, never the one on disk.
const RUNTIME_SOURCE: &str = include_str!("../../templates/mce_runtime.py");
/// Violations that a result lists.
const LISTED_VIOLATIONS: usize = 20;
/// Bound on an error's text and on a traceback, which code can make as long as it likes.
const MESSAGE_BYTES: usize = 4_000;
/// A sandbox that neither answers nor gives up this long after its time limit is given up on.
const SANDBOX_GRACE: Duration = Duration::from_mins(1);

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
    /// Whether to stop after the guard and tell what the code would use.
    pub dry_run: bool,
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
    /// Who asks.
    pub principal: String,
}

/// What the guard said about code, and which of the servers it mentions are refused.
struct Inspection {
    report: Report,
    refused: Vec<Refused>,
}

/// What the pipeline runs.
struct Work<'a> {
    code: &'a str,
    timeout: Option<Duration>,
    dry_run: bool,
    keep: Keep<'a>,
}

/// What becomes of code that ran well.
enum Keep<'a> {
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
}

impl<'a> Running<'a> {
    fn begin(audit: &'a Audit, principal: &str, origin: Origin) -> Result<Self, Refusal> {
        let subject = Subject {
            execution_id: identifier::random().map_err(|error| Refusal::internal(&error))?,
            principal: principal.to_owned(),
        };
        audit.begin(&subject, origin);
        Ok(Self {
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
            .end(id, result.error_type, self.started.elapsed());
        result.calls = summarise(calls);
        result.execution_id.clone_from(id);
        result
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.audit.end(
                &self.subject.execution_id,
                Some(ErrorType::Cancelled),
                self.started.elapsed(),
            );
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
            ..Self::default()
        }
    }
}

impl Runtime {
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
            keep: Keep::Store(&request.description),
        };
        let outcome = self.pipeline(&running.subject, work).await;
        running.end(outcome)
    }

    /// Runs code of the cache again, with other values for its top-level names.
    pub async fn run_cached(&self, request: CachedRequest) -> ExecutionResult {
        let running = match Running::begin(&self.audit, &request.principal, Origin::Cached) {
            Ok(running) => running,
            Err(refusal) => return refusal.into(),
        };
        let outcome = self.run_again(&running.subject, &request).await;
        running.end(outcome)
    }

    /// Calls one compiled function through the broker.
    pub async fn call(&self, request: CallRequest) -> ExecutionResult {
        let running = match Running::begin(&self.audit, &request.principal, Origin::Call) {
            Ok(running) => running,
            Err(refusal) => return refusal.into(),
        };
        let outcome = self.call_one(&running.subject, request).await;
        running.end(outcome)
    }

    /// The only place where code meets the guard: everything that runs went through here.
    async fn inspect(&self, code: &str) -> Inspection {
        let (names, refused) = self.registry.names_for(code).await;
        Inspection {
            report: guard::check(code, &names),
            refused,
        }
    }

    async fn pipeline(
        &self,
        subject: &Subject,
        work: Work<'_>,
    ) -> Result<ExecutionResult, Refusal> {
        let code = work.code;
        self.check_size(code)?;
        let inspection = self.inspect(code).await;
        let facts = self.judge(subject, code, inspection)?;
        if work.dry_run {
            return Ok(ExecutionResult {
                success: true,
                facts: Some(PlannedUse::from(&facts)),
                ..ExecutionResult::default()
            });
        }

        let sandbox = self.engine.sandbox().await.map_err(|finding| Refusal {
            hint: finding.hint,
            ..Refusal::new(ErrorType::Sandbox, finding.message)
        })?;
        let (modules, fingerprints) = self.modules(&facts).await;
        let timeout = work
            .timeout
            .unwrap_or(self.settings.execution_timeout)
            .min(self.settings.max_execution_timeout);
        let job = Job {
            execution_id: subject.execution_id.clone(),
            code: code.to_owned(),
            modules,
            timeout,
            max_output_bytes: self.settings.max_output_bytes,
        };
        if self.switches.no_import_rule {
            // What was not imported can be called then, and only what was checked can be called.
            let all = self.registry.names().map(str::to_owned).collect();
            self.registry.servers(all).await;
        }
        let scope = Scope {
            execution_id: subject.execution_id.clone(),
            principal: subject.principal.clone(),
            servers: facts.servers,
        };
        let host = self.egress.host(&self.registry.targets(), scope);
        let outcome = tokio::time::timeout(timeout + SANDBOX_GRACE, sandbox.run(job, host))
            .await
            .map_err(|_| {
                Refusal::new(
                    ErrorType::Sandbox,
                    "the sandbox did not answer, nor end at its time limit",
                )
                .hint("see `mce sandbox status`")
            })?;

        let mut result = self.answer(outcome);
        result.sandbox = Some(sandbox.name());
        if result.success {
            result.cache_id = self.keep(subject, code, work.keep, fingerprints).await;
        }
        Ok(result)
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
        let code_sha256 = identifier::hex(&Sha256::digest(code.as_bytes()));
        let broken = report.violations.iter();
        let broken = broken.map(|violation| (violation.rule.clone(), violation.line));
        self.audit.verdict(subject, code_sha256, broken.collect());

        let imported = |refused: &&Refused| report.facts.servers.contains(&refused.server);
        if let Some(refused) = refused.iter().find(imported) {
            self.audit
                .load_refusal(subject, &refused.server, &refused.reason);
            return Err(Refusal::new(
                ErrorType::Security,
                format!("server `{}` is refused: {}", refused.server, refused.reason),
            ));
        }
        if !report.violations.is_empty() && !self.switches.no_guard {
            return Err(refuse(report.violations));
        }
        Ok(report.facts)
    }

    /// The runtime module and the servers the code imports, exactly as they were checked.
    async fn modules(&self, facts: &Facts) -> (Vec<Module>, Fingerprints) {
        let mut modules = vec![Module {
            name: "mce_runtime".to_owned(),
            source: RUNTIME_SOURCE.to_owned(),
        }];
        let mut fingerprints = Fingerprints::new();
        let imported = facts.servers.iter().cloned().collect();
        for (name, served) in self.registry.servers(imported).await {
            let Ok(served) = served else { continue };
            modules.push(Module {
                name: format!("{name}.functions"),
                source: served.source.text().to_owned(),
            });
            fingerprints.insert(name, served.manifest().fingerprint.clone());
        }
        (modules, fingerprints)
    }

    /// What came of the sandbox, without secrets and within bounds.
    fn answer(&self, outcome: Outcome) -> ExecutionResult {
        let mut result = ExecutionResult {
            prints: self.egress.redact(&outcome.prints),
            stderr: self.egress.redact(&outcome.stderr),
            truncated: outcome.truncated,
            execution_time_ms: Some(milliseconds(outcome.elapsed)),
            ..ExecutionResult::default()
        };
        match outcome.result {
            Ok(value) => {
                result.success = true;
                result.data = Some(self.without_secrets(value));
            }
            Err(failure) => {
                let clean = |text: String| self.egress.redact(&text);
                result.error = Some(clean(failure.message));
                result.error_type = Some(failure.kind.into());
                result.hint = failure.hint.map(clean);
                result.traceback = failure.traceback.map(clean);
            }
        }
        self.bound(&mut result);
        result
    }

    fn without_secrets(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.egress.redact(&text)),
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.without_secrets(item))
                .collect(),
            Value::Object(members) => members
                .into_iter()
                .map(|(key, member)| (self.egress.redact(&key), self.without_secrets(member)))
                .collect::<Map<_, _>>()
                .into(),
            scalar => scalar,
        }
    }

    /// Keeps the result within `MCE_MAX_OUTPUT_SIZE_BYTES`, and what of it is inlined within
    /// `MCE_MAX_INLINE_BYTES`. Text gives way first, down to a quarter each for prints and stderr.
    fn bound(&self, result: &mut ExecutionResult) {
        for text in [&mut result.error, &mut result.traceback] {
            let shown = text
                .as_deref()
                .and_then(|text| preview::ends(text, MESSAGE_BYTES));
            if shown.is_some() {
                *text = shown;
            }
        }
        let size = result
            .data
            .as_ref()
            .map_or(0, |data| data.to_string().len());
        let whole = size + result.prints.len() + result.stderr.len();
        let limit = self.settings.max_output_bytes;
        if whole > limit {
            let message = format!("result and output have {whole} bytes, the limit is {limit}");
            result.success = false;
            result.data = None;
            result.error_type = Some(ErrorType::OutputLimit);
            result.error = Some(message);
            result.hint = Some("return and print less: select fields, filter, count".to_owned());
        }
        let budget = self.settings.max_inline_bytes;
        let size = result.data.as_ref().map_or(0, |_| size);
        if size + result.prints.len() + result.stderr.len() <= budget {
            return;
        }
        for text in [&mut result.prints, &mut result.stderr] {
            if let Some(shown) = preview::ends(text, budget / 4) {
                *text = shown;
                result.truncated = true;
            }
        }
        let rest = budget.saturating_sub(result.prints.len() + result.stderr.len());
        if let Some(data) = result.data.as_mut().filter(|_| size > rest) {
            *data = preview::preview(data, size, rest);
            result.truncated = true;
            result.hint = Some(
                "`data` is only the shape and first rows of the result: return fewer rows or fields"
                    .to_owned(),
            );
        }
    }

    async fn keep(
        &self,
        subject: &Subject,
        code: &str,
        keep: Keep<'_>,
        fingerprints: Fingerprints,
    ) -> Option<String> {
        let description = match keep {
            Keep::Stored(id) => return Some(id),
            Keep::Store(description) => description,
        };
        let entry = Entry {
            code: code.to_owned(),
            description: description.to_owned(),
            fingerprints,
        };
        let cache = self.cache.as_ref()?;
        // The code ran; a cache that cannot be written is no reason to withhold its result.
        cache
            .store(&subject.principal, entry, SystemTime::now())
            .await
            .inspect_err(|error| tracing::error!(%error, "code could not be cached"))
            .ok()
    }

    async fn run_again(
        &self,
        subject: &Subject,
        request: &CachedRequest,
    ) -> Result<ExecutionResult, Refusal> {
        let entry = self.cached(subject, &request.cache_id).await?;
        let code = if request.params.is_empty() {
            entry.code
        } else {
            let facts = self.inspect(&entry.code).await.report.facts;
            guard::substitute(&entry.code, &facts, &request.params).map_err(|error| {
                Refusal::new(ErrorType::Validation, error.to_string()).hint(
                    "only names assigned a literal at the top level can be given other values",
                )
            })?
        };
        let work = Work {
            code: &code,
            timeout: request.timeout,
            dry_run: false,
            keep: Keep::Stored(request.cache_id.clone()),
        };
        self.pipeline(subject, work).await
    }

    /// The cached code, unless a server it used was compiled anew since.
    async fn cached(&self, subject: &Subject, id: &str) -> Result<Entry, Refusal> {
        let Some(cache) = &self.cache else {
            return Err(Refusal::new(
                ErrorType::CacheMiss,
                "the code cache is off (`MCE_CACHE_ENABLED`)",
            )
            .hint("send the code by `execute_code`"));
        };
        let entry = cache
            .fetch(&subject.principal, id, SystemTime::now())
            .await
            .map_err(|error| Refusal::internal(&error))?
            .ok_or_else(|| cache_miss(id))?;
        for (server, fingerprint) in &entry.fingerprints {
            match self.registry.server(server).await {
                Some(Ok(served)) if served.manifest().fingerprint == *fingerprint => {}
                // A refused server is told as what it is when the code is looked at.
                Some(Err(_)) => {}
                _ => return Err(cache_miss(id)),
            }
        }
        Ok(entry)
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
            ..
        } = request;
        let compiled = match self.registry.server(&server).await {
            Some(Ok(compiled)) => compiled,
            Some(Err(refused)) => {
                self.audit.load_refusal(subject, &server, &refused.reason);
                let message = format!("server `{server}` is refused: {}", refused.reason);
                return Err(Refusal::new(ErrorType::Security, message));
            }
            None => return Err(unknown("server", &server, self.registry.names())),
        };
        if compiled.manifest().function(&function).is_none() {
            let functions = compiled.manifest().functions.iter();
            let names = functions.map(|function| function.name.as_str());
            return Err(unknown("function", &function, names));
        }
        let scope = Scope {
            execution_id: subject.execution_id.clone(),
            principal: subject.principal.clone(),
            servers: BTreeSet::from([server.clone()]),
        };
        let host = self.egress.host(&self.registry.targets(), scope);
        let started = Instant::now();
        let outcome = host.call(&server, &function, arguments).await;
        let mut result = ExecutionResult {
            execution_time_ms: Some(milliseconds(started.elapsed())),
            ..ExecutionResult::default()
        };
        match outcome {
            Ok(value) => {
                result.success = true;
                result.data = Some(self.without_secrets(value.into_json()));
            }
            Err(error) => {
                result.error_type = Some(ErrorType::from(&error));
                result.error = Some(self.egress.redact(&error.to_string()));
            }
        }
        Ok(result)
    }
}

fn refuse(mut violations: Vec<Violation>) -> Refusal {
    let count = violations.len();
    violations.truncate(LISTED_VIOLATIONS);
    let message = match violations.first() {
        Some(first) if count == 1 => format!("line {}: {}", first.line, first.message),
        Some(first) => format!(
            "line {}: {} ({count} violations in all)",
            first.line, first.message
        ),
        None => "the guard refused the code".to_owned(),
    };
    Refusal {
        hint: violations
            .iter()
            .find_map(|violation| violation.hint.clone()),
        violations,
        ..Refusal::new(ErrorType::Security, message)
    }
}

/// One text for unknown, foreign, expired and outdated ids: they must look alike.
fn cache_miss(id: &str) -> Refusal {
    let id: String = id.chars().take(64).collect();
    Refusal::new(
        ErrorType::CacheMiss,
        format!(
            "no cached code has the id `{id}`: it expired, its servers changed, or it never was"
        ),
    )
    .hint("send the code again by `execute_code`")
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
