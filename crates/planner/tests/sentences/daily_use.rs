//! Sentences of daily use that must not write something else than they say: they are read as a whole, or asked about.

use aha_planner::language::{Reading, Selection, read};
use serde_json::{Value, json};

use crate::{offered, ops_and_ids, plan, state, state_after, today};

/// The question about a sentence that is not read as a plan.
#[track_caller]
fn question(say: &str) -> String {
    let reading = read(say, &state(), today(), &Selection::default());
    assert!(matches!(reading, Reading::Clarify(_)), "{say}: {reading:?}");
    if let Reading::Clarify(question) = reading { question.question } else { String::new() }
}

#[track_caller]
fn is_asked_about(sentences: &[&str], why: &str) {
    for say in sentences {
        let question = question(say);
        assert!(question.contains(why), "{say}: {question}");
    }
}

#[test]
fn german_is_refused_unless_only_the_title_is_german() {
    is_asked_about(
        &[
            "übermorgen Zahnarzt um 10",
            "Verschiebe den Bericht auf Freitag",
            "add a todo: jeden Montag Müll rausbringen",
        ],
        "is German",
    );
    for say in ["add Milch kaufen tomorrow", "add \"morgen Milch kaufen\"", "call Ms Morgen on Friday"] {
        assert_eq!(ops_and_ids(&plan(say, &state(), &[])), [("create", None)], "{say}");
    }
}

#[test]
fn a_day_counted_from_something_else_is_asked_for() {
    is_asked_about(
        &[
            "prepare the slides two days before the meeting with Tom",
            "remind me an hour before the dentist appointment",
            "add bake a cake the day after the team lunch",
        ],
        "not counted from",
    );
    let say = "prepare the slides two days before the meeting with Tom";
    let selection = Selection { date: Some(today().date), ..Selection::default() };
    let Reading::Plan(made) = read(say, &state(), today(), &selection) else { panic!("{say}") };
    assert_eq!(made[0].scheduled_for, Some(Some(today().date)));
}

#[test]
fn days_are_not_left_out_of_a_repetition_in_any_words() {
    is_asked_about(
        &[
            "water the herbs every 4 days but not on Sundays",
            "stretch every day apart from weekends",
            "make water the plants every 4 days except in December",
        ],
        "cannot be left out",
    );
    is_asked_about(&["water the herbs on odd days"], "every 2 days");
    is_asked_about(&["add choir practice Mon-Thu 19:15"], "Which of the days");
}

#[test]
fn a_verb_with_a_direction_moves_nothing_the_other_way() {
    is_asked_about(
        &["postpone the dentist appointment to Friday", "delay the electricity bill until Friday"],
        "is not later",
    );
    is_asked_about(&["bring the quarterly report forward to Monday"], "is not earlier");
    for say in [
        "postpone the quarterly report to Monday",
        "bring the dentist appointment forward to Thursday",
        "move the dentist appointment to Friday",
        "postpone the dentist appointment to 17:00",
    ] {
        assert_eq!(plan(say, &state(), &[]).len(), 1, "{say}");
    }
}

#[test]
fn what_should_be_finished_by_a_day_to_come_is_not_done() {
    is_asked_about(
        &[
            "finish the quarterly report by Friday",
            "complete the quarterly report tomorrow",
            "finish the quarterly report on Sunday",
            "complete the quarterly report on Friday",
        ],
        "done already, or should it be moved",
    );
    let say = "finish the quarterly report on Sunday";
    assert_eq!(offered(say, &[]), [1]);
    assert_eq!(ops_and_ids(&plan(say, &state(), &[1])), [("complete", Some(1))]);
    for say in ["finished the quarterly report on Sunday", "tick off the quarterly report on Monday"] {
        assert_eq!(ops_and_ids(&plan(say, &state(), &[])), [("complete", Some(1))], "{say}");
    }
}

#[test]
fn what_is_marked_as_done_on_a_day_to_come_is_asked_about() {
    is_asked_about(
        &[
            "mark meditate done next Tuesday",
            "mark meditate done in 2 days",
            "mark the quarterly report done by Friday",
            "mark the quarterly report as done next Tuesday",
        ],
        "done already, or should it be moved",
    );
}

