//! The stored records: items (todos, events, habits) and goals.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use aha_core::time::Timestamp;
use chrono::{Days, NaiveDate};
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};

use crate::recurrence::{Recurrence, Rule};
use crate::time_of_day::TimeOfDay;

/// The kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Todo,
    Event,
    Habit,
    Goal,
}

impl Kind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Todo => "todo",
            Self::Event => "event",
            Self::Habit => "habit",
            Self::Goal => "goal",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no kind of record.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is none of todo, event, habit, goal")]
pub struct UnknownWord(String);

impl FromStr for Kind {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        [Self::Todo, Self::Event, Self::Habit, Self::Goal]
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| UnknownWord(text.to_owned()))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    Low,
    #[default]
    Medium,
    High,
}

impl Priority {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GoalStatus {
    #[default]
    Active,
    Completed,
    Archived,
}

impl GoalStatus {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Completed => "completed",
            Self::Archived => "archived",
        }
    }
}

/// A todo, an event or a habit. Dates are in the user's local time. `timeOfDay` is used by todos and habits, the start
/// and end times by events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    pub id: i64,
    pub kind: Kind,
    pub title: String,
    pub notes: String,
    pub scheduled_for: Option<NaiveDate>,
    pub time_of_day: Option<TimeOfDay>,
    pub start_time: Option<TimeOfDay>,
    pub end_time: Option<TimeOfDay>,
    pub location: Option<String>,
    pub priority: Priority,
    pub recurrence: Recurrence,
    /// For an item that does not repeat. A repeating item is completed by its days.
    pub completed: bool,
    /// Days of the completed occurrences.
    pub completed_dates: BTreeSet<NaiveDate>,
    /// The address that the item was created from, such as a story's.
    pub link: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A goal, with items and goals below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Goal {
    pub id: i64,
    pub title: String,
    pub notes: String,
    pub status: GoalStatus,
    pub current_progress_value: Option<f64>,
    pub target_progress_value: Option<f64>,
    pub progress_unit: Option<String>,
    pub todos: BTreeSet<i64>,
    pub events: BTreeSet<i64>,
    pub children: BTreeSet<i64>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// An item on one day. The item's `completed` is the state on that day. Its notes and its completed days are left out,
/// empty here and absent from the JSON: they can be long, and an agenda would repeat them for each day.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Occurrence {
    pub date: NaiveDate,
    #[serde(flatten, serialize_with = "without_long_fields")]
    pub item: Item,
}

fn without_long_fields<S: Serializer>(item: &Item, serializer: S) -> Result<S::Ok, S::Error> {
    let mut fields = serde_json::to_value(item).map_err(S::Error::custom)?;
    if let Some(fields) = fields.as_object_mut() {
        fields.retain(|name, _| name != "notes" && name != "completedDates");
    }
    fields.serialize(serializer)
}

impl Item {
    /// Returns the start time.
    #[must_use]
    pub fn time(&self) -> Option<TimeOfDay> {
        self.start_time.or(self.time_of_day)
    }

    /// Returns whether it is completed on that day.
    #[must_use]
    pub fn completed_on(&self, day: NaiveDate) -> bool {
        if self.recurrence.repeats() { self.completed_dates.contains(&day) } else { self.completed }
    }

    /// Returns whether the item is not completed or, if it repeats, has not ended before `today`; single days of it may
    /// be completed.
    #[must_use]
    pub fn is_open(&self, today: NaiveDate) -> bool {
        match (self.recurrence.repeats(), self.recurrence.until) {
            (true, Some(until)) => until >= today,
            (true, None) => true,
            (false, _) => !self.completed,
        }
    }

    /// Returns the day of an item that does not repeat; else its first open occurrence from `today` on. After its last
    /// occurrence that is its first day.
    #[must_use]
    pub fn next_day(&self, today: NaiveDate) -> Option<NaiveDate> {
        let anchor = self.scheduled_for?;
        if !self.recurrence.repeats() {
            return Some(anchor);
        }
        let mut from = today;
        while let Some(day) = self.recurrence.next_from(anchor, from) {
            if !self.completed_dates.contains(&day) {
                return Some(day);
            }
            from = day.succ_opt()?;
        }
        Some(anchor)
    }

    /// Returns the day of an open todo that has passed without being done. Of a repeating todo it is the last one, until
    /// the next begins. Habits and events are not made up for, so they are never overdue.
    #[must_use]
    pub fn overdue_day(&self, today: NaiveDate) -> Option<NaiveDate> {
        let anchor = self.scheduled_for.filter(|anchor| self.kind == Kind::Todo && *anchor < today)?;
        if !self.recurrence.repeats() {
            return (!self.completed).then_some(anchor);
        }
        if !self.is_open(today) || self.recurrence.occurs_on(anchor, today) {
            return None;
        }
        let gap_days = match self.recurrence.rule {
            Rule::EveryNDays(interval) => u64::from(interval),
            _ => 7,
        };
        let from = today.checked_sub_days(Days::new(gap_days)).map_or(anchor, |from| from.max(anchor));
        let last = self.recurrence.occurrences(anchor, from, today).last().copied()?;
        (!self.completed_dates.contains(&last)).then_some(last)
    }

    /// Returns an occurrence for each of its days from `from` to `to`, both included.
    #[must_use]
    pub fn occurrences(&self, from: NaiveDate, to: NaiveDate) -> Vec<Occurrence> {
        let Some(anchor) = self.scheduled_for else { return Vec::new() };
        let days = self.recurrence.occurrences(anchor, from, to);
        if days.is_empty() {
            return Vec::new();
        }
        let short = Self { notes: String::new(), completed_dates: BTreeSet::new(), ..self.clone() };
        let on = |date| Occurrence { date, item: Self { completed: self.completed_on(date), ..short.clone() } };
        days.into_iter().map(on).collect()
    }
}

impl Goal {
    /// Returns the share of the target that is reached, 0 to 1. `None` without a target.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        match (self.current_progress_value.unwrap_or(0.0), self.target_progress_value) {
            (current, Some(target)) if target > 0.0 => Some((current / target).clamp(0.0, 1.0)),
            _ => None,
        }
    }
}

/// Returns all occurrences of the items from `from` to `to`, by day, time and id.
#[must_use]
pub fn agenda<'a>(items: impl Iterator<Item = &'a Item>, from: NaiveDate, to: NaiveDate) -> Vec<Occurrence> {
    let mut days: Vec<Occurrence> = items.flat_map(|item| item.occurrences(from, to)).collect();
    // Items without a time concern the whole day and come first.
    days.sort_by_key(|occurrence| (occurrence.date, occurrence.item.time(), occurrence.item.id));
    days
}
