//! `fetch_runs`, for display: how the last fetches of a source ended.

use std::collections::HashMap;

use aha_core::ids::{SourceId, TopicId};
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::Database;
use crate::shared::{PerDatabase, column};
use crate::{FetchHistoryStore, FetchSummary, PastFetch, Result, SourceShare, StoreError};

const LAST: &str = "
    SELECT run_id, attempt, status, error_kind, error, http_status, items_seen, items_new, items_updated, bytes,
           started_at, finished_at
    FROM fetch_runs WHERE source_id = $1 ORDER BY started_at DESC, id LIMIT $2";

/// Reads only the shown rows of each source, in index order.
const SUMMARIES: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT f.source_id, f.status, f.error_kind, f.items_new FROM sources s
        JOIN fetch_runs f ON f.id IN (SELECT x.id FROM fetch_runs x WHERE x.source_id = s.id
                                      ORDER BY x.started_at DESC, x.id LIMIT $2)
        WHERE s.topic_id = $1 ORDER BY f.source_id, f.started_at DESC, f.id",
    postgres: "
        SELECT f.source_id, f.status, f.error_kind, f.items_new FROM sources s
        CROSS JOIN LATERAL (SELECT x.id, x.source_id, x.status, x.error_kind, x.items_new, x.started_at
                            FROM fetch_runs x
                            WHERE x.source_id = s.id ORDER BY x.started_at DESC, x.id LIMIT $2) AS f
        WHERE s.topic_id = $1 ORDER BY f.source_id, f.started_at DESC, f.id",
});

/// Items without a date are excluded: their time is that of the fetch, which is not indexed.
const SHARES: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT b.source_id, b.items, coalesce(r.shown, 0) AS shown
        FROM (SELECT p.source_id, count(*) AS items FROM sources s
              JOIN content_item_sources p ON p.source_id = s.id AND p.published_time >= $2
              WHERE s.topic_id = $1 GROUP BY p.source_id) AS b
        LEFT JOIN (SELECT p.source_id, count(DISTINCT p.item_id) AS shown
                   FROM digests d JOIN digest_items i ON i.digest_id = d.id JOIN json_each(i.members_json) m
                   JOIN content_item_sources p ON p.item_id = m.value ->> 'item_id' AND p.published_time >= $2
                   WHERE d.topic_id = $1 AND d.window_end >= $2 GROUP BY p.source_id) AS r ON r.source_id = b.source_id
        ORDER BY b.source_id",
    postgres: "
        SELECT b.source_id, b.items, coalesce(r.shown, 0) AS shown
        FROM (SELECT p.source_id, count(*) AS items FROM sources s
              JOIN content_item_sources p ON p.source_id = s.id AND p.published_time >= $2
              WHERE s.topic_id = $1 GROUP BY p.source_id) AS b
        LEFT JOIN (SELECT p.source_id, count(DISTINCT p.item_id) AS shown
                   FROM digests d JOIN digest_items i ON i.digest_id = d.id
                   CROSS JOIN LATERAL json_array_elements(CAST(i.members_json AS json)) AS m (value)
                   JOIN content_item_sources p ON p.item_id = m.value ->> 'item_id' AND p.published_time >= $2
                   WHERE d.topic_id = $1 AND d.window_end >= $2 GROUP BY p.source_id) AS r ON r.source_id = b.source_id
        ORDER BY b.source_id",
});

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
            status: column::fetch_status(&row.status, row.error_kind.as_deref())?,
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

    #[tracing::instrument(level = "debug", skip_all)]
    async fn fetch_summaries(&self, topic: TopicId, limit: i64) -> Result<HashMap<SourceId, Vec<FetchSummary>>> {
        let rows: Vec<(String, String, Option<String>, i64)> =
            sqlx::query_as(SUMMARIES).bind(topic.to_string()).bind(limit).fetch_all(&mut *self.reader().await?).await?;
        let mut summaries: HashMap<SourceId, Vec<FetchSummary>> = HashMap::new();
        for (source, status, error_kind, items_new) in rows {
            let status = column::fetch_status(&status, error_kind.as_deref())?;
            summaries.entry(column::id("source", &source)?).or_default().push(FetchSummary { status, items_new });
        }
        Ok(summaries)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn source_shares(&self, topic: TopicId, since: Timestamp) -> Result<HashMap<SourceId, SourceShare>> {
        let rows: Vec<(String, i64, i64)> = sqlx::query_as(SHARES)
            .bind(topic.to_string())
            .bind(since.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        let share = |(source, items, shown): (String, i64, i64)| {
            Ok((column::id("source", &source)?, SourceShare { items, shown }))
        };
        rows.into_iter().map(share).collect()
    }
}
