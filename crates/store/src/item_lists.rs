//! Items as a person lists them: the newest first, of a topic, of a source, or of all.

use aha_core::ids::{ItemId, SourceId, TopicId};
use aha_core::item::{Engagement, Item};
use aha_core::time::Timestamp;
use async_trait::async_trait;
use serde::Serialize;

use crate::Result;

/// Which items to list; `None` is all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ItemFilter {
    pub topic: Option<TopicId>,
    /// Of that source alone, whatever the topic.
    pub source: Option<SourceId>,
    /// Items that come after this one in the list: its time and id.
    pub after: Option<(Timestamp, ItemId)>,
    pub limit: i64,
}

/// An item without its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedItem {
    pub id: ItemId,
    /// The source that brought it first; it may be gone.
    pub source_id: SourceId,
    pub url: Option<String>,
    pub title: Option<String>,
    pub author: Option<String>,
    pub published_at: Option<Timestamp>,
    /// The time that lists and windows go by.
    pub time: Timestamp,
    pub engagement: Engagement,
    /// The item whose text it repeats.
    pub duplicate_of: Option<ItemId>,
}

#[async_trait]
pub trait ItemListStore: Send + Sync {
    /// Items by time and id, the newest first. Those that retention emptied are left out.
    async fn list_items(&self, filter: &ItemFilter) -> Result<Vec<ListedItem>>;
    /// One item, whatever its topic.
    async fn item(&self, id: ItemId) -> Result<Option<Item>>;
}
