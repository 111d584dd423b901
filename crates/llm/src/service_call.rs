//! A metered call of a paid service that is not a model, such as a search. Its row is on the same ledger, under the
//! same caps, as a model's call.

use std::time::Duration;

use aha_core::model::ModelRef;
use aha_core::money::MicroCredits;
use aha_store::{NewAnswer, NewCall, SharedStore, StoreError};

use super::budget;
use super::call_scope::CallScope;
use super::gateway::Gateway;
use super::ledger::{self, CallBudget, Cost};
use super::ledger_writer::CallTimeout;
use super::metered_call::{Closing, Executed, MeteredCall, NotSent, Received};

/// Longer than any call takes, including the wait of a rate-limited host.
const MAX_DURATION: Duration = Duration::from_mins(10);

/// A call and its context.
#[derive(Debug)]
pub struct ServiceCall<'a> {
    pub scope: &'a CallScope,
    /// As on the ledger.
    pub purpose: &'static str,
    /// The service, as on the ledger.
    pub provider: String,
    /// The operation of the service; takes the place of the model's name.
    pub operation: &'static str,
    /// Distinguishes it from the other calls of the same attempt.
    pub words: &'a str,
    /// The maximum cost, if known.
    pub at_most: Option<MicroCredits>,
    /// Number of results requested.
    pub results: usize,
}

/// The cost of a call, and the part of its answer to store.
#[derive(Debug)]
pub struct ServiceCharge {
    pub cost: Cost,
    /// Kind and message, where it failed.
    pub failure: Option<(&'static str, String)>,
    pub answer: Option<NewAnswer>,
}

impl Gateway {
    /// Reserves the maximum cost, sends the call, and settles what `charge` returns. Any response of the service, good
    /// or bad, is [`Executed::Answered`].
    ///
    /// # Errors
    /// When the store fails or the lease is lost.
    pub async fn execute_service<T>(
        &self,
        store: &SharedStore,
        call: &ServiceCall<'_>,
        send: impl Future<Output = T>,
        charge: impl FnOnce(&T) -> ServiceCharge,
    ) -> Result<Executed<T>, StoreError> {
        let deadline = CallTimeout { clock: self.parts.clock, timeout: MAX_DURATION };
        let metered = MeteredCall { store, scope: call.scope, deadline, server: None, shown: &(self, call) };
        let close = |received: &Received<T>| match &received.outcome {
            Ok(answer) => {
                let ServiceCharge { cost, failure, answer } = charge(answer);
                Closing { cost, failure, partial_failure: None, answers: answer.into_iter().collect(), vectors: None }
            }
            Err(_) => Closing::at(None, received),
        };
        let exchange = || async { Received::answered_locally(Ok(send.await)) };
        // Boxed, because it contains the search's future.
        let executed = Box::pin(metered.execute(|| self.service_row(call, deadline), exchange, close)).await?;
        if let Executed::NotSent(NotSent::NoBudget(why)) = &executed {
            call.scope.call_state.exhaust(self.parts.budget.policy, call.purpose, why);
        }
        Ok(executed)
    }

    fn service_row(&self, call: &ServiceCall<'_>, deadline: CallTimeout) -> NewCall {
        let &ServiceCall { scope, purpose, .. } = call;
        let id = scope.call_id("", purpose, &[&call.provider, call.words]);
        let operation = ModelRef { provider: call.provider.clone(), model: call.operation.to_owned() };
        let now = self.parts.clock.now();
        let budget = CallBudget {
            reserved_microcredits: call.at_most.map(|amount| amount.0),
            limits: budget::limits(&self.parts.budget, scope, purpose, None, now),
            now,
        };
        NewCall {
            stories: i64::try_from(call.results).unwrap_or(i64::MAX),
            ..ledger::new_call(id, scope, purpose, operation, deadline, budget)
        }
    }
}
