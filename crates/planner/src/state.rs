//! A user's records, as operations see them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::matching::Candidate;
use crate::record::{Goal, GoalStatus, Item, Kind};

/// A record of either type.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Record {
    Item(Item),
    Goal(Goal),
}

/// Identifies a record. Ids are counted per user, across all kinds.
pub type Key = (Kind, i64);

/// The current records: all of a user's, or those that some operations concern together with all goals.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    pub(crate) records: BTreeMap<Key, Record>,
}

impl State {
    #[must_use]
    pub fn new(items: Vec<Item>, goals: Vec<Goal>) -> Self {
        let items = items.into_iter().map(|item| ((item.kind, item.id), Record::Item(item)));
        let goals = goals.into_iter().map(|goal| ((Kind::Goal, goal.id), Record::Goal(goal)));
        Self { records: items.chain(goals).collect() }
    }

    #[must_use]
    pub fn record(&self, key: Key) -> Option<&Record> {
        self.records.get(&key)
    }

    #[must_use]
    pub fn item(&self, kind: Kind, id: i64) -> Option<&Item> {
        match self.records.get(&(kind, id))? {
            Record::Item(item) => Some(item),
            Record::Goal(_) => None,
        }
    }

    #[must_use]
    pub fn goal(&self, id: i64) -> Option<&Goal> {
        match self.records.get(&(Kind::Goal, id))? {
            Record::Goal(goal) => Some(goal),
            Record::Item(_) => None,
        }
    }

    #[must_use]
    pub fn has(&self, kind: Kind, id: i64) -> bool {
        self.records.contains_key(&(kind, id))
    }

    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.records.values().filter_map(|record| match record {
            Record::Item(item) => Some(item),
            Record::Goal(_) => None,
        })
    }

    pub fn goals(&self) -> impl Iterator<Item = &Goal> {
        self.records.values().filter_map(|record| match record {
            Record::Goal(goal) => Some(goal),
            Record::Item(_) => None,
        })
    }

    /// Returns the item with that id, of any kind.
    #[must_use]
    pub fn item_by_id(&self, id: i64) -> Option<&Item> {
        [Kind::Todo, Kind::Event, Kind::Habit].into_iter().find_map(|kind| self.item(kind, id))
    }

    /// Returns the records that a sentence can refer to: those open on `today` or later; all of them if `include_done`
    /// is true.
    pub fn candidates(&self, today: NaiveDate, include_done: bool) -> impl Iterator<Item = Candidate<'_>> {
        let items = self.items().filter(move |item| include_done || item.is_open(today)).map(Candidate::from);
        let goals =
            self.goals().filter(move |goal| include_done || goal.status == GoalStatus::Active).map(Candidate::from);
        items.chain(goals)
    }

    /// Returns whether `goal` is `ancestor` or one of its descendants.
    #[must_use]
    pub fn is_self_or_descendant(&self, goal: i64, ancestor: i64) -> bool {
        let (mut open, mut seen) = (vec![ancestor], BTreeSet::new());
        while let Some(id) = open.pop() {
            if id == goal {
                return true;
            }
            if seen.insert(id) {
                open.extend(self.goal(id).into_iter().flat_map(|goal| goal.children.iter().copied()));
            }
        }
        false
    }

    /// Returns the goals that contain a record that does not exist, or themselves.
    #[must_use]
    pub fn broken_goals(&self) -> BTreeSet<i64> {
        let is_broken = |goal: &&Goal| {
            goal.todos.iter().any(|todo| !self.has(Kind::Todo, *todo))
                || goal.events.iter().any(|event| !self.has(Kind::Event, *event))
                || goal.children.iter().any(|child| !self.has(Kind::Goal, *child))
                || goal.children.iter().any(|child| self.is_self_or_descendant(goal.id, *child))
        };
        self.goals().filter(is_broken).map(|goal| goal.id).collect()
    }

    /// Returns the keys whose record was changed, added or removed in `after`.
    #[must_use]
    pub fn changed_keys(&self, after: &Self) -> Vec<Key> {
        let keys: BTreeSet<Key> = self.records.keys().chain(after.records.keys()).copied().collect();
        keys.into_iter().filter(|key| self.records.get(key) != after.records.get(key)).collect()
    }

    /// Stores a record, or removes it.
    pub fn set(&mut self, key: Key, record: Option<Record>) {
        match record {
            Some(record) => self.records.insert(key, record),
            None => self.records.remove(&key),
        };
    }

    pub(crate) fn item_mut(&mut self, kind: Kind, id: i64) -> Option<&mut Item> {
        match self.records.get_mut(&(kind, id))? {
            Record::Item(item) => Some(item),
            Record::Goal(_) => None,
        }
    }

    pub(crate) fn goal_mut(&mut self, id: i64) -> Option<&mut Goal> {
        match self.records.get_mut(&(Kind::Goal, id))? {
            Record::Goal(goal) => Some(goal),
            Record::Item(_) => None,
        }
    }
}
