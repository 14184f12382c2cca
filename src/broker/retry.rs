//! When a request is sent once more: where it changes nothing that the first one did not change, and the
//! server was not there or said when to come back.

use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use tokio::time::Instant;

use crate::connect::{Failure, retry_after};

/// Times that a request is sent again.
const RETRIES: u32 = 2;
/// The first pause after a connection that did not come about; each further one is three times as long.
const PAUSE: Duration = Duration::from_millis(100);
/// The longest time that a server is waited for because it said so.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// How often one call may be sent again.
pub(super) struct Retries {
    done: u32,
    is_idempotent: bool,
    end: Instant,
}

impl Retries {
    /// Of a call of this method that has to be answered by `end`.
    pub(super) fn new(method: &Method, end: Instant) -> Self {
        Self {
            done: 0,
            // RFC 9110, section 9.2.2.
            is_idempotent: method.is_idempotent(),
            end,
        }
    }

    /// How long to wait before it is sent again after it could not be sent; `None` where it is not.
    pub(super) fn after_failure(&mut self, failure: &Failure) -> Option<Duration> {
        match failure {
            Failure::Unreachable(_) => self.take(PAUSE * 3_u32.pow(self.done)),
            _ => None,
        }
    }

    /// The same after this answer.
    pub(super) fn after_answer(
        &mut self,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> Option<Duration> {
        if !matches!(status.as_u16(), 429 | 503) {
            return None;
        }
        let wait = retry_after(headers)?;
        if wait > LONGEST_WAIT {
            return None;
        }
        self.take(wait)
    }

    fn take(&mut self, wait: Duration) -> Option<Duration> {
        let in_time = Instant::now() + wait < self.end;
        if !self.is_idempotent || self.done == RETRIES || !in_time {
            return None;
        }
        self.done += 1;
        Some(wait)
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::RETRY_AFTER;

    use super::*;

    fn headers(retry_after: &str) -> HeaderMap {
        HeaderMap::from_iter([(RETRY_AFTER, retry_after.parse().unwrap())])
    }

    fn retries(method: &Method) -> Retries {
        Retries::new(method, Instant::now() + Duration::from_secs(30))
    }

    #[test]
    fn a_server_that_says_when_to_come_back_is_asked_again_then() {
        for (status, retry_after, wait) in [
            (429, "2", Some(2)),
            (503, "0", Some(0)),
            (503, "10", Some(10)),
            (503, "11", None),
            (429, "soon", None),
            (429, "-1", None),
            (500, "1", None),
            (200, "1", None),
        ] {
            let status = StatusCode::from_u16(status).unwrap();
            assert_eq!(
                retries(&Method::GET).after_answer(status, &headers(retry_after)),
                wait.map(Duration::from_secs),
                "{status} {retry_after}"
            );
        }
        let unsaid =
            retries(&Method::GET).after_answer(StatusCode::TOO_MANY_REQUESTS, &HeaderMap::new());
        assert_eq!(unsaid, None);
    }

    #[test]
    fn what_changes_something_each_time_is_sent_once() {
        let refused = Failure::Unreachable("refused".to_owned());
        for method in [Method::POST, Method::PATCH] {
            assert_eq!(retries(&method).after_failure(&refused), None, "{method}");
            let answer =
                retries(&method).after_answer(StatusCode::SERVICE_UNAVAILABLE, &headers("0"));
            assert_eq!(answer, None, "{method}");
        }
        for method in [
            Method::GET,
            Method::HEAD,
            Method::OPTIONS,
            Method::PUT,
            Method::DELETE,
        ] {
            assert_eq!(
                retries(&method).after_failure(&refused),
                Some(PAUSE),
                "{method}"
            );
        }
    }

    #[test]
    fn retries_end() {
        let refused = Failure::Unreachable("refused".to_owned());
        let mut retries = retries(&Method::GET);
        let waits: Vec<_> = std::iter::from_fn(|| retries.after_failure(&refused))
            .take(9)
            .collect();
        assert_eq!(waits, [PAUSE, PAUSE * 3]);
        let mut late = Retries::new(&Method::GET, Instant::now());
        assert_eq!(late.after_failure(&refused), None);
        let broken = Failure::Broken("cut".to_owned());
        assert_eq!(
            Retries::new(&Method::GET, Instant::now() + LONGEST_WAIT).after_failure(&broken),
            None
        );
    }
}