#[test]
fn who_wants_no_reminder_is_asked_whether_to_delete() {
    is_asked_about(&["don't remind me about the electricity bill", "don't remind me to meditate"], "no reminder apart");
    let say = "don't remind me about the electricity bill";
    assert_eq!(offered(say, &[]), [5]);
    assert_eq!(ops_and_ids(&plan(say, &state(), &[5])), [("delete", Some(5))]);
    assert_eq!(ops_and_ids(&plan(&format!("{say} any more"), &state(), &[])), [("delete", Some(5))]);
}

#[test]
fn each_part_of_a_sentence_is_read() {
    let state = state();
    let made = plan("set the priority of renew passport to high and buy milk to low", &state, &[]);
    let levels: Vec<Value> = made.iter().map(|one| json!([one.id, one.priority])).collect();
    assert_eq!(levels, [json!([7, "high"]), json!([3, "low"])]);
    let made = plan("passport: done. milk: tomorrow.", &state, &[]);
    assert_eq!(ops_and_ids(&made), [("complete", Some(7)), ("update", Some(3))]);
    let made = json!(plan("rename buy milk to \"oat milk\" tomorrow", &state, &[]));
    assert_eq!((&made[0]["title"], &made[0]["scheduledFor"]), (&json!("oat milk"), &json!("2026-03-12")));
}

#[test]
fn what_is_taken_back_is_not_added() {
    for say in ["add buy stamps tomorrow and delete it", "add buy stamps tomorrow; no, cancel that"] {
        let reading = read(say, &state(), today(), &Selection::default());
        let Reading::Clarify(question) = reading else { panic!("{say}: {reading:?}") };
        assert!(question.understood.is_empty(), "{say}: {question:?}");
    }
}

#[test]
fn two_records_of_one_day_exchange_their_times() {
    let call = json!({
        "kind": "todo", "action": "create", "title": "Ring Ann", "scheduledFor": "2026-03-13", "timeOfDay": "18:00",
        "recurrence": {"type": "none"}
    });
    let made = json!(plan("swap ring Ann and the meeting with Tom", &state_after(&call), &[]));
    assert_eq!((&made[0]["timeOfDay"], &made[1]["startTime"]), (&json!("10:00"), &json!("18:00")), "{made}");
    is_asked_about(&["swap review budget and lunch with Sara"], "not at two times");
}

/// Today is a Wednesday.
#[test]
fn a_number_of_times_is_counted_from_the_first_occurrence() {
    for (say, first, last, count) in [
        ("piano lesson every Monday at 17:00 starting 20 March 2027 for 6 lessons", "2027-03-22", "2027-04-26", 6),
        ("yoga every other Tuesday starting 3 March 2027, 4 times", "2027-03-09", "2027-04-20", 4),
        ("yoga every Monday starting 22 March 2027, 2 times", "2027-03-22", "2027-03-29", 2),
    ] {
        let operation = &plan(say, &state(), &[])[0];
        let anchor = operation.scheduled_for.flatten().unwrap();
        let rule = operation.recurrence.unwrap();
        let days = rule.occurrences(anchor, anchor, anchor + chrono::Days::new(200));
        let shown = [days.first(), days.last()].map(|day| day.unwrap().to_string());
        assert_eq!((shown, days.len()), ([first, last].map(str::to_owned), count), "{say}");
    }
}

/// The title and the day of the records that a sentence adds.
#[track_caller]
fn added(say: &str) -> Vec<(String, String)> {
    let made = plan(say, &state(), &[]);
    let day = |day: Option<Option<chrono::NaiveDate>>| day.flatten().map_or(String::new(), |day| day.to_string());
    made.into_iter().map(|one| (one.title.unwrap_or_default(), day(one.scheduled_for))).collect()
}

