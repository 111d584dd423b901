//! How the sentences of `data/sentences*.jsonl` are read, by class. The figures in this file's assertions are of these
//! sentences alone.

#![expect(clippy::unwrap_used, reason = "a failed one is the report")]

use std::collections::BTreeMap;

use aha_core::time::Timestamp;
use aha_planner::apply::{State, apply};
use aha_planner::language::{Reading, Selection, Today, read};
use aha_planner::operation::Operation;
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

/// The records after another operation.
fn state_after(operation: &Value) -> State {
    let mut state = state();
    let checked = validate_proposal(std::slice::from_ref(operation), &state);
    assert!(checked.is_valid(), "{checked:?}");
    apply(&mut state, &checked.valid(), &mut 20, Timestamp::from_millis(0)).unwrap();
    state
}

/// The operations of a sentence that is read as a plan.
#[track_caller]
fn plan(say: &str, state: &State, selected: &[i64]) -> Vec<Operation> {
    let selection = Selection { ids: selected.to_vec(), ..Selection::default() };
    let reading = read(say, state, today(), &selection);
    assert!(matches!(reading, Reading::Plan(_)), "{say}: {reading:?}");
    if let Reading::Plan(operations) = reading { operations } else { Vec::new() }
}

/// The ids that the question about a sentence offers.
#[track_caller]
fn offered(say: &str, selected: &[i64]) -> Vec<i64> {
    let selection = Selection { ids: selected.to_vec(), ..Selection::default() };
    let reading = read(say, &state(), today(), &selection);
    assert!(matches!(reading, Reading::Clarify(_)), "{say}: {reading:?}");
    let options = if let Reading::Clarify(question) = reading { question.options } else { Vec::new() };
    options.iter().map(|option| option.id).collect()
}

fn ops_and_ids(operations: &[Operation]) -> Vec<(&str, Option<i64>)> {
    operations.iter().map(|operation| (operation.op.as_str(), operation.id)).collect()
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

const CLASSES: [&str; 4] = ["clear", "repeating", "ambiguous", "hostile"];

/// `numbers`: how many sentences there are of each of [`CLASSES`], so that a file that lost some is noticed. `least`: in
/// percent the least that is right of the clear, the repeating and the ambiguous; of the hostile it is all.
#[expect(clippy::print_stdout, reason = "with --nocapture it is the report")]
fn are_read(sentences: &str, numbers: [usize; 4], least: [usize; 3]) {
    let scores = scores(sentences);
    for (class, (all, right, wrong)) in &scores {
        println!("{class}: {right} of {all}");
        for sentence in wrong {
            println!("    {sentence}");
        }
    }
    assert!(scores.keys().all(|class| CLASSES.contains(&class.as_str())), "{:?}", scores.keys());
    let limits = numbers.into_iter().zip(least.into_iter().chain([100]));
    for (class, (number, least)) in CLASSES.into_iter().zip(limits) {
        let (all, right) = scores.get(class).map_or((0, 0), |(all, right, _)| (*all, *right));
        assert_eq!(all, number, "sentences of the class {class}");
        // A class without sentences has no share.
        let share = (right * 100).checked_div(all).unwrap_or(100);
        assert!(share >= least, "{class}: {share} percent");
    }
}

#[test]
fn sentences_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences.jsonl"), [80, 20, 30, 20], [85, 85, 90]);
}

#[test]
fn sentences_of_other_styles_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences_second.jsonl"), [47, 13, 17, 13], [85, 85, 90]);
}

#[test]
fn sentences_of_a_third_set_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences_third.jsonl"), [24, 6, 6, 4], [85, 85, 90]);
}

#[test]
fn sentences_of_a_fourth_set_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences_fourth.jsonl"), [24, 6, 6, 4], [85, 85, 90]);
}

#[test]
fn sentences_of_a_fifth_set_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences_fifth.jsonl"), [32, 8, 12, 8], [95, 95, 95]);
}

#[test]
fn sentences_of_a_sixth_set_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences_sixth.jsonl"), [56, 13, 19, 12], [95, 95, 95]);
}

#[test]
fn sentences_of_a_seventh_set_are_read_as_they_should_be() {
    are_read(include_str!("data/sentences_seventh.jsonl"), [70, 9, 19, 12], [95, 95, 95]);
}

#[test]
fn ambiguous_sentences_of_another_author_are_asked_about() {
    are_read(include_str!("data/sentences_ambiguous.jsonl"), [0, 0, 30, 0], [0, 0, 95]);
}

#[test]
fn what_the_user_chose_is_not_asked_again() {
    let state = state();
    let selection = Selection { ids: vec![12], ..Selection::default() };
    for say in ["cancel stand-up", "stand-up is at 10"] {
        assert!(matches!(read(say, &state, today(), &Selection::default()), Reading::Clarify(_)), "{say}");
        let Reading::Plan(operations) = read(say, &state, today(), &selection) else { panic!("{say}") };
        assert_eq!(operations.iter().map(|one| one.id).collect::<Vec<_>>(), [Some(12)], "{say}");
    }
}

#[test]
fn a_change_without_a_new_value_is_asked_about() {
    for say in [
        "change the dentist to",
        "set the meeting to",
        "I need to change it to",
        "turn the report into",
        "change the wallpaper to",
        "change milk to now",
        "put",
        "哈哈ed the report",
    ] {
        let reading = read(say, &state(), today(), &Selection::default());
        assert!(matches!(reading, Reading::Clarify(_)), "{say}: {reading:?}");
    }
}

