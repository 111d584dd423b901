//! One attempt at a streamed answer. It is settled whether or not a caller still reads it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use aha_core::ids::CallId;
use aha_core::topic::BudgetTier;
use aha_store::{NewAnswer, SharedStore, StoreError};
use serde_json::{Map, Value, json};

use super::Events;
use super::collector::{Collected, Collector};
use crate::call_log::{self, Label};
use crate::call_scope::CallScope;
use crate::error::CallError;
use crate::exchange::{EncodedRequest, read_while_awaited};
use crate::gateway::{Gateway, key};
use crate::metered_call::{Closing, Executed, NotSent, Received};
use crate::model_call::ModelCall;
use crate::request;
use crate::router::{Backend, Route};
use crate::schema;
use crate::task_item::TaskItem;
use crate::tasks::{AnswerKind, Task};

/// All data of an attempt, so that it can run in a separate task.
pub(super) struct StreamAttempt {
    pub(super) gateway: Arc<Gateway>,
    pub(super) store: SharedStore,
    pub(super) scope: CallScope,
    pub(super) item: TaskItem,
    pub(super) route: Route,
    /// The tier of the call.
    pub(super) tier: BudgetTier,
    /// What was wrong with the last answer.
    pub(super) note: Option<String>,
    /// From 1.
    pub(super) number: u32,
    /// Lines of earlier attempts.
    pub(super) earlier: Vec<Map<String, Value>>,
    pub(super) events: Events,
}

/// The result of an attempt.
pub(super) struct StreamAttemptResult {
    pub(super) executed: Executed<()>,
    /// Whether it has a ledger row. A call that was not sent has none.
    pub(super) has_row: bool,
    pub(super) collected: Collected,
}

impl StreamAttempt {
    fn task(&self) -> Task {
        self.item.input.task()
    }

    pub(super) fn id(&self) -> CallId {
        let (model, number) = (self.route.model.to_string(), self.number.to_string());
        self.scope.call_id("", self.task().as_str(), &[&self.item.fingerprint, &model, &number])
    }

    pub(super) async fn run(self) -> Result<StreamAttemptResult, StoreError> {
        let collector = Mutex::new(Collector::of(self.task(), self.id(), self.earlier.clone(), self.events.clone()));
        let prompt_id = self.gateway.parts.prompts.id(self.task()).to_owned();
        let (executed, has_row) = match self.encoded() {
            Err(executed) => (executed, false),
            Ok(encoded) => {
                let call = ModelCall {
                    id: self.id(),
                    scope: &self.scope,
                    purpose: self.task().as_str(),
                    prompt_id: &prompt_id,
                    route: &self.route,
                    encoded: encoded.as_ref(),
                    items: 1,
                    attempt: i64::from(self.number),
                    degraded_from: (self.tier != self.scope.tier).then_some(self.scope.tier),
                };
                let send = || self.send(encoded.as_ref(), &collector);
                let close = |received: &Received<()>, closing: &mut Closing| {
                    self.close(&prompt_id, received, &locked(&collector).collected, closing);
                };
                let executed = self.gateway.execute(&self.store, &call, send, close).await?;
                let has_row = !matches!(executed, Executed::NotSent(_));
                (executed, has_row)
            }
        };
        let collected = collector.into_inner().unwrap_or_else(PoisonError::into_inner).collected;
        Ok(StreamAttemptResult { executed, has_row, collected })
    }

