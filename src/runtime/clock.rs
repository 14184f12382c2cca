//! Points in time as the databases spell them: milliseconds since 1970, UTC.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, SecondsFormat};

/// Milliseconds since 1970; 0 for a clock set before it.
pub(super) fn milliseconds(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).map_or(0, span)
}

/// A length of time in milliseconds.
pub(super) fn span(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}

/// A point in time as RFC 3339 spells it, in UTC: `2026-11-30T12:00:00.000Z`.
pub(super) fn text(milliseconds: i64) -> String {
    DateTime::from_timestamp_millis(milliseconds)
        .unwrap_or(DateTime::UNIX_EPOCH)
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}
