//! The context of a call: the run, its lease and budget, and the state that its calls share.

use std::sync::Arc;

use aha_core::ids::{RunId, TopicId};
use aha_core::topic::BudgetTier;
use aha_store::Lease;

use super::call_state::CallState;

/// The context of a call.
#[derive(Debug, Clone)]
pub struct CallScope {
    /// The run's lease; `None` for requests by the user outside a run.
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
    /// Calls the model again although there is a stored answer (`--rejudge`).
    pub rejudge: bool,
    pub call_state: Arc<CallState>,
}
