//! Points in time as the databases spell them: milliseconds since 1970, UTC.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970; 0 for a clock set before it.
pub(super) fn milliseconds(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).map_or(0, span)
}

/// A length of time in milliseconds.
pub(super) fn span(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}
