use aha_core::digest::Cost;
use aha_core::ids::ClusterId;
use aha_store::{ClusterCommit, IdentifiedItem, RemovedRows, RetentionStep, Store};

use super::digests::digest_commit;
use super::on_the_rows_of_every_database;
use super::rows::{alter, rows};
use super::world::{World, at, id, item};

async fn removed(store: &dyn Store, step: RetentionStep, before: i64) -> u64 {
    let mut all = 0;
    loop {
        // A batch of one, at a time at which the world's lease has run out.
        match store.remove_old(step, at(before), 1, at(1000)).await.unwrap() {
            RemovedRows::Removed(0) => return all,
            RemovedRows::Removed(rows) => all += rows,
            RemovedRows::RunInProgress => panic!("nobody is at work"),
        }
    }
}

async fn clusters(store: &dyn Store, world: &World, stories: &[&[&str]]) {
    let created = stories.iter().map(|story| (ClusterId::of(&[story[0]]), id(story[0]))).collect();
    let joined =
        stories.iter().flat_map(|story| story[1..].iter().map(|key| (id(key), ClusterId::of(&[story[0]]), 0.5)));
    let commit = ClusterCommit { created, joined: joined.collect(), ..ClusterCommit::default() };
    store.commit_clusters(&world.lease, &commit).await.unwrap();
}

/// Kept: what a kept digest shows, what is in a story with a newer item, and what is new.
async fn old_items_are_emptied_and_do_not_come_back(store: &dyn Store, url: &str) {
    let world = World::new(store).await;
    let keys = ["gone", "shown", "grows", "newer", "new"];
    let undated = IdentifiedItem { published_at: None, ..item("gone", 1) };
    let items = [undated, item("shown", 1), item("grows", 1), item("newer", 400), item("new", 401)];
    world.with_items(store, &items).await;
    world.embed(store, &keys).await;
    clusters(store, &world, &[&["gone"], &["shown"], &["grows", "newer"], &["new"]]).await;
    store.commit_digest(&world.lease, &digest_commit(&world, Cost::default(), vec![])).await.unwrap();
    let shows = format!(
        "INSERT INTO digest_items (id, digest_id, rank, section, label, cluster_id, title, final_score, percentile, reason,
             state, score_debug_json, members_json, detail_json)
         SELECT 'x', id, 1, 'top', 'new_here', '{}', 't', 1, 1, 'r', 'failed', '{{}}', '[]', '{{}}' FROM digests",
        ClusterId::of(&["shown"])
    );
    alter(url, &shows).await.unwrap();
    assert_eq!(store.count_old(RetentionStep::Items, at(300)).await.unwrap(), 1);
    assert_eq!(removed(store, RetentionStep::Items, 300).await, 1);
    assert_eq!(store.count_old(RetentionStep::Vectors, at(300)).await.unwrap(), 1);
    assert_eq!(removed(store, RetentionStep::Vectors, 300).await, 1);
    let emptied =
        "SELECT external_id FROM content_items WHERE deleted_at IS NOT NULL AND body_text = '' AND author IS NULL";
    assert_eq!(rows(url, emptied).await, ["gone"]);
    for (number, source) in [(1, world.first), (2, world.second)] {
        let listed = world.look(number, source, &items);
        assert_eq!(store.commit_fetch(&world.lease, &listed).await.unwrap().new, 0);
    }
    let unassigned = store.unassigned_items(world.topic.id, at(2000)).await.unwrap();
    assert_eq!(unassigned.len(), 4);
    assert!(store.items_to_embed(world.topic.id, super::world::SPACE, 9).await.unwrap().is_empty());
}

/// The parts of a merged story have clusters of their own.
async fn an_old_part_of_a_story_that_goes_on_is_kept(store: &dyn Store, url: &str) {
    let world = World::new(store).await;
    let keys = ["old", "target", "sibling", "gone"];
    let items = [item("old", 1), item("target", 2), item("sibling", 400), item("gone", 1)];
    world.with_items(store, &items).await;
    world.embed(store, &keys).await;
    clusters(store, &world, &[&["old"], &["target"], &["sibling"], &["gone"]]).await;
    let [target, old, sibling] = ["target", "old", "sibling"].map(|key| ClusterId::of(&[key]));
    alter(url, &format!("UPDATE clusters SET merged_into = '{target}' WHERE id IN ('{old}', '{sibling}')"))
        .await
        .unwrap();
    assert_eq!(store.count_old(RetentionStep::Items, at(300)).await.unwrap(), 1);
    assert_eq!(removed(store, RetentionStep::Items, 300).await, 1);
    assert_eq!(rows(url, "SELECT external_id FROM content_items WHERE deleted_at IS NOT NULL").await, ["gone"]);
}

