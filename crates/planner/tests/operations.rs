//! The rules of operations: each error code, for every kind, and what repair makes of it.

#![expect(clippy::unwrap_used, reason = "a failed one is the report")]

use aha_core::time::Timestamp;
use aha_planner::apply::{State, apply};
use aha_planner::repair::repair;
use aha_planner::validate::{Validation, validate_proposal};
use chrono::NaiveDate;
use serde_json::{Value, json};

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 3, 11).unwrap()
}

/// Todo 1, repeating todo 2, event 3, repeating event 4, habit 5, goals 6 and 7 (below 6), which holds todo 1.
fn state() -> State {
    let operations = [
        json!({"kind": "todo", "action": "create", "title": "Report", "recurrence": {"type": "none"}}),
        json!({"kind": "todo", "action": "create", "title": "Plants", "scheduledFor": "2026-03-01",
               "recurrence": {"type": "every_n_days", "intervalDays": 3}}),
        json!({"kind": "event", "action": "create", "title": "Dentist", "scheduledFor": "2026-03-12", "startTime": "15:00",
               "recurrence": {"type": "none"}}),
        json!({"kind": "event", "action": "create", "title": "Stand-up", "scheduledFor": "2026-03-02",
               "recurrence": {"type": "weekdays"}}),
        json!({"kind": "habit", "action": "create", "title": "Run", "scheduledFor": "2026-03-01", "recurrence": {"type": "daily"}}),
        json!({"kind": "goal", "action": "create", "title": "Fit"}),
        json!({"kind": "goal", "action": "create", "title": "Marathon"}),
    ];
    let mut state = State::default();
    let mut last_id = 0;
    let made = validate_proposal(&operations, &state);
    assert!(made.is_valid(), "{made:?}");
    apply(&mut state, &made.valid(), &mut last_id, Timestamp::from_millis(0)).unwrap();
    let links = validate_proposal(
        &[
            json!({"kind": "goal", "action": "add_items", "id": 6, "todos": [1], "events": [{"id": 3}]}),
            json!({"kind": "goal", "action": "add_child", "id": 6, "childId": 7}),
        ],
        &state,
    );
    assert!(links.is_valid(), "{links:?}");
    apply(&mut state, &links.valid(), &mut last_id, Timestamp::from_millis(0)).unwrap();
    state
}

fn codes(validation: &Validation) -> Vec<&'static str> {
    validation.results.iter().flat_map(|result| result.errors.iter().map(|code| code.as_str())).collect()
}

