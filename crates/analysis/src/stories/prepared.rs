//! Compares one vector with many others.
//!
//! Input: a vector, then the others one by one. Output: the same similarity as [`Weighted::similarity`], but faster.

use crate::text::similarity::{MUCH_LONGER, Weighted};
use crate::text::vocabulary::Term;

/// A vector with an index of where the terms with each combination of first bits begin.
#[derive(Debug)]
pub(super) struct PreparedVector<'a> {
    vector: &'a Weighted,
    first_bits: u32,
    /// By first bits, 1 + the index of the first term that begins with them; 0 if there is none.
    after: Vec<u32>,
}

/// Additional first bits beyond those needed to number the terms, so that few other terms match by accident.
const SPARE_BITS: u32 = 4;
const MAX_BITS: u32 = 16;

/// Number of terms that are prefiltered at once, without branches, before the matching ones are compared.
const BLOCK_TERMS: usize = 128;

impl<'a> PreparedVector<'a> {
    pub(super) fn of(vector: &'a Weighted) -> Self {
        let terms = vector.terms();
        let first_bits = (terms.len().max(1).ilog2() + SPARE_BITS).min(MAX_BITS);
        let mut after = vec![0; 1 << first_bits];
        for (index, term) in (1..=u32::try_from(terms.len()).unwrap_or(u32::MAX)).rev().zip(terms.iter().rev()) {
            after[term.first_bits(first_bits)] = index;
        }
        Self { vector, first_bits, after }
    }

    /// Returns exactly the value of [`Weighted::similarity`].
    pub(super) fn similarity(&self, other: &Weighted) -> f64 {
        if other.terms().len() > self.vector.terms().len().saturating_mul(MUCH_LONGER) {
            return self.vector.similarity(other);
        }
        let (mut sum, mut matching) = (0.0, [0; BLOCK_TERMS]);
        for (chunk, terms) in other.terms().chunks(BLOCK_TERMS).enumerate() {
            let mut count = 0;
            for (index, term) in terms.iter().enumerate() {
                matching[count % BLOCK_TERMS] = index;
                count += usize::from(self.after[term.first_bits(self.first_bits)] > 0);
            }
            for index in &matching[..count] {
                if let Some(own) = self.find(terms[*index]) {
                    sum += self.vector.entry(own).product(&other.entry(chunk * BLOCK_TERMS + index));
                }
            }
        }
        sum
    }

    fn find(&self, term: Term) -> Option<usize> {
        let first = (self.after[term.first_bits(self.first_bits)] as usize).checked_sub(1)?;
        let ahead = self.vector.terms()[first..].iter().position(|own| *own >= term)?;
        (self.vector.terms()[first + ahead] == term).then_some(first + ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::features::Features;
    use crate::text::similarity::Frequencies;

    #[test]
    fn a_prepared_vector_finds_what_two_vectors_find() {
        let long = (0..900).map(|n| format!("filler{n} ")).collect::<Vec<_>>().concat() + "ferry quay";
        let texts = ["ferry power skerrow", "Ferry Skerrow quay", "", "pump tax", &long];
        let items: Vec<Features> = texts.iter().map(|text| Features::of(None, text)).collect();
        let snapshot = Frequencies::of(&items);
        let mut weighted: Vec<Weighted> = items.iter().map(|item| snapshot.weigh(item)).collect();
        weighted.push(weighted[0].plus(&weighted[4]));
        for one in &weighted {
            let prepared = PreparedVector::of(one);
            for other in &weighted {
                assert_eq!(prepared.similarity(other).to_bits(), one.similarity(other).to_bits());
            }
        }
    }
}
