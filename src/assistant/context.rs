//! The records that a model is given: this week's open items from Monday to Sunday, and a sample of those without a day
//! in it.

use aha_planner::apply::State;
use aha_planner::language::Selection;
use aha_planner::record::{Goal, GoalStatus, Item};
use chrono::{NaiveDate, Weekday};
use serde_json::{Value, json};

/// Maximum number of the week's items.
const WEEK_ITEMS: usize = 60;
/// Maximum number of other items.
const BACKLOG_ITEMS: usize = 40;
const GOALS: usize = 20;

/// Returns the records relevant to a message: the items of `focus`, if it is not empty, and the active goals, of which
/// those of `focus` come first.
#[must_use]
pub fn snapshot(state: &State, today: NaiveDate, focus: &[i64], selection: &Selection) -> Value {
    let week = today.week(Weekday::Mon);
    let (monday, sunday) = (week.first_day(), week.last_day());
    let (mut in_week, mut backlog): (Vec<&Item>, Vec<&Item>) = state
        .items()
        .filter(|item| item.is_open(today))
        .filter(|item| focus.is_empty() || focus.contains(&item.id))
        .partition(|item| !item.occurrences(monday, sunday).is_empty());
    in_week.sort_by_key(|item| (item.scheduled_for, item.time(), item.id));
    // The most important first, then the most recently changed.
    backlog.sort_by_key(|item| (std::cmp::Reverse(item.priority), std::cmp::Reverse(item.updated_at), item.id));
    let mut goals: Vec<&Goal> = state.goals().filter(|goal| goal.status == GoalStatus::Active).collect();
    goals.sort_by_key(|goal| (!focus.contains(&goal.id), goal.id));
    let mut records = json!({
        "week": { "from": monday, "to": sunday, "items": in_week.iter().take(WEEK_ITEMS).map(|one| item(one)).collect::<Vec<_>>() },
        "backlog": backlog.iter().take(BACKLOG_ITEMS).map(|one| item(one)).collect::<Vec<_>>(),
        "goals": goals.iter().take(GOALS).map(|one| goal(one)).collect::<Vec<_>>(),
    });
    if !selection.is_empty() {
        records["where"] = json!(selection);
    }
    records
}

fn item(item: &Item) -> Value {
    json!({
        "id": item.id, "kind": item.kind, "title": item.title, "scheduledFor": item.scheduled_for, "time": item.time(),
        "priority": item.priority, "recurrence": item.recurrence,
    })
}

fn goal(goal: &Goal) -> Value {
    json!({ "id": goal.id, "title": goal.title, "progress": goal.progress() })
}

/// An item on one of its days.
#[derive(Debug, Clone, Copy)]
pub struct Planned<'a> {
    pub day: NaiveDate,
    pub is_done: bool,
    pub item: &'a Item,
}

/// Returns the occurrences from the first to the last day, by day and time, for an answer in words.
#[must_use]
pub fn planned(state: &State, first: NaiveDate, last: NaiveDate) -> Vec<Planned<'_>> {
    let on_days = |item| {
        let days = Item::occurrences(item, first, last).into_iter();
        days.map(move |one| Planned { day: one.date, is_done: one.item.completed, item })
    };
    let mut found: Vec<Planned<'_>> = state.items().flat_map(on_days).collect();
    found.sort_by_key(|one| (one.day, one.item.time(), one.item.id));
    found
}

/// Returns the todos that are overdue, each with the day that has passed, by day.
#[must_use]
pub fn overdue(state: &State, today: NaiveDate) -> Vec<(NaiveDate, &Item)> {
    let mut found: Vec<(NaiveDate, &Item)> =
        state.items().filter_map(|item| Some((item.overdue_day(today)?, item))).collect();
    found.sort_by_key(|(day, item)| (*day, item.time(), item.id));
    found
}

#[cfg(test)]
mod tests {
    use aha_core::time::Timestamp;
    use aha_planner::apply::apply;
    use aha_planner::validate::validate_proposal;

    use super::*;

    #[test]
    fn a_goal_in_focus_is_among_those_that_are_sent() {
        let (mut state, mut last_id) = (State::default(), 0);
        for _ in 0..2 {
            let goals = vec![json!({ "kind": "goal", "action": "create", "title": "Oslo" }); GOALS];
            let checked = validate_proposal(&goals, &state);
            apply(&mut state, &checked.valid(), &mut last_id, Timestamp::from_millis(0)).unwrap();
        }
        let today = NaiveDate::from_ymd_opt(2026, 11, 19).unwrap();
        let records = snapshot(&state, today, &[last_id], &Selection::default());
        let goals = records["goals"].as_array().unwrap();
        assert_eq!((goals.len(), &goals[0]["id"], &goals[1]["id"]), (GOALS, &json!(last_id), &json!(1)));
    }
}
