//! Similarity of words and texts: by the built-in table, by static weights from a folder, or by a sentence model.

use std::collections::HashMap;

use super::spelling::known_base;
use crate::relevance::word_vectors::WordVectors;
use crate::text::space::Space;

/// A vector of a word or text.
pub(super) type Vector = Vec<f32>;

/// A model that computes sentence vectors.
pub trait SentenceVectors: Send + Sync {
    /// Returns a unit vector for each text, in order.
    fn vectors(&self, texts: &[String]) -> Vec<Vec<f32>>;
}

/// Provides similarities of words and texts. Created once per question.
#[derive(Clone, Copy)]
pub struct SimilarityModels<'s> {
    /// Static weights from a folder, if there are any.
    space: Option<&'s dyn Space>,
    model: Option<&'s dyn SentenceVectors>,
}

impl std::fmt::Debug for SimilarityModels<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let space = self.space.map(Space::id);
        f.debug_struct("SimilarityModels").field("space", &space).field("has_model", &self.model.is_some()).finish()
    }
}

impl<'s> SimilarityModels<'s> {
    /// Uses the built-in table only.
    #[must_use]
    pub const fn shipped() -> Self {
        Self { space: None, model: None }
    }

    /// Also uses static weights and a sentence model, if given.
    #[must_use]
    pub const fn with(space: Option<&'s dyn Space>, model: Option<&'s dyn SentenceVectors>) -> Self {
        Self { space, model }
    }

    pub(super) const fn has_weights(&self) -> bool {
        self.space.is_some()
    }

    pub(super) const fn has_model(&self) -> bool {
        self.model.is_some()
    }

    pub(super) fn sentences(&self, texts: &[String]) -> Option<Vec<Vector>> {
        self.model.map(|model| model.vectors(texts))
    }

    /// Returns the unit vector of a text by the static weights; `None` if there are none or the text has no vector.
    pub(super) fn text(&self, text: &str) -> Option<Vector> {
        let (bytes, _) = self.space?.vector(None, text)?;
        let numbers = bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        normalised(numbers.collect())
    }
}

/// The vectors of the words of a question and its passages.
pub(super) struct Similarities<'w> {
    /// By the sentence model, otherwise by static weights. Empty if there is neither.
    vectors: HashMap<&'w str, Vector>,
}

impl<'w> Similarities<'w> {
    pub(super) fn new(meaning: &SimilarityModels<'_>, words: impl Iterator<Item = &'w String>) -> Self {
        let words: Vec<&'w String> =
            if meaning.has_model() || meaning.has_weights() { words.collect() } else { Vec::new() };
        let vectors = if meaning.has_model() {
            let texts: Vec<String> = words.iter().map(|word| (*word).clone()).collect();
            meaning.sentences(&texts).unwrap_or_default().into_iter().map(Some).collect()
        } else {
            words.iter().map(|word| meaning.text(word)).collect::<Vec<_>>()
        };
        let known = words.into_iter().zip(vectors).filter_map(|(word, vector)| Some((word.as_str(), vector?)));
        Self { vectors: known.filter(|(_, vector)| !vector.is_empty()).collect() }
    }

    /// Returns the similarity of two different lower-case words, from 0 to 1.
    pub(super) fn of(&self, one: &str, other: &str) -> f64 {
        let table = WordVectors::shipped();
        let ranks = table.rank(one).zip(table.rank(other));
        let by_table = ranks.map(|(one, other)| table.similarity(one, other).max(0.0));
        let vectors = self.vectors.get(one).zip(self.vectors.get(other));
        let by_weights = vectors.map(|(one, other)| f64::from(dot(one, other)).max(0.0));
        match (by_table, by_weights) {
            (Some(table), Some(weights)) => f64::midpoint(table, weights),
            (Some(similarity), None) | (None, Some(similarity)) => similarity,
            (None, None) => 0.0,
        }
    }
}

/// Words for what is not allowed, and what a text says in their place: "not allowed".
const PROHIBITIONS: [&str; 6] = ["banned", "barred", "disallowed", "forbidden", "outlawed", "prohibited"];
const PERMISSIONS: [&str; 4] = ["admitted", "allowed", "permissible", "permitted"];
/// The similarity of a prohibition to a word for the same thing.
const OF_PROHIBITION: f64 = 0.95;

/// Returns how similar a word of a text is to a word of a question for what is not allowed: "is it banned?" is answered
/// by what is allowed or not. 0 for any other word.
pub(super) fn prohibition_similarity(asked: &str, word: &str) -> f64 {
    let is_met = PROHIBITIONS.contains(&asked) && (PROHIBITIONS.contains(&word) || PERMISSIONS.contains(&word));
    if is_met { OF_PROHIBITION } else { 0.0 }
}

/// Returns the words most similar to a lower-case word, or to the one of which it is a form, by the built-in table.
#[must_use]
pub fn neighbours(word: &str, count: usize, min_similarity: f64) -> Vec<&'static str> {
    let table = WordVectors::shipped();
    let rank = table.rank(word).or_else(|| table.rank(&known_base(word)?));
    let near = rank.map(|rank| table.nearest(rank, count, min_similarity));
    near.unwrap_or_default().into_iter().map(|(word, _)| word).collect()
}

pub(super) fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

fn normalised(mut vector: Vector) -> Option<Vector> {
    let length = dot(&vector, &vector).sqrt();
    if length <= 0.0 || !length.is_finite() {
        return None;
    }
    for number in &mut vector {
        *number /= length;
    }
    Some(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_banned_is_not_allowed() {
        let of_ban = |word| prohibition_similarity("banned", word);
        assert!(of_ban("allowed") > 0.9 && of_ban("forbidden") > 0.9);
        for (asked, word) in [("allowed", "banned"), ("banned", "boats"), ("boats", "allowed")] {
            assert!(prohibition_similarity(asked, word) <= 0.0, "{asked} {word}");
        }
    }
}
