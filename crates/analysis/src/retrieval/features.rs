//! What is known of each sentence that may answer a question, as numbers that are weighed by [`super::score`]. How they are weighed is found
//! by `scripts/ask/fit.py`, which reads them of `examples/ask_features.rs`.

use std::collections::{HashMap, HashSet};

use super::Source;
use super::meaning::{Likeness, Meaning, Vector, dot};
use super::names::names_met;
use super::question::Question;
use super::vocabulary::{Vocabulary, as_f64};
use crate::relevance::word_vectors::{DIMENSIONS, Vector as TableVector, WordVectors, cosine};
use crate::stories::tokens::stem;

/// Words less alike than this say nothing about one another.
const LEAST_LIKENESS: f64 = 0.1;
/// Words that a sentence may have at no cost.
const USUAL_LENGTH: usize = 20;
/// Exponent of the rarity among the passages.
const RARITY: f64 = 1.5;

pub const COUNT: usize = 21;

/// A sentence's numbers. The first seven are shares of the question's words, by weight.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Features {
    /// Met by the sentence itself, and what its heading, its neighbours, the rest of its passage and the title add to that.
    pub sentence: f64,
    pub heading: f64,
    pub neighbours: f64,
    pub passage: f64,
    pub title: f64,
    /// Met word for word, by the sentence and by its passage.
    pub exact_in_sentence: f64,
    pub exact_in_passage: f64,
    /// Likeness of mean vectors by the table that ships: of question and sentence, of question and passage.
    pub mean_of_sentence: f64,
    pub mean_of_passage: f64,
    /// 1 where it has, or lacks, the kind of thing that is wanted.
    pub has_kind: f64,
    pub lacks_kind: f64,
    /// Words beyond the usual, in usual lengths.
    pub length: f64,
    /// Likeness by static weights from a folder.
    pub static_sentence: f64,
    pub static_passage: f64,
    /// Likeness by a sentence model: of the sentence, of it behind title and heading, of the whole passage.
    pub model_sentence: f64,
    pub model_in_context: f64,
    pub model_passage: f64,
    /// Met word for word by its document, all passages that were found of it.
    pub exact_in_document: f64,
    /// Share of the question's names and years that the document has.
    pub names: f64,
    /// 1 where it says a number or a name that the question does not have, and one is wanted.
    pub says_value: f64,
    /// BM25 among the sentences that were found, of the question's words by what they could have at most.
    pub bm25: f64,
}

impl Features {
    /// In the order of the fields, which is that of the weights.
    #[must_use]
    pub const fn values(&self) -> [f64; COUNT] {
        [
            self.sentence,
            self.heading,
            self.neighbours,
            self.passage,
            self.title,
            self.exact_in_sentence,
            self.exact_in_passage,
            self.mean_of_sentence,
            self.mean_of_passage,
            self.has_kind,
            self.lacks_kind,
            self.length,
            self.static_sentence,
            self.static_passage,
            self.model_sentence,
            self.model_in_context,
            self.model_passage,
            self.exact_in_document,
            self.names,
            self.says_value,
            self.bm25,
        ]
    }
}

const EXACT: f64 = 1.0;

/// What a question's words are met by.
#[derive(Debug)]
pub struct Measured {
    /// Of each sentence, in the order of the vocabulary.
    pub features: Vec<Features>,
    /// Of each term of the question.
    pub(super) weights: Vec<f64>,
    /// Of each term, to each word: its likeness, and 1 where the stem is the same.
    pub(super) likeness: Vec<Vec<f64>>,
}

