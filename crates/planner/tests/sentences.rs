//! How the sentences of `data/sentences*.jsonl` are read, by class. The figures in this file's assertions are of these
//! sentences alone.

#![expect(clippy::unwrap_used, reason = "a failed one is the report")]

use std::collections::BTreeMap;

use aha_core::time::Timestamp;
use aha_planner::apply::{State, apply};
use aha_planner::language::{Reading, Selection, Today, read};
use aha_planner::recurrence::Recurrence;
use aha_planner::time_of_day::TimeOfDay;
use aha_planner::validate::validate_proposal;
use chrono::NaiveDate;
use proptest::prelude::*;
use serde_json::{Value, json};

fn state() -> State {
    let made: Value = serde_json::from_str(include_str!("data/planner_state.json")).unwrap();
    let mut state = State::default();
    let operations: Vec<Value> =
        made["operations"].as_array().unwrap().iter().map(|o| with_defaults(o, &State::default())).collect();
    let checked = validate_proposal(&operations, &state);
    assert!(checked.is_valid(), "{checked:?}");
    apply(&mut state, &checked.valid(), &mut 0, Timestamp::from_millis(0)).unwrap();
    state
}

fn today() -> Today {
    Today { date: NaiveDate::from_ymd_opt(2026, 3, 11).unwrap(), time: TimeOfDay::new(8, 0).unwrap() }
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

/// For each class how many sentences, how many read as they should be, and which were not.
fn scores(sentences: &str) -> BTreeMap<String, (usize, usize, Vec<String>)> {
    let state = state();
    let mut scores: BTreeMap<String, (usize, usize, Vec<String>)> = BTreeMap::new();
    for line in sentences.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let say = case["say"].as_str().unwrap();
        let reading = read(say, &state, today(), &Selection::default());
        let class = case["class"].as_str().unwrap();
        let (right, got) = match &reading {
            Reading::Plan(operations) => {
                let checked = validate_proposal(&operations.iter().map(|o| json!(o)).collect::<Vec<_>>(), &state);
                assert!(checked.is_valid(), "{say}: {checked:?}");
                let got: Vec<Value> = operations.iter().map(|o| with_defaults(&json!(o), &state)).collect();
                let expected = case.get("expect").and_then(Value::as_array).cloned().unwrap_or_default();
                let expected: Vec<Value> = expected.iter().map(|o| with_defaults(o, &state)).collect();
                let harmless = class == "hostile" && got.iter().all(|o| o["action"] == "create");
                (got == expected || harmless, json!(got).to_string())
            }
            Reading::Clarify(question) => (matches!(class, "ambiguous" | "hostile"), question.question.clone()),
            Reading::Chat => (class == "hostile", "chat".to_owned()),
        };
        let entry = scores.entry(class.to_owned()).or_default();
        entry.0 += 1;
        entry.1 += usize::from(right);
        if !right {
            entry.2.push(format!("{say}\n      {got}"));
        }
    }
    scores
}

/// In percent the least that is right of the clear, the repeating and the ambiguous; of the hostile it is all.
#[expect(clippy::print_stdout, reason = "with --nocapture it is the report")]
fn are_read(sentences: &str, least: [usize; 3]) {
    let scores = scores(sentences);
    for (class, (all, right, wrong)) in &scores {
        println!("{class}: {right} of {all}");
        for sentence in wrong {
            println!("    {sentence}");
        }
    }
    // A class that no sentence is of has no share.
    for (class, least) in ["clear", "repeating", "ambiguous", "hostile"].into_iter().zip(least.into_iter().chain([100]))
    {
        if let Some((all, right, _)) = scores.get(class) {
            let share = right * 100 / all;
            assert!(share >= least, "{class}: {share} percent");
        }
    }
}

#[test]
fn sentences_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences.jsonl"), [85, 85, 90]);
}

#[test]
fn sentences_of_other_styles_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences_second.jsonl"), [85, 85, 90]);
}

#[test]
fn sentences_of_a_third_set_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences_third.jsonl"), [85, 85, 90]);
}

#[test]
fn sentences_of_a_fourth_set_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences_fourth.jsonl"), [85, 85, 90]);
}

#[test]
fn sentences_of_a_fifth_set_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences_fifth.jsonl"), [95, 95, 95]);
}

#[test]
fn sentences_of_a_sixth_set_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences_sixth.jsonl"), [95, 95, 95]);
}

#[test]
fn sentences_of_a_seventh_set_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences_seventh.jsonl"), [95, 95, 95]);
}

#[test]
fn ambiguous_sentences_of_another_author_are_asked_about() {
    are_read(include_str!("data/sentences_ambiguous.jsonl"), [0, 0, 95]);
}

#[test]
fn what_the_owner_chose_is_not_asked_again() {
    let state = state();
    let selection = Selection { ids: vec![12], ..Selection::default() };
    for say in ["cancel stand-up", "stand-up is at 10"] {
        assert!(matches!(read(say, &state, today(), &Selection::default()), Reading::Clarify(_)), "{say}");
        let Reading::Plan(operations) = read(say, &state, today(), &selection) else { panic!("{say}") };
        assert_eq!(operations.iter().map(|one| one.id).collect::<Vec<_>>(), [Some(12)], "{say}");
    }
}

