//! Items as stored: one by its id, and lists, the newest first.

use std::collections::BTreeMap;

use aha_core::ids::{ItemId, SourceId};
use aha_core::item::{Item, ItemMetadata, TimeBasis};
use aha_core::time::Timestamp;
use aha_store::ItemFilter;
pub use aha_store::ListedItem;
use serde::Serialize;

use super::{Result, ServiceError, sources, topics};
use crate::app::App;

/// Which items to list; `None` lists all.
#[derive(Debug, Clone, Default)]
pub struct ItemQuery {
    pub topic: Option<String>,
    pub source: Option<SourceId>,
    /// List only items after this one: its time and id.
    pub after: Option<(Timestamp, ItemId)>,
    pub limit: i64,
}

/// An item with the name of its source, if that still exists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedItem {
    #[serde(flatten)]
    pub item: ListedItem,
    pub source: Option<String>,
}

/// Lists items, the newest first.
///
/// # Errors
/// When there is no such topic or the store fails.
pub async fn list(app: &App, query: &ItemQuery) -> Result<Vec<NamedItem>> {
    let topic = match &query.topic {
        Some(name) => Some(topics::find(app, name).await?.id),
        None => None,
    };
    let filter = ItemFilter { topic, source: query.source, after: query.after, limit: query.limit };
    let items = app.store().list_items(&filter).await?;
    let names: BTreeMap<SourceId, String> = sources::names(app).await?;
    let with_source = |item: ListedItem| NamedItem { source: names.get(&item.source_id).cloned(), item };
    Ok(items.into_iter().map(with_source).collect())
}

/// An item with everything stored of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoredItem {
    #[serde(flatten)]
    pub named: NamedItem,
    pub time_basis: TimeBasis,
    pub fetched_at: Timestamp,
    /// Plain text.
    pub text: String,
    /// Its markup, sanitised; null if it adds nothing to the text.
    pub html: Option<String>,
    pub metadata: ItemMetadata,
}

/// Returns one item.
///
/// # Errors
/// When none has that id, or retention removed its text.
pub async fn find(app: &App, id: ItemId) -> Result<StoredItem> {
    let none = || {
        let message = format!("there is no item {id}, or it was removed by its age; `aha-radar search` finds others");
        ServiceError::not_found("item", message)
    };
    let item = app.store().item(id).await?.ok_or_else(none)?;
    let html = app.store().items_html(&[id]).await?.pop().map(|(_, html)| html);
    let source = app.store().source(item.source_id).await?.map(|source| source.display_name());
    let Item { time_basis, fetched_at, body_text, metadata, .. } = item.clone();
    Ok(StoredItem {
        named: NamedItem { item: listed(item), source },
        time_basis,
        fetched_at,
        text: body_text,
        html,
        metadata,
    })
}

fn listed(item: Item) -> ListedItem {
    let Item { id, source_id, url, title, author, published_at, time, engagement, duplicate_of, .. } = item;
    ListedItem { id, source_id, url, title, author, published_at, time, engagement, duplicate_of }
}
