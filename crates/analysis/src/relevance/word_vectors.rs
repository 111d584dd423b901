//! A table of English word vectors, shipped in the program: `models/word_vectors_en_v1.bin`, made by `scripts/train/word_vectors.py`.
//!
//! It says which words mean something alike and how frequent a word is. It knows no word that is newer than its source (2014).

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

static FILE: &[u8] = include_bytes!("../../../../models/word_vectors_en_v1.bin");

/// Magic, number of words, of dimensions, bytes of the list of words.
const HEADER_BYTES: usize = 20;
pub(crate) const DIMENSIONS: usize = 64;

/// A vector that is not of length 1.
pub(crate) type Vector = [f32; DIMENSIONS];

/// Weight of a word in a text: a / (a + p), p the share of all words that it is (Arora et al. 2017).
const SMOOTHING: f64 = 3e-4;
/// Words of a usual item, from which the frequency of a word becomes one of texts.
const WORDS_OF_TEXT: i32 = 150;
/// For words that the table lacks: they are rarer than its last.
const UNLISTED_RANK: f64 = 40_000.0;

/// See the module.
#[derive(Debug)]
pub struct WordVectors {
    ranks: FxHashMap<&'static str, usize>,
    words: Vec<&'static str>,
    vectors: &'static [u8],
    /// Of each vector.
    lengths: Vec<f32>,
    /// Σ 1/rank over the table: what Zipf's law is divided by.
    harmonic: f64,
}

static TABLE: LazyLock<WordVectors> = LazyLock::new(WordVectors::read);

impl WordVectors {
    /// The table, read at its first use.
    #[must_use]
    pub fn shipped() -> &'static Self {
        &TABLE
    }

    fn read() -> Self {
        let number = |at: usize| {
            let bytes = FILE.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map_or(0, |bytes| u32::from_le_bytes(bytes) as usize)
        };
        let (count, listed) = (number(8), number(16));
        let list = FILE.get(HEADER_BYTES..HEADER_BYTES + listed).unwrap_or_default();
        let words: Vec<&str> = std::str::from_utf8(list).unwrap_or_default().split('\n').take(count).collect();
        let vectors = FILE.get(HEADER_BYTES + listed..).unwrap_or_default();
        let ranks = words.iter().enumerate().map(|(rank, word)| (*word, rank)).collect();
        let lengths = vectors.chunks_exact(DIMENSIONS).map(|vector| length(&numbers(vector))).collect();
        let harmonic = (1..=words.len().max(1)).map(|rank| 1.0 / as_f64(rank)).sum();
        Self { ranks, words, vectors, lengths, harmonic }
    }

    /// The most frequent first.
    pub(super) fn words(&self) -> &[&'static str] {
        &self.words
    }

    pub(crate) fn rank(&self, word: &str) -> Option<usize> {
        self.ranks.get(word).copied()
    }

    /// The share of all words of English texts that this word is, by Zipf's law.
    pub(crate) fn share(&self, word: &str) -> f64 {
        let rank = self.rank(word).map_or(UNLISTED_RANK, |rank| as_f64(rank + 1));
        1.0 / (rank * self.harmonic)
    }

    /// The share of texts of [`WORDS_OF_TEXT`] words that have this word.
    pub(crate) fn share_of_texts(&self, word: &str) -> f64 {
        1.0 - (1.0 - self.share(word)).powi(WORDS_OF_TEXT)
    }

    /// What a word adds to the vector of its text: the rarer the more.
    pub(crate) fn weight(&self, rank: usize) -> f32 {
        let share = 1.0 / (as_f64(rank + 1) * self.harmonic);
        narrow(SMOOTHING / (SMOOTHING + share))
    }

    pub(crate) fn add(&self, rank: usize, weight: f32, to: &mut Vector) {
        if let Some(vector) = self.bytes(rank) {
            for (sum, byte) in to.iter_mut().zip(vector) {
                *sum += weight * f32::from(byte.cast_signed());
            }
        }
    }

    /// Cosine of two words' vectors.
    pub(crate) fn likeness(&self, one: usize, other: usize) -> f64 {
        let lengths = self.lengths.get(one).zip(self.lengths.get(other)).map_or(0.0, |(one, other)| one * other);
        let products = self.bytes(one).zip(self.bytes(other)).map_or(0, |(one, other)| products(one, other));
        if lengths > 0.0 { f64::from(products) / f64::from(lengths) } else { 0.0 }
    }

    fn bytes(&self, rank: usize) -> Option<&'static [u8; DIMENSIONS]> {
        self.vectors.get(rank * DIMENSIONS..).and_then(|from| from.first_chunk())
    }

    /// The words most like one of the table, at least `least`, the closest first, with their cosines; at most `count`.
    pub(crate) fn nearest(&self, rank: usize, count: usize, least: f64) -> Vec<(&'static str, f64)> {
        let others = (0..self.words.len()).filter(|other| *other != rank);
        let mut near: Vec<(usize, f64)> = others
            .map(|other| (other, self.likeness(rank, other)))
            .filter(|(_, likeness)| *likeness >= least)
            .collect();
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.into_iter().take(count).map(|(rank, likeness)| (self.words[rank], likeness)).collect()
    }
}

