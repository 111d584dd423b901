//! `digests` and `digest_items`. Writing is in `digest_commit.rs`, the conversion of rows in `digest_rows.rs`,
//! lines of stories that a digest leaves out, or showed before it was made again, in `digest_earlier_lines.rs`.
//!
//! Of several digests the newest is the one with the latest end; of those with the same end, the one made last
//! (`created_at`, which `digest_commit.rs` keeps distinct among them). Every statement orders by both.

#[path = "digest_commit.rs"]
mod commit;
#[path = "digest_earlier_lines.rs"]
mod earlier_lines;
#[path = "digest_rows.rs"]
mod rows;

use std::collections::BTreeMap;

use aha_core::digest::{Digest, DigestHead, DigestStory, Section, SourceReport};
use aha_core::ids::{ClusterId, DigestId, DigestItemId, ItemId, TopicId};
use aha_core::run::RunMode;
use aha_core::summary::Summary;
use aha_core::time::Timestamp;
use async_trait::async_trait;
use sqlx::Connection as _;

use self::rows::{DigestItemRow, DigestRow, KeptRow, OwnedStoryRow, StoryRow, kept_summaries, newest_lines};
use super::digest_lists::{
    RECENT, STORIES_OF, head_with_stories, heads_by_id, list_appearances, list_entries, list_not_judged,
};
use super::{BEGIN_SNAPSHOT, Database, id_list};
use crate::shared::{PerDatabase, column};
use crate::{
    DigestCommit, DigestEntry, DigestFilter, DigestItemRecord, DigestNeighbours, DigestStore, Lease, Result,
    StoryAppearance,
};

const BY_ID: &str = "SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests WHERE id = $1";

const LATEST: &str = "
    SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests
    WHERE topic_id = $1 ORDER BY window_end DESC, created_at DESC, window_start DESC, id LIMIT 1";

const SOURCES_BEFORE: &str = "
    SELECT d.sources_json FROM digests d JOIN runs r ON r.id = d.run_id
    WHERE d.topic_id = $1 AND r.mode = $2 AND d.window_end <= $3
    ORDER BY d.window_end DESC, d.created_at DESC, d.window_start DESC, d.id LIMIT 1";

const OF_ITEM: &str = "
    SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests
    WHERE id = (SELECT digest_id FROM digest_items WHERE id = $1)";

/// Ids that begin with `$1`: ids are lower case, so every continuation of the prefix is below "g".
const BY_PREFIX: &str = "
    SELECT i.id, i.title, d.window_end FROM digest_items i JOIN digests d ON d.id = i.digest_id
    WHERE i.id >= $1 AND i.id < $1 || 'g' ORDER BY d.window_end DESC, i.id LIMIT $2";

const STORIES: &str = "
    SELECT id, rank, section, label, cluster_id, title, url, aha_score, final_score, percentile, reason, state,
           triage_json, summary_json, entities_json, score_debug_json, members_json, detail_json
    FROM digest_items WHERE digest_id = $1 ORDER BY rank";

const STORY: &str = "
    SELECT id, rank, section, label, cluster_id, title, url, aha_score, final_score, percentile, reason, state,
           triage_json, summary_json, entities_json, score_debug_json, members_json, detail_json
    FROM digest_items WHERE id = $1";

const NEIGHBOURS: &str = "
    SELECT earlier, later FROM (
        SELECT id, lead(id) OVER newest_first AS earlier, lag(id) OVER newest_first AS later FROM digests
        WHERE topic_id = (SELECT topic_id FROM digests WHERE id = $1)
        WINDOW newest_first AS (ORDER BY window_end DESC, created_at DESC, window_start DESC, id)) of_topic
    WHERE id = $1";

/// All promoted summaries, latest decision first; a user has few.
const KEPT: &str = "
    SELECT content_item_id, summary_json FROM content_item_deep_reviews
    WHERE decision = 'promoted' ORDER BY decided_at DESC, content_item_id";

