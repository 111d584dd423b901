//! The items of fetches that nobody has seen before, stored many at a time. What may be an item that is stored already, or another one
//! of these fetches, is left to be found one by one.

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

/// Rows a statement; SQLite takes 32,766 parameters.
const ROWS: usize = 32;

/// Of the items in the array $1, each as its source, its external id, the hash of its address, its id and the hash of its text, those
/// by position that may be stored already. The signs are those of `find_item.sql`, but for the dates.
const MAYBE_KNOWN: &str = "
    SELECT w.key FROM json_each($1) w
    WHERE EXISTS (SELECT 1 FROM content_item_sources p
                  WHERE p.source_id = w.value ->> 0 AND p.external_id = w.value ->> 1)
       OR EXISTS (SELECT 1 FROM content_items u WHERE u.hash_url = w.value ->> 2)
       OR EXISTS (SELECT 1 FROM content_items n WHERE n.id = w.value ->> 3)
       OR (w.value ->> 2 IS NULL AND EXISTS (
              SELECT 1 FROM content_items t
              WHERE t.source_id = w.value ->> 0 AND t.hash_text = w.value ->> 4 AND t.hash_url IS NULL))";

/// Where an item came from that is new.
const INSERT_NEW_PROVENANCE: &str = "
    INSERT INTO content_item_sources (source_id, external_id, item_id, url, first_seen_at, catch_up_from,
        from_first_fetch, published_time)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

/// An item and the fetch that brought it.
type Brought<'f> = (&'f FetchCommit, &'f IdentifiedItem);

/// Stores what is certainly new; returns the others of each fetch, in their order.
pub(super) async fn store<'f>(
    connection: &mut Connection,
    fetches: &[&'f FetchCommit],
) -> Result<Vec<Vec<&'f IdentifiedItem>>> {
    let brought: Vec<Brought<'f>> =
        fetches.iter().flat_map(|fetch| fetch.items.iter().map(move |item| (*fetch, item))).collect();
    let maybe_known = maybe_known(connection, &brought).await?;
    let shared = shared_signs(&brought);
    let is_new = |(position, brought): &(usize, Brought<'_>)| {
        !maybe_known.contains(position) && !signs(brought).iter().flatten().any(|sign| shared.contains(sign))
    };
    let (new, others): (Vec<_>, Vec<_>) = brought.iter().copied().enumerate().partition(is_new);
    let new: Vec<Brought<'_>> = new.into_iter().map(|(_, brought)| brought).collect();
    for some in new.chunks(ROWS) {
        insert(connection, some).await?;
    }
    let to_index: Vec<ToIndex<'_>> = new.iter().map(|(_, item)| (item.id.to_string(), *item)).collect();
    index_items(connection, &to_index).await?;
    let mut others = others.into_iter().map(|(_, brought)| brought).peekable();
    let others_of = |fetch: &FetchCommit| {
        std::iter::from_fn(|| others.next_if(|(of, _)| std::ptr::eq(*of, fetch))).map(|(_, item)| item).collect()
    };
    Ok(fetches.iter().copied().map(others_of).collect())
}

/// What an item can be found by: kind and value, and the source where others may give the same to something else.
type Sign<'i> = (u8, Option<SourceId>, Cow<'i, str>);

fn signs<'f>((fetch, item): &Brought<'f>) -> [Option<Sign<'f>>; 4] {
    let text = item.hash_url.is_none().then(|| column::text(&item.hash_text));
    [
        Some((0, Some(fetch.source), column::text(&item.external_id))),
        column::optional_text(item.hash_url.as_deref()).map(|hash| (1, None, hash)),
        Some((2, None, Cow::Owned(item.id.to_string()))),
        text.map(|hash| (3, Some(fetch.source), hash)),
    ]
}

/// Those that several of the items have.
fn shared_signs<'f>(brought: &[Brought<'f>]) -> HashSet<Sign<'f>> {
    let mut uses: HashMap<Sign<'f>, usize> = HashMap::new();
    for sign in brought.iter().flat_map(signs).flatten() {
        *uses.entry(sign).or_default() += 1;
    }
    uses.into_iter().filter(|(_, uses)| *uses > 1).map(|(sign, _)| sign).collect()
}

async fn maybe_known(connection: &mut Connection, brought: &[Brought<'_>]) -> Result<HashSet<usize>> {
    if brought.is_empty() {
        return Ok(HashSet::new());
    }
    let items: Vec<_> = brought
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

/// One row an item, and one for where each came from, in one trip.
async fn insert(connection: &mut Connection, items: &[Brought<'_>]) -> Result<()> {
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

/// A statement that inserts one row, for so many. Its parameters have no numbers: SQLite would look for each of them among all.
fn for_rows(insert: &str, rows: usize) -> String {
    let (columns, parameters) = insert.split_once("VALUES").unwrap_or_default();
    let row = format!("(?{})", ", ?".repeat(parameters.matches(',').count()));
    format!("{columns}VALUES {}", vec![row; rows].join(", "))
}
