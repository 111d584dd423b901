//! Finds items that share heavy terms with another, without comparing all pairs.
//!
//! The cost of a query is bounded: it does not grow with the number of items, because the terms, the latest items per
//! term and the results are limited. [`Limits::EXACT`] has no bounds, to measure their effect.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::text::features::{Features, NAMES, WORDS};
use crate::text::similarity::Weighted;
use crate::text::vocabulary::Term;

/// The bounds of a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Maximum number of heaviest words of an item's query.
    pub words: usize,
    /// The same for names and numbers.
    pub names: usize,
    /// Maximum number of latest items per term: a more frequent term is weak evidence.
    pub max_items_per_term: usize,
    /// Maximum number of results: those that share most.
    pub max_found: usize,
    /// Minimum product of shared weights for a result.
    pub min_shared: f32,
    /// Minimum number of rare words that a stored item, more than `NEAR_DAYS` before
    /// the first new one, must share with a new item to be considered: distant items must be very similar.
    pub min_far_words: usize,
    /// Mean similarity below which two groups are not considered as one story.
    pub min_similarity: f64,
}

impl Limits {
    pub const DEFAULT: Self = Self {
        words: 24,
        names: 12,
        max_items_per_term: 128,
        max_found: 96,
        min_shared: 0.03,
        min_far_words: 3,
        min_similarity: 0.05,
    };
    pub const EXACT: Self = Self {
        words: usize::MAX,
        names: usize::MAX,
        max_items_per_term: usize::MAX,
        max_found: usize::MAX,
        min_shared: 0.0,
        min_far_words: 0,
        min_similarity: 0.0,
    };
}

/// A text's heaviest terms with their parts and weights.
#[derive(Debug)]
pub struct Heavy(Vec<(usize, Term, f32)>);

/// The items that have a term among their heaviest, in order of insertion.
type Postings = Vec<(u32, f32)>;

/// An item's query: for each of its heavy terms the index of its list, the length of the list at that time, and the
/// item's own weight.
#[derive(Debug)]
pub struct IndexQuery(Vec<(u32, u32, f32)>);

/// A reusable buffer: what each item shares with the queried one; all 0 between queries.
#[derive(Debug, Default)]
pub struct Shared {
    with: Vec<f32>,
    /// Indexes of the items that share something.
    found: Vec<u32>,
}

/// The terms of all queries. Other terms need not be indexed.
#[derive(Debug)]
pub(super) struct QueryTerms {
    terms: [FxHashSet<Term>; 2],
    /// Whether the set has a term with these first bits: a fast test, since most terms are not in the set.
    prefixes: Box<[bool]>,
}

/// Number of first bits that distinguish most terms.
const PREFIX_BITS: u32 = 16;

impl QueryTerms {
    pub(super) fn of<'a>(queries: impl Iterator<Item = &'a Heavy>) -> Self {
        let mut query_terms =
            Self { terms: Default::default(), prefixes: vec![false; 1 << PREFIX_BITS].into_boxed_slice() };
        for (part, term, _) in queries.flat_map(|heavy| &heavy.0) {
            query_terms.prefixes[term.first_bits(PREFIX_BITS)] = true;
            query_terms.terms[*part].insert(*term);
        }
        query_terms
    }

    fn has(&self, part: usize, term: Term) -> bool {
        self.prefixes[term.first_bits(PREFIX_BITS)] && self.terms[part].contains(&term)
    }

    /// Keeps only those heavy terms of an item that are in the set.
    pub(super) fn of_item(&self, mut heavy: Heavy) -> Heavy {
        heavy.0.retain(|(part, term, _)| self.has(*part, *term));
        heavy
    }
}

/// Number of heaviest words of a new item that count as rare.
const RARE_WORDS: usize = 12;

/// New items by their rare words, to skip stored texts before they are weighted.
#[derive(Debug)]
pub(super) struct RareWords {
    limits: Limits,
    prefixes: Box<[bool]>,
    postings: FxHashMap<Term, Vec<u32>>,
}

