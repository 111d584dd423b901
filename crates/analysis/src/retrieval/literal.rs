//! Decides by words alone, without similarity, whether a document's sentence answers a question: what stands in it word
//! for word, or, in other languages than English, in another form.

use super::decision::{EXACT, highest};
use super::features::Measured;
use super::kinds::Kind;
use super::per_unit::lacks_unit;
use super::question::Question;
use super::score::Scored;
use super::vocabulary::Vocabulary;

/// Minimum share of the question's words that the passage of a literal answer has, by weight: one frequent word may
/// differ, such as "goes" in "how much sugar goes into the cake".
const MIN_LITERAL: f64 = 0.8;
/// Minimum share of the question's words, by weight, that stand together in a sentence that answers, and the same with
/// two names among them.
const MIN_TOGETHER: f64 = 0.6;
const MIN_TOGETHER_WITH_NAMES: f64 = 0.5;
/// Minimum similarity of a sentence to each word that names the requested thing, for it to answer by other words.
const MIN_FOCUS: f64 = 0.6;
/// How much lower a sentence may score than the best one if it has the question's names and rare words.
const MAX_SCORE_GAP: f64 = 3.0;
/// For questions in other languages than English: the minimum share of the words that a sentence has, and the minimum
/// similarity in form to the rarest.
const MIN_IN_FORM: f64 = 0.5;
const MIN_RAREST_IN_FORM: f64 = 0.6;

/// The sentence that answers by its words.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByWords {
    /// Its place among the ranked sentences.
    pub(super) place: usize,
    /// The share of the question's words that its passage has, if one answers literally.
    pub(super) literal: Option<f64>,
}

impl ByWords {
    /// Finds the likeliest one among sentences, best first: one that answers literally, else one that has the
    /// question's names and rare words together. For a question that asks for no value, the latter goes first, because
    /// any sentence could be literal. `is_possible` excludes sentences.
    pub(super) fn of(
        question: &Question,
        measured: &Measured,
        ranked: &[Scored],
        all: &Vocabulary<'_>,
        is_possible: impl Fn(&Scored) -> bool,
    ) -> Option<Self> {
        let possible = || ranked.iter().enumerate().filter(|(_, one)| is_possible(one));
        let share = |one: &Scored| literal_share(question, measured, one.unit, all);
        let literal = possible().find_map(|(place, one)| Some((place, share(one)?)));
        let is_near = |one: &Scored| one.score >= ranked[0].score - MAX_SCORE_GAP;
        let stands = |one: &Scored| is_near(one) && stands_together(question, measured, one.unit, all);
        let together = possible().find(|(_, one)| stands(one)).map(|(place, _)| place);
        let at_literal = literal.map(|(place, _)| place);
        let place = if question.asks_no_value() { together.or(at_literal) } else { at_literal.or(together) }?;
        Some(Self { place, literal: literal.map(|(_, share)| share) })
    }
}

/// How many of the terms a passage has, with its heading and title, that are neither names, which any passage of its
/// document may have, nor words for the kind of answer.
struct Coverage {
    /// The weighted share that matches exactly.
    exact: f64,
    /// Whether the sentence itself matches one of them exactly.
    is_in_sentence: bool,
}

impl Coverage {
    /// `None` if the question has no such terms.
    fn of(question: &Question, measured: &Measured, number: usize, all: &Vocabulary<'_>) -> Option<Self> {
        let (unit, features) = (&all.units[number], &measured.features[number]);
        let lacks_kind = features.lacks_kind >= 1.0;
        let counts = |term: &String| !question.names.contains(term) && (lacks_kind || !question.is_kind_word(term));
        let passage: Vec<usize> = all.words_of(&all.parts[unit.passage]).collect();
        let (mut exact, mut total, mut is_in_sentence) = (0.0, 0.0, false);
        let terms = question.terms.iter().zip(&measured.weights).zip(&measured.similarity);
        for ((_, weight), similarity) in terms.filter(|((term, _), _)| counts(term)) {
            let best = highest(similarity, passage.iter());
            exact += if best >= EXACT { *weight } else { 0.0 };
            total += weight;
            is_in_sentence |= highest(similarity, unit.words.iter()) >= EXACT;
        }
        (total > 0.0).then(|| Self { exact: exact / total, is_in_sentence })
    }
}

