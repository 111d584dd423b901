//! `topic_items` and `embeddings`: the items of a topic, the run that claimed each, and their vectors.
//!
//! A topic's items are those published by a source of the topic. Within a topic, an item's source is the one that its
//! text is from if that belongs to the topic, otherwise the topic's source with the smallest id: topics share an item
//! only if their sources gave it with the same text.

use aha_core::ids::{ItemId, RunId, SourceId, TopicId};
use aha_core::time::Timestamp;
use aha_core::window::Window;
use async_trait::async_trait;

use super::{Connection, Database, id_list};
use crate::shared::{PerDatabase, column};
use crate::{ItemHeader, ItemStore, ItemText, Lease, NewEmbedding, Result, StoreError};

const UNASSIGNED: &str = "
    SELECT i.id, i.item_time,
           coalesce(min(CASE WHEN p.source_id = i.source_id THEN p.source_id END), min(p.source_id)) AS source,
           min(p.catch_up_from) AS catch_up_from,
           max(CASE WHEN i.published_at IS NULL THEN p.from_first_fetch ELSE 0 END) AS of_unknown_age
    FROM sources s
    JOIN content_item_sources p ON p.source_id = s.id AND p.is_assigned = 0
    JOIN content_items i ON i.id = p.item_id
    WHERE s.topic_id = $1 AND i.item_time < $2 AND i.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM topic_items t WHERE t.topic_id = $1 AND t.item_id = i.id)
    GROUP BY i.id
    ORDER BY i.item_time, i.id";

/// Moves to a run the items, not older than $3, of stories that the topic's last cursor digest shows without a
/// judgement because triage failed.
const RECLAIM_FAILED: &str = super::statement(PerDatabase {
    sqlite: "
        UPDATE topic_items SET run_id = $1
        WHERE topic_id = $2 AND state = 'assigned' AND item_id IN (
            SELECT i.id FROM digest_items s JOIN json_each(s.members_json) m
            JOIN content_items i ON i.id = m.value ->> 'item_id'
            WHERE s.state = 'failed' AND i.item_time >= $3 AND i.deleted_at IS NULL AND s.digest_id = (
                SELECT d.id FROM digests d JOIN runs r ON r.id = d.run_id
                WHERE d.topic_id = $2 AND r.mode = 'cursor' AND d.run_id <> $1
                  AND d.window_end <= (SELECT n.window_end FROM runs n WHERE n.id = $1)
                ORDER BY d.window_end DESC, d.created_at DESC, d.id LIMIT 1))",
    postgres: "
        UPDATE topic_items SET run_id = $1
        WHERE topic_id = $2 AND state = 'assigned' AND item_id IN (
            SELECT i.id FROM digest_items s
            CROSS JOIN LATERAL json_array_elements(CAST(s.members_json AS json)) AS m (value)
            JOIN content_items i ON i.id = m.value ->> 'item_id'
            WHERE s.state = 'failed' AND i.item_time >= $3 AND i.deleted_at IS NULL AND s.digest_id = (
                SELECT d.id FROM digests d JOIN runs r ON r.id = d.run_id
                WHERE d.topic_id = $2 AND r.mode = 'cursor' AND d.run_id <> $1
                  AND d.window_end <= (SELECT n.window_end FROM runs n WHERE n.id = $1)
                ORDER BY d.window_end DESC, d.created_at DESC, d.id LIMIT 1))",
});

/// A cross join, which SQLite executes in this order: from the few items to their sources.
const SEEN_BEFORE: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT DISTINCT p.item_id FROM content_item_sources p CROSS JOIN sources s
        WHERE s.id = p.source_id AND s.topic_id = $1 AND p.first_seen_at < $3
          AND p.item_id IN (SELECT value FROM json_each($2))",
    postgres: "
        SELECT DISTINCT p.item_id FROM content_item_sources p CROSS JOIN sources s
        WHERE s.id = p.source_id AND s.topic_id = $1 AND p.first_seen_at < $3 AND p.item_id = ANY($2)",
});

