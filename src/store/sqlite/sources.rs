//! `sources`, and what the last looks at them were (`fetch_runs`).

use async_trait::async_trait;
use sqlx::{FromRow, SqliteConnection};

use super::{SqliteStore, column, fetches, found};
use crate::domain::ids::{RunId, SourceId, TopicId};
use crate::domain::source::{NewSource, Source, SourceHealth, Validators};
use crate::domain::time::Timestamp;
use crate::store::{FetchCommit, FetchCounts, FetchRecord, Lease, Result, SourceStore, SourcesAdded, StoreError};

#[derive(FromRow)]
struct SourceRow {
    id: String,
    topic_id: String,
    kind: String,
    url: String,
    title: Option<String>,
    enabled: bool,
    weight: f64,
    health: String,
    consecutive_failures: i64,
    last_error_kind: Option<String>,
    last_error: Option<String>,
    last_fetched_at: Option<i64>,
    last_ok_at: Option<i64>,
    not_before: Option<i64>,
    validator_url: Option<String>,
    etag: Option<String>,
    last_modified: Option<String>,
}

impl TryFrom<SourceRow> for Source {
    type Error = StoreError;

    fn try_from(row: SourceRow) -> Result<Self> {
        Ok(Self {
            id: column::id("source id", &row.id)?,
            topic_id: column::id("topic id", &row.topic_id)?,
            kind: row.kind,
            url: row.url,
            title: row.title,
            enabled: row.enabled,
            weight: row.weight,
            health: health_of(&row.health)?,
            consecutive_failures: row.consecutive_failures,
            last_error_kind: row.last_error_kind,
            last_error: row.last_error,
            last_fetched_at: column::optional_time(row.last_fetched_at),
            last_ok_at: column::optional_time(row.last_ok_at),
            not_before: column::optional_time(row.not_before),
            validators: Validators { url: row.validator_url, etag: row.etag, last_modified: row.last_modified },
        })
    }
}

fn health_of(text: &str) -> Result<SourceHealth> {
    match text {
        "new" => Ok(SourceHealth::New),
        "ok" => Ok(SourceHealth::Ok),
        "failing" => Ok(SourceHealth::Failing),
        "gone" => Ok(SourceHealth::Gone),
        _ => Err(StoreError::corrupt("source health", text)),
    }
}

#[derive(FromRow)]
struct FetchRow {
    source_id: String,
    status: String,
    error_kind: Option<String>,
    error: Option<String>,
}

impl TryFrom<FetchRow> for FetchRecord {
    type Error = StoreError;

    fn try_from(row: FetchRow) -> Result<Self> {
        let source = column::id("source id", &row.source_id)?;
        Ok(Self { source, status: row.status, error_kind: row.error_kind, error: row.error })
    }
}

#[async_trait]
impl SourceStore for SqliteStore {
    async fn add_sources(&self, topic: TopicId, sources: &[NewSource], now: Timestamp) -> Result<SourcesAdded> {
        let mut write = self.write("add_sources").await?;
        let mut counts = SourcesAdded::default();
        for source in sources {
            if add_source(write.connection(), topic, source, now).await? {
                counts.added += 1;
            } else {
                counts.known += 1;
            }
        }
        write.commit().await?;
        Ok(counts)
    }

    async fn sources(&self, topic: TopicId) -> Result<Vec<Source>> {
        let rows: Vec<SourceRow> = sqlx::query_as(
            "SELECT id, topic_id, kind, url, title, enabled, weight, health, consecutive_failures, last_error_kind,
                    last_error, last_fetched_at, last_ok_at, not_before, validator_url, etag, last_modified
             FROM sources WHERE topic_id = $1 ORDER BY url",
        )
        .bind(topic.to_string())
        .fetch_all(&self.reader)
        .await?;
        rows.into_iter().map(Source::try_from).collect()
    }

    async fn set_source_enabled(&self, source: SourceId, enabled: bool) -> Result<()> {
        let mut write = self.write("set_source_enabled").await?;
        let saved = sqlx::query("UPDATE sources SET enabled = $2 WHERE id = $1")
            .bind(source.to_string())
            .bind(enabled)
            .execute(write.connection())
            .await?;
        found(saved.rows_affected(), "source", source)?;
        write.commit().await
    }

    async fn set_source_weight(&self, source: SourceId, weight: f64) -> Result<()> {
        let mut write = self.write("set_source_weight").await?;
        let saved = sqlx::query("UPDATE sources SET weight = $2 WHERE id = $1")
            .bind(source.to_string())
            .bind(weight)
            .execute(write.connection())
            .await?;
        found(saved.rows_affected(), "source", source)?;
        write.commit().await
    }

    async fn remove_source(&self, source: SourceId) -> Result<()> {
        let mut write = self.write("remove_source").await?;
        let removed = sqlx::query("DELETE FROM sources WHERE id = $1")
            .bind(source.to_string())
            .execute(write.connection())
            .await?;
        found(removed.rows_affected(), "source", source)?;
        write.commit().await
    }

    async fn fetched_sources(&self, run: RunId, from_attempt: i64) -> Result<Vec<SourceId>> {
        let rows: Vec<String> = sqlx::query_scalar(
            "SELECT DISTINCT source_id FROM fetch_runs
             WHERE run_id = $1 AND attempt >= $2 AND status IN ('ok', 'not_modified') ORDER BY source_id",
        )
        .bind(run.to_string())
        .bind(from_attempt)
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(|id| column::id("source id", id)).collect()
    }

    async fn fetch_outcomes(&self, run: RunId, from_attempt: i64) -> Result<Vec<FetchRecord>> {
        let rows: Vec<FetchRow> = sqlx::query_as(
            "SELECT source_id, status, error_kind, error
             FROM (SELECT source_id, status, error_kind, error,
                          row_number() OVER (PARTITION BY source_id ORDER BY attempt DESC, finished_at DESC, id) AS place
                   FROM fetch_runs WHERE run_id = $1 AND attempt >= $2) AS looks
             WHERE place = 1 ORDER BY source_id",
        )
        .bind(run.to_string())
        .bind(from_attempt)
        .fetch_all(&self.reader)
        .await?;
        rows.into_iter().map(FetchRecord::try_from).collect()
    }

    async fn commit_fetch(&self, lease: &Lease, fetch: &FetchCommit) -> Result<FetchCounts> {
        fetches::commit(self, lease, fetch).await
    }
}

/// Whether it was new. A known one may have moved since: it keeps the id of its first address.
async fn add_source(
    connection: &mut SqliteConnection,
    topic: TopicId,
    source: &NewSource,
    now: Timestamp,
) -> Result<bool> {
    let topic = topic.to_string();
    let id = SourceId::of(&[&topic, &source.url]).to_string();
    let inserted = sqlx::query(
        "INSERT INTO sources (id, topic_id, kind, url, title, created_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT DO NOTHING",
    )
    .bind(&id)
    .bind(&topic)
    .bind(&source.kind)
    .bind(&source.url)
    .bind(&source.title)
    .bind(now.as_millis())
    .execute(&mut *connection)
    .await?;
    if inserted.rows_affected() > 0 {
        return Ok(true);
    }
    sqlx::query(
        "UPDATE sources SET title = $4
         WHERE (id = $1 OR (topic_id = $2 AND url = $3)) AND title IS NULL AND $4 IS NOT NULL",
    )
    .bind(&id)
    .bind(&topic)
    .bind(&source.url)
    .bind(&source.title)
    .execute(connection)
    .await?;
    Ok(false)
}
