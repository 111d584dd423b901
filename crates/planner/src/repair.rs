//! Corrects validation errors by rules, if only one correction is possible. Used before a model is asked, or instead of
//! one.

use chrono::NaiveDate;
use serde_json::{Value, json};

use crate::record::{Item, Kind};
use crate::shape::Fields;
use crate::state::State;
use crate::validate::{CheckedOperation, ErrorCode, Validation, validate_proposal};

/// Corrects the invalid operations and validates all of them again.
#[must_use]
pub fn repair(validation: &Validation, state: &State, today: NaiveDate) -> Validation {
    let operations: Vec<Value> = validation.results.iter().map(|result| corrected(result, state, today)).collect();
    validate_proposal(&operations, state)
}

fn corrected(result: &CheckedOperation, state: &State, today: NaiveDate) -> Value {
    let Some(fields) = result.op.as_object().filter(|_| !result.errors.is_empty()) else {
        return result.op.clone();
    };
    let mut fields = fields.clone();
    for code in &result.errors {
        correct(&mut fields, *code, state, today);
    }
    // A recurrence that was just added may need its first day.
    let repeats = fields.get("recurrence").and_then(|r| r["type"].as_str()).is_some_and(|rule| rule != "none");
    if repeats && result.errors.contains(&ErrorCode::MissingRecurrence) {
        correct(&mut fields, ErrorCode::MissingAnchor, state, today);
    }
    Value::Object(fields)
}

fn correct(fields: &mut Fields, code: ErrorCode, state: &State, today: NaiveDate) {
    let item = known_item(fields, state);
    match code {
        ErrorCode::MissingRecurrence => {
            let habit = fields.get("kind").and_then(Value::as_str) == Some("habit");
            let rule = match item {
                // An update without a recurrence preserves the current one.
                Some(item) => json!(item.recurrence),
                None => json!({ "type": if habit { "daily" } else { "none" } }),
            };
            fields.insert("recurrence".to_owned(), rule);
        }
        // A date that cannot be parsed stays, for a model to correct.
        ErrorCode::MissingAnchor if fields.get("scheduledFor").is_none_or(Value::is_null) => {
            let anchor = item.and_then(|item| item.scheduled_for).unwrap_or(today);
            fields.insert("scheduledFor".to_owned(), json!(anchor));
        }
        // An update may change more than the completion.
        ErrorCode::UseCompleteOccurrence if fields.get("action").and_then(Value::as_str) != Some("update") => {
            fields.insert("action".to_owned(), "complete_occurrence".into());
            fields.insert("op".to_owned(), "complete_occurrence".into());
            if let Some(day) = item.and_then(|item| due_day(item, today)) {
                fields.entry("occurrenceDate").or_insert_with(|| json!(day));
            }
        }
        ErrorCode::NotRepeating => {
            fields.insert("action".to_owned(), "complete".into());
            fields.insert("op".to_owned(), "complete".into());
            fields.shift_remove("occurrenceDate");
        }
        ErrorCode::IdNotFound => correct_kind(fields, state),
        ErrorCode::InvalidPriority => {
            fields.shift_remove("priority");
        }
        _ => {}
    }
}

fn known_item<'a>(fields: &Fields, state: &'a State) -> Option<&'a Item> {
    let kind = fields.get("kind")?.as_str()?.parse::<Kind>().ok()?;
    state.item(kind, fields.get("id")?.as_i64()?)
}

/// Ids are counted across kinds, so an id that belongs to another kind identifies the record.
fn correct_kind(fields: &mut Fields, state: &State) {
    let goal = fields.get("kind").and_then(Value::as_str) == Some("goal");
    let item = fields.get("id").and_then(Value::as_i64).and_then(|id| state.item_by_id(id));
    if let Some(item) = item.filter(|_| !goal) {
        fields.insert("kind".to_owned(), item.kind.as_str().into());
    }
}

/// Returns the day that "done" refers to: today if it is due, else the last occurrence before, else the next.
#[must_use]
pub fn due_day(item: &Item, today: NaiveDate) -> Option<NaiveDate> {
    let anchor = item.scheduled_for?;
    item.recurrence.last_until(anchor, today).or_else(|| item.recurrence.next_from(anchor, today))
}
