//! Spans: one around each execution, so that every line of the log within it carries its id, and what
//! is exported of it. Never code, arguments or secrets.

use tracing::Span;
use tracing::field::Empty;

use super::audit::{Origin, Subject};
use super::result::ErrorType;

/// The span of an execution. Its level is the highest, so that it is there whatever is logged.
pub(super) fn execution(subject: &Subject, origin: Origin) -> Span {
    tracing::error_span!(
        target: "mce::span",
        "execution",
        execution_id = subject.execution_id.as_str(),
        principal = subject.principal.as_str(),
        origin = origin.name(),
        outcome = Empty,
        otel.status_code = Empty,
    )
}

/// Notes how an execution ended.
pub(super) fn ended(span: &Span, failure: Option<ErrorType>) {
    span.record("outcome", failure.map_or("success", ErrorType::name));
    if failure.is_some() {
        span.record("otel.status_code", "ERROR");
    }
}
