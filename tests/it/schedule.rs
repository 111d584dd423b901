//! The schedule under stress, as the table of that name in docs/STATES.md says: clocks that change or are wrong, sleep,
//! two daemons, a holder that is frozen.

use std::time::Duration;

use crate::kill::on_both_databases;
use crate::support::daemon::Daemon;
use crate::support::feeds::{Post, feed};
use crate::support::http::Answer;
use crate::support::radar::{Engine, Radar, signal, stands_still};
use crate::support::rows;
use crate::support::web::Web;

/// An installation with one feed and a schedule in Berlin's time.
fn radar(now: &str, schedule: &str) -> Radar {
    let radar = Radar::at(now).with("AHA_TIMEZONE", "Europe/Berlin").with("AHA_SCHEDULE", schedule);
    publish(&radar, &[Post::about_nothing_else("one", now)]);
    radar.add(&["feed.json"]);
    radar
}

fn publish(radar: &Radar, posts: &[Post]) {
    std::fs::write(radar.folder().join("feed.json"), feed("A", posts)).unwrap();
}

fn millis(time: &str) -> i64 {
    aha_core::time::Timestamp::parse_rfc3339(time).unwrap().as_millis()
}

/// Starts a daemon at that time, waits until it has planned its next run for `next`, and ends it. What it said.
#[track_caller]
fn daemon_at(radar: &mut Radar, now: &str, next: &str) -> String {
    radar.set("AHA_NOW", now);
    let daemon = Daemon::start(radar);
    let planned = format!("SELECT count(*) FROM topics WHERE next_run_at = {} AND lease_holder IS NULL", millis(next));
    rows::wait_for(radar, &planned);
    let said = daemon.end().0.exits(0).stderr;
    assert_eq!(rows::number(radar, &planned), 1, "{said}");
    said
}

/// Forgets when the next run is planned, as if its time had come.
fn wake_up(radar: &Radar) {
    rows::execute(radar, "UPDATE topics SET next_run_at = 0");
}

/// The windows of all runs, in order.
fn windows(radar: &Radar) -> Vec<(String, String)> {
    let sql = "SELECT window_start || ' ' || window_end FROM runs WHERE status = 'done' ORDER BY window_end";
    let time = |text: &str| aha_core::time::Timestamp::from_millis(text.parse().unwrap()).to_string();
    let row = |row: &String| row.split_once(' ').map(|(start, end)| (time(start), time(end))).unwrap();
    rows::query(radar, sql).iter().map(row).collect()
}

fn window(start: &str, end: &str) -> (String, String) {
    (start.to_owned(), end.to_owned())
}

