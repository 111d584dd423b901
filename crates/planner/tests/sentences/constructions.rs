//! Single constructions: changes, selections, reports of what was done, titles, and what is refused.

use aha_planner::apply::State;
use aha_planner::language::{Reading, Selection, read};
use serde_json::json;

use crate::{offered, ops_and_ids, plan, state, state_after, today};

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
fn a_length_that_no_day_holds_is_asked_about() {
    for length in ["15 hours", "20 hours", "0 hours", "24 hours"] {
        let say = format!("change the meeting with Tom to last {length}");
        let reading = read(&say, &state(), today(), &Selection::default());
        let Reading::Clarify(question) = reading else { panic!("{say}: {reading:?}") };
        assert!(question.question.contains("begin and end?"), "{say}: {question:?}");
    }
    let made = json!(plan("change the meeting with Tom to last 2 hours", &state(), &[]));
    assert_eq!(made[0]["endTime"], "12:00", "{made}");
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

#[test]
fn a_new_title_is_taken_word_for_word() {
    for title in ["call the dentist on Friday", "pay the rent of April", "move house to Leeds"] {
        let say = format!("rename call the dentist to {title}");
        let Reading::Plan(operations) = read(&say, &state(), today(), &Selection::default()) else { panic!("{say}") };
        assert_eq!(operations.iter().map(|one| one.title.as_deref()).collect::<Vec<_>>(), [Some(title)], "{say}");
    }
}

#[test]
fn a_full_stop_of_an_abbreviation_ends_no_sentence() {
    let titles =
        |say: &str| -> Vec<String> { plan(say, &state(), &[]).iter().filter_map(|one| one.title.clone()).collect() };
    assert_eq!(titles("read ch. 3 and 4 tomorrow"), ["read ch. 3 and 4"]);
    assert_eq!(titles("read vol. 2 tomorrow"), ["read vol. 2"]);
    assert_eq!(titles("visit Mt. Fuji on Friday"), ["visit Mt. Fuji"]);
    assert_eq!(titles("watch TV. Buy stamps."), ["watch TV", "Buy stamps"]);
    for (say, expected) in [
        ("call mum. 3 eggs from the shop tomorrow", ["call mum", "3 eggs from the shop"]),
        ("pay tax. 3pm dentist tomorrow", ["pay tax", "dentist"]),
        ("call Ann. 10:00 gym tomorrow", ["call Ann", "gym"]),
        ("call Max. 3 eggs from the shop tomorrow", ["call Max", "3 eggs from the shop"]),
        ("call HR. Dentist on Friday at 10", ["call HR", "Dentist"]),
        ("fix the PC. Gym at 6pm tomorrow", ["fix the PC", "Gym"]),
        ("check the PDF. Team call Friday at 10", ["check the PDF", "Team call"]),
    ] {
        let titles: Vec<String> =
            plan(say, &State::default(), &[]).iter().filter_map(|one| one.title.clone()).collect();
        assert_eq!(titles, expected, "{say}");
    }
    assert_eq!(titles("call Zoe at 5 pm. Buy stamps."), ["call Zoe", "Buy stamps"]);
}

#[test]
fn a_duration_is_no_title_and_a_hyphen_changes_no_verb() {
    for say in [
        "change the dentist appointment to last two hours",
        "change the dentist appointment to two hours",
        "change the dentist appointment to end at 17:00",
    ] {
        let made = json!(plan(say, &state(), &[]));
        assert_eq!((&made[0]["endTime"], &made[0]["title"]), (&json!("17:00"), &json!(null)), "{say}");
    }
    for say in ["un-complete buy milk", "un-finish buy milk", "re-open buy milk", "uncomplete buy milk"] {
        let made = plan(say, &state(), &[]);
        assert_eq!((ops_and_ids(&made), made[0].completed), (vec![("complete", Some(3))], Some(false)), "{say}");
    }
}
