//! One try of a call: reserve, send, settle. What was answered is stored in the transaction that closes the ledger row.

use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;

use super::answer;
use super::budget;
use super::error::{CallError, Charge};
use super::exchange::{Exchanged, exchange};
use super::gateway::{Ask, Gateway, Job, key};
use super::provider::{ModelRequest, Usage, local};
use super::request;
use super::router::{Reach, Route, Wire};
use super::schema;
use super::transport::WireRequest;
use crate::domain::ids::CallId;
use crate::domain::time::Timestamp;
use crate::store::error::Decision;
use crate::store::{CallOutcome, Gone, NewAnswer, NewCall, Reservation, Settlement, SharedStore, StoreError};

/// Tokens that a provider puts around our texts (roles, separators), at most.
const FRAME_TOKENS: i64 = 64;
/// A reservation outlives its call's time-out by this: whoever is still there has settled it by then.
const SETTLING: Duration = Duration::from_secs(30);
/// How often a reservation that has to wait for others is tried.
const WAIT: Duration = Duration::from_millis(50);
/// A paid answer is not given up because the database is busy.
const SETTLE_TRIES: u32 = 5;

/// What came of one try.
#[derive(Debug)]
pub(super) enum Attempt {
    /// For each ask its stamped answer, or what is wrong with it; one at least is good.
    Answered {
        call_id: String,
        answers: Vec<Result<Value, String>>,
    },
    Failed(CallError),
    /// It cannot even be asked: the prompt cannot be made, or the run ends.
    Unaskable(String),
    /// No budget is left.
    NoBudget(String),
}

/// What was exchanged with a model.
struct Exchange {
    outcome: Result<Vec<Result<Value, String>>, CallError>,
    usage: Option<Usage>,
    request_id: Option<String>,
    latency_ms: i64,
}

