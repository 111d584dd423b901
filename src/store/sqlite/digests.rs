//! `digests` and `digest_items`, and the end of a run that a digest is.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, SqliteConnection};

use super::{SqliteStore, column, found};
use crate::domain::digest::{Digest, DigestStory, Since};
use crate::domain::ids::{DigestId, DigestItemId, TopicId};
use crate::domain::time::Timestamp;
use crate::store::{DigestCommit, DigestStore, Lease, Result, StoreError};

/// The last stage of a run.
const LAST_STAGE: &str = "digest";

#[derive(FromRow)]
struct DigestRow {
    id: String,
    head_json: String,
    sources_json: String,
    skipped_json: String,
    cost_json: String,
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
        }
    }
}

#[derive(FromRow)]
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

impl TryFrom<StoryRow> for DigestStory {
    type Error = StoreError;

    fn try_from(row: StoryRow) -> Result<Self> {
        let detail: StoryDetail = column::json("story's detail", &row.detail_json)?;
        let cluster = row.cluster_id.as_deref().ok_or_else(|| StoreError::corrupt("digest item", "it has no story"))?;
        Ok(Self {
            id: column::id("digest item id", &row.id)?,
            rank: column::number("story's rank", row.rank)?,
            section: column::word("section", &row.section)?,
            label: column::word("label", &row.label)?,
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
            entities: column::optional_json("story's entities", row.entities_json.as_deref())?,
            sources: column::json("story's members", &row.members_json)?,
            discussions: detail.discussions,
            cluster_id: column::id("cluster id", cluster)?,
            state: row.state,
            score_debug: column::json("story's score", &row.score_debug_json)?,
        })
    }
}

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
        let that_one = "SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests WHERE id = $1";
        self.read_digest(that_one, id.to_string()).await
    }

    async fn latest_digest(&self, topic: TopicId) -> Result<Option<Digest>> {
        let newest = "SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests
                      WHERE topic_id = $1 ORDER BY window_end DESC, window_start DESC, id LIMIT 1";
        self.read_digest(newest, topic.to_string()).await
    }

    async fn digest_of_item(&self, item: DigestItemId) -> Result<Option<Digest>> {
        let holding = "SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests
                       WHERE id = (SELECT digest_id FROM digest_items WHERE id = $1)";
        self.read_digest(holding, item.to_string()).await
    }
}

impl SqliteStore {
    /// Reads head and stories in one transaction: a digest that is being rendered again is never seen half old, half new.
    async fn read_digest(&self, select: &'static str, parameter: String) -> Result<Option<Digest>> {
        let mut snapshot = self.reader.begin().await?;
        let row: Option<DigestRow> = sqlx::query_as(select).bind(parameter).fetch_optional(&mut *snapshot).await?;
        let Some(row) = row else { return Ok(None) };
        let stories: Vec<StoryRow> = sqlx::query_as(
            "SELECT id, rank, section, label, cluster_id, title, url, aha_score, final_score, percentile, reason, state,
                    triage_json, summary_json, entities_json, score_debug_json, members_json, detail_json
             FROM digest_items WHERE digest_id = $1 ORDER BY rank",
        )
        .bind(&row.id)
        .fetch_all(&mut *snapshot)
        .await?;
        Ok(Some(Digest {
            digest: column::json("digest's head", &row.head_json)?,
            stories: stories.into_iter().map(DigestStory::try_from).collect::<Result<_>>()?,
            sources: column::json("digest's sources", &row.sources_json)?,
            skipped: column::json("digest's skipped counts", &row.skipped_json)?,
            cost: column::json("digest's cost", &row.cost_json)?,
        }))
    }
}

async fn upsert_digest(connection: &mut SqliteConnection, commit: &DigestCommit) -> Result<()> {
    let Digest { digest: head, sources, skipped, cost, .. } = &commit.digest;
    sqlx::query(
        "INSERT INTO digests (id, run_id, topic_id, status, window_start, window_end, head_json, sources_json,
             skipped_json, cost_json, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         ON CONFLICT (id) DO UPDATE
         SET status = excluded.status, head_json = excluded.head_json, sources_json = excluded.sources_json,
             skipped_json = excluded.skipped_json, cost_json = excluded.cost_json",
    )
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
    sqlx::query("DELETE FROM digest_items WHERE digest_id = $1")
        .bind(digest.digest.id.to_string())
        .execute(&mut *connection)
        .await?;
    for story in &digest.stories {
        insert_story(connection, digest.digest.id, story).await?;
    }
    Ok(())
}

async fn insert_story(connection: &mut SqliteConnection, digest: DigestId, story: &DigestStory) -> Result<()> {
    sqlx::query(
        "INSERT INTO digest_items (id, digest_id, rank, section, label, cluster_id, title, url, aha_score, final_score,
             percentile, reason, state, triage_json, summary_json, entities_json, score_debug_json, members_json,
             detail_json)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)",
    )
    .bind(story.id.to_string())
    .bind(digest.to_string())
    .bind(column::count(story.rank))
    .bind(story.section.as_str())
    .bind(story.label.as_str())
    .bind(story.cluster_id.to_string())
    .bind(&story.title)
    .bind(&story.url)
    .bind(story.aha_score.map(i64::from))
    .bind(story.final_score)
    .bind(i64::from(story.percentile))
    .bind(&story.reason)
    .bind(&story.state)
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
        sqlx::query(
            "UPDATE clusters SET delivered_at = $3, delivered_run_id = $4, delivered_sources = $5
             WHERE id = $1 AND topic_id = $2",
        )
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
    sqlx::query("UPDATE topics SET cursor_end = $2 WHERE id = $1 AND (cursor_end IS NULL OR cursor_end < $2)")
        .bind(commit.topic.to_string())
        .bind(cursor.as_millis())
        .execute(connection)
        .await?;
    Ok(())
}

async fn end_run(connection: &mut SqliteConnection, commit: &DigestCommit) -> Result<()> {
    let ended =
        sqlx::query("UPDATE runs SET status = 'done', finished_at = $3, stage = $4 WHERE id = $1 AND topic_id = $2")
            .bind(commit.run.to_string())
            .bind(commit.topic.to_string())
            .bind(commit.now.as_millis())
            .bind(LAST_STAGE)
            .execute(&mut *connection)
            .await?;
    found(ended.rows_affected(), "run", commit.run)?;
    sqlx::query(
        "UPDATE run_attempts SET outcome = 'done', finished_at = $3, stage = $4 WHERE run_id = $1 AND attempt = $2",
    )
    .bind(commit.run.to_string())
    .bind(commit.attempt)
    .bind(commit.now.as_millis())
    .bind(LAST_STAGE)
    .execute(connection)
    .await?;
    Ok(())
}
