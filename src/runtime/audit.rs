//! Who ran what, which calls it made, and what was refused. Never code, arguments or secrets.
//!
//! Every event is a row of the database, and where that was asked for a line of JSON.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::params;

use super::clock;
use super::database::{Database, execute};
use super::result::{CallSummary, ErrorType, milliseconds};
use crate::broker::{CallRecord, Recorder};
use crate::config::Settings;

mod event;
mod lines;
mod reading;
mod schema;
#[cfg(test)]
mod tests;

use event::{Call, Entry, Event, Refusal, Summary};
use lines::Lines;
pub use lines::LogError;
pub use reading::{
    AuditFilter, AuditReader, AuditedCall, AuditedDetail, AuditedExecution, AuditedRefusal,
    look_at_audit,
};
pub(super) use schema::SCHEMA;

/// Bound on any text that code or a document can choose, in characters.
const TEXT_CHARS: usize = 300;

/// Where an execution came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Code that was sent.
    Code,
    /// Code of the cache.
    Cached,
    /// Code that is only looked at.
    DryRun,
    /// One function, without code.
    Call,
}

impl Origin {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Cached => "cached",
            Self::DryRun => "dry_run",
            Self::Call => "call",
        }
    }
}

/// Who asked for an execution.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    /// The execution.
    pub(super) execution_id: String,
    /// Whose it is.
    pub(super) principal: String,
}

/// How many rows are written between two looks at how many there are.
const TRIM_EVERY: usize = 1_000;

/// How long the end of the process waits for the lines of the log.
const PATIENCE: Duration = Duration::from_secs(5);

/// Rows that are too old go at least this often, where any are written.
const TRIM_AFTER: Duration = Duration::from_hours(1);

/// What is known of an execution that is still running.
#[derive(Default)]
struct Progress {
    calls: Vec<CallSummary>,
    summary: Summary,
}

/// The audit, and what executions that are still running did so far.
pub(super) struct Audit {
    database: Database,
    lines: Option<Lines>,
    /// Rows that each table keeps.
    max_rows: usize,
    /// How long rows are kept.
    max_age: Option<Duration>,
    /// Rows written since the last trim.
    written: AtomicUsize,
    /// When the last trim was, in milliseconds since 1970.
    trimmed: AtomicI64,
    running: Mutex<HashMap<String, Progress>>,
}

impl Audit {
    /// Opens the files. The oldest rows of each table go when it has more than the settings say, or
    /// when they are older.
    pub(super) fn open(settings: &Settings) -> Result<Self, super::Error> {
        let audit = Self {
            database: Database::open(&settings.audit_db_path, &SCHEMA)?,
            lines: settings.audit.log.as_ref().map(Lines::open).transpose()?,
            max_rows: settings.audit.max_rows,
            max_age: settings.audit.max_age,
            written: AtomicUsize::new(0),
            trimmed: AtomicI64::new(0),
            running: Mutex::default(),
        };
        audit.trim(clock::milliseconds(SystemTime::now()));
        Ok(audit)
    }

    /// Queues events that belong together, and now and then a trim behind them.
    fn post(&self, subject: &Subject, events: Vec<Event>) {
        let now = clock::milliseconds(SystemTime::now());
        let entries: Vec<Entry> = events
            .into_iter()
            .map(|event| Entry {
                time_ms: now,
                execution_id: subject.execution_id.clone(),
                principal: subject.principal.clone(),
                event,
            })
            .collect();
        if let Some(lines) = &self.lines {
            for entry in &entries {
                lines.post(entry.line());
            }
        }
        self.database.post(move |connection| {
            let transaction = connection.transaction()?;
            for entry in &entries {
                entry.write(&transaction)?;
            }
            transaction.commit()
        });
        let before = self.written.fetch_add(1, Ordering::Relaxed);
        let since = now.saturating_sub(self.trimmed.load(Ordering::Relaxed));
        if before % TRIM_EVERY == TRIM_EVERY - 1 || since > clock::span(TRIM_AFTER) {
            self.trim(now);
        }
    }

    /// Removes the oldest rows beyond the limits: of the principal who has most, so that nobody can
    /// push out what is written of others.
    fn trim(&self, now: i64) {
        self.trimmed.store(now, Ordering::Relaxed);
        let most = i64::try_from(self.max_rows).unwrap_or(i64::MAX);
        let oldest = self.max_age.map(|age| now.saturating_sub(clock::span(age)));
        self.database.post(move |connection| {
            for table in ["executions", "calls", "refusals"] {
                execute(
                    connection,
                    &format!(
                        "DELETE FROM {table}
                         WHERE (SELECT count(*) FROM {table}) > ?1 AND rowid IN (
                             SELECT row FROM (
                                 SELECT rowid AS row, row_number() OVER (
                                     PARTITION BY principal ORDER BY rowid DESC
                                 ) AS own FROM {table}
                             ) ORDER BY own, row DESC LIMIT -1 OFFSET ?1
                         )"
                    ),
                    params![most],
                )?;
                if let Some(oldest) = oldest {
                    execute(
                        connection,
                        &format!("DELETE FROM {table} WHERE time_ms < ?1"),
                        params![oldest],
                    )?;
                }
            }
            Ok(())
        });
    }

