//! Chooses the sentences that are quoted after the best one: what completes it, then what is nearly as likely.

use super::CandidatePassage;
use super::decision::{EXACT, highest};
use super::features::Measured;
use super::literal::rarest_first;
use super::question::Question;
use super::score::Scored;
use super::vocabulary::{MAX_WORDS, Unit, Vocabulary, words};

/// Maximum difference to the best score for quoting a further sentence: it is a twentieth as likely to be right, or a
/// seventh if it is from another document.
const MAX_SCORE_GAP: f64 = 3.0;
const MAX_SCORE_GAP_ELSEWHERE: f64 = 2.0;
/// Added to the score of the sentence after the best one, which often explains it.
const OF_NEXT: f64 = 0.5;
/// A sentence of another document must meet as many of the question's rarest words as the best one meets, at this
/// similarity: else it is about something else.
const RAREST: usize = 2;
const MIN_SIMILARITY: f64 = 0.4;
/// A sentence that meets no word of the question that the first does not meet adds nothing, unless it is about as
/// likely, which of another document is another answer: the minimum similarity of a word that it meets, and the maximum
/// differences in score within the document and between documents.
const MIN_NEW: f64 = 0.5;
const MAX_GAP_OF_SAME: f64 = 1.5;
const MAX_GAP_OF_OTHER: f64 = 0.25;

/// Returns the sentences that are worth quoting, of those that are given, best first, up to [`MAX_WORDS`]. `next` is
/// one that completes the first. Beside one that answers literally, another has to answer as well or to add a word.
pub(super) fn quoted(
    best: &[Scored],
    next: Option<usize>,
    is_literal: bool,
    question: &Question,
    candidates: &[CandidatePassage<'_>],
    measured: &Measured,
    all: &Vocabulary<'_>,
) -> Vec<Scored> {
    let Some(first) = best.first() else { return Vec::new() };
    let document = |one: &Scored| candidates[all.units[one.unit].passage].document;
    let rarest = rarest_first(question, measured);
    let meets = |one: &Scored, term: usize| {
        let unit = &all.units[one.unit];
        let part = &all.parts[unit.passage];
        let mut words = unit.words.iter().chain(&part.heading).chain(&part.title);
        words.any(|word| measured.similarity[term][*word] >= MIN_SIMILARITY)
    };
    let is_about_same = |one: &Scored| {
        let mut wanted = rarest.iter().take(RAREST).filter(|term| meets(first, **term));
        wanted.all(|term| meets(one, *term))
    };
    let is_worth_quoting = |one: &Scored| {
        let is_elsewhere = document(one) != document(first);
        let gap = if is_elsewhere { MAX_SCORE_GAP_ELSEWHERE } else { MAX_SCORE_GAP };
        one.score >= first.score - gap && (!is_elsewhere || is_about_same(one))
    };
    let of_first = terms_met(first, EXACT, question, measured, all);
    let adds = |one: &Scored| {
        let max_gap = if document(one) == document(first) { MAX_GAP_OF_SAME } else { MAX_GAP_OF_OTHER };
        let is_likely = one.score >= first.score - max_gap;
        let is_near = is_likely && (!is_literal || answers_same(one, &of_first, measured, all));
        let adds_word = || terms_met(one, MIN_NEW, question, measured, all).iter().any(|term| !of_first.contains(term));
        one.unit == first.unit || Some(one.unit) == next || is_near || adds_word()
    };
    let mut quoted: Vec<Scored> = Vec::new();
    let mut length = 0;
    let is_of_other_row = |one: &Scored| is_other_row(first.unit, one.unit, question, measured, all);
    for one in in_order(best, next, all).into_iter().filter(is_worth_quoting).filter(adds) {
        let unit = &all.units[one.unit];
        let is_repeated = quoted.iter().any(|quote| all.units[quote.unit].text == unit.text);
        if length + unit.length > MAX_WORDS || is_repeated || is_of_other_row(&one) {
            continue;
        }
        length += unit.length;
        quoted.push(one);
    }
    quoted
}

/// Returns whether a sentence has the requested kind of thing, and meets all of these terms itself.
fn answers_same(one: &Scored, of_first: &[usize], measured: &Measured, all: &Vocabulary<'_>) -> bool {
    let words = &all.units[one.unit].words;
    let mut met = of_first.iter().map(|term| highest(&measured.similarity[*term], words.iter()));
    measured.features[one.unit].has_kind >= 1.0 && met.all(|met| met >= EXACT)
}

/// Returns whether a sentence is another row of the table of which the first sentence is a row, and the question names
/// that row: its first cell meets a term, and the other row's meets no other one.
fn is_other_row(first: usize, one: usize, question: &Question, measured: &Measured, all: &Vocabulary<'_>) -> bool {
    let (row, other) = (&all.units[first], &all.units[one]);
    let (Some((column, _)), Some((other_column, _))) = (first_cell(row.text), first_cell(other.text)) else {
        return false;
    };
    let named = |unit: &Unit<'_>| -> Vec<usize> {
        let cell = first_cell(unit.text).map_or_else(Vec::new, |(_, name)| words(name));
        let of_cell: Vec<&usize> = unit.words.iter().filter(|word| cell.contains(&all.words[**word])).collect();
        let is_met = |term: &usize| highest(&measured.similarity[*term], of_cell.iter().copied()) >= EXACT;
        rarest_first(question, measured).into_iter().filter(is_met).collect()
    };
    let (of_row, of_other) = (named(row), named(other));
    first != one
        && row.passage == other.passage
        && column == other_column
        && !of_row.is_empty()
        && of_other.iter().all(|term| of_row.contains(term))
}