pub(super) fn measure(
    question: &Question,
    sources: &[Source<'_>],
    all: &Vocabulary<'_>,
    meaning: &Meaning<'_>,
) -> Measured {
    let weights: Vec<f64> = question.terms.iter().map(|term| weight(term, all)).collect();
    let likeness = likenesses(question, all, meaning);
    let mut features = vec![Features::default(); all.units.len()];
    coverage(&weights, &likeness, all, &mut features);
    means(question, all, &mut features);
    by_weights(question, sources, all, meaning, &mut features);
    by_model(question, sources, all, meaning, &mut features);
    of_documents(&weights, &likeness, sources, all, &mut features);
    by_frequency(&likeness, all, &mut features);
    let names = names_met(&question.names, sources, all);
    for (unit, features) in all.units.iter().zip(&mut features) {
        let has_kind = question.wanted.map(|kind| kind.is_in(unit.text));
        features.has_kind = f64::from(u8::from(has_kind == Some(true)));
        features.lacks_kind = f64::from(u8::from(has_kind == Some(false)));
        features.length = as_f64(unit.length.saturating_sub(USUAL_LENGTH)) / as_f64(USUAL_LENGTH);
        let says_value = question.value.as_ref().map(|value| value.is_in(unit.text));
        features.names = names[unit.passage];
        features.says_value = f64::from(u8::from(says_value == Some(true)));
    }
    Measured { features, weights, likeness }
}

/// The rarer a word is among the passages and in English at large, the more it says.
fn weight(term: &str, all: &Vocabulary<'_>) -> f64 {
    const UNLISTED_RANK: usize = 40_000;
    let rank = WordVectors::shipped().rank(term).unwrap_or(UNLISTED_RANK);
    let general = (as_f64(rank + 1).ln() / 30_000_f64.ln()).min(1.0);
    all.rarity(&stem(term)).powf(RARITY) * general
}

fn likenesses(question: &Question, all: &Vocabulary<'_>, meaning: &Meaning<'_>) -> Vec<Vec<f64>> {
    let likeness = Likeness::new(meaning, question.terms.iter().chain(&all.words));
    let has_digit = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let of_term = |term: &String| {
        let term_stem = stem(term);
        let pairs = all.words.iter().zip(&all.stems);
        pairs
            .map(|(word, stem)| match () {
                () if *stem == *term_stem => EXACT,
                // Numbers are the same or they are not.
                () if has_digit(term) || has_digit(word) => 0.0,
                () => likeness.of(term, word).min(0.999),
            })
            .collect()
    };
    question.terms.iter().map(of_term).collect()
}

/// The first seven.
fn coverage(weights: &[f64], likeness: &[Vec<f64>], all: &Vocabulary<'_>, features: &mut [Features]) {
    let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    for (weight, likeness) in weights.iter().zip(likeness) {
        let share = weight / total;
        let met = |words: &[usize]| words.iter().map(|word| scaled(likeness[*word])).fold(0.0, f64::max);
        let units: Vec<f64> = all.units.iter().map(|unit| met(&unit.words)).collect();
        for part in &all.parts {
            let (heading, title) = (met(&part.heading), met(&part.title));
            let passage = units[part.units.clone()].iter().copied().fold(heading, f64::max);
            for number in part.units.clone() {
                let before = number.checked_sub(1).filter(|before| part.units.contains(before));
                let after = Some(number + 1).filter(|after| part.units.contains(after));
                let near = before.into_iter().chain(after).map(|near| units[near]).fold(0.0, f64::max);
                let of = &mut features[number];
                let mut so_far = 0.0;
                for (feature, met) in [
                    (&mut of.sentence, units[number]),
                    (&mut of.heading, heading),
                    (&mut of.neighbours, near),
                    (&mut of.passage, passage),
                    (&mut of.title, title),
                ] {
                    let added = (met - so_far).max(0.0);
                    *feature += share * added;
                    so_far += added;
                }
                let is_exact = |met: f64| if met >= EXACT { share } else { 0.0 };
                of.exact_in_sentence += is_exact(units[number]);
                of.exact_in_passage += is_exact(passage.max(title));
            }
        }
    }
}

/// What a document meets as a whole.
fn of_documents(
    weights: &[f64],
    likeness: &[Vec<f64>],
    sources: &[Source<'_>],
    all: &Vocabulary<'_>,
    features: &mut [Features],
) {
    let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let mut words_of: HashMap<&str, HashSet<usize>> = HashMap::new();
    for (part, source) in all.parts.iter().zip(sources) {
        words_of.entry(source.document).or_default().extend(all.words_of(part));
    }
    let met = |words: &HashSet<usize>| {
        let is_met = |likeness: &Vec<f64>| words.iter().any(|word| likeness[*word] >= EXACT);
        let met = weights.iter().zip(likeness).filter(|(_, likeness)| is_met(likeness));
        met.map(|(weight, _)| weight).sum::<f64>() / total
    };
    let met: HashMap<&str, f64> = words_of.iter().map(|(document, words)| (*document, met(words))).collect();
    for (part, source) in all.parts.iter().zip(sources) {
        features[part.units.clone()].iter_mut().for_each(|features| features.exact_in_document = met[source.document]);
    }
}

/// BM25 with its usual constants (Robertson and Zaragoza 2009), a sentence as the document.
fn by_frequency(likeness: &[Vec<f64>], all: &Vocabulary<'_>, features: &mut [Features]) {
    const K1: f64 = 1.2;
    const B: f64 = 0.75;
    let count = as_f64(all.units.len());
    let mean_length = all.units.iter().map(|unit| as_f64(unit.length)).sum::<f64>() / count.max(1.0);
    let of_term = |likeness: &Vec<f64>| -> (f64, Vec<(usize, f64)>) {
        let occurrences = |words: &[usize]| words.iter().filter(|word| likeness[**word] >= EXACT).count();
        let counted = all.units.iter().enumerate().map(|(number, unit)| (number, as_f64(occurrences(&unit.words))));
        let having: Vec<(usize, f64)> = counted.filter(|(_, times)| *times > 0.0).collect();
        let rarity = (1.0 + (count - as_f64(having.len()) + 0.5) / (as_f64(having.len()) + 0.5)).ln();
        (rarity, having)
    };
    let terms: Vec<(f64, Vec<(usize, f64)>)> = likeness.iter().map(of_term).collect();
    let most = terms.iter().map(|(rarity, _)| rarity * (K1 + 1.0)).sum::<f64>().max(f64::MIN_POSITIVE);
    for (rarity, having) in &terms {
        for (number, times) in having {
            let length = as_f64(all.units[*number].length) / mean_length;
            features[*number].bm25 += rarity * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length)) / most;
        }
    }
}

