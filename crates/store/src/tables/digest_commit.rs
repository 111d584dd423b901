//! Writes a digest and ends its run, in one transaction.

use aha_core::digest::{Digest, DigestStory, Label};
use aha_core::ids::DigestId;

use super::super::Connection;
use super::rows::{NO_LABEL, StoryDetail};
use crate::shared::{column, require_row};
use crate::{DigestCommit, Result};

/// The last stage of a run.
const LAST_STAGE: &str = "digest";

const UPSERT: &str = "
    INSERT INTO digests (id, run_id, topic_id, status, window_start, window_end, head_json, sources_json,
        skipped_json, cost_json, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (id) DO UPDATE
    SET status = excluded.status, head_json = excluded.head_json, sources_json = excluded.sources_json,
        skipped_json = excluded.skipped_json, cost_json = excluded.cost_json, created_at = excluded.created_at";

/// When the digests of a topic with the same end were made, the one to be written included.
const MADE_AT: &str = "SELECT id, created_at FROM digests WHERE topic_id = $1 AND window_end = $2";

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

pub(super) async fn write(connection: &mut Connection, commit: &DigestCommit) -> Result<()> {
    upsert_digest(connection, commit).await?;
    replace_stories(connection, &commit.digest).await?;
    mark_delivered(connection, commit).await?;
    move_cursor(connection, commit).await?;
    end_run(connection, commit).await
}

async fn upsert_digest(connection: &mut Connection, commit: &DigestCommit) -> Result<()> {
    let Digest { head, sources, skipped, cost, .. } = &commit.digest;
    let created_at = created_at(connection, commit).await?;
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
        .bind(created_at)
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns the time to store: now, or a millisecond after that of the other digests with the same end, so that the one
/// made last is the newest even if the clock stands still. A digest that is the newest of them already keeps its time.
async fn created_at(connection: &mut Connection, commit: &DigestCommit) -> Result<i64> {
    let head = &commit.digest.head;
    let made: Vec<(String, i64)> = sqlx::query_as(MADE_AT)
        .bind(commit.topic.to_string())
        .bind(head.window_end.as_millis())
        .fetch_all(connection)
        .await?;
    let own_id = head.id.to_string();
    let (own, others): (Vec<_>, Vec<_>) = made.into_iter().partition(|(id, _)| *id == own_id);
    let last_of_others = others.into_iter().map(|(_, at)| at).max();
    let own = own.into_iter().map(|(_, at)| at).find(|at| last_of_others.is_none_or(|last| last < *at));
    let next = last_of_others.map_or(i64::MIN, |last| last.saturating_add(1));
    Ok(own.unwrap_or_else(|| commit.now.as_millis().max(next)))
}

async fn replace_stories(connection: &mut Connection, digest: &Digest) -> Result<()> {
    sqlx::query(DELETE_STORIES).bind(digest.head.id.to_string()).execute(&mut *connection).await?;
    for story in &digest.stories {
        insert_story(connection, digest.head.id, story).await?;
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
            .bind(commit.digest.head.window_end.as_millis())
            .bind(commit.run.to_string())
            .bind(*sources)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// A cursor never moves back.
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
    require_row(ended.rows_affected(), "run", commit.run)?;
    sqlx::query(END_ATTEMPT)
        .bind(commit.run.to_string())
        .bind(commit.attempt)
        .bind(commit.now.as_millis())
        .bind(LAST_STAGE)
        .execute(connection)
        .await?;
    Ok(())
}
