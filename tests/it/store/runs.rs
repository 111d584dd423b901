use aha_core::digest::Cost;
use aha_core::ids::DigestId;
use aha_core::run::{AttemptOutcome, RunMode};
use aha_store::{AttemptEnd, NewRun, Store};

use super::digests::digest_commit;
use super::on_every_database;
use super::world::{World, acquire, at, new_run, settings, window};

async fn a_run_is_made_once_and_keeps_its_settings_while_open(store: &dyn Store) {
    let topic = store.ensure_topic("default", at(0)).await.unwrap();
    let lease = acquire(store, &topic, "one").await;
    let new = new_run(&topic, RunMode::Cursor, window(0, 24));
    let run = store.open_run(&lease, &new).await.unwrap();
    assert_eq!((run.id, run.topic_id, run.mode, run.window), (new.id, topic.id, RunMode::Cursor, new.window));
    assert_eq!((run.done, run.pass_attempt, run.snapshot_at), (false, 1, None));
    assert_eq!((&run.settings, &run.stage), (&new.settings, &None));
    let changed = NewRun { settings: settings("triage_v2"), ..new };
    assert_eq!(store.open_run(&lease, &changed).await.unwrap(), run);
    assert_eq!(store.unfinished_cursor_run(topic.id).await.unwrap(), Some(run));
}

async fn a_finished_run_starts_a_new_pass_with_its_prompts_pinned(store: &dyn Store) {
    let world = World::new(store).await;
    store.pin_snapshot(&world.lease, world.run, at(24)).await.unwrap();
    store.commit_digest(&world.lease, &digest_commit(&world, Cost::default(), Vec::new())).await.unwrap();
    assert_eq!(store.unfinished_cursor_run(world.topic.id).await.unwrap(), None);

    let mut new = new_run(&world.topic, RunMode::Cursor, window(0, 24));
    new.settings = settings("triage_v2");
    new.settings.interests = "other".into();
    let run = store.open_run(&world.lease, &new).await.unwrap();
    assert_eq!((run.done, run.pass_attempt, run.snapshot_at, &run.stage), (false, 2, None, &None));
    assert_eq!(run.settings.interests, "other");
    assert_eq!(run.settings.prompts, settings("triage_v1").prompts);

    assert_eq!(store.begin_attempt(&world.lease, world.run, at(25)).await.unwrap(), 2);
    store.commit_digest(&world.lease, &digest_commit(&world, Cost::default(), Vec::new())).await.unwrap();
    new.settings.rejudge = true;
    let run = store.open_run(&world.lease, &new).await.unwrap();
    assert_eq!((run.pass_attempt, run.settings), (3, new.settings));
}

async fn an_unfinished_run_that_is_to_judge_again_goes_on_doing_so(store: &dyn Store) {
    let world = World::new(store).await;
    let old = new_run(&world.topic, RunMode::Cursor, window(0, 24));
    let mut new = NewRun { settings: settings("triage_v2"), ..old.clone() };
    new.settings.rejudge = true;
    new.settings.interests = "other".into();
    for asked in [&new, &old] {
        let run = store.open_run(&world.lease, asked).await.unwrap();
        assert_eq!((run.done, run.pass_attempt, run.settings.rejudge), (false, 1, true));
        assert_eq!(run.settings.prompts, new.settings.prompts);
        assert_eq!(run.settings.interests, old.settings.interests);
    }
}

async fn attempts_left_running_are_lost_and_an_ended_one_stays_ended(store: &dyn Store) {
    let world = World::new(store).await;
    assert_eq!(world.attempt, 1);
    assert_eq!(store.begin_attempt(&world.lease, world.run, at(25)).await.unwrap(), 2);
    let end = AttemptEnd { outcome: AttemptOutcome::Failed, error: Some("no disk".to_owned()), at: at(26) };
    store.end_attempt(world.run, 1, &end).await.unwrap();
    store.record_stage(&world.lease, world.run, 2, "embed").await.unwrap();
    store.end_attempt(world.run, 2, &end).await.unwrap();
    let interrupted = AttemptEnd { outcome: AttemptOutcome::Interrupted, error: None, at: at(27) };
    store.end_attempt(world.run, 2, &interrupted).await.unwrap();

    let (run, attempts) = store.runs(Some(world.topic.id), 10).await.unwrap().remove(0);
    assert_eq!(run.stage.as_deref(), Some("embed"));
    assert_eq!((attempts[0].outcome, attempts[0].finished_at), (AttemptOutcome::Lost, Some(at(25))));
    assert_eq!((attempts[1].outcome, attempts[1].finished_at), (AttemptOutcome::Failed, Some(at(26))));
    assert_eq!((attempts[1].stage.as_deref(), attempts[1].error.as_deref()), (Some("embed"), Some("no disk")));
    assert_eq!((attempts[1].owner.as_str(), attempts[1].started_at), ("host/1", at(25)));
}

