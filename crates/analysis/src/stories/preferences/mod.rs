//! What a user's likes and dislikes say about a story: Rocchio's profile over weighted terms, over vectors where there are any, and over
//! sources and authors.
//!
//! Comes in: what was said with the texts it was said of, what was unlearnt, the items of the last weeks as the background that terms are
//! weighted by, and a time. Goes out: for a story a [`Leaning`] from −1 to 1 with what it is made of, and the profile in words. Called by
//! `pipeline::preferences`.
//!
//! The profile is the weighted mean of what was liked less half the weighted mean of what was disliked (Rocchio 1971, with the usual
//! weights), less what half of any text would bring of its terms: a word counts as far as what was liked has more of it than everything
//! has. A mean is taken over one saying more than there are, so that a single like or a faded one says less than ten. Sums are made in
//! the order of the sayings. Where the constants come from is told in `docs/STATES.md`.

mod leaning;
mod learnt;
mod profile;
mod sums;
#[cfg(test)]
mod tests;
mod writings;

use std::sync::Arc;

use aha_core::feedback::FeedbackEvent;
use aha_core::ids::ItemId;
use aha_core::time::Timestamp;

use super::dense::{Baseline, DenseVector};
use super::features::Features;

pub use learnt::Learnt;
pub use profile::{Profile, is_same, terms_of, unlearnt_name};

/// A saying and the text that it was said of, as far as it is there.
#[derive(Debug, Clone)]
pub struct Said {
    pub event: FeedbackEvent,
    /// Without it the words that the saying remembers stand in.
    pub body: Option<String>,
    pub vector: Option<Arc<DenseVector>>,
}

/// A story's item, as it is compared with the profile.
#[derive(Debug, Clone)]
pub struct Candidate<'a> {
    pub id: ItemId,
    pub title: &'a str,
    pub features: &'a Features,
    pub vector: Option<&'a DenseVector>,
    pub source: &'a str,
    pub author: Option<&'a str>,
}

/// The items that terms are weighted by.
#[derive(Debug, Default)]
pub struct Background {
    pub features: Vec<Arc<Features>>,
    /// Of the vectors' space.
    pub baseline: Option<Baseline>,
}

/// How fast sayings fade, and from when.
#[derive(Debug, Clone, Copy)]
pub struct Fading {
    pub at: Timestamp,
    /// After so many days a saying counts e⁻¹.
    pub decay_days: f64,
}

impl Fading {
    /// A saying of later counts as one of then.
    fn weight(self, event: &FeedbackEvent) -> f64 {
        let age_days = self.at.hours_since(event.given_at).max(0.0) / 24.0;
        event.kind.weight() * (-age_days / self.decay_days).exp()
    }
}

/// To six digits, so that what is stored reads back the same on either database.
fn round(value: f64) -> f64 {
    let rounded = (value * 1_000_000.0).round() / 1_000_000.0;
    // No negative zero.
    rounded + 0.0
}
