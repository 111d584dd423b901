//! Lists of items, newest first: of a topic, of a source, or of all.

use aha_core::ids::{ItemId, SourceId, TopicId};
use aha_core::item::{Engagement, Item};
use aha_core::time::Timestamp;
use async_trait::async_trait;
use serde::Serialize;

use crate::Result;

/// Filter of items; `None` means all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ItemFilter {
    pub topic: Option<TopicId>,
    /// Of that source only, whatever the topic.
    pub source: Option<SourceId>,
    /// Items that come after this one in the list, given by its time and id.
    pub after: Option<(Timestamp, ItemId)>,
    pub limit: i64,
}

/// An item without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedItem {
    pub id: ItemId,
    /// The source that its text is from; it may have been removed.
    pub source_id: SourceId,
    pub url: Option<String>,
    pub title: Option<String>,
    pub author: Option<String>,
    pub published_at: Option<Timestamp>,
    /// The time used by lists and windows.
    pub time: Timestamp,
    pub engagement: Engagement,
    /// The item of which it is a copy.
    pub duplicate_of: Option<ItemId>,
}

#[async_trait]
pub trait ItemListStore: Send + Sync {
    /// Returns items by time and id, newest first. Items emptied by retention are omitted.
    async fn list_items(&self, filter: &ItemFilter) -> Result<Vec<ListedItem>>;
    /// Returns one item, whatever its topic.
    async fn item(&self, id: ItemId) -> Result<Option<Item>>;
}