async fn a_topics_newest_digest_stays(store: &dyn Store, url: &str) {
    let world = World::new(store).await;
    store.commit_digest(&world.lease, &digest_commit(&world, Cost::default(), vec![])).await.unwrap();
    assert_eq!(removed(store, RetentionStep::Digests, 500).await, 0);
    alter(url, "INSERT INTO runs SELECT 'r', topic_id, 'window', window_start, window_end, status, stage, pass_attempt, settings_json, snapshot_at, created_at, finished_at FROM runs").await.unwrap();
    alter(url, "INSERT INTO digests SELECT 'd', 'r', topic_id, status, window_start, window_end + 1, head_json, sources_json, skipped_json, cost_json, created_at FROM digests").await.unwrap();
    assert_eq!(store.count_old(RetentionStep::Digests, at(500)).await.unwrap(), 1);
    assert_eq!(removed(store, RetentionStep::Digests, 500).await, 1);
    assert_eq!(rows(url, "SELECT id FROM digests").await, ["d"]);
}

/// Looks of a run that is not done stay, and so do calls that an answer came from or whose cost is open.
async fn looks_and_calls_go_when_nothing_needs_them(store: &dyn Store, url: &str) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    assert_eq!(removed(store, RetentionStep::Fetches, 500).await, 0);
    store.commit_digest(&world.lease, &digest_commit(&world, Cost::default(), vec![])).await.unwrap();
    assert_eq!(removed(store, RetentionStep::Fetches, 500).await, 1);
    let call = |id: &str, state: &str| {
        format!(
            "INSERT INTO provider_calls (id, purpose, provider, model, prompt_id, attempt, state, error_kind, started_at)
             VALUES ('{id}', 'triage', 'p', 'm', 'p', 1, '{state}', CASE WHEN '{state}' = 'unsettled' THEN 'timed_out' END, 5)"
        )
    };
    for (id, state) in [("answered", "ok"), ("unused", "ok"), ("open", "unsettled"), ("asked", "reserved")] {
        alter(url, &call(id, state)).await.unwrap();
    }
    let answer =
        "INSERT INTO answers VALUES ('triage', 'low', 'p', '1', 'f', 'p', 'm', 'h', '{}', '[]', 'answered', 5)";
    alter(url, answer).await.unwrap();
    assert_eq!(store.count_old(RetentionStep::Calls, at(500)).await.unwrap(), 1);
    assert_eq!(removed(store, RetentionStep::Calls, 500).await, 1);
    assert_eq!(rows(url, "SELECT id FROM provider_calls ORDER BY id").await, ["answered", "asked", "open"]);
}

async fn counters_of_past_days_and_finished_runs_are_removed(store: &dyn Store, url: &str) {
    let world = World::new(store).await;
    let run = world.run;
    for (counter, reserved) in [
        ("day:2026-11-20".to_owned(), 5),
        ("day:2026-12-05".to_owned(), 0),
        ("day:2026-12-05:topic:x".to_owned(), 0),
        ("day:2026-12-06".to_owned(), 0),
        ("month:2026-11".to_owned(), 0),
        (format!("run:{run}"), 0),
        (format!("run:{run}:1:triage"), 0),
    ] {
        let insert = format!(
            "INSERT INTO budget_counters (counter, settled_microcredits, reserved_microcredits, calls)
             VALUES ('{counter}', 7, {reserved}, 1)"
        );
        alter(url, &insert).await.unwrap();
    }
    // The 6th of December at 20:00; the run is not finished.
    assert_eq!(store.count_old(RetentionStep::Counters, at(500)).await.unwrap(), 2);
    assert_eq!(removed(store, RetentionStep::Counters, 500).await, 2);
    store.commit_digest(&world.lease, &digest_commit(&world, Cost::default(), vec![])).await.unwrap();
    assert_eq!(store.count_old(RetentionStep::Counters, at(500)).await.unwrap(), 2);
    assert_eq!(removed(store, RetentionStep::Counters, 500).await, 2);
    let kept = rows(url, "SELECT counter FROM budget_counters ORDER BY counter").await;
    assert_eq!(kept, ["day:2026-11-20", "day:2026-12-06", "month:2026-11"]);
}

async fn nothing_goes_while_a_topic_is_held(store: &dyn Store, _: &str) {
    let world = World::new(store).await;
    world.with_items(store, &[item("a", 1)]).await;
    let try_at = async |wall| store.remove_old(RetentionStep::Items, at(300), 9, wall).await.unwrap();
    assert_eq!(try_at(at(24)).await, RemovedRows::RunInProgress);
    store.release_lease(&world.lease).await.unwrap();
    assert_eq!(try_at(at(24)).await, RemovedRows::Removed(1));
}

on_the_rows_of_every_database!(
    an_old_part_of_a_story_that_goes_on_is_kept,
    old_items_are_emptied_and_do_not_come_back,
    a_topics_newest_digest_stays,
    looks_and_calls_go_when_nothing_needs_them,
    counters_of_past_days_and_finished_runs_are_removed,
    nothing_goes_while_a_topic_is_held,
);
