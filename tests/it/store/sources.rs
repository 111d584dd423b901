use aha_core::ids::SourceId;
use aha_core::source::{NewSource, SourceHealth};
use aha_store::{SourcesAdded, Store, StoreError};

use super::on_every_database;
use super::world::{World, at, feed, item};

async fn the_same_import_twice_changes_nothing(store: &dyn Store) {
    let topic = store.ensure_topic("default", at(0)).await.unwrap();
    let named = NewSource { title: Some("B".to_owned()), ..feed("https://b.example/feed") };
    let import = [feed("https://c.example/feed"), named, feed("https://a.example/feed")];
    let added = store.add_sources(topic.id, &import, at(0)).await.unwrap();
    assert_eq!(added, SourcesAdded { added: 3, known: 0 });
    let before = store.sources(topic.id).await.unwrap();
    assert_eq!(store.add_sources(topic.id, &import, at(9)).await.unwrap(), SourcesAdded { added: 0, known: 3 });
    assert_eq!(store.sources(topic.id).await.unwrap(), before);
    assert_eq!(store.source(before[1].id).await.unwrap().as_ref(), Some(&before[1]));
    assert_eq!(store.source(SourceId::of(&["none"])).await.unwrap(), None);

    let urls: Vec<_> = before.iter().map(|source| source.url.as_str()).collect();
    assert_eq!(urls, ["https://a.example/feed", "https://b.example/feed", "https://c.example/feed"]);
    assert_eq!(before[0].id, SourceId::of(&[&topic.id.to_string(), "https://a.example/feed"]));
    assert_eq!((before[0].health, before[0].enabled, before[0].weight), (SourceHealth::New, true, 1.0));
}

async fn a_new_source_is_stored_with_how_it_is_read(store: &dyn Store) {
    let topic = store.ensure_topic("default", at(0)).await.unwrap();
    let listed = |weight| NewSource { weight: Some(weight), full_text: true, ..feed("https://a.example/feed") };
    store.add_sources(topic.id, &[listed(0.35), feed("https://b.example/feed")], at(0)).await.unwrap();
    store.add_sources(topic.id, &[listed(2.0)], at(1)).await.unwrap();
    let sources = store.sources(topic.id).await.unwrap();
    assert_eq!((sources[0].weight, sources[0].full_text), (0.35, true), "it stays as its owner has it");
    assert_eq!((sources[1].weight, sources[1].full_text), (1.0, false));
    assert!(store.add_sources(topic.id, &[NewSource { url: "u".into(), ..listed(99.0) }], at(1)).await.is_err());
}

async fn a_name_is_taken_over_where_there_was_none(store: &dyn Store) {
    let topic = store.ensure_topic("default", at(0)).await.unwrap();
    let titled = |title: &str| NewSource { title: Some(title.to_owned()), ..feed("https://a.example/feed") };
    store.add_sources(topic.id, &[feed("https://a.example/feed")], at(0)).await.unwrap();
    store.add_sources(topic.id, &[titled("First")], at(0)).await.unwrap();
    store.add_sources(topic.id, &[titled("Second"), feed("https://a.example/feed")], at(0)).await.unwrap();
    assert_eq!(store.sources(topic.id).await.unwrap()[0].title.as_deref(), Some("First"));
}

async fn the_owner_sets_switch_and_weight(store: &dyn Store) {
    let world = World::new(store).await;
    store.set_source_enabled(world.first, false).await.unwrap();
    store.set_source_weight(world.first, 2.5).await.unwrap();
    let source = world.source(store, world.first).await;
    assert_eq!((source.enabled, source.weight), (false, 2.5));
    assert!(store.set_source_weight(world.first, 99.0).await.is_err());
}

async fn a_removed_source_takes_its_provenance_along_and_comes_back(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    store.remove_source(world.first).await.unwrap();
    assert!(store.unassigned_items(world.topic.id, at(24)).await.unwrap().is_empty());
    let late = store.commit_fetch(&world.lease, &world.look(1, world.first, &[item("b", 2)])).await.unwrap();
    assert_eq!((late.seen, late.new), (0, 0), "a look that ends after the removal stores nothing");

    store.add_sources(world.topic.id, &[feed("https://a.example/feed")], at(1)).await.unwrap();
    let unaddressed = aha_store::IdentifiedItem { hash_url: None, ..item("a", 1) };
    let counts = store.commit_fetch(&world.lease, &world.look(2, world.first, &[unaddressed])).await.unwrap();
    assert_eq!((counts.new, counts.updated), (0, 0), "known by its natural identity");
    assert_eq!(store.unassigned_items(world.topic.id, at(24)).await.unwrap().len(), 1);
}

async fn a_source_that_is_not_there_is_named(store: &dyn Store) {
    let nobody = SourceId::of(&["nobody"]);
    assert!(matches!(store.set_source_enabled(nobody, true).await, Err(StoreError::NotFound { .. })));
    assert!(matches!(store.set_source_weight(nobody, 1.0).await, Err(StoreError::NotFound { .. })));
    assert!(matches!(store.remove_source(nobody).await, Err(StoreError::NotFound { .. })));
}

on_every_database!(
    the_same_import_twice_changes_nothing,
    a_new_source_is_stored_with_how_it_is_read,
    a_name_is_taken_over_where_there_was_none,
    the_owner_sets_switch_and_weight,
    a_removed_source_takes_its_provenance_along_and_comes_back,
    a_source_that_is_not_there_is_named,
);
