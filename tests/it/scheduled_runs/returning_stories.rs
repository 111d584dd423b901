//! Stories that several sources tell, over several runs: when they return, with which members, and what is said of
//! them.

use serde_json::Value;

use super::{Week, account, day, stories};
use crate::support::feeds::{Post, unlike_any_other};
use crate::support::rows;

#[test]
fn a_story_comes_back_when_its_sources_have_doubled_and_says_who_is_new() {
    let mut week = Week::reading(&["a", "b", "c", "d", "e"]);
    let mut digests = Vec::new();
    for (number, teller) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
        week.publish(teller, account(teller, &format!("2026-11-{}T12:00:00Z", 15 + number)));
        for other in ["a", "b", "c", "d", "e"] {
            let id = format!("{other}-{number}");
            week.publish(other, Post::about_nothing_else(&id, &format!("2026-11-{}T13:00:00Z", 15 + number)));
        }
        digests.push(week.run(u32::try_from(number).unwrap()));
    }
    let told = |digest: &Value| {
        stories(digest)
            .iter()
            .find(|s| s["title"].to_string().contains(&unlike_any_other("the event's name", 4)))
            .cloned()
    };
    let first = told(&digests[0]).unwrap();
    assert_eq!((&first["since"], first["label"] == "told_by_several"), (&Value::Null, false));
    let second = told(&digests[1]).unwrap();
    assert_eq!(second["cluster_id"], first["cluster_id"]);
    assert_eq!(second["since"]["delivered_at"], day(0));
    assert_eq!(
        (&second["since"]["sources_before"], &second["since"]["new_sources"]),
        (&1.into(), &serde_json::json!(["b"]))
    );
    assert_eq!((told(&digests[2]), &digests[2]["skipped"]["already_delivered"]), (None, &1.into()));
    let fourth = told(&digests[3]).unwrap();
    assert_eq!(fourth["since"]["delivered_at"], day(1));
    assert_eq!(
        (&fourth["since"]["sources_before"], &fourth["since"]["new_sources"]),
        (&2.into(), &serde_json::json!(["c", "d"]))
    );
    assert_eq!((told(&digests[4]), &digests[4]["skipped"]["already_delivered"]), (None, &1.into()));
    let judged = "SELECT count(*) FROM answers WHERE task = 'triage' AND fingerprint LIKE '%CLUSTER%'";
    let judged = judged.replace("%CLUSTER%", &format!("{}:%", first["cluster_id"].as_str().unwrap()));
    assert_eq!(rows::number(&week.radar, &judged), 3, "judged anew each time its sources have doubled, and only then");
}

#[test]
fn a_muted_item_of_an_earlier_run_is_no_part_of_a_story() {
    let mut week = Week::reading(&["a", "b", "c"]);
    week.radar.ok(&["topic", "set", "default", "--mute", "source:^a$"]);
    week.publish("a", account("a", "2026-11-15T12:00:00Z"));
    week.publish("b", Post::about_nothing_else("else", "2026-11-15T12:00:00Z"));
    week.run(0);
    for teller in ["b", "c"] {
        week.publish(teller, account(teller, "2026-11-16T12:00:00Z"));
    }
    let digest = week.run(1);
    assert_eq!(stories(&digest).len(), 1);
    assert_eq!(sources(&stories(&digest)[0]), ["b", "c"]);
    // A rule that is newer than the item and the story.
    week.radar.ok(&["topic", "set", "default", "--mute", "source:^b$"]);
    for teller in ["d", "e", "f", "g"] {
        week.publish("c", account(teller, "2026-11-17T12:00:00Z"));
    }
    week.feeds.insert("d".to_owned(), vec![account("h", "2026-11-17T12:00:00Z")]);
    week.feeds.insert("e".to_owned(), vec![account("i", "2026-11-17T12:00:00Z")]);
    week.feeds.insert("f".to_owned(), vec![account("j", "2026-11-17T12:00:00Z")]);
    week.write();
    week.radar.add(&["d.json", "e.json", "f.json"]);
    let digest = week.run(2);
    let story = stories(&digest).iter().find(|story| story["since"].is_object()).unwrap();
    let mut names = sources(story);
    names.sort();
    names.dedup();
    assert_eq!(names, ["c", "d", "e", "f"]);
}

fn sources(story: &Value) -> Vec<String> {
    let mut names: Vec<String> =
        story["sources"].as_array().unwrap().iter().map(|source| source["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_story_that_returns_names_the_day_of_its_digest_in_the_readers_time_zone() {
    let mut week = Week::reading(&["a", "b"]);
    // The runs are at midnight in Bangkok: the digest of the 16th ends with that day.
    week.radar.ok(&["topic", "set", "default", "--timezone", "Asia/Bangkok"]);
    week.publish("a", account("a", "2026-11-16T12:00:00Z"));
    week.run_at("2026-11-16T17:00:00Z");
    week.publish("b", account("b", "2026-11-17T12:00:00Z"));
    let digest = week.run_at("2026-11-17T17:00:00Z");
    let story = &stories(&digest)[0];
    assert!(story["since"].is_object());
    assert!(
        story["reason"].as_str().unwrap().to_lowercase().contains("continues a story of 16 nov"),
        "{}",
        story["reason"]
    );
    let page = week.radar.ok(&["digest", "latest"]);
    assert!(page.contains("New since 16 Nov: now also told by b"), "{page}");
}
