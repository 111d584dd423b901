//! Lists over `digests` and `digest_items`: digests without their stories, and a story's appearances.

use aha_core::digest::{Cost, DigestHead, StorySource};
use aha_core::ids::{ClusterId, TopicId};
use aha_core::time::Timestamp;

use super::{Connection, id_list};
use crate::shared::{PerDatabase, column};
use crate::{DigestEntry, DigestFilter, Result, StoreError, StoryAppearance};

/// Stories are counted only for the digests listed.
const ENTRIES: &str = "
    SELECT d.head_json, d.cost_json, f.title AS first_title,
           (SELECT count(*) FROM digest_items i WHERE i.digest_id = d.id) AS stories
    FROM (SELECT id, head_json, cost_json, window_end, window_start, created_at FROM digests
          WHERE window_end > $1 AND window_end <= $2
          ORDER BY window_end DESC, created_at DESC, window_start DESC, id LIMIT $3) AS d
    LEFT JOIN digest_items f ON f.digest_id = d.id AND f.rank = 1
    ORDER BY d.window_end DESC, d.created_at DESC, d.window_start DESC, d.id";

/// The same of one topic.
const ENTRIES_OF_TOPIC: &str = "
    SELECT d.head_json, d.cost_json, f.title AS first_title,
           (SELECT count(*) FROM digest_items i WHERE i.digest_id = d.id) AS stories
    FROM (SELECT id, head_json, cost_json, window_end, window_start, created_at FROM digests
          WHERE topic_id = $4 AND window_end > $1 AND window_end <= $2
          ORDER BY window_end DESC, created_at DESC, window_start DESC, id LIMIT $3) AS d
    LEFT JOIN digest_items f ON f.digest_id = d.id AND f.rank = 1
    ORDER BY d.window_end DESC, d.created_at DESC, d.window_start DESC, d.id";

/// Ids that begin with `$1`: ids are lower case, so every continuation of the prefix is below "g".
const HEADS_BY_ID: &str = "
    SELECT head_json FROM digests WHERE id >= $1 AND id < $1 || 'g'
    ORDER BY window_end DESC, created_at DESC, window_start DESC, id LIMIT $2";

const HEAD_WITH_STORIES: &str = "
    SELECT d.head_json FROM digests d
    WHERE d.topic_id = $1 AND EXISTS (SELECT 1 FROM digest_items i WHERE i.digest_id = d.id)
    ORDER BY d.window_end DESC, d.created_at DESC, d.window_start DESC, d.id LIMIT 1";

pub(super) const RECENT: &str = "
    SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests
    WHERE topic_id = $1 ORDER BY window_end DESC, created_at DESC, window_start DESC, id LIMIT $2";

/// `$2` may be NULL.
pub(super) const STORIES_OF: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT digest_id, id, rank, section, label, cluster_id, title, url, aha_score, final_score, percentile, reason, state,
               triage_json, summary_json, entities_json, score_debug_json, members_json, detail_json
        FROM digest_items WHERE digest_id IN (SELECT value FROM json_each($1)) AND (CAST($2 AS TEXT) IS NULL OR section = $2)
        ORDER BY digest_id, rank",
    postgres: "
        SELECT digest_id, id, rank, section, label, cluster_id, title, url, aha_score, final_score, percentile, reason, state,
               triage_json, summary_json, entities_json, score_debug_json, members_json, detail_json
        FROM digest_items WHERE digest_id = ANY($1) AND (CAST($2 AS TEXT) IS NULL OR section = $2)
        ORDER BY digest_id, rank",
});

/// Uses a single list of ids, for which Postgres uses the index; with two conditions it would read every line of every
/// digest.
const APPEARANCES: &str = "
    SELECT d.id AS digest, i.id, d.window_end, i.rank, i.section, i.title, i.aha_score, i.final_score, i.members_json
    FROM digest_items i JOIN digests d ON d.id = i.digest_id
    WHERE i.cluster_id IN (SELECT CAST($1 AS TEXT) UNION ALL SELECT id FROM clusters WHERE merged_into = $1)
    ORDER BY d.window_end DESC, d.created_at DESC, d.window_start DESC, i.id";

