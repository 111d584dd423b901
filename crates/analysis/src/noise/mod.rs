//! Estimates how likely a headline is noise: clickbait, a listicle, a promotion, a job advertisement.
//!
//! Input: a headline. Output: a probability, calibrated for a feed in which one headline in twenty is noise. Called by
//! the stage `select` and `aha-radar noise`. It is a linear model over words, word n-grams, character n-grams and a few
//! forms, trained and calibrated by `scripts/train/noise.py`. Both use integer sums, so that the order of features
//! cannot change the result. [`patterns`] finds what is noise without doubt.

mod features;
pub mod patterns;

use features::{BUCKETS, FAMILIES, FORMS, features};

/// `NOISE2` and two zero bytes; the bias and a scale per family (five little-endian 32-bit floats); then one signed
/// byte per feature.
static WEIGHTS: &[u8] = include_bytes!("../../../../models/noise_v2.bin");

const HEADER_BYTES: usize = 28;
const SIZES: [usize; FAMILIES] = [BUCKETS, BUCKETS, BUCKETS, FORMS];

// A file of another length fails to compile.
const _: () = assert!(WEIGHTS.len() == HEADER_BYTES + 3 * BUCKETS + FORMS);

/// Returns a probability from 0 (news) to 1 (noise). Reads the first 300 characters and ignores case.
#[must_use]
pub fn score(headline: &str) -> f64 {
    let mut total = float(0);
    let mut offset = HEADER_BYTES;
    for (family, slots) in features(headline).iter().enumerate() {
        let sum: i32 = slots.iter().map(|slot| weight(offset + slot)).sum();
        if !slots.is_empty() {
            total += float(1 + family) * f64::from(sum) / count(slots.len()).sqrt();
        }
        offset += SIZES[family];
    }
    1.0 / (1.0 + (-total).exp())
}

fn weight(at: usize) -> i32 {
    WEIGHTS.get(at).map_or(0, |byte| i32::from(byte.cast_signed()))
}

/// Returns the header's float with this index.
fn float(number: usize) -> f64 {
    let at = 8 + 4 * number;
    let bytes = WEIGHTS.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0.0, |bytes| f64::from(f32::from_le_bytes(bytes)))
}

fn count(slots: usize) -> f64 {
    f64::from(u32::try_from(slots).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_the_script_that_trained() {
        let mut pinned = 0;
        for line in include_str!("../../../../models/noise_v2_pinned.tsv").lines() {
            let (expected, headline) = line.split_once('\t').unwrap();
            let expected: f64 = expected.parse().unwrap();
            assert!(
                (score(headline) - expected).abs() < 1e-8,
                "{headline:?}: {} instead of {expected}",
                score(headline)
            );
            pinned += 1;
        }
        assert!(pinned >= 10);
    }

    #[test]
    fn noise_stands_above_news() {
        let noise =
            ["9 tricks that will change your mornings", "Save 30% on headphones today", "Senior Java developer, Leeds"];
        let news =
            ["Ferry loses power off Skerrow, 214 aboard", "libcrumple 1.9.4 released", "Court rules on rent limits"];
        let least = noise.iter().map(|headline| score(headline)).fold(1.0, f64::min);
        let most = news.iter().map(|headline| score(headline)).fold(0.0, f64::max);
        assert!(least > 0.6 && most < 0.4, "{least} and {most}");
    }

    #[test]
    fn the_form_of_noise_alone_is_none() {
        let expected = [
            "Interview: the harbour pilot who never learned to swim",
            "I rewrote our invoices in COBOL",
            "9 lessons from a failed migration",
            "Why are we so bad at naming things?",
            "What I learned from selling my car",
            "Gespräch mit einer Glockengießerin",
            "Pourquoi les ponts chantent",
            "Show HN: Free tool for tide tables",
            "Tides",
        ];
        for headline in expected {
            assert!(score(headline) < 0.5, "{headline}: {}", score(headline));
        }
    }

    #[test]
    fn casing_and_apostrophes_change_nothing() {
        let plain = score("you won't believe these boats");
        assert!((plain - score("You Won’t BELIEVE these Boats")).abs() < f64::EPSILON);
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_a_score(text in ".{0,400}") {
            let score = score(&text);
            proptest::prop_assert!((0.0..=1.0).contains(&score));
        }
    }
}
