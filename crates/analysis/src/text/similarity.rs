//! The similarity of two items, in [0, 1], relative to the items around them.
//!
//! Input: counts of a text's parts. Output: one weighted vector per item that contains all parts. One dot product is
//! then the weighted mean of the parts' cosines, and the mean over the pairs of two stories is the product of their
//! sums.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::features::{Features, NAMES, PARTS, TermCounts, WORDS};
use super::vocabulary::Term;

/// The weight of each part (words, names and numbers, opening), determined as described in `docs/CLUSTERING.md`.
const PART_WEIGHTS: [f64; PARTS] = [0.6, 0.2, 0.2];

/// Number of rare names added to a text's norm: two teasers that both name one country are not similar for that reason.
const PRIOR_NAMES: f64 = 2.0;

/// Document frequencies of a set of items, by which terms are weighted.
#[derive(Debug, Clone, Default)]
pub struct Frequencies {
    documents: usize,
    of_term: FxHashMap<Term, u32>,
    /// [`inverse_frequency`] of a term by its document frequency, for small frequencies.
    inverse: Vec<f64>,
}

/// Approximate number of terms per text that no earlier text has, in a few thousand texts.
const NEW_TERMS: usize = 4;

/// Logarithms are precomputed for frequencies below this, since most terms are rare.
const SMALL_FREQUENCIES: u32 = 1_024;

/// A term's weights in the parts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Entry {
    pub(crate) term: Term,
    pub(crate) weights: [f32; PARTS],
}

impl Entry {
    /// Returns the weighted product of the parts.
    pub(crate) fn product(&self, other: &Self) -> f64 {
        self.weights.iter().zip(&other.weights).map(|(mine, theirs)| f64::from(*mine) * f64::from(*theirs)).sum()
    }

    /// Returns the product of the words' part.
    pub(crate) fn word_product(&self, other: &Self) -> f64 {
        f64::from(self.weights[WORDS]) * f64::from(other.weights[WORDS])
    }

    /// Adds the weights of the same term.
    fn plus(&self, other: &Self) -> Self {
        Self { term: self.term, weights: [0, 1, 2].map(|part| self.weights[part] + other.weights[part]) }
    }

    pub(crate) fn has(&self, part: usize) -> bool {
        self.weights[part] > 0.0
    }
}

/// The vector of an item, or the sum of several, in ascending order of terms. Terms and weights are stored separately,
/// because comparing mostly scans the terms. Both are shared between clones.
#[derive(Debug, Clone, Default)]
pub struct Weighted {
    terms: Arc<[Term]>,
    weights: Arc<[[f32; PARTS]]>,
    /// Length of the words' part.
    words_length: f64,
}

