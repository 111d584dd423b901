//! Applies valid operations to records. It has no I/O: the store loads the records concerned, calls this inside its
//! transaction, and writes what changed.

use aha_core::time::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use crate::operation::{Action, Operation};
use crate::record::{Goal, Item, Kind};
pub use crate::state::{Key, Record, State};
use crate::validate::ErrorCode;

/// An operation is not valid after the operations before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("operation {index} cannot follow those before it: {code}")]
pub struct ApplyError {
    pub index: usize,
    pub code: ErrorCode,
}

/// Result of a batch of operations, in the order of the operations.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Applied {
    pub results: Vec<Value>,
    pub summary: Counts,
    /// Key of each operation's record.
    #[serde(skip)]
    pub keys: Vec<Key>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub created: usize,
    pub updated: usize,
    pub deleted: usize,
    pub completed: usize,
}

/// Applies all operations in order. One that changes nothing leaves its record as it is, and is not counted. New
/// records get the ids after `last_id`, which is advanced. Returns an error for the first operation that does not fit;
/// `state` must not be used after that.
pub fn apply(
    state: &mut State,
    operations: &[Operation],
    last_id: &mut i64,
    now: Timestamp,
) -> Result<Applied, ApplyError> {
    let mut applied = Applied::default();
    for (index, operation) in operations.iter().enumerate() {
        let id = operation.id.filter(|_| operation.action != Action::Create).unwrap_or_else(|| {
            *last_id += 1;
            *last_id
        });
        let key = (operation.kind, id);
        let before = state.record(key).cloned();
        apply_one(state, operation, id, now).map_err(|code| ApplyError { index, code })?;
        let is_unchanged = restore_if_unchanged(state, key, before);
        if !is_unchanged {
            count(&mut applied.summary, operation.action);
        }
        applied.keys.push(key);
        applied.results.push(result(state, operation, id, is_unchanged));
    }
    Ok(applied)
}

/// Restores a record of which only the time of the last change differs. Returns whether that was so.
fn restore_if_unchanged(state: &mut State, key: Key, before: Option<Record>) -> bool {
    let (Some(before), Some(after)) = (before, state.record(key)) else { return false };
    let is_unchanged = match (&before, after) {
        (Record::Item(old), Record::Item(new)) => Item { updated_at: old.updated_at, ..new.clone() } == *old,
        (Record::Goal(old), Record::Goal(new)) => Goal { updated_at: old.updated_at, ..new.clone() } == *old,
        _ => false,
    };
    if is_unchanged {
        state.set(key, Some(before));
    }
    is_unchanged
}

fn count(counts: &mut Counts, action: Action) {
    match action {
        Action::Create => counts.created += 1,
        Action::Delete => counts.deleted += 1,
        Action::Complete | Action::CompleteOccurrence => counts.completed += 1,
        _ => counts.updated += 1,
    }
}

fn result(state: &State, operation: &Operation, id: i64, is_unchanged: bool) -> Value {
    let mut result = json!({ "ok": true, "op": operation, "id": id });
    if is_unchanged {
        result["unchanged"] = json!(true);
    }
    if let (Some(record), Some(fields)) = (state.record((operation.kind, id)), result.as_object_mut()) {
        fields.insert(operation.kind.as_str().to_owned(), json!(record));
    }
    result
}

fn apply_one(state: &mut State, operation: &Operation, id: i64, now: Timestamp) -> Result<(), ErrorCode> {
    match (operation.action, operation.kind) {
        (Action::Create, Kind::Goal) => {
            let mut goal = new_goal(id, now);
            change_goal(&mut goal, operation, now);
            state.set((Kind::Goal, id), Some(Record::Goal(goal)));
        }
        (Action::Create, kind) => {
            let mut item = new_item(kind, id, now);
            change_item(&mut item, operation, now);
            state.set((kind, id), Some(Record::Item(item)));
        }
        (Action::Delete, kind) => delete(state, kind, id, now)?,
        (_, Kind::Goal) => {
            let goes_round = operation.action == Action::AddChild
                && operation.child_id.is_none_or(|child| state.is_self_or_descendant(id, child));
            if goes_round {
                return Err(ErrorCode::GoalCycle);
            }
            check_links(state, operation)?;
            change_goal(state.goal_mut(id).ok_or(ErrorCode::IdNotFound)?, operation, now);
        }
        (Action::Update, kind) => {
            let item = state.item_mut(kind, id).ok_or(ErrorCode::IdNotFound)?;
            change_item(item, operation, now);
            let changes_times = operation.start_time.is_some() || operation.end_time.is_some();
            if changes_times && item.end_time.is_some_and(|end| item.start_time.is_some_and(|start| end < start)) {
                return Err(ErrorCode::InvalidTimeRange);
            }
        }
        (_, kind) => complete(state.item_mut(kind, id).ok_or(ErrorCode::IdNotFound)?, operation, now)?,
    }
    Ok(())
}

