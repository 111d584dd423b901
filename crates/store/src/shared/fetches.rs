//! One look at one source: `fetch_runs`, `content_items` and `content_item_sources`.

use std::collections::HashSet;

use aha_core::item::{Engagement, ItemMetadata};
use sqlx::FromRow;

use super::column;
use crate::{FetchCommit, FetchStatus, IdentifiedItem, Result};

pub(crate) const FIND_ITEM: &str = include_str!("find_item.sql");

pub(crate) const UPDATE_SOURCE: &str = include_str!("update_source.sql");

pub(crate) const INSERT_ITEM: &str = "
    INSERT INTO content_items (id, source_id, external_id, url, canonical_url, hash_url, hash_text, title,
        body_text, author, published_at, fetched_at, item_time, time_basis, engagement, metadata_json,
        html)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)";

pub(crate) const UPDATE_ITEM: &str = "
    UPDATE content_items
    SET title = $2, body_text = $3, hash_text = $4, author = $5, engagement = $6, metadata_json = $7, url = $8,
        canonical_url = $9, hash_url = $10, published_at = coalesce(published_at, $11), html = $12
    WHERE id = $1";

pub(crate) const UPDATE_ENGAGEMENT: &str = "UPDATE content_items SET engagement = $2 WHERE id = $1";

/// An item that its source names anew at each look keeps four names: the oldest gives way.
pub(crate) const REPLACE_PROVENANCE: &str = "
    UPDATE content_item_sources SET external_id = $2, url = $4, first_seen_at = $5
    WHERE source_id = $1
      AND external_id = (SELECT o.external_id FROM content_item_sources o
                         WHERE o.source_id = $1 AND o.item_id = $3 ORDER BY o.first_seen_at, o.external_id LIMIT 1)
      AND (SELECT count(*) FROM content_item_sources a WHERE a.source_id = $1 AND a.item_id = $3) >= 4
      AND NOT EXISTS (SELECT 1 FROM content_item_sources n WHERE n.source_id = $1 AND n.external_id = $2)";

pub(crate) const INSERT_PROVENANCE: &str = "
    INSERT INTO content_item_sources (source_id, external_id, item_id, url, first_seen_at, catch_up_from,
        from_first_fetch, published_time)
    VALUES ($1, $2, $3, $4, $5, $6, $7,
        (SELECT item_time FROM content_items WHERE id = $3 AND time_basis = 'published'))
    ON CONFLICT DO NOTHING";

/// An edited item is to be embedded again, by whichever of its topics comes first.
pub(crate) const UNPLACE: &str = "UPDATE content_item_sources SET is_placed = 0 WHERE item_id = $1 AND is_placed = 1";

pub(crate) const INSERT_FETCH_RUN: &str = "
    INSERT INTO fetch_runs (id, run_id, attempt, source_id, status, error_kind, error, http_status, items_seen,
        items_new, items_updated, bytes, started_at, finished_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

/// What became of a fetched item.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    New,
    Updated,
    Known,
}

/// A stored item, as far as an edit is told from a repetition.
#[derive(FromRow)]
pub(crate) struct KnownItem {
    pub id: String,
    pub source_id: String,
    /// By which sign it was found; 1 for the name that this source gave it before.
    pub way: i64,
    pub hash_text: String,
    pub title: Option<String>,
    pub body_text: String,
    pub engagement: String,
    pub metadata_json: String,
    pub deleted_at: Option<i64>,
}

impl KnownItem {
    /// The same teaser as the one whose page was read before is no edit; a page that was read just now is one.
    pub(crate) fn differs_from(&self, item: &IdentifiedItem) -> Result<bool> {
        if item.metadata.full_text.is_some() {
            return Ok(true);
        }
        let known: ItemMetadata = column::json("item's metadata", &self.metadata_json)?;
        if known.full_text.is_some_and(|note| note.source_hash == item.hash_text) {
            return Ok(false);
        }
        Ok(self.hash_text != item.hash_text
            || self.title.as_deref() != column::optional_text(item.title.as_deref()).as_deref()
            || self.body_text != column::text(&item.body_text))
    }
}

/// Kind and message; a look that did not fail has a message at most (why it waited).
pub(crate) fn error_of(fetch: &FetchCommit) -> (Option<&str>, Option<&str>) {
    let message = fetch.error.as_ref().map(|(_, message)| message.as_str());
    let kind = fetch.error.as_ref().map_or("unknown", |(kind, _)| kind.as_str());
    ((fetch.status == FetchStatus::Error).then_some(kind), message)
}

/// Only the source that brought it first may edit an item, what retention removed stays removed, and two entries of one
/// look that turn out to be one item are no edit: `settled` holds those that this look has stored already.
pub(crate) fn may_edit(known: &KnownItem, fetch: &FetchCommit, settled: &HashSet<String>) -> bool {
    known.source_id == fetch.source.to_string() && known.deleted_at.is_none() && !settled.contains(&known.id)
}

/// Readers' counts change all the time; a source that gives none this time takes none back.
pub(crate) fn new_engagement(known: &KnownItem, now: Engagement) -> Result<Option<String>> {
    let before: Engagement = column::json("item's engagement", &known.engagement)?;
    if now == Engagement::default() || now == before { Ok(None) } else { column::to_json(&now).map(Some) }
}

/// Binds what a row of [`INSERT_ITEM`] wants.
macro_rules! bind_item {
    ($statement:expr, $fetch:expr, $item:expr) => {
        $statement
            .bind($item.id.to_string())
            .bind($fetch.source.to_string())
            .bind(column::text(&$item.external_id))
            .bind(column::optional_text($item.url.as_deref()))
            .bind(column::optional_text($item.canonical_url.as_deref()))
            .bind(column::optional_text($item.hash_url.as_deref()))
            .bind(column::text(&$item.hash_text))
            .bind(column::optional_text($item.title.as_deref()))
            .bind(column::text(&$item.body_text))
            .bind(column::optional_text($item.author.as_deref()))
            .bind(column::millis($item.published_at))
            .bind($fetch.finished_at.as_millis())
            .bind($item.time.as_millis())
            .bind($item.time_basis.as_str())
            .bind(column::to_json(&$item.engagement)?)
            .bind(column::to_json(&$item.metadata)?)
            .bind(column::optional_text($item.html.as_deref()))
    };
}
pub(crate) use bind_item;
