//! Scores a story against the learnt profile.

use std::collections::BTreeMap;

use aha_core::feedback::{FeedbackKind, PreferenceScore};
use aha_core::ids::ItemId;

use super::profile::{Profile, Remembered, Voice, unlearnt_name};
use super::{Candidate, round};
use crate::text::learnable::without_markup;
use crate::text::vocabulary::Term;

/// The influence of source and author: as a share of the similarity, and as an absolute amount.
const VOICE_SHARE: f64 = 0.25;
const VOICE_BONUS: f64 = 0.005;

/// The product of profile and story that gives a degree of tanh 1. A twentieth of the stories that a reader wants reach
/// twice as much.
pub(super) const SCALE: f64 = 0.05;

/// Minimum cosine at which a story is reported to resemble another.
const MIN_COSINE: f64 = 0.1;

/// Maximum number of reasons reported with a story's score.
const MAX_REASONS: usize = 5;

/// Minimum share of a degree that is reported.
pub(super) const MIN_SHARE: f64 = 0.01;

/// A story compared with the profile.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    pub leaning: PreferenceScore,
    /// The product of profile and story that the leaning's degree comes from.
    pub(super) product: f64,
    /// Whether feedback was given on the story itself.
    pub(super) has_feedback: bool,
}

impl Profile {
    /// Returns the leaning of a story: that of its item closest to what was liked.
    #[must_use]
    pub fn leaning(&self, items: &[Candidate<'_>]) -> PreferenceScore {
        self.compare(items).leaning
    }

    /// Returns the same with what [`Profile::unusual`] needs.
    #[must_use]
    pub fn compare(&self, items: &[Candidate<'_>]) -> Comparison {
        let scored = items.iter().map(|item| (self.score(item), item));
        let best = scored.reduce(|best, next| if next.0.product > best.0.product { next } else { best });
        let Some((score, item)) = best else { return Comparison::default() };
        let degree = self.degree(score.product);
        let mut leaning = PreferenceScore {
            degree: round(degree),
            terms: round(self.degree(score.similarity)),
            vector: round(score.by_vector * unit(&score, degree)),
            voice: round(score.voice()),
            source: round(score.source),
            author: round(score.author),
            because: self.because(&score, item, degree),
            ..PreferenceScore::default()
        };
        self.add_similar_stories(&score.vector, items, &mut leaning);
        let has_feedback = self.remembered.iter().any(|remembered| items.iter().any(|item| item.id == remembered.item));
        Comparison { leaning, product: score.product, has_feedback }
    }

    /// Returns the degree of a product with the profile. Without positive feedback no story is liked, and without
    /// negative feedback none is disliked: a small product of the other sign comes from the texts' background.
    fn degree(&self, product: f64) -> f64 {
        let lowest = if self.disliked_weight > 0.0 { -1.0 } else { 0.0 };
        let highest = if self.liked_weight > 0.0 { 1.0 } else { 0.0 };
        self.degree_weight() * (product / SCALE).tanh().clamp(lowest, highest)
    }

    fn score(&self, item: &Candidate<'_>) -> Score {
        let title = without_markup(item.title);
        let vector = self.weigh(&title, item.features, |term| self.words.contains_key(&term));
        let by_words: f64 =
            vector.iter().filter_map(|(term, weight)| Some(self.words.get(term)?.weight * weight)).sum();
        let by_vector = self.vector.as_ref().zip(item.vector).and_then(|(profile, vector)| profile.similarity(vector));
        let by_vector = by_vector.unwrap_or(0.0);
        let similarity = by_words + by_vector;
        let rating =
            |known: &BTreeMap<String, Voice>, name: &str| known.get(&unlearnt_name(name)).map_or(0.0, Voice::rating);
        let (source, author) =
            (rating(&self.sources, item.source), item.author.map_or(0.0, |name| rating(&self.authors, name)));
        let mut score = Score { vector, by_vector, similarity, source, author, product: 0.0 };
        score.product = similarity + score.voice_bonus(score.voice());
        score
    }

    /// Returns the words, source and author with the highest weights, and their shares of the degree.
    fn because(&self, score: &Score, item: &Candidate<'_>, degree: f64) -> Vec<(String, f64)> {
        let unit = unit(score, degree);
        let words = score.vector.iter().filter_map(|(term, weight)| {
            let word = self.words.get(term)?;
            Some((word.written.clone(), word.weight * weight * unit))
        });
        let mut because: Vec<(String, f64)> = words.collect();
        because.push((item.source.to_owned(), score.voice_bonus(score.source) * unit));
        because.extend(item.author.map(|author| (author.to_owned(), score.voice_bonus(score.author) * unit)));
        because.retain(|(name, share)| share.abs() >= MIN_SHARE && !name.is_empty());
        because.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0)));
        because.truncate(MAX_REASONS);
        because.into_iter().map(|(name, share)| (name, round(share))).collect()
    }

    /// Adds the feedback on other stories that this one resembles.
    fn add_similar_stories(&self, vector: &[(Term, f64)], items: &[Candidate<'_>], leaning: &mut PreferenceScore) {
        let mut cosines = vec![0.0; self.remembered.len()];
        for (term, weight) in vector {
            for (index, other_weight) in self.with_term.get(term).into_iter().flatten() {
                cosines[*index] += weight * other_weight;
            }
        }
        let is_own = |index: usize| items.iter().any(|item| item.id == self.remembered[index].item);
        let mut near: Vec<usize> =
            (0..cosines.len()).filter(|index| cosines[*index] >= MIN_COSINE && !is_own(*index)).collect();
        near.sort_by(|a, b| cosines[*b].total_cmp(&cosines[*a]).then(a.cmp(b)));
        // An item that was both liked and saved counts once, as liked.
        let mut stories: BTreeMap<ItemId, FeedbackKind> = BTreeMap::new();
        for index in near {
            let Remembered { item, kind, title } = &self.remembered[index];
            let is_new = !stories.contains_key(item);
            if is_new || matches!(kind, FeedbackKind::Like | FeedbackKind::Dislike) {
                stories.insert(*item, *kind);
            }
            if is_new && kind.weight() > 0.0 && leaning.like.len() < MAX_REASONS {
                leaning.like.push(title.clone());
            }
        }
        let count = |kind: FeedbackKind| stories.values().filter(|of| **of == kind).count();
        (leaning.saved_stories, leaning.skipped_stories) = (count(FeedbackKind::Save), count(FeedbackKind::Skip));
        leaning.liked_stories = count(FeedbackKind::Like) + leaning.saved_stories;
        leaning.disliked_stories = count(FeedbackKind::Dislike) + leaning.skipped_stories;
    }
}

/// Returns the part of a degree that a unit of the product stands for.
fn unit(score: &Score, degree: f64) -> f64 {
    if score.product == 0.0 { 0.0 } else { degree / score.product }
}

/// The score of a story's item.
struct Score {
    vector: Vec<(Term, f64)>,
    by_vector: f64,
    /// By words and vectors.
    similarity: f64,
    source: f64,
    author: f64,
    /// The total.
    product: f64,
}

impl Score {
    fn voice(&self) -> f64 {
        (self.source + self.author).clamp(-1.0, 1.0)
    }

    /// Returns the contribution of a rating of source or author.
    fn voice_bonus(&self, voice: f64) -> f64 {
        (VOICE_SHARE * self.similarity.abs() + VOICE_BONUS) * voice
    }
}
