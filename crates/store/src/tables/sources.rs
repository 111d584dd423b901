//! `sources`, and how their last fetches ended (`fetch_runs`).

use std::collections::HashMap;
use std::time::Duration;

use aha_core::ids::{RunId, SourceId, TopicId};
use aha_core::item::ItemMetadata;
use aha_core::source::{NewSource, Source, SourceHealth, Validators};
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::{Connection, Database};
use crate::shared::{column, require_row};
use crate::{FetchRecord, Result, SourceChange, SourceStore, SourcesAdded, StoreError};

/// A statement that returns a [`Source`] for each row of `sources`.
macro_rules! select_sources {
    ($end:literal) => {
        concat!(
            "SELECT id, topic_id, kind, url, title, enabled, weight, health, consecutive_failures, last_error_kind,
                last_error, last_fetched_at, last_ok_at, not_before, next_check_at, check_interval_ms, full_text,
                validator_url, etag, last_modified, created_at, folder_json
            FROM sources ",
            $end
        )
    };
}

pub const SOURCES: &str = select_sources!("WHERE topic_id = $1 ORDER BY url");

const SOURCE: &str = select_sources!("WHERE id = $1");

const CHANGE: &str = "
    UPDATE sources SET enabled = coalesce($2, enabled), weight = coalesce($3, weight), full_text = coalesce($4, full_text)
    WHERE id = $1";

/// Makes other writers of the row wait until the transaction ends.
const LOCK: &str = "UPDATE sources SET enabled = enabled WHERE id = $1";

/// Gives the items of a source that others have as well to the one that listed them first.
const LEAVE_ITEMS: &str = "
    UPDATE content_items SET (source_id, external_id) = (
        SELECT p.source_id, p.external_id FROM content_item_sources p
        WHERE p.item_id = content_items.id AND p.source_id <> $1
        ORDER BY p.first_seen_at, p.source_id, p.external_id LIMIT 1)
    WHERE source_id = $1 AND id IN (SELECT o.item_id FROM content_item_sources o WHERE o.source_id = $1)
      AND EXISTS (SELECT 1 FROM content_item_sources p WHERE p.item_id = content_items.id AND p.source_id <> $1)";

const REMOVE: &str = "DELETE FROM sources WHERE id = $1";

/// The limit is larger than any feed: older items no longer appear in it.
const PAGE_NOTES: &str = "
    SELECT p.external_id, CASE WHEN i.source_id = p.source_id AND i.deleted_at IS NULL THEN i.metadata_json END AS metadata
    FROM content_item_sources p JOIN content_items i ON i.id = p.item_id
    WHERE p.source_id = $1
      AND (i.source_id <> p.source_id OR i.deleted_at IS NOT NULL OR i.metadata_json LIKE '%\"full_text\"%')
    ORDER BY p.first_seen_at DESC, p.external_id LIMIT 5000";

const FETCHED: &str = "
    SELECT DISTINCT source_id FROM fetch_runs
    WHERE run_id = $1 AND attempt >= $2 AND status IN ('ok', 'not_modified') ORDER BY source_id";

const OUTCOMES: &str = "
    SELECT source_id, status, error_kind, error
    FROM (SELECT source_id, status, error_kind, error,
                 row_number() OVER (PARTITION BY source_id ORDER BY attempt DESC, finished_at DESC, id) AS place
          FROM fetch_runs WHERE run_id = $1 AND attempt >= $2) AS fetches
    WHERE place = 1 ORDER BY source_id";

const INSERT: &str = "
    INSERT INTO sources (id, topic_id, kind, url, title, created_at, weight, full_text, folder_json)
    VALUES ($1, $2, $3, $4, $5, $6, coalesce(CAST($7 AS DOUBLE PRECISION), 1), $8, $9)
    ON CONFLICT DO NOTHING";

