//! When a server wants to be asked again.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, RETRY_AFTER};

/// How long to wait by `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date.
#[must_use]
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    wanted(text.trim(), SystemTime::now())
}

fn wanted(text: &str, now: SystemTime) -> Option<Duration> {
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Mon, 30 Nov 2026 12:00:00 GMT").unwrap();
        for (text, seconds) in [
            ("120", Some(120)),
            ("Mon, 30 Nov 2026 12:00:07 GMT", Some(7)),
            ("Mon, 30 Nov 2026 11:00:00 GMT", Some(0)),
            ("-1", None),
            ("soon", None),
        ] {
            assert_eq!(
                wanted(text, now),
                seconds.map(Duration::from_secs),
                "{text}"
            );
        }
    }
}
