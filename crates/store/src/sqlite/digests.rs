//! `digests` and `digest_items`, and the end of a run that a digest is.

use aha_core::digest::{Digest, DigestStory, Label, SourceReport};
use aha_core::ids::{ClusterId, DigestId, DigestItemId, ItemId, TopicId};
use aha_core::run::RunMode;
use aha_core::summary::Summary;
use aha_core::time::Timestamp;
use async_trait::async_trait;
use sqlx::SqliteConnection;

use super::SqliteStore;
use crate::shared::digests::{
    self as sql, AppearanceRow, DigestItemRow, DigestRow, EntryRow, KeptRow, StoryDetail, StoryRow,
};
use crate::shared::{column, found};
use crate::{DigestCommit, DigestEntry, DigestFilter, DigestItemRecord, DigestStore, Lease, Result, StoryAppearance};

#[async_trait]
impl DigestStore for SqliteStore {
    async fn commit_digest(&self, lease: &Lease, commit: &DigestCommit) -> Result<()> {
        let mut write = self.write_fenced("commit_digest", lease).await?;
        let connection = write.connection();
        upsert_digest(connection, commit).await?;
        replace_stories(connection, &commit.digest).await?;
        mark_delivered(connection, commit).await?;
        move_cursor(connection, commit).await?;
        end_run(connection, commit).await?;
        write.commit().await
    }

    async fn digest(&self, id: DigestId) -> Result<Option<Digest>> {
        self.read_digest(sql::BY_ID, id.to_string()).await
    }

    async fn latest_digest(&self, topic: TopicId) -> Result<Option<Digest>> {
        self.read_digest(sql::LATEST, topic.to_string()).await
    }

    async fn sources_before(&self, topic: TopicId, mode: RunMode, by: Timestamp) -> Result<Vec<SourceReport>> {
        let sources: Option<String> = sqlx::query_scalar(sql::SOURCES_BEFORE)
            .bind(topic.to_string())
            .bind(mode.as_str())
            .bind(by.as_millis())
            .fetch_optional(&self.reader)
            .await?;
        sources.map_or_else(|| Ok(Vec::new()), |sources| column::json("digest's sources", &sources))
    }

    async fn digest_of_item(&self, item: DigestItemId) -> Result<Option<Digest>> {
        self.read_digest(sql::OF_ITEM, item.to_string()).await
    }

    async fn digest_entries(&self, filter: &DigestFilter) -> Result<Vec<DigestEntry>> {
        let rows: Vec<EntryRow> = sqlx::query_as(sql::ENTRIES)
            .bind(filter.topic.map(|topic| topic.to_string()))
            .bind(column::millis(filter.ends_after))
            .bind(column::millis(filter.ends_until))
            .bind(filter.limit)
            .fetch_all(&self.reader)
            .await?;
        rows.into_iter().map(DigestEntry::try_from).collect()
    }

    async fn story_appearances(&self, story: ClusterId) -> Result<Vec<StoryAppearance>> {
        let rows: Vec<AppearanceRow> =
            sqlx::query_as(sql::APPEARANCES).bind(story.to_string()).fetch_all(&self.reader).await?;
        rows.into_iter().map(StoryAppearance::try_from).collect()
    }

    async fn kept_summaries(&self) -> Result<Vec<(ItemId, Summary)>> {
        let rows: Vec<KeptRow> = sqlx::query_as(sql::KEPT).fetch_all(&self.reader).await?;
        sql::kept_summaries(rows)
    }

    async fn digest_items(&self, prefix: &str, limit: i64) -> Result<Vec<DigestItemRecord>> {
        let rows: Vec<DigestItemRow> =
            sqlx::query_as(sql::BY_PREFIX).bind(prefix).bind(limit).fetch_all(&self.reader).await?;
        rows.into_iter().map(DigestItemRecord::try_from).collect()
    }

    async fn newest_digest_items(&self, topic: TopicId, items: &[ItemId]) -> Result<Vec<(ItemId, DigestItemId)>> {
        let rows: Vec<(String, String)> = sqlx::query_as(
            "SELECT c.item_id, i.id FROM cluster_items c JOIN digest_items i ON i.cluster_id = c.cluster_id
             JOIN digests d ON d.id = i.digest_id
             WHERE d.topic_id = $1 AND c.item_id IN (SELECT value FROM json_each($2))
             ORDER BY d.window_end DESC, i.id",
        )
        .bind(topic.to_string())
        .bind(super::id_list(items)?)
        .fetch_all(&self.reader)
        .await?;
        sql::newest_lines(rows)
    }
}

