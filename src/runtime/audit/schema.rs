//! The audit's tables.

use super::super::database::Schema;

/// The database of the audit.
pub(in crate::runtime) const SCHEMA: Schema = Schema {
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
