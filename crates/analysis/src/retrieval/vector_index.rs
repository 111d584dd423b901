//! Nearest neighbours among dense vectors, by comparing with all of them.
//!
//! Input: vectors of one space with the ids of their entries. Output: the ids of those nearest to a vector. Called by
//! `src/services/search/vectors.rs`. Each number is stored in one byte: 100,000 vectors of 256 numbers take 26 MB.

use crate::text::dense::DenseVector;

/// The largest number of a quantised vector.
const LARGEST: f32 = 127.0;

/// From which cosine on an entry is near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NearFrom {
    Cosine(f32),
    /// A share, from 0 to 1, of the way to 1 from the cosine of an unrelated text. One model gives those a cosine of 0.1,
    /// another 0.7, so it is estimated: a quarter of all entries is taken for unrelated, 0 among fewer than ten.
    AboveUnrelated(f32),
}

/// Fewer entries are too few for an estimate.
const MIN_ENTRIES: usize = 10;
/// With a higher cosine of unrelated texts, a model would not separate any.
const MAX_UNRELATED: f32 = 0.95;

impl NearFrom {
    fn cosine(self, cosines: &[f32]) -> f32 {
        match self {
            Self::Cosine(least) => least,
            Self::AboveUnrelated(share) => {
                let unrelated = unrelated(cosines);
                unrelated + (1.0 - unrelated) * share
            }
        }
    }
}

/// Estimates the cosine of an unrelated text: the first quartile.
fn unrelated(cosines: &[f32]) -> f32 {
    if cosines.len() < MIN_ENTRIES {
        return 0.0;
    }
    let mut sorted = cosines.to_vec();
    let at = sorted.len() / 4;
    let (_, quartile, _) = sorted.select_nth_unstable_by(at, f32::total_cmp);
    quartile.clamp(0.0, MAX_UNRELATED)
}

/// Vectors of one space.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct VectorIndex {
    dimensions: usize,
    entries: Vec<i64>,
    /// `dimensions` bytes an entry.
    numbers: Vec<i8>,
    /// By which the numbers of each entry were divided when they were quantised.
    scales: Vec<f32>,
}

impl VectorIndex {
    /// Adds an entry. If its vector has another length, the entries before it are removed: a server makes other vectors
    /// under the same name since then.
    pub fn push(&mut self, entry: i64, vector: &DenseVector) {
        let numbers = vector.numbers();
        if numbers.len() != self.dimensions {
            *self = Self { dimensions: numbers.len(), ..Self::default() };
        }
        let (bytes, scale) = quantised(numbers);
        self.numbers.extend(bytes);
        self.scales.push(scale);
        self.entries.push(entry);
    }

    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// At most `limit` entries that are near to `vector`, the nearest first; of equally near ones the later entry.
    #[must_use]
    pub fn nearest(&self, vector: &DenseVector, limit: usize, from: NearFrom) -> Vec<i64> {
        if self.dimensions == 0 || vector.numbers().len() != self.dimensions {
            return Vec::new();
        }
        let (wanted, scale) = quantised(vector.numbers());
        let cosines = self.numbers.chunks_exact(self.dimensions).zip(&self.scales);
        #[expect(clippy::cast_precision_loss, reason = "at most 127 * 127 a dimension: ranks need no more")]
        let cosine = |(numbers, other): (&[i8], &f32)| dot(&wanted, numbers) as f32 * scale * other;
        let cosines: Vec<f32> = cosines.map(cosine).collect();
        let least = from.cosine(&cosines);
        let mut near: Vec<(f32, i64)> =
            cosines.into_iter().zip(self.entries.iter().copied()).filter(|(cosine, _)| *cosine >= least).collect();
        let nearer = |a: &(f32, i64), b: &(f32, i64)| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1));
        if near.len() > limit && limit > 0 {
            near.select_nth_unstable_by(limit - 1, nearer);
        }
        near.truncate(limit);
        near.sort_unstable_by(nearer);
        near.into_iter().map(|(_, entry)| entry).collect()
    }
}

