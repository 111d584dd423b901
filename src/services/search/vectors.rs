//! Search by meaning: finds the entries whose vectors are nearest to that of a text.
//!
//! Input: a text and the weights of `AHA_EMBED_MODEL_DIR`. Output: ids of entries. Items have the vectors that the
//! stage `embed` stored; vectors of document passages are computed when the index is loaded. The index stays in memory
//! and is reloaded when the database has other vectors. Called by `search`.

use std::sync::Arc;

use aha_analysis::retrieval::VectorIndex;
use aha_analysis::static_model::Weights;
use aha_analysis::text::dense::DenseVector;
use aha_analysis::text::space::Space as _;
use aha_store::EntryContent;

use super::super::Result;
use crate::app::{App, LoadedVectors};

/// Entries that are read from the database at once.
const PAGE_ENTRIES: i64 = 5_000;
/// How long a loaded index is used before the database is checked for other vectors; the check counts them.
const CHECK_MILLIS: i64 = 60_000;
/// Smaller cosines are left out. Of 40 questions about 24 documents (weights of wordllama), 26 have a right passage
/// among the ten nearest, with this limit as without one; 0.25 loses three of them. 8 % of all pairs reach it.
const MIN_COSINE: f32 = 0.2;

/// Returns at most `limit` entries of similar meaning, nearest first; none for a text without a known word.
///
/// # Errors
/// When the store fails.
pub(crate) async fn nearest(app: &App, weights: &Arc<Weights>, text: &str, limit: usize) -> Result<Vec<i64>> {
    let Some(vector) = vector(weights, None, text) else { return Ok(Vec::new()) };
    let index = index(app, weights).await?;
    let comparing = tokio::task::spawn_blocking(move || index.nearest(&vector, limit, MIN_COSINE));
    Ok(comparing.await?)
}

fn vector(weights: &Weights, title: Option<&str>, text: &str) -> Option<DenseVector> {
    weights.vector(title, text).and_then(|(bytes, _)| DenseVector::from_bytes(&bytes))
}

async fn index(app: &App, weights: &Arc<Weights>) -> Result<Arc<VectorIndex>> {
    let now = app.clock().wall();
    // Concurrent searches wait while the index is loaded.
    let mut cached = app.vector_cache().lock().await;
    if let Some(loaded) = cached.as_ref().filter(|loaded| loaded.space == weights.id())
        && (0..CHECK_MILLIS).contains(&(now.as_millis() - loaded.checked_at.as_millis()))
    {
        return Ok(Arc::clone(&loaded.index));
    }
    let version = app.store().vectors_version(weights.id()).await?;
    if let Some(loaded) = cached.as_mut().filter(|loaded| loaded.space == weights.id() && loaded.version == version) {
        loaded.checked_at = now;
        return Ok(Arc::clone(&loaded.index));
    }
    let index = Arc::new(load(app, weights).await?);
    tracing::debug!(entries = index.len(), "vectors are loaded for search");
    *cached =
        Some(LoadedVectors { space: weights.id().to_owned(), version, checked_at: now, index: Arc::clone(&index) });
    Ok(index)
}

async fn load(app: &App, weights: &Arc<Weights>) -> Result<VectorIndex> {
    let (mut index, mut after) = (VectorIndex::default(), 0);
    loop {
        let page = app.store().entry_vectors(weights.id(), after, PAGE_ENTRIES).await?;
        let Some(last) = page.last() else { return Ok(index) };
        after = last.entry;
        let weights = Arc::clone(weights);
        let adding = tokio::task::spawn_blocking(move || {
            for entry in page {
                let vector = match entry.content {
                    EntryContent::Vector(bytes) => DenseVector::from_bytes(&bytes),
                    EntryContent::Passage { section, text } => vector(&weights, Some(&section), &text),
                };
                if let Some(vector) = vector {
                    index.push(entry.entry, &vector);
                }
            }
            index
        });
        index = adding.await?;
    }
}
