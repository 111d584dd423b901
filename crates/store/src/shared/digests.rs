//! `digests` and `digest_items`.

use std::collections::BTreeMap;

use aha_core::digest::{Cost, Digest, DigestStory, Since, StoryCost, StorySource};
use aha_core::ids::{DigestItemId, ItemId};
use aha_core::summary::Summary;
use aha_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;

use super::column;
use crate::{DigestEntry, DigestItemRecord, Result, StoreError, StoryAppearance};

/// The last stage of a run.
pub(crate) const LAST_STAGE: &str = "digest";

pub(crate) const BY_ID: &str = "SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests WHERE id = $1";

pub const LATEST: &str = "
    SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests
    WHERE topic_id = $1 ORDER BY window_end DESC, window_start DESC, id LIMIT 1";

pub(crate) const SOURCES_BEFORE: &str = "
    SELECT d.sources_json FROM digests d JOIN runs r ON r.id = d.run_id
    WHERE d.topic_id = $1 AND r.mode = $2 AND d.window_end <= $3
    ORDER BY d.window_end DESC, d.window_start DESC, d.id LIMIT 1";

pub(crate) const OF_ITEM: &str = "
    SELECT id, head_json, sources_json, skipped_json, cost_json FROM digests
    WHERE id = (SELECT digest_id FROM digest_items WHERE id = $1)";

/// Beginning with `$1`: ids are lower case, so that what follows the prefix is below "g".
pub(crate) const BY_PREFIX: &str = "
    SELECT i.id, i.title, d.window_end FROM digest_items i JOIN digests d ON d.id = i.digest_id
    WHERE i.id >= $1 AND i.id < $1 || 'g' ORDER BY d.window_end DESC, i.id LIMIT $2";

/// `$1` to `$3` may be NULL.
pub(crate) const ENTRIES: &str = "
    SELECT d.head_json, d.cost_json, f.title AS first_title,
           (SELECT count(*) FROM digest_items i WHERE i.digest_id = d.id) AS stories
    FROM digests d LEFT JOIN digest_items f ON f.digest_id = d.id AND f.rank = 1
    WHERE (CAST($1 AS TEXT) IS NULL OR d.topic_id = $1) AND (CAST($2 AS BIGINT) IS NULL OR d.window_end > $2)
      AND (CAST($3 AS BIGINT) IS NULL OR d.window_end <= $3)
    ORDER BY d.window_end DESC, d.window_start DESC, d.id LIMIT $4";

pub(crate) const APPEARANCES: &str = "
    SELECT d.id AS digest, i.id, d.window_end, i.rank, i.section, i.title, i.aha_score, i.final_score, i.members_json
    FROM digest_items i JOIN digests d ON d.id = i.digest_id
    WHERE i.cluster_id = $1 OR i.cluster_id IN (SELECT id FROM clusters WHERE merged_into = $1)
    ORDER BY d.window_end DESC, d.window_start DESC, i.id";

pub const STORIES: &str = "
    SELECT id, rank, section, label, cluster_id, title, url, aha_score, final_score, percentile, reason, state,
           triage_json, summary_json, entities_json, score_debug_json, members_json, detail_json
    FROM digest_items WHERE digest_id = $1 ORDER BY rank";

/// The owner keeps few: all of them, the last decision first.
pub const KEPT: &str = "
    SELECT content_item_id, summary_json FROM content_item_deep_reviews
    WHERE decision = 'promoted' ORDER BY decided_at DESC, content_item_id";

pub(crate) const UPSERT: &str = "
    INSERT INTO digests (id, run_id, topic_id, status, window_start, window_end, head_json, sources_json,
        skipped_json, cost_json, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (id) DO UPDATE
    SET status = excluded.status, head_json = excluded.head_json, sources_json = excluded.sources_json,
        skipped_json = excluded.skipped_json, cost_json = excluded.cost_json";

pub(crate) const DELETE_STORIES: &str = "DELETE FROM digest_items WHERE digest_id = $1";

pub(crate) const INSERT_STORY: &str = "
    INSERT INTO digest_items (id, digest_id, rank, section, label, cluster_id, title, url, aha_score, final_score,
        percentile, reason, state, triage_json, summary_json, entities_json, score_debug_json, members_json,
        detail_json)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)";

pub(crate) const MARK_DELIVERED: &str = "
    UPDATE clusters SET delivered_at = $3, delivered_run_id = $4, delivered_sources = $5
    WHERE id = $1 AND topic_id = $2";

pub(crate) const MOVE_CURSOR: &str = "
    UPDATE topics SET cursor_end = $2 WHERE id = $1 AND (cursor_end IS NULL OR cursor_end < $2)";

pub(crate) const END_RUN: &str = "
    UPDATE runs SET status = 'done', finished_at = $3, stage = $4 WHERE id = $1 AND topic_id = $2";

pub(crate) const END_ATTEMPT: &str = "
    UPDATE run_attempts SET outcome = 'done', finished_at = $3, stage = $4 WHERE run_id = $1 AND attempt = $2";

#[derive(FromRow)]
pub(crate) struct DigestRow {
    pub id: String,
    head_json: String,
    sources_json: String,
    skipped_json: String,
    cost_json: String,
}

impl DigestRow {
    pub fn with(self, stories: Vec<StoryRow>, kept: Vec<KeptRow>) -> Result<Digest> {
        let mut digest = Digest {
            digest: column::json("digest's head", &self.head_json)?,
            stories: stories.into_iter().map(DigestStory::try_from).collect::<Result<_>>()?,
            sources: column::json("digest's sources", &self.sources_json)?,
            skipped: column::json("digest's skipped counts", &self.skipped_json)?,
            cost: column::json("digest's cost", &self.cost_json)?,
        };
        digest.add_kept(&kept_summaries(kept)?);
        Ok(digest)
    }
}

/// An item and the summary that was kept for it.
pub(crate) type KeptRow = (String, String);

pub fn kept_summaries(rows: Vec<KeptRow>) -> Result<Vec<(ItemId, Summary)>> {
    let read = |(item, summary): KeptRow| Ok((column::id("item", &item)?, column::json("kept summary", &summary)?));
    rows.into_iter().map(read).collect()
}

/// In the place of a label where none tells something: the word that the first versions had for it.
pub(crate) const NO_LABEL: &str = "new_here";

#[derive(FromRow)]
pub(crate) struct DigestItemRow {
    id: String,
    title: String,
    window_end: i64,
}

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

#[derive(FromRow)]
pub(crate) struct EntryRow {
    head_json: String,
    cost_json: String,
    first_title: Option<String>,
    stories: i64,
}

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

#[derive(FromRow)]
pub(crate) struct AppearanceRow {
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

/// For each item the first of its lines.
pub(crate) fn newest_lines(rows: Vec<(String, String)>) -> Result<Vec<(ItemId, DigestItemId)>> {
    let mut newest: BTreeMap<String, String> = BTreeMap::new();
    for (item, line) in rows {
        newest.entry(item).or_insert(line);
    }
    newest.into_iter().map(|(item, line)| Ok((column::id("item", &item)?, column::id("digest item", &line)?))).collect()
}

/// What a story shows beside its columns (`detail_json`).
#[derive(Serialize, Deserialize)]
pub(crate) struct StoryDetail {
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

#[derive(FromRow)]
pub(crate) struct StoryRow {
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
