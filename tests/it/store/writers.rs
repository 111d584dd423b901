//! Writers that are at work at the same time on Postgres. SQLite has one at a time.

use std::time::Duration;

use aha_store::{LeaseAttempt, RetryAdvice, SourceChange, StoreError};
use sqlx::{Connection, Executor, PgConnection};

use super::world::{FreshPostgres, World, at, feed, item};

/// A lock that another program keeps is waited for 10 s; reading goes on.
#[tokio::test]
async fn a_lock_that_stays_is_named_and_does_not_hinder_reading() {
    let database = FreshPostgres::new().await;
    let topic = database.store.ensure_topic("default", at(0)).await.unwrap();
    let mut other = PgConnection::connect(&database.url).await.unwrap();
    other.execute("BEGIN; SELECT * FROM topics FOR UPDATE").await.unwrap();
    assert_eq!(database.store.topics().await.unwrap().len(), 1);
    let error = database.store.set_next_run(topic.id, Some(at(1))).await.unwrap_err();
    assert!(matches!(error, StoreError::Locked { waited_seconds: 10 }), "{error}");
    other.execute("ROLLBACK").await.unwrap();
    other.close().await.unwrap();
    database.store.set_next_run(topic.id, Some(at(1))).await.unwrap();
    database.remove().await;
}

/// A holder that is committing has its row locked: who wants its lease is told who it is, not that there is a lock.
#[tokio::test]
async fn a_lease_whose_holder_is_committing_is_named_at_once() {
    let database = FreshPostgres::new().await;
    let world = World::new(&*database.store).await;
    let mut holder = PgConnection::connect(&database.url).await.unwrap();
    holder.execute("BEGIN; SELECT * FROM topics FOR UPDATE").await.unwrap();
    let late = at(24) + Duration::from_hours(1);
    let attempt = async || database.store.acquire_lease(world.topic.id, "two", late, None).await.unwrap();
    let named = attempt().await;
    assert!(matches!(&named, LeaseAttempt::Held { owner, .. } if *owner == world.lease.owner), "{named:?}");
    holder.execute("ROLLBACK").await.unwrap();
    database.store.release_lease(&world.lease).await.unwrap();
    holder.execute("BEGIN; SELECT * FROM topics FOR UPDATE").await.unwrap();
    assert_eq!(attempt().await, LeaseAttempt::Busy);
    holder.execute("ROLLBACK").await.unwrap();
    assert!(matches!(attempt().await, LeaseAttempt::Acquired(_)));
    holder.close().await.unwrap();
    database.remove().await;
}

/// A taking-over that is not yet committed makes a commit wait, and then refuses it.
#[tokio::test]
async fn a_commit_waits_for_a_taking_over_and_is_refused() {
    let database = FreshPostgres::new().await;
    let world = World::new(&*database.store).await;
    let mut other = PgConnection::connect(&database.url).await.unwrap();
    other.execute("BEGIN; UPDATE topics SET lease_token = lease_token + 1, lease_holder = 'two'").await.unwrap();
    let looks = [item("a", 1)];
    let look = world.look(0, world.first, &looks);
    let mut committing = database.store.commit_fetch(&world.lease, &look);
    assert!(tokio::time::timeout(Duration::from_millis(500), &mut committing).await.is_err(), "it waits");
    other.execute("COMMIT").await.unwrap();
    let error = committing.as_mut().await.unwrap_err();
    drop(committing);
    assert!(matches!(error, StoreError::LeaseLost { token: 1 }), "{error}");
    assert!(database.store.unassigned_items(world.topic.id, at(24)).await.unwrap().is_empty());
    other.close().await.unwrap();
    database.remove().await;
}

