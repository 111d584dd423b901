//! The ledger: every call to a provider, reserved before it is sent and settled when its outcome is known.
//!
//! What it may cost is counted in `budget_counters`, each with what is settled and what is still reserved. A reservation raises
//! all counters of a call, in the order of their names and only where none would pass its cap, in one short transaction; so
//! any number of processes can spend from one budget and none overshoots it.

use std::slice;

use aha_core::ids::{CallId, ItemId, RunId, TopicId};
use aha_core::time::Timestamp;
use aha_core::topic::BudgetTier;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use sqlx::error::BoxDynError;

use super::shared::column;
use super::{AnswerKey, Lease, NewEmbedding, Result};

#[async_trait]
pub trait LedgerStore: Send + Sync {
    /// Writes the rows of calls that are about to be made, in one transaction, or none of them when a counter would pass a cap:
    /// then it says why. With a lease, refused when another process has taken the topic over.
    async fn reserve_together(&self, lease: Option<&Lease>, calls: &[NewCall]) -> Result<Reservation>;
    /// Closes rows, moves what was reserved to what is settled, and stores answers and vectors, in one transaction. What was spent
    /// is written even when a lease is lost meanwhile; then an answer or a vector is stored only where there is none yet.
    async fn settle_calls(&self, settlements: &[LeasedSettlement]) -> Result<()>;

    /// Reserves calls in their order, as far as the first that is not reserved: all at once where they fit together, else one after
    /// the other. At least one is answered; an error after that is left to the next time.
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

    /// Ends reservations whose caller is gone: `unsettled` at what was reserved, or an error at 0 where nothing was. How many.
    async fn sweep_calls(&self, gone: Gone) -> Result<u64>;
    /// Writes what a call really cost, with the reason. An `unsettled` one becomes an error of the kind that it has.
    async fn adjust_call(&self, adjustment: &Adjustment) -> Result<()>;
    /// The counters of these names; one that nothing was charged to is all 0.
    async fn counters(&self, names: &[String]) -> Result<Vec<Counter>>;
    /// Calls, newest first.
    async fn calls(&self, filter: &CallFilter) -> Result<Vec<CallRecord>>;
    /// Calls whose id begins with these hexadecimal digits in lower case, newest first.
    async fn calls_by_id(&self, prefix: &str, limit: i64) -> Result<Vec<CallRecord>>;
    /// The calls of the answers that are stored under the key, whatever their tier, oldest first.
    async fn calls_of_answer(&self, answer: &AnswerKey) -> Result<Vec<CallRecord>>;
    /// What calls begun since then have cost, by something.
    async fn spend(&self, by: SpendBy, since: Timestamp) -> Result<Vec<SpendRow>>;
    /// Whether a call begun since then was to another provider than `local`.
    async fn has_paid(&self, since: Timestamp) -> Result<bool>;
    /// What the calls named have cost, by id; unsettled ones count at what was reserved.
    async fn costs_of_calls(&self, calls: &[String]) -> Result<Vec<CallCost>>;
    /// The owner's decision on a pasted text.
    async fn commit_review(&self, review: &Review) -> Result<()>;
    async fn review(&self, item: ItemId) -> Result<Option<Review>>;
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
    /// From 1, over all tries of the same ask in an attempt at a run.
    pub attempt: i64,
    /// Stories asked about, or texts.
    pub stories: i64,
    /// The run's tier, where a lower one is asked because the budget is nearly used up.
    pub degraded_from: Option<BudgetTier>,
    /// The most it can cost; `None` where the price is not known.
    pub reserved_microcredits: Option<i64>,
    /// What it is charged to; empty for a call that costs nothing.
    pub limits: Vec<CounterLimit>,
    pub started_at: Timestamp,
    /// By the machine's clock: when its caller must be gone.
    pub expires_at: Timestamp,
}

impl NewCall {
    /// The names of what it is charged to, in their order.
    #[must_use]
    pub fn counters(&self) -> Vec<&str> {
        let mut counters: Vec<&str> = self.limits.iter().map(|limit| limit.counter.as_str()).collect();
        counters.sort_unstable();
        counters
    }
}

/// A counter that a call is charged to, and how far it may go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CounterLimit {
    pub counter: String,
    pub cap_microcredits: Option<i64>,
    pub max_calls: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reservation {
    Reserved,
    /// It would fit if calls under way cost nothing: ask again when they are settled.
    Wait,
    /// It does not fit.
    Exhausted(Exhausted),
}

/// The counter that left no room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exhausted {
    pub counter: String,
    /// What may be spent; `None` when it is the number of calls that is used up.
    pub cap_microcredits: Option<i64>,
}

/// How a call ended, and the answers it gave.
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
    /// `None`: unknown; then what was reserved stays charged.
    pub cost_microcredits: Option<i64>,
    pub latency_ms: i64,
    pub request_id: Option<String>,
    pub finished_at: Timestamp,
    pub answers: Vec<NewAnswer>,
    pub vectors: Option<NewVectors>,
}

/// The kind of a call that was answered, and whose usage is missing or cannot be true.
const NO_USAGE: &str = "no_usage";

impl Settlement {
    /// As the row has them: a kind wherever the call did not end well.
    pub(crate) fn kind_and_message(&self) -> (Option<&str>, Option<&str>) {
        let (kind, message) = self.error.as_ref().map(|(kind, message)| (kind.as_str(), message.as_str())).unzip();
        match self.outcome {
            CallOutcome::Ok => (None, message),
            CallOutcome::Error => (kind, message),
            CallOutcome::Unsettled => (kind.filter(|kind| !kind.is_empty()).or(Some(NO_USAGE)), message),
        }
    }

