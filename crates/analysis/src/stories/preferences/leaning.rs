//! How a story stands with what was learnt.

use std::collections::BTreeMap;

use aha_core::feedback::{FeedbackKind, Leaning};
use aha_core::ids::ItemId;

use super::profile::{Profile, Remembered, Voice, unlearnt_name};
use super::{Candidate, round};
use crate::stories::learnable::without_markup;
use crate::stories::vocabulary::Term;

/// What likeness by vectors counts for beside likeness by words, which is mostly much smaller.
const VECTORS: f64 = 0.1;

/// What source and author raise a likeness by, as a share of it, and what they are worth by themselves.
const VOICE_SHARE: f64 = 0.25;
const VOICE: f64 = 0.005;

/// A product of profile and story that makes a degree of tanh 1: a twentieth of the stories that a reader wants reach twice as much.
const SCALE: f64 = 0.05;

/// From this cosine on a story is said to resemble another.
const RESEMBLES: f64 = 0.1;

/// Told with a story's score.
const TOLD: usize = 5;

/// A share of a degree that is told.
const LEAST_SHARE: f64 = 0.01;

impl Profile {
    /// How a story stands with the user: as that of its items which is nearest to what was liked.
    #[must_use]
    pub fn leaning(&self, items: &[Candidate<'_>]) -> Leaning {
        let scored = items.iter().map(|item| (self.score(item), item));
        let best = scored.reduce(|best, next| if next.0.product > best.0.product { next } else { best });
        let Some((score, item)) = best else { return Leaning::default() };
        let degree = (score.product / SCALE).tanh();
        let mut leaning = Leaning {
            degree: round(degree),
            terms: round((score.likeness / SCALE).tanh()),
            voice: round(score.voice()),
            source: round(score.source),
            author: round(score.author),
            because: self.because(&score, item, degree),
            ..Leaning::default()
        };
        self.resembled(&score.vector, items, &mut leaning);
        leaning
    }

    fn score(&self, item: &Candidate<'_>) -> Score {
        let title = without_markup(item.title);
        let vector = self.weigh(&title, item.features, |term| self.words.contains_key(&term));
        let by_words: f64 =
            vector.iter().filter_map(|(term, weight)| Some(self.words.get(term)?.weight * weight)).sum();
        let by_vector = self.vector.as_ref().zip(item.vector).and_then(|(profile, vector)| profile.likeness(vector));
        let likeness = by_words + VECTORS * by_vector.unwrap_or(0.0);
        let rating =
            |known: &BTreeMap<String, Voice>, name: &str| known.get(&unlearnt_name(name)).map_or(0.0, Voice::rating);
        let (source, author) =
            (rating(&self.sources, item.source), item.author.map_or(0.0, |name| rating(&self.authors, name)));
        let mut score = Score { vector, likeness, source, author, product: 0.0 };
        score.product = likeness + score.by_voice(score.voice());
        score
    }

    /// The words, source and author that weigh most, with their shares of the degree.
    fn because(&self, score: &Score, item: &Candidate<'_>, degree: f64) -> Vec<(String, f64)> {
        let unit = if score.product == 0.0 { 0.0 } else { degree / score.product };
        let words = score.vector.iter().filter_map(|(term, weight)| {
            let word = self.words.get(term)?;
            Some((word.written.clone(), word.weight * weight * unit))
        });
        let mut because: Vec<(String, f64)> = words.collect();
        because.push((item.source.to_owned(), score.by_voice(score.source) * unit));
        because.extend(item.author.map(|author| (author.to_owned(), score.by_voice(score.author) * unit)));
        because.retain(|(name, share)| share.abs() >= LEAST_SHARE && !name.is_empty());
        because.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(&b.0)));
        because.truncate(TOLD);
        because.into_iter().map(|(name, share)| (name, round(share))).collect()
    }

    /// What was said of other stories that this one is like.
    fn resembled(&self, vector: &[(Term, f64)], items: &[Candidate<'_>], leaning: &mut Leaning) {
        let mut cosines = vec![0.0; self.remembered.len()];
        for (term, weight) in vector {
            for (place, theirs) in self.with_term.get(term).into_iter().flatten() {
                cosines[*place] += weight * theirs;
            }
        }
        let is_own = |place: usize| items.iter().any(|item| item.id == self.remembered[place].item);
        let mut near: Vec<usize> =
            (0..cosines.len()).filter(|place| cosines[*place] >= RESEMBLES && !is_own(*place)).collect();
        near.sort_by(|a, b| cosines[*b].total_cmp(&cosines[*a]).then(a.cmp(b)));
        // An item that was both liked and saved is one story, and liked.
        let mut stories: BTreeMap<ItemId, FeedbackKind> = BTreeMap::new();
        for place in near {
            let Remembered { item, kind, title } = &self.remembered[place];
            let is_new = !stories.contains_key(item);
            if is_new || matches!(kind, FeedbackKind::Like | FeedbackKind::Dislike) {
                stories.insert(*item, *kind);
            }
            if is_new && kind.weight() > 0.0 && leaning.like.len() < TOLD {
                leaning.like.push(title.clone());
            }
        }
        let count = |kind: FeedbackKind| stories.values().filter(|of| **of == kind).count();
        (leaning.saved_stories, leaning.skipped_stories) = (count(FeedbackKind::Save), count(FeedbackKind::Skip));
        leaning.liked_stories = count(FeedbackKind::Like) + leaning.saved_stories;
        leaning.disliked_stories = count(FeedbackKind::Dislike) + leaning.skipped_stories;
    }
}

/// What a story's item comes to.
struct Score {
    vector: Vec<(Term, f64)>,
    /// By words and vectors.
    likeness: f64,
    source: f64,
    author: f64,
    /// By all of it.
    product: f64,
}

impl Score {
    fn voice(&self) -> f64 {
        (self.source + self.author).clamp(-1.0, 1.0)
    }

    /// What a voice so much liked adds.
    fn by_voice(&self, voice: f64) -> f64 {
        (VOICE_SHARE * self.likeness.abs() + VOICE) * voice
    }
}
