//! The embedding weights of `AHA_EMBED_MODEL_DIR`, loaded once a process.

use std::sync::Arc;

use aha_analysis::static_model::Weights;
use tokio::sync::OnceCell;

use crate::app::App;

static WEIGHTS: OnceCell<Option<Arc<Weights>>> = OnceCell::const_new();

/// Returns the weights. `None` if none are set or they cannot be used, which `doctor` explains.
pub(crate) async fn weights(app: &App) -> Option<Arc<Weights>> {
    let folder = app.config().llm.embed_model_dir.clone()?;
    let load = async || match Weights::load(&folder).await {
        Ok(weights) => Some(Arc::new(weights)),
        Err(error) => {
            tracing::warn!(%error, "questions are answered, and texts found, by their words alone");
            None
        }
    };
    WEIGHTS.get_or_init(load).await.clone()
}