const NEWEST_OF_ITEMS: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT c.item_id, i.id FROM cluster_items c JOIN digest_items i ON i.cluster_id = c.cluster_id
        JOIN digests d ON d.id = i.digest_id
        WHERE d.topic_id = $1 AND c.topic_id = $1 AND c.item_id IN (SELECT value FROM json_each($2))
        ORDER BY d.window_end DESC, d.created_at DESC, i.id",
    postgres: "
        SELECT c.item_id, i.id FROM cluster_items c JOIN digest_items i ON i.cluster_id = c.cluster_id
        JOIN digests d ON d.id = i.digest_id
        WHERE d.topic_id = $1 AND c.topic_id = $1 AND c.item_id = ANY($2)
        ORDER BY d.window_end DESC, d.created_at DESC, i.id",
});

/// Names the topics, as the primary key of `cluster_items` begins with the topic.
const NEWEST_OF_ITEMS_IN_ALL_TOPICS: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT c.item_id, i.id FROM cluster_items c JOIN digest_items i ON i.cluster_id = c.cluster_id
        JOIN digests d ON d.id = i.digest_id
        WHERE d.topic_id = c.topic_id AND c.topic_id IN (SELECT id FROM topics)
          AND c.item_id IN (SELECT value FROM json_each($1))
        ORDER BY d.window_end DESC, d.created_at DESC, i.id",
    postgres: "
        SELECT c.item_id, i.id FROM cluster_items c JOIN digest_items i ON i.cluster_id = c.cluster_id
        JOIN digests d ON d.id = i.digest_id
        WHERE d.topic_id = c.topic_id AND c.topic_id IN (SELECT id FROM topics) AND c.item_id = ANY($1)
        ORDER BY d.window_end DESC, d.created_at DESC, i.id",
});

