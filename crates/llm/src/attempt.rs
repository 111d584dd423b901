//! One try of a task: makes the request, buys the answer and reads it.

use aha_core::ids::CallId;
use aha_core::time::Timestamp;
use aha_store::{NewAnswer, SharedStore, StoreError};
use serde_json::Value;

use super::answer;
use super::budget::UsedUp;
use super::error::CallError;
use super::events::Label;
use super::gateway::{Gateway, Job, TaskItem, key};
use super::purchase::{Bought, Exchange, Kept, Order, Sending};
use super::request;
use super::router::{Reach, Route};
use super::schema;
use super::tasks::KeptAnswers;

/// What came of one try.
#[derive(Debug)]
pub(super) enum Attempt {
    /// For each ask its stamped answer, or what is wrong with it; one at least is good.
    Answered {
        call_id: String,
        answers: Answers,
    },
    Failed(CallError),
    /// It cannot even be asked: the prompt cannot be made, or the run ends.
    Unaskable(String),
    /// No budget is left.
    NoBudget(UsedUp),
    /// The server is left alone for a while.
    LeftAlone(String),
}

/// For each ask its stamped answer, or what is wrong with it.
type Answers = Vec<Result<Value, String>>;

/// Why nothing can be sent.
enum Unsendable {
    Request(request::RequestError),
    Encoding(CallError),
}

impl Gateway {
    pub(super) async fn attempt(
        &self,
        store: &SharedStore,
        job: &Job<'_>,
        route: &Route,
        asks: &[&TaskItem],
        note: Option<&str>,
        tries: i64,
    ) -> Result<Attempt, StoreError> {
        let sending = match self.sending(job, route, asks, note) {
            Ok(sending) => sending,
            Err(Unsendable::Request(error)) => return Ok(Attempt::Unaskable(error.to_string())),
            Err(Unsendable::Encoding(error)) => return Ok(Attempt::Failed(error)),
        };
        let id = call_id(job, asks, tries, self.parts.clock.wall());
        let order = Order {
            id,
            scope: job.scope,
            purpose: job.task.as_str(),
            prompt_id: job.prompt_id,
            route,
            sending: sending.as_ref(),
            stories: asks.len(),
            tries,
            degraded_from: (job.tier != job.scope.tier).then_some(job.scope.tier),
        };
        let ask = || self.ask(job, route, asks, id, sending.as_ref());
        Ok(
            match self
                .buy(store, &order, ask, |answers| {
                    answers.map(|answers| keep(job, route, asks, answers)).unwrap_or_default()
                })
                .await?
            {
                Bought::Answered(answers) => Attempt::Answered { call_id: id.to_string(), answers },
                Bought::Failed(error) => Attempt::Failed(error),
                Bought::Unaskable(why) => Attempt::Unaskable(why),
                Bought::NoBudget(why) => Attempt::NoBudget(why),
                Bought::LeftAlone(why) => Attempt::LeftAlone(why),
            },
        )
    }

    fn sending<'a>(
        &self,
        job: &Job<'_>,
        route: &'a Route,
        asks: &[&TaskItem],
        note: Option<&str>,
    ) -> Result<Option<Sending<'a>>, Unsendable> {
        let Reach::Wire(wire) = &route.reach else { return Ok(None) };
        let inputs: Vec<_> = asks.iter().map(|ask| &ask.input).collect();
        let request =
            request::build(&self.parts.prompts, job.task, route, &self.parts.language, job.tier, &inputs, note)
                .map_err(Unsendable::Request)?;
        let encoded = wire.dialect.encode(&request, &wire.server).map_err(Unsendable::Encoding)?;
        Ok(Some(Sending { wire, request, encoded }))
    }

    async fn ask(
        &self,
        job: &Job<'_>,
        route: &Route,
        asks: &[&TaskItem],
        id: CallId,
        sending: Option<&Sending<'_>>,
    ) -> Exchange<Answers> {
        let Some(sending) = sending else {
            let outcome = some_good(answered_here(job, route, asks));
            return Exchange { outcome, usage: None, request_id: None, has_begun: false };
        };
        let label = Label { call: id, purpose: job.task.as_str(), items: asks.len() };
        let exchanged = self.told_exchange(label, sending, &mut |_| ()).await;
        let at_limit = exchanged.reply.at_limit(sending.request.max_output_tokens);
        Exchange::of(exchanged, |text| {
            answer::read(job.task, job.prompt_id, &route.model, asks.len(), &text, at_limit).and_then(some_good)
        })
    }
}

/// The id of one try. What the owner asks by hand has no run, and so is told apart by the machine's time: that of `AHA_NOW` may
/// stand still.
fn call_id(job: &Job<'_>, asks: &[&TaskItem], tries: i64, wall: Timestamp) -> CallId {
    let scope = job.scope;
    let whose = scope.run.map_or_else(|| wall.as_millis().to_string(), |run| run.to_string());
    let (attempt, tries) = (scope.attempt.to_string(), tries.to_string());
    let mut parts = vec![whose.as_str(), attempt.as_str(), job.task.as_str()];
    parts.extend(asks.iter().map(|ask| ask.fingerprint.as_str()));
    parts.push(&tries);
    CallId::of(&parts)
}

/// What `local` says of each ask.
fn answered_here(job: &Job<'_>, route: &Route, asks: &[&TaskItem]) -> Vec<Result<Value, String>> {
    let stamped = asks.iter().map(|ask| {
        let by_rules = job.task.spec().local.and_then(|local| local(&ask.input));
        let answer = by_rules.ok_or("it is not for `local` to say")?;
        schema::stamp(job.task, job.prompt_id, &route.model, &answer).map_err(|error| error.to_string())
    });
    stamped.collect()
}

/// Answers of which none is good are a failed call.
fn some_good(answers: Vec<Result<Value, String>>) -> Result<Vec<Result<Value, String>>, CallError> {
    match answers.iter().find_map(|answer| answer.as_ref().err()) {
        Some(why) if answers.iter().all(Result::is_err) => Err(CallError::Invalid(why.clone())),
        _ => Ok(answers),
    }
}

/// The good answers as far as the task's are kept, and how many there are not.
fn keep(job: &Job<'_>, route: &Route, asks: &[&TaskItem], answers: &Answers) -> Kept {
    let is_kept = match job.task.spec().kept {
        KeptAnswers::All => true,
        KeptAnswers::OfModels => !route.is_local(),
        KeptAnswers::None => false,
    };
    let stored = asks.iter().zip(answers).filter(|_| is_kept).filter_map(|(ask, answer)| {
        Some(NewAnswer {
            key: key(job.task, job.tier, job.prompt_id, ask),
            provider: route.model.provider.clone(),
            model: route.model.model.clone(),
            input_hash: ask.input.hash(),
            answer_json: answer.as_ref().ok()?.to_string(),
            members: ask.members.clone(),
        })
    });
    let bad: Vec<&String> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
    let complaint = bad.first().map(|why| format!("{} of {} stories got no answer: {why}", bad.len(), answers.len()));
    Kept { answers: stored.collect(), complaint }
}
