//! A golden set with recorded judgements: its order, and that of replays by other weights, which call no model and
//! store nothing.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::support::feeds::{Post, feed};
use crate::support::radar::{Radar, repository};
use crate::support::responses::{Fault, OpenAi, When};
use crate::support::rows;

/// A story of `tests/data/golden/stories.jsonl`, with the score that a model once gave it.
#[derive(Deserialize)]
struct Golden {
    title: String,
    text: String,
    source: String,
    published: String,
    aha_score: u8,
}

fn golden() -> Vec<Golden> {
    let lines = std::fs::read_to_string(repository("tests/data/golden/stories.jsonl")).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// An installation with the golden stories, judged as recorded.
fn judged() -> (OpenAi, Radar) {
    let (model, golden) = (OpenAi::start(), golden());
    let radar = model.serve(Radar::at("2026-11-19T07:00:00Z"));
    let mut by_source: BTreeMap<&str, Vec<Post>> = BTreeMap::new();
    for story in &golden {
        model.score(&story.title, story.aha_score);
        let post = Post::new(&story.title, &story.title, &story.text, &story.published);
        by_source.entry(&story.source).or_default().push(post);
    }
    for (number, (source, posts)) in by_source.iter().enumerate() {
        let name = format!("{number}.json");
        std::fs::write(radar.folder().join(&name), feed(source, posts)).unwrap();
        radar.add(&[&name]);
    }
    radar.ok(&["run", "--window", "2026-11-17T20:00:00Z..2026-11-19T00:00:00Z"]);
    (model, radar)
}

fn titles(digest: &Value) -> Vec<String> {
    let stories = digest["stories"].as_array().unwrap();
    stories.iter().map(|story| story["title"].as_str().unwrap().to_owned()).collect()
}

fn everything(radar: &Radar) -> (rows::Tables, Vec<(String, String)>) {
    (rows::all(radar), radar.files())
}

#[test]
fn recorded_judgements_give_the_golden_order() {
    let (_model, radar) = judged();
    insta::assert_snapshot!(titles(&radar.digest()).join("\n"));
}

#[test]
fn a_replay_is_the_run_and_by_other_weights_another_and_nothing_is_asked_or_stored() {
    let (model, radar) = judged();
    let (calls, before) = (model.calls().len(), everything(&radar));
    let digest = radar.digest();
    assert_eq!(radar.json(&["replay", "latest", "--json"]), digest);
    let run = digest["digest"]["run_id"].as_str().unwrap();
    let newest_first = radar.json(&["replay", run, "--weight", "heuristic=60", "--json"]);
    assert_ne!(titles(&newest_first), titles(&digest));
    assert_eq!(titles(&newest_first).len(), titles(&digest).len(), "no weight moves a story out of its band");
    for story in newest_first["stories"].as_array().unwrap() {
        let told = digest["stories"].as_array().unwrap().iter().find(|old| old["id"] == story["id"]).unwrap();
        assert_eq!(story["aha_score"], told["aha_score"]);
        assert_eq!(story["score_debug"]["weights"]["heuristic"], 60.0);
    }
    radar.run(&["replay", "--weight", "ai=0"]).exits(0).says("nothing is stored");
    assert_eq!((model.calls().len(), everything(&radar)), (calls, before));
}

#[test]
fn a_story_that_the_next_run_judges_stays_in_the_replay_of_its_own() {
    let model = OpenAi::start();
    let mut radar = model.serve(Radar::at("2026-11-19T07:00:00Z"));
    let post = Post::about_nothing_else("one", "2026-11-19T01:00:00Z");
    model.score(&post.title, 80);
    std::fs::write(radar.folder().join("feed.json"), feed("Feed", &[post])).unwrap();
    radar.add(&["feed.json"]);
    model.fault(When::always().schema("triage_v1").first(1), Fault::Status(401));
    radar.run(&["run"]).exits(3);
    let digest = radar.digest();
    assert_eq!(digest["stories"][0]["state"], "failed");
    radar.set("AHA_NOW", "2026-11-19T09:00:00Z");
    radar.run(&["run"]).exits(0);
    assert_eq!(radar.digest()["stories"][0]["state"], "judged");
    let replayed = radar.json(&["replay", digest["digest"]["run_id"].as_str().unwrap(), "--json"]);
    assert_eq!(titles(&replayed), titles(&digest));
}

#[test]
fn what_cannot_be_replayed_is_said() {
    let radar = Radar::at("2026-11-19T07:00:00Z");
    radar.ok(&["init"]);
    radar.run(&["replay"]).exits(2).says("aha-radar runs");
    let (_model, radar) = judged();
    radar.run(&["replay", "--weight", "height=1"]).exits(2).says("NAME=NUMBER");
}
