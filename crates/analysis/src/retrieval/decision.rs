//! Decides whether the best sentence answers the question.
//!
//! Shared words are weak evidence: a passage also shares names with a question that it does not answer. Stronger
//! evidence is whether the sentence contains the requested thing, and how well the words match that do not match
//! exactly. What answers by its words alone is decided in `literal.rs`.

use super::features::{Measured, SentenceFeatures};
use super::kinds::Kind;
use super::per_unit::lacks_unit;
use super::question::Question;
use super::score::Scored;
use super::similarity_models::SimilarityModels;
use super::vocabulary::Vocabulary;

/// The factor for a measure term if the sentence contains the requested kind.
const MEASURE: f64 = 0.2;
/// Assumed for a question without a focus.
const WITHOUT_FOCUS: f64 = 0.7;
pub(super) const EXACT: f64 = 0.999;

/// Evidence for the best sentence, or the weight of each part of it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct AnswerEvidence {
    /// The weighted share of the question's terms that match exactly in the passage.
    pub exact: f64,
    /// The mean best similarity in the passage of the other terms, by weight.
    pub rest: f64,
    /// The focus, the terms that name the requested thing: the best similarity of one in the sentence, the worst and
    /// the best in the passage.
    pub focus_in_sentence: f64,
    pub worst_of_focus: f64,
    pub best_of_focus: f64,
    /// [`SentenceFeatures::names`].
    pub names: f64,
    /// The sentence's ranking score.
    pub score: f64,
}

impl AnswerEvidence {
    /// Returns the values in the order of the fields.
    #[must_use]
    pub const fn values(&self) -> [f64; 7] {
        let Self { exact, rest, focus_in_sentence, worst_of_focus, best_of_focus, names, score } = *self;
        [exact, rest, focus_in_sentence, worst_of_focus, best_of_focus, names, score]
    }
}

/// Collects the evidence of a sentence and its passage.
pub(super) fn evidence(question: &Question, measured: &Measured, best: Scored, all: &Vocabulary<'_>) -> AnswerEvidence {
    let (unit, features) = (&all.units[best.unit], &measured.features[best.unit]);
    let part = &all.parts[unit.passage];
    let in_sentence = |of: &Vec<f64>| highest(of, unit.words.iter().chain(&part.heading));
    let passage: Vec<usize> = all.words_of(part).collect();
    let in_passage: Vec<f64> = measured.similarity.iter().map(|of| highest(of, passage.iter())).collect();
    let has_kind = question.kind_is_in(unit.text).unwrap_or(true);
    let (mut exact, mut total, mut rest, mut rest_weight) = (0.0, 0.0, 0.0, 0.0);
    for ((term, weight), met) in question.terms.iter().zip(&measured.weights).zip(&in_passage) {
        let weight = weight * if has_kind && question.is_kind_word(term) { MEASURE } else { 1.0 };
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
        |values: &mut dyn Iterator<Item = f64>, pick: fn(f64, f64) -> f64| values.reduce(pick).unwrap_or(WITHOUT_FOCUS);
    AnswerEvidence {
        exact: ratio(exact, total, 0.0),
        rest: ratio(rest, rest_weight, 1.0),
        focus_in_sentence: of_focus(&mut focus.iter().map(|at| in_sentence(&measured.similarity[*at])), f64::max),
        worst_of_focus: of_focus(&mut focus.iter().map(|at| in_passage[*at]), f64::min),
        best_of_focus: of_focus(&mut focus.iter().map(|at| in_passage[*at]), f64::max),
        names: features.names,
        score: best.score,
    }
}

/// Returns whether a document's sentence cannot be the answer, as it lacks the requested kind of thing, or the unit of
/// which the question asks.
pub(super) fn lacks_answer(question: &Question, measured: &Measured, number: usize, all: &Vocabulary<'_>) -> bool {
    let lacks_kind = measured.features[number].lacks_kind >= 1.0;
    lacks_kind && question.wanted.is_some_and(Kind::is_unmistakable) || lacks_unit(question, number, all)
}

pub(super) fn highest<'w>(of: &[f64], words: impl Iterator<Item = &'w usize>) -> f64 {
    words.map(|word| of[*word]).fold(0.0, f64::max)
}

