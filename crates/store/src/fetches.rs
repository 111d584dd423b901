//! Fetches of sources: storing them with their items, and their history.

use std::collections::HashMap;
use std::slice;

use aha_core::ids::{SourceId, TopicId};
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::{FetchCommit, FetchCounts, FetchSummary, Lease, PastFetch, Result, SourceShare};

/// Stores fetches. Each database has its own: SQLite has one writer, Postgres many.
#[async_trait]
pub trait FetchStore: Send + Sync {
    /// Stores a fetch of a source, its items and the source's health, in one transaction. Stores nothing if the source
    /// was removed meanwhile.
    async fn commit_fetch(&self, lease: &Lease, fetch: &FetchCommit) -> Result<FetchCounts> {
        self.commit_fetches(lease, slice::from_ref(fetch)).await
    }

    /// Stores several fetches in order, each like [`Self::commit_fetch`]; in one transaction where that is faster.
    async fn commit_fetches(&self, lease: &Lease, fetches: &[FetchCommit]) -> Result<FetchCounts>;
}

#[async_trait]
pub trait FetchHistoryStore: Send + Sync {
    /// Returns the last fetches of a source, newest first.
    async fn last_fetches(&self, source: SourceId, limit: i64) -> Result<Vec<PastFetch>>;
    /// Returns the outcomes of the last fetches of each of a topic's sources, at most `limit` each, newest first.
    async fn fetch_summaries(&self, topic: TopicId, limit: i64) -> Result<HashMap<SourceId, Vec<FetchSummary>>>;
    /// Returns, for each of a topic's sources, the number of its items published from `since` on, and how many of these
    /// appear in a digest of the topic whose window ended since then. Sources without such items are omitted.
    async fn source_shares(&self, topic: TopicId, since: Timestamp) -> Result<HashMap<SourceId, SourceShare>>;
}
