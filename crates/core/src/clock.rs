//! The only source of the current time.
//!
//! Code that decides what a digest contains uses [`Clock::now`], which `AHA_NOW` can pin. Leases and politeness between
//! live processes need real elapsed time and use [`Clock::wall`].

use std::time::{SystemTime, UNIX_EPOCH};

use crate::time::Timestamp;

/// Source of the current time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock {
    pinned: Option<Timestamp>,
}

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub const fn system() -> Self {
        Self { pinned: None }
    }

    /// A clock that always returns `at` (`AHA_NOW`).
    #[must_use]
    pub const fn pinned(at: Timestamp) -> Self {
        Self { pinned: Some(at) }
    }

    /// Whether the time is pinned by `AHA_NOW`.
    #[must_use]
    pub const fn is_pinned(&self) -> bool {
        self.pinned.is_some()
    }

    /// Returns the product's time, which decides windows, recency and stored times.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.pinned.unwrap_or_else(|| self.wall())
    }

    /// Returns the machine's time, ignoring `AHA_NOW`. Leases need it, because live processes hold them against each
    /// other.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that may ask the machine for the time")]
    pub fn wall(&self) -> Timestamp {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
    }
}
