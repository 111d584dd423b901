//! Builds the answer: the best sentences, verbatim.

use std::collections::HashSet;

use super::CandidatePassage;
use super::decision::{AnswerEvidence, decide, evidence, lacks_answer, literal_share};
use super::features::{SentenceFeatures, measure};
use super::overview::OverviewKind;
use super::question::Question;
use super::recency::{contradicted, in_force};
use super::score::{Scored, ranked, scored};
use super::similarity_models::SimilarityModels;
use super::subject_sentences::{SubjectSentences, sentences_about};
use super::vocabulary::{PassageFrequencies, Unit, Vocabulary};

pub use super::vocabulary::MAX_WORDS;

/// Maximum difference to the best score for quoting a further sentence: it is a twentieth as likely to be right, or a
/// seventh if it is from another document.
const MAX_SCORE_GAP: f64 = 3.0;
const MAX_SCORE_GAP_ELSEWHERE: f64 = 2.0;
/// Number of best sentences considered.
const MAX_CANDIDATES: usize = 25;

/// A sentence of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// Index of its passage among the candidates.
    pub passage: usize,
    pub text: String,
    /// How likely it is to be right relative to the best one, 0 to 1.
    pub score: f64,
}

/// An extracted answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Extract {
    /// Best first.
    pub quotes: Vec<Quote>,
    /// Whether the question is considered answered.
    pub is_answered: bool,
    /// The probability that it is answered, 0 to 1.
    pub probability: f64,
    /// The evidence for this decision.
    pub evidence: AnswerEvidence,
    /// A passage that was omitted because a newer one contradicts it, and the newer one.
    pub outdated: Option<(usize, usize)>,
    /// The question asks for a recent period, and nothing as recent answers it: the date of the newest text that does,
    /// in Unix milliseconds.
    pub older: Option<i64>,
}

