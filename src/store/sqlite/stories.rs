//! `clusters` and `cluster_items`: which items tell the same story, and what a story's items are.

use std::collections::HashMap;

use async_trait::async_trait;
use sqlx::{FromRow, SqliteConnection};

use super::{SqliteStore, column};
use crate::domain::ids::{ClusterId, ItemId, SourceId, TopicId};
use crate::domain::item::Item;
use crate::domain::story::Delivery;
use crate::domain::time::Timestamp;
use crate::domain::window::Window;
use crate::store::{ClusterCommit, EmbeddedItem, Lease, Result, StoreError, StoryRecord, StoryStore};

/// How much the first item of a story resembles it.
const FIRST_SIMILARITY: f64 = 1.0;

#[derive(FromRow)]
struct EmbeddedRow {
    id: String,
    source: String,
    item_time: i64,
    hash_text: String,
    duplicate_of: Option<String>,
    cluster_id: Option<String>,
    vector: Vec<u8>,
}

impl TryFrom<EmbeddedRow> for EmbeddedItem {
    type Error = StoreError;

    fn try_from(row: EmbeddedRow) -> Result<Self> {
        Ok(Self {
            id: column::id("item id", &row.id)?,
            source: column::id("source id", &row.source)?,
            time: Timestamp::from_millis(row.item_time),
            hash_text: row.hash_text,
            duplicate_of: column::optional_id("item id", row.duplicate_of.as_deref())?,
            cluster: column::optional_id("cluster id", row.cluster_id.as_deref())?,
            vector: row.vector,
        })
    }
}

#[derive(FromRow)]
struct MemberRow {
    cluster_id: String,
    delivered_at: Option<i64>,
    delivered_sources: Option<i64>,
    delivered_run_id: Option<String>,
    item_id: String,
    similarity: f64,
}

impl MemberRow {
    fn story(&self) -> Result<StoryRecord> {
        let delivered = self.delivered_at.zip(self.delivered_sources);
        Ok(StoryRecord {
            cluster: column::id("cluster id", &self.cluster_id)?,
            delivered: delivered.map(|(at, sources)| Delivery { at: Timestamp::from_millis(at), sources }),
            delivered_by: column::optional_id("run id", self.delivered_run_id.as_deref())?,
            members: Vec::new(),
        })
    }
}

#[derive(FromRow)]
struct ItemRow {
    id: String,
    source_id: String,
    external_id: String,
    url: Option<String>,
    canonical_url: Option<String>,
    title: Option<String>,
    body_text: String,
    author: Option<String>,
    published_at: Option<i64>,
    fetched_at: i64,
    item_time: i64,
    time_basis: String,
    engagement: String,
    metadata_json: String,
    duplicate_of: Option<String>,
}

impl TryFrom<ItemRow> for Item {
    type Error = StoreError;

    fn try_from(row: ItemRow) -> Result<Self> {
        Ok(Self {
            id: column::id("item id", &row.id)?,
            source_id: column::id("source id", &row.source_id)?,
            external_id: row.external_id,
            url: row.url,
            canonical_url: row.canonical_url,
            title: row.title,
            body_text: row.body_text,
            author: row.author,
            published_at: column::optional_time(row.published_at),
            fetched_at: Timestamp::from_millis(row.fetched_at),
            time: Timestamp::from_millis(row.item_time),
            time_basis: column::word("item's time basis", &row.time_basis)?,
            engagement: column::json("item's engagement", &row.engagement)?,
            metadata: column::json("item's metadata", &row.metadata_json)?,
            duplicate_of: column::optional_id("item id", row.duplicate_of.as_deref())?,
        })
    }
}

#[async_trait]
impl StoryStore for SqliteStore {
    async fn oldest_unclustered(&self, topic: TopicId, space: &str) -> Result<Option<Timestamp>> {
        let oldest: Option<i64> = sqlx::query_scalar(
            "SELECT min(i.item_time) FROM content_items i
             JOIN embeddings e ON e.item_id = i.id AND e.space = $2
             WHERE i.deleted_at IS NULL
               AND NOT EXISTS (SELECT 1 FROM cluster_items m WHERE m.topic_id = $1 AND m.item_id = i.id)
               AND EXISTS (SELECT 1 FROM content_item_sources p JOIN sources s ON s.id = p.source_id
                           WHERE p.item_id = i.id AND s.topic_id = $1)",
        )
        .bind(topic.to_string())
        .bind(space)
        .fetch_one(&self.reader)
        .await?;
        Ok(column::optional_time(oldest))
    }

    async fn embedded_items(
        &self,
        topic: TopicId,
        space: &str,
        window: Window,
        snapshot: Timestamp,
    ) -> Result<Vec<EmbeddedItem>> {
        let rows: Vec<EmbeddedRow> = sqlx::query_as(include_str!("embedded_items.sql"))
            .bind(topic.to_string())
            .bind(space)
            .bind(window.start.as_millis())
            .bind(window.end.as_millis())
            .bind(snapshot.as_millis())
            .fetch_all(&self.reader)
            .await?;
        rows.into_iter().map(EmbeddedItem::try_from).collect()
    }

