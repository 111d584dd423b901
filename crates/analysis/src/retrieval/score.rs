//! Scores how well each sentence answers a question: a weighted sum of its features.

use super::features::{COUNT, Measured, SentenceFeatures};
use super::similarity_models::SimilarityModels;

/// Weights of [`SentenceFeatures::values`], fitted by `scripts/ask/fit.py` on the sets in `tests/data/ask` that are not held
/// out and on 100 questions on real feeds. A score is the log-odds, up to a constant per question.
type Weights = [f64; COUNT];

const SHIPPED: Weights = [
    3.518, 0.716, 1.825, 0.312, 0.989, -0.097, 3.32, 3.413, 4.927, 1.501, -1.501, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.228,
    2.211, 0.782, 0.837,
];
const WITH_STATIC: Weights = [
    3.114, 0.203, 1.631, 0.466, 1.523, -1.167, 2.086, 2.259, 3.843, 1.473, -1.473, 0.035, 4.421, 4.679, 0.0, 0.0, 0.0,
    1.629, 1.753, 0.79, 0.189,
];
const WITH_MODEL: Weights = [
    1.683, 0.496, 1.281, 0.274, 0.913, -0.687, 1.447, 0.914, 2.449, 1.25, -1.25, 0.174, 0.0, 0.0, 4.326, 5.025, 3.485,
    0.981, 1.221, 0.788, 0.28,
];

/// Added for a sentence that counts what the question asks for: "2,000 pages" for "how many pages".
const COUNTS: f64 = 1.0;

/// A sentence and its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored {
    pub(super) unit: usize,
    pub(super) score: f64,
}

/// Returns all sentences, best first.
pub(super) fn ranked(measured: &Measured, meaning: &SimilarityModels<'_>) -> Vec<Scored> {
    let mut ranked: Vec<Scored> = (0..measured.features.len()).map(|unit| scored(measured, unit, meaning)).collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.unit.cmp(&b.unit)));
    ranked
}

/// Returns a sentence's score, given its index.
pub(super) fn scored(measured: &Measured, unit: usize, meaning: &SimilarityModels<'_>) -> Scored {
    let weights = match () {
        () if meaning.has_model() => &WITH_MODEL,
        () if meaning.has_weights() => &WITH_STATIC,
        () => &SHIPPED,
    };
    let counts = if measured.counts[unit] { COUNTS } else { 0.0 };
    Scored { unit, score: weighed(&measured.features[unit], weights) + counts }
}

fn weighed(features: &SentenceFeatures, weights: &Weights) -> f64 {
    features.values().iter().zip(weights).map(|(feature, weight)| feature * weight).sum()
}