/// Returns the column and the content of the first cell of a row of several cells.
fn first_cell(text: &str) -> Option<(&str, &str)> {
    text.split_once(" · ").and_then(|(cell, _)| cell.split_once(": "))
}

/// Returns the terms of the question, without those for the kind of answer, that a sentence itself meets.
fn terms_met(one: &Scored, min: f64, question: &Question, measured: &Measured, all: &Vocabulary<'_>) -> Vec<usize> {
    let words = &all.units[one.unit].words;
    let is_met = |term: &usize| highest(&measured.similarity[*term], words.iter()) >= min;
    rarest_first(question, measured).into_iter().filter(is_met).collect()
}

/// Returns the best sentence, the one that completes it, and the others by their likelihood.
fn in_order(best: &[Scored], next: Option<usize>, all: &Vocabulary<'_>) -> Vec<Scored> {
    let Some((first, others)) = best.split_first() else { return Vec::new() };
    let is_next = |one: usize| one == first.unit + 1 && all.units[one].passage == all.units[first.unit].passage;
    let next = next.map(|unit| Scored { unit, score: first.score });
    let raised = |one: &Scored| Scored { score: one.score + if is_next(one.unit) { OF_NEXT } else { 0.0 }, ..*one };
    let mut others: Vec<Scored> = others.iter().map(raised).collect();
    others.sort_by(|one, other| other.score.total_cmp(&one.score));
    std::iter::once(*first).chain(next).chain(others).collect()
}

/// Minimum similarity of a word to one of the second thing that a question asks for.
const MIN_OF_SECOND_HALF: f64 = 0.5;

/// Returns whether a sentence answers the second half of a question that asks for two things: it has the kind of thing,
/// or one of the words.
pub(super) fn meets_second_half(question: &Question, unit: usize, measured: &Measured, all: &Vocabulary<'_>) -> bool {
    let Some(half) = &question.second_half else { return false };
    let meets = |term: usize| {
        let words = &all.units[unit].words;
        words.iter().any(|word| measured.similarity[term][*word] >= MIN_OF_SECOND_HALF)
    };
    let mut terms = question.terms.iter().enumerate().filter(|(_, term)| half.terms.contains(*term));
    half.has_kind(all.units[unit].text) || terms.any(|(at, _)| meets(at))
}

#[cfg(test)]
mod tests {
    use super::super::Block;
    use super::super::features::measure;
    use super::super::similarity_models::SimilarityModels;
    use super::*;

    /// Returns the texts that are quoted of one section whose first sentence is the best, given how much lower the
    /// others score.
    fn texts(question: &str, sentences: &[&'static str], is_literal: bool, gap: f64) -> Vec<&'static str> {
        let candidate = CandidatePassage {
            document: "harbour.md",
            title: None,
            section: "Prices",
            blocks: sentences.iter().copied().map(|text| Block { text, sentences: vec![text] }).collect(),
            dated: 0,
            is_date_stated: true,
            is_replaced: false,
            is_item: false,
        };
        let (question, candidates) = (Question::new(question), [candidate]);
        let all = Vocabulary::of(&candidates, None);
        let measured = measure(&question, &candidates, &all, &SimilarityModels::shipped());
        let score = |unit: usize| if unit == 0 { 9.0 } else { 9.0 - gap };
        let best: Vec<Scored> = (0..sentences.len()).map(|unit| Scored { unit, score: score(unit) }).collect();
        let quoted = quoted(&best, None, is_literal, &question, &candidates, &measured, &all);
        quoted.into_iter().map(|one| sentences[one.unit]).collect()
    }

    #[test]
    fn beside_a_literal_answer_only_what_answers_too_or_adds_a_word_is_quoted() {
        let question = "How much does a berth at the quay cost?";
        let prices =
            ["A berth at the quay costs nine euros.", "Fenders are lent.", "A big berth at the quay: 12 euros."];
        assert_eq!(texts(question, &prices, true, 1.0), [prices[0], prices[2]]);
        assert_eq!(texts(question, &prices, false, 1.0), prices);
    }

    #[test]
    fn other_rows_than_the_one_named_are_not_quoted() {
        let rows = ["Place: Quay · Night: 9 euros", "Place: Island · Night: 7 euros", "Place: Pier · Night: 5 euros"];
        assert_eq!(texts("What does a night at the quay cost?", &rows, false, 1.0), rows[..1]);
        assert_eq!(texts("What does a night at the quay or pier cost?", &rows, false, 1.0), [rows[0], rows[2]]);
        assert_eq!(texts("What does a night cost?", &rows, false, 1.0), rows);
    }
}
