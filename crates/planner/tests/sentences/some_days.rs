//! Sentences about some days of a record: "cancel the stand-up this week", "don't buy milk today".

use aha_planner::language::{Reading, Selection, read};
use chrono::NaiveDate;
use serde_json::json;

use crate::{offered, ops_and_ids, plan, state, state_after, today};

/// The question about a sentence that is not read as a plan.
#[track_caller]
fn question(say: &str, selected: &[i64]) -> String {
    let selection = Selection { ids: selected.to_vec(), ..Selection::default() };
    let reading = read(say, &state(), today(), &selection);
    assert!(matches!(reading, Reading::Clarify(_)), "{say}: {reading:?}");
    if let Reading::Clarify(question) = reading { question.question } else { String::new() }
}

#[test]
fn some_days_of_a_series_are_not_deleted_whatever_was_selected() {
    for (say, id) in [
        ("cancel meditate this week", 17),
        ("delete the stand-up next week", 12),
        ("delete this week's stand-up", 12),
        ("cancel the bins for the next two weeks", 9),
        ("remove the stand-up in April", 12),
        ("cancel the stand-up all week", 12),
        ("skip the bins this month", 9),
    ] {
        for selected in [&[][..], &[id]] {
            let question = question(say, selected);
            assert!(question.contains("some days of it alone cannot be deleted"), "{say}: {question}");
        }
    }
    for say in ["cancel the stand-up tomorrow", "skip the stand-up tomorrow", "skip the bins on Thursday"] {
        assert!(question(say, &[]).contains("one day of it alone cannot be deleted"), "{say}");
    }
}

#[test]
fn a_series_that_is_selected_is_not_deleted_for_days_that_were_not_understood() {
    for say in ["cancel meditate for a week", "cancel meditate over Christmas", "delete meditate from Monday to Friday"]
    {
        assert!(question(say, &[17]).contains("some days of it alone cannot be deleted"), "{say}");
    }
    // These words are no days, and the record was selected.
    assert_eq!(ops_and_ids(&plan("delete the morning meditation", &state(), &[17])), [("delete", Some(17))]);
}

/// Tomorrow there is lunch, on Friday a meeting with Tom, on Monday one with Anna.
#[test]
fn a_single_record_in_several_days_is_that_one() {
    for (say, id) in [
        ("cancel the lunch this week", 13),
        ("delete the meeting this week", 15),
        ("cancel next week's meeting", 16),
        ("delete the dentist appointment this month", 11),
        ("skip lunch with Sara tomorrow", 13),
    ] {
        assert_eq!(ops_and_ids(&plan(say, &state(), &[])), [("delete", Some(id))], "{say}");
    }
    assert_eq!(
        ops_and_ids(&plan("cancel the lunch and the report this week", &state(), &[])),
        [("delete", Some(13)), ("delete", Some(1))]
    );
    assert_eq!(offered("cancel the meeting this month", &[]), [15, 16]);
    // None of them is in that week, so it is asked which one is meant.
    assert!(question("cancel the lunch next week", &[]).starts_with("Nothing open is called"));
}

#[test]
fn a_series_without_its_days_is_deleted_as_before() {
    for (say, id) in [("delete the stand-up", 12), ("delete meditate", 17), ("cancel the bins for good", 9)] {
        assert_eq!(ops_and_ids(&plan(say, &state(), &[])), [("delete", Some(id))], "{say}");
    }
    assert!(question("cancel the stand-up", &[]).contains("Should all of it be deleted?"));
    assert_eq!(ops_and_ids(&plan("cancel the stand-up", &state(), &[12])), [("delete", Some(12))]);
    for say in ["skip the stand-up", "skip"] {
        assert_eq!(question(say, &[]), "What should be changed, and to what?", "{say}");
    }
}

#[test]
fn no_day_to_come_of_a_series_is_completed() {
    let swim = json!({"op": "create", "kind": "habit", "action": "create", "title": "Swim",
        "scheduledFor": "2026-03-16", "recurrence": {"type": "weekly"}});
    let state = state_after(&swim);
    for say in ["complete swim", "swim is done", "I did swim", "mark swim as done"] {
        let reading = read(say, &state, today(), &Selection::default());
        let Reading::Clarify(question) = reading else { panic!("{say}: {reading:?}") };
        assert!(question.question.contains("begins on 2026-03-16, so none of its days has come yet"), "{say}");
    }
    // Today's day, else the last one that has come.
    for (say, day) in [("complete meditate", 11), ("complete the bins", 5), ("complete water the plants", 11)] {
        let made = plan(say, &state, &[]);
        assert_eq!(made[0].occurrence_date, NaiveDate::from_ymd_opt(2026, 3, day), "{say}");
    }
}

#[test]
fn what_should_not_be_done_is_no_new_todo_if_it_is_open() {
    for (say, id) in [
        ("don't buy milk", 3),
        ("don't buy milk today", 3),
        ("dont call the dentist", 4),
        ("do not pay the electricity bill on Monday", 5),
        ("please don't renew the passport until May", 7),
        ("don't buy milk tomorrow", 3),
    ] {
        assert!(question(say, &[]).contains("be deleted? To postpone it, say"), "{say}");
        assert_eq!(offered(say, &[]), [id], "{say}");
        assert_eq!(ops_and_ids(&plan(say, &state(), &[id])), [("delete", Some(id))], "{say}");
    }
    assert!(question("don't meditate today", &[17]).contains("one day of it alone cannot be deleted"));
    for (say, title) in [
        ("don't eat sugar", "don't eat sugar"),
        ("don't call Bob tomorrow", "don't call Bob"),
        ("don't be late for Bob tomorrow", "don't be late for Bob"),
        ("don't forget to water the herbs", "water the herbs"),
        ("add a todo: don't buy milk", "don't buy milk"),
    ] {
        let made = plan(say, &state(), &[]);
        assert_eq!((made.len(), made[0].title.as_deref()), (1, Some(title)), "{say}");
    }
    let goal = json!({"op": "create", "action": "create", "kind": "goal", "title": "Read 12 books this year"});
    for say in ["don't read books", "don't read"] {
        let reading = read(say, &state_after(&goal), today(), &Selection::default());
        assert!(!format!("{reading:?}").contains("be deleted"), "{say}: {reading:?}");
    }
}
