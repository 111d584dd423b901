//! Scores stories by a user's likes and dislikes: Rocchio's profile over weighted terms, over dense vectors of a
//! model or of the table of word vectors, and over sources and authors.
//!
//! Input: feedback with the texts it was given on, unlearnt names, the items of the last weeks as the background for
//! term weights, and a time. Output: for a story a `PreferenceScore` from −1 to 1 with its reasons, and the profile
//! in words. Called by `pipeline::preferences`.
//!
//! The profile is the weighted mean of the liked texts, less half the weighted mean of the disliked ones (Rocchio 1971,
//! with the usual weights), less half the mean weight of its terms in all texts: a word counts only as far as it is
//! more frequent in the liked texts than in general. Each mean includes one additional empty example, so that a single
//! like or a decayed one counts less than ten. Sums are made in the order of the feedback. `docs/STATES.md` documents
//! the source of the constants.

mod leaning;
mod learnt;
mod profile;
mod spellings;
mod sums;
#[cfg(test)]
mod tests;
mod unusual;

use std::sync::Arc;

use aha_core::feedback::FeedbackEvent;
use aha_core::ids::ItemId;
use aha_core::time::Timestamp;

use crate::text::dense::{Baseline, DenseVector};
use crate::text::features::Features;

pub use leaning::Comparison;
pub use learnt::Learnt;
pub use profile::{Profile, is_same, terms_of, unlearnt_name};

/// A feedback event and the text that it was given on, if that is still stored.
#[derive(Debug, Clone)]
pub struct FeedbackExample {
    pub event: FeedbackEvent,
    /// If `None`, the terms stored with the event are used instead.
    pub body: Option<String>,
    pub vector: Option<Arc<DenseVector>>,
}

/// A story's item, prepared for comparison with the profile.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    pub id: ItemId,
    pub title: &'a str,
    pub features: &'a Features,
    pub vector: Option<&'a DenseVector>,
    pub source: &'a str,
    pub author: Option<&'a str>,
}

/// The items by whose frequencies terms are weighted.
#[derive(Debug, Default)]
pub struct Background {
    pub features: Vec<Arc<Features>>,
    /// The baseline of the vectors' space.
    pub baseline: Option<Baseline>,
    pub vectors: VectorKind,
}

/// What makes the vectors of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VectorKind {
    /// An embedding model.
    #[default]
    Model,
    /// The table of word vectors.
    Words,
}

impl VectorKind {
    /// Returns the weight of similarity by these vectors relative to that by words in common, which is mostly much
    /// smaller. `docs/RANKING.md` has what was measured.
    const fn weight(self) -> f64 {
        match self {
            Self::Model => 0.1,
            Self::Words => 0.15,
        }
    }
}

/// How feedback decays with age.
#[derive(Debug, Clone, Copy)]
pub struct FeedbackDecay {
    pub at: Timestamp,
    /// Age in days at which the weight has decayed to e⁻¹.
    pub decay_days: f64,
}

impl FeedbackDecay {
    /// Returns the decayed weight of feedback. Feedback given after `at` does not decay.
    fn weight(self, event: &FeedbackEvent) -> f64 {
        let age_days = self.at.hours_since(event.given_at).max(0.0) / 24.0;
        event.kind.weight() * (-age_days / self.decay_days).exp()
    }
}

/// Rounds to six digits, so that a stored value reads back the same from either database.
fn round(value: f64) -> f64 {
    let rounded = (value * 1_000_000.0).round() / 1_000_000.0;
    // Avoids negative zero.
    rounded + 0.0
}
