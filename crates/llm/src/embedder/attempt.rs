//! One attempt at an embedding call. The vectors are stored in the transaction that closes the ledger row.

use std::time::SystemTime;

use aha_analysis::text::dense::DenseVector;
use aha_core::ids::{CallId, ItemId};
use aha_store::{NewCall, NewEmbedding, NewVectors, SharedStore, StoreError};

use super::{EmbedJob, EmbedText, Embedder, PREPARATION, PURPOSE, text_slices};
use crate::budget;
use crate::error::CallError;
use crate::estimate;
use crate::ledger::{self, CallBudget};
use crate::ledger_writer::CallTimeout;
use crate::metered_call::{Closing, Executed, MeteredCall, Received, ServerLimits};
use crate::provider::{EmbedReply, Secrets};
use crate::transport::{WireRequest, WireResponse};

impl Embedder {
    pub(super) async fn attempt(
        &self,
        store: &SharedStore,
        job: &EmbedJob<'_>,
        texts: &[EmbedText],
        number: i64,
    ) -> Result<Executed<Vec<Vec<f32>>>, StoreError> {
        let encoded = match job.encoded(texts) {
            Ok(encoded) => encoded,
            Err(error) => return Ok(Executed::Failed(error.into())),
        };
        let server = ServerLimits {
            breakers: &self.parts.breakers,
            account: job.route.account(),
            model: &job.route.model.model,
            limiter: job
                .route
                .options
                .limiter
                .as_deref()
                .map(|limiter| (limiter, estimate::tokens(encoded.body.len()))),
        };
        let deadline = CallTimeout { clock: self.parts.clock, timeout: job.route.timeouts.whole };
        let shown = &(self, job, &encoded);
        let metered = MeteredCall { store, scope: &job.scope, deadline, server: Some(server), shown };
        let new_call = || self.new_call(job, texts, &encoded.body, number, deadline);
        let send = || self.exchange(job, texts, &encoded);
        metered.execute(new_call, send, |received| closing(job, texts, received)).await
    }

    fn new_call(
        &self,
        job: &EmbedJob<'_>,
        texts: &[EmbedText],
        body: &[u8],
        number: i64,
        deadline: CallTimeout,
    ) -> NewCall {
        let (scope, model, now) = (&job.scope, job.route.model.clone(), self.parts.clock.now());
        let budget = CallBudget {
            reserved_microcredits: job.route.price.map(|price| ledger::upper_bound(price, body, 0)),
            limits: budget::limits(&self.parts.budget, scope, PURPOSE, None, now),
            now,
        };
        NewCall {
            prompt_id: PREPARATION.to_owned(),
            attempt: number,
            stories: i64::try_from(texts.len()).unwrap_or(i64::MAX),
            ..ledger::new_call(call_id(job, texts, number), scope, PURPOSE, model, deadline, budget)
        }
    }

    async fn exchange(
        &self,
        job: &EmbedJob<'_>,
        texts: &[EmbedText],
        encoded: &WireRequest,
    ) -> Received<Vec<Vec<f32>>> {
        let mut reply = match self.send(job, encoded).await {
            Ok(response) => {
                let now = SystemTime::from(self.parts.clock.wall().to_utc());
                job.route.dialect.decode(&job.route.request(&text_slices(texts)), &response, now)
            }
            Err(error) => EmbedReply { outcome: Err(error), usage: None, request_id: None },
        };
        // Redacted again after decoding: the raw bytes may have contained the key in an escaped form.
        let secrets = Secrets::of(&job.route.server);
        reply.request_id = reply.request_id.map(|id| secrets.text(id));
        reply.outcome = reply.outcome.map_err(|error| error.map_message(|words| secrets.text(words)));
        // Every text takes tokens, so a usage of zero is not a count.
        reply.usage = reply.usage.filter(|usage| usage.input_tokens > 0 && usage.is_plausible());
        reply.outcome = reply.outcome.and_then(|vectors| of_one_length(job, vectors));
        let EmbedReply { outcome, usage, request_id } = reply;
        Received { outcome, usage, request_id, model: None, has_begun: false }
    }

    async fn send(&self, job: &EmbedJob<'_>, request: &WireRequest) -> Result<WireResponse, CallError> {
        let mut response = self.parts.transport.send(request, job.route.timeouts).await?;
        job.route.server.redact(&mut response);
        Ok(response)
    }
}

fn closing(job: &EmbedJob<'_>, texts: &[EmbedText], received: &Received<Vec<Vec<f32>>>) -> Closing {
    let embeddings = received.outcome.iter().flat_map(|vectors| texts.iter().zip(vectors)).flat_map(stored);
    let embeddings: Vec<NewEmbedding> = embeddings.collect();
    // The text of a query has no item.
    let vectors = (!embeddings.is_empty()).then(|| NewVectors { space: job.space.clone(), embeddings });
    Closing { vectors, ..Closing::at(job.route.price, received) }
}

/// Checks that all vectors of a run have the length of its first.
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

/// Returns the id of one attempt.
fn call_id(job: &EmbedJob<'_>, texts: &[EmbedText], number: i64) -> CallId {
    let number = number.to_string();
    let mut parts = vec![job.space.as_str()];
    parts.extend(texts.iter().map(|text| text.content_hash.as_str()));
    parts.push(&number);
    job.scope.call_id("", PURPOSE, &parts)
}
