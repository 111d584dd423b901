//! The state that a process shares. It is built once, where the database is opened (`services::database`, `cli::serve`,
//! `cli::daemon`), and passed down.

mod caches;
mod running;

use std::num::NonZero;
use std::sync::Arc;

use aha_analysis::preferences::Profile;
use aha_analysis::static_model::Weights;
use aha_core::clock::Clock;
use aha_core::failpoint;
use aha_core::ids::TopicId;
use aha_llm::breaker::{BreakerPolicy, Breakers};
use aha_llm::embedder::EmbedRouter;
use aha_llm::prompt::{PromptError, Prompts};
use aha_llm::retry_policy::STANDARD;
use aha_llm::transport::Http;
use aha_llm::{Embedder, EmbedderParts, Gateway, GatewayParts, Jitter, Outcome, Router};
use aha_sentence::SentenceModel;
use aha_store::SharedStore;
use thiserror::Error;
use tokio::sync::{Mutex as AsyncMutex, Semaphore};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::Config;
use crate::key_locks::KeyLocks;
use crate::model_folder::ModelFolder;
use crate::single_flight::SingleFlight;
use crate::sources::Connectors;
use crate::sources::fetch::{FetchConfig, FetchError, Fetcher};
use crate::sources::full_text::Pages;
use crate::sources::pdf_process::PdfReader;

pub use caches::{IndexCheck, IndexCheckCache, LastValues, LoadedVectors, QueryVectors, SourceShares};
pub use running::{RunningTopic, RunningTopics};

/// Store, gateway, embedder, fetcher, connectors, reader of PDF files, clock and settings.
#[derive(Clone)]
pub struct App {
    store: SharedStore,
    gateway: Arc<Gateway>,
    embedder: Arc<Embedder>,
    fetcher: Arc<Fetcher>,
    connectors: Arc<Connectors>,
    pages: Arc<Pages>,
    pdf_reader: PdfReader,
    running: RunningTopics,
    index_checks: IndexCheckCache,
    profile_cache: LastValues<TopicId, Profile>,
    share_cache: LastValues<TopicId, SourceShares>,
    vector_cache: Arc<AsyncMutex<Option<LoadedVectors>>>,
    query_vectors: QueryVectors,
    weights: ModelFolder<Weights>,
    sentence_model: ModelFolder<SentenceModel>,
    feedback_writes: Arc<AsyncMutex<()>>,
    answers_in_progress: SingleFlight<Outcome>,
    pasted_texts_in_progress: KeyLocks,
    background: TaskTracker,
    stopping: CancellationToken,
    processors: Arc<Semaphore>,
    jitter: Jitter,
    config: Arc<Config>,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").field("config", &self.config).finish_non_exhaustive()
    }
}

impl App {
    /// # Errors
    /// When an HTTP client cannot be built or a prompt of the user's cannot be used.
    pub fn new(config: Config, store: SharedStore) -> Result<Self, AppError> {
        let parts = gateway_parts(&config)?;
        Self::with(config, store, parts)
    }

    /// Builds an app that asks no model and spends nothing: see [`GatewayParts::dry_run`].
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn dry_run(config: Config, store: SharedStore) -> Result<Self, AppError> {
        let parts = GatewayParts { dry_run: true, ..gateway_parts(&config)? };
        Self::with(config, store, parts)
    }

