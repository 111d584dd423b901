//! `digests` and `digest_items`, and the end of a run that a digest is.

use std::collections::BTreeMap;

use aha_core::digest::{Digest, DigestHead, DigestStory, Label, Section, Since, SourceReport, StoryCost};
use aha_core::ids::{ClusterId, DigestId, DigestItemId, ItemId, TopicId};
use aha_core::run::RunMode;
use aha_core::summary::Summary;
use aha_core::time::Timestamp;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sqlx::{Connection as _, FromRow, Row as _};

use super::digest_lists::{RECENT, STORIES_OF, list_appearances, list_entries};
use super::{BEGIN_SNAPSHOT, Connection, Database, id_list};
use crate::shared::{PerDatabase, column, found};
use crate::{
    DigestCommit, DigestEntry, DigestFilter, DigestItemRecord, DigestStore, Lease, Result, StoreError, StoryAppearance,
};

/// The last stage of a run.
const LAST_STAGE: &str = "digest";

const BY_ID: &str = "SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests WHERE id = $1";

const LATEST: &str = "
    SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests
    WHERE topic_id = $1 ORDER BY window_end DESC, window_start DESC, id LIMIT 1";

const SOURCES_BEFORE: &str = "
    SELECT d.sources_json FROM digests d JOIN runs r ON r.id = d.run_id
    WHERE d.topic_id = $1 AND r.mode = $2 AND d.window_end <= $3
    ORDER BY d.window_end DESC, d.window_start DESC, d.id LIMIT 1";

const OF_ITEM: &str = "
    SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests
    WHERE id = (SELECT digest_id FROM digest_items WHERE id = $1)";

/// Beginning with `$1`: ids are lower case, so that what follows the prefix is below "g".
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

/// The owner keeps few: all of them, the last decision first.
const KEPT: &str = "
    SELECT content_item_id, summary_json FROM content_item_deep_reviews
    WHERE decision = 'promoted' ORDER BY decided_at DESC, content_item_id";

const UPSERT: &str = "
    INSERT INTO digests (id, run_id, topic_id, status, window_start, window_end, head_json, sources_json,
        skipped_json, cost_json, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (id) DO UPDATE
    SET status = excluded.status, head_json = excluded.head_json, sources_json = excluded.sources_json,
        skipped_json = excluded.skipped_json, cost_json = excluded.cost_json";

const DELETE_STORIES: &str = "DELETE FROM digest_items WHERE digest_id = $1";

const INSERT_STORY: &str = "
    INSERT INTO digest_items (id, digest_id, rank, section, label, cluster_id, title, url, aha_score, final_score,
        percentile, reason, state, triage_json, summary_json, entities_json, score_debug_json, members_json,
        detail_json)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";

const MARK_DELIVERED: &str = "
    UPDATE clusters SET delivered_at = $3, delivered_run_id = $4, delivered_sources = $5
    WHERE id = $1 AND topic_id = $2";

const MOVE_CURSOR: &str = "
    UPDATE topics SET cursor_end = $2 WHERE id = $1 AND (cursor_end IS NULL OR cursor_end < $2)";

const END_RUN: &str = "
    UPDATE runs SET status = 'done', finished_at = $3, stage = $4 WHERE id = $1 AND topic_id = $2";

const END_ATTEMPT: &str = "
    UPDATE run_attempts SET outcome = 'done', finished_at = $3, stage = $4 WHERE run_id = $1 AND attempt = $2";

const NEWEST_OF_ITEMS: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT c.item_id, i.id FROM cluster_items c JOIN digest_items i ON i.cluster_id = c.cluster_id
        JOIN digests d ON d.id = i.digest_id
        WHERE d.topic_id = $1 AND c.topic_id = $1 AND c.item_id IN (SELECT value FROM json_each($2))
        ORDER BY d.window_end DESC, i.id",
    postgres: "
        SELECT c.item_id, i.id FROM cluster_items c JOIN digest_items i ON i.cluster_id = c.cluster_id
        JOIN digests d ON d.id = i.digest_id
        WHERE d.topic_id = $1 AND c.topic_id = $1 AND c.item_id = ANY($2) ORDER BY d.window_end DESC, i.id",
});

struct DigestRow {
    id: String,
    head_json: String,
    sources_json: String,
    skipped_json: String,
    cost_json: String,
}

from_row!(DigestRow { id, head_json, sources_json, skipped_json, cost_json });

