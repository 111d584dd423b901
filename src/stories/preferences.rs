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

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use super::dense::{Baseline, DenseVector};
use super::features::Features;
use super::learnable::{learnable, without_markup};
use super::similarity::{Frequencies, LEAD, WORDS};
use super::tokens::tokens_as;
use super::vocabulary::{Kind, Term};
use crate::domain::feedback::{FeedbackEvent, FeedbackKind, Leaning};
use crate::domain::ids::ItemId;
use crate::domain::time::Timestamp;

/// Words of a text by which a saying remembers it when the text itself is gone: of the title and the opening.
const TERMS: usize = 40;
const OPENING_CHARS: usize = 400;

/// What a word counts for by where it stands: 4 in the title, 1 in the opening, ½ further down. The counts of the opening and of the whole
/// text hold the title's words, too.
const TITLE: f64 = 3.0;
const OPENING: f64 = 0.5;
const ANYWHERE: f64 = 0.5;

/// What the mean of the disliked counts for beside that of the liked, and what the mean of everything does.
const DISLIKED: f64 = 0.5;
const EVERYTHING: f64 = 0.5;

/// Sayings that a mean is taken over besides those there are, of a text without words, and of neither like nor dislike for a voice.
const UNSAID: f64 = 1.0;
const UNSAID_OF_VOICE: f64 = 3.0;

/// What likeness by vectors counts for beside likeness by words, which is mostly much smaller.
const VECTORS: f64 = 0.1;

/// What source and author raise a likeness by, as a share of it, and what they are worth by themselves.
const VOICE_SHARE: f64 = 0.25;
const VOICE: f64 = 0.005;

/// A product of profile and story that makes a degree of tanh 1: a twentieth of the stories that a reader wants reach twice as much.
const SCALE: f64 = 0.05;

/// From this cosine on a story is said to resemble another.
const RESEMBLES: f64 = 0.1;

/// A word is written with a capital letter where more than three of four texts do.
const MOSTLY_CAPITALS: usize = 4;

/// A saying that has faded to less than this is resembled no more.
const REMEMBERED: f64 = 0.1;

/// Told with a story's score, on each side of the summary, and on each side of what is listed as learnt.
const TOLD: usize = 5;
const SUMMARISED: usize = 8;
const LISTED: usize = 15;

/// A share of a degree that is told; a word's or voice's weight beside the strongest that is.
const LEAST_SHARE: f64 = 0.01;
const LEAST_STRENGTH: f64 = 0.15;

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

/// What was learnt.
#[derive(Debug, Default)]
pub struct Profile {
    frequencies: Frequencies,
    words: FxHashMap<Term, Word>,
    vector: Option<VectorProfile>,
    sources: BTreeMap<String, Voice>,
    authors: BTreeMap<String, Voice>,
    /// What stories may resemble, and where its terms are found.
    remembered: Vec<Remembered>,
    with_term: FxHashMap<Term, Vec<(usize, f64)>>,
}

/// A learnt word, as texts write it.
#[derive(Debug, Clone, Default)]
struct Word {
    written: String,
    weight: f64,
}

/// The profile over vectors, and the part of a cosine with it that any vector has.
#[derive(Debug)]
struct VectorProfile {
    numbers: Vec<f64>,
    usual: f64,
    baseline: Baseline,
}

/// A source or an author.
#[derive(Debug, Clone, Default)]
struct Voice {
    written: String,
    sum: f64,
    sayings: f64,
}

#[derive(Debug)]
struct Remembered {
    item: ItemId,
    kind: FeedbackKind,
    title: String,
}

