//! The record of one call, written whatever becomes of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tracing::Span;
use tracing::field::Empty;

use super::{CallRecord, Recorder, Scope};
use crate::sandbox::CallError;

/// How much of a name from outside is kept.
const LONGEST_NAME: usize = 200;

/// A call under way. Dropping it writes the record: of a call that was neither answered nor
/// refused by then, as `cancelled`.
pub(super) struct Recording {
    recorder: Arc<dyn Recorder>,
    record: Option<CallRecord>,
    started: Instant,
    span: Span,
}

impl Recording {
    pub(super) fn start(
        recorder: Arc<dyn Recorder>,
        scope: &Scope,
        server: &str,
        function: &str,
        parent: &Span,
    ) -> Self {
        let record = CallRecord {
            execution_id: scope.execution_id.clone(),
            principal: scope.principal.clone(),
            server: shortened(server),
            function: shortened(function),
            status: None,
            error: Some("cancelled".into()),
            refusal: None,
            elapsed: Duration::ZERO,
        };
        // Its level is the highest, so that it is there whatever is logged.
        let span = tracing::error_span!(
            target: "mce::span",
            parent: parent,
            "call",
            server = record.server.as_str(),
            function = record.function.as_str(),
            status = Empty,
            error = Empty,
            otel.status_code = Empty,
        );
        Self {
            recorder,
            record: Some(record),
            started: Instant::now(),
            span,
        }
    }

    /// The span that the call is made in.
    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }

    /// Notes the status of the answer.
    pub(super) fn answered(&mut self, status: u16) {
        if let Some(record) = &mut self.record {
            record.status = Some(status);
        }
    }

    /// Notes how the call ended.
    pub(super) fn ended(&mut self, error: Option<&CallError>) {
        if let Some(record) = &mut self.record {
            record.error = error.map(|error| error.kind().to_owned());
            record.refusal = match error {
                Some(CallError::Egress { message } | CallError::Limit { message }) => {
                    Some(message.clone())
                }
                _ => None,
            };
        }
    }

    /// Writes no record.
    pub(super) fn forget(&mut self) {
        self.record = None;
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if let Some(mut record) = self.record.take() {
            record.elapsed = self.started.elapsed();
            if let Some(status) = record.status {
                self.span.record("status", status);
            }
            if let Some(error) = &record.error {
                self.span.record("error", error.as_str());
                self.span.record("otel.status_code", "ERROR");
            }
            self.recorder.record(record);
        }
    }
}

/// The one record of `count` calls that were refused for their number. They name no function.
pub(super) fn further(scope: &Scope, count: usize) -> CallRecord {
    CallRecord {
        execution_id: scope.execution_id.clone(),
        principal: scope.principal.clone(),
        server: String::new(),
        function: String::new(),
        status: None,
        error: Some("limit".into()),
        refusal: Some(format!("{count} further calls beyond `MCE_MAX_CALLS`")),
        elapsed: Duration::ZERO,
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_NAME).collect()
}
