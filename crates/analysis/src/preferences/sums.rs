//! Means of liked and disliked texts, over terms and over vectors.

use rustc_hash::FxHashMap;

use super::Background;
use crate::text::dense::{Baseline, DenseVector};
use crate::text::vocabulary::Term;

/// The weight of the mean of disliked texts relative to that of liked ones.
pub(super) const DISLIKED_WEIGHT: f64 = 0.5;

/// Weight of an empty text that is added to each mean (additive smoothing).
const PRIOR_WEIGHT: f64 = 1.0;

/// The same where only the meaning of disliked texts counts: the vector of one short text is near to many others.
const PRIOR_WEIGHT_OF_DISLIKED: f64 = 3.0;

/// Weight of examples that a place is assumed to have in addition, which are not about it.
const OTHER_PLACES: f64 = 3.0;

/// The profile over vectors.
#[derive(Debug)]
pub(super) struct VectorProfile {
    numbers: Vec<f64>,
    /// The weight of the baseline cosine in its products.
    baseline_weight: f64,
    baseline: Baseline,
    /// The weight of its products relative to those of words.
    weight: f64,
}

/// A term's sum over the examples, and the weight of the examples that have it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TermSum {
    sum: f64,
    of_examples: f64,
}

/// A sum of vectors, weighted by feedback.
#[derive(Default)]
pub(super) struct Sum {
    pub(super) weight: f64,
    pub(super) terms: FxHashMap<Term, TermSum>,
    /// Weight of the examples that have a dense vector.
    dense_weight: f64,
    dense: Vec<f64>,
}

impl Sum {
    pub(super) fn add(&mut self, weight: f64, terms: &[(Term, f64)], dense: Option<&DenseVector>) {
        self.weight += weight;
        for (term, of_term) in terms {
            let term = self.terms.entry(*term).or_default();
            term.sum += weight * of_term;
            term.of_examples += weight;
        }
        let Some(numbers) = dense.map(DenseVector::numbers) else { return };
        if self.dense.is_empty() {
            self.dense = vec![0.0; numbers.len()];
        }
        if self.dense.len() == numbers.len() {
            self.dense_weight += weight;
            self.dense.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += weight * f64::from(*number));
        }
    }

    /// Returns the share of real examples in the mean.
    pub(super) fn share(&self) -> f64 {
        self.weight / (self.weight + PRIOR_WEIGHT)
    }

    pub(super) fn mean(&self, term: Term) -> f64 {
        self.terms.get(&term).map_or(0.0, |term| term.sum) / (self.weight + PRIOR_WEIGHT)
    }

    /// Returns how far the examples agree on the name of a place, 0 to 1: an event says little of where it is.
    pub(super) fn share_of_place(&self, place: Term) -> f64 {
        let of_examples = self.terms.get(&place).map_or(0.0, |place| place.of_examples);
        of_examples / (of_examples + OTHER_PLACES)
    }
}

impl VectorProfile {
    /// Returns the mean of what is liked less half that of what is disliked.
    pub(super) fn of(liked: &Sum, disliked: &Sum, background: &Background) -> Option<Self> {
        Self::weighted(&[(liked, 1.0), (disliked, -DISLIKED_WEIGHT)], PRIOR_WEIGHT, background)
    }

    /// Returns the part of it that is disliked, negative.
    pub(super) fn of_disliked(disliked: &Sum, background: &Background) -> Option<Self> {
        Self::weighted(&[(disliked, -DISLIKED_WEIGHT)], PRIOR_WEIGHT_OF_DISLIKED, background)
    }

    fn weighted(sums: &[(&Sum, f64)], prior: f64, background: &Background) -> Option<Self> {
        let (baseline, weight) = (background.baseline?, background.vectors.weight());
        let length = sums.iter().map(|(sum, _)| sum.dense.len()).max().filter(|length| *length > 0)?;
        let (mut numbers, mut baseline_weight) = (vec![0.0; length], 0.0);
        for (sum, factor) in sums {
            let total_weight = sum.dense_weight + prior;
            baseline_weight += factor * sum.dense_weight / total_weight;
            if sum.dense.len() == length {
                numbers.iter_mut().zip(&sum.dense).for_each(|(mean, number)| *mean += factor * number / total_weight);
            }
        }
        Some(Self { numbers, baseline_weight, baseline, weight })
    }

    /// Returns the weighted product with the profile, above the baseline of any vector of the space; `None` for a
    /// vector of another length.
    pub(super) fn similarity(&self, vector: &DenseVector) -> Option<f64> {
        let numbers = vector.numbers();
        let product: f64 = self.numbers.iter().zip(numbers).map(|(mine, theirs)| mine * f64::from(*theirs)).sum();
        let baseline = self.baseline.cosine();
        (numbers.len() == self.numbers.len())
            .then(|| self.weight * (product - self.baseline_weight * baseline) / (1.0 - baseline))
    }
}
