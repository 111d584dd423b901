//! Search by meaning: finds the entries whose vectors are nearest to that of a text.
//!
//! Input: a text, and what makes vectors ([`Meaning`]). Output: ids of entries. Items have the vectors that the stage
//! `embed` stored; vectors of document passages are computed from weights when the index is loaded. The index stays in
//! memory and is reloaded when the database has other vectors. Called by `search`.

use std::sync::Arc;

use aha_analysis::retrieval::VectorIndex;
use aha_analysis::text::dense::DenseVector;
use aha_store::EntryContent;

use super::super::Result;
use super::meaning::Meaning;
use crate::app::{App, LoadedVectors};

/// Entries that are read from the database at once.
const PAGE_ENTRIES: i64 = 5_000;
/// How long a loaded index is used before the database is checked for other vectors; the check counts them.
const CHECK_MILLIS: i64 = 60_000;

/// Returns at most `limit` entries of similar meaning, nearest first; none for a text without a known word. `None` if no
/// entry has a vector.
///
/// # Errors
/// When the store fails, or a provider makes no vector of the text.
pub(super) async fn nearest(app: &App, meaning: &Arc<Meaning>, text: &str, limit: usize) -> Result<Option<Vec<i64>>> {
    let index = index(app, meaning).await?;
    if index.is_empty() {
        return Ok(None);
    }
    let Some(vector) = meaning.query_vector(app, text).await? else { return Ok(Some(Vec::new())) };
    let near_from = meaning.near_from();
    let comparing = tokio::task::spawn_blocking(move || index.nearest(&vector, limit, near_from));
    Ok(Some(comparing.await?))
}

async fn index(app: &App, meaning: &Arc<Meaning>) -> Result<Arc<VectorIndex>> {
    let (now, space) = (app.clock().wall(), meaning.space());
    // Concurrent searches wait while the index is loaded.
    let mut cached = app.vector_cache().lock().await;
    if let Some(loaded) = cached.as_ref().filter(|loaded| loaded.space == space)
        && (0..CHECK_MILLIS).contains(&(now.as_millis() - loaded.checked_at.as_millis()))
    {
        return Ok(Arc::clone(&loaded.index));
    }
    let version = app.store().vectors_version(space).await?;
    if let Some(loaded) = cached.as_mut().filter(|loaded| loaded.space == space && loaded.version == version) {
        loaded.checked_at = now;
        return Ok(Arc::clone(&loaded.index));
    }
    let index = Arc::new(load(app, meaning).await?);
    tracing::debug!(entries = index.len(), "vectors are loaded for search");
    *cached = Some(LoadedVectors { space: space.to_owned(), version, checked_at: now, index: Arc::clone(&index) });
    Ok(index)
}

async fn load(app: &App, meaning: &Arc<Meaning>) -> Result<VectorIndex> {
    let (mut index, mut after) = (VectorIndex::default(), 0);
    loop {
        let page = app.store().entry_vectors(meaning.space(), after, PAGE_ENTRIES).await?;
        let Some(last) = page.last() else { return Ok(index) };
        after = last.entry;
        let meaning = Arc::clone(meaning);
        let adding = tokio::task::spawn_blocking(move || {
            for entry in page {
                let vector = match entry.content {
                    EntryContent::Vector(bytes) => DenseVector::from_bytes(&bytes),
                    EntryContent::Passage { section, text } => meaning.passage_vector(&section, &text),
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