impl DigestRow {
    fn with(self, stories: Vec<StoryRow>, kept: &[(ItemId, Summary)]) -> Result<Digest> {
        let mut digest = Digest {
            digest: column::json("digest's head", &self.head_json)?,
            stories: stories.into_iter().map(DigestStory::try_from).collect::<Result<_>>()?,
            sources: column::json("digest's sources", &self.sources_json)?,
            skipped: column::json("digest's skipped counts", &self.skipped_json)?,
            cost: column::json("digest's cost", &self.cost_json)?,
        };
        digest.add_kept(kept);
        Ok(digest)
    }
}

/// An item and the summary that was kept for it.
type KeptRow = (String, String);

fn kept_summaries(rows: Vec<KeptRow>) -> Result<Vec<(ItemId, Summary)>> {
    let read = |(item, summary): KeptRow| Ok((column::id("item", &item)?, column::json("kept summary", &summary)?));
    rows.into_iter().map(read).collect()
}

/// In the place of a label where none tells something: the word that the first versions had for it.
const NO_LABEL: &str = "new_here";

struct DigestItemRow {
    id: String,
    title: String,
    window_end: i64,
}

from_row!(DigestItemRow { id, title, window_end });

impl TryFrom<DigestItemRow> for DigestItemRecord {
    type Error = StoreError;

    fn try_from(row: DigestItemRow) -> Result<Self> {
        Ok(Self {
            id: column::id("digest item", &row.id)?,
            title: row.title,
            window_end: Timestamp::from_millis(row.window_end),
        })
    }
}

/// For each item the first of its lines.
fn newest_lines(rows: Vec<(String, String)>) -> Result<Vec<(ItemId, DigestItemId)>> {
    let mut newest: BTreeMap<String, String> = BTreeMap::new();
    for (item, line) in rows {
        newest.entry(item).or_insert(line);
    }
    newest.into_iter().map(|(item, line)| Ok((column::id("item", &item)?, column::id("digest item", &line)?))).collect()
}

/// What a story shows beside its columns (`detail_json`).
#[derive(Serialize, Deserialize)]
struct StoryDetail {
    since: Option<Since>,
    published_at: Timestamp,
    author: Option<String>,
    teaser: bool,
    excerpt: String,
    discussions: Vec<String>,
    #[serde(default)]
    cost: StoryCost,
}

impl From<&DigestStory> for StoryDetail {
    fn from(story: &DigestStory) -> Self {
        Self {
            since: story.since.clone(),
            published_at: story.published_at,
            author: story.author.clone(),
            teaser: story.teaser,
            excerpt: story.excerpt.clone(),
            discussions: story.discussions.clone(),
            cost: story.cost,
        }
    }
}

struct OwnedStoryRow {
    digest_id: String,
    story: StoryRow,
}

impl FromRow<'_, super::Row> for OwnedStoryRow {
    fn from_row(row: &super::Row) -> sqlx::Result<Self> {
        Ok(Self { digest_id: row.try_get("digest_id")?, story: StoryRow::from_row(row)? })
    }
}

struct StoryRow {
    id: String,
    rank: i64,
    section: String,
    label: String,
    cluster_id: Option<String>,
    title: String,
    url: Option<String>,
    aha_score: Option<i64>,
    final_score: f64,
    percentile: i64,
    reason: String,
    state: String,
    triage_json: Option<String>,
    summary_json: Option<String>,
    entities_json: Option<String>,
    score_debug_json: String,
    members_json: String,
    detail_json: String,
}

from_row!(StoryRow {
    id,
    rank,
    section,
    label,
    cluster_id,
    title,
    url,
    aha_score,
    final_score,
    percentile,
    reason,
    state,
    triage_json,
    summary_json,
    entities_json,
    score_debug_json,
    members_json,
    detail_json
});

impl TryFrom<StoryRow> for DigestStory {
    type Error = StoreError;

    fn try_from(row: StoryRow) -> Result<Self> {
        let detail: StoryDetail = column::json("story's detail", &row.detail_json)?;
        let cluster = row.cluster_id.as_deref().ok_or_else(|| StoreError::corrupt("digest item", "it has no story"))?;
        Ok(Self {
            id: column::id("digest item id", &row.id)?,
            rank: column::number("story's rank", row.rank)?,
            section: column::word("section", &row.section)?,
            label: if row.label == NO_LABEL { None } else { Some(column::word("label", &row.label)?) },
            title: row.title,
            url: row.url,
            aha_score: row.aha_score.map(|score| column::number("aha score", score)).transpose()?,
            final_score: row.final_score,
            percentile: column::number("story's percentile", row.percentile)?,
            reason: row.reason,
            since: detail.since,
            published_at: detail.published_at,
            author: detail.author,
            teaser: detail.teaser,
            excerpt: detail.excerpt,
            triage: column::optional_json("story's triage", row.triage_json.as_deref())?,
            summary: column::optional_json("story's summary", row.summary_json.as_deref())?,
            kept_summary: None,
            entities: column::optional_json("story's entities", row.entities_json.as_deref())?,
            sources: column::json("story's members", &row.members_json)?,
            discussions: detail.discussions,
            cluster_id: column::id("cluster id", cluster)?,
            state: row.state,
            cost: detail.cost,
            score_debug: column::json("story's score", &row.score_debug_json)?,
        })
    }
}