/// A signed byte a number.
fn numbers(vector: &[u8]) -> Vector {
    let mut numbers = [0.0; DIMENSIONS];
    numbers.iter_mut().zip(vector).for_each(|(number, byte)| *number = f32::from(byte.cast_signed()));
    numbers
}

/// Of signed bytes, exact.
fn products(one: &[u8; DIMENSIONS], other: &[u8; DIMENSIONS]) -> i32 {
    one.iter().zip(other).map(|(a, b)| i32::from(a.cast_signed()) * i32::from(b.cast_signed())).sum()
}

/// Sums that are carried side by side, as one instruction adds so many numbers.
const LANES: usize = 8;

fn dot(one: &Vector, other: &Vector) -> f32 {
    let mut sums = [0.0; LANES];
    for (one, other) in one.chunks_exact(LANES).zip(other.chunks_exact(LANES)) {
        for ((sum, a), b) in sums.iter_mut().zip(one).zip(other) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

pub(crate) fn length(vector: &Vector) -> f32 {
    dot(vector, vector).sqrt()
}

/// Cosine; 0 where a vector has no direction.
pub(crate) fn cosine(one: &Vector, other: &Vector) -> f64 {
    let lengths = length(one) * length(other);
    if lengths > 0.0 { f64::from(dot(one, other) / lengths) } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "ranks below 2^24")]
const fn as_f64(rank: usize) -> f64 {
    rank as f64
}

#[expect(clippy::cast_possible_truncation, reason = "a weight in [0, 1]")]
const fn narrow(weight: f64) -> f32 {
    weight as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole() {
        assert!(FILE.starts_with(b"WORDVEC1"));
        let table = WordVectors::shipped();
        assert_eq!(table.words.len(), 30_000);
        assert_eq!(table.vectors.len(), 30_000 * DIMENSIONS);
        assert_eq!(table.rank("the"), Some(0));
    }

    #[test]
    fn words_of_one_matter_are_nearer_than_others() {
        let table = WordVectors::shipped();
        let likeness = |one, other| table.likeness(table.rank(one).unwrap(), table.rank(other).unwrap());
        assert!(likeness("film", "movie") > 0.6 && likeness("film", "movie") > likeness("film", "harbour") + 0.3);
        assert!(table.nearest(table.rank("election").unwrap(), 8, 0.6).iter().any(|(word, _)| *word == "elections"));
    }

    #[test]
    fn frequent_words_weigh_little() {
        let table = WordVectors::shipped();
        assert!(table.share("the") > 100.0 * table.share("ferry") && table.share("ferry") > table.share("zxqv"));
        assert!(table.weight(0) < 0.01 && table.weight(20_000) > 0.9);
    }
}