fn errors_of(operation: Value) -> Vec<&'static str> {
    codes(&validate_proposal(&[operation], &state()))
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn each_rule_has_its_code() {
    let cases = [
        (json!("add milk"), "invalid_operation_object"),
        (json!({"kind": "letter", "action": "create", "title": "x"}), "invalid_kind"),
        (json!({"kind": "todo", "action": "explode", "id": 1}), "invalid_op"),
        (json!({"kind": "todo", "action": "add_items", "id": 1}), "invalid_op"),
        (json!({"kind": "goal", "action": "complete", "id": 6}), "invalid_op"),
        (json!({"kind": "todo"}), "invalid_op"),
        (json!({"op": "bulk_delete", "where": {}}), "bulk_operations_removed"),
        (json!({"kind": "event", "action": "bulk_update", "set": {}}), "bulk_operations_removed"),
        (json!({"kind": "todo", "action": "complete", "id": 1, "ids": [1, 2]}), "bulk_operations_removed"),
        (
            json!({"kind": "todo", "action": "delete", "id": 1, "where": {"completed": false}}),
            "bulk_operations_removed",
        ),
        (json!({"kind": "todo", "action": "complete", "ids": [1]}), "bulk_operations_removed"),
        (json!({"kind": "todo", "action": "complete", "id": 1, "IDs": [1, 2]}), "bulk_operations_removed"),
        (
            json!({"kind": "todo", "action": "delete", "id": 1, "Where": {"completed": false}}),
            "bulk_operations_removed",
        ),
        (
            json!({"op": {"kind": "todo", "action": "complete", "id": 1, "ids": []}, "ids": [1, 2]}),
            "bulk_operations_removed",
        ),
        (json!({"kind": "event", "ids": [3], "title": "x"}), "bulk_operations_removed"),
        (json!({"op": {"kind": "todo", "action": "complete", "id": 1}, "ids": [1, 2]}), "bulk_operations_removed"),
        (json!({"kind": "todo", "action": "delete"}), "missing_or_invalid_id"),
        (json!({"kind": "event", "action": "delete", "id": "3"}), "missing_or_invalid_id"),
        (json!({"kind": "habit", "action": "delete", "id": 1.5}), "missing_or_invalid_id"),
        (json!({"kind": "goal", "action": "delete", "id": -6}), "missing_or_invalid_id"),
        (json!({"kind": "todo", "action": "delete", "id": 99}), "id_not_found"),
        (json!({"kind": "todo", "action": "delete", "id": 3}), "id_not_found"),
        (json!({"kind": "todo", "action": "create", "title": " ", "recurrence": {"type": "none"}}), "invalid_title"),
        (json!({"kind": "goal", "action": "create"}), "invalid_title"),
        (
            json!({"kind": "todo", "action": "create", "title": "x", "notes": 3, "recurrence": {"type": "none"}}),
            "invalid_notes",
        ),
        (
            json!({"kind": "todo", "action": "create", "title": "x", "scheduledFor": "2026-02-30", "recurrence": {"type": "none"}}),
            "invalid_scheduledFor",
        ),
        (
            json!({"kind": "todo", "action": "create", "title": "x", "timeOfDay": "25:00", "recurrence": {"type": "none"}}),
            "invalid_timeOfDay",
        ),
        (
            json!({"kind": "event", "action": "create", "title": "x", "startTime": "9", "recurrence": {"type": "none"}}),
            "invalid_start_time",
        ),
        (
            json!({"kind": "event", "action": "create", "title": "x", "startTime": "10:00", "endTime": "09:00",
                "recurrence": {"type": "none"}}),
            "invalid_time_range",
        ),
        (
            json!({"kind": "todo", "action": "create", "title": "x", "priority": "urgent", "recurrence": {"type": "none"}}),
            "invalid_priority",
        ),
        (
            json!({"kind": "todo", "action": "create", "title": "x", "link": "javascript:alert(1)", "recurrence": {"type": "none"}}),
            "invalid_link",
        ),
        (json!({"kind": "todo", "action": "complete", "id": 1, "completed": "yes"}), "invalid_completed"),
        (json!({"kind": "todo", "action": "create", "title": "x"}), "missing_recurrence"),
        (json!({"kind": "event", "action": "update", "id": 3, "title": "x"}), "missing_recurrence"),
        (json!({"kind": "habit", "action": "create", "title": "x", "recurrence": {}}), "missing_recurrence"),
        (
            json!({"kind": "todo", "action": "create", "title": "x", "recurrence": {"type": "monthly"}, "scheduledFor": "2026-03-11"}),
            "invalid_recurrence",
        ),
        (
            json!({"kind": "todo", "action": "create", "title": "x", "scheduledFor": "2026-03-11",
                "recurrence": {"type": "every_n_days", "intervalDays": 0}}),
            "invalid_recurrence",
        ),
        (
            json!({"kind": "todo", "action": "create", "title": "x", "scheduledFor": "2026-03-11",
                "recurrence": {"type": "daily", "until": "2026-03-10"}}),
            "invalid_recurrence",
        ),
        (
            json!({"kind": "habit", "action": "create", "title": "x", "recurrence": {"type": "none"}}),
            "invalid_recurrence",
        ),
        (
            json!({"kind": "habit", "action": "create", "title": "x", "recurrence": {"type": "daily"}}),
            "missing_anchor_for_recurrence",
        ),
        (
            json!({"kind": "event", "action": "update", "id": 3, "recurrence": {"type": "weekly"}}),
            "missing_anchor_for_recurrence",
        ),
        (
            json!({"kind": "habit", "action": "create", "title": "x", "completed": true,
                "scheduledFor": "2026-03-01", "recurrence": {"type": "daily"}}),
            "use_complete_occurrence_for_repeating",
        ),
        (json!({"kind": "todo", "action": "complete", "id": 2}), "use_complete_occurrence_for_repeating"),
        (json!({"kind": "event", "action": "complete", "id": 4}), "use_complete_occurrence_for_repeating"),
        (json!({"kind": "habit", "action": "complete", "id": 5}), "use_complete_occurrence_for_repeating"),
        (json!({"kind": "todo", "action": "complete_occurrence", "id": 2}), "invalid_occurrenceDate"),
        (
            json!({"kind": "todo", "action": "complete_occurrence", "id": 2, "occurrenceDate": "2026-03-02"}),
            "invalid_occurrenceDate",
        ),
        (
            json!({"kind": "event", "action": "complete_occurrence", "id": 4, "occurrenceDate": "tomorrow"}),
            "invalid_occurrenceDate",
        ),
        (
            json!({"kind": "event", "action": "complete_occurrence", "id": 3, "occurrenceDate": "2026-03-12"}),
            "not_repeating",
        ),
        (json!({"kind": "goal", "action": "update", "id": 6, "status": "paused"}), "invalid_status"),
        (json!({"kind": "goal", "action": "update", "id": 6, "targetProgressValue": -1}), "invalid_progress"),
        (json!({"kind": "goal", "action": "add_items", "id": 6}), "missing_item_id"),
        (json!({"kind": "goal", "action": "add_items", "id": 6, "todos": [3]}), "id_not_found"),
        (json!({"kind": "goal", "action": "remove_item", "id": 6}), "missing_item_id"),
        (json!({"kind": "goal", "action": "add_child", "id": 6}), "missing_child_id"),
        (json!({"kind": "goal", "action": "add_child", "id": 7, "childId": 6}), "goal_cycle"),
        (
            json!({"kind": "todo", "action": "update", "id": 2, "completed": true, "scheduledFor": "2026-03-01",
                "recurrence": {"type": "every_n_days", "intervalDays": 3}}),
            "use_complete_occurrence_for_repeating",
        ),
        (
            json!({"kind": "event", "action": "update", "id": 3, "endTime": "14:00", "recurrence": {"type": "none"}}),
            "invalid_time_range",
        ),
        // A field of another action is named by its own code.
        (
            json!({"kind": "todo", "action": "create", "title": "x", "todos": "all", "recurrence": {"type": "none"}}),
            "missing_item_id",
        ),
        (json!({"kind": "todo", "action": "delete", "id": 1, "title": 5}), "invalid_title"),
        (json!({"kind": "goal", "action": "update", "id": 6, "childId": "Marathon"}), "missing_child_id"),
        (json!({"kind": "goal", "action": "update", "id": 6, "recurrence": {"type": "hourly"}}), "invalid_recurrence"),
    ];
    for (operation, code) in cases {
        assert_eq!(errors_of(operation.clone()), [code], "{operation}");
    }
}

