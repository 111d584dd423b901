//! How far a text is what a reader asked for: the values that the scoring of a query gives out.

/// Of a degree's lexical part: from here on a text is what was asked for, and from here on it touches it.
pub const STRONG: f64 = 0.5;
pub const WEAK: f64 = 0.15;

/// From this share of its terms' weight on a clause is met; below it, it is touched. One of two words that weigh alike is not enough.
pub const MET_SHARE: f64 = 0.6;

/// A clause of one word is met in the reader's sense from this cosine of its vector and the text's on: "running" is in a text on a
/// drug-running boat, whose other words are about something else. Where the word has a high score, as in a title, less is enough.
const SAME_SENSE: f64 = 0.5;
const SAME_SENSE_OF_HIGH: f64 = 0.35;
const HIGH_SCORE: f64 = 0.8;

/// How far a text is what was asked for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Degree {
    /// By words: about 1 where one clause is met in a title; more where several are.
    pub lexical: f64,
    /// By meaning, −1 to 1 times the root of the number of clauses.
    pub dense: f64,
    /// Of the text what is not denied, 0 to 1.
    pub allowed: f64,
    /// The clauses that are met, the most first.
    pub clauses: Vec<ClauseMatch>,
    /// The clauses that are met though they were denied.
    pub denied: Vec<ClauseMatch>,
}

/// A clause that a text meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClauseMatch {
    /// Its place among the clauses of the interests.
    pub clause: usize,
    /// Its part of the lexical score; of a denied one the share that is met.
    pub score: f64,
    /// The share of its terms' weight that is met, 0 to 1; of several terms that stand apart, that of those that stand together.
    pub share: f64,
    /// Whether it has one term, or more than one of its terms stand together.
    pub is_together: bool,
    /// Of a clause of one word the cosine of its vector and the text's, where both have one.
    pub likeness: Option<f64>,
}

impl ClauseMatch {
    /// Whether so much of it is there that one may say the text meets it. `allowed`: of the text what is not denied.
    #[must_use]
    pub fn is_met(&self, allowed: f64) -> bool {
        let least = if self.score >= HIGH_SCORE { SAME_SENSE_OF_HIGH } else { SAME_SENSE };
        let is_in_sense = self.likeness.is_none_or(|likeness| likeness >= least);
        self.share >= MET_SHARE && self.score * allowed >= WEAK && self.is_together && is_in_sense
    }
}
