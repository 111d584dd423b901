//! Means of what was liked and disliked, over terms and over vectors.

use rustc_hash::FxHashMap;

use crate::stories::dense::{Baseline, DenseVector};
use crate::stories::vocabulary::Term;

/// What the mean of the disliked counts for beside that of the liked.
pub(super) const DISLIKED: f64 = 0.5;

/// Sayings of a text without words that a mean is taken over besides those there are.
const UNSAID: f64 = 1.0;

/// The profile over vectors, and the part of a cosine with it that any vector has.
#[derive(Debug)]
pub(super) struct VectorProfile {
    numbers: Vec<f64>,
    usual: f64,
    baseline: Baseline,
}

/// Vectors added up, each by the weight of what was said of it.
#[derive(Default)]
pub(super) struct Sum {
    weight: f64,
    pub(super) terms: FxHashMap<Term, f64>,
    /// Of those that have a dense vector.
    dense_weight: f64,
    dense: Vec<f64>,
}

impl Sum {
    pub(super) fn add(&mut self, weight: f64, terms: &[(Term, f64)], dense: Option<&DenseVector>) {
        self.weight += weight;
        for (term, of_term) in terms {
            *self.terms.entry(*term).or_default() += weight * of_term;
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

    /// How much of the mean was said.
    pub(super) fn share(&self) -> f64 {
        self.weight / (self.weight + UNSAID)
    }

    pub(super) fn mean(&self, term: Term) -> f64 {
        self.terms.get(&term).copied().unwrap_or(0.0) / (self.weight + UNSAID)
    }
}

impl VectorProfile {
    pub(super) fn of(liked: &Sum, disliked: &Sum, baseline: Option<Baseline>) -> Option<Self> {
        let baseline = baseline?;
        let length = liked.dense.len().max(disliked.dense.len());
        let mean = |sum: &Sum, place: usize| {
            let of_both = length == sum.dense.len();
            if of_both { sum.dense[place] / (sum.dense_weight + UNSAID) } else { 0.0 }
        };
        let numbers = (0..length).map(|place| mean(liked, place) - DISLIKED * mean(disliked, place)).collect();
        let share = |sum: &Sum| sum.dense_weight / (sum.dense_weight + UNSAID);
        let usual = share(liked) - DISLIKED * share(disliked);
        (length > 0).then_some(Self { numbers, usual, baseline })
    }

    /// The product with the profile as far as it is more than any vector of the space has.
    pub(super) fn likeness(&self, vector: &DenseVector) -> Option<f64> {
        let numbers = vector.numbers();
        let product: f64 = self.numbers.iter().zip(numbers).map(|(mine, theirs)| mine * f64::from(*theirs)).sum();
        let baseline = self.baseline.cosine();
        (numbers.len() == self.numbers.len()).then(|| (product - self.usual * baseline) / (1.0 - baseline))
    }
}
