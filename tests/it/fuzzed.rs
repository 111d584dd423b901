//! What fuzzing has found worth keeping (`scripts/fuzz/fuzz.sh`), tried again: one input each for what the code can do
//! with bytes of any kind.

use std::panic::catch_unwind;
use std::{fs, path::Path};

#[path = "../../fuzz/src/lib.rs"]
mod checks;

/// Inputs of a target: learned ones are a JSON string a line, a character a byte.
fn inputs(target: &str) -> Vec<Vec<u8>> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let learned = fs::read_to_string(fuzz.join(format!("learned/{target}.jsonl"))).unwrap();
    let bytes = |line: &str| -> Vec<u8> {
        serde_json::from_str::<String>(line).unwrap().chars().map(|c| u8::try_from(c).unwrap()).collect()
    };
    let by_hand = fs::read_dir(fuzz.join("corpus").join(target)).unwrap();
    let by_hand = by_hand.map(|entry| fs::read(entry.unwrap().path()).unwrap());
    learned.lines().map(bytes).chain(by_hand).collect()
}

fn hold(target: &str, least: usize, check: fn(&[u8])) {
    let inputs = inputs(target);
    assert!(inputs.len() >= least, "{target}: {} inputs", inputs.len());
    for input in inputs {
        let held = catch_unwind(|| check(&input));
        assert!(held.is_ok(), "{target}: {}", input.escape_ascii());
    }
}

#[test]
fn what_was_learned_of_the_parser_holds() {
    hold("parser", 500, checks::parser);
}

#[test]
fn what_was_learned_of_repair_holds() {
    hold("repair", 50, checks::repair);
}

#[test]
fn what_was_learned_of_dates_holds() {
    hold("dates", 50, checks::dates);
}

#[test]
fn what_was_learned_of_canonical_addresses_holds() {
    hold("canonical", 50, checks::canonical);
}

#[test]
fn what_was_learned_of_the_sanitizer_holds() {
    hold("sanitizer", 50, checks::sanitizer);
}

#[test]
fn documents_hold() {
    hold("documents", 3, checks::documents);
}

#[test]
fn answers_of_models_hold() {
    hold("answers", 3, checks::answers);
}

#[test]
fn pages_of_notes_hold() {
    hold("notes", 3, checks::notes);
}

#[test]
fn sentences_for_the_planner_hold() {
    hold("planner", 4, checks::planner);
}