fn ratio(part: f64, whole: f64, if_empty: f64) -> f64 {
    if whole > 0.0 { part / whole } else { if_empty }
}

/// Weights of a logistic regression for the log-odds that a question is answered.
struct Weights {
    evidence: AnswerEvidence,
    /// Weight of the similarity of question and passage, by static weights or a sentence model.
    passage: f64,
    constant: f64,
    /// Minimum log-odds of an answered question.
    min_log_odds: f64,
}

const NONE: AnswerEvidence = AnswerEvidence {
    exact: 0.0,
    rest: 0.0,
    focus_in_sentence: 0.0,
    worst_of_focus: 0.0,
    best_of_focus: 0.0,
    names: 0.0,
    score: 0.0,
};

/// Documents: the whole answer is in one of them or in none. Documents without all names of a question do not answer
/// it.
const DOCUMENTS: Weights = Weights {
    evidence: AnswerEvidence {
        exact: -1.787,
        rest: 4.534,
        focus_in_sentence: 3.76,
        worst_of_focus: 4.758,
        best_of_focus: -4.909,
        ..NONE
    },
    passage: 0.0,
    constant: -3.691,
    min_log_odds: -0.17,
};
const DOCUMENTS_WITH_STATIC: Weights = Weights {
    evidence: AnswerEvidence {
        exact: -3.048,
        rest: 6.981,
        focus_in_sentence: 3.735,
        worst_of_focus: 2.369,
        best_of_focus: -3.824,
        ..NONE
    },
    passage: 4.699,
    constant: -3.88,
    min_log_odds: -0.2,
};
/// A sentence model finds higher similarities. Same weights as with static weights, but with the threshold above four
/// fifths of the unanswerable questions (30 of the 37 in `tests/data/ask` that are not held out).
const DOCUMENTS_WITH_MODEL: Weights = Weights { min_log_odds: 1.88, ..DOCUMENTS_WITH_STATIC };

/// Items: thousands of passages on all subjects, in which similar words occur by chance. The threshold is above three
/// quarters of the unanswerable questions.
const ITEMS: Weights = Weights {
    evidence: AnswerEvidence { worst_of_focus: 1.787, names: 0.631, score: 0.325, ..NONE },
    passage: 0.0,
    constant: -6.532,
    min_log_odds: 0.059,
};
const ITEMS_WITH_STATIC: Weights = Weights {
    evidence: AnswerEvidence { worst_of_focus: 1.712, names: 0.634, score: 0.348, ..NONE },
    passage: 0.0,
    constant: -6.598,
    min_log_odds: -0.152,
};
const ITEMS_WITH_MODEL: Weights = Weights {
    evidence: AnswerEvidence { worst_of_focus: 1.756, names: 0.249, score: 0.414, ..NONE },
    passage: 0.0,
    constant: -6.99,
    min_log_odds: 0.13,
};

/// Returns whether the sentence answers the question, and the probability of that, from 0 to 1.
pub(super) fn decide(
    evidence: &AnswerEvidence,
    features: &SentenceFeatures,
    meaning: &SimilarityModels<'_>,
    is_item: bool,
) -> (bool, f64) {
    let (of_documents, of_items, passage) = match () {
        () if meaning.has_model() => (DOCUMENTS_WITH_MODEL, ITEMS_WITH_MODEL, features.model_passage),
        () if meaning.has_weights() => (DOCUMENTS_WITH_STATIC, ITEMS_WITH_STATIC, features.static_passage),
        () => (DOCUMENTS, ITEMS, 0.0),
    };
    let weights = if is_item { of_items } else { of_documents };
    let has_names = is_item || features.names >= 1.0;
    let known: f64 =
        evidence.values().iter().zip(weights.evidence.values()).map(|(known, weight)| known * weight).sum();
    let log_odds = weights.constant + known + weights.passage * passage;
    (has_names && log_odds >= weights.min_log_odds, 1.0 / (1.0 + (-log_odds).exp()))
}
