//! `planner_states`, `operation_batches`, `audit_log` and `idempotency`: changes of records, each in one transaction.
//!
//! The user's row of `planner_states` is written first, so that changes of a user's records are serialised on Postgres
//! too.

use std::time::Duration;

use aha_core::ids::{BatchId, UserId};
use aha_core::time::{HOUR_MS, Timestamp};
use aha_planner::apply::{ApplyError, Key, Record, State, apply};
use aha_planner::operation::Operation;
use aha_planner::record::Kind;
use aha_planner::validate::{ErrorCode, Validation, validate_proposal};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::Connection as _;
use tokio::time::timeout;

use super::accounts::INSERT_USER;
use super::{BEGIN_SNAPSHOT, Connection, Database, planner_records as records};
use crate::records::OWNER;
use crate::shared::column;
use crate::{
    ApplyOutcome, ApplyRequest, AuditRecord, BatchRecord, IDEMPOTENCY_HOURS, IdempotencyKey, Planner, PlannerStore,
    Result, StoreError, UndoOutcome, owner,
};

/// How long a request waits for another one that is changing the same records.
const MAX_WAIT: Duration = Duration::from_secs(20);

const INSERT_STATE: &str = "INSERT INTO planner_states (user_id) VALUES ($1) ON CONFLICT DO NOTHING";

const NEXT_VERSION: &str = "
    UPDATE planner_states SET version = version + 1 WHERE user_id = $1 RETURNING version, last_id";

const SAVE_STATE: &str = "UPDATE planner_states SET version = $2, last_id = $3 WHERE user_id = $1";

const VERSION: &str = "SELECT version FROM planner_states WHERE user_id = $1";

const REMOVE_OLD_ANSWERS: &str = "DELETE FROM idempotency WHERE answered_at <= $1";

const ANSWER: &str = "
    SELECT request_sha256, response FROM idempotency WHERE user_id = $1 AND key_sha256 = $2";

const STORE_ANSWER: &str = "
    INSERT INTO idempotency (user_id, key_sha256, request_sha256, response, answered_at) VALUES ($1, $2, $3, $4, $5)";