async fn a_snapshot_is_pinned_once(store: &dyn Store) {
    let world = World::new(store).await;
    assert_eq!(store.pin_snapshot(&world.lease, world.run, at(24)).await.unwrap(), at(24));
    assert_eq!(store.pin_snapshot(&world.lease, world.run, at(30)).await.unwrap(), at(24));
}

async fn runs_come_newest_window_first(store: &dyn Store) {
    let world = World::new(store).await;
    for (start, end) in [(24, 48), (0, 48)] {
        let new = new_run(&world.topic, RunMode::Window, window(start, end));
        store.open_run(&world.lease, &new).await.unwrap();
    }
    let other = World::named(store, "other").await;
    let windows = |runs: Vec<(aha_core::run::Run, Vec<_>)>| -> Vec<_> {
        runs.into_iter()
            .map(|(run, attempts): (_, Vec<aha_core::run::RunAttempt>)| (run.window, attempts.len()))
            .collect()
    };
    let of_topic = windows(store.runs(Some(world.topic.id), 10).await.unwrap());
    assert_eq!(of_topic, [(window(24, 48), 0), (window(0, 48), 0), (window(0, 24), 1)]);
    assert_eq!(store.runs(None, 10).await.unwrap().len(), 4);
    assert_eq!(store.runs(None, 2).await.unwrap().len(), 2);
    assert_eq!(store.runs(Some(other.topic.id), 10).await.unwrap().len(), 1);
}

async fn finished_runs_are_found_by_the_latest_window_and_by_the_beginning_of_an_id(store: &dyn Store) {
    let world = World::new(store).await;
    assert_eq!(store.latest_finished_run(None).await.unwrap(), None);
    store.commit_digest(&world.lease, &digest_commit(&world, Cost::default(), Vec::new())).await.unwrap();
    store.open_run(&world.lease, &new_run(&world.topic, RunMode::Window, window(24, 48))).await.unwrap();
    let other = World::named(store, "other").await;
    let latest = async |topic| store.latest_finished_run(topic).await.unwrap().map(|run| run.id);
    assert_eq!(latest(None).await, Some(world.run), "a later one is not finished");
    assert_eq!((latest(Some(world.topic.id)).await, latest(Some(other.topic.id)).await), (Some(world.run), None));
    let digest = DigestId::of(&[&world.run.to_string()]).to_string();
    for whole in [world.run.to_string(), digest] {
        for prefix in [&whole[..8], &whole[..]] {
            let found = store.runs_by_id_prefix(prefix).await.unwrap();
            assert_eq!(found.iter().map(|run| run.id).collect::<Vec<_>>(), [world.run], "{prefix}");
        }
    }
    assert!(store.runs_by_id_prefix("00000000").await.unwrap().is_empty());
}

async fn window_runs_are_not_the_topics_unfinished_run(store: &dyn Store) {
    let topic = store.ensure_topic("default", at(0)).await.unwrap();
    let lease = acquire(store, &topic, "one").await;
    store.open_run(&lease, &new_run(&topic, RunMode::Window, window(0, 24))).await.unwrap();
    assert_eq!(store.unfinished_cursor_run(topic.id).await.unwrap(), None);
}

on_every_database!(
    a_run_is_made_once_and_keeps_its_settings_while_open,
    an_unfinished_run_that_is_to_judge_again_goes_on_doing_so,
    a_finished_run_starts_a_new_pass_with_its_prompts_pinned,
    attempts_left_running_are_lost_and_an_ended_one_stays_ended,
    a_snapshot_is_pinned_once,
    runs_come_newest_window_first,
    finished_runs_are_found_by_the_latest_window_and_by_the_beginning_of_an_id,
    window_runs_are_not_the_topics_unfinished_run,
);
