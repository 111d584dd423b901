//! `sources`, and the last looks at them.

use std::time::Duration;

use aha_core::item::ItemMetadata;
use aha_core::source::{Source, SourceHealth, Validators};
use aha_core::time::Timestamp;
use sqlx::FromRow;

use super::column;
use crate::{FetchRecord, Result, StoreError};

pub const SOURCES: &str = "
    SELECT id, topic_id, kind, url, title, enabled, weight, health, consecutive_failures, last_error_kind,
           last_error, last_fetched_at, last_ok_at, not_before, next_check_at, check_interval_ms, full_text, validator_url, etag,
           last_modified, created_at, folder_json
    FROM sources WHERE topic_id = $1 ORDER BY url";

pub(crate) const SET_ENABLED: &str = "UPDATE sources SET enabled = $2 WHERE id = $1";

pub(crate) const SET_WEIGHT: &str = "UPDATE sources SET weight = $2 WHERE id = $1";

pub(crate) const SET_FULL_TEXT: &str = "UPDATE sources SET full_text = $2 WHERE id = $1";

pub(crate) const REMOVE: &str = "DELETE FROM sources WHERE id = $1";

/// Items beyond these are not in a feed any more.
pub(crate) const PAGE_NOTES: &str = "
    SELECT p.external_id, CASE WHEN i.source_id = p.source_id AND i.deleted_at IS NULL THEN i.metadata_json END AS metadata
    FROM content_item_sources p JOIN content_items i ON i.id = p.item_id
    WHERE p.source_id = $1
      AND (i.source_id <> p.source_id OR i.deleted_at IS NOT NULL OR i.metadata_json LIKE '%\"full_text\"%')
    ORDER BY p.first_seen_at DESC, p.external_id LIMIT 5000";

pub(crate) const FETCHED: &str = "
    SELECT DISTINCT source_id FROM fetch_runs
    WHERE run_id = $1 AND attempt >= $2 AND status IN ('ok', 'not_modified') ORDER BY source_id";

pub(crate) const OUTCOMES: &str = "
    SELECT source_id, status, error_kind, error
    FROM (SELECT source_id, status, error_kind, error,
                 row_number() OVER (PARTITION BY source_id ORDER BY attempt DESC, finished_at DESC, id) AS place
          FROM fetch_runs WHERE run_id = $1 AND attempt >= $2) AS looks
    WHERE place = 1 ORDER BY source_id";

pub const INSERT: &str = "
    INSERT INTO sources (id, topic_id, kind, url, title, created_at, weight, full_text, folder_json)
    VALUES ($1, $2, $3, $4, $5, $6, coalesce(CAST($7 AS DOUBLE PRECISION), 1), $8, $9)
    ON CONFLICT DO NOTHING";

/// A known source takes over what it lacks.
pub(crate) const COMPLETE: &str = "
    UPDATE sources SET title = coalesce(title, $4), folder_json = coalesce(folder_json, $5)
    WHERE (id = $1 OR (topic_id = $2 AND url = $3))
      AND ((title IS NULL AND CAST($4 AS TEXT) IS NOT NULL) OR (folder_json IS NULL AND CAST($5 AS TEXT) IS NOT NULL))";

/// NULL for a source in no folder.
pub(crate) fn folder_json(folder: &[String]) -> Result<Option<String>> {
    if folder.is_empty() { Ok(None) } else { column::to_json(folder).map(Some) }
}

#[derive(FromRow)]
pub(crate) struct SourceRow {
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

impl TryFrom<SourceRow> for Source {
    type Error = StoreError;

    fn try_from(row: SourceRow) -> Result<Self> {
        Ok(Self {
            id: column::id("source id", &row.id)?,
            topic_id: column::id("topic id", &row.topic_id)?,
            kind: row.kind,
            url: row.url,
            title: row.title,
            enabled: row.enabled != 0,
            folder: column::optional_json("source's folder", row.folder_json.as_deref())?.unwrap_or_default(),
            weight: row.weight,
            health: health_of(&row.health)?,
            consecutive_failures: row.consecutive_failures,
            last_error_kind: row.last_error_kind,
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

#[derive(FromRow)]
pub(crate) struct PageNoteRow {
    external_id: String,
    metadata: Option<String>,
}

impl PageNoteRow {
    pub fn read(self) -> Result<(String, Option<String>)> {
        let Some(metadata) = self.metadata else { return Ok((self.external_id, None)) };
        let metadata: ItemMetadata = column::json("item's metadata", &metadata)?;
        Ok((self.external_id, metadata.full_text.map(|note| note.source_hash)))
    }
}

#[derive(FromRow)]
pub(crate) struct FetchRow {
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
