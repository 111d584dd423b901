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
    /// A share, from 0 to 1, of the way from the median cosine of all entries to 1. One model gives unrelated texts a
    /// cosine of 0.1, another 0.7. Among fewer than [`MIN_ENTRIES`] entries no median is known, and all are near.
    AboveMedian(f32),
}

/// Fewer entries are too few for a median.
const MIN_ENTRIES: usize = 10;

impl NearFrom {
    fn cosine(self, cosines: &[f32]) -> f32 {
        match self {
            Self::Cosine(least) => least,
            Self::AboveMedian(_) if cosines.len() < MIN_ENTRIES => f32::MIN,
            Self::AboveMedian(share) => {
                let mut sorted = cosines.to_vec();
                let middle = sorted.len() / 2;
                let (_, median, _) = sorted.select_nth_unstable_by(middle, f32::total_cmp);
                *median + (1.0 - *median) * share
            }
        }
    }
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
    /// Adds an entry. One whose vector has another length than the first is left out: it is of another space.
    pub fn push(&mut self, entry: i64, vector: &DenseVector) {
        let numbers = vector.numbers();
        if self.entries.is_empty() {
            self.dimensions = numbers.len();
        }
        if numbers.len() != self.dimensions {
            return;
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
    fn near_is_relative_to_the_median_where_there_is_one() {
        let near = |unrelated: f32, entries: i64| {
            let mut index = VectorIndex::default();
            let at = |cosine: f32| vector(&[cosine, (1.0 - cosine * cosine).sqrt()]);
            (1..entries).for_each(|entry| index.push(entry, &at(unrelated)));
            index.push(entries, &at(0.8));
            index.nearest(&at(1.0), 20, NearFrom::AboveMedian(0.2)).len()
        };
        assert_eq!((near(0.1, 10), near(0.7, 10)), (1, 1));
        assert_eq!(near(0.79, 10), 0, "all are of the same distance, and none is near");
        assert_eq!(near(0.1, 9), 9);
    }

    #[test]
    fn vectors_of_another_length_are_never_near() {
        let mut index = index();
        index.push(5, &vector(&[1.0, 0.0]));
        assert_eq!(index.len(), 4);
        assert!(index.nearest(&vector(&[1.0, 0.0]), 10, ALL).is_empty());
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
