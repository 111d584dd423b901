//! The answer: the best sentences, word for word.

use super::Source;
use super::decision::{Evidence, decide, evidence};
use super::features::{Features, measure};
use super::meaning::Meaning;
use super::question::Question;
use super::recency::{contradicted, in_force};
use super::score::{Scored, ranked, scored};
use super::vocabulary::{Frequencies, Unit, Vocabulary};

/// Words of an answer.
pub const MAX_WORDS: usize = 60;
/// A further sentence is quoted if its score is lower than the best one's by this at most: if it is a twentieth as likely to be right, of another
/// document a seventh.
const WORTH_QUOTING: f64 = 3.0;
const WORTH_QUOTING_ELSEWHERE: f64 = 2.0;
/// Sentences that are looked at for it.
const BEST: usize = 25;

/// A sentence of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// Of the passages that were given.
    pub passage: usize,
    pub text: String,
    /// From 0 to 1: how likely it is to be right beside the best one.
    pub score: f64,
}

/// What answers a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Extract {
    /// The best first.
    pub quotes: Vec<Quote>,
    /// Whether it is held to be answered.
    pub is_answered: bool,
    /// How certain it is that it is answered, from 0 to 1.
    pub probability: f64,
    /// What that was decided by.
    pub evidence: Evidence,
    /// A passage that was left out because a newer one says otherwise, and the newer one.
    pub outdated: Option<(usize, usize)>,
}

impl Extract {
    /// The sentences as one text.
    #[must_use]
    pub fn text(&self) -> String {
        self.quotes.iter().map(|quote| quote.text.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// A sentence as `scripts/ask/fit.py` reads it.
#[derive(Debug, Clone)]
pub struct Described {
    pub passage: usize,
    pub text: String,
    /// Whether its document is in force.
    pub is_in_force: bool,
    pub features: Features,
    pub evidence: Evidence,
}

/// All sentences, with what answers are chosen by; arguments as of [`answer`].
#[must_use]
pub fn describe<'s>(
    question: &Question,
    sources: &[Source<'s>],
    meaning: &Meaning<'_>,
    frequencies: Option<&'s Frequencies>,
) -> Vec<Described> {
    let all = Vocabulary::of(sources, frequencies);
    let in_force = in_force(question, sources);
    let measured = measure(question, sources, &all, meaning);
    let described = |(number, unit): (usize, &Unit<'_>)| Described {
        passage: unit.passage,
        text: unit.text.to_owned(),
        is_in_force: in_force[unit.passage],
        features: measured.features[number],
        evidence: evidence(question, &measured, scored(&measured, number, meaning), &all),
    };
    all.units.iter().enumerate().map(described).collect()
}

/// The passages that are likeliest to answer a question, the best first, without those that are not in force.
#[must_use]
pub fn best_passages<'s>(
    question: &Question,
    sources: &[Source<'s>],
    meaning: &Meaning<'_>,
    frequencies: Option<&'s Frequencies>,
    count: usize,
) -> Vec<usize> {
    let in_force = in_force(question, sources);
    let all = Vocabulary::of(sources, frequencies);
    let mut best: Vec<usize> = Vec::new();
    for one in ranked(&measure(question, sources, &all, meaning), meaning) {
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

/// The best answer of these passages to a question, and whether it is one; `None` where there is nothing to quote. `frequencies` are those of everything that could have
/// been asked, where these passages are a part of it.
#[must_use]
pub fn answer<'s>(
    question: &Question,
    sources: &[Source<'s>],
    meaning: &Meaning<'_>,
    frequencies: Option<&'s Frequencies>,
) -> Option<Extract> {
    if question.terms.is_empty() {
        return None;
    }
    let all = Vocabulary::of(sources, frequencies);
    let in_force = in_force(question, sources);
    let measured = measure(question, sources, &all, meaning);
    let best: Vec<Scored> = ranked(&measured, meaning)
        .iter()
        .filter(|one| in_force[all.units[one.unit].passage])
        .take(BEST)
        .copied()
        .collect();
    let contradicted = contradicted(&best, sources, &all);
    let standing: Vec<Scored> = best.into_iter().filter(|one| !contradicted.contains_key(&one.unit)).collect();
    let first = *standing.first()?;
    let evidence = evidence(question, &measured, first, &all);
    let is_item = sources[all.units[first.unit].passage].is_item;
    let (is_answered, probability) = decide(&evidence, &measured.features[first.unit], meaning, is_item);
    let quotes = quotes(&standing, sources, &all);
    let outdated = contradicted.iter().min().map(|(old, new)| (all.units[*old].passage, all.units[*new].passage));
    (!quotes.is_empty()).then_some(Extract { quotes, is_answered, probability, evidence, outdated })
}

/// As many of the best sentences as are worth quoting and have room.
fn quotes(best: &[Scored], sources: &[Source<'_>], all: &Vocabulary<'_>) -> Vec<Quote> {
    let Some(first) = best.first() else { return Vec::new() };
    let document = |one: &Scored| sources[all.units[one.unit].passage].document;
    let is_worth_quoting = |one: &&Scored| {
        let is_elsewhere = document(one) != document(first);
        one.score >= first.score - if is_elsewhere { WORTH_QUOTING_ELSEWHERE } else { WORTH_QUOTING }
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
