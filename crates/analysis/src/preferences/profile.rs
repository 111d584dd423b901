//! Rocchio's profile, learnt from feedback.

use std::collections::{BTreeMap, BTreeSet};

use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::ItemId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::spellings::Spellings;
use super::sums::{DISLIKED_WEIGHT, Sum, VectorProfile};
use super::{Background, FeedbackDecay, FeedbackExample, round};
use crate::relevance::places::Places;
use crate::text::features::Features;
use crate::text::features::{LEAD, WORDS};
use crate::text::learnable::{learnable, without_markup};
use crate::text::similarity::Frequencies;
use crate::text::tokens::tokens_as;
use crate::text::vocabulary::{Kind, Term};

/// Maximum words of title and opening that are stored with feedback, used if the text itself has been deleted.
const MAX_TERMS: usize = 40;
const OPENING_CHARS: usize = 400;

/// The weight of a word by position: 4 in the title, 1 in the opening, ½ after it. The counts of the opening and of the
/// whole text include the title's words.
const TITLE_WEIGHT: f64 = 3.0;
const OPENING_WEIGHT: f64 = 0.5;
const BASE_WEIGHT: f64 = 0.5;

/// Minimum decayed weight of feedback that stories can resemble.
const MIN_REMEMBERED_WEIGHT: f64 = 0.1;

/// The weight of the mean of all texts relative to that of the liked ones.
const BACKGROUND_WEIGHT: f64 = 0.5;

/// Number of likes and dislikes, decayed, at which feedback decides by 1 − e⁻¹.
const FEEDBACK_SCALE: f64 = 0.5;

/// Weight of neutral feedback that each source and author is assumed to have in addition.
const PRIOR_WEIGHT: f64 = 3.0;

/// The learnt profile.
#[derive(Debug, Default)]
pub struct Profile {
    frequencies: Frequencies,
    /// The total decayed weight of the positive feedback, and of the negative.
    pub(super) liked_weight: f64,
    pub(super) disliked_weight: f64,
    pub(super) words: FxHashMap<Term, Word>,
    pub(super) vector: Option<VectorProfile>,
    pub(super) disliked_vector: Option<VectorProfile>,
    pub(super) sources: BTreeMap<String, Voice>,
    pub(super) authors: BTreeMap<String, Voice>,
    /// The feedback that stories may resemble, and an index of its terms.
    pub(super) remembered: Vec<Remembered>,
    pub(super) with_term: FxHashMap<Term, Vec<(usize, f64)>>,
}

/// A learnt word, as texts write it.
#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    pub(super) written: String,
    pub(super) weight: f64,
    /// The part of the weight that comes from disliked texts, as far as they have the word more often than texts in
    /// general; 0 or less.
    pub(super) disliked_weight: f64,
}

/// A source or an author.
#[derive(Debug, Clone, Default)]
pub(super) struct Voice {
    pub(super) written: String,
    sum: f64,
    total_weight: f64,
}

#[derive(Debug)]
pub(super) struct Remembered {
    pub(super) item: ItemId,
    pub(super) kind: FeedbackKind,
    pub(super) title: String,
}

/// Returns the words of a text that are stored with feedback, without repetition.
#[must_use]
pub fn terms_of(title: &str, body: &str) -> Vec<String> {
    let opening: String = body.chars().take(OPENING_CHARS).collect();
    let (title, opening) = (without_markup(title), without_markup(&opening));
    let mut seen = FxHashSet::default();
    let words = learnable(&title).chain(learnable(&opening)).filter(|token| seen.insert(token.term));
    words.map(|token| token.written.to_lowercase()).take(MAX_TERMS).collect()
}

/// Returns the key of a name in the unlearnt list. All forms of a word match the same entry; a source or author is
/// identified by its name in lower case.
#[must_use]
pub fn unlearnt_name(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Returns whether two unlearnt names are forms of one word.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    only_term(one).is_some_and(|term| only_term(other) == Some(term))
}

