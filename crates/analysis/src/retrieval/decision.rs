//! Whether the best sentence answers the question at all.
//!
//! That a passage shares words with a question says little: one that is asked for what it does not say shares its names too. What says more
//! is whether the thing that is asked for is met in the sentence, and how well those words are met that are not met exactly.

use super::features::{Features, Measured};
use super::meaning::Meaning;
use super::question::{Question, is_measure};
use super::score::Scored;
use super::vocabulary::Vocabulary;

/// A term that measures counts so much less where the sentence has the kind that is wanted.
const MEASURE: f64 = 0.2;
/// What is assumed of a question that names nothing it asks for.
const NO_FOCUS: f64 = 0.7;
const EXACT: f64 = 0.999;

pub const COUNT: usize = 7;

/// In the order of [`NAMES`].
pub type Evidence = [f64; COUNT];

pub const NAMES: [&str; COUNT] = [
    // Share of the question, by weight, that the passage has word for word.
    "exact",
    // Likeness of what meets the rest best, in the passage.
    "rest",
    // Of what is asked for: its best term in the sentence, its worst and its best in the passage.
    "focus_in_sentence",
    "worst_of_focus",
    "best_of_focus",
    // The feature of that name.
    "names",
    // By which the sentence was ordered.
    "score",
];

/// What a sentence and its passage say about whether the question is answered.
pub(super) fn evidence(question: &Question, measured: &Measured, best: Scored, all: &Vocabulary<'_>) -> Evidence {
    let (unit, features) = (&all.units[best.unit], &measured.features[best.unit]);
    let part = &all.parts[unit.passage];
    let in_sentence = |of: &Vec<f64>| highest(of, unit.words.iter().chain(&part.heading));
    let passage: Vec<usize> = all.words_of(part).collect();
    let in_passage: Vec<f64> = measured.likeness.iter().map(|of| highest(of, passage.iter())).collect();
    let has_kind = question.wanted.is_none_or(|kind| kind.is_in(unit.text));
    let (mut exact, mut total, mut rest, mut rest_weight) = (0.0, 0.0, 0.0, 0.0);
    for ((term, weight), met) in question.terms.iter().zip(&measured.weights).zip(&in_passage) {
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
    [
        ratio(exact, total, 0.0),
        ratio(rest, rest_weight, 1.0),
        of_focus(&mut focus.iter().map(|at| in_sentence(&measured.likeness[*at])), f64::max),
        of_focus(&mut focus.iter().map(|at| in_passage[*at]), f64::min),
        of_focus(&mut focus.iter().map(|at| in_passage[*at]), f64::max),
        features[18],
        best.score,
    ]
}

fn highest<'w>(of: &[f64], words: impl Iterator<Item = &'w usize>) -> f64 {
    words.map(|word| of[*word]).fold(0.0, f64::max)
}

fn ratio(part: f64, whole: f64, of_nothing: f64) -> f64 {
    if whole > 0.0 { part / whole } else { of_nothing }
}

/// What each of [`NAMES`] counts in the log-odds that a question is answered (logistic regression).
struct Weights {
    evidence: Evidence,
    /// Likeness of question and passage, by static weights or a sentence model.
    passage: f64,
    constant: f64,
    /// The log-odds from which on it counts as answered.
    least: f64,
}

/// Documents: all that is asked for stands in one of them, or nowhere. Those without all names of a question do not answer it.
const DOCUMENTS: Weights =
    Weights { evidence: [-1.787, 4.534, 3.76, 4.758, -4.909, 0.0, 0.0], passage: 0.0, constant: -3.691, least: -0.17 };
const DOCUMENTS_WITH_STATIC: Weights =
    Weights { evidence: [-3.048, 6.981, 3.735, 2.369, -3.824, 0.0, 0.0], passage: 4.699, constant: -3.88, least: -0.2 };
/// A sentence model finds more alike: as with static weights, but from where seven tenths of what cannot be answered lie below.
const DOCUMENTS_WITH_MODEL: Weights = Weights { least: 1.6, ..DOCUMENTS_WITH_STATIC };

/// Items: thousands of passages about everything, in which words of like meaning are met by chance. From where three quarters of what cannot be
/// answered lie below.
const ITEMS: Weights =
    Weights { evidence: [0.0, 0.0, 0.0, 1.787, 0.0, 0.631, 0.325], passage: 0.0, constant: -6.532, least: 0.059 };
const ITEMS_WITH_STATIC: Weights =
    Weights { evidence: [0.0, 0.0, 0.0, 1.712, 0.0, 0.634, 0.348], passage: 0.0, constant: -6.598, least: -0.152 };
const ITEMS_WITH_MODEL: Weights =
    Weights { evidence: [0.0, 0.0, 0.0, 1.756, 0.0, 0.249, 0.414], passage: 0.0, constant: -6.99, least: 0.13 };

/// Whether the sentence answers the question, and how likely that is, from 0 to 1.
pub(super) fn decide(evidence: &Evidence, features: &Features, meaning: &Meaning<'_>, is_item: bool) -> (bool, f64) {
    let (of_documents, of_items, passage) = match () {
        () if meaning.has_model() => (DOCUMENTS_WITH_MODEL, ITEMS_WITH_MODEL, features[16]),
        () if meaning.has_weights() => (DOCUMENTS_WITH_STATIC, ITEMS_WITH_STATIC, features[13]),
        () => (DOCUMENTS, ITEMS, 0.0),
    };
    let weights = if is_item { of_items } else { of_documents };
    let has_names = is_item || features[18] >= 1.0;
    let known: f64 = evidence.iter().zip(&weights.evidence).map(|(known, weight)| known * weight).sum();
    let odds = weights.constant + known + weights.passage * passage;
    (has_names && odds >= weights.least, 1.0 / (1.0 + (-odds).exp()))
}
