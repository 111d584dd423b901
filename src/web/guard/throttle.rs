//! Wrong passwords: an address that gave five within a minute waits until that minute is over.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MOST_WRONG: usize = 5;
const WITHIN: Duration = Duration::from_mins(1);
/// Addresses remembered; beyond it those that are free again are forgotten.
const MOST_ADDRESSES: usize = 10_000;

#[derive(Debug, Default)]
pub(in super::super) struct Throttle {
    wrong: Mutex<HashMap<IpAddr, Vec<Instant>>>,
}

impl Throttle {
    /// Seconds that the address has to wait; nothing where it may try.
    pub(in super::super) fn wait_s(&self, address: IpAddr, now: Instant) -> Option<u64> {
        let wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        let times = wrong.get(&address)?;
        let recent: Vec<&Instant> = times.iter().filter(|time| now.duration_since(**time) < WITHIN).collect();
        let first = recent.len().checked_sub(MOST_WRONG).map(|place| *recent[place])?;
        Some(WITHIN.saturating_sub(now.duration_since(first)).as_secs() + 1)
    }

    pub(in super::super) fn note_wrong(&self, address: IpAddr, now: Instant) {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        if wrong.len() >= MOST_ADDRESSES {
            wrong.retain(|_, times| times.iter().any(|time| now.duration_since(*time) < WITHIN));
        }
        let times = wrong.entry(address).or_default();
        times.retain(|time| now.duration_since(*time) < WITHIN);
        times.push(now);
    }

    pub(in super::super) fn forget(&self, address: IpAddr) {
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner).remove(&address);
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
            throttle.note_wrong(one, begun + Duration::from_secs(second));
        }
        assert_eq!(throttle.wait_s(one, begun + Duration::from_secs(5)), Some(56));
        assert_eq!(throttle.wait_s(other, begun + Duration::from_secs(5)), None);
        assert_eq!(throttle.wait_s(one, begun + Duration::from_secs(61)), None);
        throttle.forget(one);
        assert_eq!(throttle.wait_s(one, begun + Duration::from_secs(5)), None);
    }
}
