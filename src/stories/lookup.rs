//! Finds the items that share heavy terms with another, without comparing all pairs.
//!
//! What one look costs is bounded: so many terms, so many of the latest items for each, so many found. It therefore does not grow
//! with the number of items. [`Limits::EXACT`] has no bounds, to measure what they cost.

use rustc_hash::FxHashMap;

use super::similarity::{NAMES, WORDS, Weighted};
use super::vocabulary::Term;

/// How far is looked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Heaviest words by which an item is looked up.
    pub words: usize,
    /// The same of names and numbers.
    pub names: usize,
    /// Latest items of a term that are looked at: one that more have tells little.
    pub items_of_term: usize,
    /// Items found at most, those that share most.
    pub found: usize,
    /// What an item has to share with another by these terms to be found.
    pub shared: f32,
    /// Mean similarity below which two groups are not looked at as one story.
    pub least: f64,
}

impl Limits {
    pub const USUAL: Self = Self { words: 24, names: 12, items_of_term: 128, found: 96, shared: 0.03, least: 0.05 };
    pub const EXACT: Self = Self {
        words: usize::MAX,
        names: usize::MAX,
        items_of_term: usize::MAX,
        found: usize::MAX,
        shared: 0.0,
        least: 0.0,
    };
}

/// A text's heaviest terms, with the part that each is of.
#[derive(Debug)]
pub struct Heavy(Vec<(usize, Term, f32)>);

/// The items that have a term among their heaviest, by the order in which they came.
type Holders = Vec<(u32, f32)>;

/// What each item shares with the one that is looked up; nothing between two looks. Kept, so that a look need not make it.
#[derive(Debug, Default)]
pub struct Shared(Vec<f32>);

/// Items by their heavy terms.
#[derive(Debug)]
pub struct LookupIndex {
    limits: Limits,
    /// The callers' numbers of the items.
    items: Vec<usize>,
    /// By part.
    holders: [FxHashMap<Term, Holders>; 2],
}

impl Default for LookupIndex {
    fn default() -> Self {
        Self::new(Limits::USUAL)
    }
}

impl LookupIndex {
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, items: Vec::new(), holders: Default::default() }
    }

    /// The terms by which a text is looked up.
    #[must_use]
    pub fn heavy(&self, weighted: &Weighted) -> Heavy {
        let mut heavy = heaviest(weighted, WORDS, self.limits.words);
        heavy.extend(heaviest(weighted, NAMES, self.limits.names));
        Heavy(heavy)
    }

    pub fn insert(&mut self, item: usize, heavy: &Heavy) {
        let place = self.end();
        self.items.push(item);
        for (part, term, weight) in &heavy.0 {
            self.holders[*part].entry(*term).or_default().push((place, *weight));
        }
    }

    /// The place of what is inserted next.
    #[must_use]
    pub fn end(&self) -> u32 {
        u32::try_from(self.items.len()).unwrap_or(u32::MAX)
    }

    /// Of the items inserted before that place, those that share most by these terms, in the order in which they came.
    #[must_use]
    pub fn candidates(&self, heavy: &Heavy, end: u32, shared: &mut Shared) -> Vec<usize> {
        let shared = &mut shared.0;
        shared.resize(self.items.len(), 0.0);
        let mut found: Vec<u32> = Vec::new();
        for (part, term, mine) in &heavy.0 {
            for (place, theirs) in self.latest(*part, *term, end) {
                let shared = &mut shared[*place as usize];
                if *shared <= 0.0 {
                    found.push(*place);
                }
                *shared += mine * theirs;
            }
        }
        let mut best: Vec<(u32, f32)> =
            found.iter().map(|place| (*place, std::mem::take(&mut shared[*place as usize]))).collect();
        best.retain(|(_, shared)| *shared >= self.limits.shared);
        if best.len() > self.limits.found {
            best.select_nth_unstable_by(self.limits.found, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            best.truncate(self.limits.found);
        }
        best.sort_unstable_by_key(|(place, _)| *place);
        best.into_iter().map(|(place, _)| self.items[place as usize]).collect()
    }

    /// The latest items before a place that have a term among their heaviest.
    fn latest(&self, part: usize, term: Term, end: u32) -> &[(u32, f32)] {
        let holders = self.holders[part].get(&term).map_or(&[][..], Vec::as_slice);
        let before = holders.partition_point(|(place, _)| *place < end);
        &holders[before.saturating_sub(self.limits.items_of_term)..before]
    }

    /// The bytes it takes, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_part = |holders: &FxHashMap<Term, Holders>| {
            let lists: usize = holders.values().map(|list| list.capacity() * size_of::<(u32, f32)>()).sum();
            lists + holders.capacity() * (size_of::<(Term, Holders)>() + 1)
        };
        size_of_val(&*self.items) + self.holders.iter().map(of_part).sum::<usize>()
    }
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
        for (number, item) in heavy.iter().enumerate() {
            index.insert(number, item);
        }
        assert!(index.bytes() > 0);
        let mut shared = Shared::default();
        let found = index.candidates(&heavy[looked_up], index.end(), &mut shared);
        let again = index.candidates(&heavy[looked_up], index.end(), &mut shared);
        assert_eq!(found, again, "a look leaves nothing behind");
        assert!(index.candidates(&heavy[looked_up], 0, &mut shared).is_empty(), "what comes later is not found");
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
