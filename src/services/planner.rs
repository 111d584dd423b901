//! The user's planner: reading it, changing it by operations, undoing that, and exporting it as a calendar.
//!
//! Every change, one record from a form as well as a batch that a model proposed, is made of operations through
//! [`apply`]: validated, audited and undoable in the same way.

use aha_core::ids::BatchId;
use aha_net::hash::hex64;
use aha_planner::apply::State;
use aha_planner::calendar;
use aha_planner::language::{ClockChange, Today};
use aha_planner::matching::{self, Candidate};
use aha_planner::operation::Operation;
use aha_planner::record::{Goal, Item, Kind, Occurrence, agenda as occurrences};
use aha_planner::time_of_day::TimeOfDay;
use aha_planner::unknown_fields;
use aha_planner::validate::{Validation, validate_proposal};
pub use aha_store::UndoOutcome;
use aha_store::{ApplyOutcome, ApplyRequest, IdempotencyKey, Planner, StoreError, owner};
use chrono::{NaiveDate, NaiveDateTime, Offset as _, TimeDelta, TimeZone as _, Timelike as _};
use chrono_tz::Tz;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Result, ServiceError};
use crate::app::App;

/// The topic whose time zone is the user's.
const ZONE_TOPIC: &str = "default";

/// The longest span of an agenda, in days.
const MAX_AGENDA_DAYS: i64 = 3 * 366;

/// The most minutes that a clock change leaves out: Samoa left out a day in 2011.
const MAX_SKIPPED_MINUTES: i64 = 24 * 60;

/// How many days ahead a clock change is searched for. Most zones that have any have two in a year.
const MAX_DAYS_TO_CHANGE: i64 = 366;

/// Of more todos that a title may mean, only the first are named.
const MAX_CHOICES: usize = 10;

/// The result of applying operations.
#[derive(Debug)]
pub enum Apply {
    /// The answer as it was written, the same for each repetition of the request.
    Done {
        response: String,
        replayed: bool,
    },
    Invalid(Box<Validation>),
    /// The records have changed since the version that the operations were proposed for.
    Changed {
        expected: i64,
        found: i64,
    },
    /// The key belongs to another request.
    KeyReused,
    /// The same records are being changed, and were not released in time.
    InFlight,
}

/// The occurrences of some days.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agenda {
    pub from: NaiveDate,
    pub to: NaiveDate,
    pub timezone: String,
    pub days: Vec<Occurrence>,
}

/// Returns the time zone of the user's dates: that of the topic `default`, else `AHA_TIMEZONE`.
pub async fn zone(app: &App) -> Result<Tz> {
    let topic = app.store().topic(ZONE_TOPIC).await?;
    let of_topic = topic.and_then(|topic| topic.timezone).and_then(|name| name.parse().ok());
    Ok(of_topic.unwrap_or(app.config().timezone))
}

/// Returns the user's date and time.
pub async fn today(app: &App) -> Result<Today> {
    let zone = zone(app).await?;
    let now = app.clock().now().to_utc().with_timezone(&zone);
    let part = |number: u32| u16::try_from(number).unwrap_or(0);
    let time = TimeOfDay::new(part(now.hour()), part(now.minute())).or(TimeOfDay::new(0, 0));
    let time = time.ok_or_else(|| ServiceError::invalid("now", "the clock shows no time of a day"))?;
    Ok(Today { date: now.date_naive(), time, clock_changes: clock_changes(zone, now.naive_utc()) })
}

/// Returns the next two clock changes, each within [`MAX_DAYS_TO_CHANGE`] of now or of the one before it.
fn clock_changes(zone: Tz, now_utc: NaiveDateTime) -> [Option<ClockChange>; 2] {
    const DAY: i64 = 24 * 60;
    let offset = |minutes: i64| {
        let at = now_utc.checked_add_signed(TimeDelta::minutes(minutes)).unwrap_or(now_utc);
        i64::from(zone.offset_from_utc_datetime(&at).fix().local_minus_utc()) / 60
    };
    let next = |from: i64| {
        let known = offset(from);
        let mut after = (1..=MAX_DAYS_TO_CHANGE).map(|day| from + day * DAY).find(|at| offset(*at) != known)?;
        let mut before = after - DAY;
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            if offset(middle) == known {
                before = middle;
            } else {
                after = middle;
            }
        }
        Some(ClockChange { in_minutes: after, forward_minutes: offset(after) - known })
    };
    let first = next(0);
    [first, first.and_then(|first| next(first.in_minutes))]
}

