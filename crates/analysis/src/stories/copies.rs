//! Finds copies: texts that are nearly identical to one of another item.
//!
//! Input: items. Output: pairs of a copy and its original. Called by the dedupe stage.
//!
//! Only new texts are checked, and only against texts with one of their few heaviest terms: a copy contains at least
//! one of them.

use aha_core::ids::ItemId;
use aha_core::time::{DAY_MS, Timestamp};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cluster::{COPY_DAYS, ClusterItem};
use super::comparison::Comparison;
use crate::text::features::WORDS;
use crate::text::similarity::Weighted;
use crate::text::vocabulary::Term;

/// Minimum cosine of words for a copy.
const MIN_COPY_COSINE: f64 = 0.995;

/// The share of a text's squared length that, missing in another, leaves a cosine below [`MIN_COPY_COSINE`]:
/// 1 − 0.995², rounded up.
const MISSING_SHARE: f64 = 0.01;

/// Shorter texts are not considered copies: "Open thread" is not one story.
const MIN_COPY_WORDS: usize = 20;

/// Maximum number of the latest texts per term that are compared.
const MAX_LATEST: usize = 128;

/// Returns pairs (copy, original) of nearly identical texts within [`COPY_DAYS`]; the original is the one that has a
/// story, else the older one. Items with a story are not checked again: they are already known as copies or originals.
#[must_use]
pub fn copies(items: &[ClusterItem]) -> Vec<(ItemId, ItemId)> {
    let comparison = Comparison::of(items);
    let is_checked = |number: &usize| items[*number].features.length() >= MIN_COPY_WORDS && !items[*number].copy;
    let new: Vec<usize> = (0..items.len()).filter(|n| items[*n].cluster.is_none()).filter(is_checked).collect();
    let key_terms: FxHashMap<usize, Vec<Term>> = new.par_iter().map(|n| (*n, key_terms(comparison.get(*n)))).collect();
    let indexed_terms: FxHashSet<Term> = key_terms.values().flatten().copied().collect();
    let (mut postings, mut found) = (FxHashMap::<Term, Vec<usize>>::default(), Vec::new());
    // Items with a story first: a source that is read late may bring an older text that is known from another.
    let placed = (0..items.len()).filter(|number| items[*number].cluster.is_some()).filter(is_checked);
    for number in placed.chain(new) {
        let item = &items[number];
        let is_copied = |older: &usize| {
            within_days(items[*older].time, item.time, COPY_DAYS)
                && comparison.get(*older).word_cosine(comparison.get(number)) >= MIN_COPY_COSINE
        };
        let originals = key_terms.get(&number).map(|key_terms| latest(&postings, key_terms)).unwrap_or_default();
        match originals.into_iter().find(is_copied) {
            Some(older) => found.push((item.id, items[older].id)),
            None => item.features.words().filter(|term| indexed_terms.contains(term)).for_each(|term| {
                postings.entry(term).or_default().push(number);
            }),
        }
    }
    found
}

/// Returns the heaviest words of a text, enough that every copy contains one of them.
fn key_terms(weighted: &Weighted) -> Vec<Term> {
    let mut words: Vec<(f64, Term)> =
        weighted.entries().map(|entry| (f64::from(entry.weights[WORDS]), entry.term)).collect();
    words.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut missing = MISSING_SHARE * weighted.words_length().powi(2);
    let is_needed = |(weight, _): &(f64, Term)| {
        let is_needed = missing > 0.0;
        missing -= weight.powi(2);
        is_needed
    };
    words.into_iter().take_while(is_needed).map(|(_, term)| term).collect()
}

/// Returns the latest items with any of the terms, in order.
fn latest(postings: &FxHashMap<Term, Vec<usize>>, terms: &[Term]) -> Vec<usize> {
    let of_terms = terms.iter().filter_map(|term| postings.get(term));
    let mut latest: Vec<usize> =
        of_terms.flat_map(|postings| &postings[postings.len().saturating_sub(MAX_LATEST)..]).copied().collect();
    latest.sort_unstable();
    latest.dedup();
    latest
}

fn within_days(a: Timestamp, b: Timestamp, days: i64) -> bool {
    (a - b).abs() <= days * DAY_MS
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use aha_core::ids::{ClusterId, SourceId};

    use super::*;
    use crate::text::features::Features;

    /// One text per day, each from its own source; those with the given numbers have a story.
    fn items(texts: &[String], placed: &[usize]) -> Vec<ClusterItem> {
        let one = |(number, text): (usize, &String)| ClusterItem {
            id: ItemId::of(&[&number.to_string()]),
            source: SourceId::of(&[&number.to_string()]),
            time: Timestamp::from_millis(i64::try_from(number).unwrap() * DAY_MS),
            cluster: placed.contains(&number).then(|| ClusterId::of(&[&number.to_string()])),
            delivered: false,
            copy: false,
            features: Arc::new(Features::of(None, text)),
            dense: None,
        };
        texts.iter().enumerate().map(one).collect()
    }

    fn story_text(story: usize, words: usize) -> String {
        (0..words).map(|n| format!("usual{n} matter{}x{story} ", n % 40)).collect::<Vec<_>>().concat()
    }

    /// The reference: compares each text with all older ones, and with all that have a story.
    fn by_all_pairs(items: &[ClusterItem]) -> Vec<(ItemId, ItemId)> {
        let comparison = Comparison::of(items);
        let mut found: Vec<(usize, usize)> = Vec::new();
        for (number, item) in items.iter().enumerate().filter(|(_, d)| d.cluster.is_none()) {
            let is_copied = |older: &usize| {
                !found.iter().any(|(copy, _)| copy == older)
                    && within_days(items[*older].time, item.time, COPY_DAYS)
                    && comparison.get(*older).word_cosine(comparison.get(number)) >= MIN_COPY_COSINE
            };
            let may_be_original = |other: &usize| *other < number || items[*other].cluster.is_some();
            let original = (0..items.len()).filter(may_be_original).find(is_copied);
            found.extend(original.map(|original| (number, original)));
        }
        found.into_iter().map(|(copy, original)| (items[copy].id, items[original].id)).collect()
    }

    #[test]
    fn every_copy_is_found_and_nothing_that_is_only_similar() {
        let mut texts: Vec<String> = (0..24).map(|story| story_text(story, 30 + 40 * story)).collect();
        for story in 0..12 {
            texts.push(story_text(story, 30 + 40 * story) + if story % 2 == 0 { "" } else { "or nearly so" });
            texts.push(story_text(story, 15 + 20 * story));
        }
        for placed in [vec![], (0..30).collect::<Vec<_>>()] {
            let items = items(&texts, &placed);
            let found = copies(&items);
            assert_eq!(found, by_all_pairs(&items));
            assert!(found.len() >= 4 && found.len() < 24, "{}", found.len());
        }
    }

    #[test]
    fn an_older_text_that_is_read_later_is_the_copy() {
        let texts = [story_text(1, 40), story_text(2, 40), story_text(1, 40)];
        let items = items(&texts, &[2]);
        assert_eq!(copies(&items), [(items[0].id, items[2].id)]);
    }

    #[test]
    fn short_texts_and_old_ones_are_no_originals() {
        let mut texts = vec![story_text(1, 5), story_text(1, 5), story_text(2, 40)];
        texts.extend((3..33).map(|story| story_text(story, 40)));
        texts.push(story_text(2, 40));
        assert_eq!(copies(&items(&texts, &[])), []);
        texts.push(story_text(2, 40));
        let items = items(&texts, &[]);
        assert_eq!(copies(&items), [(items[34].id, items[33].id)]);
    }
}
