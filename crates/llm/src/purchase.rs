//! One paid try, whatever it is for: reserve, exchange, settle. What was answered is stored in the transaction that closes the
//! ledger row.

use std::time::Instant;

use aha_core::ids::CallId;
use aha_core::topic::BudgetTier;
use aha_store::{NewAnswer, NewCall, Settlement, SharedStore, StoreError};

use super::budget::{self, UsedUp};
use super::desk;
use super::error::CallError;
use super::estimate::BYTES_PER_TOKEN;
use super::exchange::Exchanged;
use super::gateway::{CallScope, Gateway};
use super::ledger::{self, Cost, Deadline, Refused};
use super::provider::{ModelRequest, Reply, Usage};
use super::router::{Route, Wire};
use super::transport::WireRequest;

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
    /// Text has come before it failed, and so work was done that is charged perhaps.
    pub(super) has_begun: bool,
}

impl<T> Exchange<T> {
    /// The reply, once its text has been read.
    pub(super) fn of(exchanged: Exchanged, read: impl FnOnce(String) -> Result<T, CallError>) -> Self {
        let has_begun = !exchanged.streamed.is_empty();
        let Reply { outcome, usage, request_id } = exchanged.reply;
        Self { outcome: outcome.and_then(read), usage, request_id, has_begun }
    }
}

/// What came of an order.
#[derive(Debug)]
pub(super) enum Bought<T> {
    Answered(T),
    Failed(CallError),
    /// It was not even asked: the run ends.
    Unaskable(String),
    NoBudget(UsedUp),
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
    /// Reserves, has it exchanged, and settles with what `keep` makes of the outcome.
    pub(super) async fn buy<T, F: Future<Output = Exchange<T>>>(
        &self,
        store: &SharedStore,
        order: &Order<'_>,
        exchange: impl FnOnce() -> F,
        keep: impl FnOnce(Result<&T, &CallError>) -> Kept,
    ) -> Result<Bought<T>, StoreError> {
        let mut turn = match (&order.route.traits.pace, order.sending) {
            (Some(pace), Some(sending)) => Some(pace.turn(tokens(sending)).await),
            _ => None,
        };
        // `local` is always there.
        let account = order.sending.map(|_| order.route.account());
        if let Some(account) = &account
            && let Err(refused) = self.parts.breakers.admit(account, Instant::now())
        {
            return Ok(Bought::LeftAlone(format!("{}: {refused}", order.route.model)));
        }
        let call = self.new_call(order);
        let admitted = desk::admit(store, order.scope, self.deadline(order.route), &call).await;
        if let (Some(account), Ok(Some(_)) | Err(_)) = (&account, &admitted) {
            self.parts.breakers.forget(account);
        }
        match admitted? {
            None => {}
            Some(Refused::Interrupted) => return Ok(Bought::Unaskable("the run was interrupted".to_owned())),
            Some(Refused::NoBudget(why)) => return Ok(Bought::NoBudget(why)),
        }
        aha_core::failpoint::hit_showing("call.after_reserve", &(self, order));
        if let Some(turn) = &mut turn {
            turn.sent();
        }
        let sent = Instant::now();
        let exchange = exchange().await;
        let latency_ms = i64::try_from(sent.elapsed().as_millis()).unwrap_or(i64::MAX);
        aha_core::failpoint::hit_showing("call.after_answer", &exchange.outcome.as_ref().err());
        if let Some(turn) = &mut turn {
            turn.used(exchange.usage);
        }
        if let Some(account) = &account {
            self.parts.breakers.tell(account, exchange.outcome.as_ref().err(), Instant::now());
        }
        let kept = keep(exchange.outcome.as_ref());
        let settlement = self.settlement(&call, order.route, &exchange, kept, latency_ms);
        ledger::settle(store, order.scope, &settlement).await?;
        Ok(match exchange.outcome {
            Ok(answer) => Bought::Answered(answer),
            Err(error) => Bought::Failed(error),
        })
    }

    fn new_call(&self, order: &Order<'_>) -> NewCall {
        let (scope, clock, route) = (order.scope, self.parts.clock, order.route);
        let (reserved, limits) = match order.sending {
            Some(sending) => (
                route
                    .price
                    .map(|price| ledger::upper_bound(price, &sending.encoded.body, sending.request.max_output_tokens)),
                budget::limits(&self.parts.budget, scope, order.purpose, route.max_calls_per_run, clock.now()),
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
            expires_at: self.deadline(route).of_a_call(),
        }
    }

    fn deadline(&self, route: &Route) -> Deadline {
        Deadline { clock: self.parts.clock, timeout: route.longest() }
    }

    fn settlement<T>(
        &self,
        call: &NewCall,
        route: &Route,
        exchange: &Exchange<T>,
        kept: Kept,
        latency_ms: i64,
    ) -> Settlement {
        let failure = exchange.outcome.as_ref().err();
        let cost = Cost::of(route.price, failure.filter(|_| !exchange.has_begun), exchange.usage);
        let usage = exchange.usage;
        Settlement {
            call: call.id,
            outcome: cost.outcome(failure.is_some()),
            error: ledger::words(call, cost, failure.map(CallError::told), kept.complaint),
            input_tokens: usage.map(|usage| usage.input_tokens),
            cached_input_tokens: usage.and_then(|usage| usage.cached_input_tokens),
            output_tokens: usage.map(|usage| usage.output_tokens),
            reasoning_tokens: usage.and_then(|usage| usage.reasoning_tokens),
            cost_microcredits: cost.known(),
            latency_ms,
            request_id: exchange.request_id.clone(),
            finished_at: self.parts.clock.now(),
            answers: kept.answers,
            vectors: None,
        }
    }
}

/// About how many tokens a call takes, as a server counts them beforehand: those sent, and the most it may answer.
fn tokens(sending: &Sending<'_>) -> i64 {
    let input = sending.encoded.body.len() / BYTES_PER_TOKEN;
    i64::try_from(input).unwrap_or(i64::MAX).saturating_add(i64::from(sending.request.max_output_tokens))
}