const ASSIGNED: &str = "
    SELECT i.id FROM topic_items t JOIN content_items i ON i.id = t.item_id
    WHERE t.run_id = $1 AND i.deleted_at IS NULL ORDER BY i.item_time, i.id";

/// Items of stories that a run's digest shows without a judgement because triage failed, and that a later run has
/// claimed again by [`RECLAIM_FAILED`].
const RECLAIMED: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT i.id FROM digests d
        JOIN topic_items t ON t.topic_id = d.topic_id AND t.item_id IN (
            SELECT m.value ->> 'item_id' FROM digest_items s JOIN json_each(s.members_json) m
            WHERE s.digest_id = d.id AND s.state = 'failed')
        JOIN runs r ON r.id = t.run_id AND r.id <> d.run_id AND r.window_end >= d.window_end
        JOIN content_items i ON i.id = t.item_id
        WHERE d.run_id = $1 AND i.deleted_at IS NULL ORDER BY i.item_time, i.id",
    postgres: "
        SELECT i.id FROM digests d
        JOIN topic_items t ON t.topic_id = d.topic_id AND t.item_id IN (
            SELECT m.value ->> 'item_id' FROM digest_items s
            CROSS JOIN LATERAL json_array_elements(CAST(s.members_json AS json)) AS m (value)
            WHERE s.digest_id = d.id AND s.state = 'failed')
        JOIN runs r ON r.id = t.run_id AND r.id <> d.run_id AND r.window_end >= d.window_end
        JOIN content_items i ON i.id = t.item_id
        WHERE d.run_id = $1 AND i.deleted_at IS NULL ORDER BY i.item_time, i.id",
});

/// Items claimed by a run, from before $2, that a source could not deliver in time.
const LATE: &str = "
    SELECT DISTINCT i.id FROM topic_items t
    JOIN content_items i ON i.id = t.item_id
    JOIN content_item_sources p ON p.item_id = i.id AND p.catch_up_from IS NOT NULL
    JOIN sources s ON s.id = p.source_id AND s.topic_id = t.topic_id
    WHERE t.run_id = $1 AND i.item_time < $2 ORDER BY i.id";

const IN_WINDOW: &str = "
    SELECT i.id FROM content_items i
    WHERE i.item_time >= $2 AND i.item_time < $3 AND i.deleted_at IS NULL
      AND EXISTS (SELECT 1 FROM content_item_sources p JOIN sources s ON s.id = p.source_id
                  WHERE p.item_id = i.id AND s.topic_id = $1)
    ORDER BY i.item_time, i.id";

/// Marks items that have a row in `topic_items`, so that [`UNASSIGNED`] can skip them.
const MARK_ASSIGNED: &str = "
    UPDATE content_item_sources SET is_assigned = 1
    WHERE is_assigned = 0 AND source_id IN (SELECT id FROM sources WHERE topic_id = $1)
      AND EXISTS (SELECT 1 FROM topic_items t WHERE t.topic_id = $1 AND t.item_id = content_item_sources.item_id)";

/// Whether placed items are embedded in this space. Items are embedded in order of time, so the newest placed item is
/// checked. The result is 0 for a new space. Without the lower bound of time SQLite would sort all items instead of
/// walking the index.
const KNOWS_SPACE: &str = "
    SELECT count(*) FROM embeddings e
    WHERE e.space = $2 AND e.item_id = (
        SELECT i.id FROM content_items i
        WHERE i.item_time >= 0 AND i.deleted_at IS NULL
          AND EXISTS (SELECT 1 FROM content_item_sources p JOIN sources s ON s.id = p.source_id
                      WHERE p.item_id = i.id AND s.topic_id = $1 AND p.is_placed = 1)
        ORDER BY i.item_time DESC, i.id DESC LIMIT 1)";