#[test]
fn a_part_of_the_verb_at_the_end_of_a_title_stays() {
    for (say, title, day) in [
        ("sleep in tomorrow", "sleep in", "2026-03-12"),
        ("check in tomorrow at 9", "check in", "2026-03-12"),
        ("call in on Friday at 10", "call in", "2026-03-13"),
        ("check in for the train tomorrow", "check in for the train", "2026-03-12"),
        ("sleep in the morning on Friday", "sleep", "2026-03-13"),
        ("call Bob in the afternoon", "call Bob", "2026-03-11"),
        ("lunch with Bo tomorrow in", "lunch with Bo", "2026-03-12"),
    ] {
        assert_eq!(added(say), [(title.to_owned(), day.to_owned())], "{say}");
    }
    let titles = |say: &str| added(say).into_iter().map(|(title, _)| title).collect::<Vec<_>>();
    assert_eq!(titles("every weekend sleep in"), ["sleep in", "sleep in"]);
}

#[test]
fn a_day_before_a_noun_is_a_part_of_the_title_if_the_day_itself_follows() {
    for (say, title, day) in [
        ("ship the Friday newsletter on Thursday", "ship the Friday newsletter", "2026-03-12"),
        ("write my Monday column by Sunday", "write my Monday column", "2026-03-15"),
        ("prepare the Friday quiz tomorrow at 9", "prepare the Friday quiz", "2026-03-12"),
        ("call Bo on the Friday before Christmas", "call Bo", "2026-12-18"),
        ("ship the Friday newsletter", "ship the newsletter", "2026-03-13"),
    ] {
        assert_eq!(added(say), [(title.to_owned(), day.to_owned())], "{say}");
    }
    is_asked_about(&["call Bo on Friday on Saturday", "call Bo the Friday at 10 on Monday"], "Which of the days");
}

#[test]
fn a_day_that_is_denied_first_is_not_the_new_one() {
    for say in ["not Thursday, the dentist appointment is on Friday", "not today, the dentist appointment is on Friday"]
    {
        let made = plan(say, &state(), &[]);
        assert_eq!(ops_and_ids(&made), [("update", Some(11))], "{say}");
        assert_eq!(made[0].scheduled_for.flatten().map(|day| day.to_string()).as_deref(), Some("2026-03-13"), "{say}");
    }
    is_asked_about(&["not bad, call Bo on Friday"], "What should be done with \"not bad, call Bo\"");
}

#[test]
fn a_table_is_booked_for_the_evening_unless_another_meal_is_named() {
    for (say, time) in [
        ("book a table for 4 at 8 on Saturday", "20:00"),
        ("reserve a table for two on Friday at 7:30", "19:30"),
        ("book a table for 4 at 8am on Saturday", "08:00"),
        ("book a table for 4 at 12 on Saturday", "12:00"),
        ("book a table for breakfast at 8 on Saturday", "08:00"),
        ("fix the table at 8 on Saturday", "08:00"),
        ("make a table for the team at 9 tomorrow", "09:00"),
    ] {
        let made = plan(say, &state(), &[]);
        let at = made[0].start_time.or(made[0].time_of_day).flatten().map(|time| time.to_string());
        assert_eq!(at.as_deref(), Some(time), "{say}");
    }
}

#[test]
fn a_day_that_does_not_exist_is_said_whatever_the_title() {
    is_asked_about(&["meeting on Feb 30", "add meeting on Feb 30", "meeting with Eva on Feb 30"], "does not exist");
    is_asked_about(&["call at 3pm EST tomorrow"], "is a time zone");
    is_asked_about(&["30 February", "meeting"], "What");
}

#[test]
fn a_time_of_a_series_is_changed_on_all_its_days_if_it_is_selected() {
    for (say, id, time) in [("stand-up at 10", 12, "10:00"), ("meditate at 9", 17, "09:00")] {
        assert!(question(say).contains("Should all of it be changed"), "{say}");
        assert_eq!(offered(say, &[]), [id], "{say}");
        let made = plan(say, &state(), &[id]);
        assert_eq!(ops_and_ids(&made), [("update", Some(id))], "{say}");
        let at = made[0].start_time.or(made[0].time_of_day).flatten().map(|time| time.to_string());
        assert_eq!(at.as_deref(), Some(time), "{say}");
    }
    // With a day, one of its days may be meant, which cannot be changed alone.
    assert!(offered("meditate on Friday at 9", &[]).is_empty());
}
