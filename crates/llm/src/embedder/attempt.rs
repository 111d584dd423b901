//! One try of a call for vectors: reserve, send, settle. The vectors are stored in the transaction that closes the ledger row.

use std::time::{Instant, SystemTime};

use aha_analysis::stories::dense::DenseVector;
use aha_core::ids::{CallId, ItemId};
use aha_net::redact::Redactor;
use aha_store::{NewCall, NewEmbedding, NewVectors, Settlement, SharedStore, StoreError};

use super::{EmbedJob, EmbedText, Embedder, PREPARATION, PURPOSE, Tried, words};
use crate::budget;
use crate::desk;
use crate::error::CallError;
use crate::estimate;
use crate::ledger::{self, Cost, Deadline};
use crate::provider::EmbedReply;
use crate::transport::{WireRequest, WireResponse};

/// What was exchanged.
struct Exchange {
    reply: EmbedReply,
    latency_ms: i64,
}

impl Embedder {
    /// One try: reserve, send, settle.
    pub(super) async fn attempt(
        &self,
        store: &SharedStore,
        job: &EmbedJob<'_>,
        texts: &[EmbedText],
        tries: i64,
    ) -> Result<Result<(), Tried>, StoreError> {
        let encoded = match job.encoded(texts) {
            Ok(encoded) => encoded,
            Err(error) => return Ok(Err(Tried::Failed(error))),
        };
        let mut turn = match &job.route.traits.pace {
            Some(pace) => Some(pace.turn(estimate::tokens(encoded.body.len())).await),
            None => None,
        };
        let account = job.route.account();
        if let Err(refused) = self.parts.breakers.admit(&account, Instant::now()) {
            return Ok(Err(Tried::LeftAlone(refused)));
        }
        let deadline = Deadline { clock: self.parts.clock, timeout: job.route.timeouts.whole };
        let call = self.new_call(job, texts, &encoded.body, tries, deadline);
        let admitted = desk::admit(store, &job.scope, deadline, &call).await;
        if !matches!(admitted, Ok(None)) {
            self.parts.breakers.forget(&account);
        }
        if let Some(refused) = admitted? {
            return Ok(Err(Tried::Refused(refused)));
        }
        aha_core::failpoint::hit_showing("call.after_reserve", &(self, job, &encoded));
        if let Some(turn) = &mut turn {
            turn.sent();
        }
        let exchange = self.exchange(job, texts, &encoded).await;
        aha_core::failpoint::hit_showing("call.after_answer", &(job, &exchange.reply.outcome.as_ref().err()));
        if let Some(turn) = &mut turn {
            turn.used(exchange.reply.usage);
        }
        self.parts.breakers.tell(&account, exchange.reply.outcome.as_ref().err(), Instant::now());
        let settlement = self.settlement(&call, job, texts, &exchange);
        ledger::settle(store, &job.scope, &settlement).await?;
        Ok(exchange.reply.outcome.map(|_| ()).map_err(Tried::Failed))
    }

    fn new_call(
        &self,
        job: &EmbedJob<'_>,
        texts: &[EmbedText],
        body: &[u8],
        tries: i64,
        deadline: Deadline,
    ) -> NewCall {
        let (scope, now) = (&job.scope, self.parts.clock.now());
        NewCall {
            id: call_id(job, texts, tries),
            run: scope.run,
            topic: scope.topic,
            purpose: PURPOSE,
            provider: job.route.model.provider.clone(),
            model: job.route.model.model.clone(),
            prompt_id: PREPARATION.to_owned(),
            attempt: tries,
            stories: i64::try_from(texts.len()).unwrap_or(i64::MAX),
            degraded_from: None,
            reserved_microcredits: job.route.price.map(|price| ledger::upper_bound(price, body, 0)),
            limits: budget::limits(&self.parts.budget, scope, PURPOSE, None, now),
            started_at: now,
            expires_at: deadline.of_a_call(),
        }
    }

