//! The planner's operations and records: what an owner plans, changed by batches that can be undone.

use aha_core::ids::{BatchId, UserId};
use aha_core::time::Timestamp;
use aha_planner::apply::{Key, State};
use aha_planner::validate::Validation;
use async_trait::async_trait;
use serde_json::Value;

use super::Result;

/// Answers to requests with a key are kept so long.
pub const IDEMPOTENCY_HOURS: i64 = 24;

/// The one user, until there are more.
#[must_use]
pub fn owner() -> UserId {
    UserId::of(&["owner"])
}

#[async_trait]
pub trait PlannerStore: Send + Sync {
    /// All records of a user, and the version that each change of them moves on by one.
    async fn planner(&self, user: UserId) -> Result<Planner>;
    /// Applies all of the operations, or none: validated against the records inside the transaction, which also keeps an audit row for
    /// each, what undoes them, and the answer under the request's key.
    async fn apply_operations(&self, user: UserId, request: &ApplyRequest) -> Result<ApplyOutcome>;
    /// Puts the records of a batch back as they were before it, unless one of them was changed since.
    async fn undo_operations(&self, user: UserId, batch: BatchId, now: Timestamp) -> Result<UndoOutcome>;
    /// The newest batches, newest first.
    async fn operation_batches(&self, user: UserId, limit: i64) -> Result<Vec<BatchRecord>>;
    /// The newest audit rows, newest first.
    async fn audit(&self, user: UserId, limit: i64) -> Result<Vec<AuditRecord>>;
}

/// What a user plans.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Planner {
    pub version: i64,
    pub state: State,
}

/// What [`PlannerStore::apply_operations`] is to do.
#[derive(Debug, Clone)]
pub struct ApplyRequest {
    pub operations: Vec<Value>,
    /// The version that the operations were proposed for; another one now is refused.
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
    /// The answer, as JSON text. `replayed`: the request had been answered before, and this is that answer.
    Applied {
        response: String,
        replayed: bool,
    },
    Invalid(Box<Validation>),
    /// Something was changed since the version that the operations were proposed for.
    Changed {
        expected: i64,
        found: i64,
    },
    /// The key belongs to another request.
    KeyReused,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoOutcome {
    Undone {
        restored: usize,
        version: i64,
    },
    NotFound,
    AlreadyUndone,
    /// These were changed since.
    Changed(Vec<Key>),
}

/// A batch that was applied.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchRecord {
    pub id: BatchId,
    pub version: i64,
    pub operations: Vec<Value>,
    pub applied_at: Timestamp,
    pub undone_at: Option<Timestamp>,
}

/// What was done to a record.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRecord {
    /// The code of the operation, or `undo`.
    pub action: String,
    pub kind: String,
    pub record_id: i64,
    pub batch: BatchId,
    pub operation: Value,
    pub at: Timestamp,
}
