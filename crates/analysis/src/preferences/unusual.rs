//! Likes and dislikes of a reader who also has interests.
//!
//! Interests say what is wanted. Likes then only pick from it, so a story has to be nearer to them than nearly all others
//! of the window; a profile of two likes has some word or meaning in common with half of them. And few likes say
//! little. Without interests, likes are all that is known, and [`Profile::leaning`] is used as it is.

use aha_core::feedback::PreferenceScore;

use super::leaning::{Comparison, MIN_SHARE, SCALE};
use super::profile::Profile;
use super::round;
use super::sums::DISLIKED_WEIGHT;

/// Of a hundred stories, the number that is usually not related to what was liked.
const UNRELATED_OF_HUNDRED: usize = 95;

/// The product that so many stories usually do not exceed: 0.05 to 0.09 in runs over 240 to 300 stories after two likes.
/// It counts as much as [`PRIOR_STORIES`] of the window, because a few stories do not show what is usual.
const USUAL_PRODUCT: f64 = 0.05;
const PRIOR_STORIES: usize = 5;

/// Number of likes, or dislikes, decayed, that count half.
const HALF_TRUSTED: f64 = 1.0;

impl Profile {
    /// Returns the leanings of a window's stories for a reader with interests, in the same order: each counts as far as
    /// its product exceeds what is usual among them, and as far as there are likes or dislikes to learn from.
    #[must_use]
    pub fn unusual(&self, stories: Vec<Comparison>) -> Vec<PreferenceScore> {
        let others = stories.iter().filter(|story| !story.has_feedback);
        let mut products: Vec<f64> = others.map(|story| story.product).collect();
        products.sort_unstable_by(f64::total_cmp);
        let rank = products.len().saturating_sub(1) * UNRELATED_OF_HUNDRED / 100;
        let highest = products.get(rank).copied().unwrap_or(0.0);
        let lowest = products.iter().rev().nth(rank).copied().unwrap_or(0.0);
        let count = products.len();
        let (highest, lowest) = (
            with_prior(highest, count, USUAL_PRODUCT).max(0.0),
            with_prior(lowest, count, -DISLIKED_WEIGHT * USUAL_PRODUCT).min(0.0),
        );
        let degree = |product: f64| {
            if product > 0.0 {
                trust(self.liked_weight) * ((product - highest).max(0.0) / SCALE).tanh()
            } else {
                -trust(self.disliked_weight) * ((lowest - product).max(0.0) / SCALE).tanh()
            }
        };
        stories.into_iter().map(|story| with_degree(story.leaning, degree(story.product))).collect()
    }
}

/// Returns the mean of what was measured over `count` stories and of what is expected.
fn with_prior(measured: f64, count: usize, expected: f64) -> f64 {
    let (count, prior) = (number(count), number(PRIOR_STORIES));
    (count * measured + prior * expected) / (count + prior)
}

/// Returns how far feedback is followed, 0 to 1.
fn trust(weight: f64) -> f64 {
    weight / (weight + HALF_TRUSTED)
}

/// Returns a leaning with another degree of the same sign, or 0; all parts of the degree change alike.
fn with_degree(leaning: PreferenceScore, degree: f64) -> PreferenceScore {
    if leaning.degree == 0.0 {
        return leaning;
    }
    let factor = degree / leaning.degree;
    let because = leaning.because.into_iter().map(|(name, share)| (name, round(share * factor)));
    PreferenceScore {
        degree: round(degree),
        terms: round(leaning.terms * factor),
        vector: round(leaning.vector * factor),
        because: because.filter(|(_, share)| share.abs() >= MIN_SHARE).collect(),
        ..leaning
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of stories")]
const fn number(count: usize) -> f64 {
    count as f64
}