    async fn exchange(&self, job: &EmbedJob<'_>, texts: &[EmbedText], encoded: &WireRequest) -> Exchange {
        let sent = Instant::now();
        let mut reply = match self.send(job, encoded).await {
            Ok(response) => {
                let now = SystemTime::from(self.parts.clock.wall().to_utc());
                job.route.dialect.decode(&job.route.request(&words(texts)), &response, now)
            }
            Err(error) => EmbedReply { outcome: Err(error), usage: None, request_id: None },
        };
        // Once more, of what was read: the bytes may have spelled the key otherwise.
        let redactor = Redactor::of(job.route.server.key.as_ref());
        reply.request_id = reply.request_id.map(|id| redactor.text(id));
        reply.outcome = reply.outcome.map_err(|error| error.in_words(|words| redactor.text(words)));
        // No text takes no tokens: a server that says so does not count.
        reply.usage = reply.usage.filter(|usage| usage.input_tokens > 0);
        reply.outcome = reply.outcome.and_then(|vectors| of_one_length(job, vectors));
        Exchange { reply, latency_ms: i64::try_from(sent.elapsed().as_millis()).unwrap_or(i64::MAX) }
    }

    async fn send(&self, job: &EmbedJob<'_>, request: &WireRequest) -> Result<WireResponse, CallError> {
        let mut response = self.parts.transport.send(request, job.route.timeouts).await?;
        Redactor::of(job.route.server.key.as_ref()).bytes(&mut response.body);
        Ok(response)
    }

    fn settlement(&self, call: &NewCall, job: &EmbedJob<'_>, texts: &[EmbedText], exchange: &Exchange) -> Settlement {
        let reply = &exchange.reply;
        let failure = reply.outcome.as_ref().err();
        let cost = Cost::of(job.route.price, failure, reply.usage);
        let embeddings = reply.outcome.iter().flat_map(|vectors| texts.iter().zip(vectors)).flat_map(stored);
        Settlement {
            call: call.id,
            outcome: cost.outcome(failure.is_some()),
            error: ledger::words(call, cost, failure.map(CallError::told), None),
            input_tokens: reply.usage.map(|usage| usage.input_tokens),
            cached_input_tokens: None,
            output_tokens: reply.usage.map(|usage| usage.output_tokens),
            reasoning_tokens: None,
            cost_microcredits: cost.known(),
            latency_ms: exchange.latency_ms,
            request_id: reply.request_id.clone(),
            finished_at: self.parts.clock.now(),
            answers: Vec::new(),
            vectors: Some(NewVectors { space: job.space.clone(), embeddings: embeddings.collect() }),
        }
    }
}

/// All vectors of a run are of the length of its first.
fn of_one_length(job: &EmbedJob<'_>, vectors: Vec<Vec<f32>>) -> Result<Vec<Vec<f32>>, CallError> {
    let length = vectors.first().map_or(0, Vec::len);
    let wanted = *job.dimensions.get_or_init(|| length);
    if wanted == length {
        return Ok(vectors);
    }
    Err(CallError::Invalid(format!("vectors of {length} numbers came, after others of {wanted}")))
}

fn stored((text, vector): (&EmbedText, &Vec<f32>)) -> Vec<NewEmbedding> {
    let one = |item: &ItemId| NewEmbedding {
        item: *item,
        content_hash: text.content_hash.clone(),
        dimensions: i64::try_from(vector.len()).ok(),
        vector: DenseVector::to_bytes(vector),
    };
    text.items.iter().map(one).collect()
}

/// The id of one try.
fn call_id(job: &EmbedJob<'_>, texts: &[EmbedText], tries: i64) -> CallId {
    let (run, attempt) = (job.scope.run.map(|run| run.to_string()), job.scope.attempt.to_string());
    let tries = tries.to_string();
    let mut parts = vec![run.as_deref().unwrap_or_default(), attempt.as_str(), PURPOSE, job.space.as_str()];
    parts.extend(texts.iter().map(|text| text.content_hash.as_str()));
    parts.push(&tries);
    CallId::of(&parts)
}
