//! The embedding weights of `AHA_EMBED_MODEL_DIR`, loaded again when the folder's files change.

use std::sync::Arc;

use aha_analysis::static_model::{Weights, WeightsError};

use crate::app::App;

/// Returns the weights; `None` if none are set.
///
/// # Errors
/// Why the folder cannot be used.
pub(crate) async fn load(app: &App) -> Result<Option<Arc<Weights>>, WeightsError> {
    match &app.config().llm.embed_model_dir {
        Some(folder) => app.weights().get(folder, Weights::load(folder)).await.map(Some),
        None => Ok(None),
    }
}

/// Returns the weights. `None` if none are set or they cannot be used, which is logged, and explained by `doctor`.
pub(crate) async fn weights(app: &App) -> Option<Arc<Weights>> {
    load(app).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "questions are answered, and texts found, by their words alone");
        None
    })
}
