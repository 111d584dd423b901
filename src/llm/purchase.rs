//! One paid try, whatever it is for: reserve, exchange, settle. What was answered is stored in the transaction that closes the
//! ledger row.

use std::time::{Duration, Instant};

use super::budget;
use super::error::{CallError, Charge};
use super::estimate::BYTES_PER_TOKEN;
use super::gateway::{CallScope, Gateway};
use super::provider::{ModelRequest, Reply, Usage};
use super::router::{Route, Wire};
use super::transport::WireRequest;
use crate::domain::ids::CallId;
use crate::domain::time::Timestamp;
use crate::domain::topic::BudgetTier;
use crate::store::error::Decision;
use crate::store::{CallOutcome, Gone, NewAnswer, NewCall, Reservation, Settlement, SharedStore, StoreError};

/// Tokens that a provider puts around our texts (roles, separators), at most.
const FRAME_TOKENS: i64 = 64;
/// A reservation outlives its call's time-out by this: whoever is still there has settled it by then.
const SETTLING: Duration = Duration::from_secs(30);
/// How often a reservation that has to wait for others is tried.
const WAIT: Duration = Duration::from_millis(50);
/// A paid answer is not given up because the database is busy.
const SETTLE_TRIES: u32 = 5;

/// What is sent.
#[derive(Debug)]
pub(super) struct Sending<'a> {
    pub(super) wire: &'a Wire,
    pub(super) request: ModelRequest,
    pub(super) encoded: WireRequest,
}

/// What is bought, and on whose account.
#[derive(Debug)]
pub(super) struct Order<'a> {
    pub(super) id: CallId,
    pub(super) scope: &'a CallScope,
    /// As on the ledger.
    pub(super) purpose: &'static str,
    pub(super) prompt_id: &'a str,
    pub(super) route: &'a Route,
    /// `None` for what is answered in this process.
    pub(super) sending: Option<&'a Sending<'a>>,
    /// Asked about at once.
    pub(super) stories: usize,
    /// From 1.
    pub(super) tries: i64,
    pub(super) degraded_from: Option<BudgetTier>,
}

/// What was exchanged with a model.
pub(super) struct Exchange<T> {
    pub(super) outcome: Result<T, CallError>,
    pub(super) usage: Option<Usage>,
    pub(super) request_id: Option<String>,
}

impl<T> Exchange<T> {
    /// The reply, once its text has been read.
    pub(super) fn of(reply: Reply, read: impl FnOnce(String) -> Result<T, CallError>) -> Self {
        Self { outcome: reply.outcome.and_then(read), usage: reply.usage, request_id: reply.request_id }
    }
}

/// What came of an order.
#[derive(Debug)]
pub(super) enum Bought<T> {
    Answered(T),
    Failed(CallError),
    /// It was not even asked: the run ends.
    Unaskable(String),
    NoBudget(String),
    /// Its server is left alone for a while.
    LeftAlone(String),
}

/// What is kept of an answer.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) answers: Vec<NewAnswer>,
    /// What is wrong with an answer that is good in part.
    pub(super) complaint: Option<String>,
}

