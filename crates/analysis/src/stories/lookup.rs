//! Finds the items that share heavy terms with another, without comparing all pairs.
//!
//! What one query costs is bounded: so many terms, so many of the latest items for each, so many found. It therefore does not grow
//! with the number of items. [`Limits::EXACT`] has no bounds, to measure what they cost.

use rustc_hash::{FxHashMap, FxHashSet};

use super::features::{Features, NAMES, WORDS};
use super::similarity::Weighted;
use super::vocabulary::Term;

/// How far a query goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Heaviest words by which an item is looked up.
    pub words: usize,
    /// The same of names and numbers.
    pub names: usize,
    /// Latest items of a term that are considered: one that more have tells little.
    pub items_of_term: usize,
    /// Items found at most, those that share most.
    pub found: usize,
    /// What an item has to share with another by these terms to be found.
    pub shared: f32,
    /// Rare words that a stored item of more than [`NEAR_DAYS`](super::candidates::NEAR_DAYS) before has to share with one that is new,
    /// to be considered: what is that far apart has to be very alike.
    pub far_words: usize,
    /// Mean similarity below which two groups are not considered as one story.
    pub least: f64,
}

impl Limits {
    pub const USUAL: Self =
        Self { words: 24, names: 12, items_of_term: 128, found: 96, shared: 0.03, far_words: 3, least: 0.05 };
    pub const EXACT: Self = Self {
        words: usize::MAX,
        names: usize::MAX,
        items_of_term: usize::MAX,
        found: usize::MAX,
        shared: 0.0,
        far_words: 0,
        least: 0.0,
    };
}

/// A text's heaviest terms, with the part that each is of.
#[derive(Debug)]
pub struct Heavy(Vec<(usize, Term, f32)>);

/// The items that have a term among their heaviest, by the order in which they came.
type Postings = Vec<(u32, f32)>;

/// What is considered for an item: the list of each of its heavy terms, how many of that list came before, and the item's own weight.
#[derive(Debug)]
pub struct IndexQuery(Vec<(u32, u32, f32)>);

/// What each item shares with the one that is looked up; nothing between two queries. Kept, so that a query need not make it.
#[derive(Debug, Default)]
pub struct Shared {
    with: Vec<f32>,
    /// The places of the items that share something, as many as there are.
    found: Vec<u32>,
}

/// The terms by which something will be looked up. What else an item has need not be in the index.
#[derive(Debug)]
pub(super) struct Wanted {
    terms: [FxHashSet<Term>; 2],
    /// Whether a term of these first bits is among them: most are not, and of a term that is none this mostly tells it sooner.
    begun: Box<[bool]>,
}

/// As many first bits of a term as tell most apart.
const WANTED_BITS: u32 = 16;

impl Wanted {
    pub(super) fn of<'a>(queries: impl Iterator<Item = &'a Heavy>) -> Self {
        let mut wanted = Self { terms: Default::default(), begun: vec![false; 1 << WANTED_BITS].into_boxed_slice() };
        for (part, term, _) in queries.flat_map(|heavy| &heavy.0) {
            wanted.begun[term.first_bits(WANTED_BITS)] = true;
            wanted.terms[*part].insert(*term);
        }
        wanted
    }

    fn has(&self, part: usize, term: Term) -> bool {
        self.begun[term.first_bits(WANTED_BITS)] && self.terms[part].contains(&term)
    }

    /// What of an item's heavy terms is among them.
    pub(super) fn of_item(&self, mut heavy: Heavy) -> Heavy {
        heavy.0.retain(|(part, term, _)| self.has(*part, *term));
        heavy
    }
}

/// So many of the heaviest words of a new item are its rare ones.
const RARE_WORDS: usize = 12;

/// New items by their rare words: by these a stored text is passed over before it is weighed.
#[derive(Debug)]
pub(super) struct RareWords {
    limits: Limits,
    begun: Box<[bool]>,
    postings: FxHashMap<Term, Vec<u32>>,
}

