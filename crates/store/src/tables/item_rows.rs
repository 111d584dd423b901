//! Rows of `content_items` as items.

use std::collections::HashMap;

use aha_core::ids::{ItemId, SourceId};
use aha_core::item::Item;
use aha_core::time::Timestamp;

use crate::shared::column;
use crate::{Result, StoreError};

pub(super) struct ItemRow {
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

from_row!(ItemRow {
    id,
    source_id,
    external_id,
    url,
    canonical_url,
    title,
    body_text,
    author,
    published_at,
    fetched_at,
    item_time,
    time_basis,
    engagement,
    metadata_json,
    duplicate_of
});

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

/// Adds to each item the topic's sources that published it, its own first. `item_sources` has pairs of item and source.
/// If its own source does not belong to the topic, the smallest one replaces it.
pub(super) fn with_sources(
    rows: Vec<ItemRow>,
    item_sources: &[(String, String)],
) -> Result<Vec<(Item, Vec<SourceId>)>> {
    let mut sources: HashMap<ItemId, Vec<SourceId>> = HashMap::new();
    for (item, source) in item_sources {
        sources.entry(column::id("item id", item)?).or_default().push(column::id("source id", source)?);
    }
    let with_own_sources = |row| {
        let mut item = Item::try_from(row)?;
        let mut own_sources = sources.get(&item.id).cloned().unwrap_or_default();
        own_sources.sort_by_key(|source| (*source != item.source_id, *source));
        item.source_id = own_sources.first().copied().unwrap_or(item.source_id);
        Ok((item, own_sources))
    };
    rows.into_iter().map(with_own_sources).collect()
}
