//! The audit as it is read: by other processes than the one that writes it, while that runs.

use std::fmt::Write as _;
use std::path::Path;
use std::time::SystemTime;

use rusqlite::types::ToSql;
use rusqlite::{Connection, Row, params};
use serde::Serialize;

use super::super::clock;
use super::super::database::{self, DatabaseState, Error, open_to_read};
use super::schema::SCHEMA;

/// Looks whether the audit is whole. Nothing is made or changed.
///
/// # Errors
/// A file that is no audit of this version.
pub fn look_at_audit(path: &Path) -> Result<DatabaseState, Error> {
    database::look(path, &SCHEMA)
}

/// Which executions are wanted. Without anything all of them, the latest first.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Begun at this time or later.
    pub since: Option<SystemTime>,
    /// Of this principal.
    pub principal: Option<String>,
    /// That called this server, or were refused it.
    pub server: Option<String>,
    /// That called this function, or were refused it.
    pub function: Option<String>,
    /// That ended so: `success`, the class of a failure, or `running`.
    pub outcome: Option<String>,
    /// In which something was refused.
    pub refused: bool,
    /// As many at most.
    pub limit: usize,
}

/// An execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditedExecution {
    /// Its identifier, as its result has it.
    pub id: String,
    /// When it began: RFC 3339, UTC.
    pub time: String,
    /// Whose it was.
    pub principal: String,
    /// `code`, `cached`, `dry_run` or `call`.
    pub origin: String,
    /// SHA-256 of the code; none of a call without code.
    pub code_sha256: Option<String>,
    /// What the guard said: `passed` or `refused`.
    pub verdict: Option<String>,
    /// `success`, the class of the failure, or `running`, which is also what is left of an execution
    /// whose process was killed.
    pub outcome: String,
    /// How long it took; none while it runs.
    pub ms: Option<i64>,
    /// How many calls it made.
    pub calls: u32,
    /// How many times something was refused to it.
    pub refusals: u32,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditedCall {
    /// When it ended: RFC 3339, UTC.
    pub time: String,
    /// The server named.
    pub server: String,
    /// The function named.
    pub function: String,
    /// The HTTP status, where one came.
    pub status: Option<u16>,
    /// The class of the failure.
    pub error: Option<String>,
    /// Milliseconds.
    pub ms: i64,
}

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditedRefusal {
    /// When: RFC 3339, UTC.
    pub time: String,
    /// What refused: `guard`, `lint`, `load` or `broker`.
    pub layer: String,
    /// The server named, where one was.
    pub server: Option<String>,
    /// The function named, where one was.
    pub function: Option<String>,
    /// Why.
    pub reason: String,
}

/// An execution with all that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditedDetail {
    /// The execution.
    pub execution: AuditedExecution,
    /// Its calls, as many as are kept, in order.
    pub calls: Vec<AuditedCall>,
    /// Its refusals, as many as are kept, in order.
    pub refusals: Vec<AuditedRefusal>,
}

/// The audit, opened to be read.
#[derive(Debug)]
pub struct AuditReader {
    connection: Connection,
}

/// The columns of an [`AuditedExecution`].
const COLUMNS: &str =
    "executions.id, executions.time_ms, executions.principal, origin, code_sha256,
    verdict, outcome, ms,
    (SELECT count(*) FROM calls WHERE execution_id = executions.id),
    (SELECT count(*) FROM refusals WHERE execution_id = executions.id)";

