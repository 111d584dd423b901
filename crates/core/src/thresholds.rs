//! Similarity thresholds that decide whether items belong to the same story; a topic may have its own values.

/// Prefix of the names of spaces with static weights.
pub const STATIC_WEIGHTS: &str = "static/";

/// Similarity thresholds for one story.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Mean similarity at which two items of different sources belong to one story if the weights are based on
    /// [`REFERENCE_DOCUMENTS`] documents; see [`Thresholds::pair_among`].
    pub pair: f64,
    /// Limit of the threshold for large groups: a mean over many pairs is hardly chance. Between groups of `a` and `b`
    /// sources the threshold is `group + (pair − group) / (a·b)^0.35`. Items of one source are not independent of each
    /// other.
    pub group: f64,
    /// Mean similarity below which parts of a story are separate stories, based on the terms that distinguish its
    /// items.
    pub split: f64,
    pub dense: DenseThresholds,
}

/// How dense similarity is combined with lexical similarity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DenseThresholds {
    /// Weight of the dense similarity; lexical similarity has the rest.
    pub weight: f64,
    /// Increase of the thresholds: unrelated texts are similar more often by dense vectors than by words.
    pub extra: f64,
}

impl DenseThresholds {
    /// For a provider's model.
    pub const PROVIDER_MODEL: Self = Self { weight: 0.3, extra: 0.06 };
    /// For static weights; `docs/CLUSTERING.md` describes how they were determined.
    pub const STATIC_WEIGHTS: Self = Self { weight: 0.2, extra: 0.02 };

    /// Chosen by the space of the vectors, or of a mixture that includes them.
    #[must_use]
    pub fn of(space: &str) -> Self {
        let dense = space.split_once('+').map_or(space, |(_, dense)| dense);
        if dense.starts_with(STATIC_WEIGHTS) { Self::STATIC_WEIGHTS } else { Self::PROVIDER_MODEL }
    }
}

/// For lexical similarity alone; `docs/CLUSTERING.md` describes how they were determined.
pub const LOCAL_THRESHOLDS: Thresholds =
    Thresholds { pair: 0.24, group: 0.06, split: 0.06, dense: DenseThresholds::PROVIDER_MODEL };

/// The number of documents behind the weights for which a [`Thresholds::pair`] is given.
pub const REFERENCE_DOCUMENTS: f64 = 1_000.0;

/// Increase of the pair threshold when the number of documents grows by a factor of e. The more documents there are,
/// the more a rare shared term weighs relative to common ones.
const PAIR_BY_DOCUMENTS: f64 = 0.022;

/// Minimum and maximum of that adjustment, relative to [`Thresholds::pair`].
const PAIR_RANGE: (f64, f64) = (-0.05, 0.03);

impl Thresholds {
    /// Returns the shipped thresholds for a space or a mixture.
    #[must_use]
    pub fn shipped(space: &str) -> Self {
        Self { dense: DenseThresholds::of(space), ..LOCAL_THRESHOLDS }
    }

    /// Returns the pair threshold for weights based on this number of documents.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of items")]
    pub fn pair_among(&self, documents: usize) -> f64 {
        let more = PAIR_BY_DOCUMENTS * (documents.max(1) as f64 / REFERENCE_DOCUMENTS).ln();
        self.pair + more.clamp(PAIR_RANGE.0, PAIR_RANGE.1)
    }

    /// Whether two items of different sources are similar enough for one story, for weights based on this number of
    /// documents.
    #[must_use]
    pub fn resembles(&self, similarity: f64, documents: usize) -> bool {
        similarity >= self.pair_among(documents)
    }
}
