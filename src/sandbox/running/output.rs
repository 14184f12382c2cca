//! What the code printed, bounded while it comes in.

use std::time::Duration;

use crate::sandbox::{Failure, Outcome};

/// Prints and stderr of one execution.
#[derive(Debug)]
pub(super) struct Output {
    limit: usize,
    prints: Vec<u8>,
    complaints: Vec<u8>,
    /// Whether anything was cut.
    pub(super) truncated: bool,
}

impl Output {
    /// An empty output that holds at most `limit` bytes.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            prints: Vec::new(),
            complaints: Vec::new(),
            truncated: false,
        }
    }

    /// Takes bytes of stdout.
    pub(super) fn print(&mut self, bytes: &[u8]) {
        let kept = self.room_for(bytes);
        self.prints.extend_from_slice(kept);
    }

    /// Takes bytes of stderr.
    pub(super) fn complain(&mut self, bytes: &[u8]) {
        let kept = self.room_for(bytes);
        self.complaints.extend_from_slice(kept);
    }

    fn room_for<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let room = self
            .limit
            .saturating_sub(self.prints.len() + self.complaints.len());
        self.truncated |= bytes.len() > room;
        bytes.get(..room).unwrap_or(bytes)
    }

    /// Puts the outcome together. The result has the first claim on the limit.
    pub(super) fn into_outcome(
        mut self,
        result: Result<serde_json::Value, Failure>,
        elapsed: Duration,
    ) -> Outcome {
        let taken = result.as_ref().map_or(0, json_size);
        let mut room = self.limit.saturating_sub(taken);
        let prints = cut(self.prints, &mut room, &mut self.truncated);
        let stderr = cut(self.complaints, &mut room, &mut self.truncated);
        Outcome {
            result,
            prints,
            stderr,
            truncated: self.truncated,
            elapsed,
        }
    }
}

fn json_size(value: &serde_json::Value) -> usize {
    serde_json::to_vec(value).map_or(0, |json| json.len())
}

/// The text of the first bytes that there is room for; a character is not cut in two.
fn cut(mut bytes: Vec<u8>, room: &mut usize, truncated: &mut bool) -> String {
    if bytes.len() > *room {
        *truncated = true;
        bytes.truncate(*room);
    }
    *room -= bytes.len();
    if *truncated
        && let Err(error) = std::str::from_utf8(&bytes)
        && error.error_len().is_none()
    {
        bytes.truncate(error.valid_up_to());
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::FailureKind;

    fn failure() -> Failure {
        Failure {
            kind: FailureKind::Execution,
            message: "it failed".to_owned(),
            traceback: None,
            hint: None,
        }
    }

    #[test]
    fn the_result_comes_before_the_prints() {
        let mut output = Output::new(10);
        output.print(b"12345678");
        let outcome = output.into_outcome(Ok("abc".into()), Duration::ZERO);
        assert_eq!(outcome.prints, "12345");
        assert!(outcome.truncated);
    }

    #[test]
    fn stdout_and_stderr_share_one_limit_and_no_character_is_cut_in_two() {
        let mut output = Output::new(6);
        output.print("éé".as_bytes());
        output.complain("éé".as_bytes());
        output.print(b"x");
        let outcome = output.into_outcome(Err(failure()), Duration::ZERO);
        assert_eq!(
            (outcome.prints.as_str(), outcome.stderr.as_str()),
            ("éé", "é")
        );
        assert!(outcome.truncated);
    }

    #[test]
    fn what_fits_is_not_cut() {
        let mut output = Output::new(5);
        output.print(b"hello");
        let outcome = output.into_outcome(Err(failure()), Duration::ZERO);
        assert_eq!(
            (outcome.prints.as_str(), outcome.truncated),
            ("hello", false)
        );
    }
}
