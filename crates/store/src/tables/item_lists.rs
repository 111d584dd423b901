//! `content_items`, as lists for display.

use aha_core::ids::ItemId;
use aha_core::item::Item;
use aha_core::time::Timestamp;
use async_trait::async_trait;

use super::Database;
use super::item_rows::ItemRow;
use crate::shared::column;
use crate::{ItemFilter, ItemListStore, ListedItem, Result, StoreError};

/// Walks the index by time. `$1` may be NULL. With EXISTS, Postgres would build a table of all the topic's items.
const OF_TOPIC: &str = "
    SELECT i.id, i.source_id, i.url, i.title, i.author, i.published_at, i.item_time, i.engagement, i.duplicate_of
    FROM content_items i
    WHERE i.item_time <= $2 AND (i.item_time < $2 OR i.id < $3) AND i.deleted_at IS NULL
      AND (CAST($1 AS TEXT) IS NULL
           OR (SELECT 1 FROM content_item_sources p JOIN sources s ON s.id = p.source_id
               WHERE p.item_id = i.id AND s.topic_id = $1 LIMIT 1) = 1)
    ORDER BY i.item_time DESC, i.id DESC LIMIT $4";

/// Reads only the listed ones of a source's dated items, in index order; few items have no date. An item has a row for
/// each external id that the source gave it.
const OF_SOURCE: &str = "
    SELECT i.id, i.source_id, i.url, i.title, i.author, i.published_at, i.item_time, i.engagement, i.duplicate_of
    FROM (SELECT newest.item_id
          FROM (SELECT DISTINCT p.published_time, p.item_id
                FROM content_item_sources p JOIN content_items k ON k.id = p.item_id AND k.deleted_at IS NULL
                WHERE p.source_id = $1 AND p.published_time IS NOT NULL AND p.published_time <= $2
                  AND (p.published_time < $2 OR p.item_id < $3)
                ORDER BY p.published_time DESC, p.item_id DESC LIMIT $4) AS newest
          UNION
          SELECT p.item_id FROM content_item_sources p WHERE p.source_id = $1 AND p.published_time IS NULL) AS brought
    JOIN content_items i ON i.id = brought.item_id
    WHERE i.item_time <= $2 AND (i.item_time < $2 OR i.id < $3) AND i.deleted_at IS NULL
    ORDER BY i.item_time DESC, i.id DESC LIMIT $4";

const ONE: &str = "
    SELECT id, source_id, external_id, url, canonical_url, title, body_text, author, published_at, fetched_at, item_time,
           time_basis, engagement, metadata_json, duplicate_of
    FROM content_items WHERE id = $1 AND deleted_at IS NULL";

/// Greater than any id.
const AFTER_ALL_IDS: &str = "g";

struct ListedRow {
    id: String,
    source_id: String,
    url: Option<String>,
    title: Option<String>,
    author: Option<String>,
    published_at: Option<i64>,
    item_time: i64,
    engagement: String,
    duplicate_of: Option<String>,
}

from_row!(ListedRow { id, source_id, url, title, author, published_at, item_time, engagement, duplicate_of });

impl TryFrom<ListedRow> for ListedItem {
    type Error = StoreError;

    fn try_from(row: ListedRow) -> Result<Self> {
        Ok(Self {
            id: column::id("item id", &row.id)?,
            source_id: column::id("source id", &row.source_id)?,
            url: row.url,
            title: row.title,
            author: row.author,
            published_at: column::optional_time(row.published_at),
            time: Timestamp::from_millis(row.item_time),
            engagement: column::json("item's engagement", &row.engagement)?,
            duplicate_of: column::optional_id("item id", row.duplicate_of.as_deref())?,
        })
    }
}

#[async_trait]
impl ItemListStore for Database {
    #[tracing::instrument(level = "debug", skip_all)]
    async fn list_items(&self, filter: &ItemFilter) -> Result<Vec<ListedItem>> {
        let (time, id) =
            filter.after.map_or((i64::MAX, AFTER_ALL_IDS.to_owned()), |(time, id)| (time.as_millis(), id.to_string()));
        let (statement, of) = match (filter.source, filter.topic) {
            (Some(source), _) => (OF_SOURCE, Some(source.to_string())),
            (None, topic) => (OF_TOPIC, topic.map(|topic| topic.to_string())),
        };
        let rows: Vec<ListedRow> = sqlx::query_as(statement)
            .bind(of)
            .bind(time)
            .bind(id)
            .bind(filter.limit)
            .fetch_all(&mut *self.reader().await?)
            .await?;
        rows.into_iter().map(ListedItem::try_from).collect()
    }

    #[tracing::instrument(level = "debug", skip_all)]
    async fn item(&self, id: ItemId) -> Result<Option<Item>> {
        let row: Option<ItemRow> =
            sqlx::query_as(ONE).bind(id.to_string()).fetch_optional(&mut *self.reader().await?).await?;
        row.map(Item::try_from).transpose()
    }
}