#[test]
fn one_record_is_named_by_its_id_alone() {
    for nothing in [json!({"ids": null, "where": null}), json!({"ids": [], "where": {}})] {
        let mut one = json!({"kind": "todo", "action": "complete", "id": 1});
        one.as_object_mut().unwrap().extend(nothing.as_object().unwrap().clone());
        assert!(validate_proposal(&[one], &state()).is_valid(), "{nothing}");
    }
    // Leaving out the other records would be no repair.
    let state = state();
    let several = json!({"kind": "todo", "action": "complete", "id": 1, "ids": [1, 2]});
    let repaired = repair(&validate_proposal(&[several], &state), &state, today());
    assert_eq!(codes(&repaired), ["bulk_operations_removed"]);
}

#[test]
fn partial_operations_take_their_form() {
    let cases = [
        (json!({"title": "x"}), "create", "todo"),
        (json!({"id": 1, "completed": true}), "complete", "todo"),
        (json!({"id": 1, "title": "y"}), "update", "todo"),
        (json!({"id": 2, "occurrenceDate": "2026-03-10", "completed": true}), "complete_occurrence", "todo"),
        (json!({"kind": "GOAL", "action": "Create", "title": "x"}), "goal_create", "goal"),
        (json!({"op": "goal_delete", "id": 6}), "goal_delete", "goal"),
        (json!({"op": "goal_create", "action": "create", "title": "x"}), "goal_create", "goal"),
        (json!({"kind": "event", "op": "delete", "id": 3}), "delete", "event"),
    ];
    for (operation, op, kind) in cases {
        let shaped = aha_planner::shape::infer_operation_shape(&operation).unwrap();
        assert_eq!((shaped["op"].as_str(), shaped["kind"].as_str()), (Some(op), Some(kind)), "{operation}");
    }
    let shaped = aha_planner::shape::infer_operation_shape(&json!({
        "kind": "todo", "action": "create", "id": 7, "title": " Call\u{1b}[31m\n Ann ", "priority": "HIGH", "scheduledFor": "", "timeOfDay": "",
        "recurrence": {"type": "Every_N_Days", "interval": 3, "until": ""}
    }))
    .unwrap();
    assert_eq!(
        Value::Object(shaped),
        json!({"kind": "todo", "action": "create", "title": "Call[31m Ann", "priority": "high", "scheduledFor": null, "timeOfDay": null,
               "recurrence": {"type": "every_n_days", "intervalDays": 3}, "op": "create"})
    );
}

