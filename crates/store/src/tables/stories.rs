//! `clusters` and `cluster_items`: the stories and their items.

use std::collections::BTreeMap;

use aha_core::ids::{ClusterId, ItemId, SourceId, TopicId};
use aha_core::item::Item;
use aha_core::story::Delivery;
use aha_core::thresholds::Thresholds;
use aha_core::time::Timestamp;
use aha_core::window::Window;
use async_trait::async_trait;

use super::item_rows::{ItemRow, with_sources};
use super::{Connection, Database, id_list};
use crate::shared::{PerDatabase, column};
use crate::{ClusterCommit, EmbeddedItem, Lease, Result, StoreError, StoryRecord, StoryStore, TunedThresholds};

const HTML: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT id, html FROM content_items
        WHERE id IN (SELECT value FROM json_each($1)) AND html IS NOT NULL AND deleted_at IS NULL ORDER BY id",
    postgres: "
        SELECT id, html FROM content_items
        WHERE id = ANY($1) AND html IS NOT NULL AND deleted_at IS NULL ORDER BY id",
});

/// Similarity of a story's first item.
const FIRST_SIMILARITY: f64 = 1.0;

const EMBEDDED_ITEMS: &str = include_str!("embedded_items.sql");

const OLDEST_UNCLUSTERED: &str = "
    SELECT min(i.item_time) FROM sources s
    JOIN content_item_sources p ON p.source_id = s.id AND p.is_placed = 0
    JOIN content_items i ON i.id = p.item_id
    JOIN embeddings e ON e.item_id = i.id AND e.space = $2
    WHERE s.topic_id = $1 AND i.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM cluster_items m WHERE m.topic_id = $1 AND m.item_id = i.id)";

/// The first and the last time of these items, by UTC day (of 86,400,000 ms).
const UNCLUSTERED_DAYS: &str = "
    SELECT min(i.item_time), max(i.item_time) FROM sources s
    JOIN content_item_sources p ON p.source_id = s.id AND p.is_placed = 0
    JOIN content_items i ON i.id = p.item_id
    JOIN embeddings e ON e.item_id = i.id AND e.space = $2
    WHERE s.topic_id = $1 AND i.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM cluster_items m WHERE m.topic_id = $1 AND m.item_id = i.id)
    GROUP BY i.item_time / 86400000 ORDER BY 1";

/// Marks items that belong to a story and whose current text is embedded, so that only the others are read. An edit
/// removes the mark.
const MARK_PLACED: &str = "
    UPDATE content_item_sources SET is_placed = 1
    WHERE is_placed = 0 AND source_id IN (SELECT id FROM sources WHERE topic_id = $1)
      AND EXISTS (SELECT 1 FROM cluster_items m
                  JOIN content_items i ON i.id = m.item_id
                  JOIN embeddings e ON e.item_id = i.id AND e.content_hash = i.hash_text
                  WHERE m.topic_id = $1 AND m.item_id = content_item_sources.item_id)";

/// Marks copies, given as a list of arrays of copy and original.
const SET_DUPLICATES: &str = super::statement(PerDatabase {
    sqlite: "
        UPDATE content_items SET duplicate_of = w.value ->> 1
        FROM json_each($1) w WHERE content_items.id = w.value ->> 0",
    postgres: "
        UPDATE content_items SET duplicate_of = w.value ->> 1
        FROM json_array_elements(CAST(CAST($1 AS text) AS json)) AS w (value)
        WHERE content_items.id = w.value ->> 0",
});

/// Stories merged into `$2` earlier follow it.
const MERGE: &str = "
    UPDATE clusters SET merged_into = $3 WHERE topic_id = $1 AND id <> $3 AND (id = $2 OR merged_into = $2)";

const THRESHOLDS: &str = "SELECT pair, crowd, split FROM clustering_thresholds WHERE space = $1";

