//! How many requests a server gets, of all executions together.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::ServerConfig;

/// What bounds the requests to one server.
pub(super) struct Throttle {
    at_once: Option<Arc<Semaphore>>,
    rate: Option<DefaultDirectRateLimiter>,
}

impl fmt::Debug for Throttle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Throttle(…)")
    }
}

impl Throttle {
    /// What `max_concurrent_requests` and `requests_per_second` say.
    pub(super) fn of(config: &ServerConfig) -> Self {
        let at_once = config.max_concurrent_requests;
        let rate = config.requests_per_second.and_then(|rate| {
            let quota = Quota::with_period(Duration::try_from_secs_f64(1.0 / rate).ok()?)?;
            // A second's requests may come at once, so that those of a second are not spread.
            // The config has no rate that is larger.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "what is cut off is part of a request"
            )]
            let burst = NonZeroU32::new(rate as u32).unwrap_or(NonZeroU32::MIN);
            Some(RateLimiter::direct(quota.allow_burst(burst)))
        });
        Self {
            at_once: at_once.map(|most| Arc::new(Semaphore::new(most))),
            rate,
        }
    }

    /// Waits for a turn, which lasts until what is returned is dropped.
    pub(super) async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        let permit = match &self.at_once {
            Some(semaphore) => Arc::clone(semaphore).acquire_owned().await.ok(),
            None => None,
        };
        if let Some(rate) = &self.rate {
            while let Err(later) = rate.check() {
                tokio::time::sleep(later.wait_time_from(DefaultClock::default().now())).await;
            }
        }
        permit
    }
}
