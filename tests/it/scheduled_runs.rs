//! Runs of the schedule, one a day at 07:00 UTC, over feeds that grow from day to day: each item is judged in one of
//! them, each story is delivered once, and again only when it has grown.

mod returning_stories;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::feeds::{Post, feed, unlike_any_other};
use crate::support::radar::Radar;
use crate::support::rows;

const HOUR_MS: i64 = 3_600_000;
/// 2026-11-16T07:00:00Z, the first run.
const FIRST_RUN: i64 = 1_794_812_400_000;

/// An installation whose feeds are files that the test writes.
struct Week {
    radar: Radar,
    feeds: BTreeMap<String, Vec<Post>>,
}

impl Week {
    fn reading(names: &[&str]) -> Self {
        let week = Self {
            radar: Radar::at(&day(0)),
            feeds: names.iter().map(|name| ((*name).to_owned(), Vec::new())).collect(),
        };
        week.add_sources();
        week
    }

    fn add_sources(&self) {
        self.write();
        let files: Vec<String> = self.feeds.keys().map(|name| format!("{name}.json")).collect();
        self.radar.add(&files.iter().map(String::as_str).collect::<Vec<_>>());
    }

    /// Begins again in the same folder, with which the ids of sources and items are the same.
    fn begin_again(&mut self) {
        for entry in std::fs::read_dir(self.radar.folder()).unwrap() {
            let path = entry.unwrap().path();
            let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            removed.unwrap();
        }
        self.feeds.values_mut().for_each(Vec::clear);
        self.radar.set("AHA_NOW", &day(0));
        self.add_sources();
    }

    fn write(&self) {
        for (name, posts) in &self.feeds {
            std::fs::write(self.radar.folder().join(format!("{name}.json")), feed(name, posts)).unwrap();
        }
    }

    fn publish(&mut self, source: &str, post: Post) {
        self.feeds.get_mut(source).unwrap().push(post);
    }

    /// The run of a day, from 0.
    #[track_caller]
    fn run(&mut self, number: u32) -> Value {
        self.run_at(&day(number))
    }

    #[track_caller]
    fn run_at(&mut self, now: &str) -> Value {
        self.write();
        self.radar.set("AHA_NOW", now);
        self.radar.ok(&["--run-once"]);
        let digest = self.radar.digest();
        assert_eq!(digest["digest"]["window_end"], now);
        digest
    }

    fn column(&self, column: &str, post: &str) -> String {
        let sql = format!(
            "SELECT CAST({column} AS TEXT) FROM content_items i LEFT JOIN topic_items t ON t.item_id = i.id
             WHERE i.external_id = '{post}'"
        );
        rows::query(&self.radar, &sql).concat()
    }
}

/// 07:00 UTC of a day, from 2026-11-16 on.
fn day(number: u32) -> String {
    let (month, day) = if number < 15 { (11, 16 + number) } else { (12, number - 14) };
    format!("2026-{month}-{day:02}T07:00:00Z")
}

fn stories(digest: &Value) -> &[Value] {
    digest["stories"].as_array().unwrap()
}

/// Whether a story of the digest contains the post.
fn shows(digest: &Value, post: &str) -> bool {
    let url = format!("https://posts.example/{post}");
    stories(digest).iter().any(|story| story["sources"].as_array().unwrap().iter().any(|member| member["url"] == *url))
}

/// Days, from 0, whose digests contain the post.
fn days_with(digests: &[Value], post: &str) -> Vec<usize> {
    (0..digests.len()).filter(|day| shows(&digests[*day], post)).collect()
}