    /// Of a call that was reserved and is not made after all.
    #[must_use]
    pub fn of_nothing_sent(call: CallId, now: Timestamp) -> Self {
        let error = ("interrupted".to_owned(), "whoever wanted it went away before it was sent".to_owned());
        Self { outcome: CallOutcome::Error, error: Some(error), ..Self::without_tokens(call, now) }
    }

    /// Of a call that took no tokens and cost nothing.
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

/// A settlement, and the lease under which its call was made.
#[derive(Debug, Clone)]
pub struct LeasedSettlement {
    pub lease: Option<Lease>,
    pub settlement: Settlement,
}

/// Vectors that a call brought, and their space.
#[derive(Debug, Clone)]
pub struct NewVectors {
    pub space: String,
    pub embeddings: Vec<NewEmbedding>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    Ok,
    Error,
    /// What it cost is not known.
    Unsettled,
}

/// The state of a call's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallState {
    Reserved,
    Ok,
    Error,
    Unsettled,
}

impl CallState {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Reserved => "reserved",
            Self::Ok => CallOutcome::Ok.as_str(),
            Self::Error => CallOutcome::Error.as_str(),
            Self::Unsettled => CallOutcome::Unsettled.as_str(),
        }
    }
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

impl<D: sqlx::Database> sqlx::Type<D> for CallState
where
    String: sqlx::Type<D>,
{
    fn type_info() -> D::TypeInfo {
        String::type_info()
    }

    fn compatible(info: &D::TypeInfo) -> bool {
        String::compatible(info)
    }
}

impl<'r, D: sqlx::Database> sqlx::Decode<'r, D> for CallState
where
    String: sqlx::Decode<'r, D>,
{
    fn decode(value: D::ValueRef<'r>) -> std::result::Result<Self, BoxDynError> {
        Ok(column::word("ledger row's state", &String::decode(value)?)?)
    }
}

impl CallOutcome {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Unsettled => "unsettled",
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
    /// The members judged.
    pub members: Vec<ItemId>,
}

/// Whose reservations end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// Those that have expired by the machine's clock.
    Expired(Timestamp),
    /// Those of a topic's earlier owners: the token is the present one's.
    Succeeded(TopicId, i64),
}

/// A correction by hand.
#[derive(Debug, Clone)]
pub struct Adjustment {
    pub call: CallId,
    pub to_microcredits: i64,
    pub reason: String,
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Counter {
    pub counter: String,
    pub settled_microcredits: i64,
    pub reserved_microcredits: i64,
    pub calls: i64,
}

/// Which calls to show; `None` is all.
#[derive(Debug, Clone, Default)]
pub struct CallFilter {
    pub state: Option<String>,
    pub purpose: Option<String>,
    pub run: Option<RunId>,
    /// Calls that come after this one in the list: its time and id.
    pub after: Option<(Timestamp, String)>,
    pub limit: i64,
}

/// A ledger row, as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallRecord {
    pub id: String,
    pub run_id: Option<String>,
    pub topic: Option<String>,
    pub purpose: String,
    pub provider: String,
    pub model: String,
    pub prompt_id: String,
    pub attempt: i64,
    pub stories: i64,
    pub state: String,
    pub error_kind: Option<String>,
    pub error: Option<String>,
    pub input_tokens: Option<i64>,
    pub cached_input_tokens: Option<i64>,
    pub output_tokens: Option<i64>,
    pub reasoning_tokens: Option<i64>,
    pub reserved_microcredits: Option<i64>,
    pub cost_microcredits: Option<i64>,
    pub latency_ms: Option<i64>,
    pub request_id: Option<String>,
    /// Milliseconds since 1970.
    pub started_at: i64,
    pub finished_at: Option<i64>,
}

from_rows!(CallRecord {
    id,
    run_id,
    topic,
    purpose,
    provider,
    model,
    prompt_id,
    attempt,
    stories,
    state,
    error_kind,
    error,
    input_tokens,
    cached_input_tokens,
    output_tokens,
    reasoning_tokens,
    reserved_microcredits,
    cost_microcredits,
    latency_ms,
    request_id,
    started_at,
    finished_at
});

/// What a call has cost, and how many stories it was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallCost {
    pub id: String,
    pub microcredits: i64,
    pub stories: i64,
}

from_rows!(CallCost { id, microcredits, stories });

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpendBy {
    /// Days of UTC, as days since 1970.
    Day,
    Purpose,
    Model,
    Topic,
}

impl SpendBy {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Purpose => "purpose",
            Self::Model => "model",
            Self::Topic => "topic",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SpendRow {
    pub key: String,
    pub calls: i64,
    pub errors: i64,
    pub unsettled: i64,
    /// Calls whose price is not known.
    pub unpriced: i64,
    pub stories: i64,
    pub input_tokens: i64,
    pub output_tokens: i64,
    /// Unsettled calls count at what was reserved.
    pub microcredits: i64,
    /// The part of it that is only set aside: of unsettled calls, and of those under way.
    pub reserved_microcredits: i64,
}

from_rows!(SpendRow {
    key,
    calls,
    errors,
    unsettled,
    unpriced,
    stories,
    input_tokens,
    output_tokens,
    microcredits,
    reserved_microcredits
});

/// What the owner decided on a pasted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    pub item: ItemId,
    /// The summary, when it was promoted; the text itself is kept nowhere.
    pub summary_json: Option<String>,
    pub call: Option<String>,
    pub at: Timestamp,
}
