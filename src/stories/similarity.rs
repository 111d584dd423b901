//! How alike two items are, in [0, 1], among the items they stand with.

use std::collections::{HashMap, HashSet};

use super::features::{Counts, Features};

/// How much each part counts (words, names and numbers, opening): the mixture that scored best on ECB+ topics 25–45.
const PART_WEIGHTS: [f64; 3] = [0.4, 0.3, 0.3];

/// Document frequencies of a set of items: the snapshot by which terms are weighted.
#[derive(Debug, Clone, Default)]
pub struct Frequencies {
    documents: usize,
    terms: HashMap<String, Term>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Term {
    /// By alphabet, so that numbers, and with them sums, do not depend on the order of the items.
    number: u32,
    documents: u32,
    /// [`Frequencies::inverse_frequency`].
    inverse: f64,
}

/// A weighted, normalised sparse vector: terms in rising order.
#[derive(Debug, Clone, Default)]
pub struct SparseVector {
    entries: Vec<(u32, f64)>,
}

/// An item's three vectors.
#[derive(Debug, Clone, Default)]
pub struct Weighted {
    parts: [SparseVector; 3],
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
        for (number, (_, term)) in by_alphabet.into_iter().enumerate() {
            term.number = u32::try_from(number).unwrap_or(u32::MAX);
            term.inverse = inverse_frequency(documents, term.documents);
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
        Weighted { parts: [&features.words, &features.names, &features.lead].map(|counts| self.vector(counts)) }
    }

    fn vector(&self, counts: &Counts) -> SparseVector {
        let mut entries: Vec<(u32, f64)> = counts
            .iter()
            .filter_map(|(term, count)| {
                let known = self.terms.get(term)?;
                Some((known.number, (1.0 + f64::from(*count).ln()) * known.inverse))
            })
            .collect();
        let length = entries.iter().map(|(_, weight)| weight * weight).sum::<f64>().sqrt();
        if length > 0.0 {
            for (_, weight) in &mut entries {
                *weight /= length;
            }
        }
        SparseVector { entries }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of items")]
fn inverse_frequency(documents: usize, documents_with: u32) -> f64 {
    (1.0 + documents.max(1) as f64 / f64::from(documents_with.max(1))).ln()
}

impl SparseVector {
    /// Cosine: both are normalised.
    #[must_use]
    pub fn dot(&self, other: &Self) -> f64 {
        let (mut a, mut b, mut sum) = (self.entries.iter().peekable(), other.entries.iter().peekable(), 0.0);
        while let (Some((x, weight_x)), Some((y, weight_y))) = (a.peek(), b.peek()) {
            match x.cmp(y) {
                std::cmp::Ordering::Less => drop(a.next()),
                std::cmp::Ordering::Greater => drop(b.next()),
                std::cmp::Ordering::Equal => {
                    sum += weight_x * weight_y;
                    a.next();
                    b.next();
                }
            }
        }
        sum
    }

    fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The heaviest `count` terms, in no order.
    fn heaviest(&self, count: usize) -> Vec<u32> {
        let mut entries = self.entries.clone();
        if entries.len() > count {
            entries.select_nth_unstable_by(count, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            entries.truncate(count);
        }
        entries.into_iter().map(|(term, _)| term).collect()
    }
}

/// Terms by which an item is looked up among others.
const LOOKUP_TERMS: usize = 24;

impl Weighted {
    /// Weighted mean of the parts' cosines, over the parts that both items have.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for ((mine, theirs), weight) in self.parts.iter().zip(&other.parts).zip(PART_WEIGHTS) {
            if !mine.is_empty() && !theirs.is_empty() {
                sum += weight * mine.dot(theirs);
                weights += weight;
            }
        }
        if weights > 0.0 { sum / weights } else { 0.0 }
    }

    /// How many names and numbers both items have.
    #[must_use]
    pub fn shared_names(&self, other: &Self) -> usize {
        let theirs: HashSet<u32> = other.parts[1].entries.iter().map(|(term, _)| *term).collect();
        self.parts[1].entries.iter().filter(|(term, _)| theirs.contains(term)).count()
    }

    /// Cosine of the words alone, for telling copies.
    #[must_use]
    pub fn word_cosine(&self, other: &Self) -> f64 {
        self.parts[0].dot(&other.parts[0])
    }

    #[must_use]
    pub fn lookup_terms(&self) -> Vec<u32> {
        let mut terms = self.parts[0].heaviest(LOOKUP_TERMS);
        terms.extend(self.parts[1].heaviest(LOOKUP_TERMS));
        terms.sort_unstable();
        terms.dedup();
        terms
    }
}

/// Finds the items that share a heavy term with another, without comparing all pairs.
#[derive(Debug, Default)]
pub struct LookupIndex {
    postings: HashMap<u32, Vec<usize>>,
}

impl LookupIndex {
    pub fn insert(&mut self, item: usize, weighted: &Weighted) {
        for term in weighted.lookup_terms() {
            self.postings.entry(term).or_default().push(item);
        }
    }

    /// Items inserted so far that share a heavy term, in the order of insertion.
    #[must_use]
    pub fn candidates(&self, weighted: &Weighted) -> Vec<usize> {
        let mut found: Vec<usize> =
            weighted.lookup_terms().iter().filter_map(|term| self.postings.get(term)).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        found
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
        let (a, b) = (features("The ferry lost power off Skerrow"), features("A new tax on heat pumps"));
        let snapshot = Frequencies::of([&a, &b]);
        let (x, y) = (snapshot.weigh(&a), snapshot.weigh(&b));
        assert!((x.similarity(&x) - 1.0).abs() < 1e-9);
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
    fn the_index_finds_what_shares_a_heavy_term() {
        let items = [features("ferry power skerrow"), features("ferry harbour"), features("pump tax")];
        let snapshot = Frequencies::of(&items);
        let mut index = LookupIndex::default();
        for (number, item) in items.iter().enumerate() {
            index.insert(number, &snapshot.weigh(item));
        }
        assert_eq!(index.candidates(&snapshot.weigh(&items[0])), [0, 1]);
    }
}
