//! What is audited, one event after the other: as rows of the database, and as lines of JSON.

use rusqlite::{Connection, params};
use serde::Serialize;

use super::super::clock;
use super::super::database::execute;
use crate::invisible::json_visible;

/// One event of one execution.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// Milliseconds since 1970.
    pub(super) time_ms: i64,
    pub(super) execution_id: String,
    pub(super) principal: String,
    pub(super) event: Event,
}

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event {
    /// An execution begins.
    Began { origin: &'static str },
    /// What the guard says of its code.
    Judged {
        code_sha256: String,
        verdict: &'static str,
    },
    /// Something was refused.
    Refused(Refusal),
    /// A call was made, or refused.
    Called(Call),
    /// An execution ended, with the whole of it in short.
    Ended {
        outcome: &'static str,
        ms: i64,
        #[serde(flatten)]
        summary: Summary,
    },
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Refusal {
    /// `guard`, `lint`, `load` or `broker`.
    pub(super) layer: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) server: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) function: Option<String>,
    pub(super) reason: String,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Call {
    pub(super) server: String,
    pub(super) function: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    pub(super) ms: i64,
}

/// What is known of an execution when it ends.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Summary {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) verdict: Option<&'static str>,
    /// How many calls.
    pub(super) calls: usize,
    /// How many refusals.
    pub(super) refusals: usize,
}

#[derive(Serialize)]
struct Line<'a> {
    time: String,
    execution_id: &'a str,
    principal: &'a str,
    #[serde(flatten)]
    event: &'a Event,
}

impl Entry {
    /// The event as a line of JSON, with its end. Characters that a reader cannot see are spelt out.
    pub(super) fn line(&self) -> String {
        let line = Line {
            time: clock::text(self.time_ms),
            execution_id: &self.execution_id,
            principal: &self.principal,
            event: &self.event,
        };
        // Nothing in it can fail to be JSON.
        let mut text = json_visible(&serde_json::to_string(&line).unwrap_or_default());
        text.push('\n');
        text
    }

    /// Writes the event's row.
    pub(super) fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let Self {
            time_ms,
            execution_id,
            principal,
            event,
        } = self;
        match event {
            Event::Began { origin } => execute(
                connection,
                "INSERT INTO executions (id, time_ms, principal, origin, outcome)
                 VALUES (?1, ?2, ?3, ?4, 'running')",
                params![execution_id, time_ms, principal, origin],
            ),
            Event::Judged {
                code_sha256,
                verdict,
            } => execute(
                connection,
                "UPDATE executions SET code_sha256 = ?2, verdict = ?3 WHERE id = ?1",
                params![execution_id, code_sha256, verdict],
            ),
            Event::Refused(Refusal {
                layer,
                server,
                function,
                reason,
            }) => execute(
                connection,
                "INSERT INTO refusals
                 (execution_id, time_ms, principal, layer, server, function, reason)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    execution_id,
                    time_ms,
                    principal,
                    layer,
                    server,
                    function,
                    reason
                ],
            ),
            Event::Called(call) => execute(
                connection,
                "INSERT INTO calls
                 (execution_id, time_ms, principal, server, function, status, error, ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![
                    execution_id,
                    time_ms,
                    principal,
                    call.server,
                    call.function,
                    call.status,
                    call.error,
                    call.ms
                ],
            ),
            Event::Ended { outcome, ms, .. } => execute(
                connection,
                "UPDATE executions SET outcome = ?2, ms = ?3 WHERE id = ?1",
                params![execution_id, outcome, ms],
            ),
        }?;
        Ok(())
    }
}