/// Selects only among items that are not placed.
const TO_EMBED_OF_NEW: &str = "
    SELECT i.id, i.hash_text, i.title, i.body_text
    FROM (SELECT DISTINCT p.item_id FROM sources s
          JOIN content_item_sources p ON p.source_id = s.id AND p.is_placed = 0
          WHERE s.topic_id = $1) AS new
    JOIN content_items i ON i.id = new.item_id
    WHERE i.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM embeddings e
                      WHERE e.item_id = i.id AND e.space = $2 AND e.content_hash = i.hash_text)
    ORDER BY i.item_time, i.id LIMIT $3";

const TO_EMBED: &str = "
    SELECT i.id, i.hash_text, i.title, i.body_text FROM content_items i
    WHERE i.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM embeddings e
                      WHERE e.item_id = i.id AND e.space = $2 AND e.content_hash = i.hash_text)
      AND EXISTS (SELECT 1 FROM content_item_sources p JOIN sources s ON s.id = p.source_id
                  WHERE p.item_id = i.id AND s.topic_id = $1)
    ORDER BY i.item_time, i.id LIMIT $3";

/// Maximum number of publication times read per source. Older times say nothing about the current pace of a prolific
/// source.
const TIMES_A_SOURCE: i64 = 200;

const SOURCE_TIMES: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT s.id, t.value FROM sources s
        JOIN json_each((SELECT json_group_array(published_time)
                        FROM (SELECT DISTINCT published_time, item_id FROM content_item_sources
                              WHERE source_id = s.id AND published_time >= $2 AND published_time < $3
                              ORDER BY published_time DESC, item_id DESC LIMIT $4))) t
        WHERE s.topic_id = $1 ORDER BY s.id, t.value DESC",
    postgres: "
        SELECT s.id, t.published_time FROM sources s
        CROSS JOIN LATERAL (SELECT DISTINCT published_time, item_id FROM content_item_sources
                            WHERE source_id = s.id AND published_time >= $2 AND published_time < $3
                            ORDER BY published_time DESC, item_id DESC LIMIT $4) AS t
        WHERE s.topic_id = $1 ORDER BY s.id, t.published_time DESC",
});

/// Stores vectors; replaces earlier ones only if $4 is 1. They are given as a list of arrays of item, text hash and
/// dimensions, and where the vector begins in `$3` and its length, in bytes. Of an empty blob SQLite's `substr` is null.
const UPSERT_EMBEDDINGS: &str = super::statement(PerDatabase {
    sqlite: "
        INSERT INTO embeddings (item_id, space, content_hash, dimensions, vector)
        SELECT w.value ->> 0, $1, w.value ->> 1, w.value ->> 2,
               coalesce(substr($3, w.value ->> 3, w.value ->> 4), x'')
        FROM json_each($2) w
        WHERE true ON CONFLICT (item_id, space) DO UPDATE
        SET content_hash = excluded.content_hash, dimensions = excluded.dimensions, vector = excluded.vector
        WHERE CAST($4 AS BIGINT) = 1",
    postgres: "
        INSERT INTO embeddings (item_id, space, content_hash, dimensions, vector)
        SELECT w.value ->> 0, $1, w.value ->> 1, CAST(w.value ->> 2 AS bigint),
               substr(CAST($3 AS bytea), CAST(w.value ->> 3 AS int), CAST(w.value ->> 4 AS int))
        FROM json_array_elements(CAST(CAST($2 AS text) AS json)) AS w (value)
        ON CONFLICT (item_id, space) DO UPDATE
        SET content_hash = excluded.content_hash, dimensions = excluded.dimensions, vector = excluded.vector
        WHERE CAST($4 AS BIGINT) = 1",
});

/// Vectors of the topic's items in the window that match the items' current texts.
const VECTORS: &str = "
    SELECT e.item_id, e.vector FROM content_items i
    JOIN embeddings e ON e.item_id = i.id AND e.space = $2 AND e.content_hash = i.hash_text
    WHERE i.item_time >= $3 AND i.item_time < $4 AND i.deleted_at IS NULL
      AND EXISTS (SELECT 1 FROM content_item_sources p JOIN sources s ON s.id = p.source_id
                  WHERE p.item_id = i.id AND s.topic_id = $1)
    ORDER BY e.item_id";