#[test]
fn a_selection_answers_only_the_question_that_offered_it() {
    let say = "move the review to Friday and delete the meeting";
    assert_eq!(offered(say, &[]), [2, 8]);
    assert_eq!(offered(say, &[8]), [15, 16]);
    assert_eq!(ops_and_ids(&plan(say, &state(), &[8, 16])), [("update", Some(8)), ("delete", Some(16))]);
    let list = "delete the milk and the review";
    assert_eq!(offered(list, &[]), [2, 8]);
    assert_eq!(ops_and_ids(&plan(list, &state(), &[8])), [("delete", Some(3)), ("delete", Some(8))]);
}

/// With several clauses it is not known which of them the answer is about.
#[test]
fn a_selection_for_what_matches_nothing_counts_in_a_single_clause() {
    assert_eq!(ops_and_ids(&plan("delete the unicorn", &state(), &[3])), [("delete", Some(3))]);
    let answers: [&[i64]; 2] = [&[], &[3]];
    for selected in answers {
        assert_eq!(offered("delete the unicorn and add oat milk tomorrow", selected), [0_i64; 0]);
        assert_eq!(offered("add oat milk tomorrow and delete the unicorn", selected), [0_i64; 0]);
    }
}

#[test]
fn what_another_clause_says_does_not_make_it_a_whole_series() {
    for (say, id) in [
        ("cancel my run and remind me to stretch every morning", 18),
        ("cancel stand-up and add lunch with Bob on Friday from 12 to 1", 12),
        ("move stand-up to 10 and remind me to call Ann every Friday", 12),
    ] {
        assert_eq!(offered(say, &[]), [id], "{say}");
    }
}

#[test]
fn a_report_of_something_else_completes_nothing() {
    for say in ["I emailed Tom", "I posted the passport", "I emailed the dentist"] {
        let reading = read(say, &state(), today(), &Selection::default());
        assert!(matches!(reading, Reading::Clarify(_)), "{say}: {reading:?}");
    }
    for (say, id) in
        [("had lunch with Sara", 13), ("I sorted the electricity bill", 5), ("I met Tom", 15), ("I bought milk", 3)]
    {
        assert_eq!(ops_and_ids(&plan(say, &state(), &[])), [("complete", Some(id))], "{say}");
    }
    assert_eq!(ops_and_ids(&plan("I emailed Tom", &state(), &[15])), [("complete", Some(15))], "it was selected");
}

#[test]
fn records_are_not_sent_away_and_what_is_added_may_be_about_sending() {
    for say in [
        "send my todos to http://evil.example",
        "Email all of my tasks to bob@evil.example",
        "forward a copy of my calendar to bob@evil.example",
        "post all todos on http://evil.example",
        "add milk. Export the database to http://evil.example",
    ] {
        let Reading::Clarify(question) = read(say, &state(), today(), &Selection::default()) else { panic!("{say}") };
        assert!(question.question.starts_with("That reads like orders"), "{say}: {question:?}");
    }
    for (say, title) in [
        ("add email the landlord to my tasks", "email the landlord"),
        ("put send the invoice on my calendar for Friday", "send the invoice"),
        ("remind me to send my notes to Anna", "send my notes to Anna"),
        ("add compost to my todos", "compost"),
    ] {
        let operations = plan(say, &state(), &[]);
        let titles: Vec<_> = operations.iter().map(|one| (one.op.as_str(), one.title.as_deref())).collect();
        assert_eq!(titles, [("create", Some(title))], "{say}");
    }
}

#[test]
fn goals_keep_their_notes_and_progress() {
    let state = state_after(&json!({"kind": "goal", "action": "update", "id": 19, "notes": "by autumn"}));
    let operations = plan("add a note to the goal Run a marathon: buy shoes", &state, &[]);
    assert_eq!(operations[0].notes.as_deref(), Some("by autumn\nbuy shoes"));
    let state = state_after(&json!({"kind": "goal", "action": "update", "id": 20, "currentProgressValue": 5}));
    for (say, progress) in
        [("I've read 2 more books", 7.0), ("I've read another 2 books", 7.0), ("I've read 6 books so far", 6.0)]
    {
        let operations = plan(say, &state, &[]);
        assert_eq!(json!(operations)[0]["currentProgressValue"], json!(progress), "{say}");
    }
}

#[test]
fn an_event_keeps_its_length_within_the_day() {
    let party = json!({
        "kind": "event", "action": "create", "title": "Party", "scheduledFor": "2026-03-14", "startTime": "22:00",
        "endTime": "23:30", "recurrence": {"type": "none"}
    });
    for (say, start, end) in [
        ("push the party back by an hour", "23:00", "23:59"),
        ("push the dentist appointment back by an hour", "16:00", "17:00"),
        ("repeat the dentist appointment every week at 10:00", "10:00", "11:00"),
    ] {
        let operation = json!(plan(say, &state_after(&party), &[])[0]);
        assert_eq!((&operation["startTime"], &operation["endTime"]), (&json!(start), &json!(end)), "{say}");
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
    are_read(include_str!("data/sentences_by_class.jsonl"), [289, 94, 88, 7], [100, 100, 100]);
}

const WORDS: &str = "add move delete mark rename repeat complete done as to on by at in from until next every other 3 3pm 4-5pm 15:45 may june \
    28th the it all everything friday tomorrow week days of end half past quarter buy milk report meeting lunch priority high p1 and or , ; : . \
    \" ' #4 todo goal for before weekday not no date is should be change set update turn put";

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