    fn encoded(&self) -> Result<Option<EncodedRequest<'_>>, Executed<()>> {
        let Backend::Wire(wire) = &self.route.backend else { return Ok(None) };
        let Gateway { parts, .. } = &*self.gateway;
        let (inputs, note) = ([&self.item.input], self.note.as_deref());
        let built = request::build(&parts.prompts, self.task(), &self.route, &parts.language, self.tier, &inputs, note);
        let mut request = built.map_err(|error| Executed::NotSent(NotSent::Unusable(error.to_string())))?;
        request.stream = true;
        let encoded = EncodedRequest::new(wire, request).map_err(|error| Executed::Failed(error.into()))?;
        Ok(Some(encoded.within(self.task().spec().timeouts)))
    }

    async fn send(&self, encoded: Option<&EncodedRequest<'_>>, collector: &Mutex<Collector>) -> Received<()> {
        let Some(encoded) = encoded else {
            self.answer_locally(collector);
            locked(collector).finish(false);
            return Received::answered_locally(self.read(&locked(collector).collected));
        };
        let is_lines = matches!(self.task().spec().answer, AnswerKind::Lines(_));
        let (items, purpose) = (self.item.input.parts(), self.task().as_str());
        let label = Label { call: self.id(), purpose, items, is_lines };
        let begun = Instant::now();
        let exchange = self.gateway.logged_exchange(label, encoded);
        let on_text = |piece: String| locked(collector).push(&piece);
        let mut exchanged = read_while_awaited(exchange, on_text, &self.events, encoded.timeouts).await;
        let is_empty =
            matches!(exchanged.reply.outcome, Err(CallError::Invalid(_))) && exchanged.streamed.trim().is_empty();
        let ends_at_line = exchanged.may_be_whole && locked(collector).is_at_line_end();
        locked(collector).finish(exchanged.reply.outcome.is_err() && !ends_at_line);
        // By the contract of the journal's answers, a closed connection ends them: no final event is needed. Without a
        // line of this attempt, it cannot be distinguished from a server that stopped before it answered.
        let is_closed = ends_at_line && locked(collector).collected.good_lines > 0;
        if is_lines && (is_empty || is_closed) {
            // With a final event, an empty list of lines is a valid answer.
            exchanged.reply.outcome = Ok(String::new());
        }
        if is_lines {
            call_log::completed(self.id(), locked(collector).collected.good_lines, begun, &exchanged);
        }
        Received::of(exchanged, |_| self.read(&locked(collector).collected))
    }

    /// Feeds the answer of `local` to the collector, as if a model had sent it.
    fn answer_locally(&self, collector: &Mutex<Collector>) {
        match self.task().spec().local.and_then(|local| local(&self.item.input)) {
            Some(Value::String(text)) => locked(collector).push(&text),
            Some(Value::Array(lines)) => lines.iter().for_each(|line| locked(collector).push(&format!("{line}\n"))),
            Some(_) | None => {}
        }
    }

    /// Checks whether what this attempt gave is an answer. Lines of earlier attempts do not make it one.
    fn read(&self, collected: &Collected) -> Result<(), CallError> {
        let why = match self.task().spec().answer {
            AnswerKind::Lines(_) if collected.good_lines > 0 => None,
            AnswerKind::Lines(_) => collected.first_bad.clone(),
            AnswerKind::Object(_) | AnswerKind::FirstObject(_) | AnswerKind::Batch(_) | AnswerKind::Text => {
                collected.text.is_empty().then(|| "the answer is empty".to_owned())
            }
        };
        why.map_or(Ok(()), |why| Err(CallError::Invalid(why)))
    }

    fn close(&self, prompt_id: &str, received: &Received<()>, collected: &Collected, closing: &mut Closing) {
        if let Some(why) = &collected.first_bad {
            closing.partial_failure = Some(match collected.bad_lines {
                1 => format!("1 line could not be used: {why}"),
                lines => format!("{lines} lines could not be used, the first: {why}"),
            });
        }
        let (task, model) = (self.task(), &self.route.model);
        if received.outcome.is_err() || !task.spec().stored_answers.includes(self.route.is_local()) {
            return;
        }
        let by = model.named(received.model.clone());
        let stamped = match task.spec().answer {
            AnswerKind::Lines(_) => {
                let lines = json!({ "lines": collected.lines, "bad_lines": collected.bad_lines });
                Ok(schema::stamped(task, prompt_id, &by, &lines))
            }
            AnswerKind::Object(_) | AnswerKind::FirstObject(_) | AnswerKind::Batch(_) | AnswerKind::Text => {
                schema::stamp(task, prompt_id, &by, &json!({ "text": collected.text }))
            }
        };
        closing.answers.extend(stamped.ok().map(|answer| NewAnswer {
            key: key(task, self.tier, prompt_id, &self.item),
            provider: model.provider.clone(),
            model: model.model.clone(),
            input_hash: self.item.input.hash(),
            answer_json: answer.to_string(),
            members: self.item.members.clone(),
        }));
    }
}

fn locked(collector: &Mutex<Collector>) -> MutexGuard<'_, Collector> {
    collector.lock().unwrap_or_else(PoisonError::into_inner)
}
