use aha_core::ids::ClusterId;
use aha_core::item::TimeBasis;
use aha_store::{ClusterCommit, FetchCommit, IdentifiedItem, Store};

use super::on_every_database;
use super::world::{SPACE, World, at, embedding, id, item, window};

async fn unassigned_items_come_by_time_up_to_the_end(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("late", 24), item("b", 9), item("a", 3)]).await;
    let headers = store.unassigned_items(world.topic.id, at(24)).await.unwrap();
    assert_eq!(
        headers.iter().map(|item| (item.id, item.time)).collect::<Vec<_>>(),
        [(id("a"), at(3)), (id("b"), at(9))]
    );
    assert!(headers.iter().all(|item| item.source == world.first));
}

async fn an_item_counts_for_its_own_source_else_for_the_topics_smallest(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    store.commit_fetch(&world.lease, &world.look(0, world.second, &[item("a", 1)])).await.unwrap();
    let other = World::named(store, "other").await;
    for source in [other.first, other.second] {
        store.commit_fetch(&other.lease, &other.look(0, source, &[item("a", 1)])).await.unwrap();
    }
    let here = store.unassigned_items(world.topic.id, at(24)).await.unwrap();
    assert_eq!(here.iter().map(|item| item.source).collect::<Vec<_>>(), [world.first]);
    let there = store.unassigned_items(other.topic.id, at(24)).await.unwrap();
    let smallest = other.first.min(other.second);
    assert_eq!(there.iter().map(|item| item.source).collect::<Vec<_>>(), [smallest]);

    other.embed(store, &["a"]).await;
    let embedded = store.embedded_items(other.topic.id, SPACE, window(0, 24), at(99)).await.unwrap();
    assert_eq!(embedded.iter().map(|item| item.source).collect::<Vec<_>>(), [smallest]);
    let (loaded, sources) = store.load_items(other.topic.id, &[id("a")]).await.unwrap().remove(0);
    assert_eq!((loaded.source_id, sources[0], sources.len()), (smallest, smallest, 2));
}

async fn what_is_assigned_or_seen_is_settled_for_its_topic(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 3), item("b", 1), item("c", 2), item("d", 4)]).await;
    for _ in 0..2 {
        store.assign_items(&world.lease, world.run, &[id("a"), id("b")], &[id("c")], at(0)).await.unwrap();
    }
    store.assign_items(&world.lease, world.run, &[id("c")], &[id("a")], at(0)).await.unwrap();
    let left = store.unassigned_items(world.topic.id, at(24)).await.unwrap();
    assert_eq!(left.iter().map(|item| item.id).collect::<Vec<_>>(), [id("d")]);
    assert_eq!(store.assigned_items(world.run).await.unwrap(), [id("b"), id("a")]);
}

async fn what_a_source_missed_and_what_it_first_listed_are_noted(store: &dyn Store) {
    let world = World::new(store).await;
    let undated = |key| IdentifiedItem { published_at: None, time_basis: TimeBasis::Fetched, ..item(key, 2) };
    let first = FetchCommit { is_first: true, ..world.look(0, world.first, &[undated("a"), item("b", 3)]) };
    store.commit_fetch(&world.lease, &first).await.unwrap();
    // The second item of the next one is known: its source brings it for the first time, and had failed.
    let late =
        FetchCommit { catch_up_from: Some(at(-30)), ..world.look(1, world.second, &[item("c", 4), item("b", 3)]) };
    store.commit_fetch(&world.lease, &late).await.unwrap();
    store.commit_fetch(&world.lease, &world.look(2, world.first, &[undated("d")])).await.unwrap();
    let headers = store.unassigned_items(world.topic.id, at(24)).await.unwrap();
    let noted = |key| {
        let found = headers.iter().find(|header| header.id == id(key)).unwrap();
        (found.is_of_unknown_age, found.catch_up_from)
    };
    let expected = [("a", true, None), ("b", false, Some(at(-30))), ("c", false, Some(at(-30))), ("d", false, None)];
    for (key, is_of_unknown_age, catch_up_from) in expected {
        assert_eq!(noted(key), (is_of_unknown_age, catch_up_from), "{key}");
    }
    store.assign_items(&world.lease, world.run, &[id("b"), id("c"), id("d")], &[id("a")], at(0)).await.unwrap();
    let mut late = [id("b"), id("c")];
    late.sort();
    assert_eq!(store.late_items(world.run, at(5)).await.unwrap(), late);
    assert_eq!(store.late_items(world.run, at(4)).await.unwrap(), [id("b")]);
}

