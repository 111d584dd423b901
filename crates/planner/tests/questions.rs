//! Questions about what is planned, sentences of which only a part is understood, and what is asked instead of guessed.

#![expect(clippy::unwrap_used, reason = "a failed one is the report")]

use aha_core::time::Timestamp;
use aha_planner::apply::{State, apply};
use aha_planner::language::{Inquiry, Question, Reading, Selection, Today, asked_parts, asked_records, inquiry, read};
use aha_planner::operation::Operation;
use aha_planner::record::Kind;
use aha_planner::repair::repair;
use aha_planner::time_of_day::TimeOfDay;
use aha_planner::validate::validate_proposal;
use chrono::NaiveDate;
use serde_json::{Value, json};

/// A Wednesday.
fn today() -> Today {
    Today::new(day(3, 11), TimeOfDay::new(8, 0).unwrap())
}

fn day(month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, month, day).unwrap()
}

fn add(state: &mut State, operations: &[Value], mut last_id: i64) {
    let checked = repair(&validate_proposal(operations, state), state, today().date);
    assert!(checked.is_valid(), "{checked:?}");
    apply(state, &checked.valid(), &mut last_id, Timestamp::from_millis(0)).unwrap();
}

fn state() -> State {
    let made: Value = serde_json::from_str(include_str!("data/planner_state.json")).unwrap();
    let mut state = State::default();
    add(&mut state, made["operations"].as_array().unwrap(), 0);
    state
}

fn reading(say: &str, selected: &[i64]) -> Reading {
    read(say, &state(), today(), &Selection { ids: selected.to_vec(), ..Selection::default() })
}

#[track_caller]
fn plan(say: &str, selected: &[i64]) -> Vec<Operation> {
    let reading = reading(say, selected);
    assert!(matches!(reading, Reading::Plan(_)), "{say}: {reading:?}");
    if let Reading::Plan(operations) = reading { operations } else { Vec::new() }
}

#[track_caller]
fn question(say: &str) -> Question {
    let reading = reading(say, &[]);
    assert!(matches!(reading, Reading::Clarify(_)), "{say}: {reading:?}");
    if let Reading::Clarify(question) = reading { question } else { Question::new("", Vec::new()) }
}

fn ops_and_ids(operations: &[Operation]) -> Vec<(&str, Option<i64>)> {
    operations.iter().map(|operation| (operation.op.as_str(), operation.id)).collect()
}

fn titles(operations: &[Operation]) -> Vec<&str> {
    operations.iter().filter_map(|operation| operation.title.as_deref()).collect()
}

