//! Decides whether an answer matches an expected one, by edit distance or by shared words, unless one of the two denies
//! what the other one says. An answer is compared with every accepted answer.

use std::collections::HashMap;

use serde::Serialize;

use crate::negation::contradicts;

/// Minimum similarities of a correct answer. Reaching either one is enough.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Thresholds {
    /// Minimum Levenshtein ratio.
    pub similarity: f64,
    /// Minimum share of the expected words that the answer contains.
    pub overlap: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { similarity: 0.8, overlap: 0.7 }
    }
}

/// The best of the comparisons with all accepted answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    pub is_match: bool,
    /// 1 − distance / length of the longer text.
    pub similarity: f64,
    /// Share of the expected words that occur in the answer.
    pub overlap: f64,
    /// One of the two denies what the other one says, so that they do not match, however similar they are.
    pub is_contradicted: bool,
    /// The accepted answer that is most similar.
    pub nearest: String,
}

/// Only the first 20,000 characters of a text are compared.
const MAX_CHARS: usize = 20_000;

/// Compares an answer with each accepted one and returns the best comparison.
#[must_use]
pub fn compare(answer: &str, accepted: &[String], thresholds: Thresholds) -> Comparison {
    let answer = folded(answer);
    let mut best =
        Comparison { is_match: false, similarity: 0.0, overlap: 0.0, is_contradicted: false, nearest: String::new() };
    for expected in accepted {
        let folded = folded(expected);
        let (similarity, overlap) = (ratio(&answer, &folded), overlap(&answer, &folded));
        let is_similar = similarity >= thresholds.similarity || overlap >= thresholds.overlap;
        let is_contradicted = is_similar && contradicts(&answer, &folded);
        let is_match = is_similar && !is_contradicted;
        let is_nearer = (is_match, similarity.max(overlap)) > (best.is_match, best.similarity.max(best.overlap));
        if is_nearer || best.nearest.is_empty() {
            best = Comparison { is_match, similarity, overlap, is_contradicted, nearest: expected.clone() };
        }
    }
    best
}

/// Returns the text in lower case with white space collapsed.
fn folded(text: &str) -> String {
    let text: String = text.chars().take(MAX_CHARS).collect();
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn ratio(one: &str, other: &str) -> f64 {
    // The distance is at least the difference in length: what cannot reach one eighth is not computed.
    let (a, b) = (one.chars().count(), other.chars().count());
    if a.min(b) * 8 < a.max(b) {
        return 0.0;
    }
    strsim::normalized_levenshtein(one, other)
}

/// Answers that say something only as the first word: elsewhere "no" belongs to another word.
const REPLIES: [&str; 2] = ["yes", "no"];

/// Returns the share of the expected words that the answer contains. Repeated words count as often as they are
/// expected; punctuation around a word is ignored. An answer that is expected to be "yes" or "no" begins with it.
fn overlap(answer: &str, expected: &str) -> f64 {
    let expected: Vec<&str> = words(expected).collect();
    if expected.is_empty() {
        return 0.0;
    }
    if let [reply] = expected[..]
        && REPLIES.contains(&reply)
    {
        return if words(answer).next() == Some(reply) { 1.0 } else { 0.0 };
    }
    let mut have: HashMap<&str, usize> = HashMap::new();
    for word in words(answer) {
        *have.entry(word).or_default() += 1;
    }
    let found = expected.iter().filter(|word| match have.get_mut(**word) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    });
    as_f64(found.count()) / as_f64(expected.len())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let trimmed = text.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    trimmed.filter(|word| !word.is_empty())
}

#[expect(clippy::cast_precision_loss, reason = "counts of words")]
const fn as_f64(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_right(answer: &str, accepted: &[&str]) -> bool {
        let accepted: Vec<String> = accepted.iter().map(|text| (*text).to_owned()).collect();
        compare(answer, &accepted, Thresholds::default()).is_match
    }

    #[test]
    fn either_similarity_is_enough() {
        assert!(is_right("  SEVENTY\n\tmooring  rings", &["seventy mooring rings"]));
        assert!(is_right("seventy morring rings", &["Seventy mooring rings"]));
        assert!(is_right("The pier has seventy (70) rings for mooring, by the plan of May.", &["seventy rings"]));
        assert!(is_right("It is 14 metres.", &["no", "14 metres"]));
        assert!(!is_right("It is 15 metres.", &["14 metres"]));
        assert!(!is_right("", &["14 metres"]));
        assert!(!is_right("anything", &[]));
    }

    #[test]
    fn what_denies_the_expected_answer_is_wrong() {
        let allowed = "Dogs are allowed on the pier.";
        let denied = "Dogs are NOT allowed on the pier.";
        assert!(!is_right(denied, &[allowed]) && !is_right(allowed, &[denied]));
        assert!(!is_right(denied, &[allowed, "allowed on the pier"]));
        assert!(is_right(denied, &[allowed, denied]) && is_right(allowed, &[denied, allowed]));
        let comparison = compare(denied, &[allowed.to_owned()], Thresholds::default());
        assert!(comparison.is_contradicted && comparison.overlap > 0.99, "{comparison:?}");
        assert!(is_right("Dogs are allowed on the pier. They are not allowed in the café.", &[allowed]));
    }

    #[test]
    fn yes_and_no_are_the_first_word_of_an_answer() {
        assert!(is_right("No, dogs stay ashore.", &["no"]) && is_right("YES.", &["Yes"]));
        assert!(!is_right("Dogs may come, and no fee is due.", &["no", "dogs stay ashore"]));
        assert!(!is_right("Yes, dogs may come.", &["no"]));
    }

    #[test]
    fn the_limits_are_included() {
        let seven_of_ten =
            "a1 b2 c3 d4 e5 f6 g7 xx yy zz and much more that makes the letters differ a great deal from it";
        assert!(is_right(seven_of_ten, &["a1 b2 c3 d4 e5 f6 g7 h8 i9 j0"]));
        assert!(!is_right(&seven_of_ten.replace("g7 ", ""), &["a1 b2 c3 d4 e5 f6 g7 h8 i9 j0"]));
        let exactly = compare("abcdefghij", &["abcdefghXX".to_owned()], Thresholds::default());
        assert!((exactly.similarity - 0.8).abs() < 1e-9 && exactly.is_match);
    }

    #[test]
    fn a_repeated_word_has_to_be_repeated() {
        assert!(!is_right("two", &["two and two and two and two"]));
    }

    #[test]
    fn a_huge_answer_is_compared_in_time() {
        let huge = "tide ".repeat(2_000_000);
        assert!(!is_right(&huge, &["high water at nine"]));
    }
}