impl Gateway {
    /// Reserves, has it exchanged, and settles with what `keep` makes of the answer.
    pub(super) async fn buy<T, F: Future<Output = Exchange<T>>>(
        &self,
        store: &SharedStore,
        order: &Order<'_>,
        exchange: impl FnOnce() -> F,
        keep: impl FnOnce(&T) -> Kept,
    ) -> Result<Bought<T>, StoreError> {
        let _turn = match (&order.route.traits.pace, order.sending) {
            (Some(pace), Some(sending)) => Some(pace.turn(tokens(sending)).await),
            _ => None,
        };
        // `local` is always there.
        let account = order.sending.map(|_| order.route.account());
        if let Some(account) = &account
            && let Err(refused) = self.breakers.admit(account, Instant::now())
        {
            return Ok(Bought::LeftAlone(format!("{}: {refused}", order.route.model)));
        }
        let call = self.new_call(order);
        let admitted = self.admit(store, order, &call).await;
        if let (Some(account), Ok(Some(_)) | Err(_)) = (&account, &admitted) {
            self.breakers.forget(account);
        }
        if let Some(refused) = admitted? {
            return Ok(refused);
        }
        crate::failpoint::hit("call.after_reserve");
        let sent = Instant::now();
        let exchange = exchange().await;
        let latency_ms = i64::try_from(sent.elapsed().as_millis()).unwrap_or(i64::MAX);
        crate::failpoint::hit("call.after_answer");
        if let Some(account) = &account {
            self.breakers.tell(account, exchange.outcome.as_ref().err(), Instant::now());
        }
        let kept = exchange.outcome.as_ref().map(keep).unwrap_or_default();
        let settlement = self.settlement(&call, order.route, &exchange, kept, latency_ms);
        settle(store, order.scope, &settlement).await?;
        Ok(match exchange.outcome {
            Ok(answer) => Bought::Answered(answer),
            Err(error) => Bought::Failed(error),
        })
    }

    fn new_call(&self, order: &Order<'_>) -> NewCall {
        let (scope, clock, route) = (order.scope, self.parts.clock, order.route);
        let (reserved, limits) = match order.sending {
            Some(sending) => (
                reservation(route, sending),
                budget::limits(&self.parts.budget, scope, order.purpose, route, clock.now()),
            ),
            None => (Some(0), Vec::new()),
        };
        NewCall {
            id: order.id,
            run: scope.run,
            topic: scope.topic,
            purpose: order.purpose,
            provider: route.model.provider.clone(),
            model: route.model.model.clone(),
            prompt_id: order.prompt_id.to_owned(),
            attempt: order.tries,
            stories: i64::try_from(order.stories).unwrap_or(i64::MAX),
            degraded_from: order.degraded_from,
            reserved_microcredits: reserved,
            limits,
            started_at: clock.now(),
            expires_at: self.expiry(route),
        }
    }

    /// When a call reserved now must have ended.
    fn expiry(&self, route: &Route) -> Timestamp {
        let lifetime = i64::try_from((route.longest() + SETTLING).as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.parts.clock.wall().as_millis().saturating_add(lifetime))
    }

    /// Reserves, waiting for calls under way where they are all that stands in the way. `None` when the call may be sent.
    async fn admit<T>(
        &self,
        store: &SharedStore,
        order: &Order<'_>,
        call: &NewCall,
    ) -> Result<Option<Bought<T>>, StoreError> {
        let gate = &order.scope.gate;
        let _turn = if call.limits.is_empty() { None } else { Some(gate.turn.lock().await) };
        loop {
            if gate.is_closed() {
                return Ok(Some(Bought::Unaskable("the run was interrupted".to_owned())));
            }
            if let Some(why) = gate.exhausted_for(order.purpose).filter(|_| !call.limits.is_empty()) {
                return Ok(Some(Bought::NoBudget(why)));
            }
            // A call that had to wait is not given less time for it.
            let call = NewCall { expires_at: self.expiry(order.route), ..call.clone() };
            match store.reserve_call(order.scope.lease.as_ref(), &call).await? {
                Reservation::Reserved => return Ok(None),
                Reservation::Exhausted(exhausted) => return Ok(Some(Bought::NoBudget(budget::words(&exhausted)))),
                Reservation::Wait => {
                    store.sweep_calls(Gone::Expired(self.parts.clock.wall())).await?;
                    tokio::time::sleep(WAIT).await;
                }
            }
        }
    }

