//! Limits password attempts: an address with five wrong passwords within a minute has to wait until that minute is
//! over.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::network_of;

const MAX_FAILURES: usize = 5;
const WINDOW: Duration = Duration::from_mins(1);
/// Maximum number of addresses. Beyond it, those that need not wait are dropped, or else any one.
const MAX_ADDRESSES: usize = 10_000;

#[derive(Debug, Default)]
pub(in super::super) struct Throttle {
    failures: Mutex<HashMap<IpAddr, Vec<Instant>>>,
}

impl Throttle {
    /// Counts an attempt as a failure, unless [`Self::succeed`] takes it back: attempts that are checked at the same time
    /// count, too.
    ///
    /// # Errors
    /// The seconds that the address has to wait before it may try.
    pub(in super::super) fn attempt(&self, address: IpAddr, now: Instant) -> Result<(), u64> {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MAX_ADDRESSES {
            failures.retain(|_, times| times.iter().any(|time| now.duration_since(*time) < WINDOW));
        }
        let network = network_of(address);
        if failures.len() >= MAX_ADDRESSES
            && !failures.contains_key(&network)
            && let Some(any) = failures.keys().next().copied()
        {
            failures.remove(&any);
        }
        let times = failures.entry(network).or_default();
        times.retain(|time| now.duration_since(*time) < WINDOW);
        if let Some(place) = times.len().checked_sub(MAX_FAILURES) {
            return Err(WINDOW.saturating_sub(now.duration_since(times[place])).as_secs() + 1);
        }
        times.push(now);
        Ok(())
    }

    /// Takes back the attempt made at `begun`. Earlier wrong passwords still count, as they may be those of another
    /// account.
    pub(in super::super) fn succeed(&self, address: IpAddr, begun: Instant) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(times) = failures.get_mut(&network_of(address)) else { return };
        if let Some(place) = times.iter().position(|time| *time == begun) {
            times.remove(place);
        }
        if times.is_empty() {
            failures.remove(&network_of(address));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_wrong_ones_in_a_minute_make_that_address_wait_and_no_other() {
        let (throttle, begun) = (Throttle::default(), Instant::now());
        let (one, other): (IpAddr, IpAddr) = ([10, 0, 0, 1].into(), [10, 0, 0, 2].into());
        let at = |second| begun + Duration::from_secs(second);
        for second in 0..5 {
            assert_eq!(throttle.attempt(one, at(second)), Ok(()));
        }
        assert_eq!(throttle.attempt(one, at(5)), Err(56));
        assert_eq!(throttle.attempt(other, at(5)), Ok(()));
        assert_eq!(throttle.attempt(one, at(60)), Ok(()), "the first is a minute old");
        assert_eq!(throttle.attempt(one, at(60)), Err(2));
    }

    #[test]
    fn the_addresses_of_one_host_count_together_and_are_forgotten_when_there_are_too_many() {
        let (throttle, begun) = (Throttle::default(), Instant::now());
        let of = |network: u16, host: u16| IpAddr::from([0x2001, 0xdb8, 0, network, 0, 0, 0, host]);
        for host in 0..5 {
            assert_eq!(throttle.attempt(of(1, host), begun), Ok(()));
        }
        assert!(throttle.attempt(of(1, 9), begun).is_err());
        assert_eq!(throttle.attempt(of(2, 9), begun), Ok(()));
        for network in 3..12_000 {
            assert_eq!(throttle.attempt(of(network, 1), begun), Ok(()));
        }
        assert_eq!(throttle.failures.lock().unwrap().len(), MAX_ADDRESSES);
    }

    #[test]
    fn a_right_password_takes_back_its_own_attempt_alone() {
        let (throttle, begun) = (Throttle::default(), Instant::now());
        let one: IpAddr = [10, 0, 0, 1].into();
        let at = |second| begun + Duration::from_secs(second);
        for second in 0..4 {
            throttle.attempt(one, at(second)).unwrap();
        }
        throttle.attempt(one, at(4)).unwrap();
        throttle.succeed(one, at(4));
        assert_eq!(throttle.attempt(one, at(5)), Ok(()));
        assert!(throttle.attempt(one, at(6)).is_err());
    }
}
