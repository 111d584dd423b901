//! How alike two items are, in [0, 1], among the items they stand with.
//!
//! Comes in: counts of a text's parts. Goes out: one weighted vector an item, in which the parts stand side by side, so that a single
//! product is the weighted mean of the parts' cosines, and the mean over the pairs of two stories is the product of their sums.

use std::collections::{HashMap, HashSet};

use super::features::{Counts, Features};
use super::vocabulary::Kind;

/// How much each part counts (words, names and numbers, opening), found as `docs/CLUSTERING.md` says.
const PART_WEIGHTS: [f64; PARTS] = [0.6, 0.2, 0.2];
const PARTS: usize = 3;
/// Places of the parts.
pub(super) const WORDS: usize = 0;
pub(super) const NAMES: usize = 1;

/// So many rare names a text is taken to have besides its own: two teasers that both name one country are not alike for that.
const UNSAID_NAMES: f64 = 2.0;

/// Document frequencies of a set of items: the snapshot by which terms are weighted.
#[derive(Debug, Clone, Default)]
pub struct Frequencies {
    documents: usize,
    terms: HashMap<String, Term>,
    /// By number of the term.
    kinds: Vec<Kind>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Term {
    /// By alphabet, so that numbers, and with them sums, do not depend on the order of the items.
    number: u32,
    documents: u32,
    /// [`Frequencies::inverse_frequency`].
    inverse: f64,
}

/// A term of a part: terms of different parts are different.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u32);

impl Key {
    fn new(part: usize, number: u32) -> Self {
        Self(number.saturating_mul(3).saturating_add(u32::try_from(part).unwrap_or(0)))
    }

    pub(super) const fn part(self) -> usize {
        (self.0 % 3) as usize
    }

    pub(super) const fn number(self) -> u32 {
        self.0 / 3
    }

    /// The same term among the names.
    pub(super) const fn as_name(self) -> Self {
        Self(self.0 - self.0 % 3 + 1)
    }
}

/// An item's vector, or the sum of several: keys in rising order.
#[derive(Debug, Clone, Default)]
pub struct Weighted {
    entries: Vec<(Key, f32)>,
    /// Length of the words' part.
    words_length: f64,
}

impl Frequencies {
    #[must_use]
    pub fn of<'a>(items: impl IntoIterator<Item = &'a Features>) -> Self {
        let mut snapshot = Self::default();
        for features in items {
            snapshot.documents += 1;
            for term in features.words.keys() {
                if let Some(known) = snapshot.terms.get_mut(term) {
                    known.documents += 1;
                } else {
                    snapshot.terms.insert(term.clone(), Term { documents: 1, ..Term::default() });
                }
            }
        }
        let documents = snapshot.documents;
        let mut by_alphabet: Vec<(&String, &mut Term)> = snapshot.terms.iter_mut().collect();
        by_alphabet.sort_unstable_by_key(|(text, _)| *text);
        for (number, (text, term)) in by_alphabet.into_iter().enumerate() {
            term.number = u32::try_from(number).unwrap_or(u32::MAX);
            term.inverse = inverse_frequency(documents, term.documents);
            snapshot.kinds.push(Kind::of(text));
        }
        snapshot
    }

    /// In how many items a term stands.
    #[must_use]
    pub fn documents_with(&self, term: &str) -> u32 {
        self.terms.get(term).map_or(0, |term| term.documents)
    }

    #[must_use]
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// ln(1 + N / df): never zero, so that a set of one item still compares.
    #[must_use]
    pub fn inverse_frequency(&self, term: &str) -> f64 {
        inverse_frequency(self.documents, self.documents_with(term))
    }

    #[must_use]
    pub fn weigh(&self, features: &Features) -> Weighted {
        self.weigh_without(features, None)
    }

    /// The vector of a text without the terms that its source uses all the time.
    pub(super) fn weigh_without(&self, features: &Features, house_words: Option<&HashSet<&str>>) -> Weighted {
        let counts = [&features.words, &features.names, &features.lead];
        let parts = counts.map(|counts| self.part(counts, house_words));
        let present: f64 =
            parts.iter().zip(PART_WEIGHTS).filter(|(part, _)| !part.is_empty()).map(|(_, weight)| weight).sum();
        let rare = inverse_frequency(self.documents, 1).powi(2);
        let mut weighted = Weighted::default();
        for (place, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_empty()) {
            let unsaid = if place == NAMES { UNSAID_NAMES * rare } else { 0.0 };
            let length = (part.iter().map(|(_, weight)| weight * weight).sum::<f64>() + unsaid).sqrt();
            let scale = (PART_WEIGHTS[place] / present).sqrt();
            if place == WORDS {
                weighted.words_length = scale;
            }
            let scaled =
                part.iter().map(|(number, weight)| (Key::new(place, *number), narrow(weight / length * scale)));
            weighted.entries.extend(scaled);
        }
        weighted.entries.sort_unstable_by_key(|(key, _)| *key);
        weighted
    }

    fn part(&self, counts: &Counts, house_words: Option<&HashSet<&str>>) -> Vec<(u32, f64)> {
        let counted = counts.iter().filter(|(term, _)| house_words.is_none_or(|words| !words.contains(term.as_str())));
        let weighted = counted.filter_map(|(term, count)| {
            let known = self.terms.get(term)?;
            Some((known.number, (1.0 + f64::from(*count).ln()) * known.inverse))
        });
        weighted.collect()
    }

