//! Operations on the user's decisions on pasted texts.

use aha_core::ids::ItemId;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use crate::Result;

/// The user's decision on a pasted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryDecision {
    pub item: ItemId,
    /// The summary if it was promoted; the text itself is not stored.
    pub summary_json: Option<String>,
    pub call: Option<String>,
    pub at: Timestamp,
}

#[async_trait]
pub trait SummaryDecisionStore: Send + Sync {
    /// Stores a decision, replacing an earlier one on the same item.
    async fn commit_summary_decision(&self, decision: &SummaryDecision) -> Result<()>;
    /// Returns the decision on an item.
    async fn summary_decision(&self, item: ItemId) -> Result<Option<SummaryDecision>>;
}