/// Returns the share of the question's words that the passage of a sentence has word for word, if that and what the
/// sentence says make it a literal answer. Names may stand elsewhere in the document.
fn literal_share(question: &Question, measured: &Measured, number: usize, all: &Vocabulary<'_>) -> Option<f64> {
    let features = &measured.features[number];
    let says_value = || {
        let text = all.units[number].text;
        question.value.as_ref().is_none_or(|value| features.says_value >= 1.0 || value.has_new_number(text))
    };
    let says_thing = if question.wanted.is_some() { features.has_kind >= 1.0 } else { says_value() };
    if features.names < 1.0 || !says_thing || lacks_unit(question, number, all) {
        return None;
    }
    let Some(coverage) = Coverage::of(question, measured, number, all) else {
        return is_all_named(question, measured, number, all).then_some(1.0);
    };
    (coverage.is_in_sentence && coverage.exact >= MIN_LITERAL).then_some(coverage.exact)
}

/// Returns whether a sentence or its heading has all names of a question that has nothing else but words for the kind.
fn is_all_named(question: &Question, measured: &Measured, number: usize, all: &Vocabulary<'_>) -> bool {
    let mut named = (0..question.terms.len()).filter(|term| question.names.contains(&question.terms[*term]));
    let is_met = |term: usize| in_context(measured, term, number, all) >= EXACT;
    question.wanted.is_some() && !question.names.is_empty() && named.all(is_met)
}

/// Returns whether the question's names and rare words stand together in a sentence or its heading, word for word: a
/// large share of the words, all names, the rarest word, and what is asked for in some form. A number or a time cannot
/// be recognised in this way: any other number may stand with these words.
fn stands_together(question: &Question, measured: &Measured, number: usize, all: &Vocabulary<'_>) -> bool {
    let terms = rarest_first(question, measured);
    let Some(rarest) = terms.first().copied() else { return false };
    let met: Vec<usize> =
        terms.iter().copied().filter(|term| in_context(measured, *term, number, all) >= EXACT).collect();
    let weight = |terms: &[usize]| terms.iter().map(|term| measured.weights[*term]).sum::<f64>();
    let is_name = |term: &&usize| question.names.contains(&question.terms[**term]);
    let names = met.iter().filter(is_name).count();
    let min = if names > 1 { MIN_TOGETHER_WITH_NAMES } else { MIN_TOGETHER };
    let mut focus = terms.iter().filter(|term| question.focus.contains(&question.terms[**term]));
    let is_code = question.codes.iter().any(|code| code.words[..] == question.terms[rarest..=rarest]);
    !question.wanted.is_some_and(Kind::is_unmistakable)
        && met.contains(&rarest)
        && (met.len() > 1 || is_code)
        && names == terms.iter().filter(is_name).count()
        && weight(&met) >= min * weight(&terms)
        && focus.all(|term| in_context(measured, *term, number, all) >= MIN_FOCUS)
}

/// Returns whether a sentence answers a question in another language than English, whose words have no vectors: it has
/// a large share of the question's words, in itself or its heading, and its passage has the rarest.
pub(super) fn answers_in_form(question: &Question, measured: &Measured, number: usize, all: &Vocabulary<'_>) -> bool {
    let terms = rarest_first(question, measured);
    let Some(rarest) = terms.first() else { return false };
    let total: f64 = terms.iter().map(|term| measured.weights[*term]).sum();
    // A title names what all of a document is about, so that a sentence with a price may be about it.
    let title = &all.parts[all.units[number].passage].title;
    let in_title = |term: usize| {
        if question.wanted == Some(Kind::Money) && measured.features[number].has_kind >= 1.0 {
            highest(&measured.similarity[term], title.iter())
        } else {
            0.0
        }
    };
    let best = |term: usize| in_context(measured, term, number, all).max(in_title(term));
    let met: f64 = terms.iter().map(|term| measured.weights[*term] * best(*term)).sum();
    let passage: Vec<usize> = all.words_of(&all.parts[all.units[number].passage]).collect();
    let has_rarest = highest(&measured.similarity[*rarest], passage.iter()) >= MIN_RAREST_IN_FORM;
    question.language.is_some() && met >= MIN_IN_FORM * total && has_rarest
}

/// Returns the terms of a question that do not only indicate the kind of answer, the rarest first.
pub(super) fn rarest_first(question: &Question, measured: &Measured) -> Vec<usize> {
    let all = 0..question.terms.len();
    let mut terms: Vec<usize> = all.filter(|term| !question.is_kind_word(&question.terms[*term])).collect();
    terms.sort_by(|one, other| measured.weights[*other].total_cmp(&measured.weights[*one]));
    terms
}

/// Returns the highest similarity of a term to a word of a sentence or its heading.
fn in_context(measured: &Measured, term: usize, number: usize, all: &Vocabulary<'_>) -> f64 {
    let unit = &all.units[number];
    highest(&measured.similarity[term], unit.words.iter().chain(&all.parts[unit.passage].heading))
}
