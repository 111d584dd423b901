//! Operations that SQLite does in statement batches (`sqlite/batches/`), as Postgres does them.
//!
//! Here a transaction is one fetch, so that others wait for its locks as briefly as can be, and the ledger goes step by step.

use super::fetches::{INSERT_FETCH_RUN, UPDATE_SOURCE, bind_fetch_run, bind_source_update, store_items};
use super::{Connection, PostgresStore, Values};
use crate::{FetchCommit, FetchCounts, IdentifiedItem, Lease, LeasedSettlement, NewCall, Result};

/// Stores fetches in their order, each in a transaction of its own.
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

/// Stores nothing when the source was removed while it was being fetched.
async fn commit_fetch(store: &PostgresStore, lease: &Lease, fetch: &FetchCommit) -> Result<FetchCounts> {
    let mut write = store.write_fenced("commit_fetch", lease).await?;
    if !lock_source(write.connection(), lease, fetch).await? {
        return Ok(FetchCounts::default());
    }
    write.lock_contents().await?;
    let items: Vec<&IdentifiedItem> = fetch.items.iter().collect();
    let mut counts = FetchCounts { seen: items.len(), ..FetchCounts::default() };
    store_items(write.connection(), fetch, &items, &mut counts).await?;
    bind_fetch_run(Values::default(), fetch, counts).query(INSERT_FETCH_RUN)?.execute(write.connection()).await?;
    bind_source_update(Values::default(), fetch).query(UPDATE_SOURCE)?.execute(write.connection()).await?;
    write.commit().await?;
    Ok(counts)
}

/// Whether the source is still the topic's; its row stays locked until the end.
async fn lock_source(connection: &mut Connection, lease: &Lease, fetch: &FetchCommit) -> Result<bool> {
    let source: Option<String> =
        sqlx::query_scalar("SELECT id FROM sources WHERE id = $1 AND topic_id = $2 FOR NO KEY UPDATE")
            .bind(fetch.source.to_string())
            .bind(lease.topic.to_string())
            .fetch_optional(connection)
            .await?;
    Ok(source.is_some())
}

/// Whether the calls were reserved in one batch: never here.
#[expect(clippy::unused_async, reason = "as on SQLite")]
pub(super) async fn reserve_calls(_: &PostgresStore, _: Option<&Lease>, _: &[NewCall]) -> Result<bool> {
    Ok(false)
}

/// Whether the calls were settled in one batch: never here.
#[expect(clippy::unused_async, reason = "as on SQLite")]
pub(super) async fn settle_calls(_: &PostgresStore, _: &[LeasedSettlement]) -> Result<bool> {
    Ok(false)
}