#[test]
fn questions_about_days_name_their_days() {
    let planned = |first, last| Some(Inquiry::Planned { first, last, kind: None });
    let events = Some(Inquiry::Planned { first: day(3, 12), last: day(3, 12), kind: Some(Kind::Event) });
    for (say, expected) in [
        ("what's on tomorrow", planned(day(3, 12), day(3, 12))),
        ("what do I have on Friday", planned(day(3, 13), day(3, 13))),
        ("what's due this week", planned(day(3, 11), day(3, 15))),
        ("whats on next week?", planned(day(3, 16), day(3, 22))),
        ("What is on today?", planned(day(3, 11), day(3, 11))),
        ("do I have anything on Monday?", planned(day(3, 16), day(3, 16))),
        ("am I free on Fri", planned(day(3, 13), day(3, 13))),
        ("what's happening this weekend", planned(day(3, 14), day(3, 15))),
        ("what's on in April", planned(day(4, 1), day(4, 30))),
        ("remind me what's on tomorrow", planned(day(3, 12), day(3, 12))),
        ("tell me what I have on Friday", planned(day(3, 13), day(3, 13))),
        ("can you show me my agenda for tomorrow", planned(day(3, 12), day(3, 12))),
        ("agenda for Friday", planned(day(3, 13), day(3, 13))),
        ("what needs to be done by Friday", planned(day(3, 11), day(3, 13))),
        ("what's on from Monday to Wednesday", planned(day(3, 16), day(3, 18))),
        ("what's on in the next three days", planned(day(3, 11), day(3, 13))),
        ("which events are on tomorrow", events),
        ("what did I do yesterday", Some(Inquiry::Done { first: day(3, 10), last: day(3, 10) })),
        ("what have I done this week", Some(Inquiry::Done { first: day(3, 9), last: day(3, 11) })),
        ("what did I finish this week?", Some(Inquiry::Done { first: day(3, 9), last: day(3, 11) })),
        ("what did I finish on Friday?", Some(Inquiry::Done { first: day(3, 6), last: day(3, 6) })),
        ("what did I do between 2 and 5 March", Some(Inquiry::Done { first: day(3, 2), last: day(3, 5) })),
        ("what did I do from Friday to today", Some(Inquiry::Done { first: day(3, 6), last: day(3, 11) })),
        ("what did I do from Saturday to Monday", Some(Inquiry::Done { first: day(3, 7), last: day(3, 9) })),
        ("what did I do in February", Some(Inquiry::Done { first: day(2, 1), last: day(2, 28) })),
        ("what did I do tomorrow", Some(Inquiry::Done { first: day(3, 12), last: day(3, 12) })),
        ("what was on Friday", planned(day(3, 6), day(3, 6))),
        ("what do I have to have done by Friday", planned(day(3, 11), day(3, 13))),
        ("what is on between 1 and 3 April", planned(day(4, 1), day(4, 3))),
        ("what's on from the 1st to the 3rd of April?", planned(day(4, 1), day(4, 3))),
        ("what's on 1-3 April", planned(day(4, 1), day(4, 3))),
        ("what's overdue", Some(Inquiry::Overdue)),
        ("show my todos", Some(Inquiry::Open(Some(Kind::Todo)))),
        ("when is my next dentist appointment?", Some(Inquiry::Record("dentist appointment".to_owned()))),
        ("schedule for tomorrow", planned(day(3, 12), day(3, 12))),
        ("summarise my week", planned(day(3, 11), day(3, 15))),
        ("give me an overview of my week", planned(day(3, 11), day(3, 15))),
        ("do I have to pay the rent on Friday?", Some(Inquiry::Record("pay the rent".to_owned()))),
        ("did I pay the electricity bill?", Some(Inquiry::Record("pay the electricity bill".to_owned()))),
    ] {
        assert_eq!(inquiry(say, today()), expected, "{say}");
        assert_eq!(reading(say, &[]), Reading::Chat, "{say}");
    }
}

#[test]
fn a_question_about_a_time_is_about_its_day() {
    let planned = |of: u32| Some(Inquiry::Planned { first: day(3, of), last: day(3, of), kind: None });
    for (say, expected) in [
        ("am I free tomorrow at 2pm?", planned(12)),
        ("am I free at 2pm", planned(11)),
        ("am I free at 7:30", planned(12)),
        ("am I free between 2 and 4 on Friday?", planned(13)),
        ("do I have anything at noon on Monday", planned(16)),
        ("what did I do at 7am", Some(Inquiry::Done { first: day(3, 11), last: day(3, 11) })),
        ("is there a dentist at 3", Some(Inquiry::Record("dentist at 3".to_owned()))),
        ("do I have to call Bo at 5", Some(Inquiry::Record("call bo at 5".to_owned()))),
        ("schedule a meeting on Friday at 3", None),
    ] {
        assert_eq!(inquiry(say, today()), expected, "{say}");
    }
}

#[test]
fn what_was_scheduled_for_days_to_come_is_planned() {
    let planned = |first, last| Some(Inquiry::Planned { first: day(3, first), last: day(3, last), kind: None });
    for (say, expected) in [
        ("what did I plan for next week", planned(16, 22)),
        ("what did I schedule on Friday?", planned(13, 13)),
        ("what did we plan for tomorrow", planned(12, 12)),
        ("did I plan anything for Monday", planned(16, 16)),
        ("what did I plan for yesterday", planned(10, 10)),
        ("what did I do on Friday", Some(Inquiry::Done { first: day(3, 6), last: day(3, 6) })),
        ("what was planned on Friday", planned(6, 6)),
    ] {
        assert_eq!(inquiry(say, today()), expected, "{say}");
        assert_eq!(reading(say, &[]), Reading::Chat, "{say}");
    }
}