impl Extract {
    /// Returns the sentences as one text.
    #[must_use]
    pub fn text(&self) -> String {
        self.quotes.iter().map(|quote| quote.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// A sentence with its features, as read by `scripts/ask/fit.py`.
#[derive(Debug, Clone)]
pub struct Described {
    pub passage: usize,
    pub text: String,
    /// Whether its document is in force.
    pub is_in_force: bool,
    pub features: SentenceFeatures,
    pub evidence: AnswerEvidence,
}

/// Returns all sentences with their features. The parameters are those of [`answer`].
#[must_use]
pub fn describe<'s>(
    question: &Question,
    candidates: &[CandidatePassage<'s>],
    meaning: &SimilarityModels<'_>,
    frequencies: Option<&'s PassageFrequencies>,
) -> Vec<Described> {
    let all = Vocabulary::of(candidates, frequencies);
    let in_force = in_force(question, candidates);
    let measured = measure(question, candidates, &all, meaning);
    let described = |(number, unit): (usize, &Unit<'_>)| Described {
        passage: unit.passage,
        text: unit.text.to_owned(),
        is_in_force: in_force[unit.passage],
        features: measured.features[number],
        evidence: evidence(question, &measured, scored(&measured, number, meaning), &all),
    };
    all.units.iter().enumerate().map(described).collect()
}

/// Returns the passages that are most likely to answer a question, best first, without those that are not in force.
#[must_use]
pub fn best_passages<'s>(
    question: &Question,
    candidates: &[CandidatePassage<'s>],
    meaning: &SimilarityModels<'_>,
    frequencies: Option<&'s PassageFrequencies>,
    count: usize,
) -> Vec<usize> {
    let in_force = in_force(question, candidates);
    let all = Vocabulary::of(candidates, frequencies);
    let mut best: Vec<usize> = Vec::new();
    for one in ranked(&measure(question, candidates, &all, meaning), meaning) {
        let passage = all.units[one.unit].passage;
        if in_force[passage] && !best.contains(&passage) {
            best.push(passage);
        }
        if best.len() >= count {
            break;
        }
    }
    best
}

/// Returns the best answer in these passages, and whether it is sufficient; `None` if there is nothing to quote.
/// `frequencies` are those of the whole collection, if these passages are a part of it.
#[must_use]
pub fn answer<'s>(
    question: &Question,
    candidates: &[CandidatePassage<'s>],
    meaning: &SimilarityModels<'_>,
    frequencies: Option<&'s PassageFrequencies>,
) -> Option<Extract> {
    if question.terms.is_empty() {
        return None;
    }
    let all = Vocabulary::of(candidates, frequencies);
    let in_force = in_force(question, candidates);
    if let Some(overview) = &question.overview {
        let found = sentences_about(overview, question.asked_at, candidates, &in_force, &all);
        if found.is_some() || question.only_names_subject() {
            return found.map(|found| overview_of(&found, question, candidates, &all));
        }
    }
    let found = ordinary_answer(question, candidates, &in_force, &all, meaning);
    if found.as_ref().is_some_and(|found| found.is_answered) {
        return found;
    }
    let naming = question.overview.as_ref().filter(|overview| overview.kind == OverviewKind::Definition);
    let named = naming
        .and_then(|overview| sentences_about(&overview.by_naming(), question.asked_at, candidates, &in_force, &all));
    named.map(|named| overview_of(&named, question, candidates, &all)).or(found)
}

/// Returns the answer by the features of all sentences, and whether it is sufficient.
fn ordinary_answer(
    question: &Question,
    candidates: &[CandidatePassage<'_>],
    in_force: &[bool],
    all: &Vocabulary<'_>,
    meaning: &SimilarityModels<'_>,
) -> Option<Extract> {
    let measured = measure(question, candidates, all, meaning);
    // The evidence is that of the sentence quoted first, so none that is too long to be quoted comes first.
    let is_quotable = |unit: &Unit<'_>| in_force[unit.passage] && unit.length <= MAX_WORDS;
    let best: Vec<Scored> = ranked(&measured, meaning)
        .into_iter()
        .filter(|one| is_quotable(&all.units[one.unit]))
        .take(MAX_CANDIDATES)
        .collect();
    let contradicted = contradicted(question, &best, candidates, all);
    let mut uncontradicted: Vec<Scored> =
        best.into_iter().filter(|one| !contradicted.contains_key(&one.unit)).collect();
    let is_item = |one: &Scored| candidates[all.units[one.unit].passage].is_item;
    let share = |one: &Scored| {
        let may_be_literal = question.overview.is_none() && !is_item(one);
        may_be_literal.then(|| literal_share(question, &measured, one.unit, all)).flatten()
    };
    let literal = uncontradicted.iter().enumerate().find_map(|(place, one)| Some((place, share(one)?)));
    // What ranks before a literal answer is only similar to it.
    uncontradicted.drain(..literal.map_or(0, |(place, _)| place));
    let first = *uncontradicted.first()?;
    let evidence = evidence(question, &measured, first, all);
    let (is_decided, by_evidence) = decide(&evidence, &measured.features[first.unit], meaning, is_item(&first));
    let is_ruled_out = || !is_item(&first) && lacks_answer(question, &measured, first.unit);
    let is_answered = literal.is_some() || is_decided && !is_ruled_out();
    let probability = literal.map_or(by_evidence, |(_, share)| by_evidence.max(share));
    let quotes = quotes(&uncontradicted, candidates, all);
    // Only what contradicts a quoted sentence matters to the reader.
    let in_answer: HashSet<usize> = quotes.iter().map(|quote| quote.passage).collect();
    let pairs = contradicted.iter().map(|(old, new)| (all.units[*old].passage, all.units[*new].passage));
    let outdated = pairs.filter(|(_, new)| in_answer.contains(new)).min();
    (!quotes.is_empty()).then_some(Extract { quotes, is_answered, probability, evidence, outdated, older: None })
}

/// Returns the answer to a question about a subject as a whole, without what a newer sentence of it contradicts.
fn overview_of(
    found: &SubjectSentences,
    question: &Question,
    candidates: &[CandidatePassage<'_>],
    all: &Vocabulary<'_>,
) -> Extract {
    let quote = |unit: &usize| {
        let unit = &all.units[*unit];
        Quote { passage: unit.passage, text: unit.text.to_owned(), score: 1.0 }
    };
    let as_good: Vec<Scored> = found.units.iter().map(|unit| Scored { unit: *unit, score: 1.0 }).collect();
    let contradicted = contradicted(question, &as_good, candidates, all);
    let is_current = |unit: &&usize| !contradicted.contains_key(*unit);
    let pairs = contradicted.iter().filter(|(_, new)| is_current(new));
    Extract {
        quotes: found.units.iter().filter(is_current).map(quote).collect(),
        is_answered: true,
        probability: found.probability,
        evidence: AnswerEvidence::default(),
        outdated: pairs.map(|(old, new)| (all.units[*old].passage, all.units[*new].passage)).min(),
        older: found.older,
    }
}

/// Returns the best sentences that are worth quoting, up to [`MAX_WORDS`].
fn quotes(best: &[Scored], candidates: &[CandidatePassage<'_>], all: &Vocabulary<'_>) -> Vec<Quote> {
    let Some(first) = best.first() else { return Vec::new() };
    let document = |one: &Scored| candidates[all.units[one.unit].passage].document;
    let is_worth_quoting = |one: &&Scored| {
        let is_elsewhere = document(one) != document(first);
        one.score >= first.score - if is_elsewhere { MAX_SCORE_GAP_ELSEWHERE } else { MAX_SCORE_GAP }
    };
    let mut quotes: Vec<Quote> = Vec::new();
    let mut words = 0;
    for one in best.iter().filter(is_worth_quoting) {
        let unit = &all.units[one.unit];
        if words + unit.length > MAX_WORDS || quotes.iter().any(|quote| quote.text == unit.text) {
            continue;
        }
        words += unit.length;
        let score = (one.score - first.score).exp().clamp(0.0, 1.0);
        quotes.push(Quote { passage: unit.passage, text: unit.text.to_owned(), score });
    }
    quotes
}

#[cfg(test)]
mod tests {
    use super::super::Block;
    use super::*;

    fn passage<'a>(document: &'a str, sentences: Vec<&'a str>) -> CandidatePassage<'a> {
        let blocks = sentences.into_iter().map(|text| Block { text, sentences: vec![text] }).collect();
        CandidatePassage {
            document,
            title: None,
            section: "Mooring",
            blocks,
            dated: 0,
            is_replaced: false,
            is_item: false,
        }
    }

    #[test]
    fn a_sentence_that_is_too_long_is_no_evidence_for_another() {
        let long = format!("A night at the quay costs nine euros for {} boats.", "very small and old ".repeat(20));
        let candidates = [passage("harbour.md", vec![long.as_str(), "Boats are painted in spring."])];
        let question = Question::new("What does a night at the quay cost?");
        let meaning = SimilarityModels::shipped();
        let found = answer(&question, &candidates, &meaning, None).unwrap();
        assert_eq!(found.text(), "Boats are painted in spring.");
        let described = describe(&question, &candidates, &meaning, None);
        let quoted = described.iter().find(|one| one.text == found.text()).unwrap();
        assert_eq!(found.evidence, quoted.evidence);
    }

    fn in_document<'a>(section: &'a str, sentences: Vec<&'a str>) -> CandidatePassage<'a> {
        CandidatePassage { title: Some("Bicycle shop Radhaus Jonsen"), section, ..passage("shop.md", sentences) }
    }

    fn answered(question: &str) -> Option<String> {
        let candidates = [
            in_document("Owners", vec!["The shop belongs to Mr Tomas Reyes and his sister."]),
            in_document("Service", vec!["A large service costs 89 euros.", "Tyres are changed while you wait."]),
            in_document("Loans", vec!["The customer pays a deposit of 150 in two parts."]),
            in_document("Machines", vec!["mango: 10.20.0.14, in the cellar", "kiwi: printer in the study"]),
        ];
        let found = answer(&Question::new(question), &candidates, &SimilarityModels::shipped(), None)?;
        found.is_answered.then(|| found.text())
    }

    #[test]
    fn details_of_a_literal_question_may_stand_beside_the_sentence() {
        for (question, expected) in [
            ("How much does a large service cost at Radhaus Jonsen?", "A large service costs 89 euros."),
            ("What deposit does Tomas Reyes pay?", "The customer pays a deposit of 150 in two parts."),
            ("What is the IP address of mango?", "mango: 10.20.0.14, in the cellar"),
        ] {
            let text = answered(question).unwrap_or_default();
            assert!(text.starts_with(expected), "{question} {text}");
        }
    }

    #[test]
    fn a_shared_word_does_not_answer() {
        for question in [
            "How much does the kiwi cost?",
            "What is the telephone number of the cellar?",
            "What is the IP address of kiwi?",
            "How much does a large service cost at Radhaus Kramer?",
        ] {
            assert_eq!(answered(question), None, "{question}");
        }
    }

    #[test]
    fn a_long_row_is_quoted_in_part() {
        let cells: Vec<String> = (1..20).map(|number| format!("Remark {number}: without any other meaning")).collect();
        let row = format!("{} · Night at the quay: nine euros", cells.join(" · "));
        let candidates = [passage("harbour.md", vec![row.as_str()])];
        let question = Question::new("What does a night at the quay cost?");
        let found = answer(&question, &candidates, &SimilarityModels::shipped(), None).unwrap();
        assert!(found.quotes[0].text.ends_with("Night at the quay: nine euros"), "{found:?}");
        assert!(found.text().split_whitespace().count() <= MAX_WORDS && row.contains(&found.quotes[0].text));
    }
}
