//! Streams answers to waiting users: plain text piece by piece, or objects line by line.
//!
//! Input: one input of a task that is answered in plain text or in lines. Output: a stream of events, the last of which
//! contains the result. A stored answer is returned again without a call. A caller that drops the stream does not
//! change what is spent: the exchange continues for a limited time, so that its cost reaches the ledger.

mod attempt;
mod collector;
#[cfg(test)]
mod tests;

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use aha_core::model::ModelRef;
use aha_core::topic::BudgetTier;
use aha_store::{OrphanedCalls, SharedStore, StoreError};
use futures::stream::{BoxStream, Stream, StreamExt as _};
use serde_json::{Map, Value};
use thiserror::Error;
use tokio::sync::mpsc::UnboundedSender;

use super::call_scope::CallScope;
use super::error::CallError;
use super::gateway::Gateway;
use super::metered_call::{Executed, NotSent};
use super::retry::{self, Next};
use super::retry_policy::Left;
use super::router::Route;
use super::stream::stream_from;
use super::task_item::{Outcome, TaskItem};
use super::tasks::{AnswerKind, StoredAnswers, Task, TaskInput};
use attempt::{StreamAttempt, StreamAttemptResult};

/// An event of a streamed answer.
#[derive(Debug, Clone, PartialEq)]
pub enum StreamEvent {
    /// A piece of an answer in plain text.
    Text(String),
    /// A line that matches the task's schema.
    Line(Map<String, Value>),
    /// A rejected line, and why.
    BadLine { line: String, error: String },
    /// The text so far was thinking, not an answer.
    Void,
    /// Another attempt begins after a wait. Text so far is void; lines remain valid, and repeated lines are not sent
    /// again.
    Retry {
        /// Its number, from 2.
        attempt: u32,
        after: Duration,
        /// Why the previous attempt failed.
        reason: String,
    },
    /// The last event.
    Finished(StreamedAnswer),
}

/// The result of a streamed answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StreamedAnswer {
    /// The text of an answer in plain text.
    pub text: String,
    /// The lines that match the schema, of an answer in lines.
    pub lines: Vec<Map<String, Value>>,
    /// Number of lines that do not match.
    pub bad_lines: usize,
    pub model: Option<ModelRef>,
    /// The ledger rows of all attempts.
    pub calls: Vec<String>,
    /// Whether it was stored before, so that no call was made.
    pub was_stored: bool,
    /// Why it is incomplete; `None` if it is complete. The lines that are complete are included in any case, but only a
    /// complete answer is stored.
    pub failure: Option<StreamFailure>,
}

/// Why an answer is incomplete.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StreamFailure {
    #[error("{model}: {error}")]
    Provider { model: ModelRef, error: CallError },
    #[error("{0}")]
    NoBudget(String),
    #[error("{0}")]
    NotSent(String),
}

/// The events of one streamed answer, in order. The last is [`StreamEvent::Finished`] with the result, unless the store
/// fails.
pub struct AnswerStream(BoxStream<'static, Result<StreamEvent, StoreError>>);

impl std::fmt::Debug for AnswerStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnswerStream").finish_non_exhaustive()
    }
}

impl Stream for AnswerStream {
    type Item = Result<StreamEvent, StoreError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl AnswerStream {
    /// Returns the result, for callers that do not use the other events.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn finished(mut self) -> Result<StreamedAnswer, StoreError> {
        while let Some(event) = self.0.next().await {
            if let StreamEvent::Finished(answer) = event? {
                return Ok(answer);
            }
        }
        Err(StoreError::Conflict { reason: "the task that reads the answer ended".to_owned() })
    }
}

/// The channel for the events of one stream.
pub(super) type Events = UnboundedSender<Result<StreamEvent, StoreError>>;

/// One input with everything that its attempts need.
struct Streaming {
    gateway: Arc<Gateway>,
    store: SharedStore,
    scope: CallScope,
    item: TaskItem,
    events: Events,
}

impl Gateway {
    /// Executes a task for one input, unless its answer is stored already, and returns events as they occur. The
    /// answer's fingerprint is the hash of the input. The scope is that of a run, or [`Gateway::standalone`].
    #[must_use]
    pub fn stream(self: &Arc<Self>, store: &SharedStore, scope: CallScope, input: TaskInput) -> AnswerStream {
        let (gateway, store) = (Arc::clone(self), Arc::clone(store));
        let item = TaskItem { fingerprint: input.hash(), members: Vec::new(), input };
        AnswerStream(
            stream_from(move |events: Events| async move {
                let streaming = Streaming { gateway, store, scope, item, events };
                let last = streaming.answer().await.map(StreamEvent::Finished);
                let _ = streaming.events.send(last);
            })
            .boxed(),
        )
    }
}

fn of_stored(answer: &Value, call: String) -> StreamedAnswer {
    let lines = answer["lines"].as_array().into_iter().flatten().filter_map(Value::as_object).cloned();
    let name = |field: &str| answer[field].as_str().unwrap_or_default().to_owned();
    StreamedAnswer {
        text: name("text"),
        lines: lines.collect(),
        bad_lines: answer["bad_lines"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0),
        model: Some(ModelRef { provider: name("provider"), model: name("model") }),
        calls: vec![call],
        was_stored: true,
        failure: None,
    }
}

impl Streaming {
    fn task(&self) -> Task {
        self.item.input.task()
    }

