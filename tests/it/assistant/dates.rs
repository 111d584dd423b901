//! Days and times that do not exist, days that are taken for a period, and the answer to the question for a day.

use serde_json::{Value, json};

use super::{NOW, radar};
use crate::support::radar::{Engine, Radar};

/// In Berlin the clocks are put forward on 28 March 2027 at 02:00.
fn in_berlin() -> Radar {
    Radar::at(NOW).with("AHA_TIMEZONE", "Europe/Berlin").on(Engine::Sqlite)
}

const SKIPPED: &str = "02:30 does not exist on 2027-03-28 in Europe/Berlin: the clocks are put forward from 02:00 to \
    03:00. Say another time, such as 03:30.";

#[test]
fn a_time_that_a_clock_change_skips_is_named_and_not_planned() {
    let radar = in_berlin();
    let asked = radar.json(&["assistant", "call Bob on 28 March 2027 at 02:30", "--apply", "--json"]);
    assert_eq!((&asked["decision"], &asked["applied"]), (&json!("clarify"), &Value::Null), "{asked}");
    assert_eq!(asked["text"], format!("Not planned: \"call Bob\". {SKIPPED}"));
    let both = "add oat milk tomorrow and add call Bob on 28 March 2027 at 02:30";
    let partly = radar.json(&["assistant", both, "--json"]);
    assert_eq!((&partly["decision"], partly["operations"].as_array().unwrap().len()), (&json!("plan"), 1), "{partly}");
    assert!(partly["text"].as_str().unwrap().ends_with(SKIPPED), "{partly}");
    radar.run(&["todo", "add", "call Bob on 28 March 2027 at 02:30"]).exits(2).says(SKIPPED).says("Nothing was added");
    assert_eq!(radar.json(&["todo", "list", "--json"]), json!([]));
    // The same time exists on other days, and for what repeats on most of them.
    radar.ok(&["todo", "add", "call Bob on 29 March 2027 at 02:30"]);
    radar.ok(&["todo", "add", "check the oven every day at 02:30"]);
    let moved = radar.json(&["assistant", "move call Bob to 28 March 2027", "--json"]);
    assert!(moved["text"].as_str().unwrap().ends_with(SKIPPED), "{moved}");
}

#[test]
fn a_question_for_the_day_is_answered_by_an_option() {
    let radar = radar(Engine::Sqlite);
    let sentence = "call Ann on 31 February";
    let ran = radar.run(&["assistant", sentence, "--apply"]).exits(0);
    ran.says("\"31 February\" does not exist. Say \"28 February\" or \"1 March\".").says("--date YYYY-MM-DD");
    let answered = radar.json(&["assistant", sentence, "--date", "2027-03-01", "--priority", "high", "--json"]);
    let operation = &answered["operations"][0]["op"];
    assert_eq!(
        (&operation["scheduledFor"], &operation["priority"]),
        (&json!("2027-03-01"), &json!("high")),
        "{answered}"
    );
    radar.run(&["todo", "add", sentence]).exits(2).says("does not exist").says("repeat the command with the answer");
}

#[test]
fn the_day_taken_for_a_week_is_said() {
    let radar = radar(Engine::Sqlite);
    let said = "\"next week\" names no day: Monday, 2026-11-23 was taken. Name a day if another is meant.";
    let answered = radar.json(&["assistant", "call Ann next week", "--json"]);
    assert_eq!(answered["text"], format!("Add todo \"call Ann\" on 2026-11-23. {said}"));
    radar.run(&["todo", "add", "call Ann next week"]).exits(0).says(said);
}

#[test]
fn the_day_of_what_was_added_is_printed() {
    let radar = radar(Engine::Sqlite);
    let added = |text: &str, printed: &str| radar.run(&["todo", "add", text]).exits(0).says(printed);
    added("buy milk tomorow", "create: todo #1 buy milk (on Fri 2026-11-20)");
    added("call Ann on Friday at 3pm", "create: todo #2 call Ann (on Fri 2026-11-20 at 15:00)");
    added("water the plants every 3 days", "create: todo #3 water the plants (from Thu 2026-11-19, every 3 days)");
    radar.run(&["todo", "undo"]).exits(0).says("undone: 1 record is as before");
    let leap = "\"29 February\" does not exist in 2027: Tuesday, 2028-02-29 was taken.";
    added("call Zoe on 29 February", "(on Tue 2028-02-29)").says(leap);
}

/// In Berlin it is 21:00, and the clocks are put forward five hours later.
#[test]
fn hours_from_now_are_counted_across_a_clock_change() {
    let radar = Radar::at("2027-03-27T20:00:00Z").with("AHA_TIMEZONE", "Europe/Berlin").on(Engine::Sqlite);
    radar.ok(&["init"]);
    for (hours, time) in [(4, "01:00"), (5, "03:00"), (8, "06:00")] {
        let sentence = format!("call Bob in {hours} hours");
        let answered = radar.json(&["assistant", &sentence, "--json"]);
        let operation = &answered["operations"][0]["op"];
        assert_eq!(
            (&operation["scheduledFor"], &operation["timeOfDay"]),
            (&json!("2027-03-28"), &json!(time)),
            "{answered}"
        );
    }
}

#[test]
fn a_title_that_means_one_open_todo_marks_it_as_done() {
    let radar = radar(Engine::Sqlite);
    for text in ["buy milk", "buy oat bread", "call Ann"] {
        radar.ok(&["todo", "add", text]);
    }
    radar.run(&["todo", "done", "buy"]).exits(2).says("can be #1 buy milk, #2 buy oat bread; repeat the command");
    radar.run(&["todo", "done", "unicorn"]).exits(2).says("neither an id nor in the title of one open todo");
    radar.run(&["todo", "done", "oat", "bread"]).exits(0).says("todo #2 buy oat bread");
    radar.run(&["todo", "done", "milk"]).exits(0).says("todo #1 buy milk");
    radar.run(&["todo", "done", "milk"]).exits(2).says("neither an id nor in the title of one open todo");
    radar.ok(&["todo", "done", "#3"]);
}

#[test]
fn a_title_that_means_one_open_todo_deletes_it() {
    let radar = radar(Engine::Sqlite);
    for text in ["buy milk", "buy oat bread", "call Ann", "pay the rent"] {
        radar.ok(&["todo", "add", text]);
    }
    radar.run(&["todo", "delete", "buy"]).exits(2).says("can be #1 buy milk, #2 buy oat bread; repeat the command");
    radar.run(&["todo", "delete", "unicorn"]).exits(2).says("neither an id nor in the title of one open todo");
    assert_eq!(radar.json(&["todo", "list", "--json"]).as_array().unwrap().len(), 4);
    radar.run(&["todo", "delete", "oat", "bread"]).exits(0).says("delete: todo #2 buy oat bread");
    radar.run(&["todo", "delete", "#1", "3"]).exits(0).says("delete: todo #3 call Ann");
    let left = radar.json(&["todo", "list", "--json"]);
    assert_eq!((left.as_array().unwrap().len(), &left[0]["title"]), (1, &json!("pay the rent")));
    radar.ok(&["todo", "undo"]);
    assert_eq!(radar.json(&["todo", "list", "--json"]).as_array().unwrap().len(), 3);
}
