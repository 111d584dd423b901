use aha_core::digest::Cost;
use aha_core::ids::ClusterId;
use aha_core::story::Delivery;
use aha_core::thresholds::{LOCAL_THRESHOLDS, Thresholds};
use aha_store::{ClusterCommit, Store, TunedThresholds};

use super::digests::digest_commit;
use super::on_every_database;
use super::world::{SPACE, World, at, id, item, window};

fn cluster(key: &str) -> ClusterId {
    ClusterId::of(&[key])
}

/// Items a, b, c, d of hours 1 to 4; a and b tell one story, c another; d is in none.
async fn told(store: &dyn Store) -> World {
    let world = World::new(store).await;
    world.with_items(store, &[item("d", 4), item("c", 3), item("b", 2), item("a", 1)]).await;
    world.embed(store, &["a", "b", "c", "d"]).await;
    let commit = ClusterCommit {
        created: vec![(cluster("a"), id("a")), (cluster("c"), id("c"))],
        joined: vec![(id("b"), cluster("a"), 0.8)],
        representatives: vec![(cluster("a"), id("b"))],
        ..ClusterCommit::default()
    };
    for _ in 0..2 {
        store.commit_clusters(&world.lease, &commit).await.unwrap();
    }
    world
}

async fn embedded_items_know_their_story_and_their_original(store: &dyn Store) {
    let world = told(store).await;
    store.commit_duplicates(&world.lease, &[(id("b"), id("a"))]).await.unwrap();
    let items = store.embedded_items(world.topic.id, SPACE, window(1, 5), at(24)).await.unwrap();
    let seen: Vec<_> = items.iter().map(|item| (item.id, item.time, item.cluster, item.duplicate_of)).collect();
    let expected = [
        (id("a"), at(1), Some(cluster("a")), None),
        (id("b"), at(2), Some(cluster("a")), Some(id("a"))),
        (id("c"), at(3), Some(cluster("c")), None),
        (id("d"), at(4), None, None),
    ];
    assert_eq!(seen, expected);
    assert_eq!((items[0].hash_text.as_str(), items[0].vector.as_slice()), ("text of a", b"a".as_slice()));
}

async fn embedded_items_keep_to_window_snapshot_and_space(store: &dyn Store) {
    let world = told(store).await;
    let count = async |space, window, snapshot| {
        store.embedded_items(world.topic.id, space, window, snapshot).await.unwrap().len()
    };
    assert_eq!(count(SPACE, window(2, 4), at(24)).await, 2);
    assert_eq!(count(SPACE, window(0, 24), at(23)).await, 0, "first seen after the snapshot");
    assert_eq!(count("another", window(0, 24), at(24)).await, 0);
}

async fn the_oldest_item_without_a_story_is_found(store: &dyn Store) {
    let world = told(store).await;
    assert_eq!(store.oldest_unclustered(world.topic.id, SPACE).await.unwrap(), Some(at(4)));
    assert_eq!(store.oldest_unclustered(world.topic.id, "another").await.unwrap(), None);
    let commit = ClusterCommit { created: vec![(cluster("d"), id("d"))], ..ClusterCommit::default() };
    store.commit_clusters(&world.lease, &commit).await.unwrap();
    assert_eq!(store.oldest_unclustered(world.topic.id, SPACE).await.unwrap(), None);
}

async fn a_story_has_all_its_members_up_to_the_end(store: &dyn Store) {
    let world = told(store).await;
    let stories = store.stories_of(world.topic.id, &[id("b"), id("c"), id("d")], at(24)).await.unwrap();
    let mut members: Vec<_> = stories.iter().map(|story| (story.cluster, story.members.clone())).collect();
    members.sort_by_key(|(cluster, _)| *cluster);
    let mut expected = vec![(cluster("a"), vec![(id("a"), 1.0), (id("b"), 0.8)]), (cluster("c"), vec![(id("c"), 1.0)])];
    expected.sort_by_key(|(cluster, _)| *cluster);
    assert_eq!(members, expected);
    let earlier = store.stories_of(world.topic.id, &[id("b")], at(2)).await.unwrap();
    assert_eq!(earlier[0].members, [(id("a"), 1.0)]);
    assert!(store.stories_of(world.topic.id, &[], at(24)).await.unwrap().is_empty());
}

async fn a_delivered_story_says_when_and_by_which_run(store: &dyn Store) {
    let world = told(store).await;
    let told = store.stories_of(world.topic.id, &[id("a")], at(24)).await.unwrap().remove(0);
    assert_eq!((told.delivered, told.delivered_by), (None, None));
    let commit = digest_commit(&world, Cost::default(), vec![(cluster("a"), 2)]);
    store.commit_digest(&world.lease, &commit).await.unwrap();
    let told = store.stories_of(world.topic.id, &[id("a")], at(24)).await.unwrap().remove(0);
    assert_eq!(told.delivered, Some(Delivery { at: at(24), sources: 2 }));
    assert_eq!(told.delivered_by, Some(world.run));
}

