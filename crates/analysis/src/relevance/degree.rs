//! The relevance of a text to interests: the result of scoring a query.

/// Thresholds of a degree's lexical part: relevant, and weakly relevant.
pub const STRONG: f64 = 0.5;
pub const WEAK: f64 = 0.15;

/// Minimum share of a clause's term weight for a match. One of two words with equal weight is not enough.
pub const MET_SHARE: f64 = 0.6;

/// Minimum cosine between the vector of a one-word clause and the text's vector for the intended sense: "running"
/// occurs in a text about a drug-running boat, whose other words are about something else. A high score, such as for a
/// word in a title, lowers the minimum.
const MIN_SENSE_SIMILARITY: f64 = 0.5;
const MIN_SENSE_SIMILARITY_OF_HIGH: f64 = 0.35;
const HIGH_SCORE: f64 = 0.8;

/// Minimum cosine of a clause's subject and a text that has its words in passing, or some of them, in the intended
/// sense. Of the stories for 20 of the 51 texts that had a clause's word only after their opening, 36 % were wanted
/// below it, 71 % above.
const MIN_NEARNESS_IN_SENSE: f64 = 0.35;

/// The relevance of a text to interests.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Degree {
    /// By words: about 1 if one clause matches in a title, more if several do.
    pub lexical: f64,
    /// By vectors: −1 to 1, multiplied by the square root of the number of clauses.
    pub dense: f64,
    /// By a sentence model: the cosine of the interests and the text's title or opening; `None` without a model.
    pub sentence: Option<f64>,
    /// The share of the text that is not excluded by negated clauses, 0 to 1.
    pub allowed: f64,
    /// The matching clauses, best first.
    pub clauses: Vec<ClauseMatch>,
    /// The negated clauses that match.
    pub denied: Vec<ClauseMatch>,
}

/// A clause that matches a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClauseMatch {
    /// Its index in the clauses of the interests.
    pub clause: usize,
    /// Its contribution to the lexical score; for a negated clause the matched share.
    pub score: f64,
    /// The matched share of its terms' weight, 0 to 1. If the terms are far apart, only the best group of nearby terms
    /// counts.
    pub share: f64,
    /// Whether it has only one term, or several of its terms are close together.
    pub is_together: bool,
    /// For a one-word clause, the cosine of its vector and the text's, if both have one.
    pub similarity: Option<f64>,
    /// The cosine of the vector of the clause's subject and the text's; 0 if one has none.
    pub nearness: f64,
}

impl ClauseMatch {
    /// Returns whether the match is strong enough to be reported. `allowed`: the text's [`Degree::allowed`].
    #[must_use]
    pub fn is_met(&self, allowed: f64) -> bool {
        let min_similarity = if self.score >= HIGH_SCORE { MIN_SENSE_SIMILARITY_OF_HIGH } else { MIN_SENSE_SIMILARITY };
        let is_in_sense = self.similarity.is_none_or(|similarity| similarity >= min_similarity);
        self.share >= MET_SHARE && self.score * allowed >= WEAK && self.is_together && is_in_sense
    }

    /// Returns whether the text has the clause's words in their sense, as far as vectors tell.
    #[must_use]
    pub fn is_in_sense(&self) -> bool {
        self.nearness.abs() <= f64::EPSILON || self.nearness >= MIN_NEARNESS_IN_SENSE
    }
}
