//! `topic_items` and `embeddings`: which items a topic has, which run took them, and what they are to compare by.
//!
//! A topic's items are those that a source of the topic brought. Within a topic an item's source is the one that brought
//! it first, where that is the topic's own, else the topic's source with the smallest id.

use async_trait::async_trait;
use sqlx::{FromRow, SqliteConnection};

use super::{SqliteStore, column};
use crate::domain::ids::{ItemId, RunId, SourceId, TopicId};
use crate::domain::time::Timestamp;
use crate::domain::window::Window;
use crate::store::{ItemHeader, ItemStore, ItemText, Lease, NewEmbedding, Result, StoreError};

#[derive(FromRow)]
struct HeaderRow {
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
struct TextRow {
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

#[async_trait]
impl ItemStore for SqliteStore {
    async fn unassigned_items(&self, topic: TopicId, until: Timestamp) -> Result<Vec<ItemHeader>> {
        let rows: Vec<HeaderRow> = sqlx::query_as(
            "SELECT i.id, i.item_time,
                    coalesce(min(CASE WHEN p.source_id = i.source_id THEN p.source_id END), min(p.source_id)) AS source
             FROM sources s
             JOIN content_item_sources p ON p.source_id = s.id
             JOIN content_items i ON i.id = p.item_id
             WHERE s.topic_id = $1 AND i.item_time < $2 AND i.deleted_at IS NULL
               AND NOT EXISTS (SELECT 1 FROM topic_items t WHERE t.topic_id = $1 AND t.item_id = i.id)
             GROUP BY i.id
             ORDER BY i.item_time, i.id",
        )
        .bind(topic.to_string())
        .bind(until.as_millis())
        .fetch_all(&self.reader)
        .await?;
        rows.into_iter().map(ItemHeader::try_from).collect()
    }

    async fn assign_items(&self, lease: &Lease, run: RunId, assigned: &[ItemId], seen: &[ItemId]) -> Result<()> {
        let mut write = self.write_fenced("assign_items", lease).await?;
        insert_topic_items(write.connection(), lease.topic, Some(run), assigned).await?;
        insert_topic_items(write.connection(), lease.topic, None, seen).await?;
        write.commit().await
    }

    async fn assigned_items(&self, run: RunId) -> Result<Vec<ItemId>> {
        let rows: Vec<String> = sqlx::query_scalar(
            "SELECT i.id FROM topic_items t JOIN content_items i ON i.id = t.item_id
             WHERE t.run_id = $1 AND i.deleted_at IS NULL ORDER BY i.item_time, i.id",
        )
        .bind(run.to_string())
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(|id| column::id("item id", id)).collect()
    }

    async fn items_in_window(&self, topic: TopicId, window: Window) -> Result<Vec<ItemId>> {
        let rows: Vec<String> = sqlx::query_scalar(
            "SELECT i.id FROM content_items i
             WHERE i.item_time >= $2 AND i.item_time < $3 AND i.deleted_at IS NULL
               AND EXISTS (SELECT 1 FROM content_item_sources p JOIN sources s ON s.id = p.source_id
                           WHERE p.item_id = i.id AND s.topic_id = $1)
             ORDER BY i.item_time, i.id",
        )
        .bind(topic.to_string())
        .bind(window.start.as_millis())
        .bind(window.end.as_millis())
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(|id| column::id("item id", id)).collect()
    }

    async fn items_to_embed(&self, topic: TopicId, space: &str, limit: i64) -> Result<Vec<ItemText>> {
        let rows: Vec<TextRow> = sqlx::query_as(
            "SELECT i.id, i.hash_text, i.title, i.body_text FROM content_items i
             WHERE i.deleted_at IS NULL
               AND NOT EXISTS (SELECT 1 FROM embeddings e
                               WHERE e.item_id = i.id AND e.space = $2 AND e.content_hash = i.hash_text)
               AND EXISTS (SELECT 1 FROM content_item_sources p JOIN sources s ON s.id = p.source_id
                           WHERE p.item_id = i.id AND s.topic_id = $1)
             ORDER BY i.item_time, i.id LIMIT $3",
        )
        .bind(topic.to_string())
        .bind(space)
        .bind(limit)
        .fetch_all(&self.reader)
        .await?;
        rows.into_iter().map(ItemText::try_from).collect()
    }

    async fn commit_embeddings(&self, lease: &Lease, space: &str, embeddings: &[NewEmbedding]) -> Result<()> {
        let mut write = self.write_fenced("commit_embeddings", lease).await?;
        for embedding in embeddings {
            upsert_embedding(write.connection(), space, embedding).await?;
        }
        write.commit().await
    }

    async fn source_times(&self, topic: TopicId, window: Window) -> Result<Vec<(SourceId, Timestamp)>> {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT source_id, item_time
             FROM (SELECT DISTINCT p.source_id, i.item_time, i.id
                   FROM sources s
                   JOIN content_item_sources p ON p.source_id = s.id
                   JOIN content_items i ON i.id = p.item_id
                   WHERE s.topic_id = $1 AND i.item_time >= $2 AND i.item_time < $3 AND i.time_basis = 'published'
                     AND i.deleted_at IS NULL) AS published
             ORDER BY source_id, item_time DESC",
        )
        .bind(topic.to_string())
        .bind(window.start.as_millis())
        .bind(window.end.as_millis())
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(|(source, at)| Ok((column::id("source id", source)?, Timestamp::from_millis(*at)))).collect()
    }
}

/// Items that a run claims, or without a run: items passed over. What is settled stays settled.
async fn insert_topic_items(
    connection: &mut SqliteConnection,
    topic: TopicId,
    run: Option<RunId>,
    items: &[ItemId],
) -> Result<()> {
    sqlx::query(
        "INSERT INTO topic_items (topic_id, item_id, run_id, state)
         SELECT $1, value, $2, CASE WHEN $2 IS NULL THEN 'seen' ELSE 'assigned' END FROM json_each($3)
         WHERE true ON CONFLICT DO NOTHING",
    )
    .bind(topic.to_string())
    .bind(run.map(|run| run.to_string()))
    .bind(column::id_list(items)?)
    .execute(connection)
    .await?;
    Ok(())
}

async fn upsert_embedding(connection: &mut SqliteConnection, space: &str, embedding: &NewEmbedding) -> Result<()> {
    sqlx::query(
        "INSERT INTO embeddings (item_id, space, content_hash, dimensions, vector) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (item_id, space) DO UPDATE
         SET content_hash = excluded.content_hash, dimensions = excluded.dimensions, vector = excluded.vector",
    )
    .bind(embedding.item.to_string())
    .bind(space)
    .bind(&embedding.content_hash)
    .bind(embedding.dimensions)
    .bind(&embedding.vector)
    .execute(connection)
    .await?;
    Ok(())
}
