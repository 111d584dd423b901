//! One vector beside many others.
//!
//! Comes in: a vector, then the others one by one. Goes out: the similarity that [`Weighted::similarity`] finds as well, sooner.

use super::similarity::{MUCH_LONGER, Weighted};
use super::vocabulary::Term;

/// A vector with which many others are compared: where in it the terms of each first bits begin.
#[derive(Debug)]
pub(super) struct Yardstick<'a> {
    vector: &'a Weighted,
    begins: [u32; BEGINNINGS + 1],
}

/// Of so many bits, most of a text's terms are the only ones that begin with theirs.
const FIRST_BITS: u32 = 10;
const BEGINNINGS: usize = 1 << FIRST_BITS;

impl<'a> Yardstick<'a> {
    pub(super) fn of(vector: &'a Weighted) -> Self {
        let mut begins = [0; BEGINNINGS + 1];
        for term in vector.terms() {
            begins[term.first_bits(FIRST_BITS) + 1] += 1;
        }
        for place in 1..begins.len() {
            begins[place] += begins[place - 1];
        }
        Self { vector, begins }
    }

    /// [`Weighted::similarity`], to the last digit.
    pub(super) fn similarity(&self, other: &Weighted) -> f64 {
        if other.terms().len() > self.vector.terms().len().saturating_mul(MUCH_LONGER) {
            return self.vector.similarity(other);
        }
        let mut sum = 0.0;
        for (theirs, term) in other.terms().iter().enumerate() {
            if let Some(mine) = self.find(*term) {
                sum += self.vector.entry(mine).product(&other.entry(theirs));
            }
        }
        sum
    }

    fn find(&self, term: Term) -> Option<usize> {
        let beginning = term.first_bits(FIRST_BITS);
        let mut alike = self.begins[beginning] as usize..self.begins[beginning + 1] as usize;
        alike.find(|place| self.vector.terms()[*place] == term)
    }
}

#[cfg(test)]
mod tests {
    use super::super::features::Features;
    use super::super::similarity::Frequencies;
    use super::*;

    #[test]
    fn a_yardstick_finds_what_two_vectors_find() {
        let long = (0..900).map(|n| format!("filler{n} ")).collect::<Vec<_>>().concat() + "ferry quay";
        let texts = ["ferry power skerrow", "Ferry Skerrow quay", "", "pump tax", &long];
        let items: Vec<Features> = texts.iter().map(|text| Features::of(None, text)).collect();
        let snapshot = Frequencies::of(&items);
        let mut weighted: Vec<Weighted> = items.iter().map(|item| snapshot.weigh(item)).collect();
        weighted.push(weighted[0].plus(&weighted[4]));
        for one in &weighted {
            let yardstick = Yardstick::of(one);
            for other in &weighted {
                assert_eq!(yardstick.similarity(other).to_bits(), one.similarity(other).to_bits());
            }
        }
    }
}
