//! One look at one source, stored whole: `fetch_runs`, the source's health, `content_items` and where they came from.

use std::collections::HashSet;

use sqlx::{FromRow, SqliteConnection};

use super::{SqliteStore, column};
use crate::domain::item::Engagement;
use crate::store::{FetchCommit, FetchCounts, FetchStatus, IdentifiedItem, Lease, Result};

/// What became of a fetched item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stored {
    New,
    Updated,
    Known,
}

/// Stores nothing when the source was removed while it was being fetched.
pub(super) async fn commit(store: &SqliteStore, lease: &Lease, fetch: &FetchCommit) -> Result<FetchCounts> {
    let mut write = store.write_fenced("commit_fetch", lease).await?;
    if !is_source_of(write.connection(), lease, fetch).await? {
        return Ok(FetchCounts::default());
    }
    let mut counts = FetchCounts { seen: fetch.items.len(), ..FetchCounts::default() };
    let mut settled = HashSet::new();
    for item in &fetch.items {
        match store_item(write.connection(), fetch, item, &mut settled).await? {
            Stored::New => counts.new += 1,
            Stored::Updated => counts.updated += 1,
            Stored::Known => {}
        }
    }
    insert_fetch_run(write.connection(), fetch, counts).await?;
    update_source(write.connection(), fetch).await?;
    write.commit().await?;
    Ok(counts)
}

async fn is_source_of(connection: &mut SqliteConnection, lease: &Lease, fetch: &FetchCommit) -> Result<bool> {
    let source: Option<String> = sqlx::query_scalar("SELECT id FROM sources WHERE id = $1 AND topic_id = $2")
        .bind(fetch.source.to_string())
        .bind(lease.topic.to_string())
        .fetch_optional(connection)
        .await?;
    Ok(source.is_some())
}

/// A stored item, as far as an edit is told from a repetition.
#[derive(FromRow)]
struct KnownItem {
    id: String,
    source_id: String,
    hash_text: String,
    title: Option<String>,
    body_text: String,
    engagement: String,
    deleted_at: Option<i64>,
}

impl KnownItem {
    fn differs_from(&self, item: &IdentifiedItem) -> bool {
        self.hash_text != item.hash_text || self.title != item.title || self.body_text != item.body_text
    }
}

/// `settled` holds the items that this look has stored already: two entries that turn out to be one item are no edit.
async fn store_item(
    connection: &mut SqliteConnection,
    fetch: &FetchCommit,
    item: &IdentifiedItem,
    settled: &mut HashSet<String>,
) -> Result<Stored> {
    let known: Option<KnownItem> = sqlx::query_as(include_str!("find_item.sql"))
        .bind(fetch.source.to_string())
        .bind(&item.external_id)
        .bind(&item.hash_url)
        .bind(item.id.to_string())
        .fetch_optional(&mut *connection)
        .await?;
    let (id, stored) = match known {
        None => {
            insert_item(connection, fetch, item).await?;
            (item.id.to_string(), Stored::New)
        }
        Some(known) => {
            // Only the source that brought it first may edit it, and what retention removed stays removed.
            let may_edit = known.source_id == fetch.source.to_string()
                && known.deleted_at.is_none()
                && !settled.contains(&known.id);
            let stored = if may_edit { refresh_item(connection, &known, item).await? } else { Stored::Known };
            (known.id, stored)
        }
    };
    insert_provenance(connection, fetch, item, &id).await?;
    settled.insert(id);
    Ok(stored)
}

async fn insert_item(connection: &mut SqliteConnection, fetch: &FetchCommit, item: &IdentifiedItem) -> Result<()> {
    sqlx::query(
        "INSERT INTO content_items (id, source_id, external_id, url, canonical_url, hash_url, hash_text, title,
             body_text, author, published_at, fetched_at, item_time, time_basis, engagement, metadata_json)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
    )
    .bind(item.id.to_string())
    .bind(fetch.source.to_string())
    .bind(&item.external_id)
    .bind(&item.url)
    .bind(&item.canonical_url)
    .bind(&item.hash_url)
    .bind(&item.hash_text)
    .bind(&item.title)
    .bind(&item.body_text)
    .bind(&item.author)
    .bind(column::millis(item.published_at))
    .bind(fetch.finished_at.as_millis())
    .bind(item.time.as_millis())
    .bind(item.time_basis.as_str())
    .bind(column::to_json(&item.engagement)?)
    .bind(column::to_json(&item.metadata)?)
    .execute(connection)
    .await?;
    Ok(())
}

