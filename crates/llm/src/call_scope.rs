//! On whose behalf a call is made: the run, its lease and budget, and what its calls know of each other.

use std::sync::Arc;

use aha_core::ids::{RunId, TopicId};
use aha_core::topic::BudgetTier;
use aha_store::Lease;

use super::run_call_state::RunCallState;

/// On whose behalf a call is made.
#[derive(Debug, Clone)]
pub struct CallScope {
    /// Of the run; `None` for what the owner asks by hand.
    pub lease: Option<Lease>,
    pub run: Option<RunId>,
    /// The number of the attempt with which the run's pass began.
    pub pass: i64,
    pub attempt: i64,
    pub topic: Option<TopicId>,
    /// The topic's share of the daily and the monthly budget.
    pub share_percent: Option<u8>,
    pub tier: BudgetTier,
    /// As pinned on the run.
    pub prompt_id: String,
    /// Executed again although there is an answer (`--rejudge`).
    pub rejudge: bool,
    pub call_state: Arc<RunCallState>,
}
