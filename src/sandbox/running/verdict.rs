//! What the end of an execution means. What the code says of its end is taken for what it is
//! worth; memory and processes are judged by what the host observed.

use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;

use super::Place;
use crate::sandbox::frames::{FrameError, unpack_plain};
use crate::sandbox::{Failure, FailureKind, Job};
use crate::wire::Value;

/// The longest report of an error that is read; the runner keeps its own much shorter.
const MAX_FAILURE: usize = 256 << 10;

/// How the executing process ended, as the supervisor says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sandbox) struct Ended {
    pub(in crate::sandbox) exit_code: Option<i64>,
    pub(in crate::sandbox) signal: Option<i64>,
    violation: Option<String>,
    pub(in crate::sandbox) truncated: bool,
    /// The temporary file systems to which next to nothing more can be written.
    full: Vec<String>,
}

/// What the code says it ended with.
#[derive(Debug)]
enum Said {
    Result(Value),
    Failure(SaidFailure),
}

impl Said {
    /// Reads `{"result": …}` or `{"failure": …}`.
    fn read(said: &Bytes) -> Result<Self, FrameError> {
        let malformed = |what: &str| FrameError::Message(what.to_owned());
        let Value::Object(mut members) = unpack_plain(said)? else {
            return Err(malformed("it is no object"));
        };
        match (members.pop(), members.is_empty()) {
            (Some((name, value)), true) if name == "result" => Ok(Self::Result(value)),
            (Some((name, value)), true) if name == "failure" => {
                serde_json::from_value(value.into_json())
                    .map(Self::Failure)
                    .map_err(|error| FrameError::Message(error.to_string()))
            }
            _ => Err(malformed("it is neither `result` nor `failure`")),
        }
    }
}

#[derive(Debug, Deserialize)]
struct SaidFailure {
    kind: String,
    message: String,
    traceback: Option<String>,
    hint: Option<String>,
    #[serde(default)]
    refused_process: bool,
    #[serde(default)]
    disk_full: bool,
}

/// What the end of the executing process means.
pub(super) async fn judge<P: Place>(
    place: &mut P,
    ended: &Ended,
    said: Option<&Bytes>,
    job: &Job,
) -> Result<serde_json::Value, Failure> {
    if let Some(violation) = &ended.violation {
        return Err(malformed(&violation));
    }
    let Some(said) = said else {
        return Err(place.no_word(ended).await);
    };
    let size = said.len();
    // The JSON around the result is a few bytes.
    let is_too_large = size > job.max_output_bytes.saturating_add(64);
    // The limit is one of results: an error with its traceback may be longer than a small one.
    if is_too_large && size > MAX_FAILURE {
        return Err(output_limit(job.max_output_bytes));
    }
    match Said::read(said) {
        Ok(Said::Result(_)) if is_too_large => Err(output_limit(job.max_output_bytes)),
        Ok(Said::Result(value)) => Ok(value.into_json()),
        Ok(Said::Failure(said)) => {
            let seen = Seen {
                refused_process: said.refused_process && place.refused_process(),
                full: !ended.full.is_empty(),
            };
            Err(said_failure(said, &seen, job))
        }
        Err(error) => Err(failure(
            FailureKind::Execution,
            format!("the result of the code cannot be read: {error}"),
        )),
    }
}

/// What others than the code saw of limits that it may have run into.
struct Seen {
    /// The kernel refused it a process.
    refused_process: bool,
    /// The supervisor found a temporary file system full.
    full: bool,
}

fn said_failure(said: SaidFailure, seen: &Seen, job: &Job) -> Failure {
    let kind = match said.kind.as_str() {
        "api" => FailureKind::Api,
        "egress" => FailureKind::Egress,
        "unsupported" => FailureKind::Unsupported,
        "output_limit" => return output_limit(job.max_output_bytes),
        // The code's word, and that of another.
        _ if said.refused_process && seen.refused_process => FailureKind::Pids,
        _ if said.disk_full && seen.full => FailureKind::Disk,
        _ => FailureKind::Execution,
    };
    let hint = match kind {
        FailureKind::Pids => Some("start fewer processes and threads at once".to_owned()),
        _ => said.hint,
    };
    Failure {
        kind,
        message: said.message,
        traceback: said.traceback.filter(|text| !text.is_empty()),
        hint,
    }
}