/// What is sent.
struct Sending<'a> {
    wire: &'a Wire,
    request: ModelRequest,
    encoded: WireRequest,
}

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
        asks: &[&Ask],
        note: Option<&str>,
        tries: i64,
    ) -> Result<Attempt, StoreError> {
        let sending = match self.sending(job, route, asks, note) {
            Ok(sending) => sending,
            Err(Unsendable::Request(error)) => return Ok(Attempt::Unaskable(error.to_string())),
            Err(Unsendable::Encoding(error)) => return Ok(Attempt::Failed(error)),
        };
        let call = self.new_call(job, route, asks, sending.as_ref(), tries);
        if let Some(refused) = self.admit(store, job, route, &call).await? {
            return Ok(refused);
        }
        crate::failpoint::hit("call.after_reserve");
        let exchange = self.exchange(job, route, asks, sending).await;
        crate::failpoint::hit("call.after_answer");
        let settlement = self.settlement(&call, job, route, asks, &exchange);
        settle(store, job, &settlement).await?;
        Ok(match exchange.outcome {
            Ok(answers) => Attempt::Answered { call_id: call.id.to_string(), answers },
            Err(error) => Attempt::Failed(error),
        })
    }

    fn sending<'a>(
        &self,
        job: &Job<'_>,
        route: &'a Route,
        asks: &[&Ask],
        note: Option<&str>,
    ) -> Result<Option<Sending<'a>>, Unsendable> {
        let Reach::Wire(wire) = &route.reach else { return Ok(None) };
        let inputs: Vec<_> = asks.iter().map(|ask| &ask.input).collect();
        let request = request::build(&self.parts.prompts, job.task, route, &self.parts.language, &inputs, note)
            .map_err(Unsendable::Request)?;
        let encoded = wire.dialect.encode(&request, &wire.server).map_err(Unsendable::Encoding)?;
        Ok(Some(Sending { wire, request, encoded }))
    }

    fn new_call(&self, job: &Job<'_>, route: &Route, asks: &[&Ask], sending: Option<&Sending>, tries: i64) -> NewCall {
        let (scope, clock) = (job.scope, self.parts.clock);
        let reserved = match sending {
            Some(sending) => route.price.map(|price| {
                // A token is a byte at least, so the body's bytes are an upper bound whatever the tokenizer.
                let input = i64::try_from(sending.encoded.body.len()).unwrap_or(i64::MAX).saturating_add(FRAME_TOKENS);
                price.cost(input, i64::from(sending.request.max_output_tokens)).0
            }),
            None => Some(0),
        };
        let limits = match sending {
            Some(_) => budget::limits(&self.parts.budget, scope, job.task, route, clock.now()),
            None => Vec::new(),
        };
        NewCall {
            id: call_id(job, asks, tries, clock.wall()),
            run: scope.run,
            topic: scope.topic,
            purpose: job.task.as_str(),
            provider: route.model.provider.clone(),
            model: route.model.model.clone(),
            prompt_id: job.prompt_id.to_owned(),
            attempt: tries,
            stories: i64::try_from(asks.len()).unwrap_or(i64::MAX),
            degraded_from: (job.tier != scope.tier).then_some(scope.tier),
            reserved_microcredits: reserved,
            limits,
            started_at: clock.now(),
            expires_at: self.expiry(route),
        }
    }

    /// When a call reserved now must have ended.
    fn expiry(&self, route: &Route) -> Timestamp {
        let lifetime = i64::try_from((route.longest() + SETTLING).as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.parts.clock.wall().as_millis().saturating_add(lifetime))
    }

    /// Reserves, waiting for calls under way where they are all that stands in the way. `None` when the call may be sent.
    async fn admit(
        &self,
        store: &SharedStore,
        job: &Job<'_>,
        route: &Route,
        call: &NewCall,
    ) -> Result<Option<Attempt>, StoreError> {
        let gate = &job.scope.gate;
        let _turn = if call.limits.is_empty() { None } else { Some(gate.turn.lock().await) };
        loop {
            if gate.is_closed() {
                return Ok(Some(Attempt::Unaskable("the run was interrupted".to_owned())));
            }
            if let Some(why) = gate.exhausted(job.task).filter(|_| !call.limits.is_empty()) {
                return Ok(Some(Attempt::NoBudget(why)));
            }
            // A call that had to wait is not given less time for it.
            let call = NewCall { expires_at: self.expiry(route), ..call.clone() };
            match store.reserve_call(job.scope.lease.as_ref(), &call).await? {
                Reservation::Reserved => return Ok(None),
                Reservation::Exhausted(exhausted) => return Ok(Some(Attempt::NoBudget(budget::words(&exhausted)))),
                Reservation::Wait => {
                    store.sweep_calls(Gone::Expired(self.parts.clock.wall())).await?;
                    tokio::time::sleep(WAIT).await;
                }
            }
        }
    }

    async fn exchange(&self, job: &Job<'_>, route: &Route, asks: &[&Ask], sending: Option<Sending<'_>>) -> Exchange {
        let sent = Instant::now();
        let (outcome, usage, request_id) = match sending {
            Some(sending) => self.ask(job, route, asks.len(), &sending).await,
            None => (Ok(answered_here(job, route, asks)), None, None),
        };
        let latency_ms = i64::try_from(sent.elapsed().as_millis()).unwrap_or(i64::MAX);
        Exchange { outcome: outcome.and_then(some_good), usage, request_id, latency_ms }
    }

    async fn ask(
        &self,
        job: &Job<'_>,
        route: &Route,
        asks: usize,
        sending: &Sending<'_>,
    ) -> (Result<Vec<Result<Value, String>>, CallError>, Option<Usage>, Option<String>) {
        let Sending { wire, request, encoded } = sending;
        let now = SystemTime::from(self.parts.clock.wall().to_utc());
        let Exchanged { reply, .. } = exchange(&*self.parts.transport, wire, request, encoded, now, &mut |_| ()).await;
        let read =
            |text: String| answer::read(job.task, job.prompt_id, &route.model, asks, &text, request.max_output_tokens);
        (reply.outcome.and_then(read), reply.usage, reply.request_id)
    }

    fn settlement(
        &self,
        call: &NewCall,
        job: &Job<'_>,
        route: &Route,
        asks: &[&Ask],
        exchange: &Exchange,
    ) -> Settlement {
        let cost = cost(route, exchange);
        let outcome = match (&exchange.outcome, cost) {
            (_, Cost::Unknown) => CallOutcome::Unsettled,
            (Ok(_), _) => CallOutcome::Ok,
            (Err(_), _) => CallOutcome::Error,
        };
        let cost = match cost {
            Cost::Known(amount) => Some(amount),
            Cost::Unknown | Cost::Unpriced => None,
        };
        let stored =
            exchange.outcome.iter().flat_map(|answers| asks.iter().zip(answers)).filter_map(|(ask, answer)| {
                Some(NewAnswer {
                    key: key(job.task, job.tier, job.prompt_id, ask),
                    provider: route.model.provider.clone(),
                    model: route.model.model.clone(),
                    input_hash: ask.input.hash(),
                    answer_json: answer.as_ref().ok()?.to_string(),
                    members: ask.members.clone(),
                })
            });
        let usage = exchange.usage;
        Settlement {
            call: call.id,
            outcome,
            error: words(call, outcome, cost, exchange),
            input_tokens: usage.map(|usage| usage.input_tokens),
            cached_input_tokens: usage.and_then(|usage| usage.cached_input_tokens),
            output_tokens: usage.map(|usage| usage.output_tokens),
            reasoning_tokens: usage.and_then(|usage| usage.reasoning_tokens),
            cost_microcredits: cost,
            latency_ms: exchange.latency_ms,
            request_id: exchange.request_id.clone(),
            finished_at: self.parts.clock.now(),
            answers: stored.collect(),
        }
    }
}