impl RareWords {
    pub(super) fn of<'a>(limits: Limits, queries: impl Iterator<Item = &'a Heavy>) -> Self {
        let prefixes = vec![false; 1 << PREFIX_BITS].into_boxed_slice();
        let mut rare = Self { limits, prefixes, postings: FxHashMap::default() };
        for (item, heavy) in queries.enumerate() {
            for term in heavy.rare_words() {
                rare.prefixes[term.first_bits(PREFIX_BITS)] = true;
                rare.postings.entry(term).or_default().push(narrow(item));
            }
        }
        rare
    }

    /// Returns whether a text has enough rare words of one new item to be considered.
    pub(super) fn enough_in(&self, features: &Features) -> bool {
        let prefixes = features.words().filter(|term| self.prefixes[term.first_bits(PREFIX_BITS)]);
        let postings = prefixes.filter_map(|term| self.postings.get(&term));
        let latest = postings.flat_map(|items| &items[items.len().saturating_sub(self.limits.max_items_per_term)..]);
        let mut items: Vec<u32> = latest.copied().collect();
        items.sort_unstable();
        self.limits.min_far_words == 0
            || items.chunk_by(|one, next| one == next).any(|same| same.len() >= self.limits.min_far_words)
    }
}

impl Heavy {
    fn rare_words(&self) -> impl Iterator<Item = Term> {
        let mut words: Vec<(Term, f32)> =
            self.0.iter().filter(|(part, ..)| *part == WORDS).map(|(_, term, weight)| (*term, *weight)).collect();
        words.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        words.into_iter().take(RARE_WORDS).map(|(term, _)| term)
    }
}

/// Items by their heavy terms.
#[derive(Debug)]
pub struct LookupIndex {
    limits: Limits,
    /// The items' numbers given by the caller.
    items: Vec<usize>,
    /// By part, the index of each term's list.
    list_of_term: [FxHashMap<Term, u32>; 2],
    lists: Vec<Postings>,
}

impl Default for LookupIndex {
    fn default() -> Self {
        Self::new(Limits::DEFAULT)
    }
}

