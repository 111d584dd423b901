use aha_core::ids::SourceId;
use aha_store::{SearchQuery, Store};

use super::super::on_the_rows_of_every_database;
use super::super::rows::alter;
use super::super::world::at;
use super::{found, query, stocked};

/// More than what is read as a list before matches are looked up.
const MANY: &str = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5001)";

async fn filters_that_many_pass_leave_what_filters_that_few_pass_leave(store: &dyn Store, url: &str) {
    let world = stocked(store).await;
    let of = |source: SourceId| SearchQuery { sources: Some(vec![source]), ..query(&["heat"]) };
    let listed = |source: SourceId| SearchQuery { wanted: Vec::new(), ..of(source) };
    let before = store.newest_entries(&listed(world.first)).await.unwrap();
    assert_eq!(before.len(), 4);
    for source in [world.first, world.second] {
        let provenance = format!(
            "{MANY} INSERT INTO content_item_sources (source_id, external_id, item_id, first_seen_at)
             SELECT '{source}', 'many' || i, (SELECT min(id) FROM content_items), 0 FROM n"
        );
        alter(url, &provenance).await.unwrap();
    }
    assert_eq!(found(store, &of(world.first)).await.len(), 2);
    assert_eq!(store.newest_entries(&listed(world.first)).await.unwrap(), before);
    assert_eq!(store.newest_entries(&listed(world.second)).await.unwrap().len(), 1);
    let later = SearchQuery { since: Some(at(2)), ..listed(world.first) };
    assert!(store.newest_entries(&later).await.unwrap().is_empty());
    let items = format!(
        "{MANY} INSERT INTO content_items (id, source_id, external_id, hash_text, fetched_at, item_time, time_basis)
         SELECT 'later' || i, '{}', 'later' || i, 'later' || i, 0, {}, 'fetched' FROM n",
        world.first,
        at(100).as_millis()
    );
    alter(url, &items).await.unwrap();
    store.index_missing(10_000).await.unwrap();
    let since = |hour| SearchQuery { since: Some(at(hour)), ..query(&["heat"]) };
    assert_eq!(found(store, &since(1)).await.len(), 2);
    assert!(found(store, &since(2)).await.is_empty());
    let both = |hour| SearchQuery { sources: Some(vec![world.first]), ..since(hour) };
    assert_eq!(found(store, &both(1)).await.len(), 2);
    assert!(found(store, &both(2)).await.is_empty());
}

on_the_rows_of_every_database!(filters_that_many_pass_leave_what_filters_that_few_pass_leave);