/// Returns an error if a goal would contain a record that an earlier operation deleted.
fn check_links(state: &State, operation: &Operation) -> Result<(), ErrorCode> {
    let all_are_there = |ids: &Option<Vec<i64>>, kind| ids.iter().flatten().all(|id| state.has(kind, *id));
    let has_items = all_are_there(&operation.todos, Kind::Todo) && all_are_there(&operation.events, Kind::Event);
    let has_child = operation.child_id.is_none_or(|child| state.has(Kind::Goal, child));
    match operation.action {
        Action::AddItems if !has_items => Err(ErrorCode::IdNotFound),
        Action::AddChild if !has_child => Err(ErrorCode::IdNotFound),
        _ => Ok(()),
    }
}

fn new_item(kind: Kind, id: i64, now: Timestamp) -> Item {
    Item {
        id,
        kind,
        title: String::new(),
        notes: String::new(),
        scheduled_for: None,
        time_of_day: None,
        start_time: None,
        end_time: None,
        location: None,
        priority: crate::record::Priority::default(),
        recurrence: crate::recurrence::Recurrence::NONE,
        completed: false,
        completed_dates: std::collections::BTreeSet::new(),
        link: None,
        created_at: now,
        updated_at: now,
    }
}

fn new_goal(id: i64, now: Timestamp) -> Goal {
    Goal {
        id,
        title: String::new(),
        notes: String::new(),
        status: crate::record::GoalStatus::default(),
        current_progress_value: None,
        target_progress_value: None,
        progress_unit: None,
        todos: std::collections::BTreeSet::new(),
        events: std::collections::BTreeSet::new(),
        children: std::collections::BTreeSet::new(),
        created_at: now,
        updated_at: now,
    }
}

/// Overwrites a field if the operation contains a value for it.
fn set_if_given<T: Clone>(field: &mut T, value: Option<&T>) {
    if let Some(value) = value {
        field.clone_from(value);
    }
}

fn change_item(item: &mut Item, operation: &Operation, now: Timestamp) {
    set_if_given(&mut item.title, operation.title.as_ref());
    set_if_given(&mut item.notes, operation.notes.as_ref());
    set_if_given(&mut item.scheduled_for, operation.scheduled_for.as_ref());
    set_if_given(&mut item.time_of_day, operation.time_of_day.as_ref());
    set_if_given(&mut item.start_time, operation.start_time.as_ref());
    set_if_given(&mut item.end_time, operation.end_time.as_ref());
    set_if_given(&mut item.location, operation.location.as_ref());
    set_if_given(&mut item.priority, operation.priority.as_ref());
    set_if_given(&mut item.link, operation.link.as_ref());
    set_if_given(&mut item.recurrence, operation.recurrence.as_ref());
    set_if_given(&mut item.completed, operation.completed.as_ref());
    if item.recurrence.repeats() {
        item.completed = false;
    } else {
        item.completed_dates.clear();
    }
    item.updated_at = now;
}

fn change_goal(goal: &mut Goal, operation: &Operation, now: Timestamp) {
    set_if_given(&mut goal.title, operation.title.as_ref());
    set_if_given(&mut goal.notes, operation.notes.as_ref());
    set_if_given(&mut goal.status, operation.status.as_ref());
    set_if_given(&mut goal.current_progress_value, operation.current_progress_value.as_ref());
    set_if_given(&mut goal.target_progress_value, operation.target_progress_value.as_ref());
    set_if_given(&mut goal.progress_unit, operation.progress_unit.as_ref());
    match operation.action {
        Action::AddItems => {
            goal.todos.extend(operation.todos.iter().flatten());
            goal.events.extend(operation.events.iter().flatten());
        }
        Action::RemoveItem => {
            goal.todos.retain(|id| Some(*id) != operation.todo_id);
            goal.events.retain(|id| Some(*id) != operation.event_id);
        }
        Action::AddChild => goal.children.extend(operation.child_id),
        Action::RemoveChild => goal.children.retain(|id| Some(*id) != operation.child_id),
        _ => {}
    }
    goal.updated_at = now;
}

fn complete(item: &mut Item, operation: &Operation, now: Timestamp) -> Result<(), ErrorCode> {
    let done = operation.completed.unwrap_or(true);
    match (operation.action, item.recurrence.repeats()) {
        (Action::Complete, false) => item.completed = done,
        (Action::Complete, true) => return Err(ErrorCode::UseCompleteOccurrence),
        (_, false) => return Err(ErrorCode::NotRepeating),
        (_, true) => {
            let day = operation.occurrence_date.ok_or(ErrorCode::InvalidOccurrenceDate)?;
            if done {
                item.completed_dates.insert(day);
            } else {
                item.completed_dates.remove(&day);
            }
        }
    }
    item.updated_at = now;
    Ok(())
}

/// Deletes a record and removes it from the goals that contain it.
fn delete(state: &mut State, kind: Kind, id: i64, now: Timestamp) -> Result<(), ErrorCode> {
    state.records.remove(&(kind, id)).ok_or(ErrorCode::IdNotFound)?;
    for record in state.records.values_mut() {
        let Record::Goal(goal) = record else { continue };
        let named = match kind {
            Kind::Todo => goal.todos.remove(&id),
            Kind::Event => goal.events.remove(&id),
            Kind::Goal => goal.children.remove(&id),
            Kind::Habit => false,
        };
        if named {
            goal.updated_at = now;
        }
    }
    Ok(())
}
