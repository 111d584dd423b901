//! The user's planner: reading it, changing it by operations, undoing that, and exporting it as a calendar.
//!
//! Every change, one record from a form as well as a batch that a model proposed, is made of operations through
//! [`apply`]: validated, audited and undoable in the same way.

mod clock;

use aha_core::ids::BatchId;
use aha_net::hash::hex64;
use aha_planner::apply::State;
use aha_planner::calendar;
use aha_planner::matching::{self, Candidate};
use aha_planner::record::{Goal, Item, Kind, Occurrence, agenda as occurrences};
use aha_planner::unknown_fields;
use aha_planner::validate::{Validation, validate_proposal};
pub use aha_store::UndoOutcome;
use aha_store::{ApplyOutcome, ApplyRequest, IdempotencyKey, Planner, StoreError, owner};
use chrono::NaiveDate;
pub use clock::{skipped_time, today, zone};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Result, ServiceError};
use crate::app::App;

/// The longest span of an agenda, in days.
const MAX_AGENDA_DAYS: i64 = 3 * 366;

/// How often a record is read again because others were changed before its own change was stored.
const MAX_READS: usize = 8;

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

/// Applies one update of a record. Fields that it does not have stay as they are. It is made for the record as it was
/// read; if any record was changed meanwhile, it is made again, up to seven times.
pub async fn update(app: &App, kind: Kind, id: i64, operation: &Value) -> Result<Apply> {
    let mut reads = 0;
    loop {
        let Planner { state, version } = planner(app).await?;
        let complete = with_recurrence(operation.clone(), state.item(kind, id));
        reads += 1;
        match apply(app, vec![complete], Some(version), None).await? {
            Apply::Changed { .. } if reads < MAX_READS => {}
            outcome => return Ok(outcome),
        }
    }
}

/// Adds the record's recurrence and its day to an update without them: it has to contain a recurrence, and one that
/// repeats has to begin on a day.
fn with_recurrence(mut update: Value, item: Option<&Item>) -> Value {
    if let (Some(fields), Some(item)) = (update.as_object_mut(), item) {
        // An empty value means the current one.
        if fields.get("recurrence").is_none_or(|rule| rule.is_null() || rule.as_str() == Some("")) {
            fields.insert("recurrence".to_owned(), json!(item.recurrence));
        }
        if let Some(day) = item.scheduled_for {
            fields.entry("scheduledFor").or_insert_with(|| json!(day));
        }
    }
    update
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
