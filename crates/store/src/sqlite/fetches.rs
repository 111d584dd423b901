//! Looks at sources, each stored whole: `fetch_runs`, the source's health, `content_items` and where they came from.

use std::collections::HashSet;

use sqlx::SqliteConnection;

use super::script::Script;
use super::{SqliteStore, id_list, new_items};
use crate::shared::column;
use crate::shared::fetches::{self as sql, KnownItem, Stored};
use crate::{FetchCommit, FetchCounts, IdentifiedItem, Lease, Result};

/// Looks whose ends are written in one trip to the connection's thread.
const ENDS_A_SCRIPT: usize = 8;

/// Looks that wait together are one transaction: the indexes' pages that they share are written once. Nothing is stored of a source
/// that was removed while it was being fetched.
pub(super) async fn commit(store: &SqliteStore, lease: &Lease, fetches: &[FetchCommit]) -> Result<FetchCounts> {
    let mut write = store.write_fenced("commit_fetch", lease).await?;
    let sources = sources_of(write.connection(), lease, fetches).await?;
    let kept: Vec<&FetchCommit> = fetches.iter().filter(|f| sources.contains(&f.source.to_string())).collect();
    let others = new_items::store(write.connection(), &kept).await?;
    let mut ends = Vec::with_capacity(kept.len());
    for (fetch, others) in kept.into_iter().zip(others) {
        ends.push((fetch, store_others(write.connection(), fetch, others).await?));
    }
    for ends in ends.chunks(ENDS_A_SCRIPT) {
        let script = ends.iter().fold(Script::new(), |script, (fetch, counts)| end(script, fetch, *counts));
        script.run_within(write.connection()).await?;
    }
    write.commit_all(fetches.len()).await?;
    let mut total = FetchCounts::default();
    for (_, counts) in ends {
        total += counts;
    }
    Ok(total)
}

async fn sources_of(
    connection: &mut SqliteConnection,
    lease: &Lease,
    fetches: &[FetchCommit],
) -> Result<HashSet<String>> {
    let asked: Vec<_> = fetches.iter().map(|fetch| fetch.source).collect();
    let found: Vec<String> =
        sqlx::query_scalar("SELECT id FROM sources WHERE topic_id = $1 AND id IN (SELECT value FROM json_each($2))")
            .bind(lease.topic.to_string())
            .bind(id_list(&asked)?)
            .fetch_all(connection)
            .await?;
    Ok(found.into_iter().collect())
}

/// Stores what is left of a look, item by item; returns the counts of all of it.
async fn store_others(
    connection: &mut SqliteConnection,
    fetch: &FetchCommit,
    others: Vec<&IdentifiedItem>,
) -> Result<FetchCounts> {
    let seen = fetch.items.len();
    let mut counts = FetchCounts { seen, new: seen - others.len(), updated: 0 };
    let mut settled = HashSet::new();
    for item in others {
        match store_item(connection, fetch, item, &mut settled).await? {
            Stored::New => counts.new += 1,
            Stored::Updated => counts.updated += 1,
            Stored::Known => {}
        }
    }
    Ok(counts)
}

async fn store_item(
    connection: &mut SqliteConnection,
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
            new_items::insert(connection, &[(fetch, item)]).await?;
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

/// Takes over an edit. Times stay: an item keeps its place in the windows.
async fn refresh_item(connection: &mut SqliteConnection, known: &KnownItem, item: &IdentifiedItem) -> Result<Stored> {
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

async fn refresh_engagement(connection: &mut SqliteConnection, known: &KnownItem, item: &IdentifiedItem) -> Result<()> {
    let Some(engagement) = sql::new_engagement(known, item.engagement)? else { return Ok(()) };
    sqlx::query(sql::UPDATE_ENGAGEMENT).bind(&known.id).bind(engagement).execute(connection).await?;
    Ok(())
}

async fn insert_provenance(
    connection: &mut SqliteConnection,
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
    connection: &mut SqliteConnection,
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

/// What becomes of a look and of its source.
fn end(script: Script, fetch: &FetchCommit, counts: FetchCounts) -> Script {
    let (kind, message) = sql::error_of(fetch);
    let script = script
        .then(sql::INSERT_FETCH_RUN)
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
        .bind(fetch.finished_at.as_millis());
    script
        .then(sql::UPDATE_SOURCE)
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
}
