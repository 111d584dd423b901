//! `aha-radar calibrate`: labelled lines in, stories and scores out, thresholds found and kept.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::support::feeds::unlike_any_other;
use crate::support::radar::Radar;

const NOW: &str = "2026-11-19T07:00:00Z";
const USAGE: i32 = 2;

/// What several reports tell of, and what each of them adds.
const MATTERS: [(&str, &str); 3] = [
    ("ferry", "The ferry Marigold lost power off Skerrow with 214 aboard and tugs brought it into the harbour"),
    ("tax", "Parliament voted down the heat pump tax that minister Oduya had proposed for the budget"),
    ("roof", "A storm tore the roof off the school in Kelmouth and pupils moved into the library"),
];
const ADDED: [&str; 3] = [
    "Passers-by watched from the quay until evening.",
    "Neighbours had warned of it for months, a reader writes.",
    "Officials promised an inquiry and further details.",
];

/// Three reports of each matter, with a time or without.
fn lines(timed: bool) -> Vec<Value> {
    let report = |(number, ((story, told), added)): (usize, ((&str, &str), &str))| {
        let mut line =
            json!({ "id": format!("r{number}"), "story": story, "title": told, "text": format!("{told}. {added}") });
        if timed {
            line["published_at"] = json!(format!("2026-11-1{number}T08:00:00Z"));
        }
        line
    };
    let all = MATTERS.into_iter().flat_map(|matter| ADDED.map(|added| (matter, added)));
    all.enumerate().map(report).collect()
}

/// An installation with these lines in `labelled.jsonl`.
fn with(lines: &[Value]) -> Radar {
    let radar = Radar::at(NOW);
    let text = lines.iter().flat_map(|line| [line.to_string(), "\n".to_owned()]).collect::<String>();
    std::fs::write(radar.folder().join("labelled.jsonl"), text).unwrap();
    radar
}

fn calibrate(radar: &Radar, options: &[&str]) -> Value {
    let arguments = ["calibrate", "--input", "labelled.jsonl", "--assignments", "found.jsonl", "--json"];
    radar.json(&[&arguments, options].concat())
}

/// The ids that were put together, whatever the stories are called.
fn together(radar: &Radar) -> BTreeSet<BTreeSet<String>> {
    let found = std::fs::read_to_string(radar.folder().join("found.jsonl")).unwrap();
    let mut clusters: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in found.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let [id, cluster] = ["id", "cluster"].map(|key| line[key].as_str().unwrap().to_owned());
        clusters.entry(cluster).or_default().insert(id);
    }
    clusters.into_values().collect()
}

#[test]
fn labelled_reports_are_put_together_and_scored() {
    for timed in [false, true] {
        let radar = with(&lines(timed));
        let measured = calibrate(&radar, &[]);
        let expected = [["r0", "r1", "r2"], ["r3", "r4", "r5"], ["r6", "r7", "r8"]];
        assert_eq!(together(&radar), expected.map(|ids| ids.map(str::to_owned).into()).into(), "{measured}");
        assert_eq!(measured["bcubed"], json!({ "precision": 1.0, "recall": 1.0, "f1": 1.0 }));
        assert_eq!(
            (&measured["documents"], &measured["stories"], &measured["clusters"]),
            (&json!(9), &json!(3), &json!(3))
        );
        assert_eq!(measured["thresholds"]["origin"], "shipped");
        assert!(!radar.database().exists(), "measuring alone makes no database");
    }
}

#[test]
fn labels_that_are_wrong_cost_precision_and_recall() {
    let mut wrong = lines(false);
    wrong[0]["story"] = json!("tax");
    let measured = calibrate(&with(&wrong), &[]);
    let bcubed = |key: &str| measured["bcubed"][key].as_f64().unwrap();
    assert!(bcubed("precision") < 1.0 && bcubed("recall") < 1.0 && bcubed("f1") > 0.5, "{measured}");
}

#[test]
fn the_same_seed_gives_the_same_to_the_byte() {
    let radar = with(&lines(false));
    let found = |seed: &str| {
        let measured = calibrate(&radar, &["--seed", seed]);
        (measured, std::fs::read_to_string(radar.folder().join("found.jsonl")).unwrap())
    };
    let (first, again, other) = (found("7"), found("7"), found("8"));
    assert_eq!(first, again);
    assert_ne!(first.1, other.1, "another seed orders what has one time in another way");
    assert_eq!(first.0["bcubed"], other.0["bcubed"]);
}

