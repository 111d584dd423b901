//! Builds the answer: the best sentences, verbatim.

use std::collections::HashMap;

use super::CandidatePassage;
use super::codes::CodePlaces;
use super::confidence::Standing;
use super::decision::{AnswerEvidence, decide, evidence, lacks_answer};
use super::features::{Measured, SentenceFeatures, measure};
use super::kinds::Kind;
use super::literal::{ByWords, answers_in_form};
use super::names::{has_unknown_name, may_be_about};
use super::overview::OverviewKind;
use super::question::Question;
use super::quoted::{meets_second_half, quoted};
use super::recency::{contradicted, in_force};
use super::score::{Scored, ranked, scored};
use super::siblings::is_of_sibling;
use super::similarity_models::SimilarityModels;
use super::subject_sentences::{SubjectSentences, sentences_about};
use super::vocabulary::{PassageFrequencies, Unit, Vocabulary};

pub use super::vocabulary::MAX_WORDS;

/// Number of best sentences considered.
const MAX_CANDIDATES: usize = 25;
/// Minimum likelihood relative to the first of a sentence of which a note says that it replaces an older one.
const MIN_NOTED: f64 = 0.3;

/// A sentence of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// Index of its passage among the candidates.
    pub passage: usize,
    pub text: String,
    /// How likely it is to be right relative to the best one, 0 to 1.
    pub score: f64,
}

/// Why the first sentence is quoted or refused, as read by `scripts/ask/fit.py`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstSentence {
    pub standing: Standing,
    /// Whether it answers by its words, not by what is similar to them.
    pub is_by_words: bool,
    /// Whether it would be quoted wherever it stands among the others.
    pub is_likely: bool,
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
    /// `None` for a question about a subject as a whole.
    pub first: Option<FirstSentence>,
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
    let codes = CodePlaces::of(&question.codes, candidates)?;
    let measured = measure(question, candidates, all, meaning);
    // The evidence is that of the sentence quoted first, so none that is too long to be quoted comes first.
    let is_about_names = sentences_about_names(question, &measured, candidates, all);
    let is_quotable = |number: usize| {
        let unit = &all.units[number];
        let is_in_force = in_force[unit.passage] && unit.is_quotable;
        is_in_force && is_about_names[number] && codes.allow(unit.text, &candidates[unit.passage])
    };
    let mut best: Vec<Scored> = ranked(&measured, meaning).into_iter().filter(|one| is_quotable(one.unit)).collect();
    let mut every = best.clone();
    best.truncate(MAX_CANDIDATES);
    let compared = with_completing(&best, &measured, all, meaning);
    let contradicted = contradicted(question, &compared, candidates, all);
    every.retain(|one| !contradicted.contains_key(&one.unit));
    let mut uncontradicted: Vec<Scored> =
        best.into_iter().filter(|one| !contradicted.contains_key(&one.unit)).collect();
    let is_item = |one: &Scored| candidates[all.units[one.unit].passage].is_item;
    let may_answer_by_words = |one: &Scored| question.overview.is_none() && !is_item(one);
    let by_words = ByWords::of(question, &measured, &uncontradicted, all, may_answer_by_words);
    let literal = by_words.and_then(|by_words| by_words.literal);
    // What ranks before such an answer is only similar to it.
    uncontradicted.drain(..by_words.map_or(0, |by_words| by_words.place));
    let first = *uncontradicted.first()?;
    let evidence = evidence(question, &measured, first, all);
    let (is_decided, by_evidence) = decide(&evidence, &measured.features[first.unit], meaning, is_item(&first));
    let is_in_form = || !is_item(&first) && answers_in_form(question, &measured, first.unit, all);
    let is_ruled_out = || !is_item(&first) && is_of_something_else(question, &measured, first.unit, candidates, all);
    let standing = Standing::of(question, &measured, first, &every, candidates, all);
    // Of the other weights, similarities and leads are of another size.
    let is_measured = !is_item(&first) && !meaning.has_model() && !meaning.has_weights();
    let is_by_words = by_words.is_some() || is_in_form();
    let stands_out = !is_measured || if is_by_words { standing.may_answer_by_words() } else { standing.is_likely() };
    let is_likely = literal.is_some() || (is_decided || is_by_words) && !is_ruled_out();
    let probability = literal.map_or(by_evidence, |share| by_evidence.max(share));
    let may_follow = |next: &usize| is_quotable(*next) && !contradicted.contains_key(next);
    let second = || all.following(first.unit).filter(|next| meets_second_half(question, *next, &measured, all));
    let next = all.completing(first.unit).or_else(second).filter(may_follow);
    let chosen = quoted(&uncontradicted, next, literal.is_some(), question, candidates, &measured, all);
    let passage = &candidates[all.units[first.unit].passage];
    let is_of_other = || none_has_kind(question, &measured, &chosen) || has_unknown_name(&question.names, passage, all);
    let is_of_other = passage.is_item && is_of_other();
    let outdated = noted(&contradicted, &chosen, candidates, all);
    let quotes: Vec<Quote> = chosen.iter().map(|one| quote(one, first.score, all)).collect();
    (!quotes.is_empty()).then_some(Extract {
        quotes,
        is_answered: is_likely && stands_out && !is_of_other,
        probability,
        evidence,
        outdated,
        older: None,
        first: Some(FirstSentence { standing, is_by_words, is_likely }),
    })
}

