//! How well each sentence answers a question: what is known of it, weighed.

use super::features::{COUNT, Features, Measured};
use super::meaning::Meaning;

/// What each of [`super::features::NAMES`] counts, as fitted by `scripts/ask/fit.py` on the sets of `tests/data/ask` that are not kept aside. A score is
/// the logarithm of the odds, up to a constant of the question.
type Weights = [f64; COUNT];

const SHIPPED: Weights =
    [4.84, 1.4, 2.04, 0.26, 0.18, 0.7, 2.11, 3.89, 5.09, 1.76, -1.76, -0.63, 0.0, 0.0, 0.0, 0.0, 0.0];
const WITH_STATIC: Weights =
    [4.6, 1.14, 1.47, 0.15, 0.3, -1.09, 0.6, 2.21, 4.06, 1.75, -1.75, -0.9, 6.21, 4.89, 0.0, 0.0, 0.0];
const WITH_MODEL: Weights =
    [2.36, 1.15, 1.26, 0.27, 0.1, -0.55, 0.59, 0.51, 2.33, 1.44, -1.44, -0.45, 0.0, 0.0, 6.79, 6.36, 4.52];

/// A sentence with its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored {
    pub(super) unit: usize,
    pub(super) score: f64,
}

/// All sentences, the best first.
pub(super) fn ranked(measured: &Measured, meaning: &Meaning<'_>) -> Vec<Scored> {
    let weights = match () {
        () if meaning.has_model() => &WITH_MODEL,
        () if meaning.has_weights() => &WITH_STATIC,
        () => &SHIPPED,
    };
    let scored = |(unit, features): (usize, &Features)| Scored { unit, score: weighed(features, weights) };
    let mut ranked: Vec<Scored> = measured.features.iter().enumerate().map(scored).collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.unit.cmp(&b.unit)));
    ranked
}

fn weighed(features: &Features, weights: &Weights) -> f64 {
    features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum()
}
