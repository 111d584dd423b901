//! One fetch of one source, item by item: `content_items`, `content_item_sources`, and the outcome (`fetch_runs`, the
//! source's health).
//!
//! Called by each database's `batches`, which decides what is one transaction and what SQLite writes in one batch.

use std::collections::HashSet;

use aha_core::fetch::FetchErrorKind;
use aha_core::ids::ItemId;
use aha_core::item::{Engagement, ItemMetadata, PageOutcome, TEASER_CHARS};

use super::search::index_items;
use super::{Connection, Values};
use crate::shared::column;
use crate::{FetchCommit, FetchCounts, IdentifiedItem, Result};

const FIND_ITEM: &str = include_str!("find_item.sql");

pub(super) const UPDATE_SOURCE: &str = include_str!("update_source.sql");

pub(super) const INSERT_ITEM: &str = "
    INSERT INTO content_items (id, source_id, external_id, url, canonical_url, hash_url, hash_text, title,
        body_text, author, published_at, fetched_at, item_time, time_basis, engagement, metadata_json,
        html)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
    ON CONFLICT DO NOTHING";

const UPDATE_ITEM: &str = "
    UPDATE content_items
    SET title = $2, body_text = $3, hash_text = $4, author = $5, engagement = $6, metadata_json = $7, url = $8,
        canonical_url = $9, hash_url = $10, published_at = coalesce(published_at, $11), html = $12
    WHERE id = $1";

const SET_SOURCE: &str = "UPDATE content_items SET source_id = $2, external_id = $3 WHERE id = $1";

const UPDATE_ENGAGEMENT: &str = "UPDATE content_items SET engagement = $2 WHERE id = $1";

/// An item whose source gives it a new external id at each fetch keeps four of them; the oldest is replaced.
const REPLACE_PROVENANCE: &str = "
    UPDATE content_item_sources SET external_id = $2, url = $4, first_seen_at = $5
    WHERE source_id = $1
      AND external_id = (SELECT o.external_id FROM content_item_sources o
                         WHERE o.source_id = $1 AND o.item_id = $3 ORDER BY o.first_seen_at, o.external_id LIMIT 1)
      AND (SELECT count(*) FROM content_item_sources a WHERE a.source_id = $1 AND a.item_id = $3) >= 4
      AND NOT EXISTS (SELECT 1 FROM content_item_sources n WHERE n.source_id = $1 AND n.external_id = $2)";

const INSERT_PROVENANCE: &str = "
    INSERT INTO content_item_sources (source_id, external_id, item_id, url, first_seen_at, catch_up_from,
        from_first_fetch, published_time)
    VALUES ($1, $2, $3, $4, $5, $6, $7,
        (SELECT item_time FROM content_items WHERE id = $3 AND time_basis = 'published'))
    ON CONFLICT DO NOTHING";

/// An edited item has to be embedded again, by whichever of its topics runs first.
const UNPLACE: &str = "UPDATE content_item_sources SET is_placed = 0 WHERE item_id = $1 AND is_placed = 1";

pub(super) const INSERT_FETCH_RUN: &str = "
    INSERT INTO fetch_runs (id, run_id, attempt, source_id, status, error_kind, error, http_status, items_seen,
        items_new, items_updated, bytes, started_at, finished_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

/// How a fetched item was stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stored {
    New,
    Updated,
    Known,
}

/// The columns of a stored item that distinguish an edit from a repetition.
struct KnownItem {
    id: String,
    source_id: String,
    /// The identity key by which it was found; 1 for the external id that this source gave it before.
    way: i64,
    hash_url: Option<String>,
    hash_text: String,
    title: Option<String>,
    body_text: String,
    engagement: String,
    metadata_json: String,
    deleted_at: Option<i64>,
    /// How often sources of other topics list it.
    listed_elsewhere: i64,
}

from_row!(KnownItem {
    id,
    source_id,
    way,
    hash_url,
    hash_text,
    title,
    body_text,
    engagement,
    metadata_json,
    deleted_at,
    listed_elsewhere
});

