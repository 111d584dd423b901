//! Lists the features by which sentences are chosen to answer a question, and whether they are quoted, for
//! `scripts/ask/fit.py`.

use std::sync::Arc;

use aha_analysis::retrieval::extract::{Described, describe};
use aha_analysis::retrieval::{CandidatePassage, Question, SentenceVectors, SimilarityModels, answer};
use aha_analysis::text::space::Space;
use serde::Serialize;

use super::passages::{Found, retrieve};
use super::processor::Processor;
use super::{AskError, AskRequest, DEADLINE, known_sentences};
use crate::app::App;
use crate::embedding_weights;

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

/// What would be quoted, with how it stands out from the other sentences.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DescribedAnswer {
    pub text: String,
    pub is_answered: bool,
    /// Of `FirstSentence`, with the values of its standing in the order of the fields; empty for a question about a
    /// subject as a whole.
    pub is_by_words: bool,
    pub is_likely: bool,
    pub standing: Vec<f64>,
}

/// Returns all sentences of the passages that are read for a question, and the answer.
///
/// # Errors
/// When the store fails or there is nothing to answer from.
pub async fn described(app: &App, text: &str) -> Result<(Vec<DescribedSentence>, Option<DescribedAnswer>), AskError> {
    let question = Question::new(text).asked_at(app.clock().now().as_millis());
    let processor = Processor::free(app.processors(), DEADLINE).await?;
    let found = retrieve(app, &processor, &question, &AskRequest::default()).await?.ok_or(AskError::EmptyStore)?;
    let found: Arc<Found> = Arc::new(found);
    let weights = embedding_weights::weights(app).await;
    let known = known_sentences(app, &processor, &question, &found).await?;
    let meaning = SimilarityModels::with(
        weights.as_deref().map(|weights| weights as &dyn Space),
        known.as_ref().map(|known| known as &dyn SentenceVectors),
    );
    let candidates = found.candidates();
    let described = describe(&question, &candidates, &meaning, Some(&found.frequencies));
    let answer = answer(&question, &candidates, &meaning, Some(&found.frequencies)).map(|found| DescribedAnswer {
        text: found.text(),
        is_answered: found.is_answered,
        is_by_words: found.first.is_some_and(|first| first.is_by_words),
        is_likely: found.first.is_some_and(|first| first.is_likely),
        standing: found.first.map_or_else(Vec::new, |first| first.standing.values().to_vec()),
    });
    Ok((described.into_iter().map(|one| named(one, &candidates)).collect(), answer))
}

fn named(one: Described, candidates: &[CandidatePassage<'_>]) -> DescribedSentence {
    let candidate = &candidates[one.passage];
    DescribedSentence {
        passage: one.passage,
        document: candidate.document.to_owned(),
        section: candidate.section.to_owned(),
        text: one.text,
        is_in_force: one.is_in_force,
        features: one.features.values().to_vec(),
        evidence: one.evidence.values().to_vec(),
    }
}