    fn with(config: Config, store: SharedStore, parts: GatewayParts) -> Result<Self, AppError> {
        Ok(Self {
            store,
            embedder: Arc::new(Embedder::new(embedder_parts(&config, &parts))),
            jitter: Arc::clone(&parts.jitter),
            gateway: Arc::new(Gateway::new(parts)),
            fetcher: Arc::new(Fetcher::new(fetch_config(&config))?),
            connectors: Arc::new(connectors(&config)),
            pages: Arc::default(),
            pdf_reader: PdfReader::of_this_program(),
            running: RunningTopics::default(),
            index_checks: IndexCheckCache::default(),
            profile_cache: LastValues::default(),
            share_cache: LastValues::default(),
            vector_cache: Arc::default(),
            query_vectors: QueryVectors::default(),
            weights: ModelFolder::default(),
            sentence_model: ModelFolder::default(),
            feedback_writes: Arc::default(),
            answers_in_progress: SingleFlight::default(),
            pasted_texts_in_progress: KeyLocks::default(),
            background: TaskTracker::new(),
            stopping: CancellationToken::new(),
            processors: Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(1, NonZero::get))),
            config: Arc::new(config),
        })
    }

    #[must_use]
    pub fn store(&self) -> &SharedStore {
        &self.store
    }

    #[must_use]
    pub fn gateway(&self) -> &Arc<Gateway> {
        &self.gateway
    }

    #[must_use]
    pub fn embedder(&self) -> &Embedder {
        &self.embedder
    }

    #[must_use]
    pub fn fetcher(&self) -> &Arc<Fetcher> {
        &self.fetcher
    }

    #[must_use]
    pub fn connectors(&self) -> &Connectors {
        &self.connectors
    }

    #[must_use]
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    #[must_use]
    pub const fn pdf_reader(&self) -> &PdfReader {
        &self.pdf_reader
    }

    /// The topics that this process runs or is about to run.
    #[must_use]
    pub const fn running(&self) -> &RunningTopics {
        &self.running
    }

    /// The result of the last check whether the search index is complete.
    #[must_use]
    pub const fn index_checks(&self) -> &IndexCheckCache {
        &self.index_checks
    }

    /// Feedback profiles that can be shown without being computed again.
    #[must_use]
    pub const fn profile_cache(&self) -> &LastValues<TopicId, Profile> {
        &self.profile_cache
    }

    /// Shares of sources that can be shown without being counted again.
    #[must_use]
    pub const fn share_cache(&self) -> &LastValues<TopicId, SourceShares> {
        &self.share_cache
    }

    /// Returns the vectors that searches compare with.
    #[must_use]
    pub const fn vector_cache(&self) -> &Arc<AsyncMutex<Option<LoadedVectors>>> {
        &self.vector_cache
    }

    /// Vectors of the last queries.
    #[must_use]
    pub const fn query_vectors(&self) -> &QueryVectors {
        &self.query_vectors
    }

    /// The weights of `AHA_EMBED_MODEL_DIR`.
    #[must_use]
    pub(crate) const fn weights(&self) -> &ModelFolder<Weights> {
        &self.weights
    }

    /// The model of `AHA_SENTENCE_MODEL_DIR`.
    #[must_use]
    pub(crate) const fn sentence_model(&self) -> &ModelFolder<SentenceModel> {
        &self.sentence_model
    }

    /// Returns the app, on a copy of the other's database, with what the other has loaded, and with its fetcher, whose
    /// limits apply to all requests of a process.
    #[must_use]
    pub fn sharing(self, other: &Self) -> Self {
        Self {
            fetcher: Arc::clone(&other.fetcher),
            connectors: Arc::clone(&other.connectors),
            pages: Arc::clone(&other.pages),
            weights: other.weights.clone(),
            sentence_model: other.sentence_model.clone(),
            ..self
        }
    }

    /// Locked while feedback is read, learnt from and written, so that the profile stored last is of all feedback.
    #[must_use]
    pub const fn feedback_writes(&self) -> &Arc<AsyncMutex<()>> {
        &self.feedback_writes
    }

    /// Answers that a model is writing, by the fingerprint of the question and its passages.
    #[must_use]
    pub const fn answers_in_progress(&self) -> &SingleFlight<Outcome> {
        &self.answers_in_progress
    }

    /// Texts pasted by the user that a model is summarising, by their hash.
    #[must_use]
    pub const fn pasted_texts_in_progress(&self) -> &KeyLocks {
        &self.pasted_texts_in_progress
    }

    /// Starts a task that finishes even if its caller stops waiting, because it may cost something.
    pub fn spawn<F>(&self, task: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        self.background.spawn(task)
    }

    /// Starts such a task, or returns `None` once the process was asked to stop.
    pub fn spawn_unless_stopping<F>(&self, task: F) -> Option<JoinHandle<F::Output>>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        // Counted from before the check, so that `finish_background`, called after `begin_stopping`, waits for the task.
        let _counted = self.background.token();
        (!self.is_stopping()).then(|| self.background.spawn(task))
    }

    /// From now on nothing is started that may cost something.
    pub fn begin_stopping(&self) {
        self.stopping.cancel();
    }

    /// Whether the process was asked to stop.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopping.is_cancelled()
    }

    /// Cancelled once the process was asked to stop: what only computes, or waits for a source, then ends.
    #[must_use]
    pub const fn stopping(&self) -> &CancellationToken {
        &self.stopping
    }

    /// Has a permit for each processor. A question takes one while it is computed.
    #[must_use]
    pub const fn processors(&self) -> &Arc<Semaphore> {
        &self.processors
    }

    /// Waits until those tasks and all model calls in progress have ended.
    pub async fn finish_background(&self) {
        self.background.close();
        self.background.wait().await;
        self.gateway.wait_until_settled().await;
    }

    /// Returns a random number in `0.0..1.0`; always the same one while `AHA_NOW` pins the clock.
    #[must_use]
    pub fn jitter(&self) -> f64 {
        (self.jitter)()
    }

    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    #[must_use]
    pub fn clock(&self) -> Clock {
        self.config.clock
    }
}

