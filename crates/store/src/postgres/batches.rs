//! The Postgres versions of the operations that SQLite runs as statement batches (`sqlite/batches/`).
//!
//! Each fetch has its own transaction here, so that its locks are held as briefly as possible, and the ledger runs
//! statement by statement.

use async_trait::async_trait;

use super::fetches::{INSERT_FETCH_RUN, UPDATE_SOURCE, bind_fetch_run, bind_source_update, store_items};
use super::ledger::{reserve, settle};
use super::{Connection, PostgresStore, Values};
use crate::{
    FetchCommit, FetchCounts, FetchStore, IdentifiedItem, Lease, LeasedSettlement, NewCall, Reservation,
    ReservationStore, Result,
};

#[async_trait]
impl FetchStore for PostgresStore {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn commit_fetches(&self, lease: &Lease, fetches: &[FetchCommit]) -> Result<FetchCounts> {
        let mut total = FetchCounts::default();
        for fetch in fetches {
            total += commit_fetch(self, lease, fetch).await?;
        }
        Ok(total)
    }
}

#[async_trait]
impl ReservationStore for PostgresStore {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn reserve_together(&self, lease: Option<&Lease>, calls: &[NewCall]) -> Result<Reservation> {
        reserve(self, lease, calls).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn settle_calls(&self, settlements: &[LeasedSettlement]) -> Result<()> {
        settle(self, settlements).await
    }
}

/// Stores nothing if the source was removed while it was being fetched.
async fn commit_fetch(store: &PostgresStore, lease: &Lease, fetch: &FetchCommit) -> Result<FetchCounts> {
    let mut write = store.write_fenced("commit_fetch", lease).await?;
    if !lock_source(write.connection(), lease, fetch).await? {
        write.roll_back().await?;
        return Ok(FetchCounts::default());
    }
    write.lock_shared_items().await?;
    let items: Vec<&IdentifiedItem> = fetch.items.iter().collect();
    let mut counts = FetchCounts { seen: items.len(), ..FetchCounts::default() };
    store_items(write.connection(), fetch, &items, &mut counts).await?;
    bind_fetch_run(Values::default(), fetch, counts).query(INSERT_FETCH_RUN)?.execute(write.connection()).await?;
    bind_source_update(Values::default(), fetch).query(UPDATE_SOURCE)?.execute(write.connection()).await?;
    write.commit().await?;
    Ok(counts)
}

/// Locks the source's row until the end of the transaction. Returns false if the source no longer belongs to the topic.
async fn lock_source(connection: &mut Connection, lease: &Lease, fetch: &FetchCommit) -> Result<bool> {
    let source: Option<String> =
        sqlx::query_scalar("SELECT id FROM sources WHERE id = $1 AND topic_id = $2 FOR NO KEY UPDATE")
            .bind(fetch.source.to_string())
            .bind(lease.topic.to_string())
            .fetch_optional(connection)
            .await?;
    Ok(source.is_some())
}
