//! Limits requests: one at a time per host, a gap between two of them, and a maximum number in total. Called by the
//! fetcher before each hop.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

/// Above this number of hosts, idle ones are removed.
const REMEMBERED_HOSTS: usize = 1024;

/// Held while a request is under way.
#[derive(Debug)]
pub(super) struct Permit {
    _host: OwnedMutexGuard<()>,
    _slot: Option<OwnedSemaphorePermit>,
}

pub(super) struct Politeness {
    hosts: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    gap: Option<DefaultKeyedRateLimiter<String>>,
    slots: Arc<Semaphore>,
}

impl Politeness {
    /// A `gap` of zero means none; a `concurrency` of zero counts as one.
    pub(super) fn new(gap: Duration, concurrency: usize) -> Self {
        let gap = Quota::with_period(gap).map(|quota| RateLimiter::keyed(quota.allow_burst(NonZeroU32::MIN)));
        Self { hosts: Mutex::default(), gap, slots: Arc::new(Semaphore::new(concurrency.max(1))) }
    }

    /// Waits until a request to `host` is allowed. The slot is acquired last, so that waiting for a host takes no slot
    /// from others.
    pub(super) async fn permit(&self, host: &str) -> Permit {
        let guard = self.lock_of(host).lock_owned().await;
        if let Some(gap) = &self.gap {
            gap.until_key_ready(&host.to_owned()).await;
        }
        // The semaphore is never closed; if it were, continuing would be right.
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok();
        Permit { _host: guard, _slot: slot }
    }

    fn lock_of(&self, host: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() > REMEMBERED_HOSTS {
            hosts.retain(|_, lock| Arc::strong_count(lock) > 1);
            if let Some(gap) = &self.gap {
                gap.retain_recent();
            }
        }
        Arc::clone(hosts.entry(host.to_owned()).or_default())
    }
}

impl std::fmt::Debug for Politeness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Politeness").field("slots", &self.slots.available_permits()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Permit, Politeness};

    /// Enough time for anything that does not wait, even on a slow machine.
    const AMPLE: Duration = Duration::from_secs(20);

    async fn acquires(politeness: &Politeness, host: &str) -> Permit {
        tokio::time::timeout(AMPLE, politeness.permit(host)).await.expect("it is this host's turn")
    }

    async fn waits(politeness: &Politeness, host: &str) {
        let permit = tokio::time::timeout(Duration::from_millis(100), politeness.permit(host)).await;
        assert!(permit.is_err(), "{host} has to wait");
    }

    #[tokio::test]
    async fn a_host_gets_one_request_at_a_time() {
        let politeness = Politeness::new(Duration::ZERO, 8);
        let held = acquires(&politeness, "a").await;
        waits(&politeness, "a").await;
        drop(acquires(&politeness, "b").await);
        drop(held);
        drop(acquires(&politeness, "a").await);
    }

    #[tokio::test]
    async fn a_gap_delays_only_the_same_host() {
        let politeness = Politeness::new(Duration::from_mins(10), 8);
        drop(acquires(&politeness, "a").await);
        waits(&politeness, "a").await;
        drop(acquires(&politeness, "b").await);
        let (gap, least, start) = (Duration::from_millis(200), Duration::from_millis(190), Instant::now());
        let politeness = Politeness::new(gap, 8);
        drop(acquires(&politeness, "a").await);
        drop(acquires(&politeness, "a").await);
        assert!(start.elapsed() >= least, "{:?}", start.elapsed());
    }

    #[tokio::test]
    async fn the_number_of_concurrent_hosts_is_limited() {
        let politeness = Politeness::new(Duration::ZERO, 2);
        let held = [acquires(&politeness, "a").await, acquires(&politeness, "b").await];
        waits(&politeness, "c").await;
        drop(held);
        drop(acquires(&politeness, "c").await);
    }

    /// Even with a gap of one millisecond, these would take longer than allowed.
    #[tokio::test]
    async fn without_a_gap_no_request_waits() {
        let politeness = Politeness::new(Duration::ZERO, 1);
        let all = async {
            for _ in 0..50_000 {
                drop(politeness.permit("a").await);
            }
        };
        tokio::time::timeout(AMPLE, all).await.expect("nobody waits");
    }
}
