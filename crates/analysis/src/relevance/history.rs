//! How often a source's stored items matched: the same query over what is stored of their texts, counts of hashed words.

use super::places::Places;
use super::terms::{Term, Variants};
use super::weighted_query::Query;
use crate::stories::features::Features;
use crate::stories::vocabulary::Term as StoredTerm;

/// What a word counts in the opening (with the title) and after it, of [`super::score`]'s weights.
const LEAD_WEIGHT: f64 = 1.5;
const REST_WEIGHT: f64 = 0.4;
const B: f64 = 0.75;
/// Of a lexical degree: an item that reaches it counts as one that matched.
const FULL_MATCH: f64 = 0.5;

/// See the module.
#[derive(Debug)]
pub struct StoredQuery<'a> {
    asked: &'a Query<'a>,
    /// By which stored terms each term is met.
    terms: Vec<Vec<(StoredTerm, f64)>>,
}

impl<'a> StoredQuery<'a> {
    #[must_use]
    pub fn of(query: &'a Query<'a>) -> Self {
        Self { asked: query, terms: query.terms.iter().map(stored).collect() }
    }

    /// How far a stored text of so many words on average is what was asked for, 0 to 1.
    #[must_use]
    pub fn matched(&self, features: &Features, mean_length: f64) -> f64 {
        let length = 1.0 - B + B * as_f64(features.length()) / mean_length.max(1.0);
        let found: Vec<f64> = self.terms.iter().map(|terms| frequency(terms, features, length)).collect();
        let degree: f64 = self.asked.wanted.iter().map(|clause| self.asked.clause(clause, &found).1).sum();
        (degree / self.asked.mean_weight / FULL_MATCH).min(1.0)
    }
}

fn frequency(terms: &[(StoredTerm, f64)], features: &Features, length: f64) -> f64 {
    let of_term = |(term, weight): &(StoredTerm, f64)| {
        let (lead, all) = features.times_in_lead_and_all(*term);
        weight * (LEAD_WEIGHT * f64::from(lead) + REST_WEIGHT * f64::from(all.saturating_sub(lead)) / length)
    };
    terms.iter().map(of_term).sum()
}

fn stored(term: &Term) -> Vec<(StoredTerm, f64)> {
    let mut found: Vec<(StoredTerm, f64)> = Vec::new();
    let mut add = |word: &str, weight: f64| {
        if let Some(term) = StoredTerm::of_word(word).filter(|term| found.iter().all(|(known, _)| known != term)) {
            found.push((term, weight));
        }
    };
    match term {
        Term::Word(word) => {
            add(word, 1.0);
            Variants::of(word).near().iter().for_each(|(word, weight)| add(word, *weight));
        }
        Term::Place(place) => {
            let names = Places::shipped().names(place);
            names.iter().filter(|(name, _)| name.len() == 1).for_each(|(name, weight)| add(&name[0], *weight));
        }
    }
    found
}

#[expect(clippy::cast_precision_loss, reason = "counts of words")]
const fn as_f64(count: usize) -> f64 {
    count as f64
}