#[test]
fn every_item_of_a_week_arrives_once_and_no_story_comes_twice() {
    let mut week = Week::reading(&["a", "b"]);
    let mut digests = Vec::new();
    for number in 0..7 {
        let yesterday = 15 + number;
        for (source, hour) in [("a", 9), ("b", 15), ("b", 23)] {
            let id = format!("{source}-{number}-{hour}");
            week.publish(source, Post::about_nothing_else(&id, &format!("2026-11-{yesterday}T{hour:02}:10:00Z")));
        }
        digests.push(week.run(number));
    }
    for number in 0..7 {
        for post in [format!("a-{number}-9"), format!("b-{number}-15"), format!("b-{number}-23")] {
            assert_eq!(days_with(&digests, &post), [number], "{post}");
        }
    }
    let clusters: Vec<&Value> = digests.iter().flat_map(stories).map(|story| &story["cluster_id"]).collect();
    let distinct: std::collections::HashSet<_> = clusters.iter().collect();
    assert_eq!((clusters.len(), distinct.len()), (21, 21));
    assert!(digests.iter().flat_map(stories).all(|story| story["since"].is_null()));
}

#[test]
fn an_item_seen_after_the_run_it_belongs_to_arrives_once_with_the_next() {
    let mut week = Week::reading(&["a"]);
    week.publish("a", Post::about_nothing_else("first", "2026-11-16T05:00:00Z"));
    let mut digests = vec![week.run(0)];
    week.publish("a", Post::about_nothing_else("late", "2026-11-16T06:50:00Z"));
    week.publish("a", Post::about_nothing_else("at-the-cursor", "2026-11-16T07:00:00Z"));
    week.publish("a", Post::about_nothing_else("47-hours", "2026-11-14T08:00:00Z"));
    week.publish("a", Post::about_nothing_else("48-hours", "2026-11-14T07:00:00Z"));
    week.publish("a", Post::about_nothing_else("older", "2026-11-14T06:59:59Z"));
    digests.extend((1..4).map(|number| week.run(number)));
    assert_eq!(days_with(&digests, "first"), [0]);
    for post in ["late", "at-the-cursor", "47-hours", "48-hours"] {
        assert_eq!(days_with(&digests, post), [1], "{post}");
        assert_eq!(week.column("t.state", post), "assigned");
    }
    assert_eq!(days_with(&digests, "older"), [0_usize; 0]);
    assert_eq!(week.column("t.state", "older"), "seen");
    assert_eq!(digests[1]["digest"]["items"], 4);
}

/// One account of the same event; each teller has words of its own.
fn account(teller: &str, published: &str) -> Post {
    let shared = unlike_any_other("the event", 30);
    let text = format!("{shared} {}", unlike_any_other(&format!("told by {teller}"), 6));
    let title = format!("{} {teller}", unlike_any_other("the event's name", 4));
    Post::new(&format!("event-{teller}"), &title, &text, published)
}

#[test]
fn no_story_is_shown_with_a_score_below_the_minimum() {
    let mut week = Week::reading(&["a"]);
    for number in 0..12 {
        week.publish("a", Post::about_nothing_else(&format!("p{number}"), &format!("2026-11-16T01:{number:02}:00Z")));
    }
    let all = week.run(0);
    let score = |story: &Value| story["final_score"].as_f64().unwrap();
    let before: Vec<f64> =
        stories(&all).iter().map(|s| score(s) + s["score_debug"]["diversity"].as_f64().unwrap()).collect();
    let minimum = before.iter().copied().fold(f64::INFINITY, f64::min).floor();
    assert!(stories(&all).iter().any(|story| score(story) < minimum), "diversity lowers one below: {before:?}");
    week.radar.ok(&["topic", "set", "default", "--at-least", &minimum.to_string()]);
    let again = week.radar.json(&["run", "--window", "2026-11-15T07:00:00Z..2026-11-16T07:00:00Z", "--json"]);
    let again = again.get("digests").map_or(&again, |digests| &digests[0]);
    assert_eq!(stories(again).len(), before.len());
    assert!(stories(again).iter().all(|story| score(story) >= minimum));
}

