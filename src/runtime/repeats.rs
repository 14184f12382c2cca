//! Whether what failed is what failed before: a model that sends the same again is told so.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::result::{ErrorType, ExecutionResult};

/// Failures of one principal that are remembered.
const OF_ONE: usize = 16;
/// Principals whose failures are remembered.
const MOST_PRINCIPALS: usize = 1_000;

/// The latest failures of each principal, as hashes.
#[derive(Default)]
pub(super) struct Repeats(Mutex<HashMap<String, VecDeque<[u8; 32]>>>);

impl Repeats {
    /// Says so in the hint where `what`, which is code or a call, failed the same way before.
    pub(super) fn note(&self, principal: &str, what: &str, result: &mut ExecutionResult) {
        let (Some(error_type), Some(error)) = (result.error_type, &result.error) else {
            return;
        };
        let Some(advice) = advice(error_type) else {
            return;
        };
        let mut digest = Sha256::new();
        for part in [what, error_type.name(), error] {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part.as_bytes());
        }
        if self.is_known(principal, digest.finalize().into()) {
            result.advise(format!("the same failed in the same way before: {advice}"));
        }
    }

    fn is_known(&self, principal: &str, failure: [u8; 32]) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST_PRINCIPALS && !all.contains_key(principal) {
            all.clear();
        }
        let own = all.entry(principal.to_owned()).or_default();
        let is_known = own.contains(&failure);
        if !is_known {
            if own.len() >= OF_ONE {
                own.pop_front();
            }
            own.push_back(failure);
        }
        is_known
    }
}

/// What to change; `None` where sending the same again may help.
fn advice(error_type: ErrorType) -> Option<&'static str> {
    Some(match error_type {
        ErrorType::Validation => "change the argument that `error` names",
        ErrorType::Size => "make the code shorter",
        ErrorType::Security => "write it without what the violations name",
        ErrorType::Unsupported => "write it without what `error` names",
        ErrorType::Lint => "mend what `lint_output` lists",
        ErrorType::Timeout => "do less at once, or give a higher `timeout`",
        ErrorType::Memory => "keep less in memory at once",
        ErrorType::Pids => "start fewer processes and threads",
        ErrorType::Disk => "write less",
        ErrorType::OutputLimit => "return and print less",
        ErrorType::Execution => "change the line that `traceback` shows",
        ErrorType::Api => "change the arguments of the call, or do without it",
        ErrorType::Egress => "do without the call that was refused, or have the operator allow it",
        ErrorType::CacheMiss => "send the code by `execute_code`",
        ErrorType::Cancelled | ErrorType::Sandbox | ErrorType::Busy | ErrorType::Internal => {
            return None;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(repeats: &Repeats, principal: &str, what: &str, error_type: ErrorType) -> String {
        let mut result = ExecutionResult {
            error: Some("it failed".to_owned()),
            error_type: Some(error_type),
            ..ExecutionResult::default()
        };
        repeats.note(principal, what, &mut result);
        result.hint.unwrap_or_default()
    }

    #[test]
    fn only_the_same_failure_of_the_same_principal_is_a_repeat() {
        let repeats = Repeats::default();
        assert_eq!(hint(&repeats, "ada", "1 / 0", ErrorType::Execution), "");
        assert_eq!(hint(&repeats, "bob", "1 / 0", ErrorType::Execution), "");
        assert_eq!(hint(&repeats, "ada", "2 / 0", ErrorType::Execution), "");
        assert_eq!(hint(&repeats, "ada", "1 / 0", ErrorType::Timeout), "");
        assert_eq!(
            hint(&repeats, "ada", "1 / 0", ErrorType::Execution),
            "the same failed in the same way before: change the line that `traceback` shows"
        );
        for _ in 0..2 {
            assert_eq!(hint(&repeats, "ada", "1", ErrorType::Busy), "");
        }
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let repeats = Repeats::default();
        for number in 0..5_000 {
            let (who, what) = (format!("p{number}"), format!("{number}"));
            hint(&repeats, &who, "1", ErrorType::Api);
            hint(&repeats, "ada", &what, ErrorType::Api);
        }
        let all = repeats.0.lock().unwrap();
        assert!(all.len() <= MOST_PRINCIPALS);
        assert!(all["ada"].len() <= OF_ONE);
    }
}
