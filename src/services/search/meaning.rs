//! By what a search compares meaning: the weights of `AHA_EMBED_MODEL_DIR`, or a provider's embedding model.
//!
//! Input: a query. Output: its vector. A provider is asked once per query and space, in a metered call, and only if items
//! have vectors of its model.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use aha_analysis::retrieval::NearFrom;
use aha_analysis::static_model::Weights;
use aha_analysis::text::dense::DenseVector;
use aha_analysis::text::space::Space as _;
use aha_llm::embedder::{EmbedRoute, QueryVector};
use tokio::sync::Semaphore;

use super::super::{ErrorKind, Result, ServiceError};
use super::SearchBy;
use crate::app::App;
use crate::embedding_weights;

/// How long a search waits for a provider if it can go by words, and if it cannot. The call goes on: a server then has
/// the vector for the same query.
const MAX_WAIT: Duration = Duration::from_secs(5);
const MAX_WAIT_FOR_MEANING: Duration = Duration::from_secs(30);
/// Queries that a provider embeds at the same time; others go by words.
const MAX_CALLS: usize = 4;
static CALLS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(MAX_CALLS)));
/// Smaller cosines of weights are left out. Of 40 questions about 24 documents (weights of wordllama), 26 have a right
/// passage among the ten nearest, with this limit as without one; 0.25 loses three of them. 8 % of all pairs reach it.
const MIN_COSINE: f32 = 0.2;
/// The same for a provider's model, relative to the cosine of an unrelated text. Not measured with one.
const MIN_ABOVE_UNRELATED: f32 = 0.2;

/// What makes the vectors that a search compares.
#[derive(Debug)]
pub(super) enum Meaning {
    Weights(Arc<Weights>),
    Provider { route: Box<EmbedRoute>, space: String, max_wait: Duration },
}

impl Meaning {
    /// Returns what is set; `None` if only words are to be compared, or can be.
    ///
    /// # Errors
    /// When only meaning is to be compared, and nothing is set for it, or it cannot be used.
    pub(super) async fn of(app: &App, by: SearchBy) -> Result<Option<Self>> {
        let is_needed = match by {
            SearchBy::Words => return Ok(None),
            SearchBy::Both => false,
            SearchBy::Meaning => true,
        };
        match configured(app, if is_needed { MAX_WAIT_FOR_MEANING } else { MAX_WAIT }).await {
            Ok(meaning) if meaning.is_some() || !is_needed => Ok(meaning),
            Ok(_) => Err(unusable("set AHA_EMBED_MODEL_DIR to a folder of weights, or an embedding model")),
            Err(why) if is_needed => Err(unusable(&why)),
            Err(why) => {
                tracing::warn!(%why, "texts are found by their words alone");
                Ok(None)
            }
        }
    }

    /// Returns the space of its vectors.
    pub(super) fn space(&self) -> &str {
        match self {
            Self::Weights(weights) => weights.id(),
            Self::Provider { space, .. } => space,
        }
    }

    pub(super) const fn near_from(&self) -> NearFrom {
        match self {
            Self::Weights(_) => NearFrom::Cosine(MIN_COSINE),
            Self::Provider { .. } => NearFrom::AboveUnrelated(MIN_ABOVE_UNRELATED),
        }
    }

    /// Returns the vector of a passage of a document; `None` if it has none: a provider is not paid for documents.
    pub(super) fn passage_vector(&self, section: &str, text: &str) -> Option<DenseVector> {
        match self {
            Self::Weights(weights) => vector(weights, Some(section), text),
            Self::Provider { .. } => None,
        }
    }

