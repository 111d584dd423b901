//! The items of a look that nobody has seen before, stored many at a time: a trip to the connection's thread costs more than a row
//! does. What may be an item that is stored already, or another one of the same look, is left to be looked for one by one.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use super::id_list;
use crate::store::shared::column;
use crate::store::shared::fetches::{self as sql, bind_item};
use crate::store::{FetchCommit, IdentifiedItem, Result};

/// Rows a statement; SQLite takes 32,766 parameters.
const ROWS: usize = 32;
/// Parameters a row.
const COLUMNS: usize = 17;

/// Of the items in the array $2, each as its external id, the hash of its address, its id and the hash of its text, those by position
/// that may be stored already. The signs are those of `find_item.sql`, but for the dates.
const MAYBE_KNOWN: &str = "
    SELECT w.key FROM json_each($2) w
    WHERE EXISTS (SELECT 1 FROM content_item_sources p WHERE p.source_id = $1 AND p.external_id = w.value ->> 0)
       OR EXISTS (SELECT 1 FROM content_items u WHERE u.hash_url = w.value ->> 1)
       OR EXISTS (SELECT 1 FROM content_items n WHERE n.id = w.value ->> 2)
       OR (w.value ->> 1 IS NULL AND EXISTS (
              SELECT 1 FROM content_items t
              WHERE t.source_id = $1 AND t.hash_text = w.value ->> 3 AND t.hash_url IS NULL))";

/// Where the items with the ids in the array $1 came from, which are new.
const INSERT_PROVENANCES: &str = "
    INSERT INTO content_item_sources (source_id, external_id, item_id, url, first_seen_at, published_time)
    SELECT source_id, external_id, id, url, fetched_at, CASE time_basis WHEN 'published' THEN item_time END
    FROM content_items WHERE id IN (SELECT value FROM json_each($1))";

/// Stores what is certainly new; returns the others, in their order.
pub(super) async fn store<'f>(
    connection: &mut SqliteConnection,
    fetch: &'f FetchCommit,
) -> Result<Vec<&'f IdentifiedItem>> {
    let shared = shared_signs(&fetch.items);
    let maybe_known = maybe_known(connection, fetch).await?;
    let is_new = |position: usize, item: &IdentifiedItem| {
        !maybe_known.contains(&position) && !signs(item).iter().flatten().any(|sign| shared.contains(sign))
    };
    let (mut new, mut others) = (Vec::new(), Vec::new());
    for (position, item) in fetch.items.iter().enumerate() {
        if is_new(position, item) { new.push(item) } else { others.push(item) }
    }
    for items in new.chunks(ROWS) {
        insert(connection, fetch, items).await?;
        let ids: Vec<_> = items.iter().map(|item| item.id).collect();
        sqlx::query(INSERT_PROVENANCES).bind(id_list(&ids)?).execute(&mut *connection).await?;
    }
    Ok(others)
}

/// What an item can be found by: kind and value.
type Sign<'i> = (u8, Cow<'i, str>);

fn signs(item: &IdentifiedItem) -> [Option<Sign<'_>>; 4] {
    let text = item.hash_url.is_none().then(|| column::text(&item.hash_text));
    [
        Some((0, column::text(&item.external_id))),
        column::optional_text(item.hash_url.as_deref()).map(|hash| (1, hash)),
        Some((2, Cow::Owned(item.id.to_string()))),
        text.map(|hash| (3, hash)),
    ]
}

/// Those that several of the items have.
fn shared_signs(items: &[IdentifiedItem]) -> HashSet<Sign<'_>> {
    let mut uses: HashMap<Sign<'_>, usize> = HashMap::new();
    for sign in items.iter().flat_map(signs).flatten() {
        *uses.entry(sign).or_default() += 1;
    }
    uses.into_iter().filter(|(_, uses)| *uses > 1).map(|(sign, _)| sign).collect()
}

async fn maybe_known(connection: &mut SqliteConnection, fetch: &FetchCommit) -> Result<HashSet<usize>> {
    if fetch.items.is_empty() {
        return Ok(HashSet::new());
    }
    let items: Vec<_> =
        fetch.items.iter().map(|i| (&i.external_id, &i.hash_url, i.id.to_string(), &i.hash_text)).collect();
    let positions: Vec<i64> = sqlx::query_scalar(MAYBE_KNOWN)
        .bind(fetch.source.to_string())
        .bind(column::to_json(&items)?)
        .fetch_all(connection)
        .await?;
    positions.into_iter().map(|position| column::number("position", position)).collect()
}

/// One row an item. Its parameters have no numbers: SQLite would look for each of them among all.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    fetch: &FetchCommit,
    items: &[&IdentifiedItem],
) -> Result<()> {
    let columns = sql::INSERT_ITEM.split("VALUES").next().unwrap_or_default();
    let mut statement: QueryBuilder<Sqlite> = QueryBuilder::new(columns);
    let row = format!("(?{})", ", ?".repeat(COLUMNS - 1));
    statement.push("VALUES ").push(vec![row; items.len()].join(", "));
    let mut query = statement.build();
    for item in items {
        query = bind_item!(query, fetch, item);
    }
    query.execute(connection).await?;
    Ok(())
}
