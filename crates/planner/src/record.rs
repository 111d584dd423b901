//! What is kept: items (todos, events, habits) and goals.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use aha_core::time::Timestamp;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::recurrence::Recurrence;
use crate::time_of_day::TimeOfDay;

/// What a record is.
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

/// The word names no kind of record.
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

/// A todo, an event or a habit. Dates are the owner's local ones; `timeOfDay` is a todo's or a habit's, the times of start and end an
/// event's.
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
    /// Of what does not repeat; what repeats is done by its days.
    pub completed: bool,
    /// The days on which an occurrence was done.
    pub completed_dates: BTreeSet<NaiveDate>,
    /// The address that it came from, such as a story's.
    pub link: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Something to reach, with items and goals below it.
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

/// An item on one day; `completed` of the item says whether it is done on that day.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Occurrence {
    pub date: NaiveDate,
    #[serde(flatten)]
    pub item: Item,
}

impl Item {
    /// When on its day it begins.
    #[must_use]
    pub fn time(&self) -> Option<TimeOfDay> {
        self.start_time.or(self.time_of_day)
    }

    /// Whether it is done on that day.
    #[must_use]
    pub fn completed_on(&self, day: NaiveDate) -> bool {
        if self.recurrence.repeats() { self.completed_dates.contains(&day) } else { self.completed }
    }

    /// Whether something of it is left to do from `today` on.
    #[must_use]
    pub fn is_open(&self, today: NaiveDate) -> bool {
        match (self.recurrence.repeats(), self.recurrence.until) {
            (true, Some(until)) => until >= today,
            (true, None) => true,
            (false, _) => !self.completed,
        }
    }

    /// The item on each of its days from `from` to `to`, both included.
    #[must_use]
    pub fn occurrences(&self, from: NaiveDate, to: NaiveDate) -> Vec<Occurrence> {
        let Some(anchor) = self.scheduled_for else { return Vec::new() };
        let on = |date| Occurrence { date, item: Self { completed: self.completed_on(date), ..self.clone() } };
        self.recurrence.occurrences(anchor, from, to).into_iter().map(on).collect()
    }
}

impl Goal {
    /// How much of the target is reached, 0 to 1; `None` without a target.
    #[must_use]
    pub fn progress(&self) -> Option<f64> {
        match (self.current_progress_value.unwrap_or(0.0), self.target_progress_value) {
            (current, Some(target)) if target > 0.0 => Some((current / target).clamp(0.0, 1.0)),
            _ => None,
        }
    }
}

/// All occurrences of these items from `from` to `to`, by day, time and id.
#[must_use]
pub fn agenda(items: &[Item], from: NaiveDate, to: NaiveDate) -> Vec<Occurrence> {
    let mut days: Vec<Occurrence> = items.iter().flat_map(|item| item.occurrences(from, to)).collect();
    // Without a time first: what concerns the whole day.
    days.sort_by_key(|occurrence| (occurrence.date, occurrence.item.time(), occurrence.item.id));
    days
}