#[test]
fn a_sentence_that_asks_several_things_has_a_part_for_each() {
    let tomorrow = || Some(Inquiry::Planned { first: day(3, 12), last: day(3, 12), kind: None });
    let dentist = || Some(Inquiry::Record("dentist".to_owned()));
    for (say, expected) in [
        ("What's the weather?", vec![("What's the weather", None)]),
        (
            "what do I have to do tomorrow and who is the president",
            vec![("what do I have to do tomorrow", tomorrow()), ("who is the president", None)],
        ),
        (
            "who is the president, and what's overdue?",
            vec![("who is the president", None), ("what's overdue", Some(Inquiry::Overdue))],
        ),
        (
            "when is the dentist and who is the president?",
            vec![("when is the dentist", dentist()), ("who is the president", None)],
        ),
        ("what's on tomorrow and the weather", vec![("what's on tomorrow", tomorrow()), ("the weather", None)]),
        ("what's on tomorrow? Add milk", vec![("what's on tomorrow", tomorrow()), ("Add milk", None)]),
        ("what's on tomorrow?", vec![("what's on tomorrow", tomorrow())]),
        ("hello", Vec::new()),
    ] {
        let parts: Vec<_> = asked_parts(say, today()).into_iter().map(|part| (part.text, part.inquiry)).collect();
        let expected: Vec<_> = expected.into_iter().map(|(text, asked)| (text.to_owned(), asked)).collect();
        assert_eq!(parts, expected, "{say}");
        assert_eq!(reading(say, &[]), Reading::Chat, "{say}");
    }
}

#[test]
fn two_days_that_are_apart_are_asked_for_one_by_one() {
    for (say, expected) in [
        ("what is on 1 and 3 April", vec![(1, 1), (3, 3)]),
        ("what's on the 1st and the 3rd of April", vec![(1, 1), (3, 3)]),
        ("what's on 1 April and 3 April?", vec![(1, 1), (3, 3)]),
        ("what is on 1 and 2 April", vec![(1, 2)]),
        ("what is on between 1 and 3 April", vec![(1, 3)]),
        ("what's on from the 1st to the 3rd of April", vec![(1, 3)]),
    ] {
        let asked: Vec<_> = asked_parts(say, today()).into_iter().map(|part| part.inquiry).collect();
        let planned = |(first, last)| Inquiry::Planned { first: day(4, first), last: day(4, last), kind: None };
        let expected: Vec<_> = expected.into_iter().map(|days| Some(planned(days))).collect();
        assert_eq!(asked, expected, "{say}");
        assert_eq!(reading(say, &[]), Reading::Chat, "{say}");
    }
    // The inquiry about what is overdue names no day.
    assert_eq!(asked_parts("what is overdue on 1 and 3 April", today()).len(), 1);
}

#[test]
fn what_contains_more_than_a_question_is_none() {
    for say in [
        "list the bike on eBay tomorrow",
        "show up on Friday",
        "show Anna the flat on Friday",
        "what a week",
        "what about moving lunch with Sara to Friday",
        "schedule a meeting",
        "schedule lunch with Bo on Friday at 1",
        "I have a meeting on Friday at 10",
        "remind me to ask what's on tomorrow",
        "agenda",
        "schedule a meeting on Friday",
        "schedule an appointment tomorrow",
        "schedule the appointment on Monday",
        "when is the dentist appointment? Move it to Friday",
        "is there a stand-up on Friday? If not, add one",
    ] {
        assert_eq!(inquiry(say, today()), None, "{say}");
    }
}

#[test]
fn a_question_about_a_record_finds_it_by_any_form_of_its_verb() {
    let state = state();
    for words in ["pay the electricity bill", "paid the electricity bill", "the electricity bill"] {
        let found: Vec<i64> = asked_records(&state, words, today().date).iter().map(|item| item.id).collect();
        assert_eq!(found, [5], "{words}");
    }
    assert!(asked_records(&state, "the unicorn", today().date).is_empty());
}

