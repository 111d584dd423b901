//! Stores many new items of fetches at a time. Items that may already be stored, or that may equal another item of
//! these fetches, are left to be resolved one by one.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use aha_core::ids::SourceId;
use aha_core::item::TimeBasis;

use super::Batch;
use crate::shared::column;
use crate::sqlite::fetches::{INSERT_ITEM, bind_item};
use crate::sqlite::search::{ToIndex, index_items};
use crate::sqlite::{Connection, Values};
use crate::{FetchCommit, IdentifiedItem, Result};

/// Rows per statement; SQLite allows 32,766 parameters.
const ROWS: usize = 32;

/// Returns the positions of the items in the array $1 that may already be stored. Each item is given as its source,
/// external id, URL hash, id and text hash. The identity keys are those of `find_item.sql`, except for the dates.
const MAYBE_KNOWN: &str = "
    SELECT w.key FROM json_each($1) w
    WHERE EXISTS (SELECT 1 FROM content_item_sources p
                  WHERE p.source_id = w.value ->> 0 AND p.external_id = w.value ->> 1)
       OR EXISTS (SELECT 1 FROM content_items u WHERE u.hash_url = w.value ->> 2)
       OR EXISTS (SELECT 1 FROM content_items n WHERE n.id = w.value ->> 3)
       OR (w.value ->> 2 IS NULL AND EXISTS (
              SELECT 1 FROM content_items t
              WHERE t.source_id = w.value ->> 0 AND t.hash_text = w.value ->> 4 AND t.hash_url IS NULL))";

/// Inserts the provenance of a new item.
const INSERT_NEW_PROVENANCE: &str = "
    INSERT INTO content_item_sources (source_id, external_id, item_id, url, first_seen_at, catch_up_from,
        from_first_fetch, published_time)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

/// An item with the fetch that returned it.
type FetchedItem<'f> = (&'f FetchCommit, &'f IdentifiedItem);

/// Stores items that are certainly new; returns the others of each fetch, in order.
pub(super) async fn store<'f>(
    connection: &mut Connection,
    fetches: &[&'f FetchCommit],
) -> Result<Vec<Vec<&'f IdentifiedItem>>> {
    let all: Vec<FetchedItem<'f>> =
        fetches.iter().flat_map(|fetch| fetch.items.iter().map(move |item| (*fetch, item))).collect();
    let maybe_known = maybe_known(connection, &all).await?;
    let shared = shared_keys(&all);
    let is_new = |(position, item): &(usize, FetchedItem<'_>)| {
        !maybe_known.contains(position) && !identity_keys(item).iter().flatten().any(|key| shared.contains(key))
    };
    let (new, others): (Vec<_>, Vec<_>) = all.iter().copied().enumerate().partition(is_new);
    let new: Vec<FetchedItem<'_>> = new.into_iter().map(|(_, item)| item).collect();
    for some in new.chunks(ROWS) {
        insert(connection, some).await?;
    }
    let to_index: Vec<ToIndex<'_>> = new.iter().map(|(_, item)| (item.id.to_string(), *item)).collect();
    index_items(connection, &to_index).await?;
    let mut others = others.into_iter().map(|(_, item)| item).peekable();
    let others_of = |fetch: &FetchCommit| {
        std::iter::from_fn(|| others.next_if(|(of, _)| std::ptr::eq(*of, fetch))).map(|(_, item)| item).collect()
    };
    Ok(fetches.iter().copied().map(others_of).collect())
}

/// An identity key of an item: kind and value, and the source if other sources may use the same value for a different
/// item.
type IdentityKey<'i> = (u8, Option<SourceId>, Cow<'i, str>);

fn identity_keys<'f>((fetch, item): &FetchedItem<'f>) -> [Option<IdentityKey<'f>>; 4] {
    let text = item.hash_url.is_none().then(|| column::text(&item.hash_text));
    [
        Some((0, Some(fetch.source), column::text(&item.external_id))),
        column::optional_text(item.hash_url.as_deref()).map(|hash| (1, None, hash)),
        Some((2, None, Cow::Owned(item.id.to_string()))),
        text.map(|hash| (3, Some(fetch.source), hash)),
    ]
}

/// Returns the keys shared by several of the items.
fn shared_keys<'f>(fetched: &[FetchedItem<'f>]) -> HashSet<IdentityKey<'f>> {
    let mut uses: HashMap<IdentityKey<'f>, usize> = HashMap::new();
    for key in fetched.iter().flat_map(identity_keys).flatten() {
        *uses.entry(key).or_default() += 1;
    }
    uses.into_iter().filter(|(_, uses)| *uses > 1).map(|(key, _)| key).collect()
}

async fn maybe_known(connection: &mut Connection, fetched: &[FetchedItem<'_>]) -> Result<HashSet<usize>> {
    if fetched.is_empty() {
        return Ok(HashSet::new());
    }
    let items: Vec<_> = fetched
        .iter()
        .map(|(fetch, i)| {
            let (source, external_id) = (fetch.source.to_string(), column::text(&i.external_id));
            (source, external_id, &i.hash_url, i.id.to_string(), &i.hash_text)
        })
        .collect();
    let positions: Vec<i64> =
        sqlx::query_scalar(MAYBE_KNOWN).bind(column::to_json(&items)?).fetch_all(connection).await?;
    positions.into_iter().map(|position| column::number("position", position)).collect()
}

/// Inserts one row per item and one for each provenance, in one round trip.
async fn insert(connection: &mut Connection, items: &[FetchedItem<'_>]) -> Result<()> {
    let both = [INSERT_ITEM, INSERT_NEW_PROVENANCE].map(|insert| for_rows(insert, items.len())).join(";\n");
    let mut values = Values::default();
    for (fetch, item) in items {
        values = bind_item(values, fetch, item)?;
    }
    for (fetch, item) in items {
        let published = (item.time_basis == TimeBasis::Published).then_some(item.time);
        values = values
            .bind(fetch.source.to_string())
            .bind(column::text(&item.external_id))
            .bind(item.id.to_string())
            .bind(column::optional_text(item.url.as_deref()))
            .bind(fetch.finished_at.as_millis())
            .bind(column::millis(fetch.catch_up_from))
            .bind(i64::from(fetch.is_first))
            .bind(column::millis(published));
    }
    Batch { sql: both, values, before: 0 }.run_within(connection).await
}

/// Expands a one-row INSERT to `rows` rows, without what it says of conflicts. The parameters are unnumbered, because
/// SQLite would search all parameters for each numbered one.
fn for_rows(insert: &str, rows: usize) -> String {
    let (columns, parameters) = insert.split_once("VALUES").unwrap_or_default();
    let row = format!("(?{})", ", ?".repeat(parameters.matches(',').count()));
    format!("{columns}VALUES {}", vec![row; rows].join(", "))
}
