//! Normalises an operation from a model or a client for [`crate::validate`].
//!
//! It does not judge an operation. Fields that cannot be interpreted stay as they are, for the validation to report.

use serde_json::{Map, Value};

use crate::operation::op_code;
use crate::record::Kind;
use crate::time_of_day::TimeOfDay;

pub type Fields = Map<String, Value>;

/// Nullable fields; an empty text means null.
const NULLABLE: [&str; 8] =
    ["scheduledFor", "timeOfDay", "startTime", "endTime", "location", "progressUnit", "link", "occurrenceDate"];

/// Fields that name several records, in any case. They are kept for the validation, which refuses them, unless they are
/// empty.
const BULK_FIELDS: [&str; 2] = ["ids", "where"];

/// Fields whose values are converted to lower case.
const WORDS: [&str; 5] = ["kind", "action", "op", "priority", "status"];

/// Returns the operation with `kind`, `action` and `op` inferred as far as possible, words in lower case, empty texts
/// as null, and the start time in the field of its kind. `None` if the value is not an object.
#[must_use]
pub fn infer_operation_shape(operation: &Value) -> Option<Fields> {
    // Also accepts the form in a validation result, the operation with its errors.
    let inner = operation.get("op").filter(|inner| inner.is_object());
    let mut fields = inner.unwrap_or(operation).as_object()?.clone();
    fields.retain(|name, value| !(is_bulk_field(name) && is_nothing(value)));
    for (name, value) in inner.and(operation.as_object()).into_iter().flatten() {
        if is_bulk_field(name) && !is_nothing(value) {
            fields.insert(name.clone(), value.clone());
        }
    }
    for word in WORDS {
        if let Some(Value::String(text)) = fields.get_mut(word) {
            *text = text.trim().to_lowercase();
        }
    }
    for name in NULLABLE {
        if fields.get(name).and_then(Value::as_str).is_some_and(|text| text.trim().is_empty()) {
            fields.insert(name.to_owned(), Value::Null);
        }
    }
    let is_empty = |fields: &Fields, name: &str| {
        fields
            .get(name)
            .is_some_and(|value| value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty()))
    };
    for name in ["priority", "status", "recurrence", "completed"] {
        // An empty value means the default, or the current value.
        if is_empty(&fields, name) {
            fields.shift_remove(name);
        }
    }
    if is_empty(&fields, "notes") {
        if fields.get("id").is_some_and(Value::is_number) {
            // The record's notes are removed.
            fields.insert("notes".to_owned(), "".into());
        } else {
            fields.shift_remove("notes");
        }
    }
    for name in ["title", "notes", "location", "progressUnit", "link"] {
        if let Some(Value::String(text)) = fields.get_mut(name) {
            *text = readable(text, name == "notes");
        }
    }
    shape_recurrence(&mut fields);
    shape_items(&mut fields);
    shape_op(&mut fields);
    shape_time(&mut fields);
    Some(fields)
}

/// Returns whether a field names several records.
pub(crate) fn is_bulk_field(name: &str) -> bool {
    BULK_FIELDS.iter().any(|bulk| name.eq_ignore_ascii_case(bulk))
}

/// Returns whether a value is null or an empty list or object.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Removes control characters and marks of direction, and collapses white space to single spaces. With `lines`, line
/// breaks are preserved; a carriage return is one.
pub(crate) fn readable(text: &str, lines: bool) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let is_space = |c: char| c.is_control() && c.is_whitespace() && !(lines && c == '\n');
    let spaced = text.chars().map(|c| if is_space(c) { ' ' } else { c });
    let clean: String = spaced.filter(|c| *c == '\n' || !(c.is_control() || is_direction_mark(*c))).collect();
    if lines { clean.trim().to_owned() } else { clean.split_whitespace().collect::<Vec<_>>().join(" ") }
}

/// Returns whether a character is invisible and sets the direction of the text around it.
const fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Accepts a rule given by its name alone, and its interval as `interval`.
fn shape_recurrence(fields: &mut Fields) {
    let Some(recurrence) = fields.get_mut("recurrence") else { return };
    if let Some(name) = recurrence.as_str() {
        *recurrence = serde_json::json!({ "type": name });
    }
    let Some(rule) = recurrence.as_object_mut() else { return };
    if let Some(Value::String(kind)) = rule.get_mut("type") {
        *kind = kind.trim().to_lowercase();
    }
    if let Some(interval) = rule.shift_remove("interval") {
        rule.entry("intervalDays").or_insert(interval);
    }
    rule.retain(|_, value| !(value.is_null() || value.as_str() == Some("")));
}

/// Accepts a goal's items as `{"id": 3}` instead of 3.
fn shape_items(fields: &mut Fields) {
    for name in ["todos", "events"] {
        let Some(Value::Array(items)) = fields.get_mut(name) else { continue };
        for item in items {
            if let Some(id) = item.get("id") {
                *item = id.clone();
            }
        }
    }
}

fn shape_op(fields: &mut Fields) {
    let text = |fields: &Fields, name: &str| {
        fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(ToOwned::to_owned)
    };
    let written = text(fields, "action").or_else(|| text(fields, "op")).or_else(|| text(fields, "type"));
    if text(fields, "kind").is_none() {
        let goal = ["action", "op", "type"]
            .iter()
            .any(|name| text(fields, name).is_some_and(|name| name.starts_with("goal_")));
        fields.insert("kind".to_owned(), if goal { "goal" } else { "todo" }.into());
    }
    let Some(action) = written.or_else(|| inferred_action(fields).map(ToOwned::to_owned)) else { return };
    let Some(kind) = text(fields, "kind").and_then(|kind| kind.parse::<Kind>().ok()) else {
        fields.insert("op".to_owned(), action.into());
        return;
    };
    let action = action.strip_prefix("goal_").filter(|_| kind == Kind::Goal).unwrap_or(&action);
    if action == "create" {
        // The store assigns the id.
        fields.shift_remove("id");
    }
    fields.insert("op".to_owned(), op_code(kind, action).into());
    fields.insert("action".to_owned(), action.into());
}

/// Accepts a start time in the field of another kind: an event has `startTime`, a todo or a habit `timeOfDay`. A value
/// that is no time stays where it is.
fn shape_time(fields: &mut Fields) {
    let (own, other) = match fields.get("kind").and_then(Value::as_str) {
        Some("event") => ("startTime", "timeOfDay"),
        Some("todo" | "habit") => ("timeOfDay", "startTime"),
        _ => return,
    };
    let is_time = |value: &Value| value.as_str().is_some_and(|text| text.parse::<TimeOfDay>().is_ok());
    if fields.contains_key(own) || !fields.get(other).is_some_and(is_time) {
        return;
    }
    if let Some(time) = fields.shift_remove(other) {
        fields.insert(own.to_owned(), time);
    }
}

/// Infers the action of an operation without one, from its id and its other fields.
fn inferred_action(fields: &Fields) -> Option<&'static str> {
    let has = |name: &str| fields.contains_key(name);
    let has_fields =
        ["title", "notes", "scheduledFor", "priority", "recurrence", "timeOfDay"].iter().any(|name| has(name));
    match fields.get("id").is_some_and(Value::is_number) {
        true if has("occurrenceDate") => Some("complete_occurrence"),
        true if has_fields => Some("update"),
        true if fields.get("completed").is_some_and(Value::is_boolean) => Some("complete"),
        false if has("title") || has("scheduledFor") || has("priority") => Some("create"),
        _ => None,
    }
}