#[test]
fn a_rule_by_the_month_or_year_is_refused_with_what_comes_close() {
    for (say, said, close) in [
        ("pay the rent every month on the 3rd", "every month", "every 30 days from 2026-04-03"),
        ("pay the rent monthly", "monthly", "every 30 days"),
        ("pay the electricity bill every month on the 3rd", "every month", "every 30 days from 2026-04-03"),
        ("pay the gas bill every 3rd of the month", "every 3rd of the month", "every 30 days"),
        ("renew the insurance every year on 5 May", "every year", "every 365 days from 2026-05-05"),
        ("renew the insurance annually", "annually", "every 365 days"),
        ("renew the insurance yearly", "yearly", "every 365 days"),
        ("renew the insurance every 5 May", "every 5 may", "every 365 days"),
        ("renew the insurance every January", "every january", "every 365 days"),
        ("buy a tree every Christmas", "every christmas", "every 365 days"),
        ("book club every second Tuesday of the month", "every second tuesday of the month", "every 4 weeks"),
        ("team lunch on the last Friday of every month", "every month", "every 30 days"),
        ("call grandma every other month", "every other month", "every 60 days"),
        ("check the smoke alarm twice a year", "twice a year", "every 182 days"),
        ("repeat the electricity bill every month", "every month", "every 30 days"),
        ("take pills twice a day", "twice a day", "every day at 8:00"),
    ] {
        let asked = question(say);
        assert!(asked.question.contains(&format!("Repeating \"{said}\" cannot be kept")), "{say}: {asked:?}");
        assert!(asked.question.contains(&format!("\"{close}")), "{say}: {asked:?}");
        assert!(asked.understood.is_empty(), "{say}");
    }
    let close = json!(plan("pay the rent every 30 days from 2026-04-03", &[]));
    assert_eq!(close[0]["recurrence"], json!({ "type": "every_n_days", "intervalDays": 30 }));
    assert_eq!(close[0]["scheduledFor"], "2026-04-03");
}

#[test]
fn days_of_the_week_are_listed_with_or_without_marks() {
    for say in ["gym every mon wed fri", "gym every Mon/Wed/Fri", "gym every Monday, Wednesday and Friday"] {
        let operations = plan(say, &[]);
        let days: Vec<_> = operations.iter().map(|one| one.scheduled_for.flatten()).collect();
        assert_eq!(days, [Some(day(3, 11)), Some(day(3, 13)), Some(day(3, 16))], "{say}");
        assert_eq!(titles(&operations), ["gym"; 3], "{say}");
    }
    question("gym mon wed fri at 6");
    assert_eq!(titles(&plan("book a table for every Friday sun dance", &[])), ["book a table for sun dance"]);
}

#[test]
fn what_is_understood_is_kept_and_the_rest_is_named() {
    for (say, kept, unclear) in [
        ("add oat milk tomorrow and delete the unicorn", "oat milk", "delete the unicorn"),
        ("delete the unicorn and add oat milk tomorrow", "oat milk", "delete the unicorn"),
        ("Call Bob tomorrow. Delete the unicorn.", "Call Bob", "Delete the unicorn"),
        ("mark it done and buy bread", "buy bread", "mark it done"),
        ("buy bread. pay the rent every month", "buy bread", "pay the rent every month"),
    ] {
        let asked = question(say);
        assert_eq!(titles(&asked.understood), [kept], "{say}: {asked:?}");
        assert!(asked.question.contains(&format!("Not planned: \"{unclear}\".")), "{say}: {asked:?}");
        assert!(asked.options.is_empty(), "{say}");
    }
}

#[test]
fn parts_of_a_rejected_clause_refer_to_the_clause_before_it() {
    // The plants are not due yesterday, so the second sentence is read again in parts. "It" is the meditation, not the
    // run, which the rejected reading named last.
    let asked = question("Complete the plants and the meditation. Complete it and go for a run yesterday");
    let ids: Vec<Option<i64>> = asked.understood.iter().map(|operation| operation.id).collect();
    assert_eq!(ids, [Some(6), Some(17)], "{asked:?}");
    assert!(asked.question.starts_with("Not planned: \"go for a run yesterday\"."), "{asked:?}");
}

#[test]
fn nothing_is_kept_if_the_rest_may_take_it_back() {
    for say in ["delete the contract review. Actually don't.", "move the report to Friday. Sorry, that was wrong."] {
        assert!(question(say).understood.is_empty(), "{say}");
    }
}

