//! The weights of `AHA_EMBED_MODEL_DIR`, read once a process.

use std::sync::Arc;

use aha_analysis::static_model::Weights;
use aha_analysis::stories::dense::DenseVector;
use aha_analysis::stories::space::Space as _;
use tokio::sync::OnceCell;

use crate::app::App;

static WEIGHTS: OnceCell<Option<Arc<Weights>>> = OnceCell::const_new();

/// `None` where none are set, or they are of no use, which `doctor` explains.
pub(crate) async fn weights(app: &App) -> Option<Arc<Weights>> {
    let folder = app.config().llm.embed_model_dir.clone()?;
    let load = async || match Weights::load(&folder).await {
        Ok(weights) => Some(Arc::new(weights)),
        Err(error) => {
            tracing::warn!(%error, "questions are answered by their words alone");
            None
        }
    };
    WEIGHTS.get_or_init(load).await.clone()
}

/// How alike each text is to another one, from -1 to 1.
pub(crate) fn likeness<'t>(
    weights: &Weights,
    text: &str,
    others: impl Iterator<Item = (Option<&'t str>, &'t str)>,
) -> Vec<f64> {
    let vector = |title, body| weights.vector(title, body).and_then(|(bytes, _)| DenseVector::from_bytes(&bytes));
    let asked = vector(None, text);
    let alike = |(title, body)| asked.as_ref().zip(vector(title, body)).and_then(|(one, other)| one.cosine(&other));
    others.map(|other| alike(other).unwrap_or(0.0)).collect()
}
