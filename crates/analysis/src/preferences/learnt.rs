//! Describes the learnt profile in words, for a model's prompt and for the user.

use std::collections::BTreeMap;

use serde::Serialize;

use super::profile::{Profile, Voice};
use super::round;

/// Maximum number of words per side in the summary, and of entries per side in the list.
const MAX_SUMMARY_WORDS: usize = 8;
const MAX_LISTED: usize = 15;

/// Minimum weight of an entry relative to the strongest.
const MIN_STRENGTH: f64 = 0.15;

/// The learnt words, sources and authors, each with its weight as a percentage of the strongest of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Learnt {
    pub more_of: Vec<(String, u8)>,
    pub less_of: Vec<(String, u8)>,
    pub sources_liked: Vec<(String, u8)>,
    pub sources_disliked: Vec<(String, u8)>,
    pub authors_liked: Vec<(String, u8)>,
    pub authors_disliked: Vec<(String, u8)>,
}

impl Profile {
    /// Returns a summary for a model's prompt; empty without feedback.
    #[must_use]
    pub fn summary(&self) -> String {
        let learnt = self.learnt();
        let part = |name: &str, words: &[(String, u8)]| {
            let words: Vec<&str> = words.iter().take(MAX_SUMMARY_WORDS).map(|(word, _)| word.as_str()).collect();
            (!words.is_empty()).then(|| format!("{name}: {}", words.join(", ")))
        };
        [part("liked", &learnt.more_of), part("disliked", &learnt.less_of)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Returns the lists for the user.
    #[must_use]
    pub fn learnt(&self) -> Learnt {
        let words = self.words.values().map(|word| (word.written.as_str(), word.weight));
        let (more_of, less_of) = strongest(words.collect());
        let voices = |known: &BTreeMap<String, Voice>| {
            let (liked, disliked) = strongest(known.values().map(|v| (v.written.as_str(), v.rating())).collect());
            (liked, disliked)
        };
        let (sources_liked, sources_disliked) = voices(&self.sources);
        let (authors_liked, authors_disliked) = voices(&self.authors);
        Learnt { more_of, less_of, sources_liked, sources_disliked, authors_liked, authors_disliked }
    }
}

/// Names with percentages of the strongest.
type Strengths = Vec<(String, u8)>;

/// Returns the strongest positive and negative entries, as percentages of the strongest of both.
fn strongest(mut all: Vec<(&str, f64)>) -> (Strengths, Strengths) {
    all.sort_by(|a, b| round(b.1.abs()).total_cmp(&round(a.1.abs())).then(a.0.cmp(b.0)));
    let strongest_weight = all.first().map_or(0.0, |(_, weight)| weight.abs());
    let side = |sign: f64| {
        let of_side =
            all.iter().filter(|(_, weight)| weight * sign > 0.0 && weight.abs() >= MIN_STRENGTH * strongest_weight);
        of_side
            .take(MAX_LISTED)
            .map(|(name, weight)| ((*name).to_owned(), percentage(weight.abs() / strongest_weight)))
            .collect()
    };
    (side(1.0), side(-1.0))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a percentage")]
fn percentage(share: f64) -> u8 {
    (share * 100.0).round().clamp(0.0, 100.0) as u8
}