#[test]
fn what_follows_an_unclear_clause_is_not_about_the_clause_before_it() {
    let asked = question("add oat milk tomorrow, delete the unicorn and make it urgent");
    let kept = json!(asked.understood);
    assert_eq!((titles(&asked.understood), &kept[0]["priority"]), (vec!["oat milk"], &Value::Null), "{asked:?}");
}

#[test]
fn talk_is_not_split_into_things_to_do() {
    for say in [
        "Sara said she would cook and clean the kitchen",
        "Anna asked whether we could meet and write the draft",
        "I would love to travel and see the world",
        "he told me to wash and iron the shirts",
        "never call Bob and pay the plumber",
    ] {
        assert!(question(say).understood.is_empty(), "{say}: {:?}", question(say));
    }
}

#[test]
fn a_thing_to_do_with_a_word_of_a_title_is_new() {
    assert_eq!(titles(&plan("make lunch at 1", &[])), ["make lunch"]);
    question("make meditation at 8");
}

#[test]
fn a_record_that_is_there_already_is_named() {
    let asked = question("call the dentist");
    assert!(asked.question.contains("something like it: \"Call the dentist\"."), "{asked:?}");
}

#[test]
fn sentences_end_at_full_stops_whatever_letter_follows() {
    assert_eq!(titles(&plan("email Jo re. order confirmation", &[])), ["email Jo re. order confirmation"]);
    assert_eq!(titles(&plan("buy bread. call Bob. email Jo", &[])), ["buy bread", "call Bob", "email Jo"]);
    assert_eq!(titles(&plan("call Dr. Brandt. Buy stamps.", &[])), ["call Dr. Brandt", "Buy stamps"]);
    let done = plan("I paid the electricity bill. called the dentist.", &[]);
    assert_eq!(ops_and_ids(&done), [("complete", Some(5)), ("complete", Some(4))]);
}

#[test]
fn a_thing_to_do_after_a_change_is_separate() {
    for (say, changed) in [
        ("delete the contract review and buy bread", ("delete", Some(8))),
        ("move lunch with Sara to 1 and buy bread", ("update", Some(13))),
        ("make the passport urgent and buy bread", ("update", Some(7))),
    ] {
        assert_eq!(ops_and_ids(&plan(say, &[])), [changed, ("create", None)], "{say}");
    }
}

#[test]
fn only_options_that_answer_a_question_are_offered() {
    for say in ["set the electricity bill to", "I forgot to pay the electricity bill"] {
        assert!(question(say).options.is_empty(), "{say}");
    }
    assert!(question("set the electricity bill to").question.contains("\"move Pay electricity bill to Friday\""));
    for (say, selected, expected) in [
        ("call the dentist tomorrow", 4, ("update", Some(4))),
        ("delete everything", 1, ("delete", Some(1))),
        ("mark it done", 1, ("complete", Some(1))),
    ] {
        let offered: Vec<i64> = question(say).options.iter().map(|option| option.id).collect();
        assert!(offered.contains(&selected), "{say}: {offered:?}");
        for id in offered {
            assert_eq!(plan(say, &[id]).len(), 1, "{say}: {id}");
        }
        assert_eq!(ops_and_ids(&plan(say, &[selected])), [expected], "{say}");
    }
}

#[test]
fn a_verb_in_the_past_completes_only_what_was_done() {
    let mut state = state();
    let parcel = json!({ "kind": "todo", "action": "create", "title": "Pick up the parcel" });
    add(&mut state, &[parcel], 20);
    let read = |say: &str| read(say, &state, today(), &Selection::default());
    for say in ["I picked up the parcel", "picked the parcel up", "I've picked up the parcel"] {
        let Reading::Plan(operations) = read(say) else { panic!("{say}: {:?}", read(say)) };
        assert_eq!(ops_and_ids(&operations), [("complete", Some(21))], "{say}");
    }
    for say in [
        "I should have picked up the parcel",
        "I could have picked up the parcel",
        "I will have picked up the parcel by Friday",
        "didn't pick up the parcel",
        "I haven't picked up the parcel",
        "Sara picked up the parcel",
        "I picked up milk",
    ] {
        assert!(matches!(read(say), Reading::Clarify(_)), "{say}: {:?}", read(say));
    }
}

