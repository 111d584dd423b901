//! Fields that an operation does not have are named.

use std::collections::BTreeSet;

use aha_planner::operation::Operation;
use aha_planner::unknown_fields::{FIELDS, record_warning, warnings};
use serde_json::{Value, json};

#[test]
fn a_field_that_is_not_used_is_named_with_those_that_are() {
    let operations = [
        json!({"kind": "todo", "action": "create", "title": "Report", "recurrence": {"type": "none"}}),
        json!({"kind": "todo", "action": "create", "title": "Dentist", "time": "10:00", "scheduled_for": "2026-12-24",
               "recurrence": {"type": "weekly", "count": 5}}),
    ];
    let said = warnings(&operations);
    assert_eq!(said.len(), 1, "{said:?}");
    let start = "operation 2: not used, because there are no such fields: scheduled_for (did you mean scheduledFor?), \
                 time, recurrence.count. The fields of an operation are kind, action, op, id, title,";
    assert!(said[0].starts_with(start), "{said:?}");
    assert!(said[0].ends_with("childId, those of recurrence are type, intervalDays, until"), "{said:?}");
}

#[test]
fn the_order_of_fields_changes_nothing_and_what_is_null_was_not_said() {
    let one = json!({"title": "x", "when": 1, "nots": "y"});
    let other = json!({"nots": "y", "when": 1, "title": "x"});
    assert_eq!(warnings([&one]), warnings([&other]));
    assert!(warnings([&json!({"title": "x", "when": null, "clear": null})]).is_empty());
}

#[test]
fn what_clients_and_models_send_beside_the_fields_is_known() {
    for operation in [
        json!({"op": {"kind": "todo", "action": "complete", "op": "complete", "id": 1}, "errors": []}),
        json!({"kind": "todo", "type": "create", "title": "x"}),
        json!({"title": "x", "scheduledFor": "2026-03-11", "recurrence": {"type": "every_n_days", "interval": 3}}),
        json!({"title": "x", "recurrence": "none"}),
        // The validation refuses these.
        json!({"kind": "todo", "action": "complete", "id": 1, "ids": [1, 2]}),
        json!({"kind": "todo", "action": "complete", "id": 1, "IDs": [1, 2]}),
        // A record that is sent back.
        json!({"kind": "todo", "id": 1, "title": "x", "completedDates": ["2026-03-11"],
               "createdAt": "2026-03-11T08:00:00Z", "updatedAt": "2026-03-11T08:00:00Z"}),
        json!({"kind": "goal", "id": 6, "title": "x", "children": [7]}),
        json!("add milk"),
    ] {
        assert_eq!(warnings([&operation]), Vec::<String>::new(), "{operation}");
    }
}

#[test]
fn the_fields_of_a_record_are_those_that_its_path_does_not_stand_for() {
    let said =
        record_warning(&json!({"kind": "todo", "action": "update", "id": 1, "tilte": "x", "acton": "y"})).unwrap();
    let start = "not used, because there are no such fields: acton, tilte (did you mean title?). \
                 The fields of a record are title, notes,";
    assert!(said.starts_with(start), "{said}");
    assert_eq!(record_warning(&json!({"kind": "todo", "action": "update", "id": 1, "title": "x"})), None);
}

#[test]
fn many_and_long_names_are_cut() {
    let fields = (0..100).map(|number| (format!("{number:03}{}", "x".repeat(5_000)), json!(1)));
    let said = warnings([&Value::Object(fields.collect())]);
    assert!(said[0].contains(", and 90 more.") && said[0].len() < 1_500, "{said:?}");
}

#[test]
fn the_known_fields_are_those_of_an_operation() {
    let full: Operation = serde_json::from_value(json!({
        "kind": "event", "action": "update", "op": "update", "id": 1, "title": "x", "notes": "x",
        "scheduledFor": "2026-03-11", "timeOfDay": "10:00", "startTime": "10:00", "endTime": "11:00", "location": "x",
        "priority": "low", "recurrence": {"type": "none"}, "completed": true, "occurrenceDate": "2026-03-11",
        "link": "/x", "status": "active", "currentProgressValue": 1.0, "targetProgressValue": 2.0, "progressUnit": "x",
        "todos": [1], "events": [1], "todoId": 1, "eventId": 1, "childId": 1,
    }))
    .unwrap();
    let written = serde_json::to_value(full).unwrap();
    let names: BTreeSet<&str> = written.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(FIELDS));
}