/// Says which time of an operation does not exist because the clocks are put forward then, and what to say instead.
/// `None` if there is none. An item that repeats has its other days, and a time that the operation does not change is
/// not checked.
#[must_use]
pub fn skipped_time(zone: Tz, operation: &Operation, state: &State) -> Option<String> {
    let item = operation.id.and_then(|id| state.item(operation.kind, id));
    let recurrence = operation.recurrence.or(item.map(|item| item.recurrence));
    if recurrence.is_some_and(|recurrence| recurrence.repeats()) {
        return None;
    }
    let known_day = item.and_then(|item| item.scheduled_for);
    let known_start = item.and_then(Item::time);
    let known_end = item.and_then(|item| item.end_time);
    let day = operation.scheduled_for.unwrap_or(known_day)?;
    let start = operation.start_time.or(operation.time_of_day).unwrap_or(known_start);
    let end = operation.end_time.unwrap_or(known_end);
    if (Some(day), start, end) == (known_day, known_start, known_end) {
        return None;
    }
    let title = operation.title.as_deref().or(item.map(|item| item.title.as_str())).unwrap_or_default();
    let why = start.into_iter().chain(end).find_map(|time| skip_at(zone, day, time))?;
    Some(format!("Not planned: \"{title}\". {why}"))
}

/// Says that a local time is skipped by a clock change, and which time to take. `None` if it exists.
fn skip_at(zone: Tz, day: NaiveDate, time: TimeOfDay) -> Option<String> {
    let at = day.and_time(time.to_naive());
    let exists = |at: &NaiveDateTime| zone.from_local_datetime(at).earliest().is_some();
    if exists(&at) {
        return None;
    }
    let minutes = || (1..=MAX_SKIPPED_MINUTES).map(TimeDelta::minutes);
    let from = minutes().filter_map(|ahead| at.checked_sub_signed(ahead)).find(exists)? + TimeDelta::minutes(1);
    let to = minutes().filter_map(|ahead| at.checked_add_signed(ahead)).find(exists)?;
    let instead = at + (to - from);
    Some(format!(
        "{time} does not exist on {day} in {}: the clocks are put forward from {} to {}. Say another time, such as {}.",
        zone.name(),
        from.format("%H:%M"),
        to.format("%H:%M"),
        instead.format("%H:%M"),
    ))
}

/// Returns all records, and their version.
pub async fn planner(app: &App) -> Result<Planner> {
    Ok(app.store().planner(owner()).await?)
}

/// Validates operations without applying them.
pub async fn validate(app: &App, operations: &[Value]) -> Result<(i64, Validation)> {
    let planner = planner(app).await?;
    Ok((planner.version, validate_proposal(operations, &planner.state)))
}

/// Applies all of the operations or none. Within 24 hours the same request with the same key gets the same answer,
/// whatever the order of its fields. The answer has `warnings` if fields of the operations were not used.
pub async fn apply(app: &App, operations: Vec<Value>, version: Option<i64>, key: Option<&str>) -> Result<Apply> {
    let key = key.map(|key| {
        let mut request = json!({ "operations": operations, "version": version });
        request.sort_all_objects();
        IdempotencyKey { key_sha256: hex64(key.as_bytes()), request_sha256: hex64(request.to_string().as_bytes()) }
    });
    let warnings = unknown_fields::warnings(&operations);
    let request = ApplyRequest { operations, expected_version: version, key, now: app.clock().now() };
    let outcome = match app.store().apply_operations(owner(), &request).await {
        // The request that holds the database may be using this key, so the key counts as in progress.
        Err(StoreError::Locked { .. }) if request.key.is_some() => return Ok(Apply::InFlight),
        outcome => outcome?,
    };
    Ok(match outcome {
        ApplyOutcome::Applied { response, replayed } => {
            Apply::Done { response: with_warnings(response, &warnings), replayed }
        }
        ApplyOutcome::Invalid(validation) => Apply::Invalid(validation),
        ApplyOutcome::Changed { expected, found } => Apply::Changed { expected, found },
        ApplyOutcome::KeyReused => Apply::KeyReused,
        ApplyOutcome::InFlight => Apply::InFlight,
    })
}

