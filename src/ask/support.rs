//! Checks whether a sentence that a model wrote is supported by the passages that it cites: by words, numbers and
//! names.

use std::collections::BTreeSet;

use aha_analysis::retrieval::{contents, numbers};
use aha_store::terms::query_stems;

/// Minimum share of the sentence's content words that occur in the passages or the question.
const MIN_SUPPORTED_SHARE: f64 = 0.6;

/// Returns whether the passages support the sentence.
pub(super) fn is_supported(sentence: &str, question: &str, passages: &[&str]) -> bool {
    let said: BTreeSet<String> = passages.iter().flat_map(|text| numbers(text)).collect();
    let asked: BTreeSet<String> = numbers(question).into_iter().collect();
    if !numbers(sentence).iter().all(|number| said.contains(number) || asked.contains(number)) {
        return false;
    }
    let mut known: BTreeSet<String> = passages.iter().flat_map(|text| stems(text)).collect();
    if names(sentence).iter().any(|name| stems(name).is_disjoint(&known) && !question.contains(name.as_str())) {
        return false;
    }
    known.extend(stems(question));
    let words = contents(sentence);
    let met = words.iter().filter(|word| !query_stems(word).is_disjoint(&known)).count();
    !words.is_empty() && ratio(met, words.len()) >= MIN_SUPPORTED_SHARE
}

fn stems(text: &str) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    aha_store::terms::each_word(text, |word| stems.extend(query_stems(word)));
    stems
}

/// Returns the words with a capital letter, except the first of the sentence.
fn names(sentence: &str) -> Vec<String> {
    let words = sentence.split_whitespace().skip(1);
    let plain = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let is_name = |word: &&str| word.chars().count() > 1 && word.starts_with(char::is_uppercase);
    plain.filter(is_name).map(str::to_owned).collect()
}

#[expect(clippy::cast_precision_loss, reason = "words of a sentence")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::is_supported;

    const PASSAGE: &str =
        "The mooring fee is seven euros a night. The Harbour Master of Stennhamn collects it at 18:30.";

    #[test]
    fn words_numbers_and_names_have_to_stand_in_the_passages() {
        let question = "What does mooring cost in winter 2026?";
        let supported = |sentence| is_supported(sentence, question, &[PASSAGE]);
        assert!(supported("Mooring costs seven euros a night."));
        assert!(supported("The fee is 7 euros, collected at 18:30 by the Harbour Master."));
        assert!(!supported("Mooring costs nine euros a night."), "another number");
        assert!(!supported("The fee is collected by the office of Lerwick."), "another name");
        assert!(!supported("Boats are painted blue and sold abroad every spring."), "other words");
        assert!(!supported(""));
    }
}