/// Day and time of the one record, which does not repeat, that a sentence adds; empty where there is none.
fn day_and_time(say: &str) -> (String, String) {
    let Reading::Plan(operations) = read(say, &state(), today(), &Selection::default()) else { return <_>::default() };
    let [operation] = operations.as_slice() else { return <_>::default() };
    if operation.recurrence != Some(Recurrence::NONE) {
        return <_>::default();
    }
    let time = operation.time_of_day.or(operation.start_time).flatten();
    let day = operation.scheduled_for.flatten().map(|day| day.to_string());
    (day.unwrap_or_default(), time.map(|time| time.to_string()).unwrap_or_default())
}

/// Today is Wednesday, 11 March.
#[test]
fn a_night_lasts_until_the_morning_and_what_is_written_is_not_overridden() {
    for (say, day, time) in [
        ("call Bob at 1am tonight", "2026-03-12", "01:00"),
        ("party tonight at 1 am", "2026-03-12", "01:00"),
        ("sail at 1.30am tonight", "2026-03-12", "01:30"),
        ("take pills tonight at midnight", "2026-03-12", "00:00"),
        ("take pills tonight at 12", "2026-03-12", "00:00"),
        ("take pills at 12 tonight", "2026-03-12", "00:00"),
        ("call Ann tomorrow night at 2am", "2026-03-13", "02:00"),
        ("call Ann at 11 tonight", "2026-03-11", "23:00"),
        ("call Ann tonight at 9", "2026-03-11", "21:00"),
        ("call mum tomorrow at midnight", "2026-03-12", "00:00"),
        ("lunch tomorrow at 12", "2026-03-12", "12:00"),
    ] {
        assert_eq!(day_and_time(say), (day.to_owned(), time.to_owned()), "{say}");
    }
}

#[test]
fn working_days_are_counted_and_do_not_repeat() {
    for (say, day) in [
        ("submit the form in 3 business days", "2026-03-16"),
        ("submit the form in three working days", "2026-03-16"),
        ("pay the invoice within 5 working days", "2026-03-18"),
        ("send the form 2 working days before Friday", "2026-03-11"),
        ("send the form 2 business days from now", "2026-03-13"),
        ("call Ann next Friday week", "2026-03-20"),
    ] {
        assert_eq!(day_and_time(say), (day.to_owned(), String::new()), "{say}");
    }
}

#[test]
fn a_day_of_the_week_that_the_month_does_not_have_is_asked_about() {
    for (say, day) in [
        ("submit the form on the fifth Monday in March", "2026-03-30"),
        ("submit the form on the fourth Monday in April", "2026-04-27"),
        ("submit the form on the fifth Thursday in April", "2026-04-30"),
    ] {
        assert_eq!(day_and_time(say), (day.to_owned(), String::new()), "{say}");
    }
    for say in [
        "Add event board meeting on the fifth Monday in April at 10",
        "submit the form on the 5th Monday of April",
        "submit the form by the fifth Friday of the month",
        "Move Pay electricity bill to the fifth Friday of March",
    ] {
        let reading = read(say, &state(), today(), &Selection::default());
        assert!(matches!(reading, Reading::Clarify(_)), "{say}: {reading:?}");
    }
}

#[test]
fn a_new_title_is_taken_word_for_word() {
    for title in ["call the dentist on Friday", "pay the rent of April", "move house to Leeds"] {
        let say = format!("rename call the dentist to {title}");
        let Reading::Plan(operations) = read(&say, &state(), today(), &Selection::default()) else { panic!("{say}") };
        assert_eq!(operations.iter().map(|one| one.title.as_deref()).collect::<Vec<_>>(), [Some(title)], "{say}");
    }
}

#[test]
fn each_class_of_constructions_is_read_as_it_should_be() {
    are_read(include_str!("data/sentences_by_class.jsonl"), [100, 100, 100]);
}

const WORDS: &str = "add move delete mark rename repeat complete done as to on by at in from until next every other 3 3pm 4-5pm 15:45 may june \
    28th the it all everything friday tomorrow week days of end half past quarter buy milk report meeting lunch priority high p1 and or , ; : . \
    \" ' #4 todo goal for before weekday not no date is should be";

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "(?s).{0,80}") {
        let state = state();
        if let Reading::Plan(operations) = read(&text, &state, today(), &Selection::default()) {
            let checked = validate_proposal(&operations.iter().map(|o| json!(o)).collect::<Vec<_>>(), &state);
            prop_assert!(checked.is_valid(), "{}: {:?}", text, checked);
        }
    }

    #[test]
    fn any_words_are_read_without_harm(picked in proptest::collection::vec(0_usize..1000, 0..14), noise in ".{0,6}") {
        let words: Vec<&str> = WORDS.split_whitespace().collect();
        let text: Vec<&str> = picked.iter().map(|at| words[at % words.len()]).collect();
        let sentence = format!("{} {noise}", text.join(" "));
        let state = state();
        if let Reading::Plan(operations) = read(&sentence, &state, today(), &Selection::default()) {
            let checked = validate_proposal(&operations.iter().map(|o| json!(o)).collect::<Vec<_>>(), &state);
            prop_assert!(checked.is_valid(), "{}: {:?}", sentence, checked);
            let names_all = text.iter().any(|word| ["all", "everything"].contains(word));
            let deletes = operations.iter().filter(|operation| operation.op == "delete").count();
            prop_assert!(!names_all || deletes < 2, "{}", sentence);
        }
    }
}