/// The code wrote where only the sandbox does, or what the sandbox does not write.
pub(in crate::sandbox) fn malformed(what: &dyn std::fmt::Display) -> Failure {
    failure(
        FailureKind::Execution,
        format!("the code wrote to a descriptor of the sandbox what does not belong there: {what}"),
    )
}

pub(in crate::sandbox) fn failure(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure {
        kind,
        message: message.into(),
        traceback: None,
        hint: None,
    }
}

pub(super) fn timeout(limit: Duration) -> Failure {
    Failure {
        hint: Some(
            "do less in one execution, make calls concurrently, or ask for more time".to_owned(),
        ),
        ..failure(
            FailureKind::Timeout,
            format!(
                "the code ran longer than {} seconds and was killed",
                limit.as_secs_f64()
            ),
        )
    }
}

pub(in crate::sandbox) fn out_of_memory() -> Failure {
    Failure {
        hint: Some("keep less in memory at once: page, stream or aggregate".to_owned()),
        ..failure(
            FailureKind::Memory,
            "the code ran out of memory and was killed",
        )
    }
}

fn output_limit(limit: usize) -> Failure {
    Failure {
        hint: Some("return less: select fields, filter rows, or aggregate".to_owned()),
        ..failure(
            FailureKind::OutputLimit,
            format!("the result is larger than {limit} bytes"),
        )
    }
}

pub(in crate::sandbox) fn signal_name(signal: i64) -> String {
    let name = match signal {
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        11 => "SIGSEGV",
        15 => "SIGTERM",
        31 => "SIGSYS",
        _ => return format!("signal {signal}"),
    };
    format!("signal {signal} ({name})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(message: &str) -> Result<Said, FrameError> {
        let head = format!(r#"{{"message":{message},"bytes":[]}}"#);
        let mut packed = u32::try_from(head.len()).unwrap().to_be_bytes().to_vec();
        packed.extend_from_slice(head.as_bytes());
        Said::read(&Bytes::from(packed))
    }

    #[test]
    fn a_result_is_what_the_code_gave_whatever_its_keys() {
        let text =
            r#"{"$serde_json::private::Number":"12","z":{"$serde_json::private::RawValue":"[1"}}"#;
        let Ok(Said::Result(value)) = said(&format!(r#"{{"result":{text}}}"#)) else {
            panic!("a result");
        };
        assert_eq!(value.into_json().to_string(), text);
    }

    fn ends_as(said: &str, seen: &Seen) -> FailureKind {
        let said = serde_json::from_str(said).unwrap();
        let job = Job {
            execution_id: String::new(),
            code: String::new(),
            modules: Vec::new(),
            timeout: Duration::ZERO,
            max_output_bytes: 1,
        };
        said_failure(said, seen, &job).kind
    }

    #[test]
    fn the_code_alone_cannot_claim_a_limit_nor_can_a_full_disk_explain_another_error() {
        let none = Seen {
            refused_process: false,
            full: false,
        };
        let both = Seen {
            refused_process: true,
            full: true,
        };
        let disk = r#"{"kind":"execution","message":"m","disk_full":true}"#;
        let pids = r#"{"kind":"execution","message":"m","refused_process":true}"#;
        let plain = r#"{"kind":"execution","message":"m"}"#;
        assert_eq!(ends_as(disk, &none), FailureKind::Execution);
        assert_eq!(ends_as(disk, &both), FailureKind::Disk);
        assert_eq!(ends_as(pids, &none), FailureKind::Execution);
        assert_eq!(ends_as(pids, &both), FailureKind::Pids);
        assert_eq!(ends_as(plain, &both), FailureKind::Execution);
    }

    #[test]
    fn what_is_neither_a_result_nor_a_failure_is_an_error() {
        for message in [
            "null",
            "{}",
            r#"{"result":1,"failure":{}}"#,
            r#"{"other":1}"#,
            r#"{"failure":{"kind":"timeout"}}"#,
            r#"{"failure":{"kind":1,"message":"m"}}"#,
        ] {
            assert!(said(message).is_err(), "{message}");
        }
    }
}