#[test]
fn a_loud_source_brings_fifty_items_a_run_and_the_rest_with_the_next() {
    let mut week = Week::reading(&["loud", "quiet"]);
    for number in 0..80 {
        let published = format!("2026-11-16T{:02}:{:02}:00Z", number / 20, number % 20);
        week.publish("loud", Post::about_nothing_else(&format!("loud-{number}"), &published));
    }
    week.publish("quiet", Post::about_nothing_else("quiet", "2026-11-15T08:00:00Z"));
    let items = |digest: &Value| {
        let of = |name: &str| {
            let sources = digest["sources"].as_array().unwrap();
            sources.iter().find(|source| source["name"] == name).unwrap()["items"].as_u64().unwrap()
        };
        (of("loud"), of("quiet"))
    };
    let first = week.run(0);
    assert_eq!((items(&first), shows(&first, "quiet")), ((50, 1), true));
    assert_eq!(
        (week.column("t.state", "loud-79"), week.column("t.state", "loud-29")),
        ("assigned".into(), String::new())
    );
    let second = week.run(1);
    assert_eq!(items(&second), (30, 0));
    assert!(!stories(&second).is_empty() && stories(&second).iter().all(|story| story["read_before"] == "earlier_run"));
    let printed = week.radar.ok(&["digest", "latest", "--format", "md"]);
    assert!(printed.contains("read by an earlier run"), "{printed}");
    assert!(stories(&first).iter().all(|story| story.get("read_before").is_none()));
    assert_eq!(items(&week.run(2)), (0, 0));
    assert_eq!(rows::number(&week.radar, "SELECT count(*) FROM topic_items WHERE state = 'assigned'"), 81);
}

#[test]
fn what_has_no_date_or_one_to_come_counts_as_first_seen() {
    let mut week = Week::reading(&["a"]);
    let mut digests = vec![week.run(0)];
    week.publish("a", Post::about_nothing_else("undated", "").undated());
    week.publish("a", Post::about_nothing_else("to-come", "2026-11-19T12:00:00Z"));
    digests.extend((1..6).map(|number| week.run(number)));
    let seen = (FIRST_RUN + 24 * HOUR_MS).to_string();
    for post in ["undated", "to-come"] {
        assert_eq!(
            (week.column("i.item_time", post), week.column("i.time_basis", post)),
            (seen.clone(), "fetched".into())
        );
        assert_eq!(days_with(&digests, post).len(), 1, "{post}");
    }
    let story = digests.iter().flat_map(stories).find(|story| story["url"] == "https://posts.example/undated").unwrap();
    assert_eq!((&story["sources"][0]["dated"], &story["sources"][0]["published_at"]), (&false.into(), &day(1).into()));
}

#[test]
fn after_twenty_days_a_run_by_hand_reads_all_that_came_since() {
    let mut week = Week::reading(&["a"]);
    week.publish("a", Post::about_nothing_else("before", "2026-11-16T05:00:00Z"));
    week.run(0);
    week.publish("a", Post::about_nothing_else("long-ago", "2026-11-18T12:00:00Z"));
    week.publish("a", Post::about_nothing_else("too-old", "2026-11-28T06:00:00Z"));
    week.publish("a", Post::about_nothing_else("late", "2026-11-28T08:00:00Z"));
    week.publish("a", Post::about_nothing_else("in-reach", "2026-12-03T12:00:00Z"));
    let digest = week.run(20);
    assert_eq!(digest["digest"]["window_start"].as_str(), Some(&*day(0)));
    let shown = ["before", "long-ago", "too-old", "late", "in-reach"].map(|post| shows(&digest, post));
    assert_eq!(shown, [false, true, true, true, true]);
    assert_eq!(rows::number(&week.radar, "SELECT count(*) FROM runs"), 2, "one run catches up");
    let next = week.run(21);
    assert_eq!((next["digest"]["window_start"].as_str(), next["digest"]["items"].as_u64()), (Some(&*day(20)), Some(0)));
}