#[test]
fn in_the_missing_hour_it_runs_when_the_clock_has_jumped() {
    let mut radar = radar("2026-03-28T12:00:00Z", "30 2 * * *");
    daemon_at(&mut radar, "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z");
    daemon_at(&mut radar, "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
    assert_eq!(windows(&radar)[1..], [window("2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z")]);
}

#[test]
fn in_the_doubled_hour_it_runs_once() {
    let mut radar = radar("2026-10-24T12:00:00Z", "30 2 * * *");
    daemon_at(&mut radar, "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z");
    daemon_at(&mut radar, "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
    wake_up(&radar);
    daemon_at(&mut radar, "2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z");
    assert_eq!(windows(&radar)[1..], [window("2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z")]);
}

#[test]
fn a_daily_run_keeps_its_hour_and_its_windows_adjoin() {
    for (days, hours) in [
        (["2026-03-28T06:00:00Z", "2026-03-29T05:00:00Z", "2026-03-30T05:00:00Z"], 23),
        (["2026-10-24T05:00:00Z", "2026-10-25T06:00:00Z", "2026-10-26T06:00:00Z"], 25),
    ] {
        let mut radar = radar(days[0], "0 7 * * *");
        daemon_at(&mut radar, days[0], days[1]);
        daemon_at(&mut radar, days[1], days[2]);
        assert_eq!(windows(&radar)[1..], [window(days[0], days[1])]);
        assert_eq!(millis(days[1]) - millis(days[0]), hours * 3_600_000);
    }
}

#[test]
fn a_clock_a_day_ahead_and_set_back_loses_nothing() {
    let mut radar = radar("2026-11-17T06:00:00Z", "0 7 * * *");
    daemon_at(&mut radar, "2026-11-17T06:00:00Z", "2026-11-18T06:00:00Z");
    // A day ahead, it reads up to a time that has not come.
    daemon_at(&mut radar, "2026-11-18T06:00:00Z", "2026-11-19T06:00:00Z");
    // Set back: what was planned too far ahead is planned anew; up to the cursor there is nothing to read.
    daemon_at(&mut radar, "2026-11-17T06:05:00Z", "2026-11-18T06:00:00Z");
    daemon_at(&mut radar, "2026-11-18T06:00:00Z", "2026-11-19T06:00:00Z");
    publish(&radar, &[Post::about_nothing_else("meanwhile", "2026-11-17T20:00:00Z")]);
    daemon_at(&mut radar, "2026-11-19T06:00:00Z", "2026-11-20T06:00:00Z");
    let ends: Vec<String> = windows(&radar).into_iter().map(|(_, end)| end).collect();
    assert_eq!(ends, ["2026-11-17T06:00:00Z", "2026-11-18T06:00:00Z", "2026-11-19T06:00:00Z"]);
    assert_eq!(radar.digest()["digest"]["items"], 1, "what was published before the cursor is in the next digest");
}

#[test]
fn a_clock_far_ahead_and_set_back_is_said_at_each_time_of_the_schedule() {
    let mut radar = radar("2026-11-27T06:00:00Z", "0 7 * * *");
    daemon_at(&mut radar, "2026-11-27T06:00:00Z", "2026-11-28T06:00:00Z");
    daemon_at(&mut radar, "2026-11-17T06:05:00Z", "2026-11-18T06:00:00Z");
    let said = daemon_at(&mut radar, "2026-11-18T06:00:00Z", "2026-11-19T06:00:00Z");
    assert!(said.contains("more than a day ahead of the clock") && said.contains("--read-from"), "{said}");
    let doctor = radar.run(&["doctor"]).exits(1);
    doctor.says("more than a day ahead of the clock").says("--read-from");
    assert_eq!(windows(&radar).len(), 1);
}

/// Its window ends ten days ahead, and what comes before then is read nevertheless.
#[test]
fn a_run_begun_by_a_clock_far_ahead_moves_the_cursor_no_further_than_the_clock_says() {
    let mut radar = radar("2026-11-27T06:00:00Z", "0 7 * * *");
    killed_daemon(&mut radar, "2026-11-27T06:00:00Z");
    daemon_at(&mut radar, "2026-11-17T06:05:30Z", "2026-11-18T06:00:00Z");
    let cursor = rows::number(&radar, "SELECT cursor_end FROM topics");
    assert_eq!(cursor, millis("2026-11-17T06:05:00Z"));
    publish(&radar, &[Post::about_nothing_else("meanwhile", "2026-11-17T20:00:00Z")]);
    let said = daemon_at(&mut radar, "2026-11-18T06:00:00Z", "2026-11-19T06:00:00Z");
    assert!(!said.contains("ahead of the clock"), "{said}");
    let expected = [
        window("2026-11-17T06:05:00Z", "2026-11-18T06:00:00Z"),
        window("2026-11-26T06:00:00Z", "2026-11-27T06:00:00Z"),
    ];
    assert_eq!(windows(&radar), expected);
    let items = "SELECT count(*) FROM topic_items t JOIN runs r ON r.id = t.run_id WHERE r.window_end = ";
    assert_eq!(rows::number(&radar, &format!("{items}{}", millis("2026-11-18T06:00:00Z"))), 1);
}

/// What a clock noted that was wrong delays no source once it is right.
#[test]
fn after_a_clock_that_was_far_ahead_sources_are_read_again() {
    let page = feed("Harbour", &[Post::about_nothing_else("a", "2026-11-18T05:00:00Z")]);
    let web = Web::serve(vec![("/feed", Answer::ok(page))]);
    let mut radar = radar("2027-01-11T06:00:00Z", "0 7 * * *").with("AHA_FETCH_ALLOW", "127.0.0.0/8");
    radar.ok(&["source", "add", &web.url("/feed")]);
    daemon_at(&mut radar, "2027-01-11T06:00:00Z", "2027-01-12T06:00:00Z");
    let asked = web.requests("/feed").len();
    radar.ok(&["topic", "set", "default", "--read-from", "2026-11-17T06:00:00Z"]);
    daemon_at(&mut radar, "2026-11-18T06:00:00Z", "2026-11-19T06:00:00Z");
    daemon_at(&mut radar, "2026-11-19T06:00:00Z", "2026-11-20T06:00:00Z");
    assert!(web.requests("/feed").len() > asked, "{asked}");
}

#[test]
fn what_was_slept_through_is_read_in_one_run() {
    let mut radar = radar("2026-11-17T06:00:00Z", "0 7 * * *");
    daemon_at(&mut radar, "2026-11-17T06:00:00Z", "2026-11-18T06:00:00Z");
    let said = daemon_at(&mut radar, "2026-11-19T09:30:00Z", "2026-11-20T06:00:00Z");
    assert!(!said.contains("down too long"), "{said}");
    let said = daemon_at(&mut radar, "2026-11-30T09:30:00Z", "2026-12-01T06:00:00Z");
    assert!(said.contains("down too long"), "{said}");
    let expected = [
        window("2026-11-17T06:00:00Z", "2026-11-19T09:30:00Z"),
        window("2026-11-24T06:00:00Z", "2026-11-30T09:30:00Z"),
    ];
    assert_eq!(windows(&radar)[1..], expected);
}

#[test]
fn intervals_of_unequal_lengths_leave_nothing_out() {
    let mut radar = radar("2026-11-17T06:00:00Z", "0 7,8 * * *");
    daemon_at(&mut radar, "2026-11-17T06:00:00Z", "2026-11-17T07:00:00Z");
    daemon_at(&mut radar, "2026-11-17T07:00:00Z", "2026-11-18T06:00:00Z");
    let said = daemon_at(&mut radar, "2026-11-18T06:00:00Z", "2026-11-18T07:00:00Z");
    assert!(!said.contains("down too long"), "{said}");
    assert_eq!(windows(&radar)[2..], [window("2026-11-17T07:00:00Z", "2026-11-18T06:00:00Z")]);
}

#[test]
fn a_run_that_was_interrupted_is_finished_and_no_other_made_before_its_time() {
    let mut radar = radar("2026-11-17T06:00:00Z", "0 7 * * *");
    killed_daemon(&mut radar, "2026-11-17T06:00:00Z");
    daemon_at(&mut radar, "2026-11-17T09:00:00Z", "2026-11-18T06:00:00Z");
    assert_eq!(windows(&radar), [window("2026-11-16T06:00:00Z", "2026-11-17T06:00:00Z")]);
}

/// A daemon that is killed in the middle of the run that is due.
fn killed_daemon(radar: &mut Radar, now: &str) {
    radar.set("AHA_NOW", now);
    radar.set("AHA_FAILPOINT", "triage");
    Daemon::start(radar).process().wait().unwrap();
    radar.set("AHA_FAILPOINT", "");
}

/// The second sees the run due as well, at a later minute, and finds it made once it has the topic.
fn two_daemons_make_one_run(engine: Engine) {
    let posts = [Post::about_nothing_else("one", "2026-11-19T05:00:00Z")];
    let web = Web::serve(vec![("/slow", Answer::ok(feed("Slow", &posts)).after(Duration::from_secs(2)))]);
    let mut radar = Radar::at("2026-11-19T07:00:00Z").on(engine).with("AHA_FETCH_ALLOW", "127.0.0.1");
    radar.add(&[&web.url("/slow")]);
    let first = Daemon::start(&mut radar);
    web.wait_for("/slow");
    radar.set("AHA_NOW", "2026-11-19T07:01:00Z");
    let second = Daemon::start(&mut radar);
    second.wait_for("up", |health| health["status"] == "ok" && health["last_run"]["outcome"] == "done");
    rows::wait_for(&radar, "SELECT count(*) FROM topics WHERE lease_holder IS NULL AND lease_token = 2");
    for daemon in [first, second] {
        let ran = daemon.end().0.exits(0);
        assert!(!ran.stderr.contains("ERROR"), "{ran:#?}");
    }
    assert_eq!(windows(&radar), [window("2026-11-18T07:00:00Z", "2026-11-19T07:00:00Z")]);
    assert_eq!(rows::query(&radar, "SELECT outcome FROM run_attempts"), ["done"]);
}

fn a_daemon_frozen_beyond_its_lease_is_replaced_and_commits_nothing(engine: Engine) {
    let mut radar = Radar::at("2026-11-19T07:00:00Z").on(engine);
    publish(&radar, &[Post::about_nothing_else("one", "2026-11-19T05:00:00Z")]);
    radar.add(&["feed.json"]);
    let passed = radar.folder().join("passed");
    radar.set("AHA_FAILPOINT", "triage");
    radar.set("AHA_FAILPOINT_SIGNAL", "STOP");
    radar.set("AHA_FAILPOINT_LOG", passed.to_str().unwrap());
    let mut first = Daemon::start(&mut radar);
    assert!(stands_still(first.process()));
    rows::execute(&radar, "UPDATE topics SET lease_expires_at = 0");
    radar.set("AHA_FAILPOINT", "");
    radar.set("AHA_FAILPOINT_LOG", "/dev/null");
    let second = Daemon::start(&mut radar);
    second.wait_for("done with the run", |health| health["last_run"]["outcome"] == "done");
    rows::wait_for(&radar, "SELECT count(*) FROM topics WHERE lease_holder IS NULL AND next_run_at IS NOT NULL");
    let before = rows::all(&radar);
    signal(first.process(), "CONT");
    // Its attempt is over once it gives the lease back; only then is it asked to end, which would end the attempt as
    // well.
    first.wait_for("done with its attempt", |_| {
        std::fs::read_to_string(&passed).unwrap().lines().any(|point| point.starts_with("release_lease."))
    });
    first.end().0.exits(0).says("took this topic's lease over");
    assert_eq!(rows::all(&radar), before);
    second.end().0.exits(0);
    assert_eq!(rows::query(&radar, "SELECT outcome FROM run_attempts ORDER BY attempt"), ["lost", "done"]);
}

/// The second comes while the first is at work and keeps asking.
fn a_daemon_that_dies_is_succeeded_by_another(engine: Engine) {
    let mut radar = Radar::at("2026-11-19T07:00:00Z").on(engine).with("AHA_RETRY_MS", "200");
    publish(&radar, &[Post::about_nothing_else("one", "2026-11-19T05:00:00Z")]);
    radar.add(&["feed.json"]);
    radar.set("AHA_FAILPOINT", "triage");
    radar.set("AHA_FAILPOINT_SIGNAL", "STOP");
    let mut first = Daemon::start(&mut radar);
    assert!(stands_still(first.process()));
    radar.set("AHA_FAILPOINT", "");
    let second = Daemon::start(&mut radar);
    second.wait_for("up", |health| health["last_run"]["outcome"] == "running");
    drop(first);
    second.wait_for("done with the run", |health| health["last_run"]["outcome"] == "done");
    let ran = second.end().0.exits(0);
    assert!(!ran.stderr.contains("ERROR"), "{ran:#?}");
    assert_eq!(rows::query(&radar, "SELECT outcome FROM run_attempts ORDER BY attempt"), ["lost", "done"]);
}

on_both_databases!(
    a_daemon_that_dies_is_succeeded_by_another,
    two_daemons_make_one_run,
    a_daemon_frozen_beyond_its_lease_is_replaced_and_commits_nothing,
);

#[test]
fn a_schedule_asks_a_source_when_it_wants_to_be_asked() {
    let keeps = Answer::ok(feed("A", &[Post::about_nothing_else("one", "2026-11-17T12:00:00Z")]))
        .header("cache-control", "public, max-age=10800");
    let web = Web::serve(vec![("/feed", keeps), ("/broken/feed", Answer::new(500))]);
    let mut radar = Radar::at("2026-11-17T12:00:00Z")
        .with("AHA_SCHEDULE", "every 1h")
        .with("AHA_FETCH_ALLOW", "127.0.0.1")
        .with("AHA_FETCH_HOST_GAP_MS", "0");
    radar.add(&[&web.url("/feed"), &web.url("/broken/feed")]);
    let asked = || (web.requests("/feed").len(), web.requests("/broken/feed").len());
    for (hour, expected) in [(12, (1, 1)), (13, (1, 2)), (14, (1, 3)), (15, (1, 4)), (16, (2, 4)), (17, (2, 5))] {
        daemon_at(&mut radar, &format!("2026-11-17T{hour}:00:00Z"), &format!("2026-11-17T{}:00:00Z", hour + 1));
        assert_eq!(asked(), expected, "{hour}:00");
        let report = &radar.digest()["sources"][0];
        assert_eq!(report["status"], "server_error", "one that is left alone is still named: {report}");
    }
    radar.set("AHA_NOW", "2026-11-17T17:30:00Z");
    radar.run(&["run"]).exits(3);
    assert_eq!(asked(), (3, 6), "by hand all are asked");
}
