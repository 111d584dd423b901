//! The only source of "now".
//!
//! Everything that decides what a digest contains asks [`Clock::now`], which `AHA_NOW` can pin. Leases and politeness
//! between live processes need real elapsed time instead and ask [`Clock::wall`].

use std::time::{SystemTime, UNIX_EPOCH};

use crate::time::Timestamp;

/// Where "now" comes from.
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

    /// A clock that always says `at` (`AHA_NOW`).
    #[must_use]
    pub const fn pinned(at: Timestamp) -> Self {
        Self { pinned: Some(at) }
    }

    /// Whether `AHA_NOW` says what time it is.
    #[must_use]
    pub const fn is_pinned(&self) -> bool {
        self.pinned.is_some()
    }

    /// The product's time: decides windows, recency and what is stored.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.pinned.unwrap_or_else(|| self.wall())
    }

    /// The machine's time, whatever `AHA_NOW` says: for leases, which live processes hold against each other.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that may ask the machine for the time")]
    pub fn wall(&self) -> Timestamp {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_millis(i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX))
    }
}
