//! Ids, given by their first digits, the lists that show them, and what `doctor` says of a schedule.

use serde_json::Value;

use super::{FAILED, NOW, USAGE, WINDOW, with_examples};
use crate::support::radar::Radar;
use crate::support::rows;

#[test]
fn digests_and_runs_are_named_by_the_first_digits_of_their_ids() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    let digest = radar.digest();
    let (id, run) = (digest["digest"]["id"].as_str().unwrap(), digest["digest"]["run_id"].as_str().unwrap());
    assert_eq!(radar.json(&["digest", &id[..4], "--json"]), digest);
    assert_eq!(radar.json(&["digest", &id[..8].to_uppercase(), "--json"]), digest);
    for name in [id, run, &id[..6], &run[..6]] {
        radar.run(&["replay", name]).exits(0).says("nothing is stored");
        assert!(!radar.json(&["calls", "--run", name, "--json"]).as_array().unwrap().is_empty(), "{name}");
    }
    radar.run(&["digest", "00000000"]).exits(USAGE).says("begins with 00000000").says("aha-radar digest list");
    radar.run(&["replay", "00000000"]).exits(USAGE).says("aha-radar runs");
    radar.run(&["calls", "--run", "00000000"]).exits(USAGE).says("aha-radar runs");
    let runs = radar.ok(&["runs"]);
    assert!(runs.contains(id), "where no terminal is, ids are whole: {runs}");
}

#[test]
fn digests_are_listed_with_their_ids() {
    let radar = with_examples();
    radar.run(&["digest", "list"]).exits(0).says("no digest yet");
    assert_eq!(radar.json(&["digest", "list", "--json"]), Value::Array(Vec::new()));
    radar.ok(&WINDOW);
    radar.ok(&["--run-once", "--window", "2026-11-15..2026-11-16"]);
    let listed = radar.json(&["digest", "list", "--json"]);
    let days: Vec<&str> = listed.as_array().unwrap().iter().map(|digest| digest["day"].as_str().unwrap()).collect();
    assert_eq!(days, ["2026-11-18", "2026-11-15"]);
    assert_eq!(listed[0]["head"]["id"], radar.digest()["digest"]["id"]);
    let text = radar.ok(&["digest", "list", "--topic", "default", "--limit", "1"]);
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains(&listed[0]["head"]["id"].as_str().unwrap()[..8]) && text.contains("2026-11-18"), "{text}");
    radar.run(&["digest", "list", "--format", "html"]).exits(USAGE).says("--json");
    radar.run(&["digest", "list", "--topic", "nope"]).exits(USAGE).says("there is no topic");
}

#[test]
fn a_digest_is_named_by_its_day_if_only_one_has_it() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    let wide = radar.digest();
    assert_eq!(radar.json(&["digest", "2026-11-18", "--json"]), wide);
    let none = radar.run(&["digest", "2026-11-17"]).exits(USAGE).says("has 2026-11-17 as the last day");
    none.says("aha-radar digest list");
    radar.ok(&["--run-once", "--window", "2026-11-18..2026-11-19"]);
    let narrow = radar.digest();
    let several = radar.run(&["digest", "2026-11-18"]).exits(USAGE).says("give an id");
    let several = several.says(wide["digest"]["id"].as_str().unwrap());
    several.says(narrow["digest"]["id"].as_str().unwrap()).says("2026-11-18T00:00:00Z..2026-11-19T00:00:00Z");
    radar.run(&["digest", "2026-11-18", "--topic", "nope"]).exits(USAGE).says("there is no topic");
}

#[test]
fn several_sources_of_one_beginning_are_named() {
    let radar = Radar::at(NOW);
    radar.add(&["https://a.example/feed", "https://b.example/feed"]);
    let alike = "UPDATE sources SET id = 'abcd0000-0000-5000-8000-00000000000'
        || (SELECT count(*) FROM sources o WHERE o.url < sources.url)";
    rows::execute(&radar, alike);
    let several = radar.run(&["source", "disable", "abcd"]).exits(USAGE).says("2 sources fit \"abcd\"");
    let several = several.says("abcd0000-0000-5000-8000-000000000000  ").says("https://a.example/feed");
    several.says("abcd0000-0000-5000-8000-000000000001  ").says("https://b.example/feed");
    radar.run(&["source", "disable", "abcd0000-0000-5000-8000-000000000001"]).exits(0).says("https://b.example/feed");
}

#[test]
fn a_result_of_a_search_shows_the_id_that_item_takes() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    let found = radar.json(&["search", "--json", "ferry"]);
    let results = found["results"].as_array().unwrap();
    let id = results.iter().find_map(|result| result["digest_item_id"].as_str()).unwrap();
    assert!(radar.ok(&["search", "ferry"]).contains(&format!(" · id {} · ", &id[..6])));
    assert_eq!(radar.json(&["item", &id[..6], "--json"])["id"], id);
}

#[test]
fn filters_without_words_list_the_newest() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    let newest = radar.json(&["search", "--json", "source:tramstop since:2026-11-17"])["results"].clone();
    let results = newest.as_array().unwrap();
    let times: Vec<&str> = results.iter().map(|result| result["time"].as_str().unwrap()).collect();
    assert!(times.len() > 1 && times.is_sorted_by(|a, b| a >= b), "{times:?}");
    assert!(times.iter().all(|time| *time >= "2026-11-17"), "{times:?}");
    assert!(results.iter().all(|result| result["source"] == "Tramstop"), "{newest:#}");
    let options = ["search", "--json", "--source", "tramstop", "--since", "2026-11-17"];
    assert_eq!(radar.json(&options)["results"], newest);
    let mut words = results[0]["title"].as_str().unwrap().split(|c: char| !c.is_alphanumeric());
    let word = words.find(|word| word.len() > 5).unwrap();
    let without = format!("source:tramstop since:2026-11-17 -{word}");
    let without = radar.json(&["search", "--json", &without])["results"].clone();
    assert!(without.as_array().unwrap().iter().all(|result| result["title"] != results[0]["title"]), "{without:#}");
    radar.run(&["search", "?!", "since:7d"]).exits(USAGE).says("no word");
    radar.run(&["search", "-ferry"]).exits(USAGE).says("no word").says("since:");
}

#[test]
fn doctor_reads_a_topic_s_schedule_as_the_daemon_does() {
    let radar = with_examples();
    radar.ok(&WINDOW);
    rows::execute(&radar, "UPDATE topics SET schedule = '0 30 7 * * *'");
    let ran = radar.run(&["doctor"]).exits(FAILED).says("the daemon does not run topic \"default\"");
    ran.says("five fields").says("`aha-radar topic set default --schedule \"0 7 * * *\"`");
    radar.ok(&["topic", "set", "default", "--schedule", "30 7 * * *"]);
    radar.run(&["doctor"]).exits(0).says("topic \"default\": at 07:30 (30 7 * * *) in UTC");
}