impl RareWords {
    pub(super) fn of<'a>(limits: Limits, queries: impl Iterator<Item = &'a Heavy>) -> Self {
        let begun = vec![false; 1 << WANTED_BITS].into_boxed_slice();
        let mut rare = Self { limits, begun, postings: FxHashMap::default() };
        for (item, heavy) in queries.enumerate() {
            for term in heavy.rare_words() {
                rare.begun[term.first_bits(WANTED_BITS)] = true;
                rare.postings.entry(term).or_default().push(narrow(item));
            }
        }
        rare
    }

    /// Whether a text has so many rare words of one new item that it may be told with it.
    pub(super) fn are_in(&self, features: &Features) -> bool {
        let begun = features.words().filter(|term| self.begun[term.first_bits(WANTED_BITS)]);
        let postings = begun.filter_map(|term| self.postings.get(&term));
        let latest = postings.flat_map(|items| &items[items.len().saturating_sub(self.limits.items_of_term)..]);
        let mut items: Vec<u32> = latest.copied().collect();
        items.sort_unstable();
        self.limits.far_words == 0
            || items.chunk_by(|one, next| one == next).any(|same| same.len() >= self.limits.far_words)
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
    /// The callers' numbers of the items.
    items: Vec<usize>,
    /// By part, the place of each term's list.
    places: [FxHashMap<Term, u32>; 2],
    lists: Vec<Postings>,
}

impl Default for LookupIndex {
    fn default() -> Self {
        Self::new(Limits::USUAL)
    }
}

impl LookupIndex {
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, items: Vec::new(), places: Default::default(), lists: Vec::new() }
    }

    /// The terms by which a text is looked up.
    #[must_use]
    pub fn heavy(&self, weighted: &Weighted) -> Heavy {
        let mut heavy = heaviest(weighted, WORDS, self.limits.words);
        heavy.extend(heaviest(weighted, NAMES, self.limits.names));
        Heavy(heavy)
    }

    /// Adds an item; gives its query of those that were inserted before it.
    pub fn insert(&mut self, item: usize, heavy: &Heavy) -> IndexQuery {
        let own = narrow(self.items.len());
        self.items.push(item);
        let query = heavy.0.iter().map(|(part, term, weight)| {
            let place = *self.places[*part].entry(*term).or_insert(narrow(self.lists.len()));
            if place as usize == self.lists.len() {
                self.lists.push(Vec::new());
            }
            let list = &mut self.lists[place as usize];
            list.push((own, *weight));
            (place, narrow(list.len() - 1), *weight)
        });
        IndexQuery(query.collect())
    }

    /// The query of all that were inserted until now.
    #[must_use]
    pub fn lookup(&self, heavy: &Heavy) -> IndexQuery {
        let of_term = |(part, term, weight): &(usize, Term, f32)| {
            let place = *self.places[*part].get(term)?;
            Some((place, narrow(self.lists[place as usize].len()), *weight))
        };
        IndexQuery(heavy.0.iter().filter_map(of_term).collect())
    }

    /// Those that share most by these terms, in the order in which they came.
    #[must_use]
    pub fn candidates(&self, query: &IndexQuery, shared: &mut Shared) -> Vec<usize> {
        let Shared { with, found } = shared;
        with.resize(self.items.len(), 0.0);
        found.resize(self.items.len() + 1, 0);
        let mut count = 0;
        for (list, before, mine) in &query.0 {
            let before = &self.lists[*list as usize][..*before as usize];
            for (place, theirs) in &before[before.len().saturating_sub(self.limits.items_of_term)..] {
                let shared = &mut with[*place as usize];
                // Written whether it is the first time or not, as a processor is quick with what it need not decide on.
                if let Some(next) = found.get_mut(count) {
                    *next = *place;
                }
                count += usize::from(*shared <= 0.0);
                *shared += mine * theirs;
            }
        }
        let all = found.iter().take(count).map(|place| (*place, std::mem::take(&mut with[*place as usize])));
        let mut best: Vec<(u32, f32)> = all.filter(|(_, shared)| *shared >= self.limits.shared).collect();
        if best.len() > self.limits.found {
            best.select_nth_unstable_by(self.limits.found, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            best.truncate(self.limits.found);
        }
        best.sort_unstable_by_key(|(place, _)| *place);
        best.into_iter().map(|(place, _)| self.items[place as usize]).collect()
    }

    /// The bytes it takes, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_part = |places: &FxHashMap<Term, u32>| places.capacity() * (size_of::<(Term, u32)>() + 1);
        let of_list = |list: &Postings| size_of::<Postings>() + list.capacity() * size_of::<(u32, f32)>();
        let lists: usize = self.lists.iter().map(of_list).sum();
        size_of_val(&*self.items) + self.places.iter().map(of_part).sum::<usize>() + lists
    }
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A part's heaviest terms, by rising term.
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
    use super::super::features::Features;
    use super::super::similarity::Frequencies;
    use super::*;

    /// What is found for one of the texts when all of them are in the index.
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
        let index = LookupIndex::new(Limits { items_of_term: 3, found: 2, ..Limits::USUAL });
        assert_eq!(found(index, &["ferry one", "ferry two", "ferry three", "ferry three"], 3), [2, 3]);
    }
}