/// The id of one try. What the owner asks by hand has no run, and so is told apart by the machine's time: that of `AHA_NOW` may
/// stand still.
fn call_id(job: &Job<'_>, asks: &[&Ask], tries: i64, wall: Timestamp) -> CallId {
    let scope = job.scope;
    let whose = scope.run.map_or_else(|| wall.as_millis().to_string(), |run| run.to_string());
    let (attempt, tries) = (scope.attempt.to_string(), tries.to_string());
    let mut parts = vec![whose.as_str(), attempt.as_str(), job.task.as_str()];
    parts.extend(asks.iter().map(|ask| ask.fingerprint.as_str()));
    parts.push(&tries);
    CallId::of(&parts)
}

/// What `local` says of each ask.
fn answered_here(job: &Job<'_>, route: &Route, asks: &[&Ask]) -> Vec<Result<Value, String>> {
    let stamped = asks.iter().map(|ask| {
        let answer = local::answer(&ask.input).ok_or("it is not for `local` to say")?;
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

/// What a call has cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cost {
    Known(i64),
    /// Perhaps what was reserved.
    Unknown,
    /// Nobody knows the price.
    Unpriced,
}

fn cost(route: &Route, exchange: &Exchange) -> Cost {
    if matches!(&exchange.outcome, Err(error) if exchange.usage.is_none() && error.charge() == Charge::Nothing) {
        return Cost::Known(0);
    }
    match (route.price, exchange.usage) {
        (None, _) => Cost::Unpriced,
        (Some(price), _) if price.is_free() => Cost::Known(0),
        (Some(price), Some(usage)) => Cost::Known(price.cost(usage.input_tokens, usage.output_tokens).0),
        (Some(_), None) => Cost::Unknown,
    }
}

/// What a row says in words: why it failed, what is missing from it, and whether it cost more than can be.
fn words(call: &NewCall, outcome: CallOutcome, cost: Option<i64>, exchange: &Exchange) -> Option<(String, String)> {
    let mut words = match &exchange.outcome {
        Err(error) if outcome == CallOutcome::Unsettled => format!("{}: {error}", error.kind()),
        Err(error) => error.to_string(),
        Ok(answers) => {
            let bad: Vec<&String> = answers.iter().filter_map(|answer| answer.as_ref().err()).collect();
            match bad.first() {
                Some(why) => format!("{} of {} stories got no answer: {why}", bad.len(), answers.len()),
                None if outcome == CallOutcome::Unsettled => "the answer tells no usage that can be true".to_owned(),
                None => String::new(),
            }
        }
    };
    if let (Some(cost), Some(reserved)) = (cost, call.reserved_microcredits)
        && cost > reserved
    {
        tracing::error!(call = %call.id, cost, reserved, "a call cost more than was reserved for it");
        words = format!("it cost more than was reserved for it; {words}");
    }
    let kind = exchange.outcome.as_ref().err().map_or("", CallError::kind);
    (!words.is_empty()).then(|| (kind.to_owned(), words))
}

async fn settle(store: &SharedStore, job: &Job<'_>, settlement: &Settlement) -> Result<(), StoreError> {
    let mut tries = 1;
    loop {
        match store.settle_call(job.scope.lease.as_ref(), settlement).await {
            Err(error) if error.decision() == Decision::Retry && tries < SETTLE_TRIES => {
                tracing::warn!(%error, call = %settlement.call, "the call is settled again in a moment");
                tokio::time::sleep(Duration::from_secs(1 << tries)).await;
                tries += 1;
            }
            other => return other,
        }
    }
}
