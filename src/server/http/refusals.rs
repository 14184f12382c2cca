//! Refused requests on the log: why, and where they came from; never what they brought. However many
//! come, the log stays readable.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::access::Foreign;
use super::keys::Denied;

/// Time between two lines for one reason.
const EVERY: Duration = Duration::from_secs(10);

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub(super) enum Reason {
    /// It is meant for another server, or sent by a page that may not.
    #[error(transparent)]
    Foreign(#[from] Foreign),
    /// Nobody is known to have sent it.
    #[error(transparent)]
    Denied(#[from] Denied),
}

/// What was said of the refusals of one reason.
#[derive(Debug, Clone, Copy)]
struct Said {
    at: Instant,
    /// Those that came after it.
    since: u64,
}

/// The refusals of one server.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    said: Mutex<BTreeMap<Reason, Said>>,
}

impl Refusals {
    /// Says that a request of `peer` is refused, unless the same was said just now.
    pub(super) fn note(&self, reason: impl Into<Reason>, peer: SocketAddr) {
        let reason = reason.into();
        if let Some(others) = self.count(reason, Instant::now()) {
            tracing::warn!(%peer, %reason, refused_since_the_last_line = others, "a request was refused");
        }
    }

    /// How many were refused for this reason since that was last said, where it is time to say it.
    fn count(&self, reason: Reason, now: Instant) -> Option<u64> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(said) = said.get_mut(&reason)
            && now.saturating_duration_since(said.at) < EVERY
        {
            said.since = said.since.saturating_add(1);
            return None;
        }
        let new = Said { at: now, since: 0 };
        Some(said.insert(reason, new).map_or(0, |before| before.since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_is_said_once_in_a_while_with_how_many_there_were() {
        let refusals = Refusals::default();
        let begun = Instant::now();
        let wrong = |seconds| {
            let now = begun + Duration::from_secs(seconds);
            refusals.count(Denied::Wrong.into(), now)
        };
        assert_eq!(wrong(0), Some(0));
        for _ in 0..1000 {
            assert_eq!(wrong(9), None);
        }
        let of_another = refusals.count(Foreign::Origin.into(), begun);
        assert_eq!(of_another, Some(0), "another reason waits for none");
        assert_eq!(wrong(10), Some(1000));
        assert_eq!(wrong(19), None);
        assert_eq!(wrong(21), Some(1));
    }
}
