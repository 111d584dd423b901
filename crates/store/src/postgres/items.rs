//! `topic_items` and `embeddings`: which items a topic has, which run took them, and what they are to compare by.
//!
//! A topic's items are those that a source of the topic brought. Within a topic an item's source is the one that brought
//! it first, where that is the topic's own, else the topic's source with the smallest id.

use aha_core::ids::{ItemId, RunId, SourceId, TopicId};
use aha_core::time::Timestamp;
use aha_core::window::Window;
use async_trait::async_trait;
use sqlx::PgConnection;

use super::PostgresStore;
use crate::shared::column;
use crate::shared::items::{self as sql, HeaderRow, TextRow};
use crate::{ItemHeader, ItemStore, ItemText, Lease, NewEmbedding, Result};

#[async_trait]
impl ItemStore for PostgresStore {
    async fn unassigned_items(&self, topic: TopicId, until: Timestamp) -> Result<Vec<ItemHeader>> {
        let rows: Vec<HeaderRow> = sqlx::query_as(sql::UNASSIGNED)
            .bind(topic.to_string())
            .bind(until.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.into_iter().map(ItemHeader::try_from).collect()
    }

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
        sqlx::query(sql::RECLAIM_FAILED)
            .bind(run.to_string())
            .bind(lease.topic.to_string())
            .bind(failed_since.as_millis())
            .execute(write.connection())
            .await?;
        write.lock_contents().await?;
        sqlx::query(sql::NOTE_ASSIGNED).bind(lease.topic.to_string()).execute(write.connection()).await?;
        write.commit().await
    }

    async fn assigned_items(&self, run: RunId) -> Result<Vec<ItemId>> {
        let rows: Vec<String> =
            sqlx::query_scalar(sql::ASSIGNED).bind(run.to_string()).fetch_all(&mut *self.reader().await?).await?;
        rows.iter().map(|id| column::id("item id", id)).collect()
    }

    async fn late_items(&self, run: RunId, window_start: Timestamp) -> Result<Vec<ItemId>> {
        let rows: Vec<String> = sqlx::query_scalar(sql::LATE)
            .bind(run.to_string())
            .bind(window_start.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.iter().map(|id| column::id("item id", id)).collect()
    }

    async fn items_in_window(&self, topic: TopicId, window: Window) -> Result<Vec<ItemId>> {
        let rows: Vec<String> = sqlx::query_scalar(sql::IN_WINDOW)
            .bind(topic.to_string())
            .bind(window.start.as_millis())
            .bind(window.end.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.iter().map(|id| column::id("item id", id)).collect()
    }

    async fn items_to_embed(&self, topic: TopicId, space: &str, limit: i64) -> Result<Vec<ItemText>> {
        let known: i64 = sqlx::query_scalar(sql::KNOWS_SPACE)
            .bind(topic.to_string())
            .bind(space)
            .fetch_one(&mut *self.reader().await?)
            .await?;
        let select = if known > 0 { sql::TO_EMBED_OF_NEW } else { sql::TO_EMBED };
        let rows: Vec<TextRow> = sqlx::query_as(select)
            .bind(topic.to_string())
            .bind(space)
            .bind(limit)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.into_iter().map(ItemText::try_from).collect()
    }

    async fn commit_embeddings(&self, lease: &Lease, space: &str, embeddings: &[NewEmbedding]) -> Result<()> {
        let mut write = self.write_fenced("commit_embeddings", lease).await?;
        write.lock_contents().await?;
        for embedding in embeddings {
            upsert_embedding(write.connection(), space, embedding, true).await?;
        }
        write.commit().await
    }

    async fn vectors(&self, topic: TopicId, space: &str, window: Window) -> Result<Vec<(ItemId, Vec<u8>)>> {
        let rows: Vec<(String, Vec<u8>)> = sqlx::query_as(sql::VECTORS)
            .bind(topic.to_string())
            .bind(space)
            .bind(window.start.as_millis())
            .bind(window.end.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        sql::vectors(rows)
    }

    async fn source_times(&self, topic: TopicId, window: Window) -> Result<Vec<(SourceId, Timestamp)>> {
        let sources: Vec<String> =
            sqlx::query_scalar(sql::SOURCE_IDS).bind(topic.to_string()).fetch_all(&mut *self.reader().await?).await?;
        let mut times = Vec::new();
        for source in sources {
            let published: Vec<i64> = sqlx::query_scalar(sql::TIMES_OF_SOURCE)
                .bind(&source)
                .bind(window.start.as_millis())
                .bind(window.end.as_millis())
                .bind(sql::TIMES_A_SOURCE)
                .fetch_all(&mut *self.reader().await?)
                .await?;
            let source = column::id("source id", &source)?;
            times.extend(published.into_iter().map(|at| (source, Timestamp::from_millis(at))));
        }
        Ok(times)
    }
}

/// Items that a run claims, or without a run: items passed over. What is settled stays settled.
async fn insert_topic_items(
    connection: &mut PgConnection,
    topic: TopicId,
    run: Option<RunId>,
    items: &[ItemId],
) -> Result<()> {
    sqlx::query(
        "INSERT INTO topic_items (topic_id, item_id, run_id, state)
         SELECT $1, id, $2, CASE WHEN $2::text IS NULL THEN 'seen' ELSE 'assigned' END FROM unnest($3::text[]) AS item (id)
         ON CONFLICT DO NOTHING",
    )
    .bind(topic.to_string())
    .bind(run.map(|run| run.to_string()))
    .bind(super::id_list(items)?)
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores a vector; without `replace` only where there is none yet.
pub(super) async fn upsert_embedding(
    connection: &mut PgConnection,
    space: &str,
    embedding: &NewEmbedding,
    replace: bool,
) -> Result<()> {
    sqlx::query(sql::UPSERT_EMBEDDING)
        .bind(embedding.item.to_string())
        .bind(space)
        .bind(&embedding.content_hash)
        .bind(embedding.dimensions)
        .bind(&embedding.vector)
        .bind(i64::from(replace))
        .execute(connection)
        .await?;
    Ok(())
}
