//! What the page `/plan` shows of the planner: a week from any day, and todos without a day or whose day has passed. Also
//! the operations of the buttons beside them.

use aha_planner::record::{GoalStatus, Item, Kind};
use chrono::{Days, NaiveDate};
use serde_json::{Value, json};

use crate::digest::format::list;
use crate::services::planner;
use crate::web::form::SentForm;
use crate::web::{Failure, WebState};

/// Number of days that are shown.
const SHOWN_DAYS: u64 = 7;
/// Maximum number of todos without a day that are shown, and of those whose day has passed.
const MAX_UNDATED: usize = 40;

/// A day with its entries.
pub(super) struct Day {
    pub(super) name: String,
    pub(super) date: String,
    pub(super) is_today: bool,
    pub(super) entries: Vec<Entry>,
}

/// The days that are shown, and those that links lead to.
pub(super) struct Week {
    pub(super) heading: String,
    /// Those that have entries.
    pub(super) days: Vec<Day>,
    /// Names the days without entries; empty if there are none.
    pub(super) free: String,
    /// The first day as the forms send it; empty if it is today.
    pub(super) first: String,
    pub(super) previous: String,
    pub(super) next: String,
}

/// An entry, with or without a day.
pub(super) struct Entry {
    pub(super) id: i64,
    /// Its day as operations have it; empty without one.
    pub(super) day: String,
    pub(super) repeats: bool,
    /// Its day in words where that is not in a heading, and its time.
    pub(super) time: String,
    pub(super) title: String,
    pub(super) kind: Kind,
    pub(super) done: bool,
    /// The page that it was created from.
    pub(super) link: Option<String>,
}

impl Entry {
    /// Events take place, whether they are ticked or not.
    pub(super) fn can_be_done(&self) -> bool {
        self.kind != Kind::Event
    }
}

/// Returns the days from `first` on.
pub(super) async fn week(state: &WebState, first: NaiveDate, today: NaiveDate) -> Result<Week, Failure> {
    let last = first + Days::new(SHOWN_DAYS - 1);
    let agenda = planner::agenda(state.app(), first, last).await?;
    let (mut days, mut free) = (Vec::new(), Vec::new());
    for day in first.iter_days().take_while(|day| *day <= last) {
        let of_day = agenda.days.iter().filter(|one| one.date == day);
        let entries: Vec<Entry> = of_day.map(|one| entry(state, &one.item, Some(day))).collect();
        let is_today = day == today;
        if entries.is_empty() {
            free.push(day.format(if is_today { "%A %-d (today)" } else { "%A %-d" }).to_string());
        } else {
            let (name, date) = (day.format("%A").to_string(), day.format("%-d %B").to_string());
            days.push(Day { name, date, is_today, entries });
        }
    }
    let heading = if first == today {
        format!("The next {SHOWN_DAYS} days")
    } else {
        format!("{} – {}", first.format("%-d %B"), last.format("%-d %B %Y"))
    };
    Ok(Week {
        heading,
        days,
        free: list(&free, free.len()),
        first: if first == today { String::new() } else { first.to_string() },
        previous: (first - Days::new(SHOWN_DAYS)).to_string(),
        next: (first + Days::new(SHOWN_DAYS)).to_string(),
    })
}

fn entry(state: &WebState, item: &Item, day: Option<NaiveDate>) -> Entry {
    // A path on this server needs the prefix under which browsers reach it.
    let link = item
        .link
        .as_ref()
        .map(|link| if link.starts_with('/') { format!("{}{link}", state.prefix()) } else { link.clone() });
    Entry {
        id: item.id,
        day: day.map(|day| day.to_string()).unwrap_or_default(),
        repeats: item.recurrence.repeats(),
        time: item.time().map(|time| time.to_string()).unwrap_or_default(),
        title: item.title.clone(),
        kind: item.kind,
        done: item.completed,
        link,
    }
}

/// Returns the todos without a day: the most important first, then the newest.
pub(super) fn undated(state: &WebState, records: &aha_planner::apply::State) -> Vec<Entry> {
    let mut open: Vec<&Item> = records
        .items()
        .filter(|item| item.kind == Kind::Todo && item.scheduled_for.is_none() && !item.completed)
        .collect();
    open.sort_by_key(|item| (std::cmp::Reverse(item.priority), std::cmp::Reverse(item.id)));
    open.into_iter().take(MAX_UNDATED).map(|item| entry(state, item, None)).collect()
}

/// Returns the todos that are overdue, the oldest first. Of one that repeats, the button is about the day that has
/// passed.
pub(super) fn overdue(state: &WebState, records: &aha_planner::apply::State, today: NaiveDate) -> Vec<Entry> {
    let open = crate::assistant::overdue(records, today);
    let line = |(day, item): (NaiveDate, &Item)| {
        let entry = entry(state, item, Some(day));
        Entry { time: format!("{} {}", day.format("%-d %b"), entry.time).trim_end().to_owned(), ..entry }
    };
    open.into_iter().take(MAX_UNDATED).map(line).collect()
}

/// Returns the operation of a button beside an entry; of an entry that repeats, one day is completed.
pub(super) fn entry_operation(form: &SentForm) -> Option<Value> {
    let id: i64 = form.text("id").parse().ok()?;
    let kind = form.text("kind");
    let completed = match form.text("do") {
        "delete" => return Some(json!({ "kind": kind, "action": "delete", "id": id })),
        "done" => true,
        "reopen" => false,
        _ => return None,
    };
    Some(if kind == Kind::Goal.as_str() {
        let status = if completed { GoalStatus::Completed } else { GoalStatus::Active };
        json!({ "kind": kind, "action": "update", "id": id, "status": status })
    } else if form.is_set("repeats") {
        let day = form.text("day");
        let action = "complete_occurrence";
        json!({ "kind": kind, "action": action, "id": id, "occurrenceDate": day, "completed": completed })
    } else {
        json!({ "kind": kind, "action": "complete", "id": id, "completed": completed })
    })
}
