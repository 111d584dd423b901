//! Sentence vectors by the model of `AHA_SENTENCE_MODEL_DIR`. Vectors of documents are computed when the documents are
//! read; vectors of a question, and of text that has none yet, when it is asked; vectors of a run's texts in the run.
//!
//! Input: texts. Output: their vectors. Called where documents are read, by `ask`, `reindex` and `doctor`, and where a
//! run compares stories with interests.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use aha_analysis::retrieval::{Block, CandidatePassage, SentenceVectors, passage_texts};
use aha_content::sentences::sentences;
use aha_net::hash::hex32;
use aha_sentence::SentenceModel;
use aha_store::StoreError;
use tokio::task::JoinError;

use crate::app::App;

/// Texts whose vectors are computed before they are stored together.
const VECTORS_PER_BATCH: usize = 512;
/// Passages of documents read in one query.
const PASSAGES_PER_QUERY: i64 = 200;
/// A vector is stored as whole numbers from -127 to 127, where 127 is its largest absolute value.
const MAX_QUANTISED: f32 = 127.0;

/// Returns the model, which is loaded again when its files change. `None` if none is set or it cannot be used, which is
/// logged, and explained by `doctor`.
pub(crate) async fn model(app: &App) -> Option<Arc<SentenceModel>> {
    let folder = app.config().llm.sentence_model_dir.as_ref()?;
    match app.sentence_model().get(folder, load(folder.clone())).await {
        Ok(model) => Some(model),
        Err(error) => {
            tracing::warn!(%error, "questions are answered and stories matched without a sentence model");
            None
        }
    }
}

/// Loads a model from a folder, off the async threads.
///
/// # Errors
/// What is wrong with the folder.
pub(crate) async fn load(folder: PathBuf) -> Result<SentenceModel, String> {
    let reading = tokio::task::spawn_blocking(move || SentenceModel::load(&folder).map_err(|error| error.to_string()));
    reading.await.unwrap_or_else(|_| Err("its files cannot be used".to_owned()))
}

/// Vectors by text.
#[derive(Debug, Default)]
pub(crate) struct KnownSentences(HashMap<String, Vec<f32>>);

impl SentenceVectors for KnownSentences {
    /// Returns an empty vector, which is similar to nothing, for a text that has none.
    fn vectors(&self, texts: &[String]) -> Vec<Vec<f32>> {
        texts.iter().map(|text| self.0.get(text).cloned().unwrap_or_default()).collect()
    }
}

/// Returns the stored vectors of `texts`, and the vectors of `needed`, which are computed where they are not stored.
pub(crate) async fn load_or_compute(
    app: &App,
    model: &Arc<SentenceModel>,
    texts: Vec<String>,
    needed: Vec<String>,
) -> Result<KnownSentences, StoreError> {
    let stored = load_stored(app, model, &texts).await?;
    let mut known: HashMap<String, Vec<f32>> = HashMap::with_capacity(texts.len());
    for text in texts.into_iter().chain(needed.iter().cloned()) {
        if let Some(bytes) = stored.get(&hex32(text.as_bytes())) {
            known.insert(text, numbers(bytes));
        }
    }
    let missing: HashSet<String> = needed.into_iter().filter(|text| !known.contains_key(text)).collect();
    let missing: Vec<String> = missing.into_iter().collect();
    let made = encode(model, missing.clone()).await;
    known.extend(missing.into_iter().zip(made.iter().map(|bytes| numbers(bytes))));
    Ok(KnownSentences(known))
}

async fn load_stored(
    app: &App,
    model: &SentenceModel,
    texts: &[String],
) -> Result<HashMap<String, Vec<u8>>, StoreError> {
    let hashes: Vec<String> = texts.iter().map(|text| hex32(text.as_bytes())).collect();
    Ok(app.store().sentence_vectors(model.id(), &hashes).await?.into_iter().collect())
}

/// A passage with its document, title and section.
#[derive(Debug, Clone)]
pub(crate) struct PassageInContext<'p> {
    pub(crate) document: &'p str,
    pub(crate) title: Option<&'p str>,
    pub(crate) section: &'p str,
    pub(crate) text: &'p str,
}

