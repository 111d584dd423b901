use std::time::Duration;

use aha_core::digest::Cost;
use aha_core::ids::TopicId;
use aha_core::run::RunMode;
use aha_core::time::Timestamp;
use aha_core::topic::Topic;
use aha_store::{
    ClusterCommit, LEASE_SECONDS, Lease, LeaseAttempt, RemovedRows, RetentionStep, Store, StoreError, latest_lease_end,
};

use super::digests::digest_commit;
use super::on_every_database;
use super::world::{SPACE, World, acquire, at, id, item, new_run, window};

async fn topic(store: &dyn Store) -> Topic {
    store.ensure_topic("default", at(0)).await.unwrap()
}

async fn a_held_lease_is_refused_and_says_who_holds_it(store: &dyn Store) {
    let topic = topic(store).await;
    let lease = acquire(store, &topic, "one").await;
    assert_eq!(lease, Lease { topic: topic.id, owner: "one".to_owned(), token: 1 });
    let held = LeaseAttempt::Held { owner: "one".to_owned(), expires_at: at(24) + Duration::from_secs(LEASE_SECONDS) };
    assert_eq!(store.acquire_lease(topic.id, "two", at(24), None).await.unwrap(), held);
    assert_eq!(store.acquire_lease(topic.id, "two", at(24), Some("three")).await.unwrap(), held);
}

async fn a_free_or_expired_or_dead_holders_lease_is_taken_under_a_new_token(store: &dyn Store) {
    let topic = topic(store).await;
    let first = acquire(store, &topic, "one").await;
    store.release_lease(&first).await.unwrap();
    let again = acquire(store, &topic, "one").await;
    assert_eq!(again.token, 2, "the same holder is a new one");
    let expired = at(24) + Duration::from_secs(LEASE_SECONDS);
    let Ok(LeaseAttempt::Acquired(taken)) = store.acquire_lease(topic.id, "two", expired, None).await else {
        panic!("an expired lease is free")
    };
    assert_eq!(taken.token, 3);
    let Ok(LeaseAttempt::Acquired(taken)) = store.acquire_lease(topic.id, "three", expired, Some("two")).await else {
        panic!("a dead holder's lease is free")
    };
    assert_eq!(taken.token, 4);
}

async fn renewing_keeps_a_lease_and_a_lost_one_cannot_be_renewed(store: &dyn Store) {
    let topic = topic(store).await;
    let lease = acquire(store, &topic, "one").await;
    let later = at(24) + Duration::from_secs(50);
    store.renew_lease(&lease, later).await.unwrap();
    let expired = at(24) + Duration::from_secs(LEASE_SECONDS);
    assert!(matches!(store.acquire_lease(topic.id, "two", expired, None).await, Ok(LeaseAttempt::Held { .. })));
    assert!(matches!(store.acquire_lease(topic.id, "two", at(25), None).await, Ok(LeaseAttempt::Acquired(_))));
    assert!(matches!(store.renew_lease(&lease, at(25)).await, Err(StoreError::LeaseLost { token: 1 })));
    store.release_lease(&lease).await.unwrap();
    assert!(
        matches!(store.acquire_lease(topic.id, "three", at(25), None).await, Ok(LeaseAttempt::Held { owner, .. }) if owner == "two"),
        "giving a lost lease back leaves the new owner's alone"
    );
}

/// The clock was that far ahead when the lease was set, and is right now.
async fn a_lease_that_ends_too_far_ahead_blocks_nothing(store: &dyn Store) {
    let world = World::new(store).await;
    let end = at(24) + Duration::from_secs(LEASE_SECONDS);
    let before_the_end = |seconds: i64| Timestamp::from_millis(end.as_millis() - seconds * 1000);
    let (held, too_far) = (before_the_end(600), before_the_end(601));
    assert_eq!(latest_lease_end(held), end);
    for (wall, owner) in [(held, Some("host/1".to_owned())), (too_far, None)] {
        assert_eq!(store.lease_owner(world.topic.id, wall).await.unwrap(), (owner, world.lease.token));
    }
    let remove = async |wall| store.remove_old(RetentionStep::Fetches, at(0), 9, wall).await.unwrap();
    assert_eq!(remove(held).await, RemovedRows::RunInProgress);
    assert_eq!(remove(too_far).await, RemovedRows::Removed(0));
    assert_eq!(store.lease_end(world.topic.id).await.unwrap(), Some(("host/1".to_owned(), end)));
    store.release_lease(&world.lease).await.unwrap();
    assert_eq!(store.lease_end(world.topic.id).await.unwrap(), None);
}