    /// Notes that an execution begins. Its row says `running` until [`Audit::end`]: that is what
    /// remains of it when the process is killed.
    pub(super) fn begin(&self, subject: &Subject, origin: Origin) {
        self.running()
            .insert(subject.execution_id.clone(), Progress::default());
        let origin = origin.name();
        self.post(subject, vec![Event::Began { origin }]);
    }

    /// Notes the guard's verdict on code: `passed`, or the rules it broke and at which lines.
    pub(super) fn verdict(
        &self,
        subject: &Subject,
        code_sha256: String,
        broken: Vec<(String, usize)>,
    ) {
        let verdict = if broken.is_empty() {
            "passed"
        } else {
            "refused"
        };
        if let Some(progress) = self.running().get_mut(&subject.execution_id) {
            progress.summary.code_sha256 = Some(code_sha256.clone());
            progress.summary.verdict = Some(verdict);
        }
        let judged = Event::Judged {
            code_sha256,
            verdict,
        };
        self.refuse(subject, Some(judged), broken_rules("guard", broken));
    }

    /// Notes the mistakes for which the lint gate refused code: rules, and at which lines.
    pub(super) fn lint_refusal(&self, subject: &Subject, broken: Vec<(String, usize)>) {
        self.refuse(subject, None, broken_rules("lint", broken));
    }

    /// Notes that a server is not served to this execution.
    pub(super) fn load_refusal(&self, subject: &Subject, server: &str, reason: &str) {
        let refusal = Refusal {
            layer: "load",
            server: Some(cap(server)),
            function: None,
            reason: cap(reason),
        };
        self.refuse(subject, None, vec![refusal]);
    }

    fn refuse(&self, subject: &Subject, first: Option<Event>, refusals: Vec<Refusal>) {
        if let Some(progress) = self.running().get_mut(&subject.execution_id) {
            progress.summary.refusals += refusals.len();
        }
        let refused = refusals.into_iter().map(Event::Refused);
        self.post(subject, first.into_iter().chain(refused).collect());
    }

    /// Notes how an execution ended and gives the calls it made.
    pub(super) fn end(
        &self,
        subject: &Subject,
        failure: Option<ErrorType>,
        elapsed: Duration,
    ) -> Vec<CallSummary> {
        let Progress { calls, summary } = self
            .running()
            .remove(&subject.execution_id)
            .unwrap_or_default();
        let ended = Event::Ended {
            outcome: failure.map_or("success", ErrorType::name),
            ms: clock::span(elapsed),
            summary,
        };
        self.post(subject, vec![ended]);
        calls
    }

    /// Waits until everything is written.
    pub(super) async fn flush(&self) {
        self.database.flush().await;
        if let Some(lines) = &self.lines
            && tokio::time::timeout(PATIENCE, lines.flush()).await.is_err()
        {
            // Whoever reads stderr may have stopped reading, which must not keep the process.
            tracing::error!("the audit log takes no more lines; some are lost");
        }
    }

    /// How many rows and lines could not be written so far.
    pub(super) fn lost(&self) -> usize {
        let lines = self.lines.as_ref().map_or(0, Lines::lost);
        self.database.lost().saturating_add(lines)
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<String, Progress>> {
        // The map is whole after every single operation on it, so a panic elsewhere spoils nothing.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorder for Audit {
    fn record(&self, call: CallRecord) {
        let server = cap(&call.server);
        let function = cap(&call.function);
        if let Some(progress) = self.running().get_mut(&call.execution_id) {
            progress.summary.calls += 1;
            progress.summary.refusals += usize::from(call.refusal.is_some());
            progress.calls.push(CallSummary {
                server: server.clone(),
                function: function.clone(),
                status: call.status,
                error: call.error.clone(),
                ms: milliseconds(call.elapsed),
                count: 1,
            });
        }
        let refused = call.refusal.map(|reason| {
            Event::Refused(Refusal {
                layer: "broker",
                server: Some(server.clone()),
                function: Some(function.clone()),
                reason: cap(&reason),
            })
        });
        let called = Event::Called(Call {
            server,
            function,
            status: call.status,
            error: call.error,
            ms: clock::span(call.elapsed),
        });
        let subject = Subject {
            execution_id: call.execution_id,
            principal: call.principal,
        };
        self.post(&subject, std::iter::once(called).chain(refused).collect());
    }
}

fn broken_rules(layer: &'static str, broken: Vec<(String, usize)>) -> Vec<Refusal> {
    let refusal = |(rule, line)| Refusal {
        layer,
        server: None,
        function: None,
        reason: format!("{rule} at line {line}"),
    };
    broken.into_iter().map(refusal).collect()
}

fn cap(text: &str) -> String {
    text.chars().take(TEXT_CHARS).collect()
}
