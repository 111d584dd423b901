//! How sentences are read: those of `data/sentences*.jsonl` by class, and single ones by subject.

#![expect(clippy::unwrap_used, reason = "a failed one is the report")]

mod any_text;
mod asked;
mod constructions;
mod daily_use;
mod days;
mod ends_of_series;
mod left_out_days;
mod new_titles;
mod other_records;
mod ranges;
mod sets;
mod shown;
mod some_days;
mod time_zones;
mod times_of_today;

use std::collections::BTreeMap;

use aha_core::time::Timestamp;
use aha_planner::apply::{State, apply};
use aha_planner::language::{Reading, Selection, Today, read};
use aha_planner::operation::Operation;
use aha_planner::time_of_day::TimeOfDay;
use aha_planner::validate::validate_proposal;
use chrono::NaiveDate;
use serde_json::{Value, json};

fn state() -> State {
    let made: Value = serde_json::from_str(include_str!("../data/planner_state.json")).unwrap();
    let mut state = State::default();
    let operations: Vec<Value> =
        made["operations"].as_array().unwrap().iter().map(|o| with_defaults(o, &State::default())).collect();
    let checked = validate_proposal(&operations, &state);
    assert!(checked.is_valid(), "{checked:?}");
    apply(&mut state, &checked.valid(), &mut 0, Timestamp::from_millis(0)).unwrap();
    state
}

/// The records after another operation.
fn state_after(operation: &Value) -> State {
    let mut state = state();
    let checked = validate_proposal(std::slice::from_ref(operation), &state);
    assert!(checked.is_valid(), "{checked:?}");
    apply(&mut state, &checked.valid(), &mut 20, Timestamp::from_millis(0)).unwrap();
    state
}

/// The operations of a sentence that is read as a plan.
#[track_caller]
fn plan(say: &str, state: &State, selected: &[i64]) -> Vec<Operation> {
    let selection = Selection { ids: selected.to_vec(), ..Selection::default() };
    let reading = read(say, state, today(), &selection);
    assert!(matches!(reading, Reading::Plan(_)), "{say}: {reading:?}");
    if let Reading::Plan(operations) = reading { operations } else { Vec::new() }
}

/// The ids that the question about a sentence offers.
#[track_caller]
fn offered(say: &str, selected: &[i64]) -> Vec<i64> {
    let selection = Selection { ids: selected.to_vec(), ..Selection::default() };
    let reading = read(say, &state(), today(), &selection);
    assert!(matches!(reading, Reading::Clarify(_)), "{say}: {reading:?}");
    let options = if let Reading::Clarify(question) = reading { question.options } else { Vec::new() };
    options.iter().map(|option| option.id).collect()
}

fn ops_and_ids(operations: &[Operation]) -> Vec<(&str, Option<i64>)> {
    operations.iter().map(|operation| (operation.op.as_str(), operation.id)).collect()
}

fn today() -> Today {
    Today::new(NaiveDate::from_ymd_opt(2026, 3, 11).unwrap(), TimeOfDay::new(8, 0).unwrap())
}

/// An operation with what it leaves unchanged said too, so that two can be compared.
fn with_defaults(operation: &Value, state: &State) -> Value {
    let mut fields = operation.as_object().unwrap().clone();
    fields.shift_remove("op");
    let kind = fields["kind"].as_str().unwrap().parse().unwrap();
    let known = fields.get("id").and_then(Value::as_i64).and_then(|id| state.item(kind, id)).map(|item| json!(item));
    let (create, update) = (fields["action"] == "create", fields["action"] == "update");
    if (create || update) && fields["kind"] != "goal" {
        for (name, default) in [("recurrence", json!({"type": "none"})), ("scheduledFor", Value::Null)] {
            let unchanged = known.as_ref().map_or(default, |item| item[name].clone());
            fields.entry(name).or_insert(unchanged);
        }
    }
    if create {
        fields.retain(|_, value| !value.is_null());
    }
    // 5 and 5.0 are one number.
    for (_, value) in fields.iter_mut().filter(|(name, _)| name.ends_with("ProgressValue")) {
        *value = json!(value.as_f64());
    }
    let sorted: BTreeMap<String, Value> = fields.into_iter().collect();
    json!(sorted)
}
