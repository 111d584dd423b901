//! Whether the best sentence answers the question at all.
//!
//! That a passage shares words with a question says little: one that is asked for what it does not say shares its names too. What says more
//! is whether the thing that is asked for is met in the sentence, and how well those words are met that are not met exactly.

use super::features::{Features, Measured};
use super::meaning::Meaning;
use super::question::{Question, is_measure};
use super::vocabulary::Vocabulary;

/// A term that measures counts so much less where the sentence has the kind that is wanted.
const MEASURE: f64 = 0.2;
/// What is assumed of a question that names nothing it asks for.
const NO_FOCUS: f64 = 0.7;
const EXACT: f64 = 0.999;

pub const COUNT: usize = 5;

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
];

/// What a sentence and its passage say about whether the question is answered.
pub(super) fn evidence(question: &Question, measured: &Measured, unit: usize, all: &Vocabulary<'_>) -> Evidence {
    let unit = &all.units[unit];
    let part = &all.parts[unit.passage];
    let in_sentence = |of: &Vec<f64>| highest(of, unit.words.iter().chain(&part.heading));
    let inside = all.units[part.units.clone()].iter().flat_map(|unit| &unit.words);
    let passage: Vec<usize> = inside.chain(&part.heading).chain(&part.title).copied().collect();
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

const SHIPPED: Weights =
    Weights { evidence: [-1.787, 4.534, 3.76, 4.758, -4.909], passage: 0.0, constant: -3.691, least: -0.17 };
const WITH_STATIC: Weights =
    Weights { evidence: [-3.048, 6.981, 3.735, 2.369, -3.824], passage: 4.699, constant: -3.88, least: -0.2 };
/// A sentence model finds more alike: as with static weights, but from where seven tenths of what cannot be answered lie below.
const WITH_MODEL: Weights = Weights { least: 1.6, ..WITH_STATIC };

/// Whether the sentence answers the question, and how likely that is, from 0 to 1.
pub(super) fn decide(evidence: &Evidence, features: &Features, meaning: &Meaning<'_>) -> (bool, f64) {
    let (weights, passage) = match () {
        () if meaning.has_model() => (WITH_MODEL, features[16]),
        () if meaning.has_weights() => (WITH_STATIC, features[13]),
        () => (SHIPPED, 0.0),
    };
    let known: f64 = evidence.iter().zip(&weights.evidence).map(|(known, weight)| known * weight).sum();
    let odds = weights.constant + known + weights.passage * passage;
    (odds >= weights.least, 1.0 / (1.0 + (-odds).exp()))
}