    async fn commit_duplicates(&self, lease: &Lease, duplicates: &[(ItemId, ItemId)]) -> Result<()> {
        let mut write = self.write_fenced("commit_duplicates", lease).await?;
        for (copy, original) in duplicates {
            sqlx::query("UPDATE content_items SET duplicate_of = $2 WHERE id = $1")
                .bind(copy.to_string())
                .bind(original.to_string())
                .execute(write.connection())
                .await?;
        }
        write.commit().await
    }

    async fn commit_clusters(&self, lease: &Lease, commit: &ClusterCommit) -> Result<()> {
        let mut write = self.write_fenced("commit_clusters", lease).await?;
        for (cluster, first) in &commit.created {
            create_cluster(write.connection(), lease.topic, *cluster, *first).await?;
            put_member(write.connection(), lease.topic, *cluster, *first, FIRST_SIMILARITY).await?;
        }
        for (item, cluster, similarity) in &commit.joined {
            put_member(write.connection(), lease.topic, *cluster, *item, *similarity).await?;
        }
        for (cluster, item) in &commit.representatives {
            sqlx::query("UPDATE clusters SET representative_item_id = $3 WHERE id = $1 AND topic_id = $2")
                .bind(cluster.to_string())
                .bind(lease.topic.to_string())
                .bind(item.to_string())
                .execute(write.connection())
                .await?;
        }
        write.commit().await
    }

    async fn stories_of(&self, topic: TopicId, items: &[ItemId], until: Timestamp) -> Result<Vec<StoryRecord>> {
        let rows: Vec<MemberRow> = sqlx::query_as(include_str!("stories_of.sql"))
            .bind(topic.to_string())
            .bind(column::id_list(items)?)
            .bind(until.as_millis())
            .fetch_all(&self.reader)
            .await?;
        let mut stories: Vec<StoryRecord> = Vec::new();
        for row in rows {
            let story = row.story()?;
            if stories.last().is_none_or(|last| last.cluster != story.cluster) {
                stories.push(story);
            }
            if let Some(last) = stories.last_mut() {
                last.members.push((column::id("item id", &row.item_id)?, row.similarity));
            }
        }
        Ok(stories)
    }

    async fn load_items(&self, topic: TopicId, ids: &[ItemId]) -> Result<Vec<(Item, Vec<SourceId>)>> {
        let rows: Vec<ItemRow> = sqlx::query_as(
            "SELECT i.id, i.source_id, i.external_id, i.url, i.canonical_url, i.title, i.body_text, i.author,
                    i.published_at, i.fetched_at, i.item_time, i.time_basis, i.engagement, i.metadata_json,
                    i.duplicate_of
             FROM json_each($1) wanted JOIN content_items i ON i.id = wanted.value
             WHERE i.deleted_at IS NULL ORDER BY wanted.key",
        )
        .bind(column::id_list(ids)?)
        .fetch_all(&self.reader)
        .await?;
        let sources = self.sources_of_items(topic, ids).await?;
        let with_sources = |row| {
            let mut item = Item::try_from(row)?;
            let mut brought_by = sources.get(&item.id).cloned().unwrap_or_default();
            // Its own source first, where that is one of the topic's; else the topic's first counts as its own.
            brought_by.sort_by_key(|source| (*source != item.source_id, *source));
            item.source_id = brought_by.first().copied().unwrap_or(item.source_id);
            Ok((item, brought_by))
        };
        rows.into_iter().map(with_sources).collect()
    }
}

impl SqliteStore {
    async fn sources_of_items(&self, topic: TopicId, ids: &[ItemId]) -> Result<HashMap<ItemId, Vec<SourceId>>> {
        let rows: Vec<(String, String)> = sqlx::query_as(
            "SELECT DISTINCT p.item_id, p.source_id
             FROM content_item_sources p JOIN sources s ON s.id = p.source_id
             WHERE s.topic_id = $1 AND p.item_id IN (SELECT value FROM json_each($2))",
        )
        .bind(topic.to_string())
        .bind(column::id_list(ids)?)
        .fetch_all(&self.reader)
        .await?;
        let mut sources: HashMap<ItemId, Vec<SourceId>> = HashMap::new();
        for (item, source) in &rows {
            sources.entry(column::id("item id", item)?).or_default().push(column::id("source id", source)?);
        }
        Ok(sources)
    }
}

async fn create_cluster(
    connection: &mut SqliteConnection,
    topic: TopicId,
    cluster: ClusterId,
    first: ItemId,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO clusters (id, topic_id, representative_item_id) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING",
    )
    .bind(cluster.to_string())
    .bind(topic.to_string())
    .bind(first.to_string())
    .execute(connection)
    .await?;
    Ok(())
}

async fn put_member(
    connection: &mut SqliteConnection,
    topic: TopicId,
    cluster: ClusterId,
    item: ItemId,
    similarity: f64,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO cluster_items (topic_id, item_id, cluster_id, similarity) VALUES ($1, $2, $3, $4)
         ON CONFLICT (topic_id, item_id) DO UPDATE
         SET cluster_id = excluded.cluster_id, similarity = excluded.similarity",
    )
    .bind(topic.to_string())
    .bind(item.to_string())
    .bind(cluster.to_string())
    .bind(similarity)
    .execute(connection)
    .await?;
    Ok(())
}
