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
    use std::time::{Duration, Instant};

    use super::{Politeness, Turn};

    /// Time enough for whatever does not wait, on however slow a machine.
    const AMPLE: Duration = Duration::from_secs(20);

    async fn takes_its_turn(politeness: &Politeness, host: &str) -> Turn {
        tokio::time::timeout(AMPLE, politeness.turn(host)).await.expect("it is this host's turn")
    }

    async fn waits(politeness: &Politeness, host: &str) {
        let turn = tokio::time::timeout(Duration::from_millis(100), politeness.turn(host)).await;
        assert!(turn.is_err(), "{host} has to wait");
    }

    #[tokio::test]
    async fn a_host_is_asked_once_at_a_time() {
        let politeness = Politeness::new(Duration::ZERO, 8);
        let held = takes_its_turn(&politeness, "a").await;
        waits(&politeness, "a").await;
        drop(takes_its_turn(&politeness, "b").await);
        drop(held);
        drop(takes_its_turn(&politeness, "a").await);
    }

    #[tokio::test]
    async fn a_host_is_asked_with_a_gap_and_another_does_not_wait_for_it() {
        let politeness = Politeness::new(Duration::from_mins(10), 8);
        drop(takes_its_turn(&politeness, "a").await);
        waits(&politeness, "a").await;
        drop(takes_its_turn(&politeness, "b").await);
        let (gap, least, start) = (Duration::from_millis(200), Duration::from_millis(190), Instant::now());
        let politeness = Politeness::new(gap, 8);
        drop(takes_its_turn(&politeness, "a").await);
        drop(takes_its_turn(&politeness, "a").await);
        assert!(start.elapsed() >= least, "{:?}", start.elapsed());
    }

    #[tokio::test]
    async fn so_many_hosts_are_asked_at_once() {
        let politeness = Politeness::new(Duration::ZERO, 2);
        let held = [takes_its_turn(&politeness, "a").await, takes_its_turn(&politeness, "b").await];
        waits(&politeness, "c").await;
        drop(held);
        drop(takes_its_turn(&politeness, "c").await);
    }

    /// With a gap of a millisecond only, these would take longer than is allowed.
    #[tokio::test]
    async fn without_a_gap_nobody_waits() {
        let politeness = Politeness::new(Duration::ZERO, 1);
        let all = async {
            for _ in 0..50_000 {
                drop(politeness.turn("a").await);
            }
        };
        tokio::time::timeout(AMPLE, all).await.expect("nobody waits");
    }
}
