//! One metered call of any kind: reserve, send, settle. A task, an embedding batch, a search and a conversation's
//! answer are all paid for here. The answer is stored in the transaction that closes the ledger row.

use std::fmt::Debug;
use std::time::Instant;

use aha_core::money::Price;
use aha_store::{NewAnswer, NewCall, NewVectors, Settlement, SharedStore, StoreError};

use super::breaker::{Account, Breakers};
use super::call_scope::CallScope;
use super::error::{CallError, Charge};
use super::ledger::{self, Cost};
use super::ledger_writer;
use super::ledger_writer::CallTimeout;
pub use super::ledger_writer::NotSent;
use super::provider::Usage;
use super::rate_limiter::CallLimiter;

/// The result of a call.
#[derive(Debug)]
pub enum Executed<T> {
    Answered(T),
    Failed(FailedCall),
    NotSent(NotSent),
}

/// A call without a usable answer.
#[derive(Debug)]
pub struct FailedCall {
    pub error: CallError,
    /// Whether it is or may be charged: by its kind, or because the provider reports usage or began to answer.
    pub is_charged: bool,
}

impl FailedCall {
    fn of(error: CallError, usage: Option<Usage>, has_begun: bool) -> Self {
        let has_usage = usage.is_some_and(|usage| usage.input_tokens + usage.output_tokens > 0);
        let is_charged = has_begun || has_usage || error.charge() != Charge::Nothing;
        Self { error, is_charged }
    }

    /// Whether the server is away or fails without having worked on the request: the same request may well succeed once
    /// it has recovered, and costs nothing until then.
    pub(super) const fn is_outage(&self) -> bool {
        !self.is_charged
            && matches!(self.error, CallError::Connect(_) | CallError::Overloaded { .. } | CallError::Server { .. })
    }
}

impl From<CallError> for FailedCall {
    /// Of a call that failed before it was sent.
    fn from(error: CallError) -> Self {
        Self { error, is_charged: false }
    }
}

/// A call before it is sent.
pub(super) struct MeteredCall<'a> {
    pub(super) store: &'a SharedStore,
    pub(super) scope: &'a CallScope,
    pub(super) deadline: CallTimeout,
    /// `None` for calls answered in this process, or by a service with limits of its own.
    pub(super) server: Option<ServerLimits<'a>>,
    /// Data of the call that might be printed: tests search it for secrets.
    pub(super) shown: &'a (dyn Debug + Sync),
}

/// The limits on calls to a server.
pub(super) struct ServerLimits<'a> {
    pub(super) breakers: &'a Breakers,
    /// Identifies the server to the breakers.
    pub(super) account: Account,
    pub(super) model: &'a str,
    /// The model's limits per minute, and the tokens that this call takes.
    pub(super) limiter: Option<(&'a CallLimiter, i64)>,
}

/// The response to a call.
pub(super) struct Received<T> {
    pub(super) outcome: Result<T, CallError>,
    pub(super) usage: Option<Usage>,
    pub(super) request_id: Option<String>,
    /// The model's name in the provider's answer, if it names one.
    pub(super) model: Option<String>,
    /// A part of the answer arrived before the failure, so work was done that may be charged.
    pub(super) has_begun: bool,
}

/// What is written to the ledger for a finished call.
#[derive(Debug)]
pub(super) struct Closing {
    pub(super) cost: Cost,
    /// Kind and message of its failure.
    pub(super) failure: Option<(&'static str, String)>,
    /// What is wrong with a partly good answer.
    pub(super) partial_failure: Option<String>,
    pub(super) answers: Vec<NewAnswer>,
    pub(super) vectors: Option<NewVectors>,
}

impl Closing {
    /// Closes at a model's price, with nothing to store.
    pub(super) fn at<T>(price: Option<Price>, received: &Received<T>) -> Self {
        let failure = received.outcome.as_ref().err();
        Self {
            cost: Cost::of(price, failure.filter(|_| !received.has_begun), received.usage),
            failure: failure.map(CallError::kind_and_message),
            partial_failure: None,
            answers: Vec::new(),
            vectors: None,
        }
    }
}

impl MeteredCall<'_> {
    /// Waits for the server's limiter, reserves, sends, and settles with what `close` makes of the response.
    ///
    /// # Errors
    /// When the store fails or the lease is lost.
    pub(super) async fn execute<T, F: Future<Output = Received<T>>>(
        self,
        new_call: impl FnOnce() -> NewCall,
        send: impl FnOnce() -> F,
        close: impl FnOnce(&Received<T>) -> Closing,
    ) -> Result<Executed<T>, StoreError> {
        let mut permit = match self.server.as_ref().and_then(|server| server.limiter) {
            Some((limiter, tokens)) => {
                tokio::select! {
                    biased;
                    () = self.scope.call_state.closed() => return Ok(Executed::NotSent(NotSent::Interrupted)),
                    permit = limiter.acquire(tokens) => Some(permit),
                }
            }
            None => None,
        };
        let server = self.server.as_ref();
        let admitted = server.map(|server| server.breakers.admit(&server.account, server.model, Instant::now()));
        let exchange = match admitted.transpose() {
            Ok(exchange) => exchange,
            Err(refused) => {
                let why = refused.to_string();
                return Ok(Executed::NotSent(NotSent::CircuitOpen { why, wait: refused.wait }));
            }
        };
        let call = new_call();
        if let Err(refused) = ledger_writer::reserve(self.store, self.scope, self.deadline, &call).await? {
            return Ok(Executed::NotSent(refused));
        }
        aha_core::failpoint::hit_with("call.after_reserve", &self.shown);
        if let Some(permit) = &mut permit {
            permit.sent();
        }
        let begun = Instant::now();
        let received = send().await;
        let latency_ms = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
        aha_core::failpoint::hit_with("call.after_answer", &(self.shown, received.outcome.as_ref().err()));
        if let Some(permit) = &mut permit {
            permit.used(received.usage);
        }
        if let Some(exchange) = exchange {
            exchange.record(received.outcome.as_ref().err(), Instant::now());
        }
        let closing = close(&received);
        let settlement = self.settlement(&call, &received, closing, latency_ms);
        ledger::settle(self.store, self.scope, &settlement).await?;
        Ok(match received.outcome {
            Ok(answer) => Executed::Answered(answer),
            Err(error) => Executed::Failed(FailedCall::of(error, received.usage, received.has_begun)),
        })
    }

    fn settlement<T>(&self, call: &NewCall, received: &Received<T>, closing: Closing, latency_ms: i64) -> Settlement {
        let Closing { cost, failure, partial_failure, answers, vectors } = closing;
        let usage = received.usage;
        Settlement {
            call: call.id,
            outcome: cost.outcome(failure.is_some()),
            error: ledger::error_columns(call, cost, failure, partial_failure),
            input_tokens: usage.map(|usage| usage.input_tokens),
            cached_input_tokens: usage.and_then(|usage| usage.cached_input_tokens),
            output_tokens: usage.map(|usage| usage.output_tokens),
            reasoning_tokens: usage.and_then(|usage| usage.reasoning_tokens),
            cost_microcredits: cost.known(),
            latency_ms,
            request_id: received.request_id.clone(),
            finished_at: self.deadline.clock.now(),
            answers,
            vectors,
        }
    }
}