async fn a_window_holds_its_start_and_not_its_end(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1), item("b", 2), item("c", 3)]).await;
    store.assign_items(&world.lease, world.run, &[id("a")], &[id("b")], at(0)).await.unwrap();
    assert_eq!(store.items_in_window(world.topic.id, window(1, 3)).await.unwrap(), [id("a"), id("b")]);
    let other = World::named(store, "other").await;
    assert!(store.items_in_window(other.topic.id, window(0, 24)).await.unwrap().is_empty());
}

async fn items_are_embedded_again_when_their_text_changes(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1), item("b", 2), item("c", 3)]).await;
    let texts = store.items_to_embed(world.topic.id, SPACE, 2).await.unwrap();
    assert_eq!(texts.iter().map(|text| text.id).collect::<Vec<_>>(), [id("a"), id("b")]);
    assert_eq!((texts[0].content_hash.as_str(), texts[0].body_text.as_str()), ("text of a", "Body of a"));
    world.embed(store, &["a", "b", "c"]).await;
    assert!(store.items_to_embed(world.topic.id, SPACE, 9).await.unwrap().is_empty());
    assert_eq!(store.items_to_embed(world.topic.id, "another space", 9).await.unwrap().len(), 3);

    let edited = IdentifiedItem { hash_text: "new".to_owned(), ..item("b", 2) };
    store.commit_fetch(&world.lease, &world.look(1, world.first, &[edited])).await.unwrap();
    let texts = store.items_to_embed(world.topic.id, SPACE, 9).await.unwrap();
    assert_eq!(texts.iter().map(|text| text.id).collect::<Vec<_>>(), [id("b")]);
    let again = aha_store::NewEmbedding { content_hash: "new".to_owned(), vector: vec![9], ..embedding("b") };
    store.commit_embeddings(&world.lease, SPACE, &[again]).await.unwrap();
    assert!(store.items_to_embed(world.topic.id, SPACE, 9).await.unwrap().is_empty());
    let embedded = store.embedded_items(world.topic.id, SPACE, window(2, 3), at(99)).await.unwrap();
    assert_eq!(embedded[0].vector, [9]);
}

async fn vectors_of_different_lengths_are_stored_together(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1), item("b", 2), item("c", 3)]).await;
    let of = |key: &str, vector: &[u8], dimensions| aha_store::NewEmbedding {
        vector: vector.to_vec(),
        dimensions,
        ..embedding(key)
    };
    let commits =
        [vec![of("a", &[], None)], vec![of("a", &[0, 255, 1], Some(3)), of("b", &[], None), of("c", &[7, 0], Some(2))]];
    for embeddings in commits {
        store.commit_embeddings(&world.lease, SPACE, &embeddings).await.unwrap();
        let mut found = store.vectors(world.topic.id, SPACE, window(0, 24)).await.unwrap();
        found.sort();
        let mut expected: Vec<_> = embeddings.into_iter().map(|one| (one.item, one.vector)).collect();
        expected.sort();
        assert_eq!(found, expected);
    }
}

/// What was placed is looked at again when it is edited, when another topic's source edits it, and in another space.
async fn vectors_are_those_of_present_texts_in_the_window(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1), item("b", 2), item("c", 3)]).await;
    world.embed(store, &["a", "b", "c"]).await;
    let edited = aha_store::IdentifiedItem { hash_text: "new".to_owned(), ..item("b", 2) };
    store.commit_fetch(&world.lease, &world.look(1, world.first, &[edited])).await.unwrap();
    let vectors = async |space: &str, window| {
        let found = store.vectors(world.topic.id, space, window).await.unwrap();
        found.into_iter().map(|(_, vector)| String::from_utf8(vector).unwrap()).collect::<Vec<_>>()
    };
    let mut all = vectors(SPACE, window(0, 24)).await;
    all.sort();
    assert_eq!(all, ["a", "c"]);
    assert_eq!(vectors(SPACE, window(3, 24)).await, ["c"]);
    assert!(vectors("another space", window(0, 24)).await.is_empty());
    let other = World::named(store, "other").await;
    assert!(store.vectors(other.topic.id, SPACE, window(0, 24)).await.unwrap().is_empty());
}