#[test]
fn a_carriage_return_separates_words_and_marks_of_direction_are_removed() {
    let shaped = aha_planner::shape::infer_operation_shape(&json!({
        "kind": "todo", "action": "create", "title": "call Ann\rbuy\u{200f} \u{61c}milk\u{2067}",
        "notes": "one\rtwo\r\nthree\u{200e}"
    }))
    .unwrap();
    assert_eq!((&shaped["title"], &shaped["notes"]), (&json!("call Ann buy milk"), &json!("one\ntwo\nthree")));
}

#[test]
fn more_than_twenty_are_refused_and_none_is_too() {
    let create = json!({"title": "x", "recurrence": {"type": "none"}});
    let many = validate_proposal(&vec![create.clone(); 21], &State::default());
    assert_eq!(many.errors[0].as_str(), "too_many_operations");
    assert!(validate_proposal(&vec![create; 20], &State::default()).is_valid());
    assert_eq!(validate_proposal(&[], &State::default()).errors[0].as_str(), "missing_operations");
}

#[test]
fn rules_repair_what_has_one_meaning() {
    let operations = [
        json!({"kind": "todo", "action": "create", "title": "x"}),
        json!({"kind": "habit", "action": "create", "title": "y"}),
        json!({"kind": "event", "action": "complete", "id": 4}),
        json!({"kind": "habit", "action": "complete", "id": 5}),
        json!({"kind": "todo", "action": "update", "id": 2, "title": "Water plants"}),
        json!({"kind": "todo", "action": "update", "id": 3, "title": "Dentist Dr Ho", "recurrence": {"type": "none"}}),
        json!({"kind": "todo", "action": "create", "title": "z", "recurrence": {"type": "weekly"}}),
    ];
    let state = state();
    let repaired = repair(&validate_proposal(&operations, &state), &state, today());
    assert!(repaired.is_valid(), "{repaired:?}");
    let op = |at: usize| &repaired.results[at].op;
    assert_eq!(op(0)["recurrence"], json!({"type": "none"}));
    assert_eq!((&op(1)["recurrence"]["type"], &op(1)["scheduledFor"]), (&json!("daily"), &json!("2026-03-11")));
    assert_eq!((&op(2)["op"], &op(2)["occurrenceDate"]), (&json!("complete_occurrence"), &json!("2026-03-11")));
    assert_eq!(op(3)["occurrenceDate"], "2026-03-11");
    assert_eq!(op(4)["recurrence"], json!({"type": "every_n_days", "intervalDays": 3}), "how it repeats is kept");
    assert_eq!(op(5)["kind"], "event");
    assert_eq!(op(6)["scheduledFor"], "2026-03-11");
}

#[test]
fn a_repair_keeps_the_date_that_was_given() {
    let operations = [
        json!({"kind": "todo", "action": "update", "id": 2, "scheduledFor": "2026-03-20"}),
        json!({"kind": "todo", "action": "update", "id": 2, "scheduledFor": null}),
        json!({"kind": "habit", "action": "create", "title": "y", "scheduledFor": "next Monday",
               "recurrence": {"type": "daily"}}),
    ];
    let state = state();
    let repaired = repair(&validate_proposal(&operations, &state), &state, today());
    let results: Vec<_> =
        repaired.results.iter().map(|result| (&result.op["scheduledFor"], result.operation.is_some())).collect();
    let days = [json!("2026-03-20"), json!("2026-03-01"), json!("next Monday")];
    assert_eq!(results, [(&days[0], true), (&days[1], true), (&days[2], false)]);
}

#[test]
fn a_time_in_the_field_of_another_kind_is_used() {
    let mut state = state();
    let operations = [
        json!({"kind": "event", "action": "update", "id": 3, "timeOfDay": "10:00", "recurrence": {"type": "none"}}),
        json!({"kind": "todo", "action": "update", "id": 1, "startTime": "08:30", "recurrence": {"type": "none"}}),
        json!({"kind": "habit", "action": "update", "id": 5, "startTime": "06:00", "scheduledFor": "2026-03-01",
               "recurrence": {"type": "daily"}}),
    ];
    let checked = validate_proposal(&operations, &state);
    assert!(checked.is_valid(), "{checked:?}");
    apply(&mut state, &checked.valid(), &mut 7, Timestamp::from_millis(5)).unwrap();
    let times = |id: i64| {
        let item = state.item_by_id(id).unwrap();
        [item.start_time, item.time_of_day].map(|time| time.map(|time| time.to_string()))
    };
    assert_eq!(times(3), [Some("10:00".to_owned()), None]);
    assert_eq!(times(1), [None, Some("08:30".to_owned())]);
    assert_eq!(times(5), [None, Some("06:00".to_owned())]);
}

