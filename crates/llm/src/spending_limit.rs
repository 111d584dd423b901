//! The state of the budget: how much of it is used up, and which limit is exhausted.

use aha_core::budget::APPROACHING;

/// How much of the nearest cap is used up, including reservations; 1.0 is the cap.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BudgetUse(pub f64);

impl BudgetUse {
    #[must_use]
    pub fn is_near_cap(self) -> bool {
        self.0 >= APPROACHING
    }

    #[must_use]
    pub fn is_exhausted(self) -> bool {
        self.0 >= 1.0
    }
}

/// Why no further call may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExhaustedLimit {
    pub limit: Limit,
    /// Names the setting.
    pub why: String,
}

/// The unit of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    Credits,
    /// Of one task; other tasks are not affected.
    Calls,
}