/// Fills in what a known source lacks.
const COMPLETE: &str = "
    UPDATE sources SET title = coalesce(title, $4), folder_json = coalesce(folder_json, $5)
    WHERE (id = $1 OR (topic_id = $2 AND url = $3))
      AND ((title IS NULL AND CAST($4 AS TEXT) IS NOT NULL) OR (folder_json IS NULL AND CAST($5 AS TEXT) IS NOT NULL))";

/// NULL for a source in no folder.
fn folder_json(folder: &[String]) -> Result<Option<String>> {
    if folder.is_empty() { Ok(None) } else { column::to_json(folder).map(Some) }
}

struct SourceRow {
    id: String,
    topic_id: String,
    kind: String,
    url: String,
    title: Option<String>,
    enabled: i64,
    weight: f64,
    health: String,
    consecutive_failures: i64,
    last_error_kind: Option<String>,
    last_error: Option<String>,
    last_fetched_at: Option<i64>,
    last_ok_at: Option<i64>,
    not_before: Option<i64>,
    next_check_at: Option<i64>,
    check_interval_ms: Option<i64>,
    full_text: i64,
    validator_url: Option<String>,
    etag: Option<String>,
    last_modified: Option<String>,
    created_at: i64,
    folder_json: Option<String>,
}

from_row!(SourceRow {
    id,
    topic_id,
    kind,
    url,
    title,
    enabled,
    weight,
    health,
    consecutive_failures,
    last_error_kind,
    last_error,
    last_fetched_at,
    last_ok_at,
    not_before,
    next_check_at,
    check_interval_ms,
    full_text,
    validator_url,
    etag,
    last_modified,
    created_at,
    folder_json
});

impl TryFrom<SourceRow> for Source {
    type Error = StoreError;

