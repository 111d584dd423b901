//! How many requests each address may send.

use std::net::IpAddr;
use std::num::NonZeroU32;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// Requests that an address may send in a second, and at once.
const A_SECOND: NonZeroU32 = NonZeroU32::MIN.saturating_add(49);
const AT_ONCE: NonZeroU32 = NonZeroU32::MIN.saturating_add(199);

/// Addresses after which those that are idle are forgotten.
const MOST_ADDRESSES: usize = 10_000;

/// Requests by address.
pub(in super::super) struct Rates(DefaultKeyedRateLimiter<IpAddr>);

impl std::fmt::Debug for Rates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Rates").field(&self.0.len()).finish()
    }
}

impl Default for Rates {
    fn default() -> Self {
        Self(RateLimiter::keyed(Quota::per_second(A_SECOND).allow_burst(AT_ONCE)))
    }
}

impl Rates {
    /// Counts a request; whether the address may send it.
    pub(super) fn admits(&self, address: IpAddr) -> bool {
        let admitted = self.0.check_key(&address).is_ok();
        if self.0.len() > MOST_ADDRESSES {
            self.0.retain_recent();
        }
        admitted
    }
}
