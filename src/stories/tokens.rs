//! Words as they are compared: lower case, stemmed, without those that every text has.

use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_segmentation::UnicodeSegmentation;

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

/// Function words of English and the commonest of German, French and Spanish; sorted, for binary search.
const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "again", "against", "all", "also", "am", "an", "and", "any", "are", "as", "at", "au", "auf",
    "aus", "avec", "be", "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "con",
    "could", "dans", "das", "de", "del", "dem", "den", "der", "des", "did", "die", "do", "does", "doing", "don",
    "down", "du", "during", "each", "ein", "eine", "el", "en", "est", "et", "few", "for", "from", "further", "für",
    "get", "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his", "how", "i", "if", "in", "into",
    "is", "ist", "it", "its", "just", "la", "las", "le", "les", "los", "may", "me", "mehr", "mit", "more", "most",
    "my", "nicht", "no", "nor", "not", "now", "of", "off", "on", "once", "one", "only", "or", "other", "our", "out",
    "over", "own", "para", "pas", "por", "pour", "que", "qui", "s", "said", "same", "say", "says", "se", "she",
    "should", "sich", "sind", "so", "some", "such", "sur", "t", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "through", "to", "too", "two", "un", "una", "und", "under", "une",
    "until", "up", "us", "very", "von", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom",
    "why", "will", "with", "would", "you", "your", "zu", "zum", "zur",
];

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token<'a> {
    /// As written.
    pub written: &'a str,
    /// As compared.
    pub term: String,
    /// Whether it opens a sentence, where a capital letter says nothing.
    pub opens_sentence: bool,
}

/// The words of `text` that carry meaning, in order.
pub fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut end_of_last = 0;
    let mut fresh = true;
    text.unicode_word_indices().filter_map(move |(at, written)| {
        let between = text.get(end_of_last..at).unwrap_or("");
        let opens_sentence = fresh || between.contains(['.', '!', '?', '\n', ':', '“', '"', '•', '—']);
        end_of_last = at + written.len();
        fresh = false;
        let lower = written.to_lowercase();
        let bare = lower.strip_suffix("'s").or_else(|| lower.strip_suffix("’s")).unwrap_or(&lower);
        let single =
            bare.chars().nth(1).is_none() && bare.is_ascii() && !bare.starts_with(|c: char| c.is_ascii_digit());
        if single || STOP_WORDS.binary_search(&bare).is_ok() {
            return None;
        }
        Some(Token { written, term: stem(bare), opens_sentence })
    })
}

/// The compared form of a lower-case word: the English Snowball stem of an ASCII word, else the word itself.
#[must_use]
pub fn stem(word: &str) -> String {
    if word.is_ascii() && word.bytes().all(|b| b.is_ascii_alphabetic()) {
        STEMMER.stem(word).into_owned()
    } else {
        word.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_are_sorted_for_the_search() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn words_are_folded_and_fillers_left_out() {
        let terms: Vec<String> = tokens("The ferry's engines FAILED; 12 ferries").map(|t| t.term).collect();
        assert_eq!(terms, ["ferri", "engin", "fail", "12", "ferri"]);
    }

    #[test]
    fn a_sentence_opening_is_known() {
        let opening: Vec<bool> = tokens("Skerrow waits. Engines at Skerrow").map(|t| t.opens_sentence).collect();
        assert_eq!(opening, [true, false, true, false]);
    }
}
