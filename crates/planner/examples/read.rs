//! Interprets sentences from standard input, one per line, against sample records: `cargo run -p aha-planner --example
//! read < sentences`.

use std::io::{Write as _, stdin, stdout};

use aha_core::time::Timestamp;
use aha_planner::apply::{State, apply};
use aha_planner::language::{Reading, Selection, Today, read};
use aha_planner::time_of_day::TimeOfDay;
use aha_planner::validate::validate_proposal;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let made: Value = serde_json::from_str(include_str!("../tests/data/planner_state.json"))?;
    let mut state = State::default();
    let operations: Vec<Value> = made["operations"].as_array().into_iter().flatten().cloned().collect();
    let checked = validate_proposal(&operations, &state);
    let repaired = aha_planner::repair::repair(&checked, &state, "2026-03-11".parse()?);
    apply(&mut state, &repaired.valid(), &mut 0, Timestamp::from_millis(0))?;
    let time: TimeOfDay = "08:00".parse()?;
    let today = Today::new("2026-03-11".parse()?, time);
    for sentence in stdin().lines() {
        let sentence = sentence?;
        let answer = match read(&sentence, &state, today, &Selection::default()) {
            Reading::Plan(operations) => json!(operations),
            Reading::Clarify(question) => json!(question),
            Reading::Chat => json!("a question or a greeting"),
        };
        writeln!(stdout(), "{sentence}\n    {answer}")?;
    }
    Ok(())
}
