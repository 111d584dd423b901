//! What was said, learnt: Rocchio's profile.

use std::collections::{BTreeMap, BTreeSet};

use aha_core::feedback::{FeedbackEvent, FeedbackKind};
use aha_core::ids::ItemId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::sums::{DISLIKED, Sum, VectorProfile};
use super::writings::Writings;
use super::{Background, Fading, Said};
use crate::stories::features::Features;
use crate::stories::features::{LEAD, WORDS};
use crate::stories::learnable::{learnable, without_markup};
use crate::stories::similarity::Frequencies;
use crate::stories::tokens::tokens_as;
use crate::stories::vocabulary::{Kind, Term};

/// Words of a text by which a saying remembers it when the text itself is gone: of the title and the opening.
const TERMS: usize = 40;
const OPENING_CHARS: usize = 400;

/// What a word counts for by where it stands: 4 in the title, 1 in the opening, ½ further down. The counts of the opening and of the whole
/// text hold the title's words, too.
const TITLE: f64 = 3.0;
const OPENING: f64 = 0.5;
const ANYWHERE: f64 = 0.5;

/// A saying that has faded to less than this is resembled no more.
const REMEMBERED: f64 = 0.1;

/// What the mean of everything counts for beside that of the liked.
const EVERYTHING: f64 = 0.5;

/// Sayings of neither like nor dislike that a voice is taken to have besides.
const UNSAID_OF_VOICE: f64 = 3.0;

/// What was learnt.
#[derive(Debug, Default)]
pub struct Profile {
    frequencies: Frequencies,
    pub(super) words: FxHashMap<Term, Word>,
    pub(super) vector: Option<VectorProfile>,
    pub(super) sources: BTreeMap<String, Voice>,
    pub(super) authors: BTreeMap<String, Voice>,
    /// What stories may resemble, and where its terms are found.
    pub(super) remembered: Vec<Remembered>,
    pub(super) with_term: FxHashMap<Term, Vec<(usize, f64)>>,
}

/// A learnt word, as texts write it.
#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    pub(super) written: String,
    pub(super) weight: f64,
}

/// A source or an author.
#[derive(Debug, Clone, Default)]
pub(super) struct Voice {
    pub(super) written: String,
    sum: f64,
    sayings: f64,
}

#[derive(Debug)]
pub(super) struct Remembered {
    pub(super) item: ItemId,
    pub(super) kind: FeedbackKind,
    pub(super) title: String,
}

/// The words of a text that a saying remembers, without repetition.
#[must_use]
pub fn terms_of(title: &str, body: &str) -> Vec<String> {
    let opening: String = body.chars().take(OPENING_CHARS).collect();
    let (title, opening) = (without_markup(title), without_markup(&opening));
    let mut seen = FxHashSet::default();
    let words = learnable(&title).chain(learnable(&opening)).filter(|token| seen.insert(token.term));
    words.map(|token| token.written.to_lowercase()).take(TERMS).collect()
}

/// What names a word in the list of the unlearnt: all forms of it have one. A source or author is named by its name in lower case.
#[must_use]
pub fn unlearnt_name(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Whether two names of what was unlearnt are forms of one word.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    only_term(one).is_some_and(|term| only_term(other) == Some(term))
}

impl Profile {
    #[must_use]
    pub fn of(said: &[Said], unlearnt: &BTreeSet<String>, background: &Background, fading: Fading) -> Self {
        let frequencies = Frequencies::of(background.features.iter().map(|features| &**features));
        let mut profile = Self { frequencies, ..Self::default() };
        let unlearnt_terms: FxHashSet<Term> = unlearnt.iter().filter_map(|name| only_term(name)).collect();
        let mut writings = Writings::default();
        let (mut liked, mut disliked) = (Sum::default(), Sum::default());
        for one in said {
            let weight = fading.weight(&one.event);
            let vector = profile.saying(one, &unlearnt_terms, &mut writings);
            let sum = if weight > 0.0 { &mut liked } else { &mut disliked };
            sum.add(weight.abs(), &vector, one.vector.as_deref());
            profile.remember(one, weight, &vector);
            profile.add_voices(&one.event, weight, unlearnt);
        }
        profile.learn_words(&liked, &disliked, background, &writings);
        profile.vector = VectorProfile::of(&liked, &disliked, background.baseline);
        profile
    }