const STORE_THRESHOLDS: &str = "
    INSERT INTO clustering_thresholds (space, pair, crowd, split, documents, bcubed_f1, found_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (space) DO UPDATE
    SET pair = excluded.pair, crowd = excluded.crowd, split = excluded.split, documents = excluded.documents,
        bcubed_f1 = excluded.bcubed_f1, found_at = excluded.found_at";

/// Sets the items that stand for stories, given as a list of arrays of story and item.
const SET_REPRESENTATIVES: &str = super::statement(PerDatabase {
    sqlite: "
        UPDATE clusters SET representative_item_id = w.value ->> 1
        FROM json_each($2) w WHERE clusters.id = w.value ->> 0 AND clusters.topic_id = $1",
    postgres: "
        UPDATE clusters SET representative_item_id = w.value ->> 1
        FROM json_array_elements(CAST(CAST($2 AS text) AS json)) AS w (value)
        WHERE clusters.id = w.value ->> 0 AND clusters.topic_id = $1",
});

/// Leaves the members of stories that were merged into another there, unless they are placed again. The stories are
/// given as in [`CREATE_CLUSTERS`].
const MOVE_ITEMS_TO_CLUSTERS: &str = super::statement(PerDatabase {
    sqlite: "
        UPDATE cluster_items
        SET cluster_id = (SELECT c.merged_into FROM clusters c WHERE c.id = cluster_items.cluster_id)
        WHERE cluster_id IN (SELECT c.id FROM json_each($2) w JOIN clusters c ON c.id = w.value ->> 0
                             WHERE c.topic_id = $1 AND c.merged_into IS NOT NULL)",
    postgres: "
        UPDATE cluster_items
        SET cluster_id = (SELECT c.merged_into FROM clusters c WHERE c.id = cluster_items.cluster_id)
        WHERE cluster_id IN (SELECT c.id FROM json_array_elements(CAST(CAST($2 AS text) AS json)) AS w (value)
                             JOIN clusters c ON c.id = w.value ->> 0
                             WHERE c.topic_id = $1 AND c.merged_into IS NOT NULL)",
});

/// Inserts stories, given as a list of arrays of story and first item. A story that was merged into another and
/// separates again is independent again.
const CREATE_CLUSTERS: &str = super::statement(PerDatabase {
    sqlite: "
        INSERT INTO clusters (id, topic_id, representative_item_id)
        SELECT w.value ->> 0, $1, w.value ->> 1 FROM json_each($2) w
        WHERE true ON CONFLICT (id) DO UPDATE SET merged_into = NULL",
    postgres: "
        INSERT INTO clusters (id, topic_id, representative_item_id)
        SELECT w.value ->> 0, $1, w.value ->> 1 FROM json_array_elements(CAST(CAST($2 AS text) AS json)) AS w (value)
        ON CONFLICT (id) DO UPDATE SET merged_into = NULL",
});

/// Puts items into stories, given as a list of arrays of item, story and similarity.
const PUT_MEMBERS: &str = super::statement(PerDatabase {
    sqlite: "
        INSERT INTO cluster_items (topic_id, item_id, cluster_id, similarity)
        SELECT $1, w.value ->> 0, w.value ->> 1, w.value ->> 2 FROM json_each($2) w
        WHERE true ON CONFLICT (topic_id, item_id) DO UPDATE
        SET cluster_id = excluded.cluster_id, similarity = excluded.similarity",
    postgres: "
        INSERT INTO cluster_items (topic_id, item_id, cluster_id, similarity)
        SELECT $1, w.value ->> 0, w.value ->> 1, CAST(w.value ->> 2 AS double precision)
        FROM json_array_elements(CAST(CAST($2 AS text) AS json)) AS w (value)
        ON CONFLICT (topic_id, item_id) DO UPDATE
        SET cluster_id = excluded.cluster_id, similarity = excluded.similarity",
});

const STORIES_OF: &str = super::statement(PerDatabase {
    sqlite: include_str!("stories_of.sqlite.sql"),
    postgres: include_str!("stories_of.postgres.sql"),
});

const LOAD_ITEMS: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT i.id, i.source_id, i.external_id, i.url, i.canonical_url, i.title, i.body_text, i.author,
               i.published_at, i.fetched_at, i.item_time, i.time_basis, i.engagement, i.metadata_json,
               i.duplicate_of
        FROM json_each($1) wanted JOIN content_items i ON i.id = wanted.value
        WHERE i.deleted_at IS NULL ORDER BY wanted.key",
    postgres: "
        SELECT i.id, i.source_id, i.external_id, i.url, i.canonical_url, i.title, i.body_text, i.author,
               i.published_at, i.fetched_at, i.item_time, i.time_basis, i.engagement, i.metadata_json,
               i.duplicate_of
        FROM unnest($1::text[]) WITH ORDINALITY AS wanted (id, place) JOIN content_items i ON i.id = wanted.id
        WHERE i.deleted_at IS NULL ORDER BY wanted.place",
});