impl KnownItem {
    /// Whether the item is an edit. The same teaser as the one whose page was read before is not; a page read just now
    /// is.
    fn differs_from(&self, item: &IdentifiedItem) -> Result<bool> {
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

    /// Whether the text of another source replaces this one: only a source of the site of their common address may, if
    /// this text is not of that site or is a teaser. In another topic the text would be that of a source which the
    /// topic does not have.
    fn yields_to(&self, item: &IdentifiedItem) -> Result<bool> {
        let has_its_address = self.hash_url.is_some() && self.hash_url == item.hash_url;
        if !item.metadata.is_of_site || item.body_text.is_empty() || !has_its_address || self.listed_elsewhere > 0 {
            return Ok(false);
        }
        let metadata: ItemMetadata = column::json("item's metadata", &self.metadata_json)?;
        let is_of_page = metadata.full_text.is_some_and(|note| note.outcome == PageOutcome::Read);
        let is_of_site = metadata.is_of_site || is_of_page;
        let is_teaser = |text: &str| text.chars().count() < TEASER_CHARS;
        Ok(!is_of_site || (is_teaser(&self.body_text) && !is_teaser(&item.body_text)))
    }
}

/// Stores what a fetch has to say about a known item. Its own source edits it; a source of the site of its address may
/// replace the text of another one. Items removed by retention stay removed. Two entries of one fetch that turn out to
/// be the same item are not an edit: `settled` contains the items that this fetch has stored already.
async fn change_item(
    connection: &mut Connection,
    fetch: &FetchCommit,
    known: &KnownItem,
    item: &IdentifiedItem,
    settled: &HashSet<String>,
) -> Result<Stored> {
    if known.deleted_at.is_some() || settled.contains(&known.id) {
        return Ok(Stored::Known);
    }
    if known.source_id == fetch.source.to_string() {
        return refresh_item(connection, known, item).await;
    }
    if known.yields_to(item)? {
        return replace_text(connection, fetch, known, item).await;
    }
    let metadata: ItemMetadata = column::json("item's metadata", &known.metadata_json)?;
    if metadata.is_of_site {
        let engagement = raised_engagement(known, item.engagement)?;
        set_engagement(connection, known, engagement).await?;
    }
    Ok(Stored::Known)
}

/// Returns the engagement to store, or `None` if it is unchanged. Counts change all the time; a source that gives none
/// this time does not clear earlier ones.
fn new_engagement(known: &KnownItem, now: Engagement) -> Result<Option<String>> {
    let before: Engagement = column::json("item's engagement", &known.engagement)?;
    if now == Engagement::default() || now == before { Ok(None) } else { column::to_json(&now).map(Some) }
}

/// Returns the engagement to store if another source gives counts, as a forum does that links to the page of a site;
/// `None` if it is unchanged. Of several forums the higher counts remain.
fn raised_engagement(known: &KnownItem, now: Engagement) -> Result<Option<String>> {
    let before: Engagement = column::json("item's engagement", &known.engagement)?;
    let raised = Engagement {
        score: before.score.max(now.score),
        comments: before.comments.max(now.comments),
        views: before.views.max(now.views),
    };
    if raised == before { Ok(None) } else { column::to_json(&raised).map(Some) }
}

/// Stores items of a fetch in order, and counts them.
pub(super) async fn store_items(
    connection: &mut Connection,
    fetch: &FetchCommit,
    items: &[&IdentifiedItem],
    counts: &mut FetchCounts,
) -> Result<()> {
    let (mut settled, mut to_index) = (HashSet::new(), Vec::new());
    for item in items {
        let (stored, id) = store_item(connection, fetch, item, &mut settled).await?;
        match stored {
            Stored::New => counts.new += 1,
            Stored::Updated => counts.updated += 1,
            Stored::Known => continue,
        }
        to_index.push((id, *item));
    }
    index_items(connection, &to_index).await
}

async fn store_item(
    connection: &mut Connection,
    fetch: &FetchCommit,
    item: &IdentifiedItem,
    settled: &mut HashSet<String>,
) -> Result<(Stored, String)> {
    let known: Option<KnownItem> = sqlx::query_as(FIND_ITEM)
        .bind(fetch.source.to_string())
        .bind(column::text(&item.external_id))
        .bind(column::optional_text(item.hash_url.as_deref()))
        .bind(item.id.to_string())
        .bind(column::text(&item.hash_text))
        .bind(column::millis(item.published_at))
        .fetch_optional(&mut *connection)
        .await?;
    let (id, stored, is_renamed) = match known {
        None => (insert_item(connection, fetch, item).await?, Stored::New, false),
        Some(known) => {
            let stored = change_item(connection, fetch, &known, item, settled).await?;
            (known.id, stored, known.way != 1)
        }
    };
    if !(is_renamed && replace_provenance(connection, fetch, item, &id).await?) {
        insert_provenance(connection, fetch, item, &id).await?;
    }
    settled.insert(id.clone());
    Ok((stored, id))
}

/// Returns the id of the new item. That of an item without a guid is derived from its address, and may be taken by an
/// item of another topic.
async fn insert_item(connection: &mut Connection, fetch: &FetchCommit, item: &IdentifiedItem) -> Result<String> {
    let inserted = bind_item(Values::default(), fetch, item)?.query(INSERT_ITEM)?.execute(&mut *connection).await?;
    if inserted.rows_affected() > 0 {
        return Ok(item.id.to_string());
    }
    let id = ItemId::of(&[&fetch.source.to_string(), &item.external_id]);
    let renamed = IdentifiedItem { id, ..item.clone() };
    bind_item(Values::default(), fetch, &renamed)?.query(INSERT_ITEM)?.execute(connection).await?;
    Ok(id.to_string())
}

async fn refresh_item(connection: &mut Connection, known: &KnownItem, item: &IdentifiedItem) -> Result<Stored> {
    if known.differs_from(item)? {
        return edit_item(connection, known, item).await;
    }
    let engagement = new_engagement(known, item.engagement)?;
    set_engagement(connection, known, engagement).await?;
    Ok(Stored::Known)
}

/// Applies an edit. Times do not change, so an item stays in its windows. One without a discussion keeps the address of
/// that which another source gave.
async fn edit_item(connection: &mut Connection, known: &KnownItem, item: &IdentifiedItem) -> Result<Stored> {
    let mut metadata = item.metadata.clone();
    if metadata.discussion_url.is_none() {
        let earlier: ItemMetadata = column::json("item's metadata", &known.metadata_json)?;
        metadata.discussion_url = earlier.discussion_url;
    }
    let engagement = new_engagement(known, item.engagement)?.unwrap_or_else(|| known.engagement.clone());
    sqlx::query(UPDATE_ITEM)
        .bind(&known.id)
        .bind(column::optional_text(item.title.as_deref()))
        .bind(column::text(&item.body_text))
        .bind(column::text(&item.hash_text))
        .bind(column::optional_text(item.author.as_deref()))
        .bind(engagement)
        .bind(column::to_json(&metadata)?)
        .bind(column::optional_text(item.url.as_deref()))
        .bind(column::optional_text(item.canonical_url.as_deref()))
        .bind(column::optional_text(item.hash_url.as_deref()))
        .bind(column::millis(item.published_at))
        .bind(column::optional_text(item.html.as_deref()))
        .execute(&mut *connection)
        .await?;
    sqlx::query(UNPLACE).bind(&known.id).execute(connection).await?;
    Ok(Stored::Updated)
}

/// Replaces the text of another source, as an edit does. From then on the item is this source's, so that what is quoted
/// is attributed to the source that wrote it, and the other source's repetition of its text changes nothing.
async fn replace_text(
    connection: &mut Connection,
    fetch: &FetchCommit,
    known: &KnownItem,
    item: &IdentifiedItem,
) -> Result<Stored> {
    sqlx::query(SET_SOURCE)
        .bind(&known.id)
        .bind(fetch.source.to_string())
        .bind(column::text(&item.external_id))
        .execute(&mut *connection)
        .await?;
    edit_item(connection, known, item).await
}

async fn set_engagement(connection: &mut Connection, known: &KnownItem, engagement: Option<String>) -> Result<()> {
    let Some(engagement) = engagement else { return Ok(()) };
    sqlx::query(UPDATE_ENGAGEMENT).bind(&known.id).bind(engagement).execute(connection).await?;
    Ok(())
}

async fn insert_provenance(
    connection: &mut Connection,
    fetch: &FetchCommit,
    item: &IdentifiedItem,
    id: &str,
) -> Result<()> {
    sqlx::query(INSERT_PROVENANCE)
        .bind(fetch.source.to_string())
        .bind(column::text(&item.external_id))
        .bind(id)
        .bind(column::optional_text(item.url.as_deref()))
        .bind(fetch.finished_at.as_millis())
        .bind(column::millis(fetch.catch_up_from))
        .bind(i64::from(fetch.is_first))
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns true if a row was replaced.
async fn replace_provenance(
    connection: &mut Connection,
    fetch: &FetchCommit,
    item: &IdentifiedItem,
    id: &str,
) -> Result<bool> {
    let done = sqlx::query(REPLACE_PROVENANCE)
        .bind(fetch.source.to_string())
        .bind(column::text(&item.external_id))
        .bind(id)
        .bind(column::optional_text(item.url.as_deref()))
        .bind(fetch.finished_at.as_millis())
        .execute(connection)
        .await?;
    Ok(done.rows_affected() > 0)
}

/// Binds the parameters of [`INSERT_ITEM`].
pub(super) fn bind_item(values: Values, fetch: &FetchCommit, item: &IdentifiedItem) -> Result<Values> {
    Ok(values
        .bind(item.id.to_string())
        .bind(fetch.source.to_string())
        .bind(column::text(&item.external_id))
        .bind(column::optional_text(item.url.as_deref()))
        .bind(column::optional_text(item.canonical_url.as_deref()))
        .bind(column::optional_text(item.hash_url.as_deref()))
        .bind(column::text(&item.hash_text))
        .bind(column::optional_text(item.title.as_deref()))
        .bind(column::text(&item.body_text))
        .bind(column::optional_text(item.author.as_deref()))
        .bind(column::millis(item.published_at))
        .bind(fetch.finished_at.as_millis())
        .bind(item.time.as_millis())
        .bind(item.time_basis.as_str())
        .bind(column::to_json(&item.engagement)?)
        .bind(column::to_json(&item.metadata)?)
        .bind(column::optional_text(item.html.as_deref())))
}

/// Binds the parameters of [`INSERT_FETCH_RUN`].
pub(super) fn bind_fetch_run(values: Values, fetch: &FetchCommit, counts: FetchCounts) -> Values {
    values
        .bind(fetch.id.to_string())
        .bind(fetch.run.to_string())
        .bind(fetch.attempt)
        .bind(fetch.source.to_string())
        .bind(fetch.status.as_str())
        .bind(fetch.status.error_kind().map(FetchErrorKind::as_str))
        .bind(column::optional_text(fetch.error.as_deref()))
        .bind(fetch.http_status.map(i64::from))
        .bind(column::count(counts.seen))
        .bind(column::count(counts.new))
        .bind(column::count(counts.updated))
        .bind(i64::try_from(fetch.bytes).unwrap_or(i64::MAX))
        .bind(fetch.started_at.as_millis())
        .bind(fetch.finished_at.as_millis())
}

/// Binds the parameters of [`UPDATE_SOURCE`].
pub(super) fn bind_source_update(values: Values, fetch: &FetchCommit) -> Values {
    values
        .bind(fetch.source.to_string())
        .bind(fetch.status.as_str())
        .bind(fetch.health.as_str())
        .bind(fetch.status.error_kind().map(FetchErrorKind::as_str))
        .bind(column::optional_text(fetch.error.as_deref()))
        .bind(fetch.finished_at.as_millis())
        .bind(column::millis(fetch.not_before))
        .bind(column::optional_text(fetch.validators.url.as_deref()))
        .bind(column::optional_text(fetch.validators.etag.as_deref()))
        .bind(column::optional_text(fetch.validators.last_modified.as_deref()))
        .bind(column::optional_text(fetch.feed_title.as_deref()))
        .bind(column::optional_text(fetch.moved_to.as_deref()))
        .bind(column::millis(fetch.next_check_at))
        .bind(fetch.check_interval.and_then(|interval| i64::try_from(interval.as_millis()).ok()))
}
