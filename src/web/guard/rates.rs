//! Limits the rate of requests per address.

use std::net::IpAddr;
use std::num::NonZeroU32;

use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::network_of;

/// Requests per second that an address may send, and at once.
const PER_SECOND: NonZeroU32 = NonZeroU32::MIN.saturating_add(49);
const BURST: NonZeroU32 = NonZeroU32::MIN.saturating_add(199);

/// Number of addresses beyond which idle ones are dropped.
const MAX_ADDRESSES: usize = 10_000;

/// Requests by address.
pub(in super::super) struct Rates(DefaultKeyedRateLimiter<IpAddr>);

impl std::fmt::Debug for Rates {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Rates").field(&self.0.len()).finish()
    }
}

impl Default for Rates {
    fn default() -> Self {
        Self(RateLimiter::keyed(Quota::per_second(PER_SECOND).allow_burst(BURST)))
    }
}

impl Rates {
    /// Counts a request and returns whether it is allowed.
    pub(super) fn admits(&self, address: IpAddr) -> bool {
        let admitted = self.0.check_key(&network_of(address)).is_ok();
        if self.0.len() > MAX_ADDRESSES {
            self.0.retain_recent();
        }
        admitted
    }
}