/// Takes over an edit. Times stay: an item keeps its place in the windows.
async fn refresh_item(connection: &mut SqliteConnection, known: &KnownItem, item: &IdentifiedItem) -> Result<Stored> {
    if !known.differs_from(item) {
        refresh_engagement(connection, known, item.engagement).await?;
        return Ok(Stored::Known);
    }
    sqlx::query(
        "UPDATE content_items
         SET title = $2, body_text = $3, hash_text = $4, author = $5, engagement = $6, metadata_json = $7, url = $8,
             canonical_url = $9, hash_url = $10, published_at = coalesce(published_at, $11)
         WHERE id = $1",
    )
    .bind(&known.id)
    .bind(&item.title)
    .bind(&item.body_text)
    .bind(&item.hash_text)
    .bind(&item.author)
    .bind(column::to_json(&item.engagement)?)
    .bind(column::to_json(&item.metadata)?)
    .bind(&item.url)
    .bind(&item.canonical_url)
    .bind(&item.hash_url)
    .bind(column::millis(item.published_at))
    .execute(connection)
    .await?;
    Ok(Stored::Updated)
}

/// Readers' counts change all the time; a source that gives none this time takes none back.
async fn refresh_engagement(connection: &mut SqliteConnection, known: &KnownItem, now: Engagement) -> Result<()> {
    let before: Engagement = column::json("item's engagement", &known.engagement)?;
    if now == Engagement::default() || now == before {
        return Ok(());
    }
    sqlx::query("UPDATE content_items SET engagement = $2 WHERE id = $1")
        .bind(&known.id)
        .bind(column::to_json(&now)?)
        .execute(connection)
        .await?;
    Ok(())
}

async fn insert_provenance(
    connection: &mut SqliteConnection,
    fetch: &FetchCommit,
    item: &IdentifiedItem,
    id: &str,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO content_item_sources (source_id, external_id, item_id, url, first_seen_at)
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    )
    .bind(fetch.source.to_string())
    .bind(&item.external_id)
    .bind(id)
    .bind(&item.url)
    .bind(fetch.finished_at.as_millis())
    .execute(connection)
    .await?;
    Ok(())
}

async fn insert_fetch_run(connection: &mut SqliteConnection, fetch: &FetchCommit, counts: FetchCounts) -> Result<()> {
    let (kind, message) = error_of(fetch);
    sqlx::query(
        "INSERT INTO fetch_runs (id, run_id, attempt, source_id, status, error_kind, error, http_status, items_seen,
             items_new, items_updated, bytes, started_at, finished_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
    )
    .bind(fetch.id.to_string())
    .bind(fetch.run.to_string())
    .bind(fetch.attempt)
    .bind(fetch.source.to_string())
    .bind(fetch.status.as_str())
    .bind(kind)
    .bind(message)
    .bind(fetch.http_status.map(i64::from))
    .bind(column::count(counts.seen))
    .bind(column::count(counts.new))
    .bind(column::count(counts.updated))
    .bind(i64::try_from(fetch.bytes).unwrap_or(i64::MAX))
    .bind(fetch.started_at.as_millis())
    .bind(fetch.finished_at.as_millis())
    .execute(connection)
    .await?;
    Ok(())
}

async fn update_source(connection: &mut SqliteConnection, fetch: &FetchCommit) -> Result<()> {
    let (kind, message) = error_of(fetch);
    sqlx::query(include_str!("update_source.sql"))
        .bind(fetch.source.to_string())
        .bind(fetch.status.as_str())
        .bind(fetch.health.as_str())
        .bind(kind)
        .bind(message)
        .bind(fetch.finished_at.as_millis())
        .bind(column::millis(fetch.not_before))
        .bind(&fetch.validators.url)
        .bind(&fetch.validators.etag)
        .bind(&fetch.validators.last_modified)
        .bind(&fetch.feed_title)
        .bind(&fetch.moved_to)
        .execute(connection)
        .await?;
    Ok(())
}

/// Kind and message; a look that did not fail has a message at most (why it waited).
fn error_of(fetch: &FetchCommit) -> (Option<&str>, Option<&str>) {
    let message = fetch.error.as_ref().map(|(_, message)| message.as_str());
    let kind = fetch.error.as_ref().map_or("unknown", |(kind, _)| kind.as_str());
    ((fetch.status == FetchStatus::Error).then_some(kind), message)
}
