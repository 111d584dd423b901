//! A metered call for a model's text, from a task or a conversation. Builds the ledger row from the route, and reads
//! the reply.

use aha_core::ids::CallId;
use aha_core::topic::BudgetTier;
use aha_store::{NewCall, SharedStore, StoreError};

use super::budget;
use super::call_scope::CallScope;
use super::error::CallError;
use super::estimate::BYTES_PER_TOKEN;
use super::exchange::{EncodedRequest, ExchangeResult};
use super::gateway::Gateway;
use super::ledger::{self, CallBudget};
use super::ledger_writer::CallTimeout;
use super::metered_call::{Closing, Executed, MeteredCall, Received, ServerLimits};
use super::provider::Reply;
use super::router::Route;

/// A call and its context.
#[derive(Debug)]
pub(super) struct ModelCall<'a> {
    pub(super) id: CallId,
    pub(super) scope: &'a CallScope,
    /// As on the ledger.
    pub(super) purpose: &'static str,
    pub(super) prompt_id: &'a str,
    pub(super) route: &'a Route,
    /// `None` for calls answered in this process.
    pub(super) encoded: Option<&'a EncodedRequest<'a>>,
    /// Number of inputs in the call.
    pub(super) items: usize,
    /// Number of the attempt, from 1.
    pub(super) attempt: i64,
    pub(super) degraded_from: Option<BudgetTier>,
}

impl<T> Received<T> {
    /// Builds the result of an exchange, parsing its text with `read`.
    pub(super) fn of(exchanged: ExchangeResult, read: impl FnOnce(String) -> Result<T, CallError>) -> Self {
        let ExchangeResult { reply: Reply { outcome, usage, request_id, model }, has_begun, .. } = exchanged;
        Self { outcome: outcome.and_then(read), usage, request_id, model, has_begun }
    }

    /// Builds the result of a call answered in this process.
    pub(super) const fn answered_locally(outcome: Result<T, CallError>) -> Self {
        Self { outcome, usage: None, request_id: None, model: None, has_begun: false }
    }
}

impl Gateway {
    /// Reserves, sends, and settles with what `close` adds to the closing of the row.
    pub(super) async fn execute<T, F: Future<Output = Received<T>>>(
        &self,
        store: &SharedStore,
        call: &ModelCall<'_>,
        send: impl FnOnce() -> F,
        close: impl FnOnce(&Received<T>, &mut Closing),
    ) -> Result<Executed<T>, StoreError> {
        let route = call.route;
        // `local` needs no breaker or limiter.
        let server = call.encoded.map(|encoded| ServerLimits {
            breakers: &self.parts.breakers,
            account: route.account(),
            model: &route.model.model,
            limiter: route.options.limiter.as_deref().map(|limiter| (limiter, tokens(encoded))),
        });
        let deadline = CallTimeout { clock: self.parts.clock, timeout: route.longest() };
        let metered = MeteredCall { store, scope: call.scope, deadline, server, shown: &(self, call) };
        let closing = |received: &Received<T>| {
            let mut closing = Closing::at(route.price, received);
            close(received, &mut closing);
            closing
        };
        // Boxed, because it contains the exchange's future and is contained in the futures of whole stages.
        Box::pin(metered.execute(|| self.new_call(call, deadline), send, closing)).await
    }

    fn new_call(&self, call: &ModelCall<'_>, deadline: CallTimeout) -> NewCall {
        let (scope, route, now) = (call.scope, call.route, self.parts.clock.now());
        let (reserved_microcredits, limits) = match call.encoded {
            Some(EncodedRequest { encoded, request, .. }) => (
                route.price.map(|price| ledger::upper_bound(price, &encoded.body, request.max_output_tokens)),
                budget::limits(&self.parts.budget, scope, call.purpose, route.max_calls_per_run, now),
            ),
            None => (Some(0), Vec::new()),
        };
        let budget = CallBudget { reserved_microcredits, limits, now };
        NewCall {
            prompt_id: call.prompt_id.to_owned(),
            attempt: call.attempt,
            stories: i64::try_from(call.items).unwrap_or(i64::MAX),
            degraded_from: call.degraded_from,
            ..ledger::new_call(call.id, scope, call.purpose, route.model.clone(), deadline, budget)
        }
    }
}

/// Returns the approximate tokens of a call, as a server counts them in advance: the input, and the maximum output.
fn tokens(encoded: &EncodedRequest<'_>) -> i64 {
    let input = encoded.encoded.body.len() / BYTES_PER_TOKEN;
    i64::try_from(input).unwrap_or(i64::MAX).saturating_add(i64::from(encoded.request.max_output_tokens))
}