impl Profile {
    #[must_use]
    pub fn of(
        examples: &[FeedbackExample],
        unlearnt: &BTreeSet<String>,
        background: &Background,
        decay: FeedbackDecay,
    ) -> Self {
        let frequencies = Frequencies::of(background.features.iter().map(|features| &**features));
        let mut profile = Self { frequencies, ..Self::default() };
        let unlearnt_terms: FxHashSet<Term> = unlearnt.iter().filter_map(|name| only_term(name)).collect();
        let mut spellings = Spellings::default();
        let (mut liked, mut disliked) = (Sum::default(), Sum::default());
        for example in examples {
            let weight = decay.weight(&example.event);
            let vector = profile.example_terms(example, &unlearnt_terms, &mut spellings);
            let sum = if weight > 0.0 { &mut liked } else { &mut disliked };
            sum.add(weight.abs(), &vector, example.vector.as_deref());
            profile.remember(example, weight, &vector);
            profile.add_voices(&example.event, weight, unlearnt);
        }
        (profile.liked_weight, profile.disliked_weight) = (liked.weight, disliked.weight);
        profile.learn_words(&liked, &disliked, background, &spellings);
        profile.vector = VectorProfile::of(&liked, &disliked, background);
        profile.disliked_vector = VectorProfile::of_disliked(&disliked, background);
        profile
    }

    /// Returns the weighted terms of a feedback example that may be learnt.
    fn example_terms(
        &self,
        example: &FeedbackExample,
        unlearnt: &FxHashSet<Term>,
        spellings: &mut Spellings,
    ) -> Vec<(Term, f64)> {
        let remembered = example.event.terms.join(" ");
        let body = example.body.as_deref().filter(|body| !body.trim().is_empty()).unwrap_or(&remembered);
        let (title, body) = (without_markup(&example.event.title), without_markup(body));
        let mut learnable_terms = spellings.read(&title);
        learnable_terms.extend(spellings.read(&body));
        learnable_terms.retain(|term| !unlearnt.contains(term));
        let mut vector = self.weigh(&title, &Features::of(Some(&title), &body), |term| learnable_terms.contains(&term));
        vector.retain(|(term, _)| learnable_terms.contains(term));
        vector
    }

    /// Returns a text's terms in ascending order, as a unit vector: (1 + ln tf) · ln(1 + N / df). Numbers count only if
    /// `is_known`.
    pub(super) fn weigh(&self, title: &str, features: &Features, is_known: impl Fn(Term) -> bool) -> Vec<(Term, f64)> {
        let mut in_title: FxHashMap<Term, f64> = FxHashMap::default();
        for token in tokens_as(title, Term::of_word) {
            *in_title.entry(token.term).or_default() += TITLE_WEIGHT;
        }
        let counted = features.terms().iter().filter(|counted| match counted.term.kind() {
            Kind::Subject => true,
            Kind::Form => false,
            Kind::Number => is_known(counted.term),
        });
        let mut vector: Vec<(Term, f64)> = counted
            .map(|counted| {
                let times = |part: usize| f64::from(counted.times[part]);
                let title = in_title.get(&counted.term).copied().unwrap_or(0.0);
                let frequency = BASE_WEIGHT * times(WORDS) + OPENING_WEIGHT * times(LEAD) + title;
                let damped = if frequency >= 1.0 { 1.0 + frequency.ln() } else { frequency };
                (counted.term, damped * self.frequencies.inverse_of_term(counted.term))
            })
            .collect();
        let length = vector.iter().map(|(_, weight)| weight.powi(2)).sum::<f64>().sqrt();
        if length > 0.0 {
            for (_, weight) in &mut vector {
                *weight /= length;
            }
        }
        vector
    }

    fn remember(&mut self, example: &FeedbackExample, weight: f64, vector: &[(Term, f64)]) {
        if weight.abs() < MIN_REMEMBERED_WEIGHT || example.event.kind == FeedbackKind::Read {
            return;
        }
        for (term, weight) in vector {
            self.with_term.entry(*term).or_default().push((self.remembered.len(), *weight));
        }
        let FeedbackEvent { item_id, kind, title, .. } = &example.event;
        self.remembered.push(Remembered { item: *item_id, kind: *kind, title: title.clone() });
    }

