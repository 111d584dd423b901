//! One look at one source, stored whole: `fetch_runs`, the source's health, `content_items` and where they came from.

use std::collections::HashSet;

use sqlx::PgConnection;

use super::PostgresStore;
use crate::shared::column;
use crate::shared::fetches::{self as sql, KnownItem, Stored, bind_item};
use crate::{FetchCommit, FetchCounts, IdentifiedItem, Lease, Result};

/// Stores nothing when the source was removed while it was being fetched.
pub(super) async fn commit(store: &PostgresStore, lease: &Lease, fetch: &FetchCommit) -> Result<FetchCounts> {
    let mut write = store.write_fenced("commit_fetch", lease).await?;
    if !is_source_of(write.connection(), lease, fetch).await? {
        return Ok(FetchCounts::default());
    }
    write.lock_contents().await?;
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

async fn is_source_of(connection: &mut PgConnection, lease: &Lease, fetch: &FetchCommit) -> Result<bool> {
    let source: Option<String> =
        sqlx::query_scalar("SELECT id FROM sources WHERE id = $1 AND topic_id = $2 FOR NO KEY UPDATE")
            .bind(fetch.source.to_string())
            .bind(lease.topic.to_string())
            .fetch_optional(connection)
            .await?;
    Ok(source.is_some())
}

async fn store_item(
    connection: &mut PgConnection,
    fetch: &FetchCommit,
    item: &IdentifiedItem,
    settled: &mut HashSet<String>,
) -> Result<Stored> {
    let known: Option<KnownItem> = sqlx::query_as(sql::FIND_ITEM)
        .bind(fetch.source.to_string())
        .bind(column::text(&item.external_id))
        .bind(column::optional_text(item.hash_url.as_deref()))
        .bind(item.id.to_string())
        .bind(column::text(&item.hash_text))
        .bind(column::millis(item.published_at))
        .fetch_optional(&mut *connection)
        .await?;
    let (id, stored, is_renamed) = match known {
        None => {
            insert_item(connection, fetch, item).await?;
            (item.id.to_string(), Stored::New, false)
        }
        Some(known) => {
            let may_edit = sql::may_edit(&known, fetch, settled);
            let stored = if may_edit { refresh_item(connection, &known, item).await? } else { Stored::Known };
            (known.id, stored, known.way != 1)
        }
    };
    if !(is_renamed && replace_provenance(connection, fetch, item, &id).await?) {
        insert_provenance(connection, fetch, item, &id).await?;
    }
    settled.insert(id);
    Ok(stored)
}

async fn insert_item(connection: &mut PgConnection, fetch: &FetchCommit, item: &IdentifiedItem) -> Result<()> {
    bind_item!(sqlx::query(sql::INSERT_ITEM), fetch, item).execute(connection).await?;
    Ok(())
}

/// Takes over an edit. Times stay: an item keeps its place in the windows.
async fn refresh_item(connection: &mut PgConnection, known: &KnownItem, item: &IdentifiedItem) -> Result<Stored> {
    if !known.differs_from(item)? {
        refresh_engagement(connection, known, item).await?;
        return Ok(Stored::Known);
    }
    sqlx::query(sql::UPDATE_ITEM)
        .bind(&known.id)
        .bind(column::optional_text(item.title.as_deref()))
        .bind(column::text(&item.body_text))
        .bind(column::text(&item.hash_text))
        .bind(column::optional_text(item.author.as_deref()))
        .bind(column::to_json(&item.engagement)?)
        .bind(column::to_json(&item.metadata)?)
        .bind(column::optional_text(item.url.as_deref()))
        .bind(column::optional_text(item.canonical_url.as_deref()))
        .bind(column::optional_text(item.hash_url.as_deref()))
        .bind(column::millis(item.published_at))
        .bind(column::optional_text(item.html.as_deref()))
        .execute(&mut *connection)
        .await?;
    sqlx::query(sql::UNPLACE).bind(&known.id).execute(connection).await?;
    Ok(Stored::Updated)
}

async fn refresh_engagement(connection: &mut PgConnection, known: &KnownItem, item: &IdentifiedItem) -> Result<()> {
    let Some(engagement) = sql::new_engagement(known, item.engagement)? else { return Ok(()) };
    sqlx::query(sql::UPDATE_ENGAGEMENT).bind(&known.id).bind(engagement).execute(connection).await?;
    Ok(())
}

async fn insert_provenance(
    connection: &mut PgConnection,
    fetch: &FetchCommit,
    item: &IdentifiedItem,
    id: &str,
) -> Result<()> {
    sqlx::query(sql::INSERT_PROVENANCE)
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

/// True when a row was written.
async fn replace_provenance(
    connection: &mut PgConnection,
    fetch: &FetchCommit,
    item: &IdentifiedItem,
    id: &str,
) -> Result<bool> {
    let done = sqlx::query(sql::REPLACE_PROVENANCE)
        .bind(fetch.source.to_string())
        .bind(column::text(&item.external_id))
        .bind(id)
        .bind(column::optional_text(item.url.as_deref()))
        .bind(fetch.finished_at.as_millis())
        .execute(connection)
        .await?;
    Ok(done.rows_affected() > 0)
}

async fn insert_fetch_run(connection: &mut PgConnection, fetch: &FetchCommit, counts: FetchCounts) -> Result<()> {
    let (kind, message) = sql::error_of(fetch);
    sqlx::query(sql::INSERT_FETCH_RUN)
        .bind(fetch.id.to_string())
        .bind(fetch.run.to_string())
        .bind(fetch.attempt)
        .bind(fetch.source.to_string())
        .bind(fetch.status.as_str())
        .bind(column::optional_text(kind))
        .bind(column::optional_text(message))
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

async fn update_source(connection: &mut PgConnection, fetch: &FetchCommit) -> Result<()> {
    let (kind, message) = sql::error_of(fetch);
    sqlx::query(sql::UPDATE_SOURCE)
        .bind(fetch.source.to_string())
        .bind(fetch.status.as_str())
        .bind(fetch.health.as_str())
        .bind(column::optional_text(kind))
        .bind(column::optional_text(message))
        .bind(fetch.finished_at.as_millis())
        .bind(column::millis(fetch.not_before))
        .bind(column::optional_text(fetch.validators.url.as_deref()))
        .bind(column::optional_text(fetch.validators.etag.as_deref()))
        .bind(column::optional_text(fetch.validators.last_modified.as_deref()))
        .bind(column::optional_text(fetch.feed_title.as_deref()))
        .bind(column::optional_text(fetch.moved_to.as_deref()))
        .bind(column::millis(fetch.next_check_at))
        .bind(fetch.check_interval.and_then(|interval| i64::try_from(interval.as_millis()).ok()))
        .execute(connection)
        .await?;
    Ok(())
}