async fn a_story_that_went_into_another_is_that_one_until_it_parts(store: &dyn Store) {
    let world = told(store).await;
    let merge = ClusterCommit { merged: vec![(cluster("c"), cluster("a"))], ..ClusterCommit::default() };
    let homes = async || {
        let items = store.embedded_items(world.topic.id, SPACE, window(1, 4), at(24)).await.unwrap();
        items.iter().map(|item| item.cluster.unwrap()).collect::<Vec<_>>()
    };
    for _ in 0..2 {
        store.commit_clusters(&world.lease, &merge).await.unwrap();
        assert_eq!(homes().await, [cluster("a"), cluster("a"), cluster("a")]);
    }
    let told = store.stories_of(world.topic.id, &[id("c")], at(24)).await.unwrap();
    assert_eq!((told.len(), told[0].cluster, told[0].members.len()), (1, cluster("a"), 3));
    let part = ClusterCommit { created: vec![(cluster("c"), id("c"))], ..ClusterCommit::default() };
    store.commit_clusters(&world.lease, &part).await.unwrap();
    assert_eq!(homes().await, [cluster("a"), cluster("a"), cluster("c")]);
    let merge = ClusterCommit { merged: vec![(cluster("a"), cluster("c"))], ..ClusterCommit::default() };
    store.commit_clusters(&world.lease, &merge).await.unwrap();
    let part = ClusterCommit { created: vec![(cluster("a"), id("a"))], ..ClusterCommit::default() };
    store.commit_clusters(&world.lease, &part).await.unwrap();
    assert_eq!(
        homes().await,
        [cluster("a"), cluster("c"), cluster("c")],
        "what went along before and was not parted stays"
    );
}

/// One commit with stories that begin, one that separates, items that join and move, and several representatives.
async fn many_stories_are_committed_together(store: &dyn Store) {
    let world = told(store).await;
    let merge = ClusterCommit { merged: vec![(cluster("c"), cluster("a"))], ..ClusterCommit::default() };
    store.commit_clusters(&world.lease, &merge).await.unwrap();
    store.commit_duplicates(&world.lease, &[(id("b"), id("a")), (id("d"), id("c"))]).await.unwrap();
    let exact = 0.1 + 0.2;
    let commit = ClusterCommit {
        created: vec![(cluster("c"), id("c")), (cluster("d"), id("d"))],
        joined: vec![(id("b"), cluster("d"), exact), (id("a"), cluster("c"), 0.7)],
        representatives: vec![(cluster("c"), id("a")), (cluster("d"), id("b"))],
        ..ClusterCommit::default()
    };
    store.commit_clusters(&world.lease, &commit).await.unwrap();
    let items = ["a", "b", "c", "d"].map(id);
    let mut stories = store.stories_of(world.topic.id, &items, at(24)).await.unwrap();
    stories.sort_by_key(|story| story.members[0].0 != id("a"));
    let found: Vec<_> = stories.into_iter().map(|story| (story.cluster, story.members)).collect();
    let of_c = (cluster("c"), vec![(id("a"), 0.7), (id("c"), 1.0)]);
    let of_d = (cluster("d"), vec![(id("b"), exact), (id("d"), 1.0)]);
    assert_eq!(found, [of_c, of_d]);
    let originals = store.embedded_items(world.topic.id, SPACE, window(1, 5), at(24)).await.unwrap();
    let originals: Vec<_> = originals.iter().map(|item| item.duplicate_of).collect();
    assert_eq!(originals, [None, Some(id("a")), None, Some(id("c"))]);
}

async fn an_item_knows_whether_its_story_was_delivered(store: &dyn Store) {
    let world = told(store).await;
    let commit = digest_commit(&world, Cost::default(), vec![(cluster("a"), 2)]);
    store.commit_digest(&world.lease, &commit).await.unwrap();
    let items = store.embedded_items(world.topic.id, SPACE, window(1, 5), at(24)).await.unwrap();
    assert_eq!(items.iter().map(|item| item.delivered).collect::<Vec<_>>(), [true, true, false, false]);
}

async fn thresholds_are_kept_by_space_and_replaced(store: &dyn Store) {
    assert_eq!(store.thresholds(SPACE).await.unwrap(), None);
    for pair in [0.2, 0.3] {
        let thresholds = Thresholds { pair, group: 0.05, split: 0.06, ..LOCAL_THRESHOLDS };
        let found = TunedThresholds { thresholds, documents: 9, bcubed_f1: 0.9, found_at: at(1) };
        store.store_thresholds(SPACE, &found).await.unwrap();
        assert_eq!(store.thresholds(SPACE).await.unwrap(), Some(thresholds));
    }
    assert_eq!(store.thresholds("another").await.unwrap(), None);
}

async fn items_load_in_the_order_asked_for(store: &dyn Store) {
    let world = told(store).await;
    let ids = [id("c"), id("a"), id("unknown"), id("d")];
    let loaded = store.load_items(world.topic.id, &ids).await.unwrap();
    assert_eq!(loaded.iter().map(|(item, _)| item.id).collect::<Vec<_>>(), [id("c"), id("a"), id("d")]);
}

on_every_database!(
    embedded_items_know_their_story_and_their_original,
    embedded_items_keep_to_window_snapshot_and_space,
    the_oldest_item_without_a_story_is_found,
    a_story_has_all_its_members_up_to_the_end,
    a_delivered_story_says_when_and_by_which_run,
    a_story_that_went_into_another_is_that_one_until_it_parts,
    many_stories_are_committed_together,
    an_item_knows_whether_its_story_was_delivered,
    thresholds_are_kept_by_space_and_replaced,
    items_load_in_the_order_asked_for,
);
