//! How alike an item and a story are: by their words, and where a model gave both a vector, by that as well.
//!
//! Comes in: documents. Goes out: a likeness with the thresholds that belong to it. What is compared with one story is compared in
//! one way: by words and vectors with those members that have a vector, else by words alone with all of them.

use std::cell::OnceCell;

use super::cluster::Document;
use super::dense::{Baseline, DenseVector};
use super::similarity::{Frequencies, Weighted};

/// Where "alike" becomes "the same story".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Mean similarity at which an item joins a story.
    pub join: f64,
    /// The same when all of the story comes from the item's own source: there likeness is mostly a house style or a series.
    pub join_own_source: f64,
    /// Mean cosine of words below which an item joins only with [`NAMES_IN_COMMON`]: two items that share a country's name and
    /// little else are two stories.
    pub join_words: f64,
}

/// Thresholds of the `local` space: `docs/ARCHITECTURE.md` says how they were found.
pub const LOCAL_THRESHOLDS: Thresholds = Thresholds { join: 0.24, join_own_source: 0.45, join_words: 0.17 };

/// Thresholds where vectors count as well. With static word vectors (the only ones at hand: 256 numbers, a mean over the text) these,
/// at [`DENSE_WEIGHT`], give on the development half of ECB+ B³ F1 0.86 (precision 0.87) against 0.83 (0.92) by words alone, pairwise
/// F1 0.80 against 0.77; on its first 250 characters 0.77 (0.92) against 0.74 (0.96), pairwise 0.74 against 0.70. Words alone at a
/// lower threshold come as far, so the weight is a careful one: 0.5 was no better, and less precise. For items of one source there
/// are no labels: that threshold is raised by the same proportion.
pub const MIXED_THRESHOLDS: Thresholds = Thresholds { join: 0.30, join_own_source: 0.55, join_words: 0.17 };

/// How much the likeness of vectors counts; words count for the rest.
const DENSE_WEIGHT: f64 = 0.3;

/// Likeness of vectors that makes up for few words in common: above what 99 of 100 pairs of different stories have.
const SAME_SENSE: f64 = 0.6;

/// Names or numbers shared with one member that make up for few words in common.
const NAMES_IN_COMMON: usize = 2;

/// Documents as they are compared.
pub(super) struct Comparison<'a> {
    documents: &'a [Document],
    pub(super) weighted: WeightedDocuments<'a>,
    /// `None`: nothing is compared by vectors.
    baseline: Option<Baseline>,
}

/// How alike an item and a story are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Likeness {
    /// Mean over the members compared.
    pub(super) similarity: f64,
    thresholds: Thresholds,
    /// Enough words or names, or for a model enough of the sense, in common.
    same_matter: bool,
}

impl Likeness {
    pub(super) fn is_same_story(&self, own_source: bool) -> bool {
        let needed = if own_source { self.thresholds.join_own_source } else { self.thresholds.join };
        self.similarity >= needed && self.same_matter
    }
}

impl<'a> Comparison<'a> {
    pub(super) fn of(documents: &'a [Document]) -> Self {
        let vectors: Vec<&DenseVector> = documents.iter().filter_map(|d| d.dense.as_deref()).collect();
        Self { documents, weighted: WeightedDocuments::of(documents), baseline: Baseline::of(&vectors) }
    }

    /// How alike a model finds two documents.
    fn dense(&self, one: usize, other: usize) -> Option<f64> {
        let (one, other) = (self.documents[one].dense.as_ref()?, self.documents[other].dense.as_ref()?);
        Some(self.baseline?.likeness(one.cosine(other)?))
    }

    /// Documents that a model finds alike enough for one story, whatever their words.
    pub(super) fn near(&self, number: usize) -> Vec<usize> {
        let is_near = |other: &usize| {
            *other != number && self.dense(number, *other).is_some_and(|likeness| likeness >= SAME_SENSE)
        };
        if self.baseline.is_none() || self.documents[number].dense.is_none() {
            return Vec::new();
        }
        (0..self.documents.len()).filter(is_near).collect()
    }

    /// How alike a document and the members of a story are.
    pub(super) fn likeness(&self, number: usize, members: &[usize]) -> Likeness {
        let (with_vector, likenesses): (Vec<usize>, Vec<f64>) =
            members.iter().filter_map(|member| Some((*member, self.dense(number, *member)?))).unzip();
        if with_vector.is_empty() {
            let words = Words::of(self, number, members);
            let same_matter = words.same_matter(LOCAL_THRESHOLDS);
            return Likeness { similarity: words.similarity, thresholds: LOCAL_THRESHOLDS, same_matter };
        }
        let words = Words::of(self, number, &with_vector);
        let sense = mean(likenesses.into_iter());
        Likeness {
            similarity: DENSE_WEIGHT * sense + (1.0 - DENSE_WEIGHT) * words.similarity,
            thresholds: MIXED_THRESHOLDS,
            same_matter: sense >= SAME_SENSE || words.same_matter(MIXED_THRESHOLDS),
        }
    }
}

/// What words say of a document and some members of a story.
struct Words {
    similarity: f64,
    cosine: f64,
    names: bool,
}

impl Words {
    fn of(comparison: &Comparison<'_>, number: usize, members: &[usize]) -> Self {
        let item = comparison.weighted.get(number);
        let compared = || members.iter().map(|member| comparison.weighted.get(*member));
        Self {
            similarity: mean(compared().map(|member| member.similarity(item))),
            cosine: mean(compared().map(|member| member.word_cosine(item))),
            names: compared().any(|member| member.shared_names(item) >= NAMES_IN_COMMON),
        }
    }

    fn same_matter(&self, thresholds: Thresholds) -> bool {
        self.names || self.cosine >= thresholds.join_words
    }
}

/// Documents as they are compared, each weighed when it first is: most only count towards the frequencies.
pub(super) struct WeightedDocuments<'a> {
    documents: &'a [Document],
    frequencies: Frequencies,
    weighted: Vec<OnceCell<Weighted>>,
}

impl<'a> WeightedDocuments<'a> {
    pub(super) fn of(documents: &'a [Document]) -> Self {
        let frequencies = Frequencies::of(documents.iter().map(|d| &*d.features));
        Self { documents, frequencies, weighted: vec![OnceCell::new(); documents.len()] }
    }

    pub(super) fn get(&self, number: usize) -> &Weighted {
        self.weighted[number].get_or_init(|| self.frequencies.weigh(&self.documents[number].features))
    }
}

#[expect(clippy::cast_precision_loss, reason = "some members of a story")]
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    for value in values {
        sum += value;
        count += 1;
    }
    if count == 0 { 0.0 } else { sum / count as f64 }
}
