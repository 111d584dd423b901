//! Selects the passages that are worth scoring sentence by sentence, by the words of the question only.

use std::collections::{BTreeMap, HashMap};

use super::question::Question;
use super::similarity_models::neighbours;
use super::vocabulary::{PassageFrequencies, as_f64, words};
use crate::text::tokens::snowball_stem;

/// Synonyms per word of the question: maximum number and minimum similarity.
const MAX_SYNONYMS: usize = 12;
const MIN_SIMILARITY: f64 = 0.5;
/// The weight of a synonym relative to the word itself.
const SYNONYM_WEIGHT: f64 = 0.5;

/// The search terms of a question, weighted by inverse document frequency.
#[derive(Debug)]
pub struct QuestionTerms {
    weights: HashMap<String, f64>,
    /// The weights of words seen so far.
    seen: HashMap<String, f64>,
}

impl QuestionTerms {
    /// Collects the words of a question and their synonyms.
    #[must_use]
    pub fn of(question: &Question, frequencies: &PassageFrequencies) -> Self {
        let mut weights: HashMap<String, f64> = HashMap::new();
        let mut add = |word: &str, share: f64| {
            let stem = snowball_stem(word).into_owned();
            let having = as_f64(frequencies.having.get(&stem).copied().unwrap_or(0).min(frequencies.passages));
            let rarity = (1.0 + (as_f64(frequencies.passages) - having + 0.5) / (having + 0.5)).ln();
            let weight = weights.entry(stem).or_default();
            *weight = weight.max(share * rarity);
        };
        for term in &question.terms {
            add(term, 1.0);
            for near in neighbours(term, MAX_SYNONYMS, MIN_SIMILARITY) {
                add(near, SYNONYM_WEIGHT);
            }
        }
        Self { weights, seen: HashMap::new() }
    }

    /// Returns the sum of the weights of the search terms in a text, each counted once.
    pub fn weigh(&mut self, text: &str) -> f64 {
        // In one order, because the order of a sum of floats changes it.
        let mut met: BTreeMap<String, f64> = BTreeMap::new();
        for word in words(text) {
            let weight = *self
                .seen
                .entry(word.clone())
                .or_insert_with_key(|word| self.weights.get(snowball_stem(word).as_ref()).copied().unwrap_or(0.0));
            if weight > 0.0 {
                met.insert(snowball_stem(&word).into_owned(), weight);
            }
        }
        met.values().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_the_rarer_words_of_the_question_weighs_more() {
        let having = [("ferri", 3), ("quay", 90)].map(|(stem, count)| (stem.to_owned(), count));
        let frequencies = PassageFrequencies { passages: 100, having: HashMap::from(having) };
        let mut wanted = QuestionTerms::of(&Question::new("Which ferry struck the quay?"), &frequencies);
        let (ferry, quay) = (wanted.weigh("Two ferries, one ferry."), wanted.weigh("The quay was closed."));
        assert!(ferry > quay && quay > 0.0, "{ferry} {quay}");
        assert!(wanted.weigh("A ferry at the quay") > ferry);
        assert!(wanted.weigh("Nothing of the kind.").abs() < f64::EPSILON);
    }
}
