//! The serialised form of one change of one record: `kind`, `action` and the code `op` that combines both, with the
//! fields of the action.

use std::fmt;

use chrono::NaiveDate;
use serde::{Deserialize, Deserializer, Serialize};

use crate::record::{GoalStatus, Kind, Priority};
use crate::recurrence::Recurrence;
use crate::time_of_day::TimeOfDay;

/// The action on a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Create,
    Update,
    Delete,
    Complete,
    CompleteOccurrence,
    AddItems,
    RemoveItem,
    AddChild,
    RemoveChild,
}

impl Action {
    const ALL: [Self; 9] = [
        Self::Create,
        Self::Update,
        Self::Delete,
        Self::Complete,
        Self::CompleteOccurrence,
        Self::AddItems,
        Self::RemoveItem,
        Self::AddChild,
        Self::RemoveChild,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Complete => "complete",
            Self::CompleteOccurrence => "complete_occurrence",
            Self::AddItems => "add_items",
            Self::RemoveItem => "remove_item",
            Self::AddChild => "add_child",
            Self::RemoveChild => "remove_child",
        }
    }

    /// Returns the action with this name, `None` if records of `kind` do not have it.
    #[must_use]
    pub fn of(kind: Kind, name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name && action.is_of(kind))
    }

    fn is_of(self, kind: Kind) -> bool {
        match self {
            Self::Create | Self::Update | Self::Delete => true,
            Self::Complete | Self::CompleteOccurrence => kind != Kind::Goal,
            Self::AddItems | Self::RemoveItem | Self::AddChild | Self::RemoveChild => kind == Kind::Goal,
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Returns the code `op`: the action's name, for a goal with the prefix `goal_`.
#[must_use]
pub fn op_code(kind: Kind, action: &str) -> String {
    if kind == Kind::Goal { format!("goal_{action}") } else { action.to_owned() }
}

/// A field that an operation may omit, set, or set to null.
pub type Patch<T> = Option<Option<T>>;

/// An operation that passed [`crate::validate`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    pub kind: Kind,
    pub action: Action,
    pub op: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    #[serde(default, deserialize_with = "patch", skip_serializing_if = "Option::is_none")]
    pub scheduled_for: Patch<NaiveDate>,
    #[serde(default, deserialize_with = "patch", skip_serializing_if = "Option::is_none")]
    pub time_of_day: Patch<TimeOfDay>,
    #[serde(default, deserialize_with = "patch", skip_serializing_if = "Option::is_none")]
    pub start_time: Patch<TimeOfDay>,
    #[serde(default, deserialize_with = "patch", skip_serializing_if = "Option::is_none")]
    pub end_time: Patch<TimeOfDay>,
    #[serde(default, deserialize_with = "patch", skip_serializing_if = "Option::is_none")]
    pub location: Patch<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<Recurrence>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence_date: Option<NaiveDate>,
    #[serde(default, deserialize_with = "patch", skip_serializing_if = "Option::is_none")]
    pub link: Patch<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<GoalStatus>,
    #[serde(default, deserialize_with = "patch", skip_serializing_if = "Option::is_none")]
    pub current_progress_value: Patch<f64>,
    #[serde(default, deserialize_with = "patch", skip_serializing_if = "Option::is_none")]
    pub target_progress_value: Patch<f64>,
    #[serde(default, deserialize_with = "patch", skip_serializing_if = "Option::is_none")]
    pub progress_unit: Patch<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub todos: Option<Vec<i64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<i64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub todo_id: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child_id: Option<i64>,
}

impl Operation {
    /// Returns an operation without further fields.
    #[must_use]
    pub fn new(kind: Kind, action: Action, id: Option<i64>) -> Self {
        Self {
            kind,
            action,
            op: op_code(kind, action.as_str()),
            id,
            title: None,
            notes: None,
            scheduled_for: None,
            time_of_day: None,
            start_time: None,
            end_time: None,
            location: None,
            priority: None,
            recurrence: None,
            completed: None,
            occurrence_date: None,
            link: None,
            status: None,
            current_progress_value: None,
            target_progress_value: None,
            progress_unit: None,
            todos: None,
            events: None,
            todo_id: None,
            event_id: None,
            child_id: None,
        }
    }
}

/// Distinguishes a missing field from `null`.
fn patch<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Patch<T>, D::Error> {
    Option::<T>::deserialize(deserializer).map(Some)
}