#[async_trait]
impl DigestStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn commit_digest(&self, lease: &Lease, commit: &DigestCommit) -> Result<()> {
        let mut write = self.write_fenced("commit_digest", lease).await?;
        commit::write(write.connection(), commit).await?;
        write.commit().await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn digest(&self, id: DigestId) -> Result<Option<Digest>> {
        self.read_digest(BY_ID, id.to_string()).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn latest_digest(&self, topic: TopicId) -> Result<Option<Digest>> {
        self.read_digest(LATEST, topic.to_string()).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn recent_digests(&self, topic: TopicId, limit: i64, section: Option<Section>) -> Result<Vec<Digest>> {
        let mut reader = self.reader().await?;
        let mut snapshot = reader.begin_with(BEGIN_SNAPSHOT).await?;
        let digests: Vec<DigestRow> =
            sqlx::query_as(RECENT).bind(topic.to_string()).bind(limit).fetch_all(&mut *snapshot).await?;
        let ids: Vec<&str> = digests.iter().map(|digest| digest.id.as_str()).collect();
        let rows: Vec<OwnedStoryRow> = sqlx::query_as(STORIES_OF)
            .bind(id_list(&ids)?)
            .bind(section.map(Section::as_str))
            .fetch_all(&mut *snapshot)
            .await?;
        let kept = kept_summaries(sqlx::query_as(KEPT).fetch_all(&mut *snapshot).await?)?;
        let mut stories: BTreeMap<String, Vec<StoryRow>> = BTreeMap::new();
        for row in rows {
            stories.entry(row.digest_id).or_default().push(row.story);
        }
        let whole = |digest: DigestRow| {
            let of_digest = stories.remove(&digest.id).unwrap_or_default();
            digest.with(of_digest, &kept)
        };
        digests.into_iter().map(whole).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn sources_before(&self, topic: TopicId, mode: RunMode, by: Timestamp) -> Result<Vec<SourceReport>> {
        let sources: Option<String> = sqlx::query_scalar(SOURCES_BEFORE)
            .bind(topic.to_string())
            .bind(mode.as_str())
            .bind(by.as_millis())
            .fetch_optional(&mut *self.reader().await?)
            .await?;
        sources.map_or_else(|| Ok(Vec::new()), |sources| column::json("digest's sources", &sources))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn digest_line(&self, item: DigestItemId) -> Result<Option<(DigestHead, DigestStory)>> {
        let line = match self.read_line(item).await? {
            None => self.earlier_line(item).await?,
            line => line,
        };
        Ok(line.and_then(|mut digest| Some((digest.head, digest.stories.pop()?))))
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn digests_by_id_prefix(&self, prefix: &str, limit: i64) -> Result<Vec<DigestHead>> {
        heads_by_id(&mut *self.reader().await?, prefix, limit).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn newest_with_stories(&self, topic: TopicId) -> Result<Option<DigestHead>> {
        head_with_stories(&mut *self.reader().await?, topic).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn digest_neighbours(&self, digest: DigestId) -> Result<DigestNeighbours> {
        let row: Option<(Option<String>, Option<String>)> =
            sqlx::query_as(NEIGHBOURS).bind(digest.to_string()).fetch_optional(&mut *self.reader().await?).await?;
        let (earlier, later) = row.unwrap_or_default();
        let id = |id: Option<String>| column::optional_id("digest id", id.as_deref());
        Ok(DigestNeighbours { earlier: id(earlier)?, later: id(later)? })
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn digest_entries(&self, filter: &DigestFilter) -> Result<Vec<DigestEntry>> {
        list_entries(&mut *self.reader().await?, filter).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn story_appearances(&self, story: ClusterId) -> Result<Vec<StoryAppearance>> {
        list_appearances(&mut *self.reader().await?, story).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn stories_not_judged(&self, stories: &[ClusterId], before: Timestamp) -> Result<Vec<ClusterId>> {
        list_not_judged(&mut *self.reader().await?, stories, before).await
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn kept_summaries(&self) -> Result<Vec<(ItemId, Summary)>> {
        let rows: Vec<KeptRow> = sqlx::query_as(KEPT).fetch_all(&mut *self.reader().await?).await?;
        kept_summaries(rows)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn digest_items(&self, prefix: &str, limit: i64) -> Result<Vec<DigestItemRecord>> {
        let rows: Vec<DigestItemRow> =
            sqlx::query_as(BY_PREFIX).bind(prefix).bind(limit).fetch_all(&mut *self.reader().await?).await?;
        if rows.is_empty() {
            return self.earlier_lines(prefix, limit).await;
        }
        rows.into_iter().map(DigestItemRecord::try_from).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn newest_digest_items(&self, topic: TopicId, items: &[ItemId]) -> Result<Vec<(ItemId, DigestItemId)>> {
        let rows: Vec<(String, String)> = sqlx::query_as(NEWEST_OF_ITEMS)
            .bind(topic.to_string())
            .bind(id_list(items)?)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        newest_lines(rows)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn newest_digest_items_of_all_topics(&self, items: &[ItemId]) -> Result<Vec<(ItemId, DigestItemId)>> {
        let rows: Vec<(String, String)> = sqlx::query_as(NEWEST_OF_ITEMS_IN_ALL_TOPICS)
            .bind(id_list(items)?)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        newest_lines(rows)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn unshown_digest_items(&self, topics: &[TopicId], items: &[ItemId]) -> Result<Vec<(ItemId, DigestItemId)>> {
        self.unshown_lines(topics, items).await
    }
}

impl Database {
    /// Reads head and stories in one transaction, so that a digest being rendered again is never read half old, half
    /// new.
    async fn read_digest(&self, select: &'static str, parameter: String) -> Result<Option<Digest>> {
        let mut reader = self.reader().await?;
        let mut snapshot = reader.begin_with(BEGIN_SNAPSHOT).await?;
        let row: Option<DigestRow> = sqlx::query_as(select).bind(parameter).fetch_optional(&mut *snapshot).await?;
        let Some(row) = row else { return Ok(None) };
        let stories: Vec<StoryRow> = sqlx::query_as(STORIES).bind(&row.id).fetch_all(&mut *snapshot).await?;
        let kept: Vec<KeptRow> = sqlx::query_as(KEPT).fetch_all(&mut *snapshot).await?;
        row.with(stories, &kept_summaries(kept)?).map(Some)
    }

    /// Returns the digest that contains the line, with only that line.
    async fn read_line(&self, item: DigestItemId) -> Result<Option<Digest>> {
        let mut reader = self.reader().await?;
        let mut snapshot = reader.begin_with(BEGIN_SNAPSHOT).await?;
        let row: Option<DigestRow> =
            sqlx::query_as(OF_ITEM).bind(item.to_string()).fetch_optional(&mut *snapshot).await?;
        let Some(row) = row else { return Ok(None) };
        let story: Vec<StoryRow> = sqlx::query_as(STORY).bind(item.to_string()).fetch_all(&mut *snapshot).await?;
        let kept: Vec<KeptRow> = sqlx::query_as(KEPT).fetch_all(&mut *snapshot).await?;
        row.with(story, &kept_summaries(kept)?).map(Some)
    }
}
