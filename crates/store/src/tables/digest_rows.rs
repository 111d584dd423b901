//! Rows of `digests` and `digest_items`, and their conversion to domain types.

use std::collections::BTreeMap;

use aha_core::digest::{Digest, DigestStory, ReadBefore, Since, StoryCost};
use aha_core::ids::{DigestItemId, ItemId};
use aha_core::summary::Summary;
use aha_core::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::{FromRow, Row as _};

use super::super::Row;
use crate::shared::column;
use crate::{DigestItemRecord, Result, StoreError};

pub(super) struct DigestRow {
    pub(super) id: String,
    head_json: String,
    sources_json: String,
    skipped_json: String,
    cost_json: String,
}

from_row!(super::super::Row, DigestRow { id, head_json, sources_json, skipped_json, cost_json });

impl DigestRow {
    pub(super) fn with(self, stories: Vec<StoryRow>, kept: &[(ItemId, Summary)]) -> Result<Digest> {
        let mut digest = Digest {
            head: column::json("digest's head", &self.head_json)?,
            stories: stories.into_iter().map(DigestStory::try_from).collect::<Result<_>>()?,
            sources: column::json("digest's sources", &self.sources_json)?,
            skipped: column::json("digest's skipped counts", &self.skipped_json)?,
            cost: column::json("digest's cost", &self.cost_json)?,
        };
        digest.add_kept(kept);
        Ok(digest)
    }
}

/// An item and its promoted summary.
pub(super) type KeptRow = (String, String);

pub(super) fn kept_summaries(rows: Vec<KeptRow>) -> Result<Vec<(ItemId, Summary)>> {
    let read = |(item, summary): KeptRow| Ok((column::id("item", &item)?, column::json("kept summary", &summary)?));
    rows.into_iter().map(read).collect()
}

/// Stored if no label applies: the name that the first versions used.
pub(super) const NO_LABEL: &str = "new_here";

pub(super) struct DigestItemRow {
    id: String,
    title: String,
    window_end: i64,
}

from_row!(super::super::Row, DigestItemRow { id, title, window_end });

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

/// Returns the first line of each item.
pub(super) fn newest_lines(rows: Vec<(String, String)>) -> Result<Vec<(ItemId, DigestItemId)>> {
    let mut newest: BTreeMap<String, String> = BTreeMap::new();
    for (item, line) in rows {
        newest.entry(item).or_insert(line);
    }
    newest.into_iter().map(|(item, line)| Ok((column::id("item", &item)?, column::id("digest item", &line)?))).collect()
}

/// Fields of a story that have no column (`detail_json`).
#[derive(Serialize, Deserialize)]
pub(super) struct StoryDetail {
    since: Option<Since>,
    published_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    read_before: Option<ReadBefore>,
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
            read_before: story.read_before,
            author: story.author.clone(),
            teaser: story.teaser,
            excerpt: story.excerpt.clone(),
            discussions: story.discussions.clone(),
            cost: story.cost,
        }
    }
}

pub(super) struct OwnedStoryRow {
    pub(super) digest_id: String,
    pub(super) story: StoryRow,
}

impl FromRow<'_, Row> for OwnedStoryRow {
    fn from_row(row: &Row) -> sqlx::Result<Self> {
        Ok(Self { digest_id: row.try_get("digest_id")?, story: StoryRow::from_row(row)? })
    }
}

pub(super) struct StoryRow {
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

from_row!(
    super::super::Row,
    StoryRow {
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
    }
);

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
            read_before: detail.read_before,
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