#[test]
fn what_tuning_finds_is_kept_for_the_next_time() {
    // Two reports each that share ever fewer words: labels that want lower thresholds than those that ship.
    let mut lines = Vec::new();
    for words in [8, 12, 16, 20] {
        for shared in 1..words {
            let story = format!("{words} {shared}");
            let (common, rest) = (unlike_any_other(&story, shared), words - shared);
            for own in ["one", "other"] {
                let text = format!("{common} {}", unlike_any_other(&format!("{own} {story}"), rest));
                lines.push(json!({ "id": format!("{own} {story}"), "story": story, "title": text, "text": "" }));
            }
        }
    }
    let radar = with(&lines);
    let tuned = calibrate(&radar, &["--tune"]);
    assert_eq!(tuned["thresholds"]["origin"], "found on this input", "{tuned}");
    let tuning = &tuned["tuning"];
    assert_ne!(tuning["found"], tuning["shipped"], "{tuned}");
    let kept = tuning["kept"].as_str().unwrap();
    let number = |thresholds: &str, name: &str| tuning[thresholds][name].as_f64().unwrap();
    for thresholds in ["found", "shipped"] {
        let [pair, group, split] = ["pair", "crowd", "split"].map(|name| number(thresholds, name));
        assert!(kept.contains(&format!("pair {pair}, group {group}, split {split} reach")), "{kept}");
    }
    assert!(kept.starts_with("Better thresholds found and stored: "), "{kept}");
    let space = tuned["space"].as_str().unwrap();
    assert!(kept.ends_with(&format!("DELETE FROM clustering_thresholds WHERE space = '{space}'")), "{kept}");
    assert!(!kept.contains("crowd"), "{kept}");
    let measured = calibrate(&radar, &[]);
    assert_eq!(measured["thresholds"]["origin"], "found by an earlier --tune");
    for name in ["pair", "crowd", "split"] {
        assert_eq!(measured["thresholds"][name], tuned["thresholds"][name]);
    }
    let printed = radar.run(&["calibrate", "--input", "labelled.jsonl"]).exits(0);
    let printed = printed.says("found by an earlier --tune").says("B³").says(", group ");
    assert!(!printed.stdout.contains("crowd"), "{}", printed.stdout);
}

/// Of one report each there is nothing to put together, whatever the thresholds.
#[test]
fn where_nothing_better_is_found_that_is_said_and_those_that_ship_are_kept() {
    let lines: Vec<Value> = (0..6)
        .map(|number| {
            let text = unlike_any_other(&format!("report {number}"), 20);
            json!({ "id": format!("r{number}"), "story": format!("s{number}"), "title": text, "text": text })
        })
        .collect();
    let radar = with(&lines);
    let tuned = calibrate(&radar, &["--tune"]);
    assert_eq!(tuned["tuning"]["found"], tuned["tuning"]["shipped"], "{tuned}");
    assert_eq!(tuned["thresholds"]["origin"], "shipped");
    let kept = tuned["tuning"]["kept"].as_str().unwrap();
    let reached = tuned["tuning"]["shipped_f1"].as_f64().unwrap();
    let expected = format!("No better thresholds found: the shipped ones reach B³ F1 {reached:.4} on this input");
    assert!(kept.starts_with(&expected) && kept.ends_with("they are in use."), "{kept}");
    assert_eq!(calibrate(&radar, &[])["thresholds"]["origin"], "shipped");
}

#[test]
fn a_line_that_cannot_be_used_is_named() {
    let refused = |line: &str, why: &str| {
        let radar = with(&lines(false));
        let file = radar.folder().join("labelled.jsonl");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{text}{line}\n")).unwrap();
        let run = radar.run(&["calibrate", "--input", "labelled.jsonl", "--assignments", "found.jsonl"]);
        run.exits(USAGE).says("labelled.jsonl, line 10").says(why);
        assert!(!radar.folder().join("found.jsonl").exists());
    };
    refused("nonsense", "expected");
    refused(r#"{"id":"x","title":"t","text":"t"}"#, "missing field `story`");
    refused(r#"{"id":"r0","story":"s","text":"t"}"#, "that of line 1 as well");
    refused(r#"{"id":"x","story":"s","text":"t","published_at":"May"}"#, "no time like");
}

#[test]
fn the_input_is_never_written_over() {
    let radar = with(&lines(false));
    let before = std::fs::read(radar.folder().join("labelled.jsonl")).unwrap();
    let run = radar.run(&["calibrate", "--input", "labelled.jsonl", "--assignments", "./labelled.jsonl"]);
    run.exits(USAGE).says("name another file");
    assert_eq!(std::fs::read(radar.folder().join("labelled.jsonl")).unwrap(), before);
}
