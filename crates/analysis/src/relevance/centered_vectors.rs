//! How near texts are to others by the table of word vectors, whatever words they use.

use super::documents::Corpus;
use super::word_vectors::DIMENSIONS;
use crate::text::dense::DenseVector;

/// The weight of the mean of disliked texts relative to that of liked ones (Rocchio 1971).
const DISLIKED_WEIGHT: f64 = 0.5;

/// The vectors of a corpus's texts, less their mean, of length 1; all zero for a text without vectors, such as one that
/// is not English.
#[derive(Debug, Default)]
pub struct CenteredVectors {
    vectors: Vec<[f64; DIMENSIONS]>,
}

impl CenteredVectors {
    #[must_use]
    pub fn of(corpus: &Corpus) -> Self {
        let mut vectors: Vec<[f64; DIMENSIONS]> =
            corpus.documents.iter().map(|document| unit(&document.vector.map(f64::from))).collect();
        let mean = mean(&vectors.iter().filter(|vector| !is_zero(vector)).collect::<Vec<_>>());
        for vector in vectors.iter_mut().filter(|vector| !is_zero(vector)) {
            vector.iter_mut().zip(&mean).for_each(|(number, mean)| *number -= mean);
            *vector = unit(vector);
        }
        Self { vectors }
    }

    /// Returns a text's vector; `None` if it has none.
    #[must_use]
    pub fn vector(&self, place: usize) -> Option<DenseVector> {
        DenseVector::of(&self.vectors.get(place)?.map(narrow))
    }

    /// Returns each text's product with the mean of the liked texts, less half that of the disliked ones: −1.5 to 1.5.
    /// Texts are given by their places in the corpus.
    #[must_use]
    pub fn leanings(&self, liked: &[usize], disliked: &[usize]) -> Vec<f64> {
        let mean_of =
            |places: &[usize]| mean(&places.iter().filter_map(|place| self.vectors.get(*place)).collect::<Vec<_>>());
        let (liked, disliked) = (mean_of(liked), mean_of(disliked));
        let direction = liked.iter().zip(&disliked).map(|(liked, disliked)| liked - DISLIKED_WEIGHT * disliked);
        let direction: Vec<f64> = direction.collect();
        let product = |vector: &[f64; DIMENSIONS]| vector.iter().zip(&direction).map(|(a, b)| a * b).sum();
        self.vectors.iter().map(product).collect()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a number of a vector of length 1")]
const fn narrow(number: f64) -> f32 {
    number as f32
}

fn is_zero(vector: &[f64; DIMENSIONS]) -> bool {
    vector.iter().all(|number| *number == 0.0)
}

/// Returns the mean; all zero for no vectors.
fn mean(vectors: &[&[f64; DIMENSIONS]]) -> [f64; DIMENSIONS] {
    #[expect(clippy::cast_precision_loss, reason = "a count of texts")]
    let count = vectors.len().max(1) as f64;
    let mut sum = [0.0; DIMENSIONS];
    for vector in vectors {
        sum.iter_mut().zip(*vector).for_each(|(sum, number)| *sum += number / count);
    }
    sum
}

/// Returns the vector at length 1; a zero vector stays as it is.
fn unit(vector: &[f64; DIMENSIONS]) -> [f64; DIMENSIONS] {
    let length = vector.iter().map(|number| number * number).sum::<f64>().sqrt();
    if length > 0.0 { vector.map(|number| number / length) } else { *vector }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relevance::TextParts;

    #[test]
    fn a_text_is_near_those_of_its_subject_in_other_words() {
        let texts = [
            "The orchestra played a symphony in the concert hall",
            "A pianist and a violin soloist perform chamber music",
            "The bank raised its interest rates against inflation",
            "Investors sold bonds after the economists' forecast",
            "",
        ];
        let parts: Vec<TextParts<'_>> =
            texts.iter().map(|text| TextParts { title: text, body: "", categories: &[], is_english: true }).collect();
        let vectors = CenteredVectors::of(&Corpus::of(&parts));
        let leanings = vectors.leanings(&[0], &[2]);
        assert!(leanings[1] > 0.0 && leanings[3] < 0.0, "{leanings:?}");
        assert_eq!(leanings[4].to_bits(), 0.0_f64.to_bits());
        assert!(vectors.leanings(&[], &[]).iter().all(|leaning| *leaning == 0.0));
    }
}
