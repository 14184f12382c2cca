//! What an execution answers. Empty fields are left out.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::kept::KeptResult;
use crate::guard::{Facts, MainFunction, Violation};
use crate::sandbox::{CallError, FailureKind};

/// The answer to `execute_code`, `run_cached_code` and their like. Always valid JSON, never cut.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ExecutionResult {
    /// Whether the code ran to its end and its result is here.
    pub success: bool,
    /// The value of `main()`, `result` or the last expression; with `truncated`, its shape, counts
    /// and first rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// What the code printed, on failure too.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prints: String,
    /// What the code wrote to stderr.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub stderr: String,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The class of `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_type: Option<ErrorType>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Why the guard refused the code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
    /// The mistakes for which the lint gate refused the code: `line:column: CODE message` a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lint_output: Option<String>,
    /// What the code would use; of a dry run only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<PlannedUse>,
    /// The traceback, cut to the code's own lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
    /// The execution, as the audit names it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub execution_id: String,
    /// The session that goes on, where the code ran in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// `docker` or `embedded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<&'static str>,
    /// Time the code took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution_time_ms: Option<u64>,
    /// Runs the same code again by `run_cached_code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_id: Option<String>,
    /// The calls the host made or refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallSummary>,
    /// Whether `data`, `prints` or `stderr` are less than the whole.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// Where all of `data` is, where it is only the shape and first rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<KeptResult>,
}

impl ExecutionResult {
    /// Adds to what to do next.
    /// Whether code ran to its end and nothing came of it that anybody can see.
    pub(super) fn says_nothing(&self) -> bool {
        self.success
            && self.data.as_ref().is_none_or(Value::is_null)
            && self.prints.is_empty()
            && self.stderr.is_empty()
    }

    pub(super) fn advise(&mut self, hint: impl Into<String>) {
        let hint = hint.into();
        self.hint = Some(match self.hint.take() {
            Some(before) => format!("{before}; {hint}"),
            None => hint,
        });
    }
}

/// The classes of failure a client can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorType {
    /// The request itself is wrong: an argument is missing, unknown or of the wrong type.
    Validation,
    /// The code is too long.
    Size,
    /// The guard or the load check refused.
    Security,
    /// The lint gate found a mistake.
    Lint,
    /// The embedded sandbox has not all of Python, and not what the code uses.
    Unsupported,
    /// The time limit.
    Timeout,
    /// The memory limit.
    Memory,
    /// The process limit.
    Pids,
    /// A full temporary file system.
    Disk,
    /// The result is larger than may leave the sandbox.
    OutputLimit,
    /// Cancelled by the client.
    Cancelled,
    /// The code raised.
    Execution,
    /// An API answered with an error the code did not handle.
    Api,
    /// The host refused a call the code did not handle.
    Egress,
    /// There is no sandbox, or it is not proven.
    Sandbox,
    /// All places are taken.
    Busy,
    /// No cached code has this id.
    CacheMiss,
    /// A fault of MCE.
    Internal,
}

impl ErrorType {
    /// The name as it is spelt in results and in the audit.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Validation => "validation",
            Self::Size => "size",
            Self::Security => "security",
            Self::Lint => "lint",
            Self::Unsupported => "unsupported",
            Self::Timeout => "timeout",
            Self::Memory => "memory",
            Self::Pids => "pids",
            Self::Disk => "disk",
            Self::OutputLimit => "output_limit",
            Self::Cancelled => "cancelled",
            Self::Execution => "execution",
            Self::Api => "api",
            Self::Egress => "egress",
            Self::Sandbox => "sandbox",
            Self::Busy => "busy",
            Self::CacheMiss => "cache_miss",
            Self::Internal => "internal",
        }
    }
}

impl From<FailureKind> for ErrorType {
    fn from(kind: FailureKind) -> Self {
        match kind {
            FailureKind::Execution => Self::Execution,
            FailureKind::Api => Self::Api,
            FailureKind::Egress => Self::Egress,
            FailureKind::Timeout => Self::Timeout,
            FailureKind::Memory => Self::Memory,
            FailureKind::Pids => Self::Pids,
            FailureKind::Disk => Self::Disk,
            FailureKind::OutputLimit => Self::OutputLimit,
            FailureKind::Unsupported => Self::Unsupported,
            FailureKind::Sandbox => Self::Sandbox,
            FailureKind::Internal => Self::Internal,
        }
    }
}

impl From<&CallError> for ErrorType {
    fn from(error: &CallError) -> Self {
        match error {
            CallError::Argument { .. } => Self::Validation,
            CallError::Api { .. } | CallError::Network { .. } | CallError::Http { .. } => Self::Api,
            CallError::Egress { .. } | CallError::Limit { .. } => Self::Egress,
            CallError::Internal { .. } => Self::Internal,
        }
    }
}

