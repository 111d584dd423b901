//! The contents of a call's ledger row, for any kind of call: the maximum cost, the actual cost and the outcome.
//! `ledger_writer` writes the row before the call is sent; [`settle`] closes it when the outcome is known.

use std::time::Duration;

use aha_core::ids::CallId;
use aha_core::model::ModelRef;
use aha_core::money::{MicroCredits, Price};
use aha_core::time::Timestamp;
use aha_store::{
    CallOutcome, CounterLimit, LeasedSettlement, NewCall, RetryAdvice, Settlement, SharedStore, StoreError,
};

use super::call_scope::CallScope;
use super::error::{CallError, Charge};
use super::ledger_writer::{self, CallTimeout};
use super::provider::Usage;

/// Maximum tokens that a provider adds around our texts (roles, separators).
const FRAME_TOKENS: i64 = 64;
/// Attempts to settle a call. The waits between them come to 30 s, after which a reservation may be settled by others.
const SETTLE_TRIES: u32 = 5;

/// What a call may cost, and when it starts.
pub(super) struct CallBudget {
    /// The maximum cost; `None` if the price is unknown.
    pub(super) reserved_microcredits: Option<i64>,
    /// The counters it is charged to; empty for a call that costs nothing.
    pub(super) limits: Vec<CounterLimit>,
    /// The start, which the day and month of the limits are taken from.
    pub(super) now: Timestamp,
}

/// Returns the row of the first attempt at a call for one story. Callers replace what differs for theirs.
pub(super) fn new_call(
    id: CallId,
    scope: &CallScope,
    purpose: &'static str,
    model: ModelRef,
    deadline: CallTimeout,
    budget: CallBudget,
) -> NewCall {
    NewCall {
        id,
        run: scope.run,
        topic: scope.topic,
        purpose,
        provider: model.provider,
        model: model.model,
        prompt_id: scope.prompt_id.clone(),
        attempt: 1,
        stories: 1,
        degraded_from: None,
        reserved_microcredits: budget.reserved_microcredits,
        limits: budget.limits,
        started_at: budget.now,
        expires_at: deadline.deadline_from_now(),
    }
}

/// Returns the maximum cost of a call with a known price, in micro-credits. A token is at least one byte, so the body's
/// bytes are an upper bound for any tokenizer.
pub(super) fn upper_bound(price: Price, body: &[u8], output_tokens: u32) -> i64 {
    let input = i64::try_from(body.len()).unwrap_or(i64::MAX).saturating_add(FRAME_TOKENS);
    price.cost(input, i64::from(output_tokens)).0
}

/// The cost of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    Known(MicroCredits),
    /// Possibly what was reserved.
    Unknown,
    /// The price is not known.
    Unpriced,
}

impl Cost {
    pub(super) fn of(price: Option<Price>, failure: Option<&CallError>, usage: Option<Usage>) -> Self {
        if usage.is_none() && failure.is_some_and(|error| error.charge() == Charge::Nothing) {
            return Self::Known(MicroCredits::ZERO);
        }
        match (price, usage) {
            (None, _) => Self::Unpriced,
            (Some(price), _) if price.is_free() => Self::Known(MicroCredits::ZERO),
            (Some(price), Some(usage)) => {
                let cached_tokens = usage.cached_input_tokens.unwrap_or(0);
                Self::Known(price.cost_with_cache(usage.input_tokens, cached_tokens, usage.output_tokens))
            }
            (Some(_), None) => Self::Unknown,
        }
    }

    pub(super) const fn known(self) -> Option<i64> {
        match self {
            Self::Known(amount) => Some(amount.0),
            Self::Unknown | Self::Unpriced => None,
        }
    }

    /// Returns how a row with this cost is closed.
    pub(super) const fn outcome(self, has_failed: bool) -> CallOutcome {
        match (self, has_failed) {
            (Self::Unknown, _) => CallOutcome::Unsettled,
            (_, false) => CallOutcome::Ok,
            (_, true) => CallOutcome::Error,
        }
    }
}

/// Returns the kind and message of a row: its failure, else `missing`, what is missing from the answer. The message
/// also reports a cost above the reservation.
pub(super) fn error_columns(
    call: &NewCall,
    cost: Cost,
    failure: Option<(&'static str, String)>,
    missing: Option<String>,
) -> Option<(String, String)> {
    let is_unsettled = cost.outcome(failure.is_some()) == CallOutcome::Unsettled;
    let (kind, mut words) = match failure {
        Some(failure) => failure,
        None if is_unsettled => {
            ("", missing.unwrap_or_else(|| "the response reports no plausible token usage".to_owned()))
        }
        None => ("", missing.unwrap_or_default()),
    };
    if let (Some(cost), Some(reserved)) = (cost.known(), call.reserved_microcredits)
        && cost > reserved
    {
        tracing::error!(call = %call.id, cost, reserved, "a call cost more than was reserved for it");
        let separator = if words.is_empty() { "" } else { "; " };
        words = format!("it cost more than was reserved for it{separator}{words}");
    }
    (!words.is_empty()).then(|| (kind.to_owned(), words))
}

/// Settles a call. Retries unless a person has to act, so that a paid answer is not lost because the database is busy
/// or fails for a moment: an attempt that continues the run would pay for it again.
pub(super) async fn settle(store: &SharedStore, scope: &CallScope, settlement: &Settlement) -> Result<(), StoreError> {
    let mut attempts = 1;
    loop {
        let leased = LeasedSettlement { lease: scope.lease.clone(), settlement: settlement.clone() };
        match ledger_writer::queue_settlement(store, &scope.call_state, leased).await {
            Err(error) if error.retry_advice() != RetryAdvice::NeedsPerson && attempts < SETTLE_TRIES => {
                tracing::warn!(%error, call = %settlement.call, "the call is settled again in a moment");
                tokio::time::sleep(Duration::from_secs(1 << attempts)).await;
                attempts += 1;
            }
            other => return other,
        }
    }
}