/// The numbers of a vector of length 1 as bytes, and what one step of them is worth.
fn quantised(numbers: &[f32]) -> (Vec<i8>, f32) {
    let largest = numbers.iter().fold(f32::MIN_POSITIVE, |largest, number| largest.max(number.abs()));
    #[expect(clippy::cast_possible_truncation, reason = "from -127 to 127")]
    let step = |number: &f32| (number / largest * LARGEST).round() as i8;
    (numbers.iter().map(step).collect(), largest / LARGEST)
}

fn dot(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: NearFrom = NearFrom::Cosine(-1.0);

    fn vector(numbers: &[f32]) -> DenseVector {
        DenseVector::from_bytes(&DenseVector::to_bytes(numbers)).unwrap()
    }

    fn index() -> VectorIndex {
        let mut index = VectorIndex::default();
        for (entry, numbers) in
            [(1, [1.0, 0.0, 0.0]), (2, [0.9, 0.1, 0.0]), (3, [0.0, 0.0, 1.0]), (4, [-1.0, 0.0, 0.0])]
        {
            index.push(entry, &vector(&numbers));
        }
        index
    }

    #[test]
    fn the_nearest_come_first_and_none_that_are_too_far() {
        let wanted = vector(&[0.8, 0.2, 0.0]);
        assert_eq!(index().nearest(&wanted, 10, NearFrom::Cosine(0.1)), [2, 1]);
        assert_eq!(index().nearest(&wanted, 1, ALL), [2]);
        assert_eq!(index().nearest(&wanted, 10, ALL), [2, 1, 3, 4]);
        assert!(index().nearest(&wanted, 0, ALL).is_empty());
    }

    #[test]
    fn near_is_relative_to_what_is_unrelated() {
        let near = |unrelated: f32, entries: i64, related: i64| {
            let mut index = VectorIndex::default();
            let at = |cosine: f32| vector(&[cosine, (1.0 - cosine * cosine).sqrt()]);
            let cosine = |entry: i64| if entry <= related { 0.85 } else { unrelated };
            (1..=entries).for_each(|entry| index.push(entry, &at(cosine(entry))));
            index.nearest(&at(1.0), 20, NearFrom::AboveUnrelated(0.2)).len()
        };
        assert_eq!((near(0.1, 10, 1), near(0.7, 10, 1)), (1, 1));
        assert_eq!((near(0.1, 10, 5), near(0.7, 12, 7)), (5, 7), "most entries are related");
        assert_eq!((near(0.1, 4, 2), near(-0.3, 4, 2)), (2, 2), "too few for an estimate");
        assert_eq!(near(0.84, 10, 1), 0, "all are equally far");
    }

    #[test]
    fn vectors_of_the_newest_length_alone_are_compared() {
        let mut index = index();
        assert!(index.nearest(&vector(&[1.0, 0.0]), 10, ALL).is_empty());
        index.push(5, &vector(&[1.0, 0.0]));
        assert_eq!((index.len(), index.nearest(&vector(&[1.0, 0.0]), 10, ALL)), (1, vec![5]));
        assert!(VectorIndex::default().nearest(&vector(&[1.0]), 10, ALL).is_empty());
    }

    #[test]
    fn bytes_keep_the_order_of_the_numbers() {
        // Pseudo-random vectors; the cosines of the ten nearest by bytes are at least the tenth by numbers, less the
        // error of a byte.
        let mut state = 7_u32;
        let mut number = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f32::from(u16::try_from(state >> 16).unwrap_or(0)) / 32_768.0 - 1.0
        };
        let vectors: Vec<DenseVector> =
            (0..200).map(|_| vector(&(0..64).map(|_| number()).collect::<Vec<_>>())).collect();
        let mut index = VectorIndex::default();
        vectors.iter().zip(0_i64..).for_each(|(vector, entry)| index.push(entry, vector));
        let cosine = |entry: usize| vectors[0].cosine(&vectors[entry]).unwrap();
        let mut exact: Vec<f64> = (0..200).map(cosine).collect();
        exact.sort_unstable_by(|a, b| b.total_cmp(a));
        for entry in index.nearest(&vectors[0], 10, ALL) {
            assert!(cosine(usize::try_from(entry).unwrap()) > exact[9] - 0.01);
        }
    }
}