/// Returns sentences and those that complete one of them, which are quoted with it, however they score by themselves.
fn with_completing(
    best: &[Scored],
    measured: &Measured,
    all: &Vocabulary<'_>,
    meaning: &SimilarityModels<'_>,
) -> Vec<Scored> {
    let completing = best.iter().filter_map(|one| all.completing(one.unit));
    let completing = completing.filter(|next| best.iter().all(|one| one.unit != *next));
    let completing = completing.map(|next| scored(measured, next, meaning));
    best.iter().copied().chain(completing).collect()
}

/// Returns for each sentence whether it may be about the names of the question. Where the kind of thing is not
/// recognised by how it is written, it is not known which other sentence has it.
fn sentences_about_names(
    question: &Question,
    measured: &Measured,
    candidates: &[CandidatePassage<'_>],
    all: &Vocabulary<'_>,
) -> Vec<bool> {
    let is_recognised = question.wanted.is_some_and(Kind::is_unmistakable);
    let names: &[String] = if is_recognised { &question.names } else { &[] };
    may_be_about(names, |unit| measured.features[unit].has_kind >= 1.0, candidates, all)
}

/// Returns whether all sentences lack the requested kind of thing, which is recognised by how it is written.
fn none_has_kind(question: &Question, measured: &Measured, sentences: &[Scored]) -> bool {
    let lacks_kind = |one: &Scored| measured.features[one.unit].lacks_kind >= 1.0;
    question.wanted.is_some_and(Kind::is_unmistakable) && sentences.iter().all(lacks_kind)
}

/// Returns whether a document's sentence that is similar to the question answers another one.
fn is_of_something_else(
    question: &Question,
    measured: &Measured,
    number: usize,
    candidates: &[CandidatePassage<'_>],
    all: &Vocabulary<'_>,
) -> bool {
    lacks_answer(question, measured, number, all) || is_of_sibling(question, measured, number, candidates, all)
}

fn quote(one: &Scored, best: f64, all: &Vocabulary<'_>) -> Quote {
    let unit = &all.units[one.unit];
    Quote { passage: unit.passage, text: unit.text.to_owned(), score: likelihood(one, best) }
}

/// Returns how likely a sentence is to be right relative to the best one, from 0 to 1.
fn likelihood(one: &Scored, best: f64) -> f64 {
    (one.score - best).exp().clamp(0.0, 1.0)
}

/// Returns the passages of which a note is given, the older one first: the newer sentence is quoted, nearly as likely
/// as the first, and nothing of the older document is.
fn noted(
    contradicted: &HashMap<usize, usize>,
    quoted: &[Scored],
    candidates: &[CandidatePassage<'_>],
    all: &Vocabulary<'_>,
) -> Option<(usize, usize)> {
    let document = |unit: usize| candidates[all.units[unit].passage].document;
    let best = quoted.first()?.score;
    let is_shown = |new: usize| quoted.iter().any(|one| one.unit == new && likelihood(one, best) >= MIN_NOTED);
    let is_quoted_itself = |old: usize| quoted.iter().any(|one| document(one.unit) == document(old));
    let pairs = contradicted.iter().filter(|(old, new)| is_shown(**new) && !is_quoted_itself(**old));
    pairs.map(|(old, new)| (all.units[*old].passage, all.units[*new].passage)).min()
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
        first: None,
    }
}

#[cfg(test)]
mod tests;
