//! The ledger: every call to a provider, reserved before it is sent and settled when its outcome is known.
//!
//! The possible cost is counted in `budget_counters`, each with its settled and its reserved amount. A reservation
//! raises all counters of a call in one short transaction, in the order of their names, and only if none would exceed
//! its cap. So any number of processes can spend from one budget without overshooting it.

use std::slice;

use aha_core::ids::{CallId, ItemId, RunId, TopicId};
use aha_core::time::Timestamp;
use aha_core::topic::BudgetTier;
use async_trait::async_trait;
use serde::Serialize;

use super::call_records::{Adjustment, CallCost, CallFilter, CallRecord, CallState, Counter, SpendBy, SpendRow};
use super::{AnswerKey, Lease, NewEmbedding, Result};

/// Reserves calls and settles them. Each database has its own: SQLite does the frequent cases in one round trip.
#[async_trait]
pub trait ReservationStore: Send + Sync {
    /// Writes the rows of calls that are about to be made, in one transaction. If a counter would exceed a cap, writes
    /// none of them and returns the reason. With a lease, fails if another process has taken the topic over.
    async fn reserve_together(&self, lease: Option<&Lease>, calls: &[NewCall]) -> Result<Reservation>;
    /// Closes rows, moves reserved amounts to settled amounts, and stores answers and vectors, in one transaction.
    /// Costs are written even if a lease has been lost; answers and vectors are then stored only if there are none yet.
    async fn settle_calls(&self, settlements: &[LeasedSettlement]) -> Result<()>;

    /// Reserves calls in order, up to the first that is not reserved: all at once if they fit together, otherwise one
    /// after the other. At least one reservation is returned. An error after the first ends the list and is not
    /// reported.
    async fn reserve_calls(&self, lease: Option<&Lease>, calls: &[NewCall]) -> Result<Vec<Reservation>> {
        let together = self.reserve_together(lease, calls).await?;
        if together == Reservation::Reserved || calls.len() == 1 {
            return Ok(vec![together; calls.len()]);
        }
        let mut reservations = Vec::with_capacity(calls.len());
        for call in calls {
            match self.reserve_together(lease, slice::from_ref(call)).await {
                Err(error) if reservations.is_empty() => return Err(error),
                Err(_) => break,
                Ok(reservation) => reservations.push(reservation),
            }
            if reservations.last() != Some(&Reservation::Reserved) {
                break;
            }
        }
        Ok(reservations)
    }

    /// [`Self::reserve_together`] for one call.
    async fn reserve_call(&self, lease: Option<&Lease>, call: &NewCall) -> Result<Reservation> {
        self.reserve_together(lease, slice::from_ref(call)).await
    }

    /// [`Self::settle_calls`] for one call.
    async fn settle_call(&self, lease: Option<&Lease>, settlement: &Settlement) -> Result<()> {
        let leased = LeasedSettlement { lease: lease.cloned(), settlement: settlement.clone() };
        self.settle_calls(&[leased]).await
    }
}

/// Reads the ledger, and corrects it.
#[async_trait]
pub trait LedgerStore: Send + Sync {
    /// Ends the reservations of calls whose caller has ended. A call becomes `unsettled` at its reserved amount, or an
    /// error at 0 if nothing was reserved. Returns the number of calls.
    async fn settle_orphaned_calls(&self, which: OrphanedCalls) -> Result<u64>;
    /// Writes the actual cost of a call, with the reason. An `unsettled` call becomes an error and keeps its error
    /// kind.
    async fn adjust_call(&self, adjustment: &Adjustment) -> Result<()>;
    /// Returns the counters of these names; a counter without charges is all 0.
    async fn counters(&self, names: &[String]) -> Result<Vec<Counter>>;
    /// Returns calls, newest first.
    async fn calls(&self, filter: &CallFilter) -> Result<Vec<CallRecord>>;
    /// Returns calls whose id begins with these lower-case hexadecimal digits, newest first.
    async fn calls_by_id(&self, prefix: &str, limit: i64) -> Result<Vec<CallRecord>>;
    /// Returns the calls of the answers stored under the key, in any tier, oldest first.
    async fn calls_of_answer(&self, answer: &AnswerKey) -> Result<Vec<CallRecord>>;
    /// Returns the cost of calls begun since then, grouped by `by`.
    async fn spend(&self, by: SpendBy, since: Timestamp) -> Result<Vec<SpendRow>>;
    /// Whether a call begun since then was to a provider other than `local`.
    async fn has_paid(&self, since: Timestamp) -> Result<bool>;
    /// Returns the number of stories or texts in the calls of a purpose that were answered in a pass of a run. `pass`:
    /// its first attempt.
    async fn answered_in_pass(&self, run: RunId, purpose: &str, pass: i64) -> Result<i64>;
    /// Returns the costs of these calls, by id; unsettled calls count at their reserved amount, and those of a model
    /// without a price have none.
    async fn costs_of_calls(&self, calls: &[String]) -> Result<Vec<CallCost>>;
}

