//! Dense vectors of an embedding model, and their similarity.
//!
//! Input: a model's output. Output: bytes for `embeddings.vector`, and similarity in [0, 1]. Only vectors of one space
//! are compared: the caller reads one space, and vectors of different lengths have no similarity.

/// A unit vector.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseVector(Vec<f32>);

impl DenseVector {
    /// Encodes a vector for storage: little-endian 32-bit floats.
    #[must_use]
    pub fn to_bytes(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// Decodes a stored vector. `None` for a zero vector, or if the bytes were not written by
    /// [`DenseVector::to_bytes`].
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (chunks, rest) = bytes.as_chunks::<4>();
        let numbers: Vec<f32> = chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
        if rest.is_empty() { Self::of(&numbers) } else { None }
    }

    /// Returns the vector at length 1; `None` if it has no direction.
    #[must_use]
    pub fn of(numbers: &[f32]) -> Option<Self> {
        let length = numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        (length.is_finite() && length > 0.0)
            .then(|| Self(numbers.iter().map(|number| normalised(*number, length)).collect()))
    }

    pub(crate) fn numbers(&self) -> &[f32] {
        &self.0
    }

    /// Returns the cosine; `None` for vectors of different lengths, which are of different spaces.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> Option<f64> {
        let products = self.0.iter().zip(&other.0).map(|(a, b)| f64::from(*a) * f64::from(*b));
        (self.0.len() == other.0.len()).then(|| products.sum())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a number of a vector of length 1")]
fn normalised(number: f32, length: f64) -> f32 {
    (f64::from(number) / length) as f32
}

/// A sum of vectors, for the mean over pairs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DenseSum {
    numbers: Vec<f32>,
    count: usize,
}

impl DenseSum {
    pub(crate) fn of(vector: &DenseVector) -> Self {
        Self { numbers: vector.0.clone(), count: 1 }
    }

    /// Adds two sums; `None` if they are of different spaces.
    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        let numbers = self.numbers.iter().zip(&other.numbers).map(|(a, b)| a + b).collect();
        (self.numbers.len() == other.numbers.len()).then_some(Self { numbers, count: self.count + other.count })
    }

    /// Returns the mean cosine over all pairs of one vector from each sum.
    #[expect(clippy::cast_precision_loss, reason = "members of a story")]
    pub(crate) fn mean_cosine(&self, other: &Self) -> Option<f64> {
        let products = self.numbers.iter().zip(&other.numbers).map(|(a, b)| f64::from(*a) * f64::from(*b));
        let pairs = (self.count as f64) * (other.count as f64);
        (self.numbers.len() == other.numbers.len()).then(|| products.sum::<f64>() / pairs)
    }
}

/// The typical cosine of two unrelated items. It is 0.1 for one model and 0.7 for another, so it is estimated from the
/// items: the median over pairs, most of which are of different stories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baseline(f64);

/// Fewer items are too few for an estimate.
const MIN_ITEMS: usize = 10;
/// Maximum sample, which has 19,900 pairs.
const MAX_SAMPLE: usize = 200;

impl Baseline {
    /// Estimates the baseline; `None` if there are too few vectors.
    #[must_use]
    pub fn of(vectors: &[&DenseVector]) -> Option<Self> {
        if vectors.len() < MIN_ITEMS {
            return None;
        }
        let sample: Vec<&DenseVector> = vectors.iter().step_by(vectors.len().div_ceil(MAX_SAMPLE)).copied().collect();
        let pairs =
            sample.iter().enumerate().flat_map(|(n, one)| sample[n + 1..].iter().map(|other| one.cosine(other)));
        let mut cosines: Vec<f64> = pairs.flatten().collect();
        cosines.sort_unstable_by(f64::total_cmp);
        cosines.get(cosines.len() / 2).map(|median| Self(median.clamp(0.0, MAX_BASELINE)))
    }

    pub(crate) const fn cosine(self) -> f64 {
        self.0
    }

    /// Returns 0 for the cosine of unrelated items or less, and 1 for identical texts.
    #[must_use]
    pub fn similarity(self, cosine: f64) -> f64 {
        ((cosine - self.0) / (1.0 - self.0)).clamp(0.0, 1.0)
    }
}

/// With a higher baseline, a model would not separate any items.
const MAX_BASELINE: f64 = 0.95;

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(numbers: &[f32]) -> DenseVector {
        DenseVector::from_bytes(&DenseVector::to_bytes(numbers)).unwrap()
    }

    #[test]
    fn only_the_direction_counts_and_only_within_a_space() {
        let (long, short) = (vector(&[3.0, 4.0]), vector(&[0.6, 0.8]));
        assert!((long.cosine(&short).unwrap() - 1.0).abs() < 1e-6);
        assert_eq!(vector(&[1.0, 0.0]).cosine(&vector(&[0.0, 1.0])), Some(0.0));
        assert_eq!(long.cosine(&vector(&[1.0, 0.0, 0.0])), None);
    }

    #[test]
    fn what_has_no_direction_is_no_vector() {
        for bytes in [&[][..], &[0; 8], &[1, 2, 3], &f32::NAN.to_le_bytes(), &f32::INFINITY.to_le_bytes()] {
            assert_eq!(DenseVector::from_bytes(bytes), None, "{bytes:?}");
        }
    }

    /// Vectors with a common direction, as some models produce, and two of one story.
    #[test]
    fn a_likeness_does_not_depend_on_how_a_model_leans() {
        let similarity = |lean: f32| {
            let mut all: Vec<DenseVector> = (0..12)
                .map(|axis| {
                    let mut numbers = [0.0; 13];
                    numbers[axis] = 1.0;
                    numbers[12] = lean;
                    vector(&numbers)
                })
                .collect();
            all.push(all[0].clone());
            let baseline = Baseline::of(&all.iter().collect::<Vec<_>>()).unwrap();
            let of = |one: usize, other: usize| baseline.similarity(all[one].cosine(&all[other]).unwrap());
            (of(0, 12), of(0, 1))
        };
        for lean in [0.0, 2.0] {
            let (same, others) = similarity(lean);
            assert!(same > 0.999 && others < 0.001, "{same} {others}");
        }
    }

    #[test]
    fn few_items_tell_nothing_of_what_is_usual() {
        let few = vec![vector(&[1.0, 0.0]); 9];
        assert_eq!(Baseline::of(&few.iter().collect::<Vec<_>>()), None);
    }
}
