//! The planner's operations and records: a user's plans, changed by batches that can be undone.

use aha_core::ids::{BatchId, UserId};
use aha_core::time::Timestamp;
use aha_planner::apply::{Key, State};
use aha_planner::validate::Validation;
use async_trait::async_trait;
use serde_json::Value;

use super::Result;

/// How long answers to requests with a key are stored.
pub const IDEMPOTENCY_HOURS: i64 = 24;

/// The only user of the planner so far.
#[must_use]
pub fn owner() -> UserId {
    UserId::of(&["owner"])
}

#[async_trait]
pub trait PlannerStore: Send + Sync {
    /// Returns all records of a user, and the version, which each change increases by one.
    async fn planner(&self, user: UserId) -> Result<Planner>;
    /// Applies all of the operations, or none. They are validated against the records inside the transaction, which
    /// also stores an audit row for each, the data needed to undo them, and the answer under the request's key.
    async fn apply_operations(&self, user: UserId, request: &ApplyRequest) -> Result<ApplyOutcome>;
    /// Restores the records of a batch to their state before it, unless one of them was changed since.
    async fn undo_operations(&self, user: UserId, batch: BatchId, now: Timestamp) -> Result<UndoOutcome>;
    /// Returns the newest batches, newest first.
    async fn operation_batches(&self, user: UserId, limit: i64) -> Result<Vec<BatchRecord>>;
    /// Returns the newest audit rows, newest first.
    async fn audit(&self, user: UserId, limit: i64) -> Result<Vec<AuditRecord>>;
}

/// A user's planner records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Planner {
    pub version: i64,
    pub state: State,
}

/// Input of [`PlannerStore::apply_operations`].
#[derive(Debug, Clone)]
pub struct ApplyRequest {
    pub operations: Vec<Value>,
    /// The version that the operations were proposed for; if the current version differs, the request is refused.
    pub expected_version: Option<i64>,
    pub key: Option<IdempotencyKey>,
    pub now: Timestamp,
}

/// A request's key and its contents, both as SHA-256 in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub key_sha256: String,
    pub request_sha256: String,
}

#[derive(Debug, Clone)]
pub enum ApplyOutcome {
    /// The answer as JSON text. `replayed`: the request had been answered before, and this is that answer.
    Applied {
        response: String,
        replayed: bool,
    },
    Invalid(Box<Validation>),
    /// Records were changed after the version that the operations were proposed for.
    Changed {
        expected: i64,
        found: i64,
    },
    /// The key was used for another request.
    KeyReused,
    /// The records are being changed, and were not released in time. Nothing was changed.
    InFlight,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoOutcome {
    Undone {
        restored: usize,
        version: i64,
    },
    NotFound,
    AlreadyUndone,
    /// These records were changed since, or refer to what the batch created or changed.
    Changed(Vec<Key>),
}

/// An applied batch.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchRecord {
    pub id: BatchId,
    pub version: i64,
    pub operations: Vec<Value>,
    pub applied_at: Timestamp,
    pub undone_at: Option<Timestamp>,
}

/// An operation on a record.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRecord {
    /// The code of the operation, or `undo`.
    pub action: String,
    pub kind: String,
    pub record_id: i64,
    /// `None` if nothing was changed.
    pub batch: Option<BatchId>,
    pub operation: Value,
    pub at: Timestamp,
}
