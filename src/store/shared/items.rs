//! `topic_items` and `embeddings`.

use sqlx::FromRow;

use super::column;
use crate::domain::time::Timestamp;
use crate::store::{ItemHeader, ItemText, Result, StoreError};

pub(crate) const UNASSIGNED: &str = "
    SELECT i.id, i.item_time,
           coalesce(min(CASE WHEN p.source_id = i.source_id THEN p.source_id END), min(p.source_id)) AS source
    FROM sources s
    JOIN content_item_sources p ON p.source_id = s.id
    JOIN content_items i ON i.id = p.item_id
    WHERE s.topic_id = $1 AND i.item_time < $2 AND i.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM topic_items t WHERE t.topic_id = $1 AND t.item_id = i.id)
    GROUP BY i.id
    ORDER BY i.item_time, i.id";

pub(crate) const ASSIGNED: &str = "
    SELECT i.id FROM topic_items t JOIN content_items i ON i.id = t.item_id
    WHERE t.run_id = $1 AND i.deleted_at IS NULL ORDER BY i.item_time, i.id";

pub(crate) const IN_WINDOW: &str = "
    SELECT i.id FROM content_items i
    WHERE i.item_time >= $2 AND i.item_time < $3 AND i.deleted_at IS NULL
      AND EXISTS (SELECT 1 FROM content_item_sources p JOIN sources s ON s.id = p.source_id
                  WHERE p.item_id = i.id AND s.topic_id = $1)
    ORDER BY i.item_time, i.id";

pub(crate) const TO_EMBED: &str = "
    SELECT i.id, i.hash_text, i.title, i.body_text FROM content_items i
    WHERE i.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM embeddings e
                      WHERE e.item_id = i.id AND e.space = $2 AND e.content_hash = i.hash_text)
      AND EXISTS (SELECT 1 FROM content_item_sources p JOIN sources s ON s.id = p.source_id
                  WHERE p.item_id = i.id AND s.topic_id = $1)
    ORDER BY i.item_time, i.id LIMIT $3";

pub(crate) const SOURCE_TIMES: &str = "
    SELECT source_id, item_time
    FROM (SELECT DISTINCT p.source_id, i.item_time, i.id
          FROM sources s
          JOIN content_item_sources p ON p.source_id = s.id
          JOIN content_items i ON i.id = p.item_id
          WHERE s.topic_id = $1 AND i.item_time >= $2 AND i.item_time < $3 AND i.time_basis = 'published'
            AND i.deleted_at IS NULL) AS published
    ORDER BY source_id, item_time DESC";

pub(crate) const UPSERT_EMBEDDING: &str = "
    INSERT INTO embeddings (item_id, space, content_hash, dimensions, vector) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (item_id, space) DO UPDATE
    SET content_hash = excluded.content_hash, dimensions = excluded.dimensions, vector = excluded.vector";

#[derive(FromRow)]
pub(crate) struct HeaderRow {
    id: String,
    source: String,
    item_time: i64,
}

impl TryFrom<HeaderRow> for ItemHeader {
    type Error = StoreError;

    fn try_from(row: HeaderRow) -> Result<Self> {
        Ok(Self {
            id: column::id("item id", &row.id)?,
            source: column::id("source id", &row.source)?,
            time: Timestamp::from_millis(row.item_time),
        })
    }
}

#[derive(FromRow)]
pub(crate) struct TextRow {
    id: String,
    hash_text: String,
    title: Option<String>,
    body_text: String,
}

impl TryFrom<TextRow> for ItemText {
    type Error = StoreError;

    fn try_from(row: TextRow) -> Result<Self> {
        let id = column::id("item id", &row.id)?;
        Ok(Self { id, content_hash: row.hash_text, title: row.title, body_text: row.body_text })
    }
}
