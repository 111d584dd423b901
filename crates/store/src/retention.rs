//! Retention: the operations on rows past their age, and their steps.

use aha_core::time::Timestamp;
use async_trait::async_trait;

use crate::Result;

#[async_trait]
pub trait RetentionStore: Send + Sync {
    /// Returns the number of rows of a step that are older than `before`.
    async fn count_old(&self, step: RetentionStep, before: Timestamp) -> Result<i64>;
    /// Removes at most `limit` of them and returns how many. Removes none while a run holds a topic at `wall`.
    async fn remove_old(
        &self,
        step: RetentionStep,
        before: Timestamp,
        limit: i64,
        wall: Timestamp,
    ) -> Result<RemovedRows>;
}

/// The rows that retention removes, in this order: an item is kept as long as a digest that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetentionStep {
    Digests,
    /// Items are emptied; their rows stay, so that they are not added again.
    Items,
    /// Vectors of emptied items.
    Vectors,
    Fetches,
    /// Settled calls without a stored answer.
    Calls,
    /// Budget counters of days and of finished runs. Those of months are few, and are kept.
    Counters,
}

/// Result of a batch of retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovedRows {
    Removed(u64),
    /// A run is in progress; try again later.
    RunInProgress,
}