fn scaled(likeness: f64) -> f64 {
    ((likeness - LEAST_LIKENESS) / (1.0 - LEAST_LIKENESS)).clamp(0.0, 1.0)
}

/// Likeness of mean vectors by the table that ships.
fn means(question: &Question, all: &Vocabulary<'_>, features: &mut [Features]) {
    let table = WordVectors::shipped();
    let ranks: Vec<Option<usize>> = all.words.iter().map(|word| table.rank(word)).collect();
    let mean = |words: &mut dyn Iterator<Item = Option<usize>>| {
        let mut sum: TableVector = [0.0; DIMENSIONS];
        words.flatten().for_each(|rank| table.add(rank, table.weight(rank), &mut sum));
        sum
    };
    let asked = mean(&mut question.terms.iter().map(|term| table.rank(term)));
    for part in &all.parts {
        let inside = all.units[part.units.clone()].iter().flat_map(|unit| &unit.words);
        let passage = mean(&mut inside.chain(&part.heading).chain(&part.title).map(|word| ranks[*word]));
        let of_passage = cosine(&asked, &passage);
        for number in part.units.clone() {
            let words = all.units[number].words.iter().chain(&part.heading);
            features[number].mean_of_sentence = cosine(&asked, &mean(&mut words.map(|word| ranks[*word])));
            features[number].mean_of_passage = of_passage;
        }
    }
}

/// Likeness by static weights from a folder, where there are any.
fn by_weights(
    question: &Question,
    sources: &[Source<'_>],
    all: &Vocabulary<'_>,
    meaning: &Meaning<'_>,
    features: &mut [Features],
) {
    let Some(asked) = meaning.text(&question.text) else { return };
    let likeness = |text: &str| meaning.text(text).map_or(0.0, |vector| f64::from(dot(&asked, &vector)));
    for (part, source) in all.parts.iter().zip(sources) {
        let of_passage = likeness(&format!("{}. {}", source.section, text_of(part.units.clone(), all)));
        for number in part.units.clone() {
            features[number].static_sentence = likeness(&format!("{}. {}", source.section, all.units[number].text));
            features[number].static_passage = of_passage;
        }
    }
}

/// Likeness by a sentence model, where there is one. All texts are given to it at once: it spreads them over the processors.
fn by_model(
    question: &Question,
    sources: &[Source<'_>],
    all: &Vocabulary<'_>,
    meaning: &Meaning<'_>,
    features: &mut [Features],
) {
    if !meaning.has_model() {
        return;
    }
    let mut texts = vec![question.text.clone()];
    texts.extend(of_passages(sources, all).into_iter().flatten());
    let Some(vectors) = meaning.sentences(&texts) else { return };
    let Some((asked, vectors)) = vectors.split_first() else { return };
    let mut likeness = vectors.iter().map(|vector: &Vector| f64::from(dot(asked, vector)));
    for part in &all.parts {
        let of_passage = likeness.next().unwrap_or_default();
        for number in part.units.clone() {
            let (alone, in_context) = (likeness.next().unwrap_or_default(), likeness.next().unwrap_or_default());
            features[number].model_sentence = alone;
            features[number].model_in_context = in_context;
            features[number].model_passage = of_passage;
        }
    }
}

/// The texts of a question that a sentence model is given: it, and its words.
#[must_use]
pub fn of_question(question: &Question) -> Vec<String> {
    std::iter::once(&question.text).chain(&question.terms).cloned().collect()
}

/// The texts of each passage that a sentence model is given: the passage, each sentence alone and behind title and heading, and its words.
#[must_use]
pub fn texts_of(sources: &[Source<'_>]) -> Vec<Vec<String>> {
    let all = Vocabulary::of(sources, None);
    let mut texts = of_passages(sources, &all);
    for (texts, part) in texts.iter_mut().zip(&all.parts) {
        let inside = all.units[part.units.clone()].iter().flat_map(|unit| &unit.words);
        texts.extend(inside.chain(&part.heading).chain(&part.title).map(|word| all.words[*word].clone()));
    }
    texts
}

fn of_passages(sources: &[Source<'_>], all: &Vocabulary<'_>) -> Vec<Vec<String>> {
    let texts = |(part, source): (&super::vocabulary::Part, &Source<'_>)| {
        let mut texts = vec![format!("{}. {}", context(source), text_of(part.units.clone(), all))];
        for unit in &all.units[part.units.clone()] {
            texts.push(unit.text.to_owned());
            texts.push(format!("{}: {}", context(source), unit.text));
        }
        texts
    };
    all.parts.iter().zip(sources).map(texts).collect()
}

/// Title and heading, once where they are the same.
fn context(source: &Source<'_>) -> String {
    match source.title {
        Some(title) if title != source.section => format!("{title}, {}", source.section),
        _ => source.section.to_owned(),
    }
}

fn text_of(units: std::ops::Range<usize>, all: &Vocabulary<'_>) -> String {
    all.units[units].iter().map(|unit| unit.text).collect::<Vec<_>>().join(" ")
}