    /// The terms of what was said that may be learnt, weighted.
    fn saying(&self, said: &Said, unlearnt: &FxHashSet<Term>, writings: &mut Writings) -> Vec<(Term, f64)> {
        let remembered = said.event.terms.join(" ");
        let body = said.body.as_deref().filter(|body| !body.trim().is_empty()).unwrap_or(&remembered);
        let (title, body) = (without_markup(&said.event.title), without_markup(body));
        let mut may_be_learnt = writings.read(&title);
        may_be_learnt.extend(writings.read(&body));
        may_be_learnt.retain(|term| !unlearnt.contains(term));
        let mut vector = self.weigh(&title, &Features::of(Some(&title), &body), |term| may_be_learnt.contains(&term));
        vector.retain(|(term, _)| may_be_learnt.contains(term));
        vector
    }

    /// A text's terms by rising term, as a vector of length 1: (1 + ln tf) · ln(1 + N / df). Numbers count as far as `is_known`.
    pub(super) fn weigh(&self, title: &str, features: &Features, is_known: impl Fn(Term) -> bool) -> Vec<(Term, f64)> {
        let mut in_title: FxHashMap<Term, f64> = FxHashMap::default();
        for token in tokens_as(title, Term::of_word) {
            *in_title.entry(token.term).or_default() += TITLE;
        }
        let counted = features.terms().iter().filter(|counted| match counted.term.kind() {
            Kind::Matter => true,
            Kind::Form => false,
            Kind::Number => is_known(counted.term),
        });
        let mut vector: Vec<(Term, f64)> = counted
            .map(|counted| {
                let times = |part: usize| f64::from(counted.times[part]);
                let title = in_title.get(&counted.term).copied().unwrap_or(0.0);
                let frequency = ANYWHERE * times(WORDS) + OPENING * times(LEAD) + title;
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

    fn remember(&mut self, said: &Said, weight: f64, vector: &[(Term, f64)]) {
        if weight.abs() < REMEMBERED || said.event.kind == FeedbackKind::Read {
            return;
        }
        for (term, weight) in vector {
            self.with_term.entry(*term).or_default().push((self.remembered.len(), *weight));
        }
        let FeedbackEvent { item_id, kind, title, .. } = &said.event;
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
            voice.sayings += weight.abs();
        }
    }

    fn learn_words(&mut self, liked: &Sum, disliked: &Sum, background: &Background, writings: &Writings) {
        let everywhere = self.everywhere(background, &liked.terms);
        let terms: BTreeSet<Term> = liked.terms.keys().chain(disliked.terms.keys()).copied().collect();
        for term in terms {
            let usual =
                if liked.terms.contains_key(&term) { everywhere.get(&term).copied().unwrap_or(0.0) } else { 0.0 };
            let weight = liked.mean(term) - DISLIKED * disliked.mean(term) - EVERYTHING * liked.share() * usual;
            self.words.insert(term, Word { written: writings.of(term), weight });
        }
    }

    /// Of some terms the mean weight in all texts.
    fn everywhere(&self, background: &Background, wanted: &FxHashMap<Term, f64>) -> FxHashMap<Term, f64> {
        let mut sums: FxHashMap<Term, f64> = FxHashMap::default();
        for features in &background.features {
            for (term, weight) in self.weigh("", features, |term| wanted.contains_key(&term)) {
                if wanted.contains_key(&term) {
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

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.sources.is_empty() && self.authors.is_empty()
    }

    /// Whether something was learnt of a word, in any of its forms, or of a source or author of that name.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        let key = unlearnt_name(name);
        let is_word = only_term(&key).is_some_and(|term| self.words.contains_key(&term));
        is_word || self.sources.contains_key(&key) || self.authors.contains_key(&key)
    }
}

impl Voice {
    pub(super) fn rating(&self) -> f64 {
        self.sum / (self.sayings + UNSAID_OF_VOICE)
    }
}

/// The term of a name that is a single word.
fn only_term(name: &str) -> Option<Term> {
    let mut words = learnable(name);
    let term = words.next().map(|token| token.term);
    let is_alone = words.next().is_none() && !name.trim().contains(char::is_whitespace);
    term.filter(|_| is_alone)
}

#[expect(clippy::cast_precision_loss, reason = "counts of items")]
const fn number(count: usize) -> f64 {
    count as f64
}
