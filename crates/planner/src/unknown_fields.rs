//! Finds the fields of operations that have no meaning. They are not used, which the client has to learn: a misspelt
//! field contains what the user wanted.

use serde_json::Value;

use crate::shape::{Fields, infer_operation_shape, is_bulk_field, readable};

/// The fields of an operation.
pub const FIELDS: [&str; 25] = [
    "kind",
    "action",
    "op",
    "id",
    "title",
    "notes",
    "scheduledFor",
    "timeOfDay",
    "startTime",
    "endTime",
    "location",
    "priority",
    "recurrence",
    "completed",
    "occurrenceDate",
    "link",
    "status",
    "currentProgressValue",
    "targetProgressValue",
    "progressUnit",
    "todos",
    "events",
    "todoId",
    "eventId",
    "childId",
];
/// The fields of an operation that the path of a single record stands for.
const FIELDS_IN_PATH: [&str; 4] = ["kind", "action", "op", "id"];
/// The fields of a record that only the program changes. Clients send a record back as they got it.
const READ_ONLY_FIELDS: [&str; 4] = ["completedDates", "children", "createdAt", "updatedAt"];
/// The fields of a recurrence.
const RECURRENCE_FIELDS: [&str; 3] = ["type", "intervalDays", "until"];
/// Another name of `action`, which clients need not know.
const ACTION_ALIAS: &str = "type";

/// Minimum similarity of a field that is suggested.
const MIN_SIMILARITY: f64 = 0.8;
/// Maximum number of unknown fields of an operation that are named, and of characters of a name.
const MAX_NAMED: usize = 10;
const MAX_NAME_CHARS: usize = 60;

/// Says for each operation which of its fields are not used. The result does not depend on the order of the fields.
#[must_use]
pub fn warnings<'a>(operations: impl IntoIterator<Item = &'a Value>) -> Vec<String> {
    let numbered = |(index, operation): (usize, &Value)| {
        let warning = warning(&infer_operation_shape(operation)?, "an operation", &FIELDS)?;
        Some(format!("operation {}: {warning}", index + 1))
    };
    operations.into_iter().enumerate().filter_map(numbered).collect()
}

/// Says which fields of an operation on the record that a path names are not used.
#[must_use]
pub fn record_warning(operation: &Value) -> Option<String> {
    let usable: Vec<&str> = FIELDS.into_iter().filter(|name| !FIELDS_IN_PATH.contains(name)).collect();
    warning(&infer_operation_shape(operation)?, "a record", &usable)
}

/// Says which fields are not used, and that `owner` has the fields `usable`.
fn warning(fields: &Fields, owner: &str, usable: &[&str]) -> Option<String> {
    let is_known = |name: &str| {
        FIELDS.contains(&name) || READ_ONLY_FIELDS.contains(&name) || is_bulk_field(name) || name == ACTION_ALIAS
    };
    let mut unknown: Vec<&str> = names(fields).filter(|name| !is_known(name)).collect();
    unknown.sort_unstable();
    let rule = fields.get("recurrence").and_then(Value::as_object);
    let in_rule = rule.into_iter().flat_map(names).filter(|name| !RECURRENCE_FIELDS.contains(name));
    let mut unknown_in_rule: Vec<&str> = in_rule.collect();
    unknown_in_rule.sort_unstable();
    let count = unknown.len() + unknown_in_rule.len();
    if count == 0 {
        return None;
    }
    let of_rule = unknown_in_rule.iter().map(|name| format!("recurrence.{}", shown(name)));
    let mut said: Vec<String> =
        unknown.iter().map(|name| suggested(name, usable)).chain(of_rule).take(MAX_NAMED).collect();
    if count > MAX_NAMED {
        said.push(format!("and {} more", count - MAX_NAMED));
    }
    let those_of_rule = if unknown_in_rule.is_empty() {
        String::new()
    } else {
        format!(", those of recurrence are {}", RECURRENCE_FIELDS.join(", "))
    };
    Some(format!(
        "not used, because there are no such fields: {}. The fields of {owner} are {}{those_of_rule}",
        said.join(", "),
        usable.join(", ")
    ))
}

/// Returns the names of the fields that have a value.
fn names(fields: &Fields) -> impl Iterator<Item = &str> {
    fields.iter().filter(|(_, value)| !value.is_null()).map(|(name, _)| name.as_str())
}

/// Returns the name with the one of these fields that it may be a misspelling of.
fn suggested(name: &str, usable: &[&str]) -> String {
    let name = shown(name);
    let plain = |name: &str| name.replace(['_', '-', ' '], "").to_lowercase();
    let similarity = |known: &str| strsim::normalized_damerau_levenshtein(&plain(&name), &plain(known));
    let nearest = usable.iter().max_by(|one, other| similarity(one).total_cmp(&similarity(other)));
    match nearest.filter(|known| similarity(known) >= MIN_SIMILARITY) {
        Some(known) => format!("{name} (did you mean {known}?)"),
        None => name,
    }
}

fn shown(name: &str) -> String {
    readable(name, false).chars().take(MAX_NAME_CHARS).collect()
}