impl Frequencies {
    #[must_use]
    pub fn of<'a>(items: impl IntoIterator<Item = &'a Features>) -> Self {
        let items = items.into_iter();
        let (mut documents, mut of_term) = (0, FxHashMap::<Term, u32>::default());
        // Each text adds about this many new terms; without reserving, growth would rehash every term.
        of_term.reserve(items.size_hint().0.saturating_mul(NEW_TERMS));
        for features in items {
            documents += 1;
            for term in features.words() {
                *of_term.entry(term).or_default() += 1;
            }
        }
        let inverse =
            (0..SMALL_FREQUENCIES).map(|documents_with| inverse_frequency(documents, documents_with)).collect();
        Self { documents, of_term, inverse }
    }

    /// Returns the number of items with a term.
    #[must_use]
    pub fn documents_with(&self, term: &str) -> u32 {
        self.of_term.get(&Term::of(term)).copied().unwrap_or(0)
    }

    /// The same for a word as written.
    #[must_use]
    pub fn documents_with_word(&self, written: &str) -> u32 {
        Term::of_word(written).and_then(|term| self.of_term.get(&term)).copied().unwrap_or(0)
    }

    /// Returns ln(1 + N / df) of a term. A term that no item has counts as if one had it.
    #[must_use]
    pub fn inverse_of_term(&self, term: Term) -> f64 {
        self.inverse_of(self.of_term.get(&term).copied().unwrap_or(0).max(1))
    }

    #[must_use]
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Returns the approximate memory used, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.of_term.capacity() * (size_of::<(Term, u32)>() + 1) + size_of_val(&*self.inverse)
    }

    #[must_use]
    pub fn weigh(&self, features: &Features) -> Weighted {
        self.weigh_without(features, None)
    }

    /// Returns the vector of a text without the boilerplate terms of its source.
    pub(crate) fn weigh_without(&self, features: &Features, boilerplate: Option<&FxHashSet<Term>>) -> Weighted {
        let counted = features.terms().iter();
        let counted = counted.filter(|counted| boilerplate.is_none_or(|words| !words.contains(&counted.term)));
        let raw: Vec<(Term, [f64; PARTS])> = counted.filter_map(|counted| self.raw(*counted)).collect();
        let scales = self.scales(&raw);
        let brought_to_length = |weights: &[f64; PARTS]| [0, 1, 2].map(|part| narrow(weights[part] * scales[part].0));
        Weighted {
            terms: raw.iter().map(|(term, _)| *term).collect(),
            weights: raw.iter().map(|(_, weights)| brought_to_length(weights)).collect(),
            words_length: scales[WORDS].1,
        }
    }

    /// Returns a term's weights before normalisation; `None` if no item has the term.
    fn raw(&self, counted: TermCounts) -> Option<(Term, [f64; PARTS])> {
        let inverse = self.inverse_of(*self.of_term.get(&counted.term)?);
        let weight = |times: u8| match times {
            0 => 0.0,
            1 => inverse,
            _ => (1.0 + f64::from(times).ln()) * inverse,
        };
        Some((counted.term, counted.times.map(weight)))
    }

    /// Returns for each part the scale of its weights, and its resulting length.
    fn scales(&self, raw: &[(Term, [f64; PARTS])]) -> [(f64, f64); PARTS] {
        let squares = [0, 1, 2].map(|part| raw.iter().map(|(_, weights)| weights[part].powi(2)).sum::<f64>());
        let present: f64 = (0..PARTS).filter(|part| squares[*part] > 0.0).map(|part| PART_WEIGHTS[part]).sum();
        [0, 1, 2].map(|part| {
            if squares[part] <= 0.0 {
                return (0.0, 0.0);
            }
            let prior = if part == NAMES { PRIOR_NAMES * self.inverse_of(1).powi(2) } else { 0.0 };
            let length = (PART_WEIGHTS[part] / present).sqrt();
            (length / (squares[part] + prior).sqrt(), length)
        })
    }

    /// Returns ln(1 + N / df). It is never zero, so that a set of one item can be compared.
    fn inverse_of(&self, documents_with: u32) -> f64 {
        let known = self.inverse.get(documents_with as usize).copied();
        known.unwrap_or_else(|| inverse_frequency(self.documents, documents_with))
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

/// A vector this many times longer than the other is searched instead of scanned.
pub(crate) const MUCH_LONGER: usize = 8;

impl Weighted {
    /// Returns the weighted mean of the parts' cosines; for sums, its sum over all pairs.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        self.shared(other, |mine, theirs| sum += mine.product(theirs));
        sum
    }

    /// Returns the cosine of the words' part.
    #[must_use]
    pub fn word_cosine(&self, other: &Self) -> f64 {
        let mut sum = 0.0;
        self.shared(other, |mine, theirs| sum += mine.word_product(theirs));
        let lengths = self.words_length * other.words_length;
        if lengths > 0.0 { sum / lengths } else { 0.0 }
    }

    /// Calls `each` for every common term, in ascending order.
    pub(crate) fn shared(&self, other: &Self, mut each: impl FnMut(&Entry, &Entry)) {
        let mut both = |mine: usize, theirs: usize| each(&self.entry(mine), &other.entry(theirs));
        if self.terms.len() <= other.terms.len() {
            shared(&self.terms, &other.terms, &mut both);
        } else {
            shared(&other.terms, &self.terms, &mut |theirs, mine| both(mine, theirs));
        }
    }

    /// Returns the sum of two vectors.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let (short, long) = if self.terms.len() <= other.terms.len() { (self, other) } else { (other, self) };
        let capacity = short.terms.len() + long.terms.len();
        let (mut terms, mut weights) = (Vec::with_capacity(capacity), Vec::with_capacity(capacity));
        let mut from = 0;
        for entry in short.entries() {
            // The entries between two terms of the shorter vector are copied at once.
            let ahead = from + ahead_of(&long.terms[from..], entry.term, short.terms.len());
            terms.extend_from_slice(&long.terms[from..ahead]);
            weights.extend_from_slice(&long.weights[from..ahead]);
            let both = long.terms.get(ahead) == Some(&entry.term);
            from = ahead + usize::from(both);
            terms.push(entry.term);
            weights.push(if both { entry.plus(&long.entry(ahead)).weights } else { entry.weights });
        }
        terms.extend_from_slice(&long.terms[from..]);
        weights.extend_from_slice(&long.weights[from..]);
        Self { terms: terms.into(), weights: weights.into(), words_length: self.words_length + other.words_length }
    }

    /// Returns the sum of all vectors.
    pub(crate) fn sum(all: &[&Self]) -> Self {
        if let [one] = all {
            return (*one).clone();
        }
        let mut entries: Vec<Entry> = all.iter().flat_map(|one| one.entries()).collect();
        // A stable sort merges sorted runs and keeps the order of addition, so that a sum is reproducible.
        entries.sort_by_key(|entry| entry.term);
        let of_term = entries.chunk_by(|one, next| one.term == next.term);
        let sum = of_term.filter_map(|same| same.iter().copied().reduce(|sum, entry| sum.plus(&entry)));
        Self::of_entries(&sum.collect::<Vec<_>>(), all.iter().map(|one| one.words_length).sum())
    }

    fn of_entries(entries: &[Entry], words_length: f64) -> Self {
        let terms = entries.iter().map(|entry| entry.term).collect();
        Self { terms, weights: entries.iter().map(|entry| entry.weights).collect(), words_length }
    }

    pub(crate) fn terms(&self) -> &[Term] {
        &self.terms
    }

    pub(crate) fn entry(&self, index: usize) -> Entry {
        Entry { term: self.terms[index], weights: self.weights[index] }
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> {
        self.terms.iter().zip(&*self.weights).map(|(term, weights)| Entry { term: *term, weights: *weights })
    }

    /// Returns the memory used, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.terms) + size_of_val(&*self.weights)
    }

    /// Returns the length of the words' part; for a sum, the sum of the lengths.
    pub(crate) const fn words_length(&self) -> f64 {
        self.words_length
    }
}

/// Returns how many terms of `rest` precede `term`. `short` is the number of terms of the other list.
fn ahead_of(rest: &[Term], term: Term, short: usize) -> usize {
    if rest.len() > short.saturating_mul(MUCH_LONGER) {
        rest.partition_point(|other| *other < term)
    } else {
        rest.iter().take_while(|other| **other < term).count()
    }
}

/// Calls `each` with the indexes of common terms.
fn shared(short: &[Term], long: &[Term], each: &mut impl FnMut(usize, usize)) {
    let mut ahead = 0;
    for (index, term) in short.iter().enumerate() {
        ahead += ahead_of(&long[ahead..], *term, short.len());
        match long.get(ahead) {
            Some(other) if other == term => each(index, ahead),
            Some(_) => {}
            None => break,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(text: &str) -> Features {
        Features::of(None, text)
    }

    #[test]
    fn the_same_text_is_fully_similar_and_another_is_not() {
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
    fn a_sum_is_as_similar_as_its_parts_together() {
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
        let at_once = Weighted::sum(&[&weighted[1], &weighted[3]]);
        assert_eq!(sum.similarity(&weighted[0]).to_bits(), at_once.similarity(&weighted[0]).to_bits());
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
