//! By what a search compares meaning: the weights of `AHA_EMBED_MODEL_DIR`, or a provider's embedding model.
//!
//! Input: a query. Output: its vector. A provider is asked once per query and space, in a metered call, and only if items
//! have vectors of its model.

use std::sync::Arc;
use std::time::Duration;

use aha_analysis::retrieval::NearFrom;
use aha_analysis::static_model::Weights;
use aha_analysis::text::dense::DenseVector;
use aha_analysis::text::space::Space as _;
use aha_llm::embedder::{EmbedRoute, QueryVector};

use super::super::{ErrorKind, Result, ServiceError};
use super::SearchBy;
use crate::app::App;
use crate::embedding_weights;

/// How long a search waits for a provider. The call goes on: the same query then has its vector.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// Smaller cosines of weights are left out. Of 40 questions about 24 documents (weights of wordllama), 26 have a right
/// passage among the ten nearest, with this limit as without one; 0.25 loses three of them. 8 % of all pairs reach it.
const MIN_COSINE: f32 = 0.2;
/// The same for a provider's model, whose cosines are relative to their median. Not measured with one.
const MIN_ABOVE_MEDIAN: f32 = 0.2;

/// What makes the vectors that a search compares.
#[derive(Debug)]
pub(super) enum Meaning {
    Weights(Arc<Weights>),
    Provider { route: Box<EmbedRoute>, space: String },
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
        match configured(app).await {
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
            Self::Provider { .. } => NearFrom::AboveMedian(MIN_ABOVE_MEDIAN),
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
            Self::Provider { route, space } => by_provider(app, route, space, query).await.map(Some),
        }
    }
}

/// Whether a search failed because of its provider: by words, it does not.
pub(super) fn is_of_provider(error: &ServiceError) -> bool {
    matches!(error.kind(), ErrorKind::Gateway | ErrorKind::BudgetExhausted)
}

/// Returns what is set; an error is why it cannot be used. With a model for each tier, that of `AHA_BUDGET_TIER` is
/// asked.
async fn configured(app: &App) -> std::result::Result<Option<Meaning>, String> {
    if let Some(weights) = embedding_weights::load(app).await.map_err(|error| error.to_string())? {
        return Ok(Some(Meaning::Weights(weights)));
    }
    let embedder = app.embedder();
    let route = embedder.route(app.config().budget_tier).filter(|_| !embedder.is_dry_run());
    let route = route.cloned().transpose()?;
    Ok(route.map(|route| Meaning::Provider { space: route.space(), route: Box::new(route) }))
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

async fn by_provider(app: &App, route: &EmbedRoute, space: &str, query: &str) -> Result<DenseVector> {
    let key = format!("{space}\n{query}");
    if let Some(known) = app.query_vectors().get(&key) {
        return Ok(known);
    }
    let (of_task, route, query, made_for) = (app.clone(), route.clone(), query.to_owned(), key.clone());
    let calling = async move {
        let tier = of_task.config().budget_tier;
        let made = of_task.embedder().query_vector(of_task.store(), &route, tier, &query).await;
        let made = made.unwrap_or_else(|error| QueryVector::Failed(error.to_string()));
        if let QueryVector::Made(vector) = &made {
            of_task.query_vectors().put(made_for, vector.clone());
        }
        made
    };
    let calls = app.query_vectors().in_progress();
    let made = calls.join(key, calling, |call| drop(app.spawn_unless_stopping(call)));
    let failed = |why: &str| ServiceError::Gateway { message: why.to_owned() };
    match tokio::time::timeout(MAX_WAIT, made).await {
        Ok(Some(QueryVector::Made(vector))) => Ok(vector),
        Ok(Some(QueryVector::Failed(why))) => Err(failed(&why)),
        Ok(Some(QueryVector::NoBudget(limit))) => Err(ServiceError::no_budget(&limit.why)),
        Ok(None) => Err(failed("the program is stopping")),
        Err(_) => Err(failed("the embedding model has not answered within 5 s")),
    }
}
