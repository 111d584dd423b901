//! The sentences of `data/sentences*.jsonl`. The figures in these assertions are of these sentences alone.

use std::collections::BTreeMap;

use aha_planner::language::{Reading, Selection, read};
use aha_planner::validate::validate_proposal;
use serde_json::{Value, json};

use crate::{state, today, with_defaults};

/// For each class how many sentences, how many read as they should be, and which were not.
fn scores(sentences: &str) -> BTreeMap<String, (usize, usize, Vec<String>)> {
    let state = state();
    let mut scores: BTreeMap<String, (usize, usize, Vec<String>)> = BTreeMap::new();
    for line in sentences.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let say = case["say"].as_str().unwrap();
        let reading = read(say, &state, today(), &Selection::default());
        let class = case["class"].as_str().unwrap();
        let (right, got) = match &reading {
            Reading::Plan(operations) => {
                let checked = validate_proposal(&operations.iter().map(|o| json!(o)).collect::<Vec<_>>(), &state);
                assert!(checked.is_valid(), "{say}: {checked:?}");
                let got: Vec<Value> = operations.iter().map(|o| with_defaults(&json!(o), &state)).collect();
                let expected = case.get("expect").and_then(Value::as_array).cloned().unwrap_or_default();
                let expected: Vec<Value> = expected.iter().map(|o| with_defaults(o, &state)).collect();
                let harmless = class == "hostile" && got.iter().all(|o| o["action"] == "create");
                (got == expected || harmless, json!(got).to_string())
            }
            Reading::Clarify(question) => (matches!(class, "ambiguous" | "hostile"), question.question.clone()),
            Reading::Chat => (class == "hostile", "chat".to_owned()),
        };
        let entry = scores.entry(class.to_owned()).or_default();
        entry.0 += 1;
        entry.1 += usize::from(right);
        if !right {
            entry.2.push(format!("{say}\n      {got}"));
        }
    }
    scores
}

const CLASSES: [&str; 4] = ["clear", "repeating", "ambiguous", "hostile"];

/// `numbers`: how many sentences there are of each of [`CLASSES`], so that a file that lost some is noticed. `least`: in
/// percent the least that is right of the clear, the repeating and the ambiguous; of the hostile it is all.
#[expect(clippy::print_stdout, reason = "with --nocapture it is the report")]
fn are_read(sentences: &str, numbers: [usize; 4], least: [usize; 3]) {
    let scores = scores(sentences);
    for (class, (all, right, wrong)) in &scores {
        println!("{class}: {right} of {all}");
        for sentence in wrong {
            println!("    {sentence}");
        }
    }
    assert!(scores.keys().all(|class| CLASSES.contains(&class.as_str())), "{:?}", scores.keys());
    let limits = numbers.into_iter().zip(least.into_iter().chain([100]));
    for (class, (number, least)) in CLASSES.into_iter().zip(limits) {
        let (all, right) = scores.get(class).map_or((0, 0), |(all, right, _)| (*all, *right));
        assert_eq!(all, number, "sentences of the class {class}");
        // A class without sentences has no share.
        let share = (right * 100).checked_div(all).unwrap_or(100);
        assert!(share >= least, "{class}: {share} percent");
    }
}

#[test]
fn sentences_are_read_as_they_should_be() {
    are_read(include_str!("../data/sentences.jsonl"), [80, 20, 30, 20], [85, 85, 90]);
}

#[test]
fn sentences_of_other_styles_are_read_as_they_should_be() {
    are_read(include_str!("../data/sentences_second.jsonl"), [47, 13, 17, 13], [85, 85, 90]);
}

#[test]
fn sentences_of_a_third_set_are_read_as_they_should_be() {
    are_read(include_str!("../data/sentences_third.jsonl"), [24, 6, 6, 4], [85, 85, 90]);
}

#[test]
fn sentences_of_a_fourth_set_are_read_as_they_should_be() {
    are_read(include_str!("../data/sentences_fourth.jsonl"), [24, 6, 6, 4], [85, 85, 90]);
}

#[test]
fn sentences_of_a_fifth_set_are_read_as_they_should_be() {
    are_read(include_str!("../data/sentences_fifth.jsonl"), [32, 8, 12, 8], [95, 95, 95]);
}

#[test]
fn sentences_of_a_sixth_set_are_read_as_they_should_be() {
    are_read(include_str!("../data/sentences_sixth.jsonl"), [56, 13, 19, 12], [95, 95, 95]);
}

#[test]
fn sentences_of_a_seventh_set_are_read_as_they_should_be() {
    are_read(include_str!("../data/sentences_seventh.jsonl"), [70, 9, 19, 12], [95, 95, 95]);
}

#[test]
fn ambiguous_sentences_of_another_author_are_asked_about() {
    are_read(include_str!("../data/sentences_ambiguous.jsonl"), [0, 0, 30, 0], [0, 0, 95]);
}

#[test]
fn each_class_of_constructions_is_read_as_it_should_be() {
    are_read(include_str!("../data/sentences_by_class.jsonl"), [289, 94, 88, 7], [100, 100, 100]);
}
