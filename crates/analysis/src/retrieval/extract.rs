//! The answer: the best sentences, word for word.

use super::Source;
use super::decision::{is_answered, probability};
use super::meaning::Meaning;
use super::question::Question;
use super::recency::{contradicted, in_force};
use super::score::{Scored, score};
use super::vocabulary::{Frequencies, Vocabulary};

/// Words of an answer.
pub const MAX_WORDS: usize = 60;
/// A further sentence is quoted from this share of the best one's score on.
const WORTH_QUOTING: f64 = 0.6;
/// Sentences that are looked at for it.
const BEST: usize = 25;

/// A sentence of the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Quote {
    /// Of the passages that were given.
    pub passage: usize,
    pub text: String,
    /// From 0 to 1, of the best sentence's.
    pub score: f64,
}

/// What answers a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Extract {
    /// The best first.
    pub quotes: Vec<Quote>,
    /// How certain it is that it is answered, from 0 to 1.
    pub probability: f64,
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
    for one in score(question, sources, &all, meaning).ranked {
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

/// The answer of these passages to a question; `None` where none of them answers it. `frequencies` are those of everything that could have
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
    let in_force = in_force(question, sources);
    let all = Vocabulary::of(sources, frequencies);
    let scoring = score(question, sources, &all, meaning);
    let best: Vec<Scored> =
        scoring.ranked.iter().filter(|one| in_force[all.units[one.unit].passage]).take(BEST).copied().collect();
    let contradicted = contradicted(&best, sources, &all);
    let first = best.iter().find(|one| !contradicted.contains_key(&one.unit))?;
    let probability = probability(question, &scoring, *first, &all);
    if !is_answered(probability, &scoring) {
        return None;
    }
    let mut quotes: Vec<Quote> = Vec::new();
    let mut words = 0;
    for one in best.iter().filter(|one| !contradicted.contains_key(&one.unit)) {
        let unit = &all.units[one.unit];
        if one.score < WORTH_QUOTING * first.score {
            break;
        }
        if words + unit.length > MAX_WORDS || quotes.iter().any(|quote| quote.text == unit.text) {
            continue;
        }
        words += unit.length;
        let score = (one.score / first.score.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        quotes.push(Quote { passage: unit.passage, text: unit.text.to_owned(), score });
    }
    let outdated = contradicted.iter().min().map(|(old, new)| (all.units[*old].passage, all.units[*new].passage));
    (!quotes.is_empty()).then_some(Extract { quotes, probability, outdated })
}
