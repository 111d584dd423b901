//! Dense vectors, of a provider's embedding model, and how alike they make two items.
//!
//! Comes in: the numbers that a model gives. Goes out: bytes for `embeddings.vector`, and likeness in [0, 1]. Only vectors of
//! one space are ever compared: the caller reads one space, and vectors of different lengths have no likeness.

/// A vector of length 1.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseVector(Vec<f32>);

impl DenseVector {
    /// As stored: 32-bit floats, least byte first.
    #[must_use]
    pub fn to_bytes(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    /// `None` for what has no direction, or is not what [`DenseVector::to_bytes`] writes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (chunks, rest) = bytes.as_chunks::<4>();
        let numbers: Vec<f32> = chunks.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect();
        let length = numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        (rest.is_empty() && length.is_finite() && length > 0.0)
            .then(|| Self(numbers.iter().map(|number| shortened(*number, length)).collect()))
    }

    pub(crate) fn numbers(&self) -> &[f32] {
        &self.0
    }

    /// `None` for vectors of different lengths: they are of two spaces.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> Option<f64> {
        let products = self.0.iter().zip(&other.0).map(|(a, b)| f64::from(*a) * f64::from(*b));
        (self.0.len() == other.0.len()).then(|| products.sum())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a number of a vector of length 1")]
fn shortened(number: f32, length: f64) -> f32 {
    (f64::from(number) / length) as f32
}

/// The sum of some vectors, for the mean over pairs.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DenseSum {
    numbers: Vec<f32>,
    count: usize,
}

impl DenseSum {
    pub(super) fn of(vector: &DenseVector) -> Self {
        Self { numbers: vector.0.clone(), count: 1 }
    }

    /// `None` where they are of two spaces: then nothing is known of both together.
    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let numbers = self.numbers.iter().zip(&other.numbers).map(|(a, b)| a + b).collect();
        (self.numbers.len() == other.numbers.len()).then_some(Self { numbers, count: self.count + other.count })
    }

    /// Over all pairs of one from each.
    #[expect(clippy::cast_precision_loss, reason = "members of a story")]
    pub(super) fn mean_cosine(&self, other: &Self) -> Option<f64> {
        let products = self.numbers.iter().zip(&other.numbers).map(|(a, b)| f64::from(*a) * f64::from(*b));
        let pairs = (self.count as f64) * (other.count as f64);
        (self.numbers.len() == other.numbers.len()).then(|| products.sum::<f64>() / pairs)
    }
}

/// The cosine that two items have which have nothing to do with one another. One model gives such items 0.1, another 0.7, so it
/// is taken from the items themselves: the median over pairs, most of which are of different stories.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baseline(f64);

/// Fewer items say nothing about what is usual.
const LEAST_ITEMS: usize = 10;
/// More need not be looked at: these make 19,900 pairs.
const MOST_ITEMS: usize = 200;

impl Baseline {
    /// `None` where there are too few to tell.
    #[must_use]
    pub fn of(vectors: &[&DenseVector]) -> Option<Self> {
        if vectors.len() < LEAST_ITEMS {
            return None;
        }
        let sample: Vec<&DenseVector> = vectors.iter().step_by(vectors.len().div_ceil(MOST_ITEMS)).copied().collect();
        let pairs =
            sample.iter().enumerate().flat_map(|(n, one)| sample[n + 1..].iter().map(|other| one.cosine(other)));
        let mut cosines: Vec<f64> = pairs.flatten().collect();
        cosines.sort_unstable_by(f64::total_cmp);
        cosines.get(cosines.len() / 2).map(|median| Self(median.clamp(0.0, MOST_USUAL)))
    }

    pub(super) const fn cosine(self) -> f64 {
        self.0
    }

    /// 0 for a cosine that any two items have, 1 for the same text.
    #[must_use]
    pub fn likeness(self, cosine: f64) -> f64 {
        ((cosine - self.0) / (1.0 - self.0)).clamp(0.0, 1.0)
    }
}

/// Above that a model tells nothing apart.
const MOST_USUAL: f64 = 0.95;

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

    /// Vectors that all lean the same way, as some models' do, and two of one story.
    #[test]
    fn a_likeness_does_not_depend_on_how_a_model_leans() {
        let likeness = |lean: f32| {
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
            let of = |one: usize, other: usize| baseline.likeness(all[one].cosine(&all[other]).unwrap());
            (of(0, 12), of(0, 1))
        };
        for lean in [0.0, 2.0] {
            let (same, others) = likeness(lean);
            assert!(same > 0.999 && others < 0.001, "{same} {others}");
        }
    }

    #[test]
    fn few_items_tell_nothing_of_what_is_usual() {
        let few = vec![vector(&[1.0, 0.0]); 9];
        assert_eq!(Baseline::of(&few.iter().collect::<Vec<_>>()), None);
    }
}