async fn a_topic_that_is_not_there_cannot_be_leased(store: &dyn Store) {
    let nobody = TopicId::of(&["nobody"]);
    assert!(matches!(store.acquire_lease(nobody, "one", at(0), None).await, Err(StoreError::NotFound { .. })));
}

/// Every operation that commits a run's work is refused once another process holds the topic, and leaves no trace.
async fn a_stale_lease_commits_nothing(store: &dyn Store) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1), item("b", 2)]).await;
    let stale = world.lease.clone();
    store.release_lease(&stale).await.unwrap();
    let run = new_run(&world.topic, RunMode::Window, window(0, 24));
    refuses_everything(store, &world, &stale, &run).await;
    acquire(store, &world.topic, &stale.owner).await;
    refuses_everything(store, &world, &stale, &run).await;

    assert_eq!(store.runs(None, 10).await.unwrap().len(), 1);
    assert_eq!(store.unassigned_items(world.topic.id, at(24)).await.unwrap().len(), 2);
    assert_eq!(store.items_to_embed(world.topic.id, SPACE, 10).await.unwrap().len(), 2);
    assert!(store.latest_digest(world.topic.id).await.unwrap().is_none());
}

async fn refuses_everything(store: &dyn Store, world: &World, stale: &Lease, run: &aha_store::NewRun) {
    let clusters = ClusterCommit::default();
    let call = super::answers::call(world, "none", Some(0));
    let digest = digest_commit(world, Cost::default(), Vec::new());
    let refused = [
        ("commit_fetch", store.commit_fetch(stale, &world.look(1, world.first, &[item("c", 3)])).await.err()),
        ("replace_documents", store.replace_documents(Some(stale), world.first, &[], &[]).await.err()),
        ("set_document_hashes", store.set_document_hashes(Some(stale), world.first, &[]).await.err()),
        ("open_run", store.open_run(stale, run).await.err()),
        ("begin_attempt", store.begin_attempt(stale, world.run, at(24)).await.err()),
        ("record_stage", store.record_stage(stale, world.run, 1, "embed").await.err()),
        ("pin_snapshot", store.pin_snapshot(stale, world.run, at(24)).await.err()),
        ("assign_items", store.assign_items(stale, world.run, &[id("a")], &[id("b")], at(0)).await.err()),
        ("commit_embeddings", {
            let embeddings = [super::world::embedding("a")];
            store.commit_embeddings(stale, SPACE, &embeddings).await.err()
        }),
        ("commit_duplicates", store.commit_duplicates(stale, &[(id("a"), id("b"))]).await.err()),
        ("commit_clusters", store.commit_clusters(stale, &clusters).await.err()),
        ("reserve_call", store.reserve_call(Some(stale), &call).await.err()),
        ("commit_digest", store.commit_digest(stale, &digest).await.err()),
        ("renew_lease", store.renew_lease(stale, at(24)).await.err()),
    ];
    for (operation, error) in refused {
        assert!(matches!(error, Some(StoreError::LeaseLost { token: 1 })), "{operation}: {error:?}");
    }
}

on_every_database!(
    a_held_lease_is_refused_and_says_who_holds_it,
    a_free_or_expired_or_dead_holders_lease_is_taken_under_a_new_token,
    renewing_keeps_a_lease_and_a_lost_one_cannot_be_renewed,
    a_lease_that_ends_too_far_ahead_blocks_nothing,
    a_topic_that_is_not_there_cannot_be_leased,
    a_stale_lease_commits_nothing,
);
