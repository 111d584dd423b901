//! Makes vectors for texts. Each call is reserved, sent, settled and retried like any other. The vectors of items are
//! stored with the settlement, by item and text, so that none is paid for twice. Called by the stage `embed`, and for the
//! queries of searches.

mod attempt;
mod query_vector;
mod route;

use std::fmt;
use std::sync::{Arc, OnceLock};

use aha_core::clock::Clock;
use aha_core::digest::Estimate;
use aha_core::ids::ItemId;
use aha_core::money::MicroCredits;
use aha_core::purpose;
use aha_core::time::DAY_MS;
use aha_core::topic::BudgetTier;
use aha_store::{CallFilter, CallRecord, CallState, SharedStore, StoreError};

use super::breaker::Breakers;
use super::budget::ExhaustedLimit;
use super::call_scope::CallScope;
use super::error::{CallError, Decision};
use super::gateway_parts::Jitter;
use super::ledger::upper_bound;
use super::metered_call::{Executed, FailedCall, NotSent};
use super::retry::{self, Next};
use super::retry_policy::RetryPolicy;
use super::transport::{Transport, WireRequest};
use crate::settings::{BudgetSettings, EmbedLimits};

pub use query_vector::QueryVector;
pub use route::{EmbedRoute, EmbedRouter};

/// As in `provider_calls.purpose`.
pub const PURPOSE: &str = purpose::EMBED;

/// How an item's text is prepared before it is sent: title, line break, body. A changed preparation needs a new name,
/// and so makes a new space.
pub const PREPARATION: &str = "text_v1";

/// Days for which a general model that refused to embed is not called again.
const REFUSED_DAYS: i64 = 30;
/// Number of ledger rows searched for such a refusal.
const ROWS: i64 = 50;

/// A text, and the items that have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbedText {
    pub items: Vec<ItemId>,
    pub content_hash: String,
    pub text: String,
}

/// The result of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Embedded {
    /// All have their vectors, except `left_out` texts that the model does not accept.
    Stored {
        left_out: usize,
    },
    Failed(String),
    NoBudget(ExhaustedLimit),
    /// The run ends.
    Interrupted,
}

impl Embedded {
    /// Combines two results: counts are added, and the first failure wins.
    #[must_use]
    pub fn and(self, next: Self) -> Self {
        match (self, next) {
            (Self::Stored { left_out: one }, Self::Stored { left_out: other }) => {
                Self::Stored { left_out: one + other }
            }
            (Self::Stored { .. }, bad) | (bad, _) => bad,
        }
    }
}

/// Dependencies and settings of the embedder.
#[derive(Clone)]
pub struct EmbedderParts {
    pub router: EmbedRouter,
    pub limits: EmbedLimits,
    pub transport: Arc<dyn Transport>,
    pub breakers: Arc<Breakers>,
    pub clock: Clock,
    pub budget: BudgetSettings,
    pub retry: RetryPolicy,
    pub jitter: Jitter,
    /// No call is made; its cost is estimated.
    pub dry_run: bool,
}

impl fmt::Debug for EmbedderParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbedderParts").field("router", &self.router).finish_non_exhaustive()
    }
}

/// Takes texts of items and stores a vector for each, made by the configured embedding model. Built once per process.
#[derive(Debug)]
pub struct Embedder {
    parts: EmbedderParts,
}

/// The state that the calls of one attempt at a run share.
#[derive(Debug)]
pub struct EmbedJob<'a> {
    limits: EmbedLimits,
    pub route: &'a EmbedRoute,
    pub scope: CallScope,
    /// See [`EmbedRoute::space`]; vectors of different lengths in it are not compared.
    pub space: String,
    /// Length of the vectors received so far.
    dimensions: OnceLock<usize>,
    /// Whether the space has earlier vectors. If so, a refusal concerns the texts, not the model.
    pub is_known: bool,
}

impl EmbedJob<'_> {
    /// Maximum texts considered in one run.
    #[must_use]
    pub const fn max_items(&self) -> usize {
        self.limits.max_items_per_run
    }

    /// Number of texts in one call.
    #[must_use]
    pub fn batch_size(&self) -> usize {
        self.route.batch_size(self.limits.batch_size)
    }

    /// Maximum characters of a text that are sent.
    #[must_use]
    pub const fn max_chars(&self) -> usize {
        self.limits.max_input_chars
    }

    fn encoded(&self, texts: &[EmbedText]) -> Result<WireRequest, CallError> {
        let EmbedRoute { dialect, server, .. } = self.route;
        dialect.encode(&self.route.request(&text_slices(texts)), server)
    }

    fn has_vectors(&self) -> bool {
        self.is_known || self.dimensions.get().is_some()
    }
}

impl Embedder {
    #[must_use]
    pub const fn new(parts: EmbedderParts) -> Self {
        Self { parts }
    }

    /// Whether no call is made.
    #[must_use]
    pub const fn is_dry_run(&self) -> bool {
        self.parts.dry_run
    }

    /// Returns the model of a tier, or why it is not called; `None` where none is configured.
    #[must_use]
    pub const fn route(&self, tier: BudgetTier) -> Option<&Result<EmbedRoute, String>> {
        self.parts.router.at(tier)
    }

