//! The positions of a query's terms in a text, and the proximity of a clause's terms.
//!
//! Input: a document and the hits of its words. Output: the occurrences of the terms, for [`super::score`].

use super::documents::{Document, LEAD_WORDS};
use super::long_names::LongNames;
use super::terms::{Hit, Hits};

/// Maximum number of words from the first to the last of a group of nearby terms.
const WINDOW_WORDS: usize = 8;

/// Position offset per field: only the opening and the rest of the text are adjacent.
const FIELD_OFFSETS: [usize; 4] = [0, 100_000, 100_000 + LEAD_WORDS, 200_000];

/// A word of a text that matches a term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occurrence<'a> {
    pub(super) field: usize,
    position: usize,
    pub(super) hit: &'a Hit,
}

/// Returns every word that matches a term, field by field.
pub(super) fn occurrences<'a>(hits: &'a Hits, names: &LongNames, document: &Document) -> Vec<Occurrence<'a>> {
    let mut found = Vec::new();
    for (number, field) in document.fields.iter().enumerate() {
        for (at, word) in field.iter().enumerate() {
            let mut met: Option<usize> = None;
            for hit in hits.of_word(*word) {
                // At one position, a place counts once, by its longest matching name.
                let is_again = met == Some(hit.term);
                if is_again || !hit.rest.is_empty() && !field[at + 1..].starts_with(&hit.rest) {
                    continue;
                }
                if names.contain(field, at, 1 + hit.rest.len(), hit.is_word) {
                    continue;
                }
                met = Some(hit.term);
                found.push(Occurrence { field: number, position: FIELD_OFFSETS[number] + at, hit });
            }
        }
    }
    found
}

/// The proximity of a clause's terms in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Together {
    /// The weight of the best nearby group as a share of all matched weight, 0 to 1.
    pub(super) part: f64,
    /// Maximum number of terms in one group.
    pub(super) terms: usize,
}

impl Together {
    /// Computes the proximity of a clause's terms. A place counts wherever it is named, because texts name it once and
    /// then describe what happens there.
    pub(super) fn of(terms: &[usize], weights: &[f64], occurrences: &[Occurrence<'_>]) -> Self {
        let number = |found: &Occurrence<'_>| terms.iter().position(|term| *term == found.hit.term);
        let direct_hits = occurrences.iter().filter(|found| found.hit.direct > 0.0);
        let found: Vec<(usize, &Occurrence<'_>)> =
            direct_hits.filter_map(|found| Some((number(found)?, found))).collect();
        let weight = |met: &[f64]| -> f64 { met.iter().zip(terms).map(|(met, term)| met * weights[*term]).sum() };
        let (mut anywhere, mut places) = (vec![0.0_f64; terms.len()], vec![0.0_f64; terms.len()]);
        for (term, found) in &found {
            anywhere[*term] = anywhere[*term].max(found.hit.direct.min(1.0));
            if !found.hit.is_word {
                places[*term] = anywhere[*term];
            }
        }
        let (mut best_weight, mut max_terms) = (0.0_f64, 0);
        for (first, (_, begin)) in found.iter().enumerate() {
            let mut here = places.clone();
            let near = found[first..].iter().take_while(|(_, found)| found.position < begin.position + WINDOW_WORDS);
            near.for_each(|(term, found)| here[*term] = here[*term].max(found.hit.direct.min(1.0)));
            best_weight = best_weight.max(weight(&here));
            max_terms = max_terms.max(here.iter().filter(|met| **met > 0.0).count());
        }
        let all = weight(&anywhere);
        Self { part: if all > 0.0 { best_weight / all } else { 1.0 }, terms: max_terms }
    }
}