impl LookupIndex {
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, items: Vec::new(), list_of_term: Default::default(), lists: Vec::new() }
    }

    /// Returns the terms of a text's query.
    #[must_use]
    pub fn heavy(&self, weighted: &Weighted) -> Heavy {
        let mut heavy = heaviest(weighted, WORDS, self.limits.words);
        heavy.extend(heaviest(weighted, NAMES, self.limits.names));
        Heavy(heavy)
    }

    /// Inserts an item, and returns its query for the items inserted before.
    pub fn insert(&mut self, item: usize, heavy: &Heavy) -> IndexQuery {
        let own = narrow(self.items.len());
        self.items.push(item);
        let query = heavy.0.iter().map(|(part, term, weight)| {
            let index = *self.list_of_term[*part].entry(*term).or_insert(narrow(self.lists.len()));
            if index as usize == self.lists.len() {
                self.lists.push(Vec::new());
            }
            let list = &mut self.lists[index as usize];
            list.push((own, *weight));
            (index, narrow(list.len() - 1), *weight)
        });
        IndexQuery(query.collect())
    }

    /// Returns a query for all items inserted so far.
    #[must_use]
    pub fn lookup(&self, heavy: &Heavy) -> IndexQuery {
        let of_term = |(part, term, weight): &(usize, Term, f32)| {
            let index = *self.list_of_term[*part].get(term)?;
            Some((index, narrow(self.lists[index as usize].len()), *weight))
        };
        IndexQuery(heavy.0.iter().filter_map(of_term).collect())
    }

    /// Returns the items that share most by these terms, in order of insertion.
    #[must_use]
    pub fn candidates(&self, query: &IndexQuery, shared: &mut Shared) -> Vec<usize> {
        let Shared { with, found } = shared;
        with.resize(self.items.len(), 0.0);
        found.resize(self.items.len() + 1, 0);
        let mut count = 0;
        for (list, before, own_weight) in &query.0 {
            let before = &self.lists[*list as usize][..*before as usize];
            for (index, other_weight) in &before[before.len().saturating_sub(self.limits.max_items_per_term)..] {
                let shared = &mut with[*index as usize];
                // Written unconditionally, to avoid a branch.
                if let Some(next) = found.get_mut(count) {
                    *next = *index;
                }
                count += usize::from(*shared <= 0.0);
                *shared += own_weight * other_weight;
            }
        }
        let all = found.iter().take(count).map(|index| (*index, std::mem::take(&mut with[*index as usize])));
        let mut best: Vec<(u32, f32)> = all.filter(|(_, shared)| *shared >= self.limits.min_shared).collect();
        if best.len() > self.limits.max_found {
            best.select_nth_unstable_by(self.limits.max_found, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            best.truncate(self.limits.max_found);
        }
        best.sort_unstable_by_key(|(index, _)| *index);
        best.into_iter().map(|(index, _)| self.items[index as usize]).collect()
    }

    /// Returns the approximate memory used, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_part = |list_of_term: &FxHashMap<Term, u32>| list_of_term.capacity() * (size_of::<(Term, u32)>() + 1);
        let of_list = |list: &Postings| size_of::<Postings>() + list.capacity() * size_of::<(u32, f32)>();
        let lists: usize = self.lists.iter().map(of_list).sum();
        size_of_val(&*self.items) + self.list_of_term.iter().map(of_part).sum::<usize>() + lists
    }
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns a part's heaviest terms, in ascending order.
fn heaviest(weighted: &Weighted, part: usize, count: usize) -> Vec<(usize, Term, f32)> {
    let of_part = weighted.entries().filter(|entry| entry.has(part));
    let mut terms: Vec<(usize, Term, f32)> = of_part.map(|entry| (part, entry.term, entry.weights[part])).collect();
    if terms.len() > count {
        terms.select_nth_unstable_by(count, |a, b| b.2.total_cmp(&a.2).then(a.1.cmp(&b.1)));
        terms.truncate(count);
        terms.sort_unstable_by_key(|(_, term, _)| *term);
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::features::Features;
    use crate::text::similarity::Frequencies;

    /// Returns the candidates of one text with all texts in the index.
    fn found(mut index: LookupIndex, texts: &[&str], looked_up: usize) -> Vec<usize> {
        let items: Vec<Features> = texts.iter().map(|text| Features::of(None, text)).collect();
        let snapshot = Frequencies::of(&items);
        let heavy: Vec<Heavy> = items.iter().map(|item| index.heavy(&snapshot.weigh(item))).collect();
        let mut shared = Shared::default();
        for (number, item) in heavy.iter().enumerate() {
            let (asked_first, inserted) = (index.lookup(item), index.insert(number, item));
            let [before, after] = [asked_first, inserted].map(|query| index.candidates(&query, &mut shared));
            assert_eq!(before, after, "what comes later is not found");
        }
        assert!(index.bytes() > 0);
        let query = index.lookup(&heavy[looked_up]);
        let found = index.candidates(&query, &mut shared);
        assert_eq!(found, index.candidates(&query, &mut shared), "a query leaves nothing behind");
        found
    }

    #[test]
    fn what_shares_a_heavy_term_is_found() {
        assert_eq!(found(LookupIndex::default(), &["ferry power skerrow", "ferry harbour", "pump tax"], 0), [0, 1]);
    }

    #[test]
    fn of_a_common_term_the_latest_items_are_looked_at_and_the_likest_found() {
        let index = LookupIndex::new(Limits { max_items_per_term: 3, max_found: 2, ..Limits::DEFAULT });
        assert_eq!(found(index, &["ferry one", "ferry two", "ferry three", "ferry three"], 3), [2, 3]);
    }
}
