//! How far the budget reaches: how much of it is used up, and which limit left no room.

use aha_core::budget::{APPROACHING, CRITICAL};

/// How much of the nearest cap is used up, reservations included.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Used(pub f64);

impl Used {
    #[must_use]
    pub fn is_approaching(self) -> bool {
        self.0 >= APPROACHING
    }

    #[must_use]
    pub fn is_used_up(self) -> bool {
        self.0 >= 1.0
    }

    #[must_use]
    pub fn is_critical(self) -> bool {
        self.0 >= CRITICAL
    }
}

/// Why no further call may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedUp {
    pub limit: Limit,
    /// Names the setting.
    pub why: String,
}

/// What a call is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Credits,
    /// Of one task; other tasks are not concerned.
    Calls,
}