const NOT_JUDGED: &str = super::statement(PerDatabase {
    sqlite: "
        SELECT DISTINCT c.story FROM (
            SELECT id, id AS story FROM clusters WHERE id IN (SELECT value FROM json_each($1))
            UNION ALL
            SELECT id, merged_into AS story FROM clusters WHERE merged_into IN (SELECT value FROM json_each($1))) AS c
        JOIN digest_items i ON i.cluster_id = c.id JOIN digests d ON d.id = i.digest_id
        WHERE i.aha_score IS NULL AND d.window_end < $2",
    postgres: "
        SELECT DISTINCT c.story FROM (
            SELECT id, id AS story FROM clusters WHERE id = ANY($1)
            UNION ALL
            SELECT id, merged_into AS story FROM clusters WHERE merged_into = ANY($1)) AS c
        JOIN digest_items i ON i.cluster_id = c.id JOIN digests d ON d.id = i.digest_id
        WHERE i.aha_score IS NULL AND d.window_end < $2",
});

struct EntryRow {
    head_json: String,
    cost_json: String,
    first_title: Option<String>,
    stories: i64,
}

from_row!(EntryRow { head_json, cost_json, first_title, stories });

impl TryFrom<EntryRow> for DigestEntry {
    type Error = StoreError;

    fn try_from(row: EntryRow) -> Result<Self> {
        let cost: Cost = column::json("digest's cost", &row.cost_json)?;
        Ok(Self {
            head: column::json("digest's head", &row.head_json)?,
            stories: column::number("digest's number of stories", row.stories)?,
            first_title: row.first_title,
            microcredits: cost.microcredits,
        })
    }
}

struct AppearanceRow {
    digest: String,
    id: String,
    window_end: i64,
    rank: i64,
    section: String,
    title: String,
    aha_score: Option<i64>,
    final_score: f64,
    members_json: String,
}

from_row!(AppearanceRow { digest, id, window_end, rank, section, title, aha_score, final_score, members_json });

impl TryFrom<AppearanceRow> for StoryAppearance {
    type Error = StoreError;

    fn try_from(row: AppearanceRow) -> Result<Self> {
        let members: Vec<StorySource> = column::json("story's members", &row.members_json)?;
        Ok(Self {
            digest: column::id("digest", &row.digest)?,
            digest_item: column::id("digest item", &row.id)?,
            window_end: Timestamp::from_millis(row.window_end),
            rank: column::number("story's rank", row.rank)?,
            section: column::word("section", &row.section)?,
            title: row.title,
            aha_score: row.aha_score.map(|score| column::number("aha score", score)).transpose()?,
            final_score: row.final_score,
            members: members.len(),
        })
    }
}

pub(super) async fn list_entries(connection: &mut Connection, filter: &DigestFilter) -> Result<Vec<DigestEntry>> {
    let statement = if filter.topic.is_some() { ENTRIES_OF_TOPIC } else { ENTRIES };
    let query = sqlx::query_as(statement)
        .bind(filter.ends_after.map_or(i64::MIN, Timestamp::as_millis))
        .bind(filter.ends_until.map_or(i64::MAX, Timestamp::as_millis))
        .bind(filter.limit);
    let query = match filter.topic {
        Some(topic) => query.bind(topic.to_string()),
        None => query,
    };
    let rows: Vec<EntryRow> = query.fetch_all(connection).await?;
    rows.into_iter().map(DigestEntry::try_from).collect()
}

pub(super) async fn heads_by_id(connection: &mut Connection, prefix: &str, limit: i64) -> Result<Vec<DigestHead>> {
    let heads: Vec<String> = sqlx::query_scalar(HEADS_BY_ID).bind(prefix).bind(limit).fetch_all(connection).await?;
    heads.iter().map(|head| column::json("digest's head", head)).collect()
}

pub(super) async fn head_with_stories(connection: &mut Connection, topic: TopicId) -> Result<Option<DigestHead>> {
    let head: Option<String> =
        sqlx::query_scalar(HEAD_WITH_STORIES).bind(topic.to_string()).fetch_optional(connection).await?;
    head.map(|head| column::json("digest's head", &head)).transpose()
}

pub(super) async fn list_appearances(connection: &mut Connection, story: ClusterId) -> Result<Vec<StoryAppearance>> {
    let rows: Vec<AppearanceRow> = sqlx::query_as(APPEARANCES).bind(story.to_string()).fetch_all(connection).await?;
    rows.into_iter().map(StoryAppearance::try_from).collect()
}

pub(super) async fn list_not_judged(
    connection: &mut Connection,
    stories: &[ClusterId],
    before: Timestamp,
) -> Result<Vec<ClusterId>> {
    let rows: Vec<String> =
        sqlx::query_scalar(NOT_JUDGED).bind(id_list(stories)?).bind(before.as_millis()).fetch_all(connection).await?;
    rows.iter().map(|id| column::id("story id", id)).collect()
}
