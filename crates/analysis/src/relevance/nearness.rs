//! Where the terms of a query stand in a text, and how much of a clause stands together there.
//!
//! Comes in: a document and what its words count. Goes out: the places of the terms, for [`super::score`].

use super::documents::{Document, LEAD_WORDS};
use super::terms::{Hit, Hits};

/// Words that stand together: at most so many from the first to the last.
const TOGETHER_WORDS: usize = 8;

/// Of a field, before the places of its words: no two fields but the opening and what follows it stand together.
const FIELD_PLACES: [usize; 4] = [0, 100_000, 100_000 + LEAD_WORDS, 200_000];

/// A word of a text that meets a term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Occurrence<'a> {
    pub(super) field: usize,
    place: usize,
    pub(super) hit: &'a Hit,
}

/// Every word that meets a term, field by field.
pub(super) fn occurrences<'a>(hits: &'a Hits, document: &Document) -> Vec<Occurrence<'a>> {
    let mut found = Vec::new();
    for (number, field) in document.fields.iter().enumerate() {
        for (at, word) in field.iter().enumerate() {
            let mut met: Option<usize> = None;
            for hit in hits.of_word(*word) {
                // A name of a place counts once at its place of the text, by the longest form.
                let is_again = met == Some(hit.term);
                if is_again || !hit.rest.is_empty() && !field[at + 1..].starts_with(&hit.rest) {
                    continue;
                }
                met = Some(hit.term);
                found.push(Occurrence { field: number, place: FIELD_PLACES[number] + at, hit });
            }
        }
    }
    found
}

/// How much of a clause stands together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Together {
    /// Of the weight of its terms that a text has, 0 to 1.
    pub(super) part: f64,
    /// Its terms there.
    pub(super) terms: usize,
}

impl Together {
    /// Of a clause's terms. A place counts wherever it is named: texts name it once and tell then what happens there.
    pub(super) fn of(terms: &[usize], weights: &[f64], occurrences: &[Occurrence<'_>]) -> Self {
        let number = |found: &Occurrence<'_>| terms.iter().position(|term| *term == found.hit.term);
        let counted = occurrences.iter().filter(|found| found.hit.direct > 0.0);
        let found: Vec<(usize, &Occurrence<'_>)> = counted.filter_map(|found| Some((number(found)?, found))).collect();
        let weight = |met: &[f64]| -> f64 { met.iter().zip(terms).map(|(met, term)| met * weights[*term]).sum() };
        let (mut anywhere, mut places) = (vec![0.0_f64; terms.len()], vec![0.0_f64; terms.len()]);
        for (term, found) in &found {
            anywhere[*term] = anywhere[*term].max(found.hit.direct.min(1.0));
            if !found.hit.is_word {
                places[*term] = anywhere[*term];
            }
        }
        let (mut most, mut count) = (0.0_f64, 0);
        for (first, (_, begin)) in found.iter().enumerate() {
            let mut here = places.clone();
            let near = found[first..].iter().take_while(|(_, found)| found.place < begin.place + TOGETHER_WORDS);
            near.for_each(|(term, found)| here[*term] = here[*term].max(found.hit.direct.min(1.0)));
            most = most.max(weight(&here));
            count = count.max(here.iter().filter(|met| **met > 0.0).count());
        }
        let all = weight(&anywhere);
        Self { part: if all > 0.0 { most / all } else { 1.0 }, terms: count }
    }
}
