use aha_core::ids::SourceId;
use aha_core::source::{NewSource, Source, SourceHealth};
use aha_store::{SourceChange, SourcesAdded, Store, StoreError};

use super::on_every_database;
use super::world::{World, at, feed, id, item};

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

async fn a_source_is_changed_at_once_and_only_in_what_is_named(store: &dyn Store) {
    let world = World::new(store).await;
    let change = SourceChange { enabled: Some(false), weight: Some(2.5), full_text: Some(true) };
    store.change_source(world.first, change).await.unwrap();
    let set = |source: &Source| (source.enabled, source.weight, source.full_text);
    assert_eq!(set(&world.source(store, world.first).await), (false, 2.5, true));
    store.change_source(world.first, SourceChange { enabled: Some(true), ..SourceChange::default() }).await.unwrap();
    store.change_source(world.first, SourceChange { weight: Some(0.5), ..SourceChange::default() }).await.unwrap();
    assert_eq!(set(&world.source(store, world.first).await), (true, 0.5, true));
    let refused = SourceChange { enabled: Some(false), weight: Some(99.0), full_text: Some(false) };
    assert!(store.change_source(world.first, refused).await.is_err());
    assert_eq!(
        set(&world.source(store, world.first).await),
        (true, 0.5, true),
        "nothing of what is refused is written"
    );
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

async fn items_of_a_removed_source_become_those_of_another_that_has_them(store: &dyn Store) {
    let (world, other) = (World::new(store).await, World::named(store, "other").await);
    world.with_items(store, &[item("a", 1), item("b", 2)]).await;
    let source_of = async |key| store.item(id(key)).await.unwrap().unwrap().source_id;
    for source in [other.second, other.first] {
        store.commit_fetch(&other.lease, &other.look(0, source, &[item("a", 1)])).await.unwrap();
    }
    store.remove_source(world.first).await.unwrap();
    assert_eq!((source_of("a").await, source_of("b").await), (other.first.min(other.second), world.first));
    store.remove_source(other.first).await.unwrap();
    assert_eq!(source_of("a").await, other.second);
}

async fn items_of_a_removed_topic_become_those_of_another_that_has_them(store: &dyn Store) {
    let (world, other) = (World::new(store).await, World::named(store, "other").await);
    world.with_items(store, &[item("a", 1), item("b", 2)]).await;
    store.commit_fetch(&world.lease, &world.look(1, world.second, &[item("a", 1), item("b", 2)])).await.unwrap();
    store.commit_fetch(&other.lease, &other.look(0, other.second, &[item("a", 1)])).await.unwrap();
    store.remove_topic(&world.lease).await.unwrap();
    let source_of = async |key| store.item(id(key)).await.unwrap().unwrap().source_id;
    assert_eq!((source_of("a").await, source_of("b").await), (other.second, world.first));
}

async fn a_source_that_is_not_there_is_named(store: &dyn Store) {
    let nobody = SourceId::of(&["nobody"]);
    let change = SourceChange { weight: Some(1.0), ..SourceChange::default() };
    assert!(matches!(store.change_source(nobody, change).await, Err(StoreError::NotFound { .. })));
    assert!(matches!(store.remove_source(nobody).await, Err(StoreError::NotFound { .. })));
}

on_every_database!(
    the_same_import_twice_changes_nothing,
    a_new_source_is_stored_with_how_it_is_read,
    a_name_is_taken_over_where_there_was_none,
    a_source_is_changed_at_once_and_only_in_what_is_named,
    a_removed_source_takes_its_provenance_along_and_comes_back,
    a_source_that_is_not_there_is_named,
    items_of_a_removed_source_become_those_of_another_that_has_them,
    items_of_a_removed_topic_become_those_of_another_that_has_them,
);
