//! The Postgres versions of the operations that SQLite runs as statement batches (`sqlite/batches/`).
//!
//! Each fetch has its own transaction here, so that its locks are held as briefly as possible, and the ledger runs
//! statement by statement.

use super::fetches::{INSERT_FETCH_RUN, UPDATE_SOURCE, bind_fetch_run, bind_source_update, store_items};
use super::{Connection, PostgresStore, Values};
use crate::{FetchCommit, FetchCounts, IdentifiedItem, Lease, LeasedSettlement, NewCall, Result};

/// Stores fetches in order, each in its own transaction.
pub(super) async fn commit_fetches(
    store: &PostgresStore,
    lease: &Lease,
    fetches: &[FetchCommit],
) -> Result<FetchCounts> {
    let mut total = FetchCounts::default();
    for fetch in fetches {
        total += commit_fetch(store, lease, fetch).await?;
    }
    Ok(total)
}

/// Stores nothing if the source was removed while it was being fetched.
async fn commit_fetch(store: &PostgresStore, lease: &Lease, fetch: &FetchCommit) -> Result<FetchCounts> {
    let mut write = store.write_fenced("commit_fetch", lease).await?;
    if !lock_source(write.connection(), lease, fetch).await? {
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

/// Always false: calls are not reserved in a batch here.
#[expect(clippy::unused_async, reason = "as on SQLite")]
pub(super) async fn reserve_calls(_: &PostgresStore, _: Option<&Lease>, _: &[NewCall]) -> Result<bool> {
    Ok(false)
}

/// Always false: calls are not settled in a batch here.
#[expect(clippy::unused_async, reason = "as on SQLite")]
pub(super) async fn settle_calls(_: &PostgresStore, _: &[LeasedSettlement]) -> Result<bool> {
    Ok(false)
}
