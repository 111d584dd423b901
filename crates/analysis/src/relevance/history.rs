//! How often a source's stored items matched: runs the query over the stored counts of hashed words.

use super::places::Places;
use super::terms::{Term, Variants};
use super::weighted_query::Query;
use crate::text::features::Features;
use crate::text::vocabulary::Term as StoredTerm;

/// The weight of a word in the opening (with the title) and after it; see the weights of [`super::score`].
const LEAD_WEIGHT: f64 = 1.5;
const REST_WEIGHT: f64 = 0.4;
const B: f64 = 0.75;
/// Minimum lexical degree at which an item counts as a full match.
const FULL_MATCH: f64 = 0.5;

/// A query over stored word counts; see the module.
#[derive(Debug)]
pub struct StoredQuery<'a> {
    query: &'a Query<'a>,
    /// The stored terms that match each term of the query, with their weights.
    terms: Vec<Vec<(StoredTerm, f64)>>,
}

impl<'a> StoredQuery<'a> {
    #[must_use]
    pub fn of(query: &'a Query<'a>) -> Self {
        Self { query, terms: query.terms.iter().map(stored).collect() }
    }

    /// Returns how relevant a stored text is, 0 to 1. `mean_length` is the mean number of words of the stored texts.
    #[must_use]
    pub fn matched(&self, features: &Features, mean_length: f64) -> f64 {
        let length = 1.0 - B + B * as_f64(features.length()) / mean_length.max(1.0);
        let found: Vec<f64> = self.terms.iter().map(|terms| frequency(terms, features, length)).collect();
        let degree: f64 = self.query.wanted.iter().map(|clause| self.query.clause(clause, &found).1).sum();
        (degree / self.query.mean_weight / FULL_MATCH).min(1.0)
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
        // Stored counts have no positions.
        Term::Modifier(word, _) => add(word, 1.0),
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