/// Returns the source of random waits; while `AHA_NOW` pins the clock, a run repeats exactly, so it is always the same
/// number.
#[expect(clippy::disallowed_methods, reason = "this is where the injected source is made")]
fn jitter(config: &Config) -> Jitter {
    if config.clock.is_pinned() { Arc::new(|| 0.5) } else { Arc::new(rand::random::<f64>) }
}

/// Why the process cannot start.
#[derive(Debug, Error)]
pub enum AppError {
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error(transparent)]
    Prompt(#[from] PromptError),
}

fn gateway_parts(config: &Config) -> Result<GatewayParts, AppError> {
    let router = Router::configured(&config.llm);
    for (model, why) in router.refused() {
        tracing::warn!(%model, %why, "a model is not asked");
    }
    Ok(GatewayParts {
        router,
        prompts: Arc::new(Prompts::load(config.llm.prompts.as_deref())?),
        transport: Arc::new(Http::within(config.llm.egress)),
        clock: config.clock,
        budget: config.budget,
        language: config.llm.language.clone(),
        retry_override: None,
        breakers: Arc::new(Breakers::new(breaker_policy())),
        jitter: jitter(config),
        dry_run: false,
    })
}

fn breaker_policy() -> BreakerPolicy {
    let policy = BreakerPolicy::default();
    BreakerPolicy { pause: failpoint::pause("AHA_CIRCUIT_PAUSE_MS", policy.pause), ..policy }
}

/// Uses the gateway's settings, connections and circuit breakers.
fn embedder_parts(config: &Config, gateway: &GatewayParts) -> EmbedderParts {
    let router = EmbedRouter::configured(&config.llm, &gateway.router);
    if let Some(why) = router.refusal() {
        tracing::warn!(%why, "no vectors are asked for");
    }
    EmbedderParts {
        router,
        limits: config.llm.embed_limits,
        transport: Arc::clone(&gateway.transport),
        breakers: Arc::clone(&gateway.breakers),
        clock: gateway.clock,
        budget: gateway.budget,
        retry: STANDARD,
        jitter: Arc::clone(&gateway.jitter),
        dry_run: gateway.dry_run,
    }
}

/// Builds the connectors from the settings.
#[must_use]
pub fn connectors(config: &Config) -> Connectors {
    Connectors::new(&config.sources.sites, config.sources.reddit.clone(), config.sources.search.clone())
}

/// Builds the fetcher's configuration from the settings.
#[must_use]
pub fn fetch_config(config: &Config) -> FetchConfig {
    FetchConfig {
        allow: config.fetch.allow.clone(),
        host_gap: config.fetch.host_gap,
        concurrency: config.fetch.concurrency,
        proxy: config.fetch.proxy.clone(),
        certificates: config.fetch.certificates.clone(),
        ..FetchConfig::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_clock_pins_the_waits_of_gateway_and_embedder() {
        let now = ("AHA_NOW".to_owned(), "2026-03-02T06:00:00Z".to_owned());
        let config = Config::from_pairs([now].into_iter()).unwrap();
        let parts = gateway_parts(&config).unwrap();
        for jitter in [&parts.jitter, &embedder_parts(&config, &parts).jitter] {
            assert!((0..10).all(|_| jitter().to_bits() == 0.5_f64.to_bits()));
        }
    }
}