    pub(super) fn kind(&self, key: Key) -> Kind {
        self.kinds.get(key.number() as usize).copied().unwrap_or_default()
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of items")]
fn inverse_frequency(documents: usize, documents_with: u32) -> f64 {
    (1.0 + documents.max(1) as f64 / f64::from(documents_with.max(1))).ln()
}

#[expect(clippy::cast_possible_truncation, reason = "a weight in [0, 1]")]
const fn narrow(weight: f64) -> f32 {
    weight as f32
}

/// One vector so many times longer than the other is searched rather than walked through.
const MUCH_LONGER: usize = 8;

impl Weighted {
    /// Weighted mean of the parts' cosines; of sums, the sum of it over all pairs.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        self.shared(other, |_, mine, theirs| sum += f64::from(mine) * f64::from(theirs));
        sum
    }

    /// Cosine of the words alone.
    #[must_use]
    pub fn word_cosine(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        self.shared(other, |key, mine, theirs| {
            if key.part() == WORDS {
                sum += f64::from(mine) * f64::from(theirs);
            }
        });
        let lengths = self.words_length * other.words_length;
        if lengths > 0.0 { sum / lengths } else { 0.0 }
    }

    /// Calls for every key that both have, in rising order.
    pub(super) fn shared(&self, other: &Self, mut each: impl FnMut(Key, f32, f32)) {
        let is_shorter = self.entries.len() <= other.entries.len();
        let (short, long) = if is_shorter { (self, other) } else { (other, self) };
        let searches = long.entries.len() > short.entries.len().saturating_mul(MUCH_LONGER);
        let mut rest = long.entries.as_slice();
        for (key, weight) in &short.entries {
            let ahead = if searches {
                rest.partition_point(|(theirs, _)| theirs < key)
            } else {
                rest.iter().take_while(|(theirs, _)| theirs < key).count()
            };
            rest = &rest[ahead..];
            match rest.first() {
                Some((same, long_weight)) if same == key && is_shorter => each(*key, *weight, *long_weight),
                Some((same, long_weight)) if same == key => each(*key, *long_weight, *weight),
                Some(_) => {}
                None => break,
            }
        }
    }

    /// The sum of both.
    pub(super) fn plus(&self, other: &Self) -> Self {
        let mut entries = Vec::with_capacity(self.entries.len() + other.entries.len());
        let (mut a, mut b) = (self.entries.iter().peekable(), other.entries.iter().peekable());
        while let (Some((x, weight_x)), Some((y, weight_y))) = (a.peek(), b.peek()) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => entries.extend(a.next()),
                std::cmp::Ordering::Greater => entries.extend(b.next()),
                std::cmp::Ordering::Equal => {
                    entries.push((*x, weight_x + weight_y));
                    a.next();
                    b.next();
                }
            }
        }
        entries.extend(a);
        entries.extend(b);
        Self { entries, words_length: self.words_length + other.words_length }
    }

    pub(super) fn entries(&self) -> &[(Key, f32)] {
        &self.entries
    }

    /// Of a sum, the lengths added up.
    pub(super) const fn words_length(&self) -> f64 {
        self.words_length
    }

    pub(super) fn has(&self, key: Key) -> bool {
        self.entries.binary_search_by_key(&key, |(known, _)| *known).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(text: &str) -> Features {
        Features::of(None, text)
    }

    #[test]
    fn the_same_text_is_fully_alike_and_another_is_not() {
        let (a, b) = (features("the ferry lost power off the coast"), features("a new tax on heat pumps"));
        let snapshot = Frequencies::of([&a, &b]);
        let (x, y) = (snapshot.weigh(&a), snapshot.weigh(&b));
        assert!((x.similarity(&x) - 1.0).abs() < 1e-6);
        assert!((x.word_cosine(&x) - 1.0).abs() < 1e-6);
        assert!(x.similarity(&y) < 1e-9);
    }

    #[test]
    fn the_order_of_items_does_not_change_a_similarity() {
        let items = [features("ferry power skerrow"), features("ferry harbour skerrow"), features("pump tax heat")];
        let forward = Frequencies::of(&items);
        let backward = Frequencies::of(items.iter().rev());
        let similarity = |s: &Frequencies| s.weigh(&items[0]).similarity(&s.weigh(&items[1]));
        assert!((similarity(&forward) - similarity(&backward)).abs() < f64::EPSILON);
    }

    #[test]
    fn a_sum_is_alike_as_its_parts_together() {
        let texts = ["ferry power skerrow", "ferry harbour skerrow quay", "skerrow ferry engine"];
        let long = (0..90).map(|n| format!("filler{n} ")).collect::<Vec<_>>().concat() + "ferry";
        let items: Vec<Features> = texts.iter().copied().chain([long.as_str()]).map(features).collect();
        let snapshot = Frequencies::of(&items);
        let weighted: Vec<Weighted> = items.iter().map(|item| snapshot.weigh(item)).collect();
        let sum = weighted[1].plus(&weighted[3]);
        for one in [&weighted[0], &weighted[2]] {
            let parts = one.similarity(&weighted[1]) + one.similarity(&weighted[3]);
            assert!((one.similarity(&sum) - parts).abs() < 1e-6 && (sum.similarity(one) - parts).abs() < 1e-6);
        }
    }

    #[test]
    fn one_name_in_common_says_less_than_a_whole_matter() {
        let items = [
            features("New mood in Iran after protest"),
            features("Diplomacy tires in Iran again"),
            features("A ferry lost power"),
        ];
        let snapshot = Frequencies::of(&items);
        let similarity = snapshot.weigh(&items[0]).similarity(&snapshot.weigh(&items[1]));
        assert!(similarity > 0.0 && similarity < 0.24, "{similarity}");
    }
}
