//! Limits password attempts: an address with five wrong passwords within a minute has to wait until that minute is
//! over.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MAX_FAILURES: usize = 5;
const WINDOW: Duration = Duration::from_mins(1);
/// Number of addresses beyond which those that need not wait are dropped.
const MAX_ADDRESSES: usize = 10_000;

#[derive(Debug, Default)]
pub(in super::super) struct Throttle {
    failures: Mutex<HashMap<IpAddr, Vec<Instant>>>,
}

impl Throttle {
    /// Returns the seconds that the address has to wait; `None` if it may try.
    pub(in super::super) fn wait_s(&self, address: IpAddr, now: Instant) -> Option<u64> {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let times = failures.get(&address)?;
        let recent: Vec<&Instant> = times.iter().filter(|time| now.duration_since(**time) < WINDOW).collect();
        let first = recent.len().checked_sub(MAX_FAILURES).map(|place| *recent[place])?;
        Some(WINDOW.saturating_sub(now.duration_since(first)).as_secs() + 1)
    }

    pub(in super::super) fn record_failure(&self, address: IpAddr, now: Instant) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MAX_ADDRESSES {
            failures.retain(|_, times| times.iter().any(|time| now.duration_since(*time) < WINDOW));
        }
        let times = failures.entry(address).or_default();
        times.retain(|time| now.duration_since(*time) < WINDOW);
        times.push(now);
    }

    pub(in super::super) fn forget(&self, address: IpAddr) {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).remove(&address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_wrong_ones_in_a_minute_make_that_address_wait_and_no_other() {
        let (throttle, begun) = (Throttle::default(), Instant::now());
        let (one, other): (IpAddr, IpAddr) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
        for second in 0..5 {
            assert_eq!(throttle.wait_s(one, begun + Duration::from_secs(second)), None);
            throttle.record_failure(one, begun + Duration::from_secs(second));
        }
        assert_eq!(throttle.wait_s(one, begun + Duration::from_secs(5)), Some(56));
        assert_eq!(throttle.wait_s(other, begun + Duration::from_secs(5)), None);
        assert_eq!(throttle.wait_s(one, begun + Duration::from_secs(61)), None);
        throttle.forget(one);
        assert_eq!(throttle.wait_s(one, begun + Duration::from_secs(5)), None);
    }
}