impl AuditReader {
    /// Opens the database. Whoever writes it is not disturbed, and nothing is made or changed.
    ///
    /// # Errors
    /// There is none, or it is not the audit of this version.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let connection = open_to_read(path, &SCHEMA)?;
        Ok(Self { connection })
    }

    /// The executions that a filter lets through, the latest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn executions(&self, filter: &AuditFilter) -> Result<Vec<AuditedExecution>, Error> {
        let mut conditions = String::from("true");
        let mut values: Vec<Box<dyn ToSql>> = Vec::new();
        let mut bind = |value: Box<dyn ToSql>| {
            values.push(value);
            values.len()
        };
        if let Some(since) = filter.since {
            let number = bind(Box::new(clock::milliseconds(since)));
            let _ = write!(conditions, " AND time_ms >= ?{number}");
        }
        let exact = [
            ("principal", &filter.principal),
            ("outcome", &filter.outcome),
        ];
        for (column, value) in exact {
            if let Some(value) = value {
                let number = bind(Box::new(value.clone()));
                let _ = write!(conditions, " AND {column} = ?{number}");
            }
        }
        let mut named = String::new();
        for (column, value) in [("server", &filter.server), ("function", &filter.function)] {
            if let Some(value) = value {
                let number = bind(Box::new(value.clone()));
                let _ = write!(named, " AND {column} = ?{number}");
            }
        }
        if !named.is_empty() {
            let _ = write!(
                conditions,
                " AND (EXISTS (SELECT 1 FROM calls WHERE execution_id = executions.id{named})
                   OR EXISTS (SELECT 1 FROM refusals WHERE execution_id = executions.id{named}))"
            );
        }
        if filter.refused {
            conditions.push_str(
                " AND EXISTS (SELECT 1 FROM refusals WHERE execution_id = executions.id)",
            );
        }
        let limit = bind(Box::new(i64::try_from(filter.limit).unwrap_or(i64::MAX)));
        let query = format!(
            "SELECT {COLUMNS} FROM executions WHERE {conditions}
             ORDER BY time_ms DESC, executions.rowid DESC LIMIT ?{limit}"
        );
        let mut statement = self.connection.prepare(&query)?;
        let rows = statement.query_map(rusqlite::params_from_iter(values), execution)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The executions whose identifier begins so, two at most, with all that belongs to them.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn details(&self, beginning: &str) -> Result<Vec<AuditedDetail>, Error> {
        let mut statement = self.connection.prepare(&format!(
            "SELECT {COLUMNS} FROM executions
             WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id LIMIT 2"
        ))?;
        let found: Vec<AuditedExecution> = statement
            .query_map([beginning], execution)?
            .collect::<Result<_, _>>()?;
        found
            .into_iter()
            .map(|execution| self.detail(execution))
            .collect()
    }

    fn detail(&self, execution: AuditedExecution) -> Result<AuditedDetail, Error> {
        let mut statement = self.connection.prepare(
            "SELECT time_ms, server, function, status, error, ms FROM calls
             WHERE execution_id = ?1 ORDER BY id",
        )?;
        let calls = statement.query_map(params![execution.id], |row| {
            Ok(AuditedCall {
                time: clock::text(row.get(0)?),
                server: row.get(1)?,
                function: row.get(2)?,
                // What is none was not written by this program.
                status: row
                    .get::<_, Option<i64>>(3)?
                    .and_then(|it| it.try_into().ok()),
                error: row.get(4)?,
                ms: row.get(5)?,
            })
        })?;
        let calls = calls.collect::<Result<_, _>>()?;
        let mut statement = self.connection.prepare(
            "SELECT time_ms, layer, server, function, reason FROM refusals
             WHERE execution_id = ?1 ORDER BY id",
        )?;
        let refusals = statement.query_map(params![execution.id], |row| {
            Ok(AuditedRefusal {
                time: clock::text(row.get(0)?),
                layer: row.get(1)?,
                server: row.get(2)?,
                function: row.get(3)?,
                reason: row.get(4)?,
            })
        })?;
        let refusals = refusals.collect::<Result<_, _>>()?;
        Ok(AuditedDetail {
            execution,
            calls,
            refusals,
        })
    }
}

fn execution(row: &Row<'_>) -> rusqlite::Result<AuditedExecution> {
    Ok(AuditedExecution {
        id: row.get(0)?,
        time: clock::text(row.get(1)?),
        principal: row.get(2)?,
        origin: row.get(3)?,
        code_sha256: row.get(4)?,
        verdict: row.get(5)?,
        outcome: row.get(6)?,
        ms: row.get(7)?,
        calls: row.get(8)?,
        refusals: row.get(9)?,
    })
}
