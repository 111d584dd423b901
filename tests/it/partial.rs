//! When a digest counts as partial for its sources, and where a failure of the last run is reported.

use serde_json::{Value, json};

use crate::support::daemon::Daemon;
use crate::support::feeds::{Post, feed};
use crate::support::radar::Radar;
use crate::support::rows;

const HOURS: [&str; 3] = ["2026-11-19T07:00:00Z", "2026-11-20T07:00:00Z", "2026-11-21T07:00:00Z"];

/// Ten sources, of which those with these numbers cannot be read.
fn radar(unreadable: &[usize]) -> Radar {
    let radar = Radar::at(HOURS[0]);
    let names: Vec<String> = (0..10).map(|n| format!("{n}.json")).collect();
    for (n, name) in names.iter().enumerate() {
        publish(&radar, n, "2026-11-19T05:00:00Z");
        assert!(radar.folder().join(name).exists());
    }
    radar.add(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for source in unreadable {
        lose(&radar, *source);
    }
    radar
}

fn publish(radar: &Radar, source: usize, published: &str) {
    let post = Post::about_nothing_else(&format!("{source} at {published}"), published);
    let path = radar.folder().join(format!("{source}.json"));
    std::fs::write(path, feed(&format!("Source {source}"), &[post])).unwrap();
}

fn lose(radar: &Radar, source: usize) {
    std::fs::remove_file(radar.folder().join(format!("{source}.json"))).unwrap();
}

/// The status of a run's digest, which it exits by; what it prints.
#[track_caller]
fn run(radar: &mut Radar, now: &str) -> (String, String) {
    radar.set("AHA_NOW", now);
    let ran = radar.run(&["run"]);
    let status = radar.digest()["digest"]["status"].as_str().unwrap().to_owned();
    let code = if status == "partial" { 3 } else { 0 };
    (status, ran.exits(code).stdout)
}

#[test]
fn one_of_many_sources_is_named_at_the_foot_and_two_of_ten_are_missing() {
    let mut radar = radar(&[3]);
    let (status, printed) = run(&mut radar, HOURS[0]);
    assert_eq!(status, "complete");
    assert!(!printed.contains("Partial"), "{printed}");
    let foot = printed.split("To scan").last().unwrap();
    assert!(foot.contains("1 source could not be read") && foot.contains("3.json"), "{printed}");
    assert_eq!(run(&mut self::radar(&[3, 4]), HOURS[0]).0, "partial");

    let mut strict = self::radar(&[3]).with("AHA_PARTIAL_FROM", "10 %");
    let (status, printed) = run(&mut strict, HOURS[0]);
    assert_eq!(status, "partial");
    assert!(printed.contains("Partial: 1 source could not be read"), "{printed}");
    let mut any = self::radar(&[3]).with("AHA_PARTIAL_FROM", "0");
    assert_eq!(run(&mut any, HOURS[0]).0, "partial");
    assert_eq!(run(&mut self::radar(&[]).with("AHA_PARTIAL_FROM", "0"), HOURS[0]).0, "complete");
    let lenient: Vec<usize> = (0..9).collect();
    assert_eq!(run(&mut self::radar(&lenient).with("AHA_PARTIAL_FROM", "100"), HOURS[0]).0, "complete");
    radar.set("AHA_PARTIAL_FROM", "101");
    radar.run(&["run"]).exits(2).says("AHA_PARTIAL_FROM").says("percent of a topic's sources from 0 to 100");
}

#[test]
fn a_partial_digest_that_is_printed_again_exits_as_such() {
    let mut radar = radar(&[3, 4]);
    assert_eq!(run(&mut radar, HOURS[0]).0, "partial");
    radar.run(&["run"]).exits(3).says("nothing to do before the next minute").says("Partial: 2 sources");
    let mut whole = self::radar(&[]);
    assert_eq!(run(&mut whole, HOURS[0]).0, "complete");
    whole.run(&["run"]).exits(0).says("nothing to do before the next minute");
}

#[test]
fn a_clock_behind_what_has_been_read_is_named() {
    let mut radar = radar(&[]);
    run(&mut radar, HOURS[0]);
    radar.set("AHA_NOW", "2026-11-18T20:00:30Z");
    let said = "has been read up to 2026-11-19T07:00:00Z, which is ahead of the clock (2026-11-18T20:00:00Z)";
    let next = "aha-radar topic set default --read-from 2026-11-18T20:00:00Z";
    for command in [&["run"][..], &["run", "--dry-run"]] {
        radar.run(command).exits(0).says(said).says("nothing is read until then").says(next);
    }
}

#[test]
fn a_source_that_had_items_in_the_last_digest_is_missed_and_then_no_more() {
    let mut radar = radar(&[]);
    assert_eq!(run(&mut radar, HOURS[0]).0, "complete");
    lose(&radar, 3);
    (0..3).for_each(|n| publish(&radar, n, "2026-11-20T05:00:00Z"));
    assert_eq!(run(&mut radar, HOURS[1]).0, "partial");
    radar.set("AHA_NOW", HOURS[2]);
    let said = radar.run(&["doctor"]).exits(1).stdout;
    assert!(said.contains("Partial: 1 source could not be read"), "{said}");
    (0..3).for_each(|n| publish(&radar, n, "2026-11-21T05:00:00Z"));
    assert_eq!(run(&mut radar, HOURS[2]).0, "complete");
}

#[test]
fn health_counts_what_makes_a_digest_partial_and_no_more() {
    for (unreadable, status, missing) in
        [(&[3][..], "ok", Value::Null), (&[3, 4], "degraded", "Partial: 2 sources could not be read".into())]
    {
        let mut radar = radar(unreadable);
        run(&mut radar, HOURS[0]);
        let daemon = Daemon::start(&mut radar);
        let health = daemon.wait_for("up", |health| health["last_run"]["outcome"] == "done");
        assert_eq!((&health["status"], &health["last_run"]["missing"]), (&status.into(), &missing), "{health}");
        assert_eq!(health["last_run"]["error"], Value::Null);
        assert_eq!(health["problems"].as_array().unwrap().is_empty(), status == "ok", "{health}");
        daemon.end().0.exits(0);
    }
}

#[test]
fn the_last_runs_failure_and_its_cause_are_in_health_and_doctor() {
    let mut radar = radar(&[]);
    // No command takes such a rule.
    rows::execute(&radar, r#"UPDATE topics SET rules_json = '[{"action":"mute","field":"word","pattern":"("}]'"#);
    let cause = "the pattern \"(\" of a rule is not a regular expression";
    radar.run(&["run"]).exits(2).says(cause);
    radar.run(&["doctor"]).says("is unfinished (a rule of the topic cannot be used").says(cause);
    let daemon = Daemon::start(&mut radar);
    let health = daemon.wait_for("up", |health| health["last_run"]["outcome"] == "failed");
    assert_eq!(health["status"], "degraded");
    assert!(health["last_run"]["error"].as_str().unwrap().contains(cause), "{health}");
    let problem = &health["problems"][0];
    assert_eq!(problem["topic"], "default", "{health}");
    assert!(problem["reason"].as_str().unwrap().starts_with("its last run failed: a rule of the topic"), "{health}");
    daemon.end().0.exits(0);
}

#[test]
fn a_later_run_of_an_earlier_window_does_not_hide_why_the_newest_digest_is_partial() {
    let mut radar = radar(&[3, 4]);
    run(&mut radar, HOURS[0]);
    (3..5).for_each(|n| publish(&radar, n, "2026-11-18T05:00:00Z"));
    radar.set("AHA_NOW", "2026-11-19T08:00:00Z");
    radar.ok(&["run", "--window", "2026-11-17..2026-11-18"]);
    let daemon = Daemon::start(&mut radar);
    let health = daemon.wait_for("up", |health| health["last_run"]["window_end"] == "2026-11-18T00:00:00Z");
    assert_eq!((&health["status"], &health["last_run"]["missing"]), (&"degraded".into(), &Value::Null), "{health}");
    let reason = "its newest digest lacks something: Partial: 2 sources could not be read";
    assert_eq!(health["problems"], json!([{ "topic": "default", "reason": reason }]));
    let said = format!("topic \"default\": {reason}");
    radar.run(&["healthcheck"]).exits(0).says("degraded").says(&said);
    radar.run(&["doctor"]).says(&format!("degraded; {said}"));
    daemon.end().0.exits(0);
}