const INSERT_BATCH: &str = "
    INSERT INTO operation_batches (id, user_id, version, operations_json, before_json, after_json, applied_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

const BATCH: &str = "
    SELECT before_json, after_json, undone_at FROM operation_batches WHERE user_id = $1 AND id = $2";

const UNDO_BATCH: &str = "UPDATE operation_batches SET undone_at = $3 WHERE user_id = $1 AND id = $2";

const BATCHES: &str = "
    SELECT id, version, operations_json, applied_at, undone_at FROM operation_batches
    WHERE user_id = $1 ORDER BY version DESC LIMIT $2";

const INSERT_AUDIT: &str = "
    INSERT INTO audit_log (user_id, version, position, action, kind, record_id, batch_id, operation_json, at)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

/// Operations without a change are added to the version that they left as it was.
const NEXT_POSITION: &str = "
    SELECT coalesce(max(position) + 1, 0) FROM audit_log WHERE user_id = $1 AND version = $2";

const AUDIT: &str = "
    SELECT action, kind, record_id, batch_id, operation_json, at FROM audit_log
    WHERE user_id = $1 ORDER BY version DESC, position DESC LIMIT $2";

/// A record of a batch, as it was before or after it.
#[derive(Serialize, Deserialize)]
struct BatchEntry {
    kind: Kind,
    id: i64,
    record: Option<Record>,
}

impl BatchEntry {
    fn of(keys: &[Key], state: &State) -> Vec<Self> {
        keys.iter()
            .map(|(kind, id)| Self { kind: *kind, id: *id, record: state.record((*kind, *id)).cloned() })
            .collect()
    }
}

struct BatchRow {
    before_json: String,
    after_json: String,
    undone_at: Option<i64>,
}

from_row!(BatchRow { before_json, after_json, undone_at });

#[async_trait]
impl PlannerStore for Database {
    async fn planner(&self, user: UserId) -> Result<Planner> {
        let user = user.to_string();
        let mut reader = self.reader().await?;
        let mut snapshot = reader.begin_with(BEGIN_SNAPSHOT).await?;
        let version: Option<i64> = sqlx::query_scalar(VERSION).bind(&user).fetch_optional(&mut *snapshot).await?;
        let state = records::read(&mut snapshot, &user).await?;
        Ok(Planner { version: version.unwrap_or(0), state })
    }

    async fn apply_operations(&self, user: UserId, request: &ApplyRequest) -> Result<ApplyOutcome> {
        let begun = async {
            let mut write = self.write("apply_operations").await?;
            let next = next_version(write.connection(), user, request.now).await?;
            Ok::<_, StoreError>((write, next))
        };
        // Only the wait for the records is limited: what is given up during the commit may have been committed.
        let Ok(begun) = timeout(MAX_WAIT, begun).await else { return Ok(ApplyOutcome::InFlight) };
        let (mut write, next) = begun?;
        let (outcome, changed) = apply_request(write.connection(), user, request, next).await?;
        if changed {
            write.commit().await?;
        } else {
            write.roll_back().await?;
        }
        Ok(outcome)
    }

    async fn undo_operations(&self, user: UserId, batch: BatchId, now: Timestamp) -> Result<UndoOutcome> {
        let mut write = self.write("undo_operations").await?;
        let outcome = undo(write.connection(), user, batch, now).await?;
        if matches!(outcome, UndoOutcome::Undone { .. }) {
            write.commit().await?;
        } else {
            write.roll_back().await?;
        }
        Ok(outcome)
    }

    async fn operation_batches(&self, user: UserId, limit: i64) -> Result<Vec<BatchRecord>> {
        let rows: Vec<(String, i64, String, i64, Option<i64>)> =
            sqlx::query_as(BATCHES).bind(user.to_string()).bind(limit).fetch_all(&mut *self.reader().await?).await?;
        let record = |(id, version, operations, applied_at, undone_at): (String, i64, String, i64, Option<i64>)| {
            Ok(BatchRecord {
                id: column::id("batch", &id)?,
                version,
                operations: column::json("operations of a batch", &operations)?,
                applied_at: Timestamp::from_millis(applied_at),
                undone_at: column::optional_time(undone_at),
            })
        };
        rows.into_iter().map(record).collect()
    }

    async fn audit(&self, user: UserId, limit: i64) -> Result<Vec<AuditRecord>> {
        let rows: Vec<AuditColumns> =
            sqlx::query_as(AUDIT).bind(user.to_string()).bind(limit).fetch_all(&mut *self.reader().await?).await?;
        let record = |(action, kind, record_id, batch, operation, at): AuditColumns| {
            Ok(AuditRecord {
                action,
                kind,
                record_id,
                batch: column::optional_id("batch", batch.as_deref())?,
                operation: column::json("operation", &operation)?,
                at: Timestamp::from_millis(at),
            })
        };
        rows.into_iter().map(record).collect()
    }
}

/// Increments the version, which blocks other writers of the user's records. Returns the new version and the last id
/// assigned.
async fn next_version(connection: &mut Connection, user: UserId, now: Timestamp) -> Result<(i64, i64)> {
    let id = user.to_string();
    if user == owner() {
        sqlx::query(INSERT_USER).bind(&id).bind(OWNER).bind(now.as_millis()).execute(&mut *connection).await?;
    }
    sqlx::query(INSERT_STATE).bind(&id).execute(&mut *connection).await?;
    Ok(sqlx::query_as(NEXT_VERSION).bind(&id).fetch_one(connection).await?)
}

/// Returns the outcome, and whether there is anything to commit. The version is the one that [`next_version`] returned.
async fn apply_request(
    connection: &mut Connection,
    user: UserId,
    request: &ApplyRequest,
    (version, last_id): (i64, i64),
) -> Result<(ApplyOutcome, bool)> {
    let user_id = user.to_string();
    if let Some(key) = &request.key
        && let Some(outcome) = answered(connection, &user_id, key, request.now).await?
    {
        return Ok((outcome, false));
    }
    if let Some(expected) = request.expected_version.filter(|expected| *expected != version - 1) {
        return Ok((ApplyOutcome::Changed { expected, found: version - 1 }, false));
    }
    let before = records::read(connection, &user_id).await?;
    let validation = validate_proposal(&request.operations, &before);
    if !validation.is_valid() {
        return Ok((ApplyOutcome::Invalid(Box::new(validation)), false));
    }
    let (mut after, mut new_last_id) = (before.clone(), last_id);
    let operations = validation.valid();
    let applied = match apply(&mut after, &operations, &mut new_last_id, request.now) {
        Ok(applied) => applied,
        Err(error) => return Ok((ApplyOutcome::Invalid(Box::new(refused(validation, error))), false)),
    };
    let keys = before.changed_keys(&after);
    // Without a change the version stays and there is no batch, so that undoing reaches the change before. What was
    // asked for is audited all the same.
    let version = if keys.is_empty() { version - 1 } else { version };
    sqlx::query(SAVE_STATE).bind(&user_id).bind(version).bind(new_last_id).execute(&mut *connection).await?;
    let batch = (!keys.is_empty()).then(|| BatchId::of(&[&user_id, &version.to_string()]));
    if let Some(batch) = batch {
        records::write(connection, &user_id, &keys, &before, &after).await?;
        store_batch(connection, &user_id, (batch, version), &operations, (&keys, &before, &after), request.now).await?;
    }
    let rows = audit_rows(&operations, &applied.keys)?;
    store_audit(connection, &user_id, (batch, version), &rows, request.now).await?;
    let response = column::to_json(&json!({
        "ok": true, "batchId": batch, "version": version, "results": applied.results, "summary": applied.summary,
    }))?;
    if let Some(key) = &request.key {
        store_answer(connection, &user_id, key, &response, request.now).await?;
    }
    Ok((ApplyOutcome::Applied { response, replayed: false }, true))
}

/// Adds the error to the operation that could not be applied.
fn refused(mut validation: Validation, error: ApplyError) -> Validation {
    validation.errors.push(ErrorCode::InvalidOperations);
    if let Some(result) = validation.results.get_mut(error.index) {
        result.errors.push(error.code);
        result.operation = None;
    }
    validation
}

async fn answered(
    connection: &mut Connection,
    user: &str,
    key: &IdempotencyKey,
    now: Timestamp,
) -> Result<Option<ApplyOutcome>> {
    let expired = now.as_millis() - IDEMPOTENCY_HOURS * HOUR_MS;
    sqlx::query(REMOVE_OLD_ANSWERS).bind(expired).execute(&mut *connection).await?;
    let found: Option<(String, String)> =
        sqlx::query_as(ANSWER).bind(user).bind(&key.key_sha256).fetch_optional(connection).await?;
    Ok(found.map(|(request_sha256, response)| {
        if request_sha256 == key.request_sha256 {
            ApplyOutcome::Applied { response, replayed: true }
        } else {
            ApplyOutcome::KeyReused
        }
    }))
}

async fn store_answer(
    connection: &mut Connection,
    user: &str,
    key: &IdempotencyKey,
    response: &str,
    now: Timestamp,
) -> Result<()> {
    sqlx::query(STORE_ANSWER)
        .bind(user)
        .bind(&key.key_sha256)
        .bind(&key.request_sha256)
        .bind(response)
        .bind(now.as_millis())
        .execute(connection)
        .await?;
    Ok(())
}

async fn store_batch(
    connection: &mut Connection,
    user: &str,
    (batch, version): (BatchId, i64),
    operations: &[Operation],
    (keys, before, after): (&[Key], &State, &State),
    now: Timestamp,
) -> Result<()> {
    sqlx::query(INSERT_BATCH)
        .bind(batch.to_string())
        .bind(user)
        .bind(version)
        .bind(column::to_json(operations)?)
        .bind(column::to_json(&BatchEntry::of(keys, before))?)
        .bind(column::to_json(&BatchEntry::of(keys, after))?)
        .bind(now.as_millis())
        .execute(connection)
        .await?;
    Ok(())
}

/// The columns that [`AUDIT`] selects.
type AuditColumns = (String, String, i64, Option<String>, String, i64);

/// Audit data of a record: the action, its key and the operation.
type AuditRow = (String, Key, Value);

fn audit_rows(operations: &[Operation], keys: &[Key]) -> Result<Vec<AuditRow>> {
    let row = |(operation, key): (&Operation, &Key)| {
        Ok((operation.op.clone(), *key, serde_json::to_value(operation).map_err(StoreError::from)?))
    };
    operations.iter().zip(keys).map(row).collect()
}

async fn store_audit(
    connection: &mut Connection,
    user: &str,
    (batch, version): (Option<BatchId>, i64),
    rows: &[AuditRow],
    now: Timestamp,
) -> Result<()> {
    let first: i64 = sqlx::query_scalar(NEXT_POSITION).bind(user).bind(version).fetch_one(&mut *connection).await?;
    for (position, (action, (kind, id), operation)) in (first..).zip(rows) {
        sqlx::query(INSERT_AUDIT)
            .bind(user)
            .bind(version)
            .bind(position)
            .bind(action)
            .bind(kind.as_str())
            .bind(*id)
            .bind(batch.map(|batch| batch.to_string()))
            .bind(column::to_json(operation)?)
            .bind(now.as_millis())
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn undo(connection: &mut Connection, user: UserId, batch: BatchId, now: Timestamp) -> Result<UndoOutcome> {
    let (version, _) = next_version(connection, user, now).await?;
    let user_id = user.to_string();
    let row: Option<BatchRow> =
        sqlx::query_as(BATCH).bind(&user_id).bind(batch.to_string()).fetch_optional(&mut *connection).await?;
    let Some(row) = row else { return Ok(UndoOutcome::NotFound) };
    if row.undone_at.is_some() {
        return Ok(UndoOutcome::AlreadyUndone);
    }
    let state = records::read(connection, &user_id).await?;
    let (before, after): (Vec<BatchEntry>, Vec<BatchEntry>) =
        (column::json("records of a batch", &row.before_json)?, column::json("records of a batch", &row.after_json)?);
    let is_changed = |entry: &&BatchEntry| state.record((entry.kind, entry.id)) != entry.record.as_ref();
    let changed: Vec<Key> = after.iter().filter(is_changed).map(|entry| (entry.kind, entry.id)).collect();
    if !changed.is_empty() {
        return Ok(UndoOutcome::Changed(changed));
    }
    let keys: Vec<Key> = before.iter().map(|entry| (entry.kind, entry.id)).collect();
    let mut restored = state.clone();
    for entry in before {
        restored.set((entry.kind, entry.id), entry.record);
    }
    // A later batch may have put what this one created under a goal, or a goal under one that this one freed.
    let broken: Vec<Key> =
        restored.broken_goals().difference(&state.broken_goals()).map(|goal| (Kind::Goal, *goal)).collect();
    if !broken.is_empty() {
        return Ok(UndoOutcome::Changed(broken));
    }
    records::write(connection, &user_id, &keys, &state, &restored).await?;
    let (batch_id, at) = (batch.to_string(), now.as_millis());
    sqlx::query(UNDO_BATCH).bind(&user_id).bind(batch_id).bind(at).execute(&mut *connection).await?;
    let rows: Vec<AuditRow> = keys.iter().map(|key| ("undo".to_owned(), *key, json!({}))).collect();
    store_audit(connection, &user_id, (Some(batch), version), &rows, now).await?;
    Ok(UndoOutcome::Undone { restored: keys.len(), version })
}