    fn settlement<T>(
        &self,
        call: &NewCall,
        route: &Route,
        exchange: &Exchange<T>,
        kept: Kept,
        latency_ms: i64,
    ) -> Settlement {
        let cost = cost(route, exchange);
        let outcome = match (&exchange.outcome, cost) {
            (_, Cost::Unknown) => CallOutcome::Unsettled,
            (Ok(_), _) => CallOutcome::Ok,
            (Err(_), _) => CallOutcome::Error,
        };
        let cost = match cost {
            Cost::Known(amount) => Some(amount),
            Cost::Unknown | Cost::Unpriced => None,
        };
        let usage = exchange.usage;
        Settlement {
            call: call.id,
            outcome,
            error: words(call, outcome, cost, exchange.outcome.as_ref().err(), kept.complaint),
            input_tokens: usage.map(|usage| usage.input_tokens),
            cached_input_tokens: usage.and_then(|usage| usage.cached_input_tokens),
            output_tokens: usage.map(|usage| usage.output_tokens),
            reasoning_tokens: usage.and_then(|usage| usage.reasoning_tokens),
            cost_microcredits: cost,
            latency_ms,
            request_id: exchange.request_id.clone(),
            finished_at: self.parts.clock.now(),
            answers: kept.answers,
        }
    }
}

/// About how many tokens a call takes, as a server counts them beforehand: those sent, and the most it may answer.
fn tokens(sending: &Sending<'_>) -> i64 {
    let input = sending.encoded.body.len() / BYTES_PER_TOKEN;
    i64::try_from(input).unwrap_or(i64::MAX).saturating_add(i64::from(sending.request.max_output_tokens))
}

/// The most that a call can cost. A token is a byte at least, so the body's bytes are an upper bound whatever the tokenizer.
fn reservation(route: &Route, sending: &Sending<'_>) -> Option<i64> {
    let input = i64::try_from(sending.encoded.body.len()).unwrap_or(i64::MAX).saturating_add(FRAME_TOKENS);
    route.price.map(|price| price.cost(input, i64::from(sending.request.max_output_tokens)).0)
}

/// What a call has cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cost {
    Known(i64),
    /// Perhaps what was reserved.
    Unknown,
    /// Nobody knows the price.
    Unpriced,
}

fn cost<T>(route: &Route, exchange: &Exchange<T>) -> Cost {
    if matches!(&exchange.outcome, Err(error) if exchange.usage.is_none() && error.charge() == Charge::Nothing) {
        return Cost::Known(0);
    }
    match (route.price, exchange.usage) {
        (None, _) => Cost::Unpriced,
        (Some(price), _) if price.is_free() => Cost::Known(0),
        (Some(price), Some(usage)) => {
            let cached_tokens = usage.cached_input_tokens.unwrap_or(0);
            Cost::Known(price.cost_with_cache(usage.input_tokens, cached_tokens, usage.output_tokens).0)
        }
        (Some(_), None) => Cost::Unknown,
    }
}

/// What a row says in words: why it failed, what is missing from it, and whether it cost more than can be.
fn words(
    call: &NewCall,
    outcome: CallOutcome,
    cost: Option<i64>,
    error: Option<&CallError>,
    complaint: Option<String>,
) -> Option<(String, String)> {
    let mut words = match error {
        Some(error) if outcome == CallOutcome::Unsettled => format!("{}: {error}", error.kind()),
        Some(error) => error.to_string(),
        None => complaint.unwrap_or_else(|| match outcome {
            CallOutcome::Unsettled => "the answer tells no usage that can be true".to_owned(),
            CallOutcome::Ok | CallOutcome::Error => String::new(),
        }),
    };
    if let (Some(cost), Some(reserved)) = (cost, call.reserved_microcredits)
        && cost > reserved
    {
        tracing::error!(call = %call.id, cost, reserved, "a call cost more than was reserved for it");
        words = format!("it cost more than was reserved for it; {words}");
    }
    let kind = error.map_or("", CallError::kind);
    (!words.is_empty()).then(|| (kind.to_owned(), words))
}

async fn settle(store: &SharedStore, scope: &CallScope, settlement: &Settlement) -> Result<(), StoreError> {
    let mut tries = 1;
    loop {
        match store.settle_call(scope.lease.as_ref(), settlement).await {
            Err(error) if error.decision() == Decision::Retry && tries < SETTLE_TRIES => {
                tracing::warn!(%error, call = %settlement.call, "the call is settled again in a moment");
                tokio::time::sleep(Duration::from_secs(1 << tries)).await;
                tries += 1;
            }
            other => return other,
        }
    }
}
