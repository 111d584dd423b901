//! Checks whether a sentence that a model wrote is supported by the passages that it cites: by words, numbers and
//! names.

use std::collections::BTreeSet;

use aha_analysis::retrieval::{contents, numbers};
use aha_content::search_terms::{each_index_word, query_stems};

/// Minimum share of the sentence's content words that occur in the passages or the question.
const MIN_SUPPORTED_SHARE: f64 = 0.6;

/// Returns whether the passages support the sentence: all its numbers and names, and at least [`MIN_SUPPORTED_SHARE`]
/// of its content words, occur in them or in the question. The sentence's first word is not checked as a name.
pub(super) fn is_supported(sentence: &str, question: &str, passages: &[&str]) -> bool {
    let said: BTreeSet<String> = passages.iter().flat_map(|text| numbers(text)).collect();
    let asked: BTreeSet<String> = numbers(question).into_iter().collect();
    if !numbers(sentence).iter().all(|number| said.contains(number) || asked.contains(number)) {
        return false;
    }
    let mut known: BTreeSet<String> = passages.iter().flat_map(|text| stems(text)).collect();
    known.extend(stems(question));
    if !names(sentence).into_iter().all(|name| is_known(name, &known)) {
        return false;
    }
    let words = contents(sentence);
    let met = words.iter().filter(|word| !query_stems(word).is_disjoint(&known)).count();
    !words.is_empty() && ratio(met, words.len()) >= MIN_SUPPORTED_SHARE
}

fn stems(text: &str) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    each_index_word(text, |word| stems.extend(query_stems(word)));
    stems
}

/// Returns the words with a capital letter, except the first of the sentence, without a possessive ending.
fn names(sentence: &str) -> Vec<&str> {
    let words = sentence.split_whitespace().skip(1);
    let plain = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let is_name = |word: &&str| word.chars().count() > 1 && word.starts_with(char::is_uppercase);
    let owner = |word| ["'s", "’s"].into_iter().find_map(|ending| str::strip_suffix(word, ending)).unwrap_or(word);
    plain.filter(is_name).map(owner).collect()
}

/// Returns whether each part of a name (`Anglo-Dutch` has two) is among the stems.
fn is_known(name: &str, stems: &BTreeSet<String>) -> bool {
    let mut is_known = true;
    each_index_word(name, |part| is_known &= !query_stems(part).is_disjoint(stems));
    is_known
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

    #[test]
    fn names_are_compared_by_words_in_any_case() {
        let passages = ["The keeper's office takes seven euros a night from the Anglo-Dutch fleet."];
        let supported = |sentence, question| is_supported(sentence, question, &passages);
        assert!(!supported("The night in Lerwick's office takes seven euros.", "What does a night cost?"));
        assert!(supported("A night in Lerwick takes seven euros.", "what does lerwick take a night?"));
        assert!(!supported("The office of Ann takes seven euros a night.", "What is the Annual office?"));
        assert!(supported("The office takes seven euros from the Anglo-Dutch fleet.", "What does it take?"));
        assert!(!supported("The office takes seven euros from the Anglo-Danish fleet.", "What does it take?"));
    }
}
