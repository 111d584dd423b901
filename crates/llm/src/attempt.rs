//! One attempt at a task: renders and encodes the request, executes the call and reads the answer.

use aha_core::ids::CallId;
use aha_core::time::Timestamp;
use aha_store::{NewAnswer, SharedStore, StoreError};
use serde_json::Value;

use super::answer;
use super::call_log::Label;
use super::error::CallError;
use super::exchange::{EncodedRequest, drain_to_result};
use super::gateway::{Gateway, Job, key};
use super::metered_call::{Closing, Executed, NotSent, Received};
use super::model_call::ModelCall;
use super::request;
use super::router::{Backend, Route};
use super::schema;
use super::task_item::TaskItem;

/// For each item its stamped answer or what is wrong with it; at least one is good.
pub(super) type Answers = Vec<Result<Value, String>>;

impl Gateway {
    /// Makes one attempt. Also returns the id of the call.
    pub(super) async fn attempt(
        &self,
        store: &SharedStore,
        job: &Job<'_>,
        route: &Route,
        items: &[&TaskItem],
        note: Option<&str>,
        number: i64,
    ) -> Result<(CallId, Executed<Answers>), StoreError> {
        let id = call_id(job, items, number, self.parts.clock.wall());
        let encoded = match self.encoded(job, route, items, note) {
            Ok(encoded) => encoded,
            Err(executed) => return Ok((id, executed)),
        };
        let call = ModelCall {
            id,
            scope: job.scope,
            purpose: job.task.as_str(),
            prompt_id: job.prompt_id,
            route,
            encoded: encoded.as_ref(),
            items: items.len(),
            attempt: number,
            degraded_from: (job.tier != job.scope.tier).then_some(job.scope.tier),
        };
        let send = || self.send(job, route, items, id, encoded.as_ref());
        let close = |received: &Received<Answers>, closing: &mut Closing| {
            if let Ok(answers) = &received.outcome {
                store_answers(job, route, items, answers, closing);
            }
        };
        Ok((id, self.execute(store, &call, send, close).await?))
    }

    fn encoded<'a>(
        &self,
        job: &Job<'_>,
        route: &'a Route,
        items: &[&TaskItem],
        note: Option<&str>,
    ) -> Result<Option<EncodedRequest<'a>>, Executed<Answers>> {
        let Backend::Wire(wire) = &route.backend else { return Ok(None) };
        let inputs: Vec<_> = items.iter().map(|item| &item.input).collect();
        let request =
            request::build(&self.parts.prompts, job.task, route, &self.parts.language, job.tier, &inputs, note)
                .map_err(|error| Executed::NotSent(NotSent::Unusable(error.to_string())))?;
        let encoded = EncodedRequest::new(wire, request).map_err(|error| Executed::Failed(error.into()))?;
        Ok(Some(encoded.within(job.task.spec().timeouts)))
    }

    async fn send(
        &self,
        job: &Job<'_>,
        route: &Route,
        items: &[&TaskItem],
        id: CallId,
        encoded: Option<&EncodedRequest<'_>>,
    ) -> Received<Answers> {
        let Some(encoded) = encoded else {
            return Received::answered_locally(require_good_answer(local_answers(job, route, items)));
        };
        let label = Label { call: id, purpose: job.task.as_str(), items: items.len(), is_lines: false };
        let exchanged = drain_to_result(self.logged_exchange(label, encoded)).await;
        let at_limit = exchanged.reply.at_limit(encoded.request.max_output_tokens);
        let by = route.model.named(exchanged.reply.model.clone());
        Received::of(exchanged, |text| {
            answer::read(job.task, job.prompt_id, &by, items.len(), &text, at_limit).and_then(require_good_answer)
        })
    }
}

/// Returns the id of one attempt. Calls outside a run are distinguished by the system time, because the time given by
/// `AHA_NOW` may not advance.
fn call_id(job: &Job<'_>, items: &[&TaskItem], number: i64, wall: Timestamp) -> CallId {
    let (time, number) = (wall.as_millis().to_string(), number.to_string());
    let mut parts: Vec<&str> = items.iter().map(|item| item.fingerprint.as_str()).collect();
    parts.push(&number);
    let id = job.scope.call_id(&time, job.task.as_str(), &parts);
    // Two searches may return the same post, and both ask about it.
    match job.scope.call_state.count_call(id) {
        0 => id,
        earlier => CallId::of(&[&id.to_string(), &earlier.to_string()]),
    }
}

/// Returns the answers of `local` for each item.
fn local_answers(job: &Job<'_>, route: &Route, items: &[&TaskItem]) -> Answers {
    let stamped = items.iter().map(|item| {
        let local_answer = job.task.spec().local.and_then(|local| local(&item.input));
        let answer = local_answer.ok_or("`local` cannot do this task")?;
        schema::stamp(job.task, job.prompt_id, &route.model, &answer).map_err(|error| error.to_string())
    });
    stamped.collect()
}

/// Turns answers into a failed call when none of them is good.
fn require_good_answer(answers: Answers) -> Result<Answers, CallError> {
    match answers.iter().find_map(|answer| answer.as_ref().err()) {
        Some(why) if answers.iter().all(Result::is_err) => Err(CallError::Invalid(why.clone())),
        _ => Ok(answers),
    }
}

/// Stores the good answers if the task keeps them, and records in the closing how many items got none.
fn store_answers(job: &Job<'_>, route: &Route, items: &[&TaskItem], answers: &Answers, closing: &mut Closing) {
    let is_stored = job.task.spec().stored_answers.includes(route.is_local());
    let stored = items.iter().zip(answers).filter(|_| is_stored).filter_map(|(item, answer)| {
        Some(NewAnswer {
            key: key(job.task, job.tier, job.prompt_id, item),
            provider: route.model.provider.clone(),
            model: route.model.model.clone(),
            input_hash: item.input.hash(),
            answer_json: answer.as_ref().ok()?.to_string(),
            members: item.members.clone(),
        })
    });
    closing.answers = stored.collect();
    let bad: Vec<&String> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    closing.partial_failure =
        bad.first().map(|why| format!("{} of {} stories got no answer: {why}", bad.len(), answers.len()));
}
