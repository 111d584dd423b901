//! Sentences and what they become, in short: `event "seminar" 2026-11-16 07:00-11:30`, `update 3 2026-11-20`, `? When`.

use aha_core::time::Timestamp;
use aha_planner::apply::{State, apply};
use aha_planner::language::{Reading, Selection, Today, read};
use aha_planner::operation::{Action, Operation};
use aha_planner::recurrence::{Recurrence, Rule};
use aha_planner::time_of_day::TimeOfDay;
use chrono::NaiveDate;

/// A Wednesday in November.
pub fn wednesday_at(hour: u16, minute: u16) -> Today {
    Today::new(NaiveDate::from_ymd_opt(2026, 11, 11).unwrap(), TimeOfDay::new(hour, minute).unwrap())
}

/// The records that sentences add, numbered from 1.
#[track_caller]
pub fn records(sentences: &[&str]) -> State {
    let mut state = State::default();
    let mut last_id = 0;
    for say in sentences {
        let reading = read(say, &state, wednesday_at(8, 0), &Selection::default());
        assert!(matches!(reading, Reading::Plan(_)), "{say}: {reading:?}");
        let operations = if let Reading::Plan(operations) = reading { operations } else { Vec::new() };
        apply(&mut state, &operations, &mut last_id, Timestamp::from_millis(0)).unwrap();
    }
    state
}

/// Asserts what the sentences become. Of a question a part is expected, after "? ".
#[track_caller]
pub fn are_read_as(state: &State, today: Today, cases: &[(&str, &str)]) {
    for (say, expected) in cases {
        let shown = shown(&read(say, state, today, &Selection::default()));
        let is_asked = expected.strip_prefix("? ").is_some_and(|part| shown.starts_with("? ") && shown.contains(part));
        assert!(is_asked || shown == *expected, "{say}\n  is read as {shown}\n  and not as {expected}");
    }
}

fn shown(reading: &Reading) -> String {
    match reading {
        Reading::Plan(operations) => operations.iter().map(shown_operation).collect::<Vec<_>>().join("; "),
        Reading::Clarify(question) => format!("? {}", question.question),
        Reading::Chat => "chat".to_owned(),
    }
}

fn shown_operation(one: &Operation) -> String {
    let subject = match one.id {
        Some(id) => format!("{} {id}", one.op),
        None if one.action == Action::Create => one.kind.to_string(),
        None => one.op.clone(),
    };
    let title = one.title.as_ref().map(|title| format!("\"{title}\""));
    let day = one.scheduled_for.flatten().map(|day| day.to_string());
    let start = one.start_time.or(one.time_of_day).flatten();
    let end = one.end_time.flatten().map_or(String::new(), |end| format!("-{end}"));
    let time = start.map(|start| format!("{start}{end}"));
    let rule = one.recurrence.as_ref().filter(|rule| rule.repeats()).map(shown_rule);
    [Some(subject), title, day, time, rule].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn shown_rule(recurrence: &Recurrence) -> String {
    let rule = match recurrence.rule {
        Rule::EveryNDays(days) => format!("every {days} days"),
        rule => format!("{rule:?}").to_lowercase(),
    };
    recurrence.until.map_or(rule.clone(), |last| format!("{rule} until {last}"))
}