const SOURCES_OF_ITEMS: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT DISTINCT p.item_id, p.source_id FROM content_item_sources p JOIN sources s ON s.id = p.source_id
        WHERE s.topic_id = $1 AND p.item_id IN (SELECT value FROM json_each($2))",
    postgres: "
        SELECT DISTINCT p.item_id, p.source_id FROM content_item_sources p JOIN sources s ON s.id = p.source_id
        WHERE s.topic_id = $1 AND p.item_id = ANY($2)",
});

struct EmbeddedRow {
    id: String,
    source: String,
    item_time: i64,
    hash_text: String,
    duplicate_of: Option<String>,
    cluster_id: Option<String>,
    delivered_at: Option<i64>,
    vector: Vec<u8>,
}

from_row!(EmbeddedRow { id, source, item_time, hash_text, duplicate_of, cluster_id, delivered_at, vector });

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
            delivered: row.delivered_at.is_some(),
            vector: row.vector,
        })
    }
}

struct MemberRow {
    cluster_id: String,
    delivered_at: Option<i64>,
    delivered_sources: Option<i64>,
    delivered_run_id: Option<String>,
    item_id: String,
    similarity: f64,
}

from_row!(MemberRow { cluster_id, delivered_at, delivered_sources, delivered_run_id, item_id, similarity });

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