async fn what_is_placed_is_embedded_again_only_for_a_reason(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1), item("b", 2)]).await;
    world.embed(store, &["a", "b"]).await;
    let created = ["a", "b"].map(|key| (ClusterId::of(&[key]), id(key))).to_vec();
    store.commit_clusters(&world.lease, &ClusterCommit { created, ..ClusterCommit::default() }).await.unwrap();
    let to_embed = async |space: &str| {
        let texts = store.items_to_embed(world.topic.id, space, 9).await.unwrap();
        texts.into_iter().map(|text| text.id).collect::<Vec<_>>()
    };
    assert!(to_embed(SPACE).await.is_empty());
    assert_eq!(to_embed("another space").await, [id("a"), id("b")]);
    assert_eq!(store.oldest_unclustered(world.topic.id, SPACE).await.unwrap(), None);
    let edited = IdentifiedItem { hash_text: "new".to_owned(), ..item("b", 2) };
    store.commit_fetch(&world.lease, &world.look(1, world.first, &[edited])).await.unwrap();
    assert_eq!(to_embed(SPACE).await, [id("b")]);
    store.commit_clusters(&world.lease, &ClusterCommit::default()).await.unwrap();
    assert_eq!(to_embed(SPACE).await, [id("b")], "it is not placed before it is embedded");
    let again = aha_store::NewEmbedding { content_hash: "new".to_owned(), ..embedding("b") };
    store.commit_embeddings(&world.lease, SPACE, &[again]).await.unwrap();
    store.commit_clusters(&world.lease, &ClusterCommit::default()).await.unwrap();
    assert!(to_embed(SPACE).await.is_empty());
}

async fn a_loud_source_is_measured_by_its_newest_times(store: &dyn Store) {
    let world = World::new(store).await;
    let items: Vec<_> = (0..230).map(|n| item(&format!("item {n}"), n)).collect();
    world.with_items(store, &items).await;
    let times = store.source_times(world.topic.id, window(0, 300)).await.unwrap();
    assert_eq!((times.len(), times[0].1, times[199].1), (200, at(229), at(30)));
}

async fn a_sources_times_are_those_it_published(store: &dyn Store) {
    let world = World::new(store).await;
    let undated = IdentifiedItem { published_at: None, time_basis: TimeBasis::Fetched, ..item("undated", 5) };
    world.with_items(store, &[item("a", 1), item("b", 4), item("late", 30), undated]).await;
    let again = IdentifiedItem { external_id: "a, again".to_owned(), ..item("a", 1) };
    let look = world.look(0, world.second, &[item("a", 1), again, item("c", 2)]);
    store.commit_fetch(&world.lease, &look).await.unwrap();
    let mut expected = vec![(world.first, at(4)), (world.first, at(1)), (world.second, at(2)), (world.second, at(1))];
    expected.sort_by_key(|(source, _)| *source);
    assert_eq!(store.source_times(world.topic.id, window(0, 24)).await.unwrap(), expected);
}

on_every_database!(
    unassigned_items_come_by_time_up_to_the_end,
    an_item_counts_for_its_own_source_else_for_the_topics_smallest,
    what_is_assigned_or_seen_is_settled_for_its_topic,
    what_a_source_missed_and_what_it_first_listed_are_noted,
    a_window_holds_its_start_and_not_its_end,
    items_are_embedded_again_when_their_text_changes,
    vectors_of_different_lengths_are_stored_together,
    vectors_are_those_of_present_texts_in_the_window,
    what_is_placed_is_embedded_again_only_for_a_reason,
    a_loud_source_is_measured_by_its_newest_times,
    a_sources_times_are_those_it_published,
);
