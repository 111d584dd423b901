//! Whether the best sentence answers the question at all.
//!
//! That a passage shares words with a question says little: one that is asked for what it does not say shares its names too. What says more
//! is whether the thing that is asked for is met in the sentence, and how well those words are met that are not met exactly.

use super::question::{Question, is_measure};
use super::score::{Scored, Scoring};
use super::vocabulary::Vocabulary;

/// From which probability a question counts as answered, by the table that ships, and by weights from a folder.
const ANSWERED: f64 = 0.52;
const ANSWERED_WITH_FOLDER: f64 = 0.45;

/// Whether that probability suffices.
pub(super) fn is_answered(probability: f64, scoring: &Scoring) -> bool {
    probability >= if scoring.passage_likeness.is_some() { ANSWERED_WITH_FOLDER } else { ANSWERED }
}

/// A term that measures counts so much less where the sentence has the kind that is wanted.
const MEASURE: f64 = 0.2;
/// What is assumed of a question that names nothing it asks for.
const NO_FOCUS: f64 = 0.7;
const EXACT: f64 = 0.999;

/// Log-odds, as fitted (logistic regression) on the questions of `scripts/ask/`.
struct Weights {
    /// Share of the question, by weight, that the passage has word for word.
    exact: f64,
    /// Likeness of what meets the rest best, in the passage.
    rest: f64,
    /// Of what is asked for: its best term in the sentence, its worst and its best in the passage.
    focus_in_sentence: f64,
    worst_of_focus: f64,
    best_of_focus: f64,
    /// Likeness of question and passage by weights from a folder.
    passage: f64,
    constant: f64,
}

const SHIPPED: Weights = Weights {
    exact: -1.787,
    rest: 4.534,
    focus_in_sentence: 3.76,
    worst_of_focus: 4.758,
    best_of_focus: -4.909,
    passage: 0.0,
    constant: -3.691,
};

const WITH_FOLDER: Weights = Weights {
    exact: -3.048,
    rest: 6.981,
    focus_in_sentence: 3.735,
    worst_of_focus: 2.369,
    best_of_focus: -3.824,
    passage: 4.699,
    constant: -3.88,
};

/// The probability that a sentence answers the question, from 0 to 1.
pub(super) fn probability(question: &Question, scoring: &Scoring, best: Scored, all: &Vocabulary<'_>) -> f64 {
    let unit = &all.units[best.unit];
    let part = &all.parts[unit.passage];
    let in_sentence = |of: &Vec<f64>| highest(of, unit.words.iter().chain(&part.heading));
    let inside = all.units[part.units.clone()].iter().flat_map(|unit| &unit.words);
    let passage: Vec<usize> = inside.chain(&part.heading).chain(&part.title).copied().collect();
    let in_passage: Vec<f64> = scoring.likeness.iter().map(|of| highest(of, passage.iter())).collect();
    let has_kind = question.wanted.is_none_or(|kind| kind.is_in(unit.text));
    let (mut exact, mut total, mut rest, mut rest_weight) = (0.0, 0.0, 0.0, 0.0);
    for ((term, weight), met) in question.terms.iter().zip(&scoring.weights).zip(&in_passage) {
        let weight = weight * if has_kind && is_measure(term) { MEASURE } else { 1.0 };
        total += weight;
        if *met >= EXACT {
            exact += weight;
        } else {
            rest += weight * met;
            rest_weight += weight;
        }
    }
    let terms = question.terms.iter().enumerate();
    let focus: Vec<usize> = terms.filter(|(_, term)| question.focus.contains(*term)).map(|(at, _)| at).collect();
    let of_focus =
        |values: &mut dyn Iterator<Item = f64>, pick: fn(f64, f64) -> f64| values.reduce(pick).unwrap_or(NO_FOCUS);
    let weights = if scoring.passage_likeness.is_some() { WITH_FOLDER } else { SHIPPED };
    let odds = weights.constant
        + weights.exact * ratio(exact, total, 0.0)
        + weights.rest * ratio(rest, rest_weight, 1.0)
        + weights.focus_in_sentence
            * of_focus(&mut focus.iter().map(|at| in_sentence(&scoring.likeness[*at])), f64::max)
        + weights.worst_of_focus * of_focus(&mut focus.iter().map(|at| in_passage[*at]), f64::min)
        + weights.best_of_focus * of_focus(&mut focus.iter().map(|at| in_passage[*at]), f64::max)
        + weights.passage * scoring.passage_likeness.unwrap_or(0.0);
    1.0 / (1.0 + (-odds).exp())
}

fn highest<'w>(of: &[f64], words: impl Iterator<Item = &'w usize>) -> f64 {
    words.map(|word| of[*word]).fold(0.0, f64::max)
}

fn ratio(part: f64, whole: f64, of_nothing: f64) -> f64 {
    if whole > 0.0 { part / whole } else { of_nothing }
}
