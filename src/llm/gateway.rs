//! Reserve, send, settle: each call is a ledger row, and what it answered is stored in the transaction that closes the row.

use std::time::Instant;

use serde_json::Value;

use crate::clock::Clock;
use crate::domain::ids::{CallId, ItemId, RunId};
use crate::domain::topic::BudgetTier;
use crate::store::{AnswerKey, Lease, NewAnswer, NewCall, Settlement, SharedStore, StoreError};

use super::input::TaskInput;
use super::provider::local;
use super::router::{ModelRef, Router};
use super::schema::{self, SchemaError};
use super::task::Task;

/// One thing to be judged or summarised.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The story's fingerprint: with task, tier, prompt and schema the key of the answer.
    pub fingerprint: String,
    /// The members judged, kept with the answer.
    pub members: Vec<ItemId>,
    pub input: TaskInput,
}

/// On whose behalf a call is made.
#[derive(Debug, Clone)]
pub struct CallScope {
    pub lease: Lease,
    pub run: RunId,
    pub attempt: i64,
    pub tier: BudgetTier,
    /// As pinned on the run.
    pub prompt_id: String,
    /// Ask again although there is an answer (`--rejudge`).
    pub rejudge: bool,
}

/// What became of one ask.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Answered {
        answer: Value,
        call_id: String,
    },
    /// No answer that fits the schema was to be had.
    Failed {
        reason: String,
    },
}

#[derive(Debug)]
pub struct Gateway {
    router: Router,
    clock: Clock,
}

impl Gateway {
    #[must_use]
    pub const fn new(router: Router, clock: Clock) -> Self {
        Self { router, clock }
    }

    /// The stored answer that satisfies an ask, if any. A paid answer satisfies it whatever has changed around the story; a
    /// free one is given anew when its input has changed.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn stored(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
        ask: &Ask,
    ) -> Result<Option<Outcome>, StoreError> {
        if scope.rejudge {
            return Ok(None);
        }
        let chain = self.router.choose(task, scope.tier);
        let Some(stored) = store.answer(&key(task, scope, ask)).await? else { return Ok(None) };
        let accepted = chain.iter().any(|model| model.provider == stored.provider && model.model == stored.model);
        let current = stored.provider != local::PROVIDER || stored.input_hash == ask.input.hash();
        if !accepted || !current {
            return Ok(None);
        }
        let answer = serde_json::from_str(&stored.answer_json)?;
        Ok(Some(Outcome::Answered { answer, call_id: stored.call_id }))
    }

    /// Asks for a batch in one call and stores what fits the schema. One outcome an ask, in order.
    ///
    /// # Errors
    /// When the store fails or the lease is lost; a provider's failure is an [`Outcome`].
    pub async fn call(
        &self,
        store: &SharedStore,
        task: Task,
        scope: &CallScope,
        batch: &[Ask],
    ) -> Result<Vec<Outcome>, StoreError> {
        let Some(model) = self.router.choose(task, scope.tier).into_iter().next() else {
            let reason = format!("no model is configured for {}", task.as_str());
            return Ok(vec![Outcome::Failed { reason }; batch.len()]);
        };
        let call = call_id(task, scope, batch);
        store.reserve_call(&self.new_call(call, task, scope, &model)).await?;
        crate::failpoint::hit("call.after_reserve");
        let sent = Instant::now();
        let answers: Vec<Result<Value, SchemaError>> =
            batch.iter().map(|ask| schema::stamp(task, &scope.prompt_id, &model, &local::answer(&ask.input))).collect();
        let latency_ms = i64::try_from(sent.elapsed().as_millis()).unwrap_or(i64::MAX);
        crate::failpoint::hit("call.after_answer");
        let settlement = self.settlement(call, task, scope, &model, batch, &answers, latency_ms);
        store.settle_call(&scope.lease, &settlement).await?;
        Ok(answers.into_iter().map(|answer| outcome(answer, call)).collect())
    }

    fn new_call(&self, id: CallId, task: Task, scope: &CallScope, model: &ModelRef) -> NewCall {
        NewCall {
            id,
            run: Some(scope.run),
            purpose: task.as_str(),
            provider: model.provider.to_owned(),
            model: model.model.to_owned(),
            prompt_id: scope.prompt_id.clone(),
            attempt: 1,
            reserved_microcredits: Some(0),
            started_at: self.clock.now(),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a settlement is made of all that is known of a call")]
    fn settlement(
        &self,
        call: CallId,
        task: Task,
        scope: &CallScope,
        model: &ModelRef,
        batch: &[Ask],
        answers: &[Result<Value, SchemaError>],
        latency_ms: i64,
    ) -> Settlement {
        let stored = batch.iter().zip(answers).filter_map(|(ask, answer)| {
            Some(NewAnswer {
                key: key(task, scope, ask),
                provider: model.provider.to_owned(),
                model: model.model.to_owned(),
                input_hash: ask.input.hash(),
                answer_json: answer.as_ref().ok()?.to_string(),
                members: ask.members.clone(),
            })
        });
        let failure = answers.iter().find_map(|answer| answer.as_ref().err());
        Settlement {
            call,
            error: failure.map(|error| ("invalid_answer".to_owned(), error.to_string())),
            input_tokens: None,
            output_tokens: None,
            cost_microcredits: Some(0),
            latency_ms,
            finished_at: self.clock.now(),
            answers: stored.collect(),
        }
    }
}

fn key(task: Task, scope: &CallScope, ask: &Ask) -> AnswerKey {
    AnswerKey {
        task: task.as_str(),
        tier: scope.tier,
        prompt_id: scope.prompt_id.clone(),
        schema_version: task.schema_version(),
        fingerprint: ask.fingerprint.clone(),
    }
}

fn call_id(task: Task, scope: &CallScope, batch: &[Ask]) -> CallId {
    let (run, attempt) = (scope.run.to_string(), scope.attempt.to_string());
    let mut parts = vec![run.as_str(), attempt.as_str(), task.as_str()];
    parts.extend(batch.iter().map(|ask| ask.fingerprint.as_str()));
    CallId::of(&parts)
}

fn outcome(answer: Result<Value, SchemaError>, call: CallId) -> Outcome {
    match answer {
        Ok(answer) => Outcome::Answered { answer, call_id: call.to_string() },
        Err(error) => Outcome::Failed { reason: error.to_string() },
    }
}
