//! Finds the items that share heavy terms with another, without comparing all pairs.
//!
//! What one look costs is bounded: so many terms, so many of the latest items for each, so many found. It therefore does not grow
//! with the number of items. [`Limits::EXACT`] has no bounds, to measure what they cost.

use std::collections::{HashMap, VecDeque};

use super::similarity::{Key, NAMES, WORDS, Weighted};

/// How far is looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Heaviest words by which an item is looked up.
    pub words: usize,
    /// The same of names and numbers.
    pub names: usize,
    /// Latest items kept for a term: one that more have tells little.
    pub items_of_term: usize,
    /// Items found at most, those that share most.
    pub found: usize,
}

impl Limits {
    pub const USUAL: Self = Self { words: 24, names: 12, items_of_term: 128, found: 48 };
    pub const EXACT: Self = Self { words: usize::MAX, names: usize::MAX, items_of_term: usize::MAX, found: usize::MAX };
}

/// Items by their heavy terms.
#[derive(Debug)]
pub struct LookupIndex {
    limits: Limits,
    items: HashMap<Key, VecDeque<(usize, f32)>>,
}

impl Default for LookupIndex {
    fn default() -> Self {
        Self::new(Limits::USUAL)
    }
}

impl LookupIndex {
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, items: HashMap::new() }
    }

    pub fn insert(&mut self, item: usize, weighted: &Weighted) {
        for (key, weight) in self.heaviest(weighted) {
            let items = self.items.entry(key).or_default();
            if items.len() >= self.limits.items_of_term {
                items.pop_front();
            }
            items.push_back((item, weight));
        }
    }

    /// Items inserted so far that share most with this one by its heavy terms, in rising order.
    #[must_use]
    pub fn candidates(&self, weighted: &Weighted) -> Vec<usize> {
        let mut shared: HashMap<usize, f32> = HashMap::new();
        for (key, mine) in self.heaviest(weighted) {
            for (item, theirs) in self.items.get(&key).into_iter().flatten() {
                *shared.entry(*item).or_default() += mine * theirs;
            }
        }
        let mut found: Vec<(usize, f32)> = shared.into_iter().collect();
        if found.len() > self.limits.found {
            found.select_nth_unstable_by(self.limits.found, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            found.truncate(self.limits.found);
        }
        let mut items: Vec<usize> = found.into_iter().map(|(item, _)| item).collect();
        items.sort_unstable();
        items
    }

    fn heaviest(&self, weighted: &Weighted) -> Vec<(Key, f32)> {
        let mut heaviest = heaviest_of(weighted, WORDS, self.limits.words);
        heaviest.extend(heaviest_of(weighted, NAMES, self.limits.names));
        heaviest
    }
}

/// A part's heaviest terms, by rising key.
fn heaviest_of(weighted: &Weighted, part: usize, count: usize) -> Vec<(Key, f32)> {
    let mut entries: Vec<(Key, f32)> =
        weighted.entries().iter().filter(|(key, _)| key.part() == part).copied().collect();
    if entries.len() > count {
        entries.select_nth_unstable_by(count, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        entries.truncate(count);
        entries.sort_unstable_by_key(|(key, _)| *key);
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::super::features::Features;
    use super::super::similarity::Frequencies;
    use super::*;

    fn weighted(texts: &[&str]) -> Vec<Weighted> {
        let items: Vec<Features> = texts.iter().map(|text| Features::of(None, text)).collect();
        let snapshot = Frequencies::of(&items);
        items.iter().map(|item| snapshot.weigh(item)).collect()
    }

    #[test]
    fn what_shares_a_heavy_term_is_found() {
        let items = weighted(&["ferry power skerrow", "ferry harbour", "pump tax"]);
        let mut index = LookupIndex::default();
        for (number, item) in items.iter().enumerate() {
            index.insert(number, item);
        }
        assert_eq!(index.candidates(&items[0]), [0, 1]);
    }

    #[test]
    fn of_a_common_term_the_latest_items_are_kept_and_the_likest_found() {
        let items = weighted(&["ferry one", "ferry two", "ferry three", "ferry three"]);
        let mut index = LookupIndex::new(Limits { items_of_term: 3, found: 2, ..Limits::USUAL });
        for (number, item) in items.iter().enumerate() {
            index.insert(number, item);
        }
        assert_eq!(index.candidates(&items[3]), [2, 3]);
    }
}
