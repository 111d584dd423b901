//! `clusters` and `cluster_items`: which items tell the same story, and what a story's items are.

use aha_core::ids::{ClusterId, ItemId, SourceId, TopicId};
use aha_core::item::Item;
use aha_core::thresholds::Thresholds;
use aha_core::time::Timestamp;
use aha_core::window::Window;
use async_trait::async_trait;
use sqlx::PgConnection;

use super::{PostgresStore, id_list};
use crate::shared::stories::{self as sql, EmbeddedRow, ItemRow, MemberRow};
use crate::{ClusterCommit, EmbeddedItem, FoundThresholds, Lease, Result, StoryRecord, StoryStore};

#[async_trait]
impl StoryStore for PostgresStore {
    async fn oldest_unclustered(&self, topic: TopicId, space: &str) -> Result<Option<Timestamp>> {
        let oldest: Option<i64> = sqlx::query_scalar(sql::OLDEST_UNCLUSTERED)
            .bind(topic.to_string())
            .bind(space)
            .fetch_one(&mut *self.reader().await?)
            .await?;
        Ok(oldest.map(Timestamp::from_millis))
    }

    async fn embedded_items(
        &self,
        topic: TopicId,
        space: &str,
        window: Window,
        snapshot: Timestamp,
    ) -> Result<Vec<EmbeddedItem>> {
        let rows: Vec<EmbeddedRow> = sqlx::query_as(sql::EMBEDDED_ITEMS)
            .bind(topic.to_string())
            .bind(space)
            .bind(window.start.as_millis())
            .bind(window.end.as_millis())
            .bind(snapshot.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.into_iter().map(EmbeddedItem::try_from).collect()
    }

    async fn commit_duplicates(&self, lease: &Lease, duplicates: &[(ItemId, ItemId)]) -> Result<()> {
        let mut write = self.write_fenced("commit_duplicates", lease).await?;
        write.lock_contents().await?;
        for (copy, original) in duplicates {
            sqlx::query(sql::SET_DUPLICATE)
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
            put_member(write.connection(), lease.topic, *cluster, *first, sql::FIRST_SIMILARITY).await?;
        }
        for (item, cluster, similarity) in &commit.joined {
            put_member(write.connection(), lease.topic, *cluster, *item, *similarity).await?;
        }
        for (from, into) in &commit.merged {
            sqlx::query(sql::MERGE)
                .bind(lease.topic.to_string())
                .bind(from.to_string())
                .bind(into.to_string())
                .execute(write.connection())
                .await?;
        }
        for (cluster, item) in &commit.representatives {
            sqlx::query(sql::SET_REPRESENTATIVE)
                .bind(cluster.to_string())
                .bind(lease.topic.to_string())
                .bind(item.to_string())
                .execute(write.connection())
                .await?;
        }
        write.lock_contents().await?;
        sqlx::query(sql::NOTE_PLACED).bind(lease.topic.to_string()).execute(write.connection()).await?;
        write.commit().await
    }

    async fn thresholds(&self, space: &str) -> Result<Option<Thresholds>> {
        let found: Option<(f64, f64, f64)> =
            sqlx::query_as(sql::THRESHOLDS).bind(space).fetch_optional(&mut *self.reader().await?).await?;
        Ok(found.map(|(pair, crowd, split)| Thresholds { pair, crowd, split, ..Thresholds::shipped(space) }))
    }

    async fn keep_thresholds(&self, space: &str, found: &FoundThresholds) -> Result<()> {
        let mut write = self.write("keep_thresholds").await?;
        sqlx::query(sql::KEEP_THRESHOLDS)
            .bind(space)
            .bind(found.thresholds.pair)
            .bind(found.thresholds.crowd)
            .bind(found.thresholds.split)
            .bind(found.documents)
            .bind(found.bcubed_f1)
            .bind(found.found_at.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    async fn stories_of(&self, topic: TopicId, items: &[ItemId], until: Timestamp) -> Result<Vec<StoryRecord>> {
        let rows: Vec<MemberRow> = sqlx::query_as(include_str!("stories_of.sql"))
            .bind(topic.to_string())
            .bind(id_list(items)?)
            .bind(until.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        sql::stories(rows)
    }

    async fn item_html(&self, item: ItemId) -> Result<Option<String>> {
        let html: Option<Option<String>> =
            sqlx::query_scalar(sql::HTML).bind(item.to_string()).fetch_optional(&mut *self.reader().await?).await?;
        Ok(html.flatten())
    }

    async fn load_items(&self, topic: TopicId, ids: &[ItemId]) -> Result<Vec<(Item, Vec<SourceId>)>> {
        let rows: Vec<ItemRow> = sqlx::query_as(
            "SELECT i.id, i.source_id, i.external_id, i.url, i.canonical_url, i.title, i.body_text, i.author,
                    i.published_at, i.fetched_at, i.item_time, i.time_basis, i.engagement, i.metadata_json,
                    i.duplicate_of
             FROM unnest($1::text[]) WITH ORDINALITY AS wanted (id, place) JOIN content_items i ON i.id = wanted.id
             WHERE i.deleted_at IS NULL ORDER BY wanted.place",
        )
        .bind(id_list(ids)?)
        .fetch_all(&mut *self.reader().await?)
        .await?;
        let sources = self.sources_of_items(topic, ids).await?;
        sql::with_sources(rows, &sources)
    }
}

impl PostgresStore {
    async fn sources_of_items(&self, topic: TopicId, ids: &[ItemId]) -> Result<Vec<(String, String)>> {
        Ok(sqlx::query_as(
            "SELECT DISTINCT p.item_id, p.source_id
             FROM content_item_sources p JOIN sources s ON s.id = p.source_id
             WHERE s.topic_id = $1 AND p.item_id = ANY($2)",
        )
        .bind(topic.to_string())
        .bind(id_list(ids)?)
        .fetch_all(&mut *self.reader().await?)
        .await?)
    }
}

async fn create_cluster(
    connection: &mut PgConnection,
    topic: TopicId,
    cluster: ClusterId,
    first: ItemId,
) -> Result<()> {
    sqlx::query(sql::HAND_OVER).bind(cluster.to_string()).bind(topic.to_string()).execute(&mut *connection).await?;
    sqlx::query(sql::CREATE)
        .bind(cluster.to_string())
        .bind(topic.to_string())
        .bind(first.to_string())
        .execute(connection)
        .await?;
    Ok(())
}

async fn put_member(
    connection: &mut PgConnection,
    topic: TopicId,
    cluster: ClusterId,
    item: ItemId,
    similarity: f64,
) -> Result<()> {
    sqlx::query(sql::PUT_MEMBER)
        .bind(topic.to_string())
        .bind(item.to_string())
        .bind(cluster.to_string())
        .bind(similarity)
        .execute(connection)
        .await?;
    Ok(())
}