    /// Returns the vector of a query; `None` for a text without a known word.
    ///
    /// # Errors
    /// When a provider makes none in time, or no budget is left.
    pub(super) async fn query_vector(&self, app: &App, query: &str) -> Result<Option<DenseVector>> {
        match self {
            Self::Weights(weights) => Ok(vector(weights, None, query)),
            Self::Provider { route, space, max_wait } => {
                let made = tokio::time::timeout(*max_wait, by_provider(app, route, space, query)).await;
                let late = |_| failed(format!("{} has not answered within {} s", route.model, max_wait.as_secs()));
                made.map_err(late)?.map(Some)
            }
        }
    }
}

/// Whether a search failed because of its provider: by words, it does not.
pub(super) fn is_of_provider(error: &ServiceError) -> bool {
    matches!(error.kind(), ErrorKind::Gateway | ErrorKind::BudgetExhausted)
}

/// Returns what is set; an error is why it cannot be used. With a model for each tier, that of `AHA_BUDGET_TIER` is
/// asked.
async fn configured(app: &App, max_wait: Duration) -> std::result::Result<Option<Meaning>, String> {
    if let Some(weights) = embedding_weights::load(app).await.map_err(|error| error.to_string())? {
        return Ok(Some(Meaning::Weights(weights)));
    }
    let embedder = app.embedder();
    let route = embedder.route(app.config().budget_tier).filter(|_| !embedder.is_dry_run());
    let route = route.cloned().transpose()?;
    Ok(route.map(|route| Meaning::Provider { space: route.space(), route: Box::new(route), max_wait }))
}

/// Returns the error of a search by meaning alone where nothing has a vector.
pub(super) fn no_vectors() -> ServiceError {
    unusable("no item has one of this model; `aha-radar run` makes those of new items and of the week before")
}

fn unusable(why: &str) -> ServiceError {
    ServiceError::invalid("by", format!("searching by meaning needs vectors: {why}"))
}

fn vector(weights: &Weights, title: Option<&str>, text: &str) -> Option<DenseVector> {
    weights.vector(title, text).and_then(|(bytes, _)| DenseVector::from_bytes(&bytes))
}

fn failed(why: String) -> ServiceError {
    ServiceError::Gateway { message: why }
}

async fn by_provider(app: &App, route: &EmbedRoute, space: &str, query: &str) -> Result<DenseVector> {
    let key = format!("{space}\n{query}");
    if let Some(known) = app.query_vectors().get(&key) {
        return Ok(known);
    }
    if let Some(why) = app.query_vectors().recent_failure(space, app.clock().wall()) {
        return Err(failed(why));
    }
    let Ok(call) = Arc::clone(&CALLS).try_acquire_owned() else {
        return Err(failed(format!("{MAX_CALLS} other queries are being embedded")));
    };
    let (of_task, route, space, query) = (app.clone(), route.clone(), space.to_owned(), query.to_owned());
    let made_for = key.clone();
    let calling = async move {
        let _call = call;
        let (tier, vectors) = (of_task.config().budget_tier, of_task.query_vectors());
        let made = of_task.embedder().query_vector(of_task.store(), &route, tier, &query).await;
        let made = made.unwrap_or_else(|error| {
            tracing::error!(%error, "the vector of a query could not be recorded");
            QueryVector::Failed("the database failed; the log says why".to_owned())
        });
        match &made {
            QueryVector::Made(vector) => vectors.put(made_for, vector.clone()),
            QueryVector::Failed(why) => vectors.put_failure(space, why.clone(), of_task.clock().wall()),
            QueryVector::NoBudget(_) => {}
        }
        made
    };
    let calls = app.query_vectors().in_progress();
    match calls.join(key, calling, |call| drop(app.spawn_unless_stopping(call))).await {
        Some(QueryVector::Made(vector)) => Ok(vector),
        Some(QueryVector::Failed(why)) => Err(failed(why)),
        Some(QueryVector::NoBudget(limit)) => Err(ServiceError::no_budget(&limit.why)),
        None if app.is_stopping() => Err(failed("the program is stopping".to_owned())),
        None => Err(ServiceError::Panicked("while a query was embedded".to_owned())),
    }
}