const INSERT_TOPIC_ITEMS: &str = super::statement(PerDatabase {
    sqlite: "
        INSERT INTO topic_items (topic_id, item_id, run_id, state)
        SELECT $1, value, $2, CASE WHEN $2 IS NULL THEN 'seen' ELSE 'assigned' END FROM json_each($3)
        WHERE true ON CONFLICT DO NOTHING",
    postgres: "
        INSERT INTO topic_items (topic_id, item_id, run_id, state)
        SELECT $1, id, $2, CASE WHEN $2::text IS NULL THEN 'seen' ELSE 'assigned' END FROM unnest($3::text[]) AS item (id)
        ON CONFLICT DO NOTHING",
});

struct HeaderRow {
    id: String,
    source: String,
    item_time: i64,
    catch_up_from: Option<i64>,
    of_unknown_age: i64,
}

from_row!(HeaderRow { id, source, item_time, catch_up_from, of_unknown_age });

impl TryFrom<HeaderRow> for ItemHeader {
    type Error = StoreError;

    fn try_from(row: HeaderRow) -> Result<Self> {
        Ok(Self {
            id: column::id("item id", &row.id)?,
            source: column::id("source id", &row.source)?,
            time: Timestamp::from_millis(row.item_time),
            catch_up_from: column::optional_time(row.catch_up_from),
            is_of_unknown_age: row.of_unknown_age != 0,
        })
    }
}

struct TextRow {
    id: String,
    hash_text: String,
    title: Option<String>,
    body_text: String,
}

from_row!(TextRow { id, hash_text, title, body_text });

impl TryFrom<TextRow> for ItemText {
    type Error = StoreError;

    fn try_from(row: TextRow) -> Result<Self> {
        let id = column::id("item id", &row.id)?;
        Ok(Self { id, content_hash: row.hash_text, title: row.title, body_text: row.body_text })
    }
}

/// Converts rows of item id and vector.
fn vectors(rows: Vec<(String, Vec<u8>)>) -> Result<Vec<(ItemId, Vec<u8>)>> {
    rows.into_iter().map(|(item, vector)| Ok((column::id("item id", &item)?, vector))).collect()
}