    fn add_voices(&mut self, event: &FeedbackEvent, weight: f64, unlearnt: &BTreeSet<String>) {
        let voices = [(&mut self.sources, Some(&event.source)), (&mut self.authors, event.author.as_ref())];
        for (known, name) in voices {
            let Some(name) = name.filter(|name| !name.trim().is_empty()) else { continue };
            let key = unlearnt_name(name);
            if unlearnt.contains(&key) {
                continue;
            }
            let voice = known.entry(key).or_default();
            name.clone_into(&mut voice.written);
            voice.sum += weight;
            voice.total_weight += weight.abs();
        }
    }

    fn learn_words(&mut self, liked: &Sum, disliked: &Sum, background: &Background, spellings: &Spellings) {
        let terms: BTreeSet<Term> = liked.terms.keys().chain(disliked.terms.keys()).copied().collect();
        let background_means = self.background_means(background, &terms);
        for term in terms {
            let written = spellings.of(term);
            let background_mean = background_means.get(&term).copied().unwrap_or(0.0);
            // What is disliked about an event is hardly ever where it took place.
            let is_place = || spellings.is_capitalised(term) && Places::shipped().is_named_by(&written);
            let is_disliked_place = disliked.terms.contains_key(&term) && is_place();
            let disliked_share = if is_disliked_place { disliked.share_of_place(term) } else { 1.0 };
            let excess = |sum: &Sum| sum.mean(term) - BACKGROUND_WEIGHT * sum.share() * background_mean;
            let liked_weight = if liked.terms.contains_key(&term) { excess(liked) } else { 0.0 };
            let disliked_factor = -DISLIKED_WEIGHT * disliked_share;
            let weight = liked_weight + disliked_factor * disliked.mean(term);
            let disliked_weight = disliked_factor * excess(disliked).max(0.0);
            self.words.insert(term, Word { written, weight, disliked_weight });
        }
    }

    /// Returns the mean weight of the `wanted` terms in all texts.
    fn background_means(&self, background: &Background, wanted: &BTreeSet<Term>) -> FxHashMap<Term, f64> {
        let mut sums: FxHashMap<Term, f64> = FxHashMap::default();
        for features in &background.features {
            for (term, weight) in self.weigh("", features, |term| wanted.contains(&term)) {
                if wanted.contains(&term) {
                    *sums.entry(term).or_default() += weight;
                }
            }
        }
        let count = number(background.features.len().max(1));
        for sum in sums.values_mut() {
            *sum /= count;
        }
        sums
    }

    /// Returns how far likes take the place of general worth, 0 to 1: 1 − e^(−2 n) for n likes, decayed. A first like
    /// counts nearly in full (`docs/RANKING.md`), and the last one fades without a jump. A dislike does not say what is
    /// wanted, so general worth stays.
    #[must_use]
    pub fn feedback_weight(&self) -> f64 {
        round(saturation(self.liked_weight))
    }

    /// Returns the factor of all degrees, 0 to 1, which likes and dislikes raise alike.
    pub(super) fn degree_weight(&self) -> f64 {
        saturation(self.liked_weight + self.disliked_weight)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.sources.is_empty() && self.authors.is_empty()
    }

    /// Returns whether something was learnt about a word, in any of its forms, or about a source or author with that
    /// name.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        let key = unlearnt_name(name);
        let is_word = only_term(&key).is_some_and(|term| self.words.contains_key(&term));
        is_word || self.sources.contains_key(&key) || self.authors.contains_key(&key)
    }
}

impl Voice {
    pub(super) fn rating(&self) -> f64 {
        self.sum / (self.total_weight + PRIOR_WEIGHT)
    }
}

/// Returns the term of a name that is a single word.
fn only_term(name: &str) -> Option<Term> {
    let mut words = learnable(name);
    let term = words.next().map(|token| token.term);
    let is_alone = words.next().is_none() && !name.trim().contains(char::is_whitespace);
    term.filter(|_| is_alone)
}

/// Returns 0 for no feedback and nearly 1 for some.
fn saturation(feedback: f64) -> f64 {
    1.0 - (-feedback / FEEDBACK_SCALE).exp()
}

#[expect(clippy::cast_precision_loss, reason = "counts of items")]
const fn number(count: usize) -> f64 {
    count as f64
}
