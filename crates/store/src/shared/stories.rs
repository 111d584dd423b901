//! `clusters` and `cluster_items`, and the items that stories are made of.

use std::collections::HashMap;

use aha_core::ids::{ItemId, SourceId};
use aha_core::item::Item;
use aha_core::story::Delivery;
use aha_core::time::Timestamp;
use sqlx::FromRow;

use super::column;
use crate::{EmbeddedItem, Result, StoreError, StoryRecord};

pub const HTML: &str = "SELECT html FROM content_items WHERE id = $1 AND deleted_at IS NULL";

/// How much the first item of a story resembles it.
pub(crate) const FIRST_SIMILARITY: f64 = 1.0;

pub(crate) const EMBEDDED_ITEMS: &str = include_str!("embedded_items.sql");

pub(crate) const OLDEST_UNCLUSTERED: &str = "
    SELECT min(i.item_time) FROM sources s
    JOIN content_item_sources p ON p.source_id = s.id AND p.is_placed = 0
    JOIN content_items i ON i.id = p.item_id
    JOIN embeddings e ON e.item_id = i.id AND e.space = $2
    WHERE s.topic_id = $1 AND i.deleted_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM cluster_items m WHERE m.topic_id = $1 AND m.item_id = i.id)";

/// Notes what is in a story and embedded as it reads now, so that only the rest is looked at. An edit takes the note back.
pub(crate) const NOTE_PLACED: &str = "
    UPDATE content_item_sources SET is_placed = 1
    WHERE is_placed = 0 AND source_id IN (SELECT id FROM sources WHERE topic_id = $1)
      AND EXISTS (SELECT 1 FROM cluster_items m
                  JOIN content_items i ON i.id = m.item_id
                  JOIN embeddings e ON e.item_id = i.id AND e.content_hash = i.hash_text
                  WHERE m.topic_id = $1 AND m.item_id = content_item_sources.item_id)";

pub(crate) const SET_DUPLICATE: &str = "UPDATE content_items SET duplicate_of = $2 WHERE id = $1";

/// What had gone into the story goes on with it.
pub(crate) const MERGE: &str = "
    UPDATE clusters SET merged_into = $3 WHERE topic_id = $1 AND id <> $3 AND (id = $2 OR merged_into = $2)";

pub(crate) const THRESHOLDS: &str = "SELECT pair, crowd, split FROM clustering_thresholds WHERE space = $1";

pub(crate) const KEEP_THRESHOLDS: &str = "
    INSERT INTO clustering_thresholds (space, pair, crowd, split, documents, bcubed_f1, found_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (space) DO UPDATE
    SET pair = excluded.pair, crowd = excluded.crowd, split = excluded.split, documents = excluded.documents,
        bcubed_f1 = excluded.bcubed_f1, found_at = excluded.found_at";

pub(crate) const SET_REPRESENTATIVE: &str = "
    UPDATE clusters SET representative_item_id = $3 WHERE id = $1 AND topic_id = $2";

/// What was a member of a story when it went into another stays there, unless it is placed anew.
pub(crate) const HAND_OVER: &str = "
    UPDATE cluster_items SET cluster_id = (SELECT c.merged_into FROM clusters c WHERE c.id = $1)
    WHERE topic_id = $2 AND cluster_id = $1
      AND EXISTS (SELECT 1 FROM clusters c WHERE c.id = $1 AND c.merged_into IS NOT NULL)";

/// A story that had gone into another and parts from it again is one of its own again.
pub const CREATE: &str = "
    INSERT INTO clusters (id, topic_id, representative_item_id) VALUES ($1, $2, $3)
    ON CONFLICT (id) DO UPDATE SET merged_into = NULL";

pub(crate) const PUT_MEMBER: &str = "
    INSERT INTO cluster_items (topic_id, item_id, cluster_id, similarity) VALUES ($1, $2, $3, $4)
    ON CONFLICT (topic_id, item_id) DO UPDATE
    SET cluster_id = excluded.cluster_id, similarity = excluded.similarity";

#[derive(FromRow)]
pub(crate) struct EmbeddedRow {
    id: String,
    source: String,
    item_time: i64,
    hash_text: String,
    duplicate_of: Option<String>,
    cluster_id: Option<String>,
    delivered_at: Option<i64>,
    vector: Vec<u8>,
}

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

#[derive(FromRow)]
pub(crate) struct MemberRow {
    cluster_id: String,
    delivered_at: Option<i64>,
    delivered_sources: Option<i64>,
    delivered_run_id: Option<String>,
    item_id: String,
    similarity: f64,
}

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

#[derive(FromRow)]
pub(crate) struct ItemRow {
    id: String,
    source_id: String,
    external_id: String,
    url: Option<String>,
    canonical_url: Option<String>,
    title: Option<String>,
    body_text: String,
    author: Option<String>,
    published_at: Option<i64>,
    fetched_at: i64,
    item_time: i64,
    time_basis: String,
    engagement: String,
    metadata_json: String,
    duplicate_of: Option<String>,
}

impl TryFrom<ItemRow> for Item {
    type Error = StoreError;

    fn try_from(row: ItemRow) -> Result<Self> {
        Ok(Self {
            id: column::id("item id", &row.id)?,
            source_id: column::id("source id", &row.source_id)?,
            external_id: row.external_id,
            url: row.url,
            canonical_url: row.canonical_url,
            title: row.title,
            body_text: row.body_text,
            author: row.author,
            published_at: column::optional_time(row.published_at),
            fetched_at: Timestamp::from_millis(row.fetched_at),
            time: Timestamp::from_millis(row.item_time),
            time_basis: column::word("item's time basis", &row.time_basis)?,
            engagement: column::json("item's engagement", &row.engagement)?,
            metadata: column::json("item's metadata", &row.metadata_json)?,
            duplicate_of: column::optional_id("item id", row.duplicate_of.as_deref())?,
        })
    }
}

/// Stories of rows that come by story, then by time and id of the member.
pub fn stories(rows: Vec<MemberRow>) -> Result<Vec<StoryRecord>> {
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

/// Gives each item the topic's sources that brought it (pairs of item and source), its own first. Where its own is none of
/// the topic's, the smallest takes its place.
pub(crate) fn with_sources(rows: Vec<ItemRow>, brought: &[(String, String)]) -> Result<Vec<(Item, Vec<SourceId>)>> {
    let mut sources: HashMap<ItemId, Vec<SourceId>> = HashMap::new();
    for (item, source) in brought {
        sources.entry(column::id("item id", item)?).or_default().push(column::id("source id", source)?);
    }
    let with_its_own = |row| {
        let mut item = Item::try_from(row)?;
        let mut brought_by = sources.get(&item.id).cloned().unwrap_or_default();
        brought_by.sort_by_key(|source| (*source != item.source_id, *source));
        item.source_id = brought_by.first().copied().unwrap_or(item.source_id);
        Ok((item, brought_by))
    };
    rows.into_iter().map(with_its_own).collect()
}
