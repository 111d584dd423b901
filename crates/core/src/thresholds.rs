//! Where "alike" becomes "the same story": the numbers that decide it, as a topic may keep its own.

/// Begins the names of the spaces of static weights.
pub const STATIC_WEIGHTS: &str = "static/";

/// Where "alike" becomes "the same story".
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// Mean similarity at which two items of different sources are one story where [`USUAL_DOCUMENTS`] are behind the weights; see
    /// [`Thresholds::pair_among`].
    pub pair: f64,
    /// What that falls to between large groups: a mean over many pairs is hardly chance. Between groups of `a` and `b` sources it is
    /// `group + (pair − group) / (a·b)^0.35`; items of one source are no witnesses of each other.
    pub group: f64,
    /// Mean similarity below which parts of a story are stories of their own, by the terms that tell its items apart.
    pub split: f64,
    pub dense: DenseThresholds,
}

/// How vectors count beside words.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DenseThresholds {
    /// Of the likeness of vectors; words count for the rest.
    pub weight: f64,
    /// How much more is needed: two unrelated texts are alike by dense vectors more often than in words.
    pub extra: f64,
}

impl DenseThresholds {
    /// Of a provider's model.
    pub const OF_A_MODEL: Self = Self { weight: 0.3, extra: 0.06 };
    /// Of static weights: `docs/CLUSTERING.md` says how they were found.
    pub const OF_WEIGHTS: Self = Self { weight: 0.2, extra: 0.02 };

    /// By the space of the vectors, or of a mixture with them.
    #[must_use]
    pub fn of(space: &str) -> Self {
        let dense = space.split_once('+').map_or(space, |(_, dense)| dense);
        if dense.starts_with(STATIC_WEIGHTS) { Self::OF_WEIGHTS } else { Self::OF_A_MODEL }
    }
}

/// By words alone: `docs/CLUSTERING.md` says how they were found.
pub const LOCAL_THRESHOLDS: Thresholds =
    Thresholds { pair: 0.24, group: 0.06, split: 0.06, dense: DenseThresholds::OF_A_MODEL };

/// The number of documents behind the weights for which a [`Thresholds::pair`] is given.
pub const USUAL_DOCUMENTS: f64 = 1_000.0;

/// By how much more two items have to be alike among e times as many documents: the more there are, the more a rare term that two items
/// share weighs beside their common ones.
const PAIR_BY_DOCUMENTS: f64 = 0.022;

/// How far that goes, below and above [`Thresholds::pair`].
const PAIR_RANGE: (f64, f64) = (-0.05, 0.03);

impl Thresholds {
    /// Those that ship for a space or a mixture.
    #[must_use]
    pub fn shipped(space: &str) -> Self {
        Self { dense: DenseThresholds::of(space), ..LOCAL_THRESHOLDS }
    }

    /// What [`Thresholds::pair`] is where so many documents are behind the weights.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of items")]
    pub fn pair_among(&self, documents: usize) -> f64 {
        let more = PAIR_BY_DOCUMENTS * (documents.max(1) as f64 / USUAL_DOCUMENTS).ln();
        self.pair + more.clamp(PAIR_RANGE.0, PAIR_RANGE.1)
    }

    /// Whether two items of different sources are as alike as those of a story are, among so many documents.
    #[must_use]
    pub fn resembles(&self, similarity: f64, documents: usize) -> bool {
        similarity >= self.pair_among(documents)
    }
}
