//! Who ran what, which calls it made, and what was refused. Never code, arguments or secrets.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, params};

use super::clock;
use super::database::{Database, Error, Schema, execute};
use super::result::{CallSummary, ErrorType, milliseconds};
use crate::broker::{CallRecord, Recorder};

const SCHEMA: Schema = Schema {
    purpose: "audit",
    setting: "MCE_AUDIT_DB_PATH",
    application_id: 0x4d43_4541,
    version: 1,
    tables: "
        CREATE TABLE IF NOT EXISTS executions (
            id TEXT PRIMARY KEY,
            time_ms INTEGER NOT NULL,
            principal TEXT NOT NULL,
            origin TEXT NOT NULL,
            code_sha256 TEXT,
            verdict TEXT,
            outcome TEXT NOT NULL,
            ms INTEGER
        ) STRICT;
        CREATE INDEX IF NOT EXISTS executions_time ON executions (time_ms);
        CREATE TABLE IF NOT EXISTS calls (
            id INTEGER PRIMARY KEY,
            execution_id TEXT NOT NULL,
            time_ms INTEGER NOT NULL,
            principal TEXT NOT NULL,
            server TEXT NOT NULL,
            function TEXT NOT NULL,
            status INTEGER,
            error TEXT,
            ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS calls_execution ON calls (execution_id);
        CREATE TABLE IF NOT EXISTS refusals (
            id INTEGER PRIMARY KEY,
            execution_id TEXT NOT NULL,
            time_ms INTEGER NOT NULL,
            principal TEXT NOT NULL,
            layer TEXT NOT NULL,
            server TEXT,
            function TEXT,
            reason TEXT NOT NULL
        ) STRICT;
        CREATE INDEX IF NOT EXISTS refusals_execution ON refusals (execution_id);
    ",
};

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
    fn name(self) -> &'static str {
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

/// The audit, and the calls of executions that are still running.
pub(super) struct Audit {
    database: Database,
    /// Rows that each table keeps.
    max_rows: usize,
    /// Rows written since the last trim.
    written: AtomicUsize,
    running: Mutex<HashMap<String, Vec<CallSummary>>>,
}

impl Audit {
    /// Opens the file. The oldest rows of each table go when it has more than `max_rows`.
    pub(super) fn open(path: &Path, max_rows: usize) -> Result<Self, Error> {
        let audit = Self {
            database: Database::open(path, &SCHEMA)?,
            max_rows,
            written: AtomicUsize::new(0),
            running: Mutex::default(),
        };
        audit.trim();
        Ok(audit)
    }

    /// Queues `work`, and now and then a trim behind it.
    fn post<F>(&self, work: F)
    where
        F: FnOnce(&mut Connection) -> rusqlite::Result<()> + Send + 'static,
    {
        self.database.post(work);
        let before = self.written.fetch_add(1, Ordering::Relaxed);
        if before % TRIM_EVERY == TRIM_EVERY - 1 {
            self.trim();
        }
    }

    /// Removes the oldest rows beyond the limit.
    fn trim(&self) {
        let most = i64::try_from(self.max_rows).unwrap_or(i64::MAX);
        self.database.post(move |connection| {
            for table in ["executions", "calls", "refusals"] {
                execute(
                    connection,
                    &format!(
                        "DELETE FROM {table}
                         WHERE rowid <= (SELECT max(rowid) FROM {table}) - ?1"
                    ),
                    params![most],
                )?;
            }
            Ok(())
        });
    }

    /// Notes that an execution begins. Its row says `running` until [`Audit::end`]: that is what
    /// remains of it when the process is killed.
    pub(super) fn begin(&self, subject: &Subject, origin: Origin) {
        self.running().insert(subject.execution_id.clone(), vec![]);
        let Subject {
            execution_id,
            principal,
        } = subject.clone();
        let now = clock::milliseconds(SystemTime::now());
        self.post(move |connection| {
            execute(
                connection,
                "INSERT INTO executions (id, time_ms, principal, origin, outcome)
                 VALUES (?1, ?2, ?3, ?4, 'running')",
                params![execution_id, now, principal, origin.name()],
            )?;
            Ok(())
        });
    }

    /// Notes the guard's verdict on code: `passed`, or the rules it broke and at which lines.
    pub(super) fn verdict(
        &self,
        subject: &Subject,
        code_sha256: String,
        broken: Vec<(String, usize)>,
    ) {
        let Subject {
            execution_id,
            principal,
        } = subject.clone();
        let now = clock::milliseconds(SystemTime::now());
        self.post(move |connection| {
            let transaction = connection.transaction()?;
            let verdict = if broken.is_empty() {
                "passed"
            } else {
                "refused"
            };
            execute(
                &transaction,
                "UPDATE executions SET code_sha256 = ?2, verdict = ?3 WHERE id = ?1",
                params![execution_id, code_sha256, verdict],
            )?;
            for (rule, line) in broken {
                let reason = format!("{rule} at line {line}");
                execute(
                    &transaction,
                    "INSERT INTO refusals (execution_id, time_ms, principal, layer, reason)
                     VALUES (?1, ?2, ?3, 'guard', ?4)",
                    params![execution_id, now, principal, reason],
                )?;
            }
            transaction.commit()
        });
    }

    /// Notes the mistakes for which the lint gate refused code: rules, and at which lines.
    pub(super) fn lint_refusal(&self, subject: &Subject, broken: Vec<(String, usize)>) {
        let Subject {
            execution_id,
            principal,
        } = subject.clone();
        let now = clock::milliseconds(SystemTime::now());
        self.post(move |connection| {
            let transaction = connection.transaction()?;
            for (rule, line) in broken {
                execute(
                    &transaction,
                    "INSERT INTO refusals (execution_id, time_ms, principal, layer, reason)
                     VALUES (?1, ?2, ?3, 'lint', ?4)",
                    params![
                        execution_id,
                        now,
                        principal,
                        format!("{rule} at line {line}")
                    ],
                )?;
            }
            transaction.commit()
        });
    }

    /// Notes that a server is not served to this execution.
    pub(super) fn load_refusal(&self, subject: &Subject, server: &str, reason: &str) {
        let Subject {
            execution_id,
            principal,
        } = subject.clone();
        let (server, reason) = (cap(server), cap(reason));
        let now = clock::milliseconds(SystemTime::now());
        self.post(move |connection| {
            execute(
                connection,
                "INSERT INTO refusals (execution_id, time_ms, principal, layer, server, reason)
                 VALUES (?1, ?2, ?3, 'load', ?4, ?5)",
                params![execution_id, now, principal, server, reason],
            )?;
            Ok(())
        });
    }

    /// Notes how an execution ended and gives the calls it made.
    pub(super) fn end(
        &self,
        execution_id: &str,
        failure: Option<ErrorType>,
        elapsed: Duration,
    ) -> Vec<CallSummary> {
        let calls = self.running().remove(execution_id).unwrap_or_default();
        let id = execution_id.to_owned();
        let outcome = failure.map_or("success", ErrorType::name);
        let elapsed = clock::span(elapsed);
        self.post(move |connection| {
            execute(
                connection,
                "UPDATE executions SET outcome = ?2, ms = ?3 WHERE id = ?1",
                params![id, outcome, elapsed],
            )?;
            Ok(())
        });
        calls
    }

    /// Waits until everything is written.
    pub(super) async fn flush(&self) {
        self.database.flush().await;
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<String, Vec<CallSummary>>> {
        // The map is whole after every single operation on it, so a panic elsewhere spoils nothing.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recorder for Audit {
    fn record(&self, call: CallRecord) {
        let server = cap(&call.server);
        let function = cap(&call.function);
        if let Some(calls) = self.running().get_mut(&call.execution_id) {
            calls.push(CallSummary {
                server: server.clone(),
                function: function.clone(),
                status: call.status,
                error: call.error.clone(),
                ms: milliseconds(call.elapsed),
                count: 1,
            });
        }
        let now = clock::milliseconds(SystemTime::now());
        self.post(move |connection| {
            let transaction = connection.transaction()?;
            execute(
                &transaction,
                "INSERT INTO calls
                 (execution_id, time_ms, principal, server, function, status, error, ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![
                    call.execution_id,
                    now,
                    call.principal,
                    server,
                    function,
                    call.status,
                    call.error,
                    clock::span(call.elapsed)
                ],
            )?;
            if let Some(reason) = call.refusal {
                execute(
                    &transaction,
                    "INSERT INTO refusals
                     (execution_id, time_ms, principal, layer, server, function, reason)
                     VALUES (?1, ?2, ?3, 'broker', ?4, ?5, ?6)",
                    params![
                        call.execution_id,
                        now,
                        call.principal,
                        server,
                        function,
                        cap(&reason)
                    ],
                )?;
            }
            transaction.commit()
        });
    }
}

fn cap(text: &str) -> String {
    text.chars().take(TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject() -> Subject {
        Subject {
            execution_id: "e1".to_owned(),
            principal: "ada".to_owned(),
        }
    }

    fn record(function: &str, status: Option<u16>, refusal: Option<&str>) -> CallRecord {
        CallRecord {
            execution_id: "e1".to_owned(),
            principal: "ada".to_owned(),
            server: "pets".to_owned(),
            function: function.to_owned(),
            status,
            error: refusal.map(|_| "egress".to_owned()),
            refusal: refusal.map(str::to_owned),
            elapsed: Duration::from_millis(7),
        }
    }

    fn open(folder: &tempfile::TempDir) -> Audit {
        Audit::open(&folder.path().join("audit.db"), 100).unwrap()
    }

    async fn rows(audit: &Audit, query: &'static str) -> Vec<String> {
        audit
            .database
            .run(move |connection| {
                let mut statement = connection.prepare(query)?;
                let columns = statement.column_count();
                let rows = statement.query_map([], |row| {
                    let mut texts = Vec::new();
                    for column in 0..columns {
                        texts.push(match row.get::<_, rusqlite::types::Value>(column)? {
                            rusqlite::types::Value::Text(text) => text,
                            rusqlite::types::Value::Integer(number) => number.to_string(),
                            other => format!("{other:?}"),
                        });
                    }
                    Ok(texts.join(" "))
                })?;
                rows.collect()
            })
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn an_execution_its_calls_and_refusals_leave_rows() {
        let folder = tempfile::tempdir().unwrap();
        let audit = open(&folder);
        audit.begin(&subject(), Origin::Code);
        audit.verdict(&subject(), "abc".to_owned(), vec![]);
        assert_eq!(
            rows(&audit, "SELECT id, outcome FROM executions").await,
            ["e1 running"]
        );
        audit.record(record("get_pet", Some(200), None));
        audit.record(record("drop_pet", None, Some("not compiled")));
        let calls = audit.end("e1", Some(ErrorType::Egress), Duration::from_millis(40));
        assert_eq!(calls.len(), 2);
        assert_eq!(calls[0].status, Some(200));
        assert_eq!(calls[1].error.as_deref(), Some("egress"));
        assert_eq!(
            rows(
                &audit,
                "SELECT id, principal, origin, code_sha256, verdict, outcome, ms FROM executions"
            )
            .await,
            ["e1 ada code abc passed egress 40"]
        );
        assert_eq!(
            rows(
                &audit,
                "SELECT execution_id, server, function, status, error, ms FROM calls"
            )
            .await,
            [
                "e1 pets get_pet 200 Null 7",
                "e1 pets drop_pet Null egress 7"
            ]
        );
        assert_eq!(
            rows(
                &audit,
                "SELECT layer, server, function, reason FROM refusals"
            )
            .await,
            ["broker pets drop_pet not compiled"]
        );
    }

    #[tokio::test]
    async fn broken_rules_are_named_with_their_lines() {
        let folder = tempfile::tempdir().unwrap();
        let audit = open(&folder);
        audit.begin(&subject(), Origin::Cached);
        let broken = vec![("import-blocked".to_owned(), 3)];
        audit.verdict(&subject(), "abc".to_owned(), broken);
        audit.end("e1", Some(ErrorType::Security), Duration::ZERO);
        assert_eq!(
            rows(&audit, "SELECT verdict, outcome, origin FROM executions").await,
            ["refused security cached"]
        );
        assert_eq!(
            rows(&audit, "SELECT layer, reason FROM refusals").await,
            ["guard import-blocked at line 3"]
        );
    }

    /// A call that ends after its execution did (the sandbox was killed) is audited, but must not
    /// leave a list behind that nobody will ever collect.
    #[tokio::test]
    async fn a_late_call_is_written_and_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let audit = open(&folder);
        audit.begin(&subject(), Origin::Code);
        audit.end("e1", None, Duration::ZERO);
        audit.record(record("get_pet", Some(200), None));
        assert!(audit.running().is_empty());
        assert_eq!(
            rows(&audit, "SELECT function FROM calls").await,
            ["get_pet"]
        );
    }

    #[tokio::test]
    async fn names_that_code_chose_are_capped() {
        let folder = tempfile::tempdir().unwrap();
        let audit = open(&folder);
        audit.record(record(&"x".repeat(10_000), None, Some(&"y".repeat(10_000))));
        assert_eq!(
            rows(&audit, "SELECT length(function) FROM calls").await,
            ["300"]
        );
        assert_eq!(
            rows(&audit, "SELECT length(reason) FROM refusals").await,
            ["300"]
        );
    }

    /// It grew for as long as there was a disk.
    #[tokio::test]
    async fn the_oldest_rows_go_when_opened_and_now_and_then() {
        let folder = tempfile::tempdir().unwrap();
        let audit = open(&folder);
        for n in 0..TRIM_EVERY + 50 {
            audit.record(record(&format!("f{n}"), Some(200), None));
        }
        let count = "SELECT count(*), min(id) FROM calls";
        assert_eq!(rows(&audit, count).await, ["150 901"]);
        drop(audit);
        let audit = open(&folder);
        assert_eq!(rows(&audit, count).await, ["100 951"]);
    }
}
