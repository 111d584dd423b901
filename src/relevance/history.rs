//! How often a source's stored items matched: the same query over what is stored of their texts, counts of hashed words.

use super::places::Places;
use super::terms::{Term, Variants};
use super::weighted_query::{AskedClause, Query};
use crate::stories::features::Features;
use crate::stories::vocabulary::Term as StoredTerm;

/// What a word counts in the opening (with the title) and after it, of [`super::score`]'s weights.
const LEAD_WEIGHT: f64 = 1.5;
const REST_WEIGHT: f64 = 0.4;
const B: f64 = 0.75;
const K1: f64 = 0.9;
/// Of a lexical degree: an item that reaches it counts as one that matched.
const FULL_MATCH: f64 = 0.5;

/// See the module.
#[derive(Debug)]
pub struct StoredQuery<'a> {
    asked: &'a Query<'a>,
    /// By which stored terms each term is met.
    terms: Vec<Vec<(StoredTerm, f64)>>,
    mean_weight: f64,
}

impl<'a> StoredQuery<'a> {
    #[must_use]
    pub fn of(query: &'a Query<'a>) -> Self {
        let terms = query.terms.iter().map(stored).collect();
        let sum: f64 = query.wanted.iter().map(|clause| clause.weight).sum();
        let count = u32::try_from(query.wanted.len().max(1)).unwrap_or(u32::MAX);
        Self { asked: query, terms, mean_weight: sum / f64::from(count) }
    }

    /// How far a stored text of so many words on average is what was asked for, 0 to 1.
    #[must_use]
    pub fn matched(&self, features: &Features, mean_length: f64) -> f64 {
        if self.mean_weight <= 0.0 {
            return 0.0;
        }
        let length = 1.0 - B + B * as_f64(features.length()) / mean_length.max(1.0);
        let found: Vec<f64> = self.terms.iter().map(|terms| frequency(terms, features, length)).collect();
        let degree: f64 = self.asked.wanted.iter().map(|clause| self.clause(clause, &found)).sum();
        (degree / self.mean_weight / FULL_MATCH).min(1.0)
    }

    fn clause(&self, clause: &AskedClause, found: &[f64]) -> f64 {
        let (mut score, mut met) = (0.0, 0.0);
        for term in &clause.terms {
            let (frequency, weight) = (found[*term], self.asked.weights[*term]);
            score += weight * frequency * (K1 + 1.0) / (frequency + K1);
            met += weight * frequency.min(1.0);
        }
        if clause.weight > 0.0 { score * (met / clause.weight).sqrt() } else { 0.0 }
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