/// A call that is about to be made.
#[derive(Debug, Clone)]
pub struct NewCall {
    pub id: CallId,
    pub run: Option<RunId>,
    pub topic: Option<TopicId>,
    pub purpose: &'static str,
    pub provider: String,
    pub model: String,
    pub prompt_id: String,
    /// From 1, over all tries of the same request in an attempt at a run.
    pub attempt: i64,
    /// Number of stories or texts in the request.
    pub stories: i64,
    /// The run's tier, if a lower one is used because the budget is nearly used up.
    pub degraded_from: Option<BudgetTier>,
    /// The maximum cost; `None` if the price is unknown.
    pub reserved_microcredits: Option<i64>,
    /// The counters it is charged to; empty for a call that costs nothing.
    pub limits: Vec<CounterLimit>,
    pub started_at: Timestamp,
    /// When its caller must have ended, by the machine's clock.
    pub expires_at: Timestamp,
}

impl NewCall {
    /// Returns the names of the counters it is charged to, sorted.
    #[must_use]
    pub fn counters(&self) -> Vec<&str> {
        let mut counters: Vec<&str> = self.limits.iter().map(|limit| limit.counter.as_str()).collect();
        counters.sort_unstable();
        counters
    }
}

/// A counter that a call is charged to, with its limits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CounterLimit {
    pub counter: String,
    pub cap_microcredits: Option<i64>,
    pub max_calls: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reservation {
    Reserved,
    /// It would fit if the calls under way cost nothing: try again when they are settled.
    Wait,
    /// It does not fit.
    Exhausted(Exhausted),
}

/// The counter whose limit was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exhausted {
    pub counter: String,
    /// The cap; `None` if the limit on the number of calls was reached.
    pub cap_microcredits: Option<i64>,
    /// The part of the cap that is not settled; 0 without one.
    pub left_microcredits: i64,
    /// The most that the refused call can cost.
    pub needed_microcredits: i64,
}

/// How a call ended, with its answers.
#[derive(Debug, Clone)]
pub struct Settlement {
    pub call: CallId,
    pub outcome: CallOutcome,
    /// Kind (for an error) and message.
    pub error: Option<(String, String)>,
    pub input_tokens: Option<i64>,
    pub cached_input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    pub reasoning_tokens: Option<i64>,
    /// `None`: unknown; the reserved amount then stays charged.
    pub cost_microcredits: Option<i64>,
    pub latency_ms: i64,
    pub request_id: Option<String>,
    pub finished_at: Timestamp,
    pub answers: Vec<NewAnswer>,
    pub vectors: Option<NewVectors>,
}

/// Error kind of a call that was answered but whose usage is missing or implausible.
const NO_USAGE: &str = "no_usage";

impl Settlement {
    /// Returns kind and message as stored in the row. Every call that did not end well has a kind.
    pub(crate) fn kind_and_message(&self) -> (Option<&str>, Option<&str>) {
        let (kind, message) = self.error.as_ref().map(|(kind, message)| (kind.as_str(), message.as_str())).unzip();
        match self.outcome {
            CallOutcome::Ok => (None, message),
            CallOutcome::Error => (kind, message),
            CallOutcome::Unsettled => (kind.filter(|kind| !kind.is_empty()).or(Some(NO_USAGE)), message),
        }
    }

    /// The settlement of a call that was reserved but never sent.
    #[must_use]
    pub fn not_sent(call: CallId, now: Timestamp) -> Self {
        let error = ("interrupted".to_owned(), "cancelled before it was sent".to_owned());
        Self { outcome: CallOutcome::Error, error: Some(error), ..Self::without_tokens(call, now) }
    }

    /// The settlement of a call that took no tokens and cost nothing.
    #[must_use]
    pub fn without_tokens(call: CallId, now: Timestamp) -> Self {
        Self {
            call,
            outcome: CallOutcome::Ok,
            error: None,
            input_tokens: None,
            cached_input_tokens: None,
            output_tokens: None,
            reasoning_tokens: None,
            cost_microcredits: Some(0),
            latency_ms: 0,
            request_id: None,
            finished_at: now,
            answers: Vec::new(),
            vectors: None,
        }
    }
}

/// A settlement with the lease under which its call was made.
#[derive(Debug, Clone)]
pub struct LeasedSettlement {
    pub lease: Option<Lease>,
    pub settlement: Settlement,
}

/// Vectors that a call returned, with their space.
#[derive(Debug, Clone)]
pub struct NewVectors {
    pub space: String,
    pub embeddings: Vec<NewEmbedding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    Ok,
    Error,
    /// Its cost is unknown.
    Unsettled,
}

impl From<CallOutcome> for CallState {
    fn from(outcome: CallOutcome) -> Self {
        match outcome {
            CallOutcome::Ok => Self::Ok,
            CallOutcome::Error => Self::Error,
            CallOutcome::Unsettled => Self::Unsettled,
        }
    }
}

impl CallOutcome {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => CallState::Ok.as_str(),
            Self::Error => CallState::Error.as_str(),
            Self::Unsettled => CallState::Unsettled.as_str(),
        }
    }
}

#[derive(Debug, Clone)]
pub struct NewAnswer {
    pub key: AnswerKey,
    pub provider: String,
    pub model: String,
    pub input_hash: String,
    pub answer_json: String,
    /// The members of the judged story.
    pub members: Vec<ItemId>,
}

/// Selects the reservations to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrphanedCalls {
    /// Those that have expired by the machine's clock.
    Expired(Timestamp),
    /// Those that a topic's lease owners made under tokens before this one.
    Superseded(TopicId, i64),
}