/// What code would use, from its text alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PlannedUse {
    /// Servers it imports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<String>,
    /// Functions it names, as `server.function`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<String>,
    /// Those of them that may change something, by their HTTP method.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mutating: Vec<String>,
    /// Names that `run_cached_code` can give other values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<String>,
    /// The `main` it defines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main: Option<MainFunction>,
}

impl From<&Facts> for PlannedUse {
    fn from(facts: &Facts) -> Self {
        Self {
            servers: facts.servers.iter().cloned().collect(),
            functions: facts
                .functions
                .iter()
                .map(|(server, function)| format!("{server}.{function}"))
                .collect(),
            mutating: Vec::new(),
            parameters: facts
                .parameters
                .iter()
                .map(|parameter| parameter.name.clone())
                .collect(),
            main: facts.main,
        }
    }
}

/// A call the host made or refused, or several alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallSummary {
    /// The server named.
    pub server: String,
    /// The function named.
    pub function: String,
    /// The HTTP status, where one came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The class of the failure, where it failed: `argument`, `api`, `network`, `egress`, `limit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Milliseconds from when the code asked until it was answered, waiting for a place included; of
    /// all together.
    pub ms: u64,
    /// How many calls this stands for, where more than one.
    #[serde(skip_serializing_if = "is_one")]
    pub count: usize,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_one(count: &usize) -> bool {
    *count == 1
}

/// Beyond this many calls, those alike are reported together.
const LISTED_CALLS: usize = 20;

/// Lists few calls one by one and counts many by server, function, status and failure.
pub(super) fn summarise(calls: Vec<CallSummary>) -> Vec<CallSummary> {
    if calls.len() <= LISTED_CALLS {
        return calls;
    }
    let mut groups: Vec<CallSummary> = Vec::new();
    for call in calls {
        let alike = groups.iter_mut().find(|group| {
            group.server == call.server
                && group.function == call.function
                && group.status == call.status
                && group.error == call.error
        });
        if let Some(group) = alike {
            group.count += call.count;
            group.ms = group.ms.saturating_add(call.ms);
        } else if groups.len() < LISTED_CALLS {
            groups.push(call);
        }
        // Names come from the code: a loop over made-up ones must not make a long answer.
    }
    groups
}

/// A failure before the code ran, or instead of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub(super) error_type: ErrorType,
    pub(super) message: String,
    pub(super) hint: Option<String>,
    pub(super) violations: Vec<Violation>,
    pub(super) lint_output: Option<String>,
}

impl Refusal {
    pub(super) fn new(error_type: ErrorType, message: impl Into<String>) -> Self {
        Self {
            error_type,
            message: message.into(),
            hint: None,
            violations: Vec::new(),
            lint_output: None,
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A fault of MCE; the cause goes to the log, with the execution's id.
    pub(super) fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "an execution failed inside MCE");
        Self::new(
            ErrorType::Internal,
            "MCE itself failed; its log has the cause",
        )
    }
}

/// Whole milliseconds.
pub(super) fn milliseconds(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(function: &str, status: u16) -> CallSummary {
        CallSummary {
            server: "pets".to_owned(),
            function: function.to_owned(),
            status: Some(status),
            error: None,
            ms: 2,
            count: 1,
        }
    }

    #[test]
    fn an_empty_result_is_nothing_but_its_success() {
        assert_eq!(
            serde_json::to_string(&ExecutionResult::default()).unwrap(),
            r#"{"success":false}"#
        );
    }

    #[test]
    fn error_types_serialise_as_they_are_named() {
        for error_type in [
            ErrorType::Lint,
            ErrorType::OutputLimit,
            ErrorType::CacheMiss,
            ErrorType::Pids,
            ErrorType::Sandbox,
        ] {
            assert_eq!(serde_json::to_value(error_type).unwrap(), error_type.name());
        }
    }

    #[test]
    fn few_calls_are_listed_and_many_counted() {
        let few = vec![call("get_pet", 200); 3];
        assert_eq!(summarise(few.clone()), few);
        let mut many = vec![call("get_pet", 200); 30];
        many.push(call("get_pet", 404));
        let summary = summarise(many);
        let counted: Vec<_> = summary
            .iter()
            .map(|group| (group.status, group.count, group.ms))
            .collect();
        assert_eq!(counted, [(Some(200), 30, 60), (Some(404), 1, 2)]);
    }

    #[test]
    fn made_up_names_do_not_lengthen_the_summary() {
        let many = (0..500).map(|n| call(&format!("f{n}"), 200)).collect();
        assert_eq!(summarise(many).len(), LISTED_CALLS);
    }
}
