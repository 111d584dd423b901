//! Lists the features by which sentences are chosen to answer a question, for `scripts/ask/fit.py`.

use std::sync::Arc;

use aha_analysis::retrieval::extract::{Described, describe};
use aha_analysis::retrieval::{Meaning, Question, SentenceVectors, Source};
use aha_analysis::stories::space::Space;
use serde::Serialize;

use super::passages::{Found, retrieve};
use super::{AskError, AskRequest, known_sentences};
use crate::app::App;
use crate::services::meaning;

/// A sentence with the features that determine its order and the decision, in the order of their fields.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DescribedSentence {
    /// Index of its passage.
    pub passage: usize,
    pub document: String,
    pub section: String,
    pub text: String,
    /// Whether its document is in force, that is, not replaced by a newer one.
    pub is_in_force: bool,
    pub features: Vec<f64>,
    pub evidence: Vec<f64>,
}

/// Returns all sentences of the passages that are read for a question.
///
/// # Errors
/// When the store fails or there is nothing to answer from.
pub async fn described(app: &App, text: &str) -> Result<Vec<DescribedSentence>, AskError> {
    let question = Question::new(text);
    let found = retrieve(app, &question, &AskRequest::default()).await?.ok_or(AskError::EmptyStore)?;
    let found: Arc<Found> = Arc::new(found);
    let weights = meaning::weights(app).await;
    let known = known_sentences(app, &question, &found).await?;
    let meaning = Meaning::with(
        weights.as_deref().map(|weights| weights as &dyn Space),
        known.as_ref().map(|known| known as &dyn SentenceVectors),
    );
    let sources = found.sources();
    let described = describe(&question, &sources, &meaning, Some(&found.frequencies));
    Ok(described.into_iter().map(|one| named(one, &sources)).collect())
}

fn named(one: Described, sources: &[Source<'_>]) -> DescribedSentence {
    let source = &sources[one.passage];
    DescribedSentence {
        passage: one.passage,
        document: source.document.to_owned(),
        section: source.section.to_owned(),
        text: one.text,
        is_in_force: one.is_in_force,
        features: one.features.values().to_vec(),
        evidence: one.evidence.values().to_vec(),
    }
}