/// What was learnt, in words: each with its weight as a percentage of the strongest one's of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Learnt {
    pub more_of: Vec<(String, u8)>,
    pub less_of: Vec<(String, u8)>,
    pub sources_liked: Vec<(String, u8)>,
    pub sources_disliked: Vec<(String, u8)>,
    pub authors_liked: Vec<(String, u8)>,
    pub authors_disliked: Vec<(String, u8)>,
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
    fn weigh(&self, title: &str, features: &Features, is_known: impl Fn(Term) -> bool) -> Vec<(Term, f64)> {
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

    /// In words, for a model's prompt; empty while nothing was said.
    #[must_use]
    pub fn summary(&self) -> String {
        let learnt = self.learnt();
        let part = |name: &str, words: &[(String, u8)]| {
            let words: Vec<&str> = words.iter().take(SUMMARISED).map(|(word, _)| word.as_str()).collect();
            (!words.is_empty()).then(|| format!("{name}: {}", words.join(", ")))
        };
        [part("liked", &learnt.more_of), part("disliked", &learnt.less_of)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// In words, for the user.
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

    /// Whether something was learnt of a word, in any of its forms, or of a source or author of that name.
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        let key = unlearnt_name(name);
        let is_word = only_term(&key).is_some_and(|term| self.words.contains_key(&term));
        is_word || self.sources.contains_key(&key) || self.authors.contains_key(&key)
    }
}

/// The term of a name that is a single word.
fn only_term(name: &str) -> Option<Term> {
    let mut words = learnable(name);
    let term = words.next().map(|token| token.term);
    let is_alone = words.next().is_none() && !name.trim().contains(char::is_whitespace);
    term.filter(|_| is_alone)
}

/// Names with percentages of the strongest.
type Strengths = Vec<(String, u8)>;

/// Those with the most weight on either side, as percentages of the strongest of both.
fn strongest(mut all: Vec<(&str, f64)>) -> (Strengths, Strengths) {
    all.sort_by(|a, b| round(b.1.abs()).total_cmp(&round(a.1.abs())).then(a.0.cmp(b.0)));
    let most = all.first().map_or(0.0, |(_, weight)| weight.abs());
    let side = |sign: f64| {
        let of_side = all.iter().filter(|(_, weight)| weight * sign > 0.0 && weight.abs() >= LEAST_STRENGTH * most);
        of_side.take(LISTED).map(|(name, weight)| ((*name).to_owned(), percentage(weight.abs() / most))).collect()
    };
    (side(1.0), side(-1.0))
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

impl Voice {
    fn rating(&self) -> f64 {
        self.sum / (self.sayings + UNSAID_OF_VOICE)
    }
}

/// Vectors added up, each by the weight of what was said of it.
#[derive(Default)]
struct Sum {
    weight: f64,
    terms: FxHashMap<Term, f64>,
    /// Of those that have a dense vector.
    dense_weight: f64,
    dense: Vec<f64>,
}

impl Sum {
    fn add(&mut self, weight: f64, terms: &[(Term, f64)], dense: Option<&DenseVector>) {
        self.weight += weight;
        for (term, of_term) in terms {
            *self.terms.entry(*term).or_default() += weight * of_term;
        }
        let Some(numbers) = dense.map(DenseVector::numbers) else { return };
        if self.dense.is_empty() {
            self.dense = vec![0.0; numbers.len()];
        }
        if self.dense.len() == numbers.len() {
            self.dense_weight += weight;
            self.dense.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += weight * f64::from(*number));
        }
    }

    /// How much of the mean was said.
    fn share(&self) -> f64 {
        self.weight / (self.weight + UNSAID)
    }

    fn mean(&self, term: Term) -> f64 {
        self.terms.get(&term).copied().unwrap_or(0.0) / (self.weight + UNSAID)
    }
}

impl VectorProfile {
    fn of(liked: &Sum, disliked: &Sum, baseline: Option<Baseline>) -> Option<Self> {
        let baseline = baseline?;
        let length = liked.dense.len().max(disliked.dense.len());
        let mean = |sum: &Sum, place: usize| {
            let of_both = length == sum.dense.len();
            if of_both { sum.dense[place] / (sum.dense_weight + UNSAID) } else { 0.0 }
        };
        let numbers = (0..length).map(|place| mean(liked, place) - DISLIKED * mean(disliked, place)).collect();
        let share = |sum: &Sum| sum.dense_weight / (sum.dense_weight + UNSAID);
        let usual = share(liked) - DISLIKED * share(disliked);
        (length > 0).then_some(Self { numbers, usual, baseline })
    }

    /// The product with the profile as far as it is more than any vector of the space has.
    fn likeness(&self, vector: &DenseVector) -> Option<f64> {
        let numbers = vector.numbers();
        let product: f64 = self.numbers.iter().zip(numbers).map(|(mine, theirs)| mine * f64::from(*theirs)).sum();
        let baseline = self.baseline.cosine();
        (numbers.len() == self.numbers.len()).then(|| (product - self.usual * baseline) / (1.0 - baseline))
    }
}

/// How texts write each term.
#[derive(Default)]
struct Writings(FxHashMap<Term, BTreeMap<String, usize>>);

impl Writings {
    /// The terms of a text that may be learnt.
    fn read(&mut self, text: &str) -> FxHashSet<Term> {
        let mut terms = FxHashSet::default();
        for token in learnable(text) {
            let bare = token.written.strip_suffix("'s").or_else(|| token.written.strip_suffix("’s"));
            let written = bare.unwrap_or(token.written).to_owned();
            *self.0.entry(token.term).or_default().entry(written).or_default() += 1;
            terms.insert(token.term);
        }
        terms
    }

    /// The commonest writing; a capital letter stays where hardly any text does without it.
    fn of(&self, term: Term) -> String {
        let Some(all) = self.0.get(&term) else { return String::new() };
        let is_lower = |written: &str| !written.contains(char::is_uppercase);
        let count =
            |lower: bool| all.iter().filter(|(w, _)| !lower || is_lower(w)).map(|(_, times)| times).sum::<usize>();
        let has_lower = count(true) * MOSTLY_CAPITALS > count(false);
        let fitting = all.iter().filter(|(written, _)| !has_lower || is_lower(written));
        let commonest = fitting.max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.len().cmp(&a.0.len())).then(b.0.cmp(a.0)));
        commonest.map_or_else(String::new, |(written, _)| written.clone())
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of items")]
const fn number(count: usize) -> f64 {
    count as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a percentage")]
fn percentage(share: f64) -> u8 {
    (share * 100.0).round().clamp(0.0, 100.0) as u8
}

/// To six digits, so that what is stored reads back the same on either database.
fn round(value: f64) -> f64 {
    let rounded = (value * 1_000_000.0).round() / 1_000_000.0;
    // No negative zero.
    rounded + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::DAY_MS;

    const NOW: Timestamp = Timestamp::from_millis(60 * DAY_MS);
    const FADING: Fading = Fading { at: NOW, decay_days: 60.0 };

    fn said(kind: FeedbackKind, title: &str, day: i64) -> Said {
        let event = FeedbackEvent {
            item_id: ItemId::of(&[title]),
            kind,
            title: title.to_owned(),
            source: "The Wire".to_owned(),
            author: None,
            terms: terms_of(title, ""),
            given_at: Timestamp::from_millis(day * DAY_MS),
        };
        Said { event, body: None, vector: None }
    }

    fn profile(said: &[Said]) -> Profile {
        let texts =
            ["Ferries under sail", "Football transfer rumours", "Lentil soup", "A harbour at night", "Wool prices"];
        let features = texts.iter().map(|title| Arc::new(Features::of(Some(title), ""))).collect();
        Profile::of(said, &BTreeSet::new(), &Background { features, baseline: None }, FADING)
    }

    fn lean(profile: &Profile, title: &str, source: &str) -> Leaning {
        let features = Features::of(Some(title), "");
        let id = ItemId::of(&["of the story", title]);
        profile.leaning(&[Candidate { id, title, features: &features, vector: None, source, author: None }])
    }

    fn both() -> [Said; 2] {
        [
            said(FeedbackKind::Save, "Ferries under sail", 60),
            said(FeedbackKind::Dislike, "Football transfer rumours", 60),
        ]
    }

    #[test]
    fn what_was_liked_is_leant_to_and_what_was_disliked_is_not() {
        let profile = profile(&both());
        let liked = lean(&profile, "A new ferry for Skerrow", "Elsewhere");
        assert!(liked.degree > 0.1, "{liked:?}");
        assert_eq!((liked.liked_stories, liked.saved_stories, liked.disliked_stories), (1, 1, 0));
        assert_eq!(liked.like, ["Ferries under sail"]);
        assert_eq!(liked.because[0].0, "ferries");
        assert_eq!(liked.in_words().as_deref(), Some("like a story you saved"));
        let disliked = lean(&profile, "Transfer of a football star", "Elsewhere");
        assert!(disliked.degree < -0.1 && disliked.disliked_stories == 1, "{disliked:?}");
        assert_eq!(lean(&profile, "Lentil soup", "Elsewhere"), Leaning::default());
        assert_eq!(profile.summary(), "liked: ferries, sail; disliked: football, rumours, transfer");
    }

    #[test]
    fn a_saying_fades_and_one_of_later_counts_in_full() {
        let of = |day| FADING.weight(&said(FeedbackKind::Like, "Ferries", day).event);
        assert!((of(0) - (-1.0_f64).exp()).abs() < 1e-12 && (of(70) - 1.0).abs() < 1e-12);
        let degree = |day| lean(&profile(&[said(FeedbackKind::Like, "Ferries", day)]), "Ferries at quays", "x").terms;
        assert!(degree(0) < degree(60), "{} {}", degree(0), degree(60));
    }

    #[test]
    fn no_number_of_likes_passes_the_bounds() {
        let said: Vec<Said> = (0..1000).map(|_| said(FeedbackKind::Like, "Ferries", 60)).collect();
        let leaning = lean(&profile(&said), "Ferries", "the wire");
        assert!(leaning.degree <= 1.0 && leaning.voice <= 1.0 && leaning.voice > 0.99, "{leaning:?}");
    }

    #[test]
    fn a_source_alone_moves_little_and_is_told() {
        let said: Vec<Said> = (0..9).map(|n| said(FeedbackKind::Like, &format!("ferry{n} sails"), 60)).collect();
        let leaning = lean(&profile(&said), "Lentil soup", "The Wire");
        assert!(leaning.degree > 0.05 && leaning.degree < 0.15, "{leaning:?}");
        assert_eq!(leaning.in_words().as_deref(), Some("from a source you like"));
        assert_eq!(leaning.because[0].0, "The Wire");
    }

    #[test]
    fn what_is_unlearnt_moves_nothing_more() {
        let of = |names: &[&str]| {
            let unlearnt = names.iter().map(|name| unlearnt_name(name)).collect();
            Profile::of(&both(), &unlearnt, &Background::default(), FADING)
        };
        assert!(of(&[]).knows("Ferry") && of(&[]).knows("the wire") && !of(&[]).knows("soup"));
        let without = of(&["Ferry", "The Wire"]);
        assert!(!without.knows("ferries") && !without.knows("The Wire"));
        assert_eq!(lean(&without, "A ferry", "The Wire"), Leaning::default());
        assert!(of(&["The Wire"]).knows("sail"), "a name of several words is no word");
    }

    #[test]
    fn vectors_count_where_both_have_one() {
        let vector = |numbers: [f32; 2]| DenseVector::from_bytes(&DenseVector::to_bytes(&numbers)).map(Arc::new);
        let texts: Vec<Arc<DenseVector>> =
            (0..10_u8).filter_map(|n| vector([f32::from(n % 2), f32::from((n + 1) % 2)])).collect();
        let baseline = Baseline::of(&texts.iter().map(|vector| &**vector).collect::<Vec<_>>());
        let liked = Said { vector: vector([1.0, 0.0]), ..said(FeedbackKind::Like, "Ferries", 60) };
        let background = Background { features: Vec::new(), baseline };
        let profile = Profile::of(&[liked], &BTreeSet::new(), &background, FADING);
        let features = Features::of(Some("Boats"), "");
        let degree = |vector: Option<Arc<DenseVector>>| {
            let candidate = Candidate {
                id: ItemId::of(&["boats"]),
                title: "Boats",
                features: &features,
                vector: vector.as_deref(),
                source: "Elsewhere",
                author: None,
            };
            profile.leaning(&[candidate]).degree
        };
        assert!(degree(vector([1.0, 0.1])) > 0.1 && degree(None) == 0.0);
        assert!(degree(vector([0.0, 1.0])) <= 0.0);
    }

    #[test]
    fn words_are_told_as_texts_write_them() {
        let body = "The ferry to Skerrow&apos;s harbour. Ferry after ferry. <b>aposs</b> contents 1992";
        let one = Said { body: Some(body.to_owned()), ..said(FeedbackKind::Like, "Ferry Trouble", 60) };
        let words: Vec<String> = profile(&[one]).learnt().more_of.into_iter().map(|(word, _)| word).collect();
        assert_eq!(words, ["ferry", "Trouble", "Skerrow", "harbour"]);
    }
}