/// Adds the warnings to a response. They depend on the request alone, so that a repeated request gets the same text.
fn with_warnings(response: String, warnings: &[String]) -> String {
    if warnings.is_empty() {
        return response;
    }
    match serde_json::from_str::<Value>(&response) {
        Ok(Value::Object(mut fields)) => {
            fields.insert("warnings".to_owned(), json!(warnings));
            Value::Object(fields).to_string()
        }
        _ => response,
    }
}

/// Restores the records of a batch: the given one, or the newest that was not undone.
pub async fn undo(app: &App, batch: Option<BatchId>) -> Result<(BatchId, UndoOutcome)> {
    let batch = match batch {
        Some(batch) => batch,
        None => newest_batch(app).await?,
    };
    Ok((batch, app.store().undo_operations(owner(), batch, app.clock().now()).await?))
}

async fn newest_batch(app: &App) -> Result<BatchId> {
    const MAX_BATCHES: i64 = 100;
    let batches = app.store().operation_batches(owner(), MAX_BATCHES).await?;
    let newest = batches.into_iter().find(|batch| batch.undone_at.is_none());
    let none = "no change is left to undo; `aha-radar todo list` shows what is planned";
    newest.map(|batch| batch.id).ok_or_else(|| ServiceError::not_found("batch", none))
}

/// Returns every occurrence from `from` to `to`, both included.
pub async fn agenda(app: &App, from: NaiveDate, to: NaiveDate) -> Result<Agenda> {
    if to < from || (to - from).num_days() > MAX_AGENDA_DAYS {
        let message = format!(
            "an agenda goes from a day to the same or a later one, over at most {MAX_AGENDA_DAYS} days; choose others"
        );
        return Err(ServiceError::invalid("to", message));
    }
    let state = planner(app).await?.state;
    Ok(Agenda { from, to, timezone: zone(app).await?.name().to_owned(), days: occurrences(state.items(), from, to) })
}

/// Exports all items as a calendar.
pub async fn calendar(app: &App) -> Result<String> {
    let items: Vec<Item> = planner(app).await?.state.items().cloned().collect();
    Ok(calendar::render("Aha Radar", &items))
}

/// Returns the ids of the todos that are wanted: those with these ids, or the one open todo whose title has all the
/// words. Words that several titles have are an error that lists them.
pub fn named_todos(state: &State, wanted: &[String], today: NaiveDate) -> Result<Vec<i64>> {
    let by_id: std::result::Result<Vec<i64>, _> =
        wanted.iter().map(|word| word.trim_start_matches('#').parse()).collect();
    if let Ok(ids) = by_id {
        return Ok(ids);
    }
    let words = wanted.join(" ");
    let open = state.candidates(today, false).filter(|one| one.kind == Kind::Todo);
    let has_words = !matching::tokens(&words).is_empty();
    let found = if has_words { matching::matches(&words, open) } else { Vec::new() };
    let why = match found[..] {
        [only] => return Ok(vec![only.id]),
        [] => format!(
            "{words:?} is neither an id nor in the title of one open todo; `aha-radar todo list` shows ids and titles"
        ),
        _ => {
            let choice = |one: &Candidate<'_>| format!("#{} {}", one.id, one.title);
            let choices: Vec<String> = found.iter().take(MAX_CHOICES).map(choice).collect();
            let more = if found.len() > MAX_CHOICES { ", and more" } else { "" };
            format!("{words:?} can be {}{more}; repeat the command with one of the ids", choices.join(", "))
        }
    };
    Err(ServiceError::invalid("todo", why))
}

/// Returns the items of a kind, by day, time and id; those without a day last.
#[must_use]
pub fn items(state: &State, kind: Kind) -> Vec<&Item> {
    let mut items: Vec<&Item> = state.items().filter(|item| item.kind == kind).collect();
    items.sort_by_key(|item| (item.scheduled_for.is_none(), item.scheduled_for, item.time(), item.id));
    items
}

/// Returns all goals, by id.
#[must_use]
pub fn goals(state: &State) -> Vec<&Goal> {
    state.goals().collect()
}
