//! Scores a story against the learnt profile.

use std::collections::BTreeMap;

use aha_core::feedback::{FeedbackKind, PreferenceScore};
use aha_core::ids::ItemId;

use super::profile::{Profile, Remembered, Voice, Word, unlearnt_name};
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

    /// Returns the degree of a product with the profile. Without positive feedback no story is liked: a small product
    /// comes from the texts' background.
    fn degree(&self, product: f64) -> f64 {
        let highest = if self.liked_weight > 0.0 { 1.0 } else { 0.0 };
        self.degree_weight() * (product / SCALE).tanh().min(highest)
    }

    /// Returns the score of an item. One that is unlike what was liked is disliked only as far as it is like what was
    /// disliked: otherwise a single dislike would reduce whatever the likes have nothing to do with.
    fn score(&self, item: &Candidate<'_>) -> Score {
        let title = without_markup(item.title);
        let vector = self.weigh(&title, item.features, |term| self.words.contains_key(&term));
        let of_all = self.score_by(item, &vector, Feedback::All);
        if of_all.product >= 0.0 {
            return Score { vector, ..of_all };
        }
        let of_disliked = self.score_by(item, &vector, Feedback::Disliked);
        Score { vector, ..if of_disliked.product > of_all.product { of_disliked } else { of_all } }
    }

    /// Scores an item by all feedback or by dislikes; in the latter case the product is 0 or less.
    fn score_by(&self, item: &Candidate<'_>, vector: &[(Term, f64)], feedback: Feedback) -> Score {
        let by_words: f64 =
            vector.iter().filter_map(|(term, weight)| Some(feedback.weight_of(self.words.get(term)?) * weight)).sum();
        let (profile, highest) = match feedback {
            Feedback::All => (&self.vector, f64::INFINITY),
            Feedback::Disliked => (&self.disliked_vector, 0.0),
        };
        let by_vector = profile.as_ref().zip(item.vector).and_then(|(profile, vector)| profile.similarity(vector));
        let by_vector = by_vector.unwrap_or(0.0).min(highest);
        let rating = |known: &BTreeMap<String, Voice>, name: &str| {
            known.get(&unlearnt_name(name)).map_or(0.0, Voice::rating).min(highest)
        };
        let (source, author) =
            (rating(&self.sources, item.source), item.author.map_or(0.0, |name| rating(&self.authors, name)));
        let similarity = by_words + by_vector;
        let mut score = Score { vector: Vec::new(), feedback, by_vector, similarity, source, author, product: 0.0 };
        score.product = similarity + score.voice_bonus(score.voice());
        score
    }

    /// Returns the words, source and author with the highest weights, and their shares of the degree.
    fn because(&self, score: &Score, item: &Candidate<'_>, degree: f64) -> Vec<(String, f64)> {
        let unit = unit(score, degree);
        let words = score.vector.iter().filter_map(|(term, weight)| {
            let word = self.words.get(term)?;
            Some((word.written.clone(), score.feedback.weight_of(word) * weight * unit))
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

/// The feedback that a score comes from.
#[derive(Debug, Clone, Copy)]
enum Feedback {
    All,
    Disliked,
}

impl Feedback {
    const fn weight_of(self, word: &Word) -> f64 {
        match self {
            Self::All => word.weight,
            Self::Disliked => word.disliked_weight,
        }
    }
}

/// The score of a story's item.
struct Score {
    vector: Vec<(Term, f64)>,
    feedback: Feedback,
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
