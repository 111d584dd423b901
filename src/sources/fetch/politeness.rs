//! One request at a time to a host, a gap between two of them, and so many at once in all. Asked by the fetcher before
//! each hop.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

/// Above so many remembered hosts those at rest are forgotten.
const REMEMBERED_HOSTS: usize = 1024;

/// Held while a request is under way.
#[derive(Debug)]
pub(super) struct Turn {
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

    /// Waits until a request to `host` is in order. The slot comes last: who waits for a host takes none from the others.
    pub(super) async fn turn(&self, host: &str) -> Turn {
        let guard = self.lock_of(host).lock_owned().await;
        if let Some(gap) = &self.gap {
            gap.until_key_ready(&host.to_owned()).await;
        }
        // The semaphore is never closed; were it, fetching on is right.
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok();
        Turn { _host: guard, _slot: slot }
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
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::Politeness;

    #[tokio::test]
    async fn a_host_is_asked_once_at_a_time_and_with_a_gap() {
        let politeness = Arc::new(Politeness::new(Duration::from_millis(80), 8));
        let start = Instant::now();
        drop(politeness.turn("a").await);
        drop(politeness.turn("b").await);
        assert!(start.elapsed() < Duration::from_millis(60), "another host does not wait");
        let held = politeness.turn("a").await;
        assert!(start.elapsed() >= Duration::from_millis(75), "the same host waits for the gap");
        assert!(tokio::time::timeout(Duration::from_millis(150), politeness.turn("a")).await.is_err());
        drop(held);
        drop(politeness.turn("a").await);
    }

    #[tokio::test]
    async fn without_a_gap_nobody_waits() {
        let politeness = Politeness::new(Duration::ZERO, 1);
        for _ in 0..100 {
            drop(politeness.turn("a").await);
        }
    }
}