#[test]
fn a_time_that_is_wrong_or_not_the_only_one_stays_in_its_field() {
    let none = json!({"type": "none"});
    let event = json!({"kind": "event", "action": "create", "title": "x", "timeOfDay": "25:00", "recurrence": none});
    let todo = json!({"kind": "todo", "action": "create", "title": "x", "startTime": "9", "recurrence": none});
    assert_eq!((errors_of(event), errors_of(todo)), (vec!["invalid_timeOfDay"], vec!["invalid_start_time"]));
    let both = json!({"kind": "event", "action": "update", "id": 3, "startTime": "09:00", "timeOfDay": "10:00"});
    let shaped = aha_planner::shape::infer_operation_shape(&both).unwrap();
    assert_eq!((&shaped["startTime"], &shaped["timeOfDay"]), (&json!("09:00"), &json!("10:00")));
}

#[test]
fn a_deletion_leaves_no_link_behind() {
    let mut state = state();
    let delete = validate_proposal(&[json!({"kind": "todo", "action": "delete", "id": 1})], &state);
    apply(&mut state, &delete.valid(), &mut 7, Timestamp::from_millis(5)).unwrap();
    assert!(state.goal(6).unwrap().todos.is_empty());
    assert_eq!(state.goal(6).unwrap().events.len(), 1);
}

#[test]
fn notes_are_emptied_by_an_update_and_left_out_of_a_new_record() {
    let mut state = state();
    let update = |notes: Value| json!({"kind": "todo", "action": "update", "id": 1, "notes": notes, "recurrence": {"type": "none"}});
    for empty in [json!(""), json!(" "), Value::Null] {
        for notes in [json!("by bus"), empty.clone()] {
            let checked = validate_proposal(&[update(notes)], &state);
            apply(&mut state, &checked.valid(), &mut 7, Timestamp::from_millis(5)).unwrap();
        }
        assert_eq!(state.item_by_id(1).unwrap().notes, "", "{empty}");
    }
    let without = json!({"kind": "todo", "action": "update", "id": 1, "title": "x", "recurrence": {"type": "none"}});
    for operation in [update(json!("by bus")), without] {
        let checked = validate_proposal(&[operation], &state);
        apply(&mut state, &checked.valid(), &mut 7, Timestamp::from_millis(5)).unwrap();
    }
    assert_eq!(state.item_by_id(1).unwrap().notes, "by bus");
    let new = aha_planner::shape::infer_operation_shape(&json!({"title": "x", "notes": null})).unwrap();
    assert!(!new.contains_key("notes"));
}

#[test]
fn a_goal_cannot_take_in_what_the_batch_deleted() {
    let delete = |kind: &str, id: i64| json!({"kind": kind, "action": "delete", "id": id});
    for (deletion, link) in [
        (delete("todo", 2), json!({"kind": "goal", "action": "add_items", "id": 6, "todos": [2]})),
        (delete("event", 4), json!({"kind": "goal", "action": "add_items", "id": 6, "events": [4]})),
        (delete("goal", 7), json!({"kind": "goal", "action": "add_child", "id": 6, "childId": 7})),
    ] {
        let mut state = state();
        let batch = validate_proposal(&[deletion.clone(), link], &state);
        let error = apply(&mut state, &batch.valid(), &mut 7, Timestamp::from_millis(5)).unwrap_err();
        assert_eq!((error.index, error.code.as_str()), (1, "id_not_found"), "{deletion}");
    }
}

#[test]
fn an_event_ends_after_it_starts_whatever_the_batch_did_before() {
    let mut state = state();
    let update = |name: &str, time: &str| json!({"kind": "event", "action": "update", "id": 3, name: time, "recurrence": {"type": "none"}});
    let batch = validate_proposal(&[update("endTime", "16:00"), update("startTime", "17:00")], &state);
    let error = apply(&mut state, &batch.valid(), &mut 7, Timestamp::from_millis(5)).unwrap_err();
    assert_eq!((error.index, error.code.as_str()), (1, "invalid_time_range"));
}

#[test]
fn an_operation_that_cannot_follow_another_fails_the_batch() {
    let mut state = state();
    let delete = json!({"kind": "todo", "action": "delete", "id": 1});
    let twice = validate_proposal(&[delete.clone(), delete], &state);
    let error = apply(&mut state, &twice.valid(), &mut 7, Timestamp::from_millis(5)).unwrap_err();
    assert_eq!((error.index, error.code.as_str()), (1, "id_not_found"));
}
