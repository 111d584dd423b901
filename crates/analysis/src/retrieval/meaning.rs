//! Which words mean something alike: by the table that ships with the program, or by weights from a folder.

use std::collections::HashMap;

use crate::relevance::word_vectors::WordVectors;
use crate::stories::space::Space;

/// A word as it is compared.
pub(super) type Vector = Vec<f32>;

/// Says how alike words are. Made once a question.
pub struct Meaning<'s> {
    /// Weights from a folder, where there are any.
    space: Option<&'s dyn Space>,
}

impl std::fmt::Debug for Meaning<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Meaning").field("space", &self.space.map(Space::id)).finish()
    }
}

impl<'s> Meaning<'s> {
    /// By the table that ships alone.
    #[must_use]
    pub const fn shipped() -> Self {
        Self { space: None }
    }

    /// By weights as well.
    #[must_use]
    pub const fn with(space: &'s dyn Space) -> Self {
        Self { space: Some(space) }
    }

    pub(super) const fn has_weights(&self) -> bool {
        self.space.is_some()
    }

    /// The vector, of length 1, that weights give a text.
    pub(super) fn text(&self, text: &str) -> Option<Vector> {
        let (bytes, _) = self.space?.vector(None, text)?;
        let numbers = bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        normalised(numbers.collect())
    }
}

/// The words of one question and of the passages it is asked of, and how alike each pair is.
pub(super) struct Likeness<'m> {
    meaning: &'m Meaning<'m>,
    weighed: HashMap<String, Option<Vector>>,
}

impl<'m> Likeness<'m> {
    pub(super) fn new(meaning: &'m Meaning<'m>) -> Self {
        Self { meaning, weighed: HashMap::new() }
    }

    /// From 0 to 1, of two different words in lower case.
    pub(super) fn of(&mut self, one: &str, other: &str) -> f64 {
        let table = WordVectors::shipped();
        let ranks = table.rank(one).zip(table.rank(other));
        let by_table = ranks.map(|(one, other)| table.likeness(one, other).max(0.0));
        if !self.meaning.has_weights() {
            return by_table.unwrap_or(0.0);
        }
        let by_weights = self.by_weights(one, other);
        match (by_table, by_weights) {
            (Some(table), Some(weights)) => f64::midpoint(table, weights),
            (Some(likeness), None) | (None, Some(likeness)) => likeness,
            (None, None) => 0.0,
        }
    }

    fn by_weights(&mut self, one: &str, other: &str) -> Option<f64> {
        for word in [one, other] {
            if !self.weighed.contains_key(word) {
                self.weighed.insert(word.to_owned(), self.meaning.text(word));
            }
        }
        let (one, other) = (self.weighed.get(one)?.as_ref()?, self.weighed.get(other)?.as_ref()?);
        Some(f64::from(dot(one, other)).max(0.0))
    }
}

/// The words that mean something most like a lower-case word, by the table that ships.
#[must_use]
pub fn neighbours(word: &str, count: usize, least: f64) -> Vec<&'static str> {
    let table = WordVectors::shipped();
    let near = table.rank(word).map(|rank| table.nearest(rank, count, least));
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
