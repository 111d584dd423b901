//! Stores several pending fetches in one transaction.

use std::collections::HashSet;

use async_trait::async_trait;

use super::{Batch, new_items};
use crate::sqlite::fetches::{INSERT_FETCH_RUN, UPDATE_SOURCE, bind_fetch_run, bind_source_update, store_items};
use crate::sqlite::{Connection, SqliteStore, id_list};
use crate::{FetchCommit, FetchCounts, FetchStore, Lease, Result};

/// Fetches whose final rows are written in one batch.
const ENDS_PER_BATCH: usize = 8;

#[async_trait]
impl FetchStore for SqliteStore {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn commit_fetches(&self, lease: &Lease, fetches: &[FetchCommit]) -> Result<FetchCounts> {
        commit_fetches(self, lease, fetches).await
    }
}

/// Stores fetches in one transaction, so that shared index pages are written once. Nothing is stored for a source that
/// was removed while it was being read.
async fn commit_fetches(store: &SqliteStore, lease: &Lease, fetches: &[FetchCommit]) -> Result<FetchCounts> {
    let mut write = store.write_fenced("commit_fetch", lease).await?;
    let sources = sources_of(write.connection(), lease, fetches).await?;
    let kept: Vec<&FetchCommit> = fetches.iter().filter(|f| sources.contains(&f.source.to_string())).collect();
    let others = new_items::store(write.connection(), &kept).await?;
    let mut ends = Vec::with_capacity(kept.len());
    for (fetch, others) in kept.into_iter().zip(others) {
        let seen = fetch.items.len();
        let mut counts = FetchCounts { seen, new: seen - others.len(), updated: 0 };
        store_items(write.connection(), fetch, &others, &mut counts).await?;
        ends.push((fetch, counts));
    }
    for ends in ends.chunks(ENDS_PER_BATCH) {
        let batch = ends.iter().fold(Batch::new(), |batch, (fetch, counts)| end(batch, fetch, *counts));
        batch.run_within(write.connection()).await?;
    }
    write.commit_all(fetches.len()).await?;
    let mut total = FetchCounts::default();
    for (_, counts) in ends {
        total += counts;
    }
    Ok(total)
}

/// Returns the fetched sources that still belong to the topic.
async fn sources_of(connection: &mut Connection, lease: &Lease, fetches: &[FetchCommit]) -> Result<HashSet<String>> {
    let ids: Vec<_> = fetches.iter().map(|fetch| fetch.source).collect();
    let found: Vec<String> =
        sqlx::query_scalar("SELECT id FROM sources WHERE topic_id = $1 AND id IN (SELECT value FROM json_each($2))")
            .bind(lease.topic.to_string())
            .bind(id_list(&ids)?)
            .fetch_all(connection)
            .await?;
    Ok(found.into_iter().collect())
}

/// Adds the statements for a fetch's row and its source's new state.
fn end(batch: Batch, fetch: &FetchCommit, counts: FetchCounts) -> Batch {
    batch
        .statement(INSERT_FETCH_RUN)
        .bind_with(|values| bind_fetch_run(values, fetch, counts))
        .statement(UPDATE_SOURCE)
        .bind_with(|values| bind_source_update(values, fetch))
}
