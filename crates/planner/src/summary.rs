//! Describes operations as text, by rules, for when no model is asked or it fails.

use crate::operation::{Action, Operation};
use crate::record::Kind;
use crate::recurrence::Recurrence;
use crate::state::State;

/// Longer titles are truncated, so that a summary is only a few lines.
const TITLE_CHARS: usize = 60;

/// Returns one sentence per operation, and a sentence if there are none.
#[must_use]
pub fn summarise(operations: &[Operation], state: &State) -> String {
    if operations.is_empty() {
        return "Nothing to change.".to_owned();
    }
    operations.iter().map(|operation| sentence(operation, state)).collect::<Vec<_>>().join(" ")
}

/// Describes one operation: "Add todo "Pay rent" on 2026-03-13 at 15:00, high priority."
#[must_use]
pub fn sentence(operation: &Operation, state: &State) -> String {
    let what = named(operation, state);
    let text = match operation.action {
        Action::Create => format!("Add {what}{}", details(operation)),
        Action::Update => format!("Change {what}{}", changes(operation, state)),
        Action::Delete => format!("Delete {what}"),
        Action::Complete if operation.completed == Some(false) => format!("Reopen {what}"),
        Action::Complete => format!("Mark {what} as done"),
        Action::CompleteOccurrence => {
            let day = operation.occurrence_date.map_or_else(String::new, |day| format!(" on {day}"));
            let state = if operation.completed == Some(false) { "not done" } else { "done" };
            format!("Mark {what} as {state}{day}")
        }
        Action::AddItems => format!("Put {} under {what}", items(operation, state)),
        Action::RemoveItem => format!("Take {} from under {what}", items(operation, state)),
        Action::AddChild => format!("Put {} under {what}", goal_title(operation.child_id, state)),
        Action::RemoveChild => format!("Take {} from under {what}", goal_title(operation.child_id, state)),
    };
    format!("{text}.")
}

fn quoted(title: &str) -> String {
    let cut: String = title.chars().take(TITLE_CHARS).collect();
    if cut.len() < title.len() { format!("\"{cut}…\"") } else { format!("\"{cut}\"") }
}

fn named(operation: &Operation, state: &State) -> String {
    let known = operation.id.and_then(|id| match operation.kind {
        Kind::Goal => state.goal(id).map(|goal| goal.title.clone()),
        kind => state.item(kind, id).map(|item| item.title.clone()),
    });
    match (known.or_else(|| operation.title.clone()), operation.id) {
        (Some(title), _) => format!("{} {}", operation.kind, quoted(&title)),
        (None, Some(id)) => format!("{} #{id}", operation.kind),
        (None, None) => format!("a {}", operation.kind),
    }
}

fn items(operation: &Operation, state: &State) -> String {
    let todos = operation.todos.iter().flatten().chain(&operation.todo_id).map(|id| (Kind::Todo, *id));
    let events = operation.events.iter().flatten().chain(&operation.event_id).map(|id| (Kind::Event, *id));
    let title = |(kind, id)| state.item(kind, id).map_or_else(|| format!("#{id}"), |item| quoted(&item.title));
    todos.chain(events).map(title).collect::<Vec<_>>().join(", ")
}

fn goal_title(id: Option<i64>, state: &State) -> String {
    let title = id.and_then(|id| state.goal(id)).map(|goal| quoted(&goal.title));
    format!("goal {}", title.or_else(|| id.map(|id| format!("#{id}"))).unwrap_or_default())
}

/// Returns the time, recurrence and priority: " on 2026-03-13 at 15:00, every week, high priority".
fn details(operation: &Operation) -> String {
    let repeats = operation.recurrence.filter(Recurrence::repeats);
    let preposition = if repeats.is_some() { "from" } else { "on" };
    let time = operation.start_time.or(operation.time_of_day).flatten();
    let parts = [
        operation.scheduled_for.flatten().map(|day| format!(" {preposition} {day}")),
        time.map(|time| format!(" at {time}")),
        operation.end_time.flatten().map(|end| format!(" to {end}")),
        operation.location.iter().flatten().next().map(|place| format!(", at {}", quoted(place))),
        repeats.map(|recurrence| format!(", {}", recurrence.in_words())),
        operation.priority.map(|priority| format!(", {} priority", priority.as_str())),
    ];
    parts.into_iter().flatten().collect()
}

/// Returns only the fields that an update changes.
fn changes(operation: &Operation, state: &State) -> String {
    let mut changed = operation.clone();
    if let Some(item) = operation.id.and_then(|id| state.item(operation.kind, id)) {
        changed.recurrence = changed.recurrence.filter(|recurrence| *recurrence != item.recurrence);
        changed.scheduled_for = changed.scheduled_for.filter(|day| *day != item.scheduled_for);
        changed.priority = changed.priority.filter(|priority| *priority != item.priority);
    } else {
        changed.recurrence = changed.recurrence.filter(Recurrence::repeats);
    }
    let parts = [
        operation.title.as_ref().map(|title| format!(" to {}", quoted(title))),
        changed.recurrence.filter(|recurrence| !recurrence.repeats()).map(|_| ": no longer repeats".to_owned()),
        changed.scheduled_for.filter(Option::is_none).map(|_| ": no date".to_owned()),
        operation.notes.as_ref().map(|_| ": notes".to_owned()),
        operation.status.map(|status| format!(": {}", status.as_str())),
        operation.current_progress_value.flatten().map(|value| format!(": progress {value}")),
    ];
    parts.into_iter().flatten().chain([details(&changed)]).collect()
}
