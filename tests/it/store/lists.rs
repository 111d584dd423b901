use aha_core::ids::{ClusterId, RunId};
use aha_store::{CallFilter, ClusterCommit, IdentifiedItem, ItemFilter, RemovedRows, RetentionStep, Store};

use super::on_every_database;
use super::world::{World, at, id, item};

async fn items_are_listed_newest_first_by_topic_and_source(store: &dyn Store) {
    let (world, other) = (World::new(store).await, World::named(store, "other").await);
    world.with_items(store, &[item("a", 3), item("b", 9), item("c", 9)]).await;
    store.commit_fetch(&world.lease, &world.look(0, world.second, &[item("a", 3), item("d", 5)])).await.unwrap();
    store.commit_fetch(&other.lease, &other.look(0, other.first, &[item("b", 9)])).await.unwrap();
    let list = async |filter: ItemFilter| -> Vec<_> {
        let listed = store.list_items(&ItemFilter { limit: 10, ..filter }).await.unwrap();
        listed.iter().map(|item| item.id).collect()
    };
    let (mut first, mut second) = (id("b"), id("c"));
    if first < second {
        (first, second) = (second, first);
    }
    let of_topic = ItemFilter { topic: Some(world.topic.id), ..ItemFilter::default() };
    assert_eq!(list(of_topic).await, [first, second, id("d"), id("a")]);
    assert_eq!(list(ItemFilter { after: Some((at(9), first)), ..of_topic }).await, [second, id("d"), id("a")]);
    assert_eq!(list(ItemFilter { after: Some((at(5), id("d"))), ..of_topic }).await, [id("a")]);
    assert_eq!(list(ItemFilter { topic: Some(other.topic.id), ..ItemFilter::default() }).await, [id("b")]);
    assert_eq!(list(ItemFilter { source: Some(world.second), ..ItemFilter::default() }).await, [id("d"), id("a")]);
    assert_eq!(list(ItemFilter::default()).await.len(), 4);
    let one = store.item(id("d")).await.unwrap().unwrap();
    assert_eq!((one.title.as_deref(), one.source_id), (Some("Title of d"), world.second));
    assert_eq!(store.item(id("nothing")).await.unwrap(), None);
}

async fn a_page_of_a_source_is_full_though_its_items_have_several_external_ids(store: &dyn Store) {
    let world = World::new(store).await;
    for number in 0..4 {
        let renamed = |(key, hour): (&str, i64)| IdentifiedItem {
            external_id: format!("{key} of fetch {number}"),
            ..item(key, hour)
        };
        let items = [("a", 3), ("b", 5), ("c", 9)].map(renamed);
        store.commit_fetch(&world.lease, &world.look(number, world.first, &items)).await.unwrap();
    }
    let of_source = ItemFilter { source: Some(world.first), limit: 3, ..ItemFilter::default() };
    let list = async |filter: ItemFilter| -> Vec<_> {
        store.list_items(&filter).await.unwrap().iter().map(|item| item.id).collect()
    };
    assert_eq!(list(of_source).await, [id("c"), id("b"), id("a")]);
    let after = ItemFilter { after: Some((at(9), id("c"))), limit: 2, ..of_source };
    assert_eq!(list(after).await, [id("b"), id("a")]);
}

/// The newer item of the oldest one's story keeps it.
async fn items_that_retention_emptied_take_no_place_on_a_page_of_their_source(store: &dyn Store) {
    let world = World::new(store).await;
    let keys = ["old", "gone", "new"];
    world.with_items(store, &[item("old", 1), item("gone", 2), item("new", 400)]).await;
    world.embed(store, &keys).await;
    let cluster = ClusterId::of(&["old"]);
    let (created, joined) = (vec![(cluster, id("old"))], vec![(id("new"), cluster, 0.5)]);
    let clusters = ClusterCommit { created, joined, ..ClusterCommit::default() };
    store.commit_clusters(&world.lease, &clusters).await.unwrap();
    let removed = store.remove_old(RetentionStep::Items, at(300), 9, at(1000)).await.unwrap();
    assert_eq!(removed, RemovedRows::Removed(1));
    let of_source = ItemFilter { source: Some(world.first), limit: 2, ..ItemFilter::default() };
    let listed = store.list_items(&of_source).await.unwrap();
    assert_eq!(listed.iter().map(|item| item.id).collect::<Vec<_>>(), [id("new"), id("old")]);
}

async fn a_run_is_found_with_its_attempts_and_a_topic_with_its_owner(store: &dyn Store) {
    let world = World::new(store).await;
    let (run, attempts) = store.run(world.run).await.unwrap().unwrap();
    assert_eq!((run.id, attempts.len()), (world.run, 1));
    assert_eq!(store.run(RunId::of(&["nothing"])).await.unwrap(), None);
    let owner = async |hours| store.lease_owner(world.topic.id, at(hours)).await.unwrap();
    let token = world.lease.token;
    assert_eq!(owner(24).await, (Some("host/1".to_owned()), token));
    assert_eq!(owner(25).await, (None, token), "it has run out");
    store.release_lease(&world.lease).await.unwrap();
    assert_eq!(owner(24).await, (None, token));
    assert_eq!(
        store
            .calls(&CallFilter { limit: 1, after: Some((at(0), "a".to_owned())), ..CallFilter::default() })
            .await
            .unwrap(),
        []
    );
}

on_every_database!(
    items_are_listed_newest_first_by_topic_and_source,
    a_page_of_a_source_is_full_though_its_items_have_several_external_ids,
    items_that_retention_emptied_take_no_place_on_a_page_of_their_source,
    a_run_is_found_with_its_attempts_and_a_topic_with_its_owner,
);