#[test]
fn an_item_edited_later_is_not_delivered_again() {
    let mut week = Week::reading(&["a"]);
    week.publish("a", Post::about_nothing_else("edited", "2026-11-16T05:00:00Z"));
    let mut digests = vec![week.run(0)];
    let post = week.feeds.get_mut("a").unwrap().first_mut().unwrap();
    post.text = format!("{} and a correction", post.text);
    post.published = Some("2026-11-16T20:00:00Z".to_owned());
    digests.extend((1..3).map(|number| week.run(number)));
    assert_eq!(days_with(&digests, "edited"), [0]);
    assert_eq!(week.column("i.item_time", "edited"), (FIRST_RUN - 2 * HOUR_MS).to_string());
    assert!(rows::query(&week.radar, "SELECT body_text FROM content_items").concat().ends_with("and a correction"));
}

/// The stories of three days' digests, and the items of each story with their similarity to it.
fn three_days(week: &mut Week, with_old_post: bool) -> (Vec<Value>, Vec<String>) {
    let tellers = ["a", "b", "c", "d"];
    let mut digests = Vec::new();
    for number in 0..3 {
        let yesterday = 15 + number;
        for (hour, teller) in (9..).zip(tellers) {
            let id = format!("{teller}-{number}");
            week.publish(teller, Post::about_nothing_else(&id, &format!("2026-11-{yesterday}T{hour:02}:10:00Z")));
        }
        // One account more each day; on the second day two.
        let told = [&tellers[..1], &tellers[1..3], &tellers[3..]][number];
        for (hour, teller) in (14..).zip(told) {
            week.publish(teller, account(teller, &format!("2026-11-{yesterday}T{hour}:20:00Z")));
        }
        if with_old_post && number == 1 {
            week.publish("a", Post::about_nothing_else("old", "2015-05-05T12:00:00Z"));
        }
        digests.push(week.run(u32::try_from(number).unwrap()));
    }
    let members = "SELECT i.external_id || ' ' || m.cluster_id || ' ' || m.similarity FROM cluster_items m
                   JOIN content_items i ON i.id = m.item_id WHERE i.external_id <> 'old' ORDER BY 1";
    (digests.iter().flat_map(stories).cloned().collect(), rows::query(&week.radar, members))
}

#[test]
fn a_post_of_years_ago_changes_neither_the_stories_of_today_nor_what_they_are_worth() {
    let mut week = Week::reading(&["a", "b", "c", "d"]);
    let without = three_days(&mut week, false);
    week.begin_again();
    let with = three_days(&mut week, true);
    let of_old = "SELECT count(*) FROM cluster_items m JOIN content_items i ON i.id = m.item_id
                  WHERE i.external_id = 'old'";
    assert_eq!(rows::number(&week.radar, of_old), 1, "it has a story of its own");
    assert_eq!(with.1, without.1);
    assert_eq!(with.0, without.0);
    let accounts = without.1.iter().filter(|member| member.starts_with("event-"));
    let joined = accounts.filter(|member| !member.ends_with(" 1.0")).count();
    assert!(joined >= 2, "accounts of one event, whose similarity is compared: {:#?}", without.1);
}

#[test]
fn a_story_shown_while_the_clock_was_ahead_does_not_come_twice() {
    let mut week = Week::reading(&["a", "b", "c"]);
    for (minute, teller) in (10..).zip(["a", "b"]) {
        week.publish(teller, account(teller, &format!("2026-11-17T12:{minute}:00Z")));
    }
    for (minute, source) in (10..).zip(["a", "b", "c"]) {
        week.publish(source, Post::about_nothing_else(source, &format!("2026-11-17T11:{minute}:00Z")));
    }
    let ahead = week.run(4);
    assert!(shows(&ahead, "event-a") && shows(&ahead, "event-b"), "{ahead:#}");
    week.radar.ok(&["topic", "set", "default", "--read-from", &day(1)]);
    week.publish("c", account("c", "2026-11-17T13:00:00Z"));
    week.write();
    week.radar.set("AHA_NOW", &day(2));
    let set_back = week.radar.json(&["run", "--json"]);
    assert_eq!(set_back["digest"]["window_end"], day(2));
    assert_eq!((&set_back["digest"]["items"], &set_back["skipped"]["already_delivered"]), (&1.into(), &1.into()));
    assert!(stories(&set_back).is_empty(), "{set_back:#}");
}
