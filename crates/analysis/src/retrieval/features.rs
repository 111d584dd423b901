//! Numeric features of each sentence that may answer a question, which `super::score` weighs. The weights are fitted
//! by `scripts/ask/fit.py`, which reads the output of `examples/ask_features.rs`.

use std::collections::{HashMap, HashSet};

use super::CandidatePassage;
use super::names::share_of_names;
use super::question::Question;
use super::similarity_models::{Similarities, SimilarityModels, Vector, dot, prohibition_similarity};
use super::spelling::known_base;
use super::vocabulary::{Unit, Vocabulary, as_f64};
use crate::relevance::word_vectors::{DIMENSIONS, Vector as TableVector, WordVectors, cosine};
use crate::text::tokens::snowball_stem;

/// Lower similarities of words are noise.
const MIN_SIMILARITY: f64 = 0.1;
/// Words in a sentence without a length penalty.
const TYPICAL_LENGTH: usize = 20;
/// Exponent of the rarity among the passages.
const RARITY: f64 = 1.5;

pub const COUNT: usize = 21;

/// A sentence's features. The first seven are shares of the question's words, by weight.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SentenceFeatures {
    /// Matched by the sentence itself, and what its heading, its neighbours, the rest of its passage and the title
    /// add.
    pub sentence: f64,
    pub heading: f64,
    pub neighbours: f64,
    pub passage: f64,
    pub title: f64,
    /// Matched exactly, by the sentence and by its passage.
    pub exact_in_sentence: f64,
    pub exact_in_passage: f64,
    /// Similarity of mean vectors of the built-in table: question and sentence, question and passage.
    pub mean_of_sentence: f64,
    pub mean_of_passage: f64,
    /// 1 if the sentence has, or lacks, the requested kind of thing.
    pub has_kind: f64,
    pub lacks_kind: f64,
    /// Words beyond `TYPICAL_LENGTH`, as a multiple of it.
    pub length: f64,
    /// Similarity by static weights from a folder.
    pub static_sentence: f64,
    pub static_passage: f64,
    /// Similarity by a sentence model: of the sentence, of the sentence with title and heading, of the whole passage.
    pub model_sentence: f64,
    pub model_in_context: f64,
    pub model_passage: f64,
    /// Matched exactly by its document, in all retrieved passages of it.
    pub exact_in_document: f64,
    /// Share of the question's names and years that the document contains.
    pub names: f64,
    /// 1 if a number or name is requested, and the sentence contains one that the question does not.
    pub says_value: f64,
    /// BM25 among the retrieved sentences, as a share of the maximum for the question.
    pub bm25: f64,
}

