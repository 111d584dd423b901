//! One question to a service that charges for it and is no model, such as a search: reserve, have it asked, settle. Its row is on the
//! same ledger, under the same caps, as a model's call.

use std::time::{Duration, Instant};

use aha_core::budget::BudgetPolicy;
use aha_core::ids::CallId;
use aha_core::money::MicroCredits;
use aha_store::{NewAnswer, NewCall, Settlement, SharedStore, StoreError};

use super::budget::{self, UsedUp};
use super::desk;
use super::gateway::{CallScope, Gateway};
use super::ledger::{self, Cost, Deadline, Refused};

/// Longer than a question takes, with the wait for its turn at a host that is asked politely.
const LONGEST: Duration = Duration::from_mins(10);

/// What is asked, and on whose account.
#[derive(Debug)]
pub struct Question<'a> {
    pub scope: &'a CallScope,
    /// As on the ledger.
    pub purpose: &'static str,
    /// The service, as on the ledger.
    pub provider: String,
    /// What of the service is asked; stands where a model's name does.
    pub what: &'static str,
    /// Tells it from the other questions of the same attempt.
    pub words: &'a str,
    /// The most it can cost, if that is known.
    pub at_most: Option<MicroCredits>,
    /// Results wanted.
    pub results: usize,
}

/// What a question has cost, and what is kept of its answer.
#[derive(Debug)]
pub struct Bill {
    pub cost: Cost,
    /// Kind and words, where it failed.
    pub failure: Option<(&'static str, String)>,
    pub answer: Option<NewAnswer>,
}

/// What came of a question.
#[derive(Debug)]
pub enum Paid<T> {
    Asked(T),
    /// It was not asked: the run ends.
    Interrupted,
    /// It was not asked, for want of budget.
    NoBudget(UsedUp),
}

impl Gateway {
    /// Reserves the most it can cost, asks, and settles what `bill` says.
    ///
    /// # Errors
    /// When the store fails or the lease is lost.
    pub async fn pay<T>(
        &self,
        store: &SharedStore,
        question: &Question<'_>,
        ask: impl Future<Output = T>,
        bill: impl FnOnce(&T) -> Bill,
    ) -> Result<Paid<T>, StoreError> {
        let deadline = Deadline { clock: self.parts.clock, timeout: LONGEST };
        let call = self.fee(question, deadline);
        match desk::admit(store, question.scope, deadline, &call).await? {
            None => {}
            Some(Refused::Interrupted) => return Ok(Paid::Interrupted),
            Some(Refused::NoBudget(why)) => {
                let is_last = self.parts.budget.policy == BudgetPolicy::Stop;
                question.scope.call_state.exhaust(question.purpose, &why, is_last);
                return Ok(Paid::NoBudget(why));
            }
        }
        aha_core::failpoint::hit_showing("call.after_reserve", &(self, question));
        let sent = Instant::now();
        let answer = ask.await;
        let Bill { cost, failure, answer: kept } = bill(&answer);
        aha_core::failpoint::hit_showing("call.after_answer", &failure);
        let settlement = Settlement {
            outcome: cost.outcome(failure.is_some()),
            error: ledger::words(&call, cost, failure, None),
            cost_microcredits: cost.known(),
            latency_ms: i64::try_from(sent.elapsed().as_millis()).unwrap_or(i64::MAX),
            answers: kept.into_iter().collect(),
            ..Settlement::without_tokens(call.id, self.parts.clock.now())
        };
        ledger::settle(store, question.scope, &settlement).await?;
        Ok(Paid::Asked(answer))
    }

    fn fee(&self, question: &Question<'_>, deadline: Deadline) -> NewCall {
        let Question { scope, purpose, .. } = question;
        let (run, attempt) = (scope.run.map(|run| run.to_string()).unwrap_or_default(), scope.attempt.to_string());
        let now = self.parts.clock.now();
        NewCall {
            id: CallId::of(&[&run, &attempt, purpose, &question.provider, question.words]),
            run: scope.run,
            topic: scope.topic,
            purpose,
            provider: question.provider.clone(),
            model: question.what.to_owned(),
            prompt_id: scope.prompt_id.clone(),
            attempt: 1,
            stories: i64::try_from(question.results).unwrap_or(i64::MAX),
            degraded_from: None,
            reserved_microcredits: question.at_most.map(|amount| amount.0),
            limits: budget::limits(&self.parts.budget, scope, purpose, None, now),
            started_at: now,
            expires_at: deadline.of_a_call(),
        }
    }
}