    #[must_use]
    pub fn job<'a>(&self, route: &'a EmbedRoute, scope: CallScope, is_known: bool) -> EmbedJob<'a> {
        let (limits, space) = (self.parts.limits, route.space());
        EmbedJob { limits, route, scope, space, dimensions: OnceLock::new(), is_known }
    }

    /// Returns why a general model is not called: it refused recently, and has made no vectors, so it makes none. One
    /// that has made some refused a text for what it says.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn refused(&self, store: &SharedStore, job: &EmbedJob<'_>) -> Result<Option<String>, StoreError> {
        if !job.route.is_general || job.is_known {
            return Ok(None);
        }
        let filter = CallFilter { purpose: Some(PURPOSE.to_owned()), limit: ROWS, ..CallFilter::default() };
        let model = &job.route.model;
        let is_of_model = |call: &CallRecord| call.provider == model.provider && call.model == model.model;
        // Outside of runs only queries are embedded, which may be refused for what they say.
        let calls = store.calls(&filter).await?.into_iter().filter(|call| call.run_id.is_some());
        let is_recent = |at| self.parts.clock.now() - at < REFUSED_DAYS * DAY_MS;
        let mut recent = calls.filter(is_of_model).take_while(|call| is_recent(call.started_at)).peekable();
        let has_refused = recent.peek().is_some_and(|last| is_refusal(last.error_kind.as_deref()));
        let error = recent.peek().and_then(|last| last.error.clone());
        let makes_vectors = recent.any(|call| call.state == CallState::Ok);
        Ok(error.filter(|_| has_refused && !makes_vectors))
    }

    /// Estimates the cost of embedding these texts.
    #[must_use]
    pub fn estimate(&self, job: &EmbedJob<'_>, texts: &[EmbedText]) -> Option<Estimate> {
        let (mut bytes, mut total_bound, mut max_bound) = (0, 0, 0);
        for batch in texts.chunks(job.batch_size()) {
            let body = job.encoded(batch).ok()?.body;
            let bound = job.route.price.map_or(0, |price| upper_bound(price, &body, 0));
            bytes += body.len();
            total_bound += bound;
            max_bound = max_bound.max(bound);
        }
        let input_tokens = super::estimate::tokens(bytes);
        (!texts.is_empty()).then(|| Estimate {
            task: PURPOSE.to_owned(),
            model: job.route.model.model.clone(),
            configured: true,
            stories: texts.len(),
            calls: texts.len().div_ceil(job.batch_size()),
            input_tokens,
            output_tokens: 0,
            microcredits: job.route.price.map(|price| price.cost(input_tokens, 0)),
            most_microcredits: job.route.price.map(|_| MicroCredits(total_bound)),
            dearest_microcredits: job.route.price.map(|_| MicroCredits(max_bound)),
        })
    }

    /// Embeds a batch and stores the vectors. When the model has accepted other texts, a refused batch is split in
    /// halves, and a single refused text is left out.
    ///
    /// # Errors
    /// When the store fails or the lease is lost; a provider's failure is an [`Embedded`].
    pub async fn embed(
        &self,
        store: &SharedStore,
        job: &EmbedJob<'_>,
        batch: &[EmbedText],
    ) -> Result<Embedded, StoreError> {
        let (mut queue, mut left_out) = (vec![batch], 0);
        while let Some(texts) = queue.pop() {
            match self.attempts(store, job, texts).await? {
                Executed::Answered(_) => {}
                Executed::NotSent(NotSent::Interrupted) => return Ok(Embedded::Interrupted),
                Executed::NotSent(NotSent::NoBudget(why)) => {
                    job.scope.call_state.exhaust(self.parts.budget.policy, PURPOSE, &why);
                    return Ok(Embedded::NoBudget(why));
                }
                Executed::NotSent(NotSent::CircuitOpen { why, .. } | NotSent::Unusable(why)) => {
                    return Ok(Embedded::Failed(format!("{}: {why}", job.route.model)));
                }
                Executed::Failed(FailedCall { error, .. })
                    if error.decision() == Decision::Split && job.has_vectors() =>
                {
                    if texts.len() == 1 {
                        tracing::warn!(item = ?texts[0].items, %error, "a text that the model does not take");
                        left_out += 1;
                    } else {
                        let (first, second) = texts.split_at(texts.len() / 2);
                        queue.extend([second, first]);
                    }
                }
                Executed::Failed(FailedCall { error, .. }) => {
                    return Ok(Embedded::Failed(format!("{}: {error}", job.route.model)));
                }
            }
        }
        Ok(Embedded::Stored { left_out })
    }

    /// Makes one call, with the retries that its failures allow.
    async fn attempts(
        &self,
        store: &SharedStore,
        job: &EmbedJob<'_>,
        texts: &[EmbedText],
    ) -> Result<Executed<Vec<Vec<f32>>>, StoreError> {
        let policy = job.route.options.retry(&self.parts.retry);
        let mut left = policy.all();
        let mut number = 1;
        loop {
            let executed = self.attempt(store, job, texts, number).await?;
            let Executed::Failed(FailedCall { error, .. }) = &executed else { return Ok(executed) };
            // Decided as for a single story: splitting in halves is up to the caller, not the policy.
            let wait = match retry::next(&policy, left, error, 1, (self.parts.jitter)()) {
                Next::Again { after, left: rest } | Next::Repair { after, left: rest } => {
                    left = rest;
                    after
                }
                Next::AsStream | Next::Halves | Next::NextModel | Next::AbandonModel | Next::AbandonProvider => {
                    return Ok(executed);
                }
            };
            job.scope.call_state.sleep(wait).await;
            number += 1;
        }
    }
}

fn text_slices(texts: &[EmbedText]) -> Vec<&str> {
    texts.iter().map(|text| text.text.as_str()).collect()
}

/// Whether that kind of failure means that the model makes no vectors.
#[must_use]
pub fn is_refusal(error_kind: Option<&str>) -> bool {
    matches!(error_kind, Some("refused_request" | "unknown_model" | "forbidden"))
}
