//! Documents of which each is about one of several things of a kind, as their titles show, which differ in a single
//! word: "After your hip operation" and "After your knee operation". What is asked of a third thing stands in neither.

use super::CandidatePassage;
use super::decision::{EXACT, highest};
use super::features::Measured;
use super::literal::rarest_first;
use super::names::is_month;
use super::question::Question;
use super::vocabulary::{Vocabulary, digits};

/// Minimum similarity of a word to the words in which the titles differ, to be another thing of their kind.
const MIN_SIMILARITY: f64 = 0.45;

/// Returns whether a sentence is of a document about another thing than the question: a word of the question that no
/// text has is similar to the word in which the title differs from that of another document, and to that one's.
pub(super) fn is_of_sibling(
    question: &Question,
    measured: &Measured,
    number: usize,
    candidates: &[CandidatePassage<'_>],
    all: &Vocabulary<'_>,
) -> bool {
    let unit = &all.units[number];
    let (part, candidate) = (&all.parts[unit.passage], &candidates[unit.passage]);
    let others = all
        .parts
        .iter()
        .zip(candidates)
        .filter(|(_, other)| !other.is_item && !candidate.is_item && other.document != candidate.document);
    let differing: Vec<(usize, usize)> =
        others.filter_map(|(other, _)| differing_word(&part.title, &other.title, all)).collect();
    let is_other_thing = |of: &Vec<f64>| {
        let near = highest(of, unit.words.iter().chain(&part.heading).chain(&part.title));
        let is_similar = |(own, other): &(usize, usize)| of[*own].min(of[*other]) >= MIN_SIMILARITY && of[*own] >= near;
        of.iter().all(|similarity| *similarity < EXACT) && differing.iter().any(is_similar)
    };
    let is_name = |term: &usize| question.names.contains(&question.terms[*term]);
    let mut terms = rarest_first(question, measured).into_iter().filter(|term| !is_name(term));
    terms.any(|term| is_other_thing(&measured.similarity[term]))
}

/// Returns the words in which two titles differ, if that is one of each, and the others are in the same order. Numbers
/// and months do not count; "4B" is no number.
pub(super) fn differing_word(one: &[usize], other: &[usize], all: &Vocabulary<'_>) -> Option<(usize, usize)> {
    let plain = |title: &[usize]| -> Vec<usize> {
        title.iter().copied().filter(|word| !is_of_date(&all.words[*word])).collect()
    };
    let (one, other) = (plain(one), plain(other));
    if one.len() != other.len() || one.len() < 2 {
        return None;
    }
    let mut pairs = one.into_iter().zip(other).filter(|(one, other)| all.stems[*one] != all.stems[*other]);
    pairs.next().filter(|_| pairs.next().is_none())
}

fn is_of_date(word: &str) -> bool {
    let is_code = word.contains(char::is_alphabetic) && word.contains(|c: char| c.is_ascii_digit());
    digits(word).is_some() && !is_code || is_month(word)
}

#[cfg(test)]
mod tests {
    use super::super::Block;
    use super::super::features::measure;
    use super::super::similarity_models::SimilarityModels;
    use super::*;

    fn candidate<'a>(document: &'a str, title: &'a str, text: &'a str) -> CandidatePassage<'a> {
        CandidatePassage {
            document,
            title: Some(title),
            section: "Rest",
            blocks: vec![Block { text, sentences: vec![text] }],
            dated: 0,
            is_date_stated: true,
            is_replaced: false,
            is_item: false,
        }
    }

    #[test]
    fn a_third_thing_stands_in_neither_document() {
        let candidates = [
            candidate("hip.md", "After your hip operation", "Guests rest for six weeks."),
            candidate("knee.md", "After your knee operation", "Guests rest for four weeks."),
            candidate("tea.md", "Tea", "Tea is at four."),
        ];
        let all = Vocabulary::of(&candidates, None);
        let is_of_sibling = |question: &str, number: usize| {
            let question = Question::new(question);
            let measured = measure(&question, &candidates, &all, &SimilarityModels::shipped());
            is_of_sibling(&question, &measured, number, &candidates, &all)
        };
        for number in 0..2 {
            assert!(is_of_sibling("How long do guests rest after a shoulder operation?", number), "{number}");
            assert!(!is_of_sibling("How long do guests rest after a hip operation?", number), "{number}");
            assert!(!is_of_sibling("How long do visitors rest after an operation?", number), "{number}");
        }
        assert!(!is_of_sibling("How long do guests rest after a shoulder operation?", 2));
    }
}
