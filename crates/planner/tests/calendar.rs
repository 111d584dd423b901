//! What a calendar program reads.

use aha_core::time::Timestamp;
use aha_planner::apply::{State, apply};
use aha_planner::calendar::render;
use aha_planner::validate::{ErrorCode, validate_proposal};
use serde_json::json;

/// iCalendar has no such end; without one the event takes no time.
#[test]
fn an_end_that_equals_the_start_is_valid_and_not_written() {
    let at_noon = json!({"kind": "event", "action": "create", "title": "Launch", "scheduledFor": "2026-03-14",
                         "startTime": "12:00", "endTime": "12:00", "recurrence": {"type": "none"}});
    let mut state = State::default();
    let checked = validate_proposal(&[at_noon], &state);
    assert!(checked.is_valid(), "{checked:?}");
    apply(&mut state, &checked.valid(), &mut 0, Timestamp::from_millis(0)).unwrap();
    let text = render("Plans", &state.items().cloned().collect::<Vec<_>>());
    assert!(text.contains("DTSTART:20260314T120000") && !text.contains("DTEND"), "{text}");
    assert_eq!(
        ErrorCode::InvalidTimeRange.in_words(),
        "an event does not end before it starts; of one that lasts past midnight, the rest is an event of the next day"
    );
}

#[test]
fn rules_ends_and_done_days_are_written() {
    let operations = [
        json!({"kind": "event", "action": "create", "title": "Stand-up; daily, short", "scheduledFor": "2026-03-14", "startTime": "09:30",
               "endTime": "09:45", "recurrence": {"type": "weekdays", "until": "2026-06-30"}}),
        json!({"kind": "todo", "action": "create", "title": "Plants", "scheduledFor": "2026-03-01",
               "recurrence": {"type": "every_n_days", "intervalDays": 3, "until": "2026-12-31"}}),
        json!({"kind": "todo", "action": "create", "title": "Someday", "recurrence": {"type": "none"}}),
    ];
    let mut state = State::default();
    let created = validate_proposal(&operations, &state).valid();
    apply(&mut state, &created, &mut 0, Timestamp::from_millis(0)).unwrap();
    let done = json!({"kind": "todo", "action": "complete_occurrence", "id": 2, "occurrenceDate": "2026-03-04"});
    let done = validate_proposal(&[done], &state).valid();
    apply(&mut state, &done, &mut 3, Timestamp::from_millis(0)).unwrap();
    let items: Vec<_> = state.items().cloned().collect();
    let text = render("Plans", &items);
    for line in [
        // Monday: the first day that the rule names, not the Saturday it was set on.
        "DTSTART:20260316T093000",
        "DTEND:20260316T094500",
        "RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;UNTIL=20260630T235959",
        "SUMMARY:Stand-up\\; daily\\, short",
        "DTSTART;VALUE=DATE:20260301",
        "RRULE:FREQ=DAILY;INTERVAL=3;UNTIL=20261231",
        "EXDATE;VALUE=DATE:20260304",
        "UID:todo-3@aha-radar",
    ] {
        assert!(text.lines().any(|written| written == line), "{line}\n{text}");
    }
}
