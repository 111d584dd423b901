//! Two processes of one installation, and one that is asked to end.

use std::time::{Duration, Instant};

use aha_core::clock::Clock;
use aha_store::{LEASE_SECONDS, LeaseAttempt};

use super::harness::{Kind, Setup};
use super::on_both_databases;
use crate::support::feeds::{Post, feed};
use crate::support::http::Answer;
use crate::support::radar::{Engine, Radar, finish, signal};
use crate::support::rows;
use crate::support::web::Web;

/// An installation with one source, whose server takes its time.
fn waiting_on(web: &Web, engine: Engine) -> Radar {
    let radar = Radar::at("2026-11-17T07:00:00Z").on(engine);
    let radar = radar.with("AHA_FETCH_ALLOW", "127.0.0.1").with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&[&web.url("/slow")]);
    radar
}

fn slow_feed(delay: Duration) -> Web {
    let posts = [Post::about_nothing_else("one", "2026-11-17T01:00:00Z")];
    Web::serve(vec![("/slow", Answer::ok(feed("Slow", &posts)).after(delay))])
}

fn a_stopped_process_that_was_replaced_commits_nothing(engine: Engine) {
    let web = slow_feed(Duration::from_secs(2));
    let radar = waiting_on(&web, engine);
    let stale = radar.start(&["--run-once"]);
    web.wait_for("/slow");
    signal(&stale, "STOP");
    let later = Clock::system().wall() + Duration::from_secs(LEASE_SECONDS + 1);
    let taken = rows::with_store(&radar, |store| async move {
        let topic = store.topic("default").await.unwrap().unwrap();
        store.acquire_lease(topic.id, "another machine", later, None).await.unwrap()
    });
    assert!(matches!(taken, LeaseAttempt::Acquired(_)), "{taken:?}");
    let before = rows::all(&radar);
    signal(&stale, "CONT");
    finish(stale).exits(1).says("took this topic's lease over").says("committed nothing");
    let mut after = rows::all(&radar);
    assert_eq!(rows::query(&radar, "SELECT outcome FROM run_attempts"), ["lost"]);
    after.insert("run_attempts".to_owned(), before["run_attempts"].clone());
    assert_eq!(after, before);
    assert_eq!(rows::query(&radar, "SELECT lease_holder FROM topics"), ["another machine"]);
    assert!(radar.files().is_empty());
}

fn a_second_process_waits_and_then_names_the_first(engine: Engine) {
    let web = slow_feed(Duration::from_secs(12));
    let radar = waiting_on(&web, engine);
    let mut first = radar.start(&["--run-once"]);
    web.wait_for("/slow");
    let begun = Instant::now();
    let second = radar.run(&["--run-once"]).exits(1);
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_secs(5), "{waited:?}");
    assert!(first.try_wait().unwrap().is_none(), "it does not wait for the first one's end: {waited:?}");
    second.says("is being run by").says(&format!("pid:{}", first.id()));
    assert_eq!(web.requests("/slow").len(), 1);
    finish(first).exits(0);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM run_attempts"), 1);
}

fn a_second_process_goes_on_when_the_first_is_done_in_time(engine: Engine) {
    let web = slow_feed(Duration::from_secs(2));
    let radar = waiting_on(&web, engine);
    let first = radar.start(&["--run-once"]);
    web.wait_for("/slow");
    radar.ok(&["--run-once"]);
    finish(first).exits(0);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM digests"), 1);
}

fn two_processes_that_make_the_database_at_once_both_succeed(engine: Engine) {
    for _ in 0..3 {
        let setup = Setup { kind: Kind::Cursor, engine };
        let radar = setup.radar_on_empty();
        let processes = [(); 3].map(|()| setup.start(&radar, &[]));
        for process in processes {
            finish(process).exits(0);
        }
        assert_eq!(rows::number(&radar, "SELECT count(*) FROM digests"), 1);
        assert!(rows::damage(&radar).is_empty());
    }
}

/// Its owner cannot be known to be dead: it is another machine, or a container that came back under another name.
fn a_lease_that_a_wrong_clock_set_is_taken_over(engine: Engine) {
    let web = slow_feed(Duration::ZERO);
    let radar = waiting_on(&web, engine).with("AHA_LOG", "warn");
    let end = (Clock::system().wall() + Duration::from_hours(24 * 365)).as_millis();
    let owner = "elsewhere pid:7 start:1 ns:1";
    rows::execute(&radar, &format!("UPDATE topics SET lease_holder = '{owner}', lease_expires_at = {end}"));
    radar.run(&["doctor"]).exits(0).says("held by elsewhere pid:7 until").says("only a wrong clock can have set");
    radar.run(&["--run-once"]).exits(0).says("it counts as expired and is taken over").says("elsewhere pid:7");
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM topics WHERE lease_holder IS NOT NULL"), 0);
}

fn an_interrupted_run_ends_soon_says_130_and_is_continued(engine: Engine) {
    let web = slow_feed(Duration::from_secs(12));
    let radar = waiting_on(&web, engine);
    let run = radar.start(&["--run-once"]);
    web.wait_for("/slow");
    let begun = Instant::now();
    signal(&run, "INT");
    finish(run).exits(130).says("it continues where it stopped");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(rows::query(&radar, "SELECT outcome FROM run_attempts"), ["interrupted"]);
    assert_eq!(rows::number(&radar, "SELECT count(*) FROM topics WHERE lease_holder IS NOT NULL"), 0);
}

on_both_databases!(
    a_stopped_process_that_was_replaced_commits_nothing,
    a_second_process_waits_and_then_names_the_first,
    a_second_process_goes_on_when_the_first_is_done_in_time,
    two_processes_that_make_the_database_at_once_both_succeed,
    a_lease_that_a_wrong_clock_set_is_taken_over,
    an_interrupted_run_ends_soon_says_130_and_is_continued,
);