/// Computes and stores the missing vectors of documents' passages and returns their number; 0 if no model is set.
///
/// # Errors
/// When the store fails; vectors stored before that stay.
pub(crate) async fn compute_missing(app: &App, passages: &[PassageInContext<'_>]) -> Result<usize, StoreError> {
    let Some(model) = model(app).await else { return Ok(0) };
    let candidates: Vec<CandidatePassage<'_>> = passages.iter().map(candidate).collect();
    let texts: HashSet<String> = passage_texts(&candidates).into_iter().flatten().collect();
    let mut texts: Vec<String> = texts.into_iter().collect();
    texts.sort();
    let known = load_stored(app, &model, &texts).await?;
    texts.retain(|text| !known.contains_key(&hex32(text.as_bytes())));
    for batch in texts.chunks(VECTORS_PER_BATCH) {
        let made = encode(&model, batch.to_vec()).await;
        let rows: Vec<(String, Vec<u8>)> = batch.iter().map(|text| hex32(text.as_bytes())).zip(made).collect();
        app.store().put_sentence_vectors(model.id(), &rows).await?;
    }
    Ok(texts.len())
}

/// Computes the vectors of all passages again.
///
/// # Errors
/// When the store fails.
pub(crate) async fn recompute_all(app: &App) -> Result<usize, StoreError> {
    app.store().clear_sentence_vectors().await?;
    if model(app).await.is_none() {
        return Ok(0);
    }
    let (mut total, mut after): (usize, Option<(String, i64)>) = (0, None);
    loop {
        let place = after.as_ref().map(|(document, position)| (document.as_str(), *position));
        let passages = app.store().passages_after(place, PASSAGES_PER_QUERY).await?;
        let Some(last) = passages.last() else { return Ok(total) };
        after = Some((last.document_id.clone(), last.position));
        let in_context: Vec<PassageInContext<'_>> = passages
            .iter()
            .map(|p| PassageInContext {
                document: &p.name,
                title: p.title.as_deref(),
                section: &p.section,
                text: &p.text,
            })
            .collect();
        total += compute_missing(app, &in_context).await?;
    }
}

fn candidate<'p>(passage: &PassageInContext<'p>) -> CandidatePassage<'p> {
    CandidatePassage {
        document: passage.document,
        title: passage.title,
        section: passage.section,
        blocks: passage.text.lines().map(|text| Block { text, sentences: sentences(text) }).collect(),
        dated: 0,
        is_date_stated: true,
        is_replaced: false,
        is_item: false,
    }
}

/// Returns the texts' vectors of length 1, in order; zero for a text that cannot be read.
///
/// # Errors
/// When the process is stopped meanwhile.
pub(crate) async fn vectors(model: &Arc<SentenceModel>, texts: Vec<String>) -> Result<Vec<Vec<f32>>, JoinError> {
    let model = Arc::clone(model);
    tokio::task::spawn_blocking(move || model.encode(&texts)).await
}

/// Returns vectors in their stored form. A new vector and one read back have to be the same, so that answers are the
/// same.
async fn encode(model: &Arc<SentenceModel>, texts: Vec<String>) -> Vec<Vec<u8>> {
    let model = Arc::clone(model);
    let encoding = tokio::task::spawn_blocking(move || model.encode(&texts));
    encoding.await.unwrap_or_default().iter().map(|vector| bytes(vector)).collect()
}

/// Stores each number as one byte. Only the direction is kept.
fn bytes(vector: &[f32]) -> Vec<u8> {
    let largest = vector.iter().fold(f32::MIN_POSITIVE, |largest, number| largest.max(number.abs()));
    #[expect(clippy::cast_possible_truncation, reason = "from -127 to 127")]
    let step = |number: &f32| (number / largest * MAX_QUANTISED).round() as i8;
    vector.iter().map(|number| step(number).to_le_bytes()[0]).collect()
}

/// Returns a vector of length 1.
fn numbers(bytes: &[u8]) -> Vec<f32> {
    let numbers: Vec<f32> = bytes.iter().map(|byte| f32::from(i8::from_le_bytes([*byte]))).collect();
    let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    numbers.into_iter().map(|number| number / length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_a_number_keeps_the_direction() {
        let vector = numbers(&bytes(&[0.5, -0.25, 0.125, 0.0]));
        for (made, expected) in vector.iter().zip([0.873, -0.436, 0.218, 0.0]) {
            assert!((made - expected).abs() < 0.01, "{vector:?}");
        }
        assert_eq!(bytes(&numbers(&bytes(&[0.3, -0.9]))), bytes(&[0.3, -0.9]));
        assert!(numbers(&bytes(&[0.0, 0.0])).iter().all(|number| *number == 0.0));
    }
}
