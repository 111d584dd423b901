//! `fetch_runs`, as a person reads them: how the last fetches of a source went.

use aha_core::ids::SourceId;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::Database;
use crate::shared::column;
use crate::{FetchHistoryStore, PastFetch, Result, StoreError};

const LAST: &str = "
    SELECT run_id, attempt, status, error_kind, error, http_status, items_seen, items_new, items_updated, bytes,
           started_at, finished_at
    FROM fetch_runs WHERE source_id = $1 ORDER BY started_at DESC, id LIMIT $2";

struct FetchRow {
    run_id: String,
    attempt: i64,
    status: String,
    error_kind: Option<String>,
    error: Option<String>,
    http_status: Option<i64>,
    items_seen: i64,
    items_new: i64,
    items_updated: i64,
    bytes: i64,
    started_at: i64,
    finished_at: i64,
}

from_row!(FetchRow {
    run_id,
    attempt,
    status,
    error_kind,
    error,
    http_status,
    items_seen,
    items_new,
    items_updated,
    bytes,
    started_at,
    finished_at
});

impl TryFrom<FetchRow> for PastFetch {
    type Error = StoreError;

    fn try_from(row: FetchRow) -> Result<Self> {
        Ok(Self {
            run: column::id("run", &row.run_id)?,
            attempt: row.attempt,
            status: row.status,
            error_kind: row.error_kind,
            error: row.error,
            http_status: row.http_status,
            items_seen: row.items_seen,
            items_new: row.items_new,
            items_updated: row.items_updated,
            bytes: row.bytes,
            started_at: Timestamp::from_millis(row.started_at),
            finished_at: Timestamp::from_millis(row.finished_at),
        })
    }
}

#[async_trait]
impl FetchHistoryStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn last_fetches(&self, source: SourceId, limit: i64) -> Result<Vec<PastFetch>> {
        let rows: Vec<FetchRow> =
            sqlx::query_as(LAST).bind(source.to_string()).bind(limit).fetch_all(&mut *self.reader().await?).await?;
        rows.into_iter().map(PastFetch::try_from).collect()
    }
}
