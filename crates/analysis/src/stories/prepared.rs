//! One vector beside many others.
//!
//! Comes in: a vector, then the others one by one. Goes out: the similarity that [`Weighted::similarity`] finds as well, sooner.

use super::similarity::{MUCH_LONGER, Weighted};
use super::vocabulary::Term;

/// A vector with which many others are compared: where in it the terms of each first bits begin.
#[derive(Debug)]
pub(super) struct PreparedVector<'a> {
    vector: &'a Weighted,
    first_bits: u32,
    /// By first bits, the place after that of the first term that begins with them; 0 where none does.
    after: Vec<u32>,
}

/// So many more first bits than it takes to number the terms: few terms of another vector begin like one of these without being it.
const SPARE_BITS: u32 = 4;
const MOST_BITS: u32 = 16;

/// So many terms are looked through before those are compared that begin like one of the prepared vector's: a processor is quick with what
/// it need not decide on.
const AT_ONCE: usize = 128;

impl<'a> PreparedVector<'a> {
    pub(super) fn of(vector: &'a Weighted) -> Self {
        let terms = vector.terms();
        let first_bits = (terms.len().max(1).ilog2() + SPARE_BITS).min(MOST_BITS);
        let mut after = vec![0; 1 << first_bits];
        for (place, term) in (1..=u32::try_from(terms.len()).unwrap_or(u32::MAX)).rev().zip(terms.iter().rev()) {
            after[term.first_bits(first_bits)] = place;
        }
        Self { vector, first_bits, after }
    }

    /// [`Weighted::similarity`], to the last digit.
    pub(super) fn similarity(&self, other: &Weighted) -> f64 {
        if other.terms().len() > self.vector.terms().len().saturating_mul(MUCH_LONGER) {
            return self.vector.similarity(other);
        }
        let (mut sum, mut begun) = (0.0, [0; AT_ONCE]);
        for (chunk, terms) in other.terms().chunks(AT_ONCE).enumerate() {
            let mut count = 0;
            for (place, term) in terms.iter().enumerate() {
                begun[count % AT_ONCE] = place;
                count += usize::from(self.after[term.first_bits(self.first_bits)] > 0);
            }
            for place in &begun[..count] {
                if let Some(mine) = self.find(terms[*place]) {
                    sum += self.vector.entry(mine).product(&other.entry(chunk * AT_ONCE + place));
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
    use super::super::features::Features;
    use super::super::similarity::Frequencies;
    use super::*;

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