    fn send(&self, event: StreamEvent) {
        // The receiver may have been dropped.
        let _ = self.events.send(Ok(event));
    }

    async fn answer(&self) -> Result<StreamedAnswer, StoreError> {
        let task = self.task();
        if !matches!(task.spec().answer, AnswerKind::Text | AnswerKind::Lines(_)) {
            let why = format!("{} is answered by one object, not in a stream", task.as_str());
            return Ok(StreamedAnswer { failure: Some(StreamFailure::NotSent(why)), ..StreamedAnswer::default() });
        }
        if let Some(stored) = self.stored().await? {
            return Ok(stored);
        }
        // Expired reservations of killed processes are settled before this call is admitted.
        self.store.settle_orphaned_calls(OrphanedCalls::Expired(self.gateway.parts.clock.wall())).await?;
        let (tier, chain) = self.gateway.chain(&self.store, task, &self.scope).await?;
        let mut answer = StreamedAnswer::default();
        if chain.is_empty() {
            let why = self.gateway.parts.router.why_no_model(task, self.scope.tier);
            answer.failure = Some(StreamFailure::NotSent(why));
        }
        for route in chain {
            if self.call_model(&route, tier, &mut answer).await? {
                break;
            }
        }
        Ok(answer)
    }

    async fn stored(&self) -> Result<Option<StreamedAnswer>, StoreError> {
        if self.task().spec().stored_answers == StoredAnswers::None {
            return Ok(None);
        }
        let found = self.gateway.stored_answer(&self.store, self.task(), &self.scope, &self.item).await?;
        let Some(Outcome::Answered { answer, call_id }) = found else { return Ok(None) };
        let answer = of_stored(&answer, call_id);
        if !answer.text.is_empty() {
            self.send(StreamEvent::Text(answer.text.clone()));
        }
        answer.lines.iter().cloned().for_each(|line| self.send(StreamEvent::Line(line)));
        Ok(Some(answer))
    }

    /// Calls one model, with the attempts that the task's policy allows. Returns whether no further model is to be
    /// called.
    async fn call_model(
        &self,
        route: &Route,
        tier: BudgetTier,
        answer: &mut StreamedAnswer,
    ) -> Result<bool, StoreError> {
        let parts = &self.gateway.parts;
        let policy = route.retry(&parts.retry_override.unwrap_or(self.task().spec().retry));
        let (mut left, mut note): (Left, Option<String>) = (policy.all(), None);
        answer.model = Some(route.model.clone());
        loop {
            let number = u32::try_from(answer.calls.len()).unwrap_or(u32::MAX).saturating_add(1);
            let executed = self.attempt((route, tier), note.take(), number, answer).await?;
            let error = match executed {
                Executed::Answered(()) => {
                    answer.failure = None;
                    return Ok(true);
                }
                Executed::NotSent(why) => {
                    answer.failure = Some(why.clone().into());
                    return Ok(!matches!(why, NotSent::CircuitOpen { .. }) || !policy.falls_back);
                }
                Executed::Failed(failed) => failed.error,
            };
            let reason = error.to_string();
            let next = retry::next(&policy, left, &error, 1, (parts.jitter)());
            answer.failure = Some(StreamFailure::Provider { model: route.model.clone(), error });
            let after = match next {
                Next::Again { after, left: rest } => {
                    left = rest;
                    after
                }
                Next::Repair { after, left: rest } => {
                    (left, note) = (rest, Some(reason.clone()));
                    after
                }
                Next::AsStream => Duration::ZERO,
                Next::Halves | Next::NextModel | Next::AbandonModel | Next::AbandonProvider => {
                    return Ok(!policy.falls_back);
                }
            };
            self.send(StreamEvent::Retry { attempt: number + 1, after, reason });
            self.scope.call_state.sleep(after).await;
        }
    }

    /// Makes one attempt in a separate task, so that it is settled even if the caller stops reading.
    async fn attempt(
        &self,
        (route, tier): (&Route, BudgetTier),
        note: Option<String>,
        number: u32,
        answer: &mut StreamedAnswer,
    ) -> Result<Executed<()>, StoreError> {
        let attempt = StreamAttempt {
            gateway: Arc::clone(&self.gateway),
            store: Arc::clone(&self.store),
            scope: self.scope.clone(),
            item: self.item.clone(),
            route: route.clone(),
            tier,
            note,
            number,
            earlier: answer.lines.clone(),
            events: self.events.clone(),
        };
        let call_id = attempt.id().to_string();
        let ended = self.gateway.in_flight.spawn(attempt.run()).await;
        let ended = ended.map_err(|_| StoreError::Conflict { reason: "the task of the call ended".to_owned() })?;
        let StreamAttemptResult { executed, has_row, collected } = ended?;
        answer.calls.extend(has_row.then_some(call_id));
        answer.text = collected.text;
        answer.lines = collected.lines;
        answer.bad_lines = collected.bad_lines;
        Ok(executed)
    }
}

impl From<NotSent> for StreamFailure {
    fn from(why: NotSent) -> Self {
        match why {
            NotSent::NoBudget(exhausted) => Self::NoBudget(exhausted.why),
            NotSent::Interrupted => Self::NotSent("the run was interrupted".to_owned()),
            NotSent::CircuitOpen { why, .. } | NotSent::Unusable(why) => Self::NotSent(why),
        }
    }
}