/// A server that is stopped in the middle of a commit: nothing of it is kept, and the next one goes through.
#[tokio::test]
async fn a_connection_cut_at_work_is_said_to_be() {
    let database = FreshPostgres::new().await;
    let world = World::new(&*database.store).await;
    let mut other = PgConnection::connect(&database.url).await.unwrap();
    other.execute("BEGIN; SELECT * FROM sources FOR UPDATE").await.unwrap();
    let looks = [item("a", 1)];
    let look = world.look(0, world.first, &looks);
    let mut committing = database.store.commit_fetch(&world.lease, &look);
    assert!(tokio::time::timeout(Duration::from_millis(300), &mut committing).await.is_err(), "it waits");
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
               WHERE datname = current_database() AND application_name = 'aha-radar'";
    other.execute(cut).await.unwrap();
    let error = committing.as_mut().await.unwrap_err();
    assert!(matches!(error, StoreError::ConnectionLost { .. }), "{error}");
    drop(committing);
    other.execute("COMMIT").await.unwrap();
    other.close().await.unwrap();
    assert_eq!(database.store.commit_fetch(&world.lease, &look).await.unwrap().new, 1);
    database.remove().await;
}

/// Our own writers cannot do this to each other: they lock in one order.
#[tokio::test]
async fn a_deadlock_is_a_conflict_to_be_tried_again() {
    let database = FreshPostgres::new().await;
    let world = World::new(&*database.store).await;
    let mut other = PgConnection::connect(&database.url).await.unwrap();
    other.execute("BEGIN; SELECT * FROM sources FOR UPDATE").await.unwrap();
    let look = world.look(0, world.first, &[]);
    let mut committing = database.store.commit_fetch(&world.lease, &look);
    assert!(tokio::time::timeout(Duration::from_millis(300), &mut committing).await.is_err(), "it waits");
    let (error, _) = tokio::join!(committing.as_mut(), other.execute("SELECT * FROM topics FOR UPDATE"));
    let error = error.unwrap_err();
    assert!(matches!(error, StoreError::Conflict { .. }), "{error}");
    assert_eq!(error.retry_advice(), RetryAdvice::Soon);
    drop(committing);
    other.close().await.unwrap();
    database.store.commit_fetch(&world.lease, &look).await.unwrap();
    database.remove().await;
}

/// Two topics that bring the same items at the same time make one of each, and nobody fails.
#[tokio::test]
async fn topics_that_bring_the_same_items_at_once_make_one_of_each() {
    let database = FreshPostgres::new().await;
    let store = &*database.store;
    let (one, two) = (World::named(store, "one").await, World::named(store, "two").await);
    for round in 0..10 {
        let keys: Vec<String> = (0..5).map(|n| format!("{round}-{n}")).collect();
        let items: Vec<_> = keys.iter().map(|key| item(key, 1)).collect();
        let reversed: Vec<_> = items.iter().rev().cloned().collect();
        let (here, there) = (one.look(round, one.first, &items), two.look(round, two.first, &reversed));
        let (here, there) = tokio::join!(store.commit_fetch(&one.lease, &here), store.commit_fetch(&two.lease, &there));
        assert_eq!(here.unwrap().new + there.unwrap().new, 5);
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let backwards: Vec<&str> = keys.iter().rev().copied().collect();
        tokio::join!(one.embed(store, &keys), two.embed(store, &backwards));
    }
    assert_eq!(store.unassigned_items(two.topic.id, at(24)).await.unwrap().len(), 50);
    database.remove().await;
}

/// The owner's commands and a run of the same topic at the same time: each does its work, none is refused.
#[tokio::test]
async fn owner_and_run_work_beside_each_other() {
    let database = FreshPostgres::new().await;
    let store = &*database.store;
    let world = World::new(store).await;
    for round in 0..10 {
        let items = [item(&format!("{round}"), 1)];
        let look = world.look(round, world.first, &items);
        let urls = [feed(&format!("https://c.example/{round}")), feed("https://a.example/feed")];
        let (looked, added, weighed, renewed) = tokio::join!(
            store.commit_fetch(&world.lease, &look),
            store.add_sources(world.topic.id, &urls, at(1)),
            store.change_source(world.first, SourceChange { weight: Some(2.0), ..SourceChange::default() }),
            store.renew_lease(&world.lease, at(24)),
        );
        assert_eq!((looked.unwrap().new, added.unwrap().added), (1, 1));
        weighed.unwrap();
        renewed.unwrap();
    }
    let look = world.look(99, world.second, &[]);
    let (removed, looked) = tokio::join!(store.remove_source(world.second), store.commit_fetch(&world.lease, &look));
    removed.unwrap();
    looked.unwrap();
    database.remove().await;
}