#[test]
fn a_sentence_undoes_nothing_and_says_how_to() {
    for say in ["undo", "undo that", "take it back"] {
        let asked = question(say);
        assert!(asked.question.contains("`aha-radar todo undo`") && asked.options.is_empty(), "{say}: {asked:?}");
    }
}

#[test]
fn days_left_out_and_days_in_a_row_are_named_as_what_cannot_be_kept() {
    assert!(question("workout every day except Sunday").question.contains("cannot be left out"));
    assert!(question("holiday from 3 to 10 August").question.contains("not on several in a row"));
}

#[test]
fn numbers_and_half_hours_in_words() {
    for (say, title, expected) in [
        ("pay tax on the third of May", "pay tax", "2026-05-03"),
        ("pay tax on the twenty third of May", "pay tax", "2026-05-23"),
        ("pay tax on the thirty first of December", "pay tax", "2026-12-31"),
    ] {
        let operations = plan(say, &[]);
        let days: Vec<_> = operations.iter().filter_map(|one| one.scheduled_for.flatten()).collect();
        assert_eq!((titles(&operations), days), (vec![title], vec![expected.parse().unwrap()]), "{say}");
    }
    for (say, field, expected) in [
        ("call Bob in half an hour", "timeOfDay", "08:30"),
        ("call Bob in forty five minutes", "timeOfDay", "08:45"),
        ("meeting with Bo tomorrow at 10 for half an hour", "endTime", "10:30"),
        ("meeting with Bo tomorrow at 10, half-hour long", "endTime", "10:30"),
    ] {
        assert_eq!(json!(plan(say, &[]))[0][field], expected, "{say}");
    }
}

#[test]
fn a_day_is_no_new_title() {
    let reading = reading("call the dentist on Friday instead", &[]);
    let operations = if let Reading::Plan(operations) = reading { operations } else { Vec::new() };
    assert_eq!(titles(&operations), [""; 0]);
}

#[test]
fn the_next_day_of_what_repeats_is_its_first_open_occurrence() {
    let state = state();
    let mut plants = state.item(Kind::Todo, 6).unwrap().clone();
    assert_eq!(plants.next_day(day(3, 12)), Some(day(3, 14)));
    plants.completed_dates.insert(day(3, 14));
    assert_eq!(plants.next_day(day(3, 12)), Some(day(3, 17)));
    assert_eq!(plants.next_day(day(3, 1)), Some(day(3, 8)));
    plants.recurrence.until = Some(day(3, 15));
    assert_eq!(plants.next_day(day(3, 16)), Some(day(3, 8)));
    assert_eq!(state.item(Kind::Todo, 3).unwrap().next_day(day(3, 20)), Some(day(3, 11)));
    assert_eq!(state.item(Kind::Todo, 4).unwrap().next_day(day(3, 20)), None);
}

#[test]
fn a_missed_day_of_a_repeating_todo_is_overdue_until_its_next_day() {
    let state = state();
    let mut plants = state.item(Kind::Todo, 6).unwrap().clone();
    // From 8 March, every three days.
    assert_eq!(plants.overdue_day(day(3, 8)), None);
    assert_eq!(plants.overdue_day(day(3, 12)), Some(day(3, 11)));
    assert_eq!(plants.overdue_day(day(3, 13)), Some(day(3, 11)));
    assert_eq!(plants.overdue_day(day(3, 14)), None);
    plants.completed_dates.insert(day(3, 11));
    assert_eq!(plants.overdue_day(day(3, 12)), None);
    plants.recurrence.until = Some(day(3, 15));
    assert_eq!(plants.overdue_day(day(3, 16)), None);
    assert_eq!(state.item(Kind::Todo, 3).unwrap().overdue_day(day(3, 20)), Some(day(3, 11)));
    assert_eq!(state.item(Kind::Todo, 4).unwrap().overdue_day(day(3, 20)), None);
    assert_eq!(state.item(Kind::Event, 11).unwrap().overdue_day(day(3, 20)), None);
    assert_eq!(state.item(Kind::Habit, 17).unwrap().overdue_day(day(3, 20)), None);
}