#[async_trait]
impl ItemStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn unassigned_items(&self, topic: TopicId, until: Timestamp) -> Result<Vec<ItemHeader>> {
        let rows: Vec<HeaderRow> = sqlx::query_as(UNASSIGNED)
            .bind(topic.to_string())
            .bind(until.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.into_iter().map(ItemHeader::try_from).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn assign_items(
        &self,
        lease: &Lease,
        run: RunId,
        assigned: &[ItemId],
        seen: &[ItemId],
        failed_since: Timestamp,
    ) -> Result<()> {
        let mut write = self.write_fenced("assign_items", lease).await?;
        insert_topic_items(write.connection(), lease.topic, Some(run), assigned).await?;
        insert_topic_items(write.connection(), lease.topic, None, seen).await?;
        sqlx::query(RECLAIM_FAILED)
            .bind(run.to_string())
            .bind(lease.topic.to_string())
            .bind(failed_since.as_millis())
            .execute(write.connection())
            .await?;
        write.lock_shared_items().await?;
        sqlx::query(MARK_ASSIGNED).bind(lease.topic.to_string()).execute(write.connection()).await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn items_seen_before(&self, topic: TopicId, items: &[ItemId], before: Timestamp) -> Result<Vec<ItemId>> {
        let rows: Vec<String> = sqlx::query_scalar(SEEN_BEFORE)
            .bind(topic.to_string())
            .bind(id_list(items)?)
            .bind(before.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.iter().map(|id| column::id("item id", id)).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn assigned_items(&self, run: RunId) -> Result<Vec<ItemId>> {
        let rows: Vec<String> =
            sqlx::query_scalar(ASSIGNED).bind(run.to_string()).fetch_all(&mut *self.reader().await?).await?;
        rows.iter().map(|id| column::id("item id", id)).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn reclaimed_items(&self, run: RunId) -> Result<Vec<ItemId>> {
        let rows: Vec<String> =
            sqlx::query_scalar(RECLAIMED).bind(run.to_string()).fetch_all(&mut *self.reader().await?).await?;
        rows.iter().map(|id| column::id("item id", id)).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn late_items(&self, run: RunId, window_start: Timestamp) -> Result<Vec<ItemId>> {
        let rows: Vec<String> = sqlx::query_scalar(LATE)
            .bind(run.to_string())
            .bind(window_start.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.iter().map(|id| column::id("item id", id)).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn items_in_window(&self, topic: TopicId, window: Window) -> Result<Vec<ItemId>> {
        let rows: Vec<String> = sqlx::query_scalar(IN_WINDOW)
            .bind(topic.to_string())
            .bind(window.start.as_millis())
            .bind(window.end.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.iter().map(|id| column::id("item id", id)).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn items_to_embed(&self, topic: TopicId, space: &str, limit: i64) -> Result<Vec<ItemText>> {
        let known: i64 = sqlx::query_scalar(KNOWS_SPACE)
            .bind(topic.to_string())
            .bind(space)
            .fetch_one(&mut *self.reader().await?)
            .await?;
        let select = if known > 0 { TO_EMBED_OF_NEW } else { TO_EMBED };
        let rows: Vec<TextRow> = sqlx::query_as(select)
            .bind(topic.to_string())
            .bind(space)
            .bind(limit)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.into_iter().map(ItemText::try_from).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn commit_embeddings(&self, lease: &Lease, space: &str, embeddings: &[NewEmbedding]) -> Result<()> {
        let mut write = self.write_fenced("commit_embeddings", lease).await?;
        write.lock_shared_items().await?;
        upsert_embeddings(write.connection(), space, embeddings, true).await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn vectors(&self, topic: TopicId, space: &str, window: Window) -> Result<Vec<(ItemId, Vec<u8>)>> {
        let rows: Vec<(String, Vec<u8>)> = sqlx::query_as(VECTORS)
            .bind(topic.to_string())
            .bind(space)
            .bind(window.start.as_millis())
            .bind(window.end.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        vectors(rows)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn source_times(&self, topic: TopicId, window: Window) -> Result<Vec<(SourceId, Timestamp)>> {
        let rows: Vec<(String, i64)> = sqlx::query_as(SOURCE_TIMES)
            .bind(topic.to_string())
            .bind(window.start.as_millis())
            .bind(window.end.as_millis())
            .bind(TIMES_A_SOURCE)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.into_iter()
            .map(|(source, at)| Ok((column::id("source id", &source)?, Timestamp::from_millis(at))))
            .collect()
    }
}

/// Inserts items that a run claims, or without a run, items that are skipped. Existing rows are not changed.
async fn insert_topic_items(
    connection: &mut Connection,
    topic: TopicId,
    run: Option<RunId>,
    items: &[ItemId],
) -> Result<()> {
    sqlx::query(INSERT_TOPIC_ITEMS)
        .bind(topic.to_string())
        .bind(run.map(|run| run.to_string()))
        .bind(id_list(items)?)
        .execute(connection)
        .await?;
    Ok(())
}

/// Stores the vectors of different items; without `replace` only where there is none yet.
pub(super) async fn upsert_embeddings(
    connection: &mut Connection,
    space: &str,
    embeddings: &[NewEmbedding],
    replace: bool,
) -> Result<()> {
    let mut bytes = Vec::new();
    let mut rows = Vec::with_capacity(embeddings.len());
    for NewEmbedding { item, content_hash, dimensions, vector } in embeddings {
        rows.push((item.to_string(), content_hash, dimensions, bytes.len() + 1, vector.len()));
        bytes.extend_from_slice(vector);
    }
    sqlx::query(UPSERT_EMBEDDINGS)
        .bind(space)
        .bind(column::to_json(&rows)?)
        .bind(bytes)
        .bind(i64::from(replace))
        .execute(connection)
        .await?;
    Ok(())
}