impl SqliteStore {
    /// Reads head and stories in one transaction: a digest that is being rendered again is never seen half old, half new.
    async fn read_digest(&self, select: &'static str, parameter: String) -> Result<Option<Digest>> {
        let mut snapshot = self.reader.begin().await?;
        let row: Option<DigestRow> = sqlx::query_as(select).bind(parameter).fetch_optional(&mut *snapshot).await?;
        let Some(row) = row else { return Ok(None) };
        let stories: Vec<StoryRow> = sqlx::query_as(sql::STORIES).bind(&row.id).fetch_all(&mut *snapshot).await?;
        let kept: Vec<KeptRow> = sqlx::query_as(sql::KEPT).fetch_all(&mut *snapshot).await?;
        row.with(stories, kept).map(Some)
    }
}

async fn upsert_digest(connection: &mut SqliteConnection, commit: &DigestCommit) -> Result<()> {
    let Digest { digest: head, sources, skipped, cost, .. } = &commit.digest;
    sqlx::query(sql::UPSERT)
        .bind(head.id.to_string())
        .bind(commit.run.to_string())
        .bind(commit.topic.to_string())
        .bind(head.status.as_str())
        .bind(head.window_start.as_millis())
        .bind(head.window_end.as_millis())
        .bind(column::to_json(head)?)
        .bind(column::to_json(sources)?)
        .bind(column::to_json(skipped)?)
        .bind(column::to_json(cost)?)
        .bind(commit.now.as_millis())
        .execute(connection)
        .await?;
    Ok(())
}

async fn replace_stories(connection: &mut SqliteConnection, digest: &Digest) -> Result<()> {
    sqlx::query(sql::DELETE_STORIES).bind(digest.digest.id.to_string()).execute(&mut *connection).await?;
    for story in &digest.stories {
        insert_story(connection, digest.digest.id, story).await?;
    }
    Ok(())
}

async fn insert_story(connection: &mut SqliteConnection, digest: DigestId, story: &DigestStory) -> Result<()> {
    sqlx::query(sql::INSERT_STORY)
        .bind(story.id.to_string())
        .bind(digest.to_string())
        .bind(column::count(story.rank))
        .bind(story.section.as_str())
        .bind(story.label.map_or(sql::NO_LABEL, Label::as_str))
        .bind(story.cluster_id.to_string())
        .bind(column::text(&story.title))
        .bind(column::optional_text(story.url.as_deref()))
        .bind(story.aha_score.map(i64::from))
        .bind(story.final_score)
        .bind(i64::from(story.percentile))
        .bind(column::text(&story.reason))
        .bind(column::text(&story.state))
        .bind(column::to_optional_json(story.triage.as_ref())?)
        .bind(column::to_optional_json(story.summary.as_ref())?)
        .bind(column::to_optional_json(story.entities.as_ref())?)
        .bind(column::to_json(&story.score_debug)?)
        .bind(column::to_json(&story.sources)?)
        .bind(column::to_json(&StoryDetail::from(story))?)
        .execute(connection)
        .await?;
    Ok(())
}

async fn mark_delivered(connection: &mut SqliteConnection, commit: &DigestCommit) -> Result<()> {
    for (cluster, sources) in &commit.delivered {
        sqlx::query(sql::MARK_DELIVERED)
            .bind(cluster.to_string())
            .bind(commit.topic.to_string())
            .bind(commit.digest.digest.window_end.as_millis())
            .bind(commit.run.to_string())
            .bind(*sources)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// A cursor never goes back.
async fn move_cursor(connection: &mut SqliteConnection, commit: &DigestCommit) -> Result<()> {
    let Some(cursor) = commit.cursor else { return Ok(()) };
    sqlx::query(sql::MOVE_CURSOR).bind(commit.topic.to_string()).bind(cursor.as_millis()).execute(connection).await?;
    Ok(())
}

async fn end_run(connection: &mut SqliteConnection, commit: &DigestCommit) -> Result<()> {
    let ended = sqlx::query(sql::END_RUN)
        .bind(commit.run.to_string())
        .bind(commit.topic.to_string())
        .bind(commit.now.as_millis())
        .bind(sql::LAST_STAGE)
        .execute(&mut *connection)
        .await?;
    found(ended.rows_affected(), "run", commit.run)?;
    sqlx::query(sql::END_ATTEMPT)
        .bind(commit.run.to_string())
        .bind(commit.attempt)
        .bind(commit.now.as_millis())
        .bind(sql::LAST_STAGE)
        .execute(connection)
        .await?;
    Ok(())
}