#[async_trait]
impl DigestStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
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
        let line = self.read_line(item).await?;
        Ok(line.and_then(|mut digest| Some((digest.digest, digest.stories.pop()?))))
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
    async fn kept_summaries(&self) -> Result<Vec<(ItemId, Summary)>> {
        let rows: Vec<KeptRow> = sqlx::query_as(KEPT).fetch_all(&mut *self.reader().await?).await?;
        kept_summaries(rows)
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn digest_items(&self, prefix: &str, limit: i64) -> Result<Vec<DigestItemRecord>> {
        let rows: Vec<DigestItemRow> =
            sqlx::query_as(BY_PREFIX).bind(prefix).bind(limit).fetch_all(&mut *self.reader().await?).await?;
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
}

impl Database {
    /// Reads head and stories in one transaction: a digest that is being rendered again is never seen half old, half new.
    async fn read_digest(&self, select: &'static str, parameter: String) -> Result<Option<Digest>> {
        let mut reader = self.reader().await?;
        let mut snapshot = reader.begin_with(BEGIN_SNAPSHOT).await?;
        let row: Option<DigestRow> = sqlx::query_as(select).bind(parameter).fetch_optional(&mut *snapshot).await?;
        let Some(row) = row else { return Ok(None) };
        let stories: Vec<StoryRow> = sqlx::query_as(STORIES).bind(&row.id).fetch_all(&mut *snapshot).await?;
        let kept: Vec<KeptRow> = sqlx::query_as(KEPT).fetch_all(&mut *snapshot).await?;
        row.with(stories, &kept_summaries(kept)?).map(Some)
    }

    /// The digest that has the line, with that line alone.
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

async fn upsert_digest(connection: &mut Connection, commit: &DigestCommit) -> Result<()> {
    let Digest { digest: head, sources, skipped, cost, .. } = &commit.digest;
    sqlx::query(UPSERT)
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

async fn replace_stories(connection: &mut Connection, digest: &Digest) -> Result<()> {
    sqlx::query(DELETE_STORIES).bind(digest.digest.id.to_string()).execute(&mut *connection).await?;
    for story in &digest.stories {
        insert_story(connection, digest.digest.id, story).await?;
    }
    Ok(())
}

async fn insert_story(connection: &mut Connection, digest: DigestId, story: &DigestStory) -> Result<()> {
    sqlx::query(INSERT_STORY)
        .bind(story.id.to_string())
        .bind(digest.to_string())
        .bind(column::count(story.rank))
        .bind(story.section.as_str())
        .bind(story.label.map_or(NO_LABEL, Label::as_str))
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

async fn mark_delivered(connection: &mut Connection, commit: &DigestCommit) -> Result<()> {
    for (cluster, sources) in &commit.delivered {
        sqlx::query(MARK_DELIVERED)
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
async fn move_cursor(connection: &mut Connection, commit: &DigestCommit) -> Result<()> {
    let Some(cursor) = commit.cursor else { return Ok(()) };
    sqlx::query(MOVE_CURSOR).bind(commit.topic.to_string()).bind(cursor.as_millis()).execute(connection).await?;
    Ok(())
}

async fn end_run(connection: &mut Connection, commit: &DigestCommit) -> Result<()> {
    let ended = sqlx::query(END_RUN)
        .bind(commit.run.to_string())
        .bind(commit.topic.to_string())
        .bind(commit.now.as_millis())
        .bind(LAST_STAGE)
        .execute(&mut *connection)
        .await?;
    found(ended.rows_affected(), "run", commit.run)?;
    sqlx::query(END_ATTEMPT)
        .bind(commit.run.to_string())
        .bind(commit.attempt)
        .bind(commit.now.as_millis())
        .bind(LAST_STAGE)
        .execute(connection)
        .await?;
    Ok(())
}