    fn try_from(row: SourceRow) -> Result<Self> {
        Ok(Self {
            id: column::id("source id", &row.id)?,
            topic_id: column::id("topic id", &row.topic_id)?,
            kind: column::word("source's kind", &row.kind)?,
            url: row.url,
            title: row.title,
            enabled: row.enabled != 0,
            folder: column::optional_json("source's folder", row.folder_json.as_deref())?.unwrap_or_default(),
            weight: row.weight,
            health: health_of(&row.health)?,
            consecutive_failures: row.consecutive_failures,
            last_error_kind: column::optional_id(column::FETCH_ERROR_KIND, row.last_error_kind.as_deref())?,
            last_error: row.last_error,
            last_fetched_at: column::optional_time(row.last_fetched_at),
            last_ok_at: column::optional_time(row.last_ok_at),
            added_at: Some(Timestamp::from_millis(row.created_at)),
            not_before: column::optional_time(row.not_before),
            next_check_at: column::optional_time(row.next_check_at),
            check_interval: row.check_interval_ms.and_then(|ms| u64::try_from(ms).ok()).map(Duration::from_millis),
            full_text: row.full_text != 0,
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

struct PageNoteRow {
    external_id: String,
    metadata: Option<String>,
}

from_row!(PageNoteRow { external_id, metadata });

impl PageNoteRow {
    fn read(self) -> Result<(String, Option<String>)> {
        let Some(metadata) = self.metadata else { return Ok((self.external_id, None)) };
        let metadata: ItemMetadata = column::json("item's metadata", &metadata)?;
        Ok((self.external_id, metadata.full_text.map(|note| note.source_hash)))
    }
}

struct FetchRow {
    source_id: String,
    status: String,
    error_kind: Option<String>,
    error: Option<String>,
}

from_row!(FetchRow { source_id, status, error_kind, error });

impl TryFrom<FetchRow> for FetchRecord {
    type Error = StoreError;

    fn try_from(row: FetchRow) -> Result<Self> {
        let source = column::id("source id", &row.source_id)?;
        let status = column::fetch_status(&row.status, row.error_kind.as_deref())?;
        Ok(Self { source, status, error: row.error })
    }
}

#[async_trait]
impl SourceStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn add_sources(&self, topic: TopicId, sources: &[NewSource], now: Timestamp) -> Result<SourcesAdded> {
        let mut write = self.write("add_sources").await?;
        // A fetch that ends now may move a source to one of these addresses.
        write.lock_topic(topic).await?;
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

    #[tracing::instrument(level = "debug", skip_all)]
    async fn sources(&self, topic: TopicId) -> Result<Vec<Source>> {
        let rows: Vec<SourceRow> =
            sqlx::query_as(SOURCES).bind(topic.to_string()).fetch_all(&mut *self.reader().await?).await?;
        rows.into_iter().map(Source::try_from).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn source(&self, id: SourceId) -> Result<Option<Source>> {
        let row: Option<SourceRow> =
            sqlx::query_as(SOURCE).bind(id.to_string()).fetch_optional(&mut *self.reader().await?).await?;
        row.map(Source::try_from).transpose()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn change_source(&self, source: SourceId, change: SourceChange) -> Result<()> {
        let mut write = self.write("change_source").await?;
        let changed = sqlx::query(CHANGE)
            .bind(source.to_string())
            .bind(change.enabled.map(i64::from))
            .bind(change.weight)
            .bind(change.full_text.map(i64::from))
            .execute(write.connection())
            .await?;
        require_row(changed.rows_affected(), "source", source)?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn remove_source(&self, source: SourceId) -> Result<()> {
        let mut write = self.write("remove_source").await?;
        let id = source.to_string();
        let locked = sqlx::query(LOCK).bind(&id).execute(write.connection()).await?;
        require_row(locked.rows_affected(), "source", source)?;
        write.lock_shared_items().await?;
        for statement in [LEAVE_ITEMS, REMOVE] {
            sqlx::query(statement).bind(&id).execute(write.connection()).await?;
        }
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn full_text_hashes(&self, source: SourceId) -> Result<HashMap<String, Option<String>>> {
        let rows: Vec<PageNoteRow> =
            sqlx::query_as(PAGE_NOTES).bind(source.to_string()).fetch_all(&mut *self.reader().await?).await?;
        rows.into_iter().map(PageNoteRow::read).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn fetched_sources(&self, run: RunId, from_attempt: i64) -> Result<Vec<SourceId>> {
        let rows: Vec<String> = sqlx::query_scalar(FETCHED)
            .bind(run.to_string())
            .bind(from_attempt)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.iter().map(|id| column::id("source id", id)).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn fetch_outcomes(&self, run: RunId, from_attempt: i64) -> Result<Vec<FetchRecord>> {
        let rows: Vec<FetchRow> = sqlx::query_as(OUTCOMES)
            .bind(run.to_string())
            .bind(from_attempt)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.into_iter().map(FetchRecord::try_from).collect()
    }
}

/// Adds a source. Returns false if it was known. A known source may have moved since; it keeps the id of its first
/// address.
async fn add_source(connection: &mut Connection, topic: TopicId, source: &NewSource, now: Timestamp) -> Result<bool> {
    let topic = topic.to_string();
    let id = SourceId::of(&[&topic, &source.url]).to_string();
    let folder = folder_json(&source.folder)?;
    let inserted = sqlx::query(INSERT)
        .bind(&id)
        .bind(&topic)
        .bind(source.kind.as_str())
        .bind(column::text(&source.url))
        .bind(column::optional_text(source.title.as_deref()))
        .bind(now.as_millis())
        .bind(source.weight)
        .bind(i64::from(source.full_text))
        .bind(column::optional_text(folder.as_deref()))
        .execute(&mut *connection)
        .await?;
    if inserted.rows_affected() > 0 {
        return Ok(true);
    }
    sqlx::query(COMPLETE)
        .bind(&id)
        .bind(&topic)
        .bind(column::text(&source.url))
        .bind(column::optional_text(source.title.as_deref()))
        .bind(column::optional_text(folder.as_deref()))
        .execute(connection)
        .await?;
    Ok(false)
}