/// Builds stories from rows ordered by story, then by time and id of the member.
fn stories(rows: Vec<MemberRow>) -> Result<Vec<StoryRecord>> {
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

#[async_trait]
impl StoryStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn oldest_unclustered(&self, topic: TopicId, space: &str) -> Result<Option<Timestamp>> {
        let oldest: Option<i64> = sqlx::query_scalar(OLDEST_UNCLUSTERED)
            .bind(topic.to_string())
            .bind(space)
            .fetch_one(&mut *self.reader().await?)
            .await?;
        Ok(oldest.map(Timestamp::from_millis))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn unclustered_days(&self, topic: TopicId, space: &str) -> Result<Vec<(Timestamp, Timestamp)>> {
        let days: Vec<(i64, i64)> = sqlx::query_as(UNCLUSTERED_DAYS)
            .bind(topic.to_string())
            .bind(space)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        let times = |(first, last)| (Timestamp::from_millis(first), Timestamp::from_millis(last));
        Ok(days.into_iter().map(times).collect())
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn embedded_items(
        &self,
        topic: TopicId,
        space: &str,
        window: Window,
        snapshot: Timestamp,
    ) -> Result<Vec<EmbeddedItem>> {
        let rows: Vec<EmbeddedRow> = sqlx::query_as(EMBEDDED_ITEMS)
            .bind(topic.to_string())
            .bind(space)
            .bind(window.start.as_millis())
            .bind(window.end.as_millis())
            .bind(snapshot.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.into_iter().map(EmbeddedItem::try_from).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn commit_duplicates(&self, lease: &Lease, duplicates: &[(ItemId, ItemId)]) -> Result<()> {
        let mut write = self.write_fenced("commit_duplicates", lease).await?;
        write.lock_shared_items().await?;
        sqlx::query(SET_DUPLICATES).bind(pair_list(duplicates)?).execute(write.connection()).await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn commit_clusters(&self, lease: &Lease, commit: &ClusterCommit) -> Result<()> {
        let mut write = self.write_fenced("commit_clusters", lease).await?;
        create_clusters(write.connection(), lease.topic, &commit.created).await?;
        put_members(write.connection(), lease.topic, commit).await?;
        for (from, into) in &commit.merged {
            sqlx::query(MERGE)
                .bind(lease.topic.to_string())
                .bind(from.to_string())
                .bind(into.to_string())
                .execute(write.connection())
                .await?;
        }
        sqlx::query(SET_REPRESENTATIVES)
            .bind(lease.topic.to_string())
            .bind(pair_list(&commit.representatives)?)
            .execute(write.connection())
            .await?;
        write.lock_shared_items().await?;
        sqlx::query(MARK_PLACED).bind(lease.topic.to_string()).execute(write.connection()).await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn thresholds(&self, space: &str) -> Result<Option<Thresholds>> {
        let found: Option<(f64, f64, f64)> =
            sqlx::query_as(THRESHOLDS).bind(space).fetch_optional(&mut *self.reader().await?).await?;
        Ok(found.map(|(pair, group, split)| Thresholds { pair, group, split, ..Thresholds::shipped(space) }))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn store_thresholds(&self, space: &str, found: &TunedThresholds) -> Result<()> {
        let mut write = self.write("store_thresholds").await?;
        sqlx::query(STORE_THRESHOLDS)
            .bind(space)
            .bind(found.thresholds.pair)
            .bind(found.thresholds.group)
            .bind(found.thresholds.split)
            .bind(found.documents)
            .bind(found.bcubed_f1)
            .bind(found.found_at.as_millis())
            .execute(write.connection())
            .await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn stories_of(&self, topic: TopicId, items: &[ItemId], until: Timestamp) -> Result<Vec<StoryRecord>> {
        let rows: Vec<MemberRow> = sqlx::query_as(STORIES_OF)
            .bind(topic.to_string())
            .bind(id_list(items)?)
            .bind(until.as_millis())
            .fetch_all(&mut *self.reader().await?)
            .await?;
        stories(rows)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn items_html(&self, items: &[ItemId]) -> Result<Vec<(ItemId, String)>> {
        let rows: Vec<(String, String)> =
            sqlx::query_as(HTML).bind(id_list(items)?).fetch_all(&mut *self.reader().await?).await?;
        rows.into_iter().map(|(id, html)| Ok((column::id("item", &id)?, html))).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn load_items(&self, topic: TopicId, ids: &[ItemId]) -> Result<Vec<(Item, Vec<SourceId>)>> {
        let rows: Vec<ItemRow> =
            sqlx::query_as(LOAD_ITEMS).bind(id_list(ids)?).fetch_all(&mut *self.reader().await?).await?;
        let sources = self.sources_of_items(topic, ids).await?;
        with_sources(rows, &sources)
    }
}

impl Database {
    async fn sources_of_items(&self, topic: TopicId, ids: &[ItemId]) -> Result<Vec<(String, String)>> {
        Ok(sqlx::query_as(SOURCES_OF_ITEMS)
            .bind(topic.to_string())
            .bind(id_list(ids)?)
            .fetch_all(&mut *self.reader().await?)
            .await?)
    }
}

async fn create_clusters(connection: &mut Connection, topic: TopicId, created: &[(ClusterId, ItemId)]) -> Result<()> {
    let created = pair_list(created)?;
    for statement in [MOVE_ITEMS_TO_CLUSTERS, CREATE_CLUSTERS] {
        sqlx::query(statement).bind(topic.to_string()).bind(created.as_str()).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Puts the first items of new stories, and those that joined one, into their stories.
async fn put_members(connection: &mut Connection, topic: TopicId, commit: &ClusterCommit) -> Result<()> {
    let first = commit.created.iter().map(|(cluster, first)| (first, (cluster, FIRST_SIMILARITY)));
    let joined = commit.joined.iter().map(|(item, cluster, similarity)| (item, (cluster, *similarity)));
    // Each item once: Postgres refuses to write a row twice in one statement.
    let members: BTreeMap<&ItemId, (&ClusterId, f64)> = first.chain(joined).collect();
    let members: Vec<(String, String, f64)> = members
        .into_iter()
        .map(|(item, (cluster, similarity))| (item.to_string(), cluster.to_string(), similarity))
        .collect();
    sqlx::query(PUT_MEMBERS).bind(topic.to_string()).bind(column::to_json(&members)?).execute(connection).await?;
    Ok(())
}

/// Returns pairs of ids as a JSON list of arrays.
fn pair_list(pairs: &[(impl ToString, impl ToString)]) -> Result<String> {
    column::to_json(&pairs.iter().map(|(one, other)| [one.to_string(), other.to_string()]).collect::<Vec<_>>())
}
