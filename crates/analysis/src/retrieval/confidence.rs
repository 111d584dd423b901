//! Compares the best sentence with the others before it is quoted. Among thousands of sentences the best one is always
//! similar to some degree by chance, so it counts by how much it leads, and which words it has itself.

use super::CandidatePassage;
use super::decision::highest;
use super::features::Measured;
use super::literal::rarest_first;
use super::question::Question;
use super::score::Scored;
use super::vocabulary::{Vocabulary, as_f64};

/// A greater lead says no more, nor does a sentence by as much behind another.
const MAX_LEAD: f64 = 4.0;
const MIN_LEAD: f64 = -2.0;
/// Minimum similarity to the rarest word of the question for an answer by its words.
const MIN_RAREST: f64 = 0.5;

/// How a sentence stands out from the others.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Standing {
    /// How much higher it scores than the best sentence of another document.
    pub lead: f64,
    /// Its features of the same names.
    pub length: f64,
    pub mean_of_passage: f64,
    /// How well it meets the rarest word of the question, with its heading and title.
    pub rarest: f64,
    /// The natural logarithm of the number of passages in the collection.
    pub passages: f64,
}

/// Weights of a logistic regression for the log-odds that a sentence is right, without the constant: fitted by
/// `scripts/ask/fit.py --standing` on `tests/data/ask/development` and `tests/data/ask`, each alone and with 40
/// unrelated articles.
const WEIGHTS: Standing =
    Standing { lead: 0.037, length: -3.667, mean_of_passage: 1.93, rarest: 0.803, passages: -0.307 };
const CONSTANT: f64 = -0.343;
/// Minimum log-odds: three of a hundred right answers are below, with each set left out in turn.
const MIN_LOG_ODDS: f64 = -1.086;

impl Standing {
    /// `ranked`: all sentences that may be quoted, best first.
    pub(super) fn of(
        question: &Question,
        measured: &Measured,
        first: Scored,
        ranked: &[Scored],
        candidates: &[CandidatePassage<'_>],
        all: &Vocabulary<'_>,
    ) -> Self {
        let (unit, features) = (&all.units[first.unit], &measured.features[first.unit]);
        let part = &all.parts[unit.passage];
        let document = |one: &Scored| candidates[all.units[one.unit].passage].document;
        let other = ranked.iter().find(|one| document(one) != document(&first));
        let context: Vec<usize> = unit.words.iter().chain(&part.heading).chain(&part.title).copied().collect();
        let terms = rarest_first(question, measured);
        let met: Vec<f64> = terms.iter().map(|term| highest(&measured.similarity[*term], context.iter())).collect();
        Self {
            lead: other.map_or(MAX_LEAD, |other| (first.score - other.score).clamp(MIN_LEAD, MAX_LEAD)),
            length: features.length,
            mean_of_passage: features.mean_of_passage,
            rarest: met.first().copied().unwrap_or(1.0),
            passages: as_f64(all.passages().max(1)).ln(),
        }
    }

    /// Returns the values in the order of the fields.
    #[must_use]
    pub const fn values(&self) -> [f64; 5] {
        let Self { lead, length, mean_of_passage, rarest, passages } = *self;
        [lead, length, mean_of_passage, rarest, passages]
    }

    /// Returns whether a sentence that is similar to the question stands out enough.
    pub(super) fn is_likely(&self) -> bool {
        let known: f64 = self.values().iter().zip(WEIGHTS.values()).map(|(known, weight)| known * weight).sum();
        CONSTANT + known >= MIN_LOG_ODDS
    }

    /// Returns whether a sentence may answer by its words: no other document has a better one, and it meets the rarest,
    /// which may stand elsewhere in its document if no other has anything similar.
    pub(super) fn may_answer_by_words(&self) -> bool {
        self.lead >= 0.0 && (self.rarest >= MIN_RAREST || self.lead >= MAX_LEAD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_similar_by_chance_in_a_large_collection_does_not_stand_out() {
        let similar = Standing { lead: 0.1, length: 0.0, mean_of_passage: 0.5, rarest: 0.4, passages: 4.0 };
        assert!(similar.is_likely());
        let by_chance = Standing { passages: 7.5, ..similar };
        assert!(!by_chance.is_likely());
        assert!(Standing { lead: 3.0, rarest: 1.0, ..by_chance }.is_likely());
    }

    #[test]
    fn an_answer_by_words_has_the_rarest_and_is_not_behind_another_document() {
        let standing = Standing { lead: 1.0, rarest: 1.0, ..Standing::default() };
        assert!(standing.may_answer_by_words());
        assert!(!Standing { lead: -0.1, ..standing }.may_answer_by_words());
        assert!(!Standing { rarest: 0.3, ..standing }.may_answer_by_words());
    }
}
