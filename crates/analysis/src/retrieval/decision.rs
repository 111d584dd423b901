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

/// What is known of the best sentence, or what each of it counts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Evidence {
    /// Share of the question, by weight, that the passage has word for word.
    pub exact: f64,
    /// Likeness of what meets the rest best, in the passage.
    pub rest: f64,
    /// Of what is asked for: its best term in the sentence, its worst and its best in the passage.
    pub focus_in_sentence: f64,
    pub worst_of_focus: f64,
    pub best_of_focus: f64,
    /// Of [`Features`].
    pub names: f64,
    /// By which the sentence was ordered.
    pub score: f64,
}

impl Evidence {
    /// In the order of the fields.
    #[must_use]
    pub const fn values(&self) -> [f64; 7] {
        let Self { exact, rest, focus_in_sentence, worst_of_focus, best_of_focus, names, score } = *self;
        [exact, rest, focus_in_sentence, worst_of_focus, best_of_focus, names, score]
    }
}

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
    Evidence {
        exact: ratio(exact, total, 0.0),
        rest: ratio(rest, rest_weight, 1.0),
        focus_in_sentence: of_focus(&mut focus.iter().map(|at| in_sentence(&measured.likeness[*at])), f64::max),
        worst_of_focus: of_focus(&mut focus.iter().map(|at| in_passage[*at]), f64::min),
        best_of_focus: of_focus(&mut focus.iter().map(|at| in_passage[*at]), f64::max),
        names: features.names,
        score: best.score,
    }
}

fn highest<'w>(of: &[f64], words: impl Iterator<Item = &'w usize>) -> f64 {
    words.map(|word| of[*word]).fold(0.0, f64::max)
}

fn ratio(part: f64, whole: f64, of_nothing: f64) -> f64 {
    if whole > 0.0 { part / whole } else { of_nothing }
}

/// What counts how much in the log-odds that a question is answered (logistic regression).
struct Weights {
    evidence: Evidence,
    /// Likeness of question and passage, by static weights or a sentence model.
    passage: f64,
    constant: f64,
    /// The log-odds from which on it counts as answered.
    least: f64,
}

const NONE: Evidence = Evidence {
    exact: 0.0,
    rest: 0.0,
    focus_in_sentence: 0.0,
    worst_of_focus: 0.0,
    best_of_focus: 0.0,
    names: 0.0,
    score: 0.0,
};

/// Documents: all that is asked for stands in one of them, or nowhere. Those without all names of a question do not answer it.
const DOCUMENTS: Weights = Weights {
    evidence: Evidence {
        exact: -1.787,
        rest: 4.534,
        focus_in_sentence: 3.76,
        worst_of_focus: 4.758,
        best_of_focus: -4.909,
        ..NONE
    },
    passage: 0.0,
    constant: -3.691,
    least: -0.17,
};
const DOCUMENTS_WITH_STATIC: Weights = Weights {
    evidence: Evidence {
        exact: -3.048,
        rest: 6.981,
        focus_in_sentence: 3.735,
        worst_of_focus: 2.369,
        best_of_focus: -3.824,
        ..NONE
    },
    passage: 4.699,
    constant: -3.88,
    least: -0.2,
};
/// A sentence model finds more alike: as with static weights, but from where seven tenths of what cannot be answered lie below.
const DOCUMENTS_WITH_MODEL: Weights = Weights { least: 1.6, ..DOCUMENTS_WITH_STATIC };

/// Items: thousands of passages about everything, in which words of like meaning are met by chance. From where three quarters of what cannot be
/// answered lie below.
const ITEMS: Weights = Weights {
    evidence: Evidence { worst_of_focus: 1.787, names: 0.631, score: 0.325, ..NONE },
    passage: 0.0,
    constant: -6.532,
    least: 0.059,
};
const ITEMS_WITH_STATIC: Weights = Weights {
    evidence: Evidence { worst_of_focus: 1.712, names: 0.634, score: 0.348, ..NONE },
    passage: 0.0,
    constant: -6.598,
    least: -0.152,
};
const ITEMS_WITH_MODEL: Weights = Weights {
    evidence: Evidence { worst_of_focus: 1.756, names: 0.249, score: 0.414, ..NONE },
    passage: 0.0,
    constant: -6.99,
    least: 0.13,
};

/// Whether the sentence answers the question, and how likely that is, from 0 to 1.
pub(super) fn decide(evidence: &Evidence, features: &Features, meaning: &Meaning<'_>, is_item: bool) -> (bool, f64) {
    let (of_documents, of_items, passage) = match () {
        () if meaning.has_model() => (DOCUMENTS_WITH_MODEL, ITEMS_WITH_MODEL, features.model_passage),
        () if meaning.has_weights() => (DOCUMENTS_WITH_STATIC, ITEMS_WITH_STATIC, features.static_passage),
        () => (DOCUMENTS, ITEMS, 0.0),
    };
    let weights = if is_item { of_items } else { of_documents };
    let has_names = is_item || features.names >= 1.0;
    let known: f64 =
        evidence.values().iter().zip(weights.evidence.values()).map(|(known, weight)| known * weight).sum();
    let odds = weights.constant + known + weights.passage * passage;
    (has_names && odds >= weights.least, 1.0 / (1.0 + (-odds).exp()))
}