impl SentenceFeatures {
    /// Returns the values in the order of the fields, which is that of the weights.
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

/// How well the sentences and words match a question.
#[derive(Debug)]
pub struct Measured {
    /// By sentence, in the order of the vocabulary.
    pub features: Vec<SentenceFeatures>,
    /// By term of the question.
    pub(super) weights: Vec<f64>,
    /// By sentence: whether it counts the things of which the question asks how many there are.
    pub(super) counts: Vec<bool>,
    /// By term and word: their similarity, 1 if the stem is the same.
    pub(super) similarity: Vec<Vec<f64>>,
}

pub(super) fn measure(
    question: &Question,
    candidates: &[CandidatePassage<'_>],
    all: &Vocabulary<'_>,
    meaning: &SimilarityModels<'_>,
) -> Measured {
    let weights: Vec<f64> = question.terms.iter().map(|term| weight(term, all)).collect();
    let similarity = similarities(question, all, meaning);
    let mut features = vec![SentenceFeatures::default(); all.units.len()];
    coverage(&weights, &similarity, all, &mut features);
    means(question, all, &mut features);
    by_weights(question, candidates, all, meaning, &mut features);
    by_model(question, candidates, all, meaning, &mut features);
    of_documents(&weights, &similarity, candidates, all, &mut features);
    by_frequency(&similarity, all, &mut features);
    let names = share_of_names(&question.names, candidates, all);
    for (unit, features) in all.units.iter().zip(&mut features) {
        let has_kind = question.kind_is_in(unit.text);
        features.has_kind = f64::from(u8::from(has_kind == Some(true)));
        features.lacks_kind = f64::from(u8::from(has_kind == Some(false)));
        features.length = as_f64(unit.length.saturating_sub(TYPICAL_LENGTH)) / as_f64(TYPICAL_LENGTH);
        let says_value = question.value.as_ref().map(|value| value.is_in(unit.text));
        features.names = names[unit.passage];
        features.says_value = f64::from(u8::from(says_value == Some(true)));
    }
    let counts = |unit: &Unit<'_>| !candidates[unit.passage].is_item && question.counts_focus(unit.text);
    let counts = all.units.iter().map(counts).collect();
    Measured { features, weights, counts, similarity }
}

/// Weights a term by its rarity among the passages and in English in general.
fn weight(term: &str, all: &Vocabulary<'_>) -> f64 {
    const UNLISTED_RANK: usize = 40_000;
    let rank = WordVectors::shipped().rank(term).unwrap_or(UNLISTED_RANK);
    let general = (as_f64(rank + 1).ln() / 30_000_f64.ln()).min(1.0);
    all.rarity(&snowball_stem(term)).powf(RARITY) * general
}

fn similarities(question: &Question, all: &Vocabulary<'_>, meaning: &SimilarityModels<'_>) -> Vec<Vec<f64>> {
    let similarity = Similarities::new(meaning, question.terms.iter().chain(&all.words));
    let has_digit = |word: &str| word.contains(|c: char| c.is_ascii_digit());
    let of_form = |term: &str, word: &str| question.language.map_or(0.0, |language| language.similarity(term, word));
    let of_term = |term: &String| {
        let (term_stem, base) = (snowball_stem(term), known_base(term));
        let of_base = |word: &str| base.as_deref().map_or(0.0, |base| similarity.of(base, word));
        let pairs = all.words.iter().zip(&all.stems);
        pairs
            .map(|(word, stem)| match () {
                () if *stem == *term_stem => EXACT,
                // Numbers are equal or different, not similar.
                () if has_digit(term) || has_digit(word) => 0.0,
                () if question.language.is_some() => of_form(term, word).max(similarity.of(term, word).min(0.999)),
                () => similarity.of(term, word).max(of_base(word)).max(prohibition_similarity(term, word)).min(0.999),
            })
            .collect()
    };
    question.terms.iter().map(of_term).collect()
}

/// Computes the first seven features.
fn coverage(weights: &[f64], similarity: &[Vec<f64>], all: &Vocabulary<'_>, features: &mut [SentenceFeatures]) {
    let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    for (weight, similarity) in weights.iter().zip(similarity) {
        let share = weight / total;
        let met = |words: &[usize]| words.iter().map(|word| scaled(similarity[*word])).fold(0.0, f64::max);
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

/// Computes the exact match of whole documents.
fn of_documents(
    weights: &[f64],
    similarity: &[Vec<f64>],
    candidates: &[CandidatePassage<'_>],
    all: &Vocabulary<'_>,
    features: &mut [SentenceFeatures],
) {
    let total = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let mut words_of: HashMap<&str, HashSet<usize>> = HashMap::new();
    for (part, candidate) in all.parts.iter().zip(candidates) {
        words_of.entry(candidate.document).or_default().extend(all.words_of(part));
    }
    let met = |words: &HashSet<usize>| {
        let is_met = |similarity: &Vec<f64>| words.iter().any(|word| similarity[*word] >= EXACT);
        let met = weights.iter().zip(similarity).filter(|(_, similarity)| is_met(similarity));
        met.map(|(weight, _)| weight).sum::<f64>() / total
    };
    let met: HashMap<&str, f64> = words_of.iter().map(|(document, words)| (*document, met(words))).collect();
    for (part, candidate) in all.parts.iter().zip(candidates) {
        features[part.units.clone()]
            .iter_mut()
            .for_each(|features| features.exact_in_document = met[candidate.document]);
    }
}

/// BM25 with the usual constants (Robertson and Zaragoza 2009), with sentences as documents.
fn by_frequency(similarity: &[Vec<f64>], all: &Vocabulary<'_>, features: &mut [SentenceFeatures]) {
    const K1: f64 = 1.2;
    const B: f64 = 0.75;
    let count = as_f64(all.units.len());
    let mean_length = all.units.iter().map(|unit| as_f64(unit.length)).sum::<f64>() / count.max(1.0);
    let of_term = |similarity: &Vec<f64>| -> (f64, Vec<(usize, f64)>) {
        let occurrences = |words: &[usize]| words.iter().filter(|word| similarity[**word] >= EXACT).count();
        let counted = all.units.iter().enumerate().map(|(number, unit)| (number, as_f64(occurrences(&unit.words))));
        let having: Vec<(usize, f64)> = counted.filter(|(_, times)| *times > 0.0).collect();
        let rarity = (1.0 + (count - as_f64(having.len()) + 0.5) / (as_f64(having.len()) + 0.5)).ln();
        (rarity, having)
    };
    let terms: Vec<(f64, Vec<(usize, f64)>)> = similarity.iter().map(of_term).collect();
    let maximum = terms.iter().map(|(rarity, _)| rarity * (K1 + 1.0)).sum::<f64>().max(f64::MIN_POSITIVE);
    for (rarity, having) in &terms {
        for (number, times) in having {
            let length = as_f64(all.units[*number].length) / mean_length;
            features[*number].bm25 += rarity * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length)) / maximum;
        }
    }
}

fn scaled(similarity: f64) -> f64 {
    ((similarity - MIN_SIMILARITY) / (1.0 - MIN_SIMILARITY)).clamp(0.0, 1.0)
}

/// Computes the similarity of mean vectors of the built-in table.
fn means(question: &Question, all: &Vocabulary<'_>, features: &mut [SentenceFeatures]) {
    let table = WordVectors::shipped();
    let ranks: Vec<Option<usize>> = all.words.iter().map(|word| table.rank(word)).collect();
    let mean = |words: &mut dyn Iterator<Item = Option<usize>>| {
        let mut sum: TableVector = [0.0; DIMENSIONS];
        words.flatten().for_each(|rank| table.add(rank, table.weight(rank), &mut sum));
        sum
    };
    let question_vector = mean(&mut question.terms.iter().map(|term| table.rank(term)));
    for part in &all.parts {
        let inside = all.units[part.units.clone()].iter().flat_map(|unit| &unit.words);
        let passage = mean(&mut inside.chain(&part.heading).chain(&part.title).map(|word| ranks[*word]));
        let of_passage = cosine(&question_vector, &passage);
        for number in part.units.clone() {
            let words = all.units[number].words.iter().chain(&part.heading);
            features[number].mean_of_sentence = cosine(&question_vector, &mean(&mut words.map(|word| ranks[*word])));
            features[number].mean_of_passage = of_passage;
        }
    }
}

/// Computes the similarity by static weights from a folder, if there are any.
fn by_weights(
    question: &Question,
    candidates: &[CandidatePassage<'_>],
    all: &Vocabulary<'_>,
    meaning: &SimilarityModels<'_>,
    features: &mut [SentenceFeatures],
) {
    let Some(question_vector) = meaning.text(&question.text) else { return };
    let similarity = |text: &str| meaning.text(text).map_or(0.0, |vector| f64::from(dot(&question_vector, &vector)));
    for (part, candidate) in all.parts.iter().zip(candidates) {
        let of_passage = similarity(&format!("{}. {}", candidate.section, text_of(part.units.clone(), all)));
        for number in part.units.clone() {
            features[number].static_sentence =
                similarity(&format!("{}. {}", candidate.section, all.units[number].text));
            features[number].static_passage = of_passage;
        }
    }
}

/// Computes the similarity by a sentence model, if there is one. All texts are passed at once, so that the model can
/// use all processors.
fn by_model(
    question: &Question,
    candidates: &[CandidatePassage<'_>],
    all: &Vocabulary<'_>,
    meaning: &SimilarityModels<'_>,
    features: &mut [SentenceFeatures],
) {
    if !meaning.has_model() {
        return;
    }
    let mut texts = vec![question.text.clone()];
    texts.extend(of_passages(candidates, all).into_iter().flatten());
    let Some(vectors) = meaning.sentences(&texts) else { return };
    let Some((question_vector, vectors)) = vectors.split_first() else { return };
    let mut similarity = vectors.iter().map(|vector: &Vector| f64::from(dot(question_vector, vector)));
    for part in &all.parts {
        let of_passage = similarity.next().unwrap_or_default();
        for number in part.units.clone() {
            let (alone, in_context) = (similarity.next().unwrap_or_default(), similarity.next().unwrap_or_default());
            features[number].model_sentence = alone;
            features[number].model_in_context = in_context;
            features[number].model_passage = of_passage;
        }
    }
}

/// Returns the texts of a question that a sentence model encodes: the question and its words.
#[must_use]
pub fn question_texts(question: &Question) -> Vec<String> {
    std::iter::once(&question.text).chain(&question.terms).cloned().collect()
}

/// Returns the texts of each passage that a sentence model encodes: the passage, each sentence alone and with title and
/// heading, and its words.
#[must_use]
pub fn passage_texts(candidates: &[CandidatePassage<'_>]) -> Vec<Vec<String>> {
    let all = Vocabulary::of(candidates, None);
    let mut texts = of_passages(candidates, &all);
    for (texts, part) in texts.iter_mut().zip(&all.parts) {
        let inside = all.units[part.units.clone()].iter().flat_map(|unit| &unit.words);
        texts.extend(inside.chain(&part.heading).chain(&part.title).map(|word| all.words[*word].clone()));
    }
    texts
}

fn of_passages(candidates: &[CandidatePassage<'_>], all: &Vocabulary<'_>) -> Vec<Vec<String>> {
    let texts = |(part, candidate): (&super::vocabulary::Part, &CandidatePassage<'_>)| {
        let mut texts = vec![format!("{}. {}", context(candidate), text_of(part.units.clone(), all))];
        for unit in &all.units[part.units.clone()] {
            texts.push(unit.text.to_owned());
            texts.push(format!("{}: {}", context(candidate), unit.text));
        }
        texts
    };
    all.parts.iter().zip(candidates).map(texts).collect()
}

/// Returns title and heading, or one of them if they are the same.
fn context(candidate: &CandidatePassage<'_>) -> String {
    match candidate.title {
        Some(title) if title != candidate.section => format!("{title}, {}", candidate.section),
        _ => candidate.section.to_owned(),
    }
}

fn text_of(units: std::ops::Range<usize>, all: &Vocabulary<'_>) -> String {
    all.units[units].iter().map(|unit| unit.text).collect::<Vec<_>>().join(" ")
}
