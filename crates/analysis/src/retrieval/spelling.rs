//! Typing errors in questions: which words may have one, and what they may mean. Whether a reading occurs in any text is
//! up to the caller, who knows the index.

use std::collections::HashSet;

use super::question::Question;
use super::vocabulary::is_english_word;
use crate::relevance::word_vectors::WordVectors;

/// Shorter words have too many neighbours, and those of fewer than five letters are only read as function words.
const MIN_LETTERS: usize = 4;
const MIN_LETTERS_OF_CONTENT: usize = 5;
/// Longer words would have thousands of readings.
const MAX_LETTERS: usize = 20;
/// Letters that a reading may contain besides those of the word.
const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzäöüßéèàñ";

/// A word that may have been meant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reading {
    pub error: TypingError,
    pub word: String,
}

/// How the written word differs from the one meant, the likeliest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TypingError {
    /// A letter is missing, or two are transposed.
    MissingOrTransposed,
    Added,
    Replaced,
}

/// Returns the content words of a question that are in no table of words: names, terms, and typing errors. In a question
/// in another language than English there are none, since the table would take most of its words for errors.
#[must_use]
pub fn unknown_words(question: &Question) -> Vec<&str> {
    if question.language.is_some() {
        return Vec::new();
    }
    let is_plain = |word: &str| {
        (MIN_LETTERS..=MAX_LETTERS).contains(&word.chars().count()) && word.chars().all(char::is_alphabetic)
    };
    let words = question.terms.iter().map(String::as_str);
    words.filter(|word| is_plain(word) && !is_known(word)).collect()
}

/// Returns whether a lower-case word is one of the frequent English ones.
#[must_use]
pub fn is_known(word: &str) -> bool {
    WordVectors::shipped().rank(word).is_some()
}

/// Returns the function word that was meant, if a letter of it is missing or two are transposed: "which" for "wich".
#[must_use]
pub fn function_word(readings: &[Reading]) -> Option<&str> {
    let is_meant = |one: &&Reading| {
        one.error == TypingError::MissingOrTransposed && is_english_word(&one.word) && one.word.len() > 3
    };
    readings.iter().find(is_meant).map(|one| one.word.as_str())
}

/// Returns whether a word is long enough to be read as one with content.
#[must_use]
pub fn may_have_content(word: &str) -> bool {
    word.chars().count() >= MIN_LETTERS_OF_CONTENT
}

/// Returns the words that differ from a lower-case word by one typing error, with the same first letter.
#[must_use]
pub fn readings(word: &str) -> Vec<Reading> {
    let letters: Vec<char> = word.chars().collect();
    let mut seen = HashSet::from([word.to_owned()]);
    let mut found = Vec::new();
    let mut add = |error, changed: Vec<char>| {
        let word: String = changed.into_iter().collect();
        if seen.insert(word.clone()) {
            found.push(Reading { error, word });
        }
    };
    for at in 1..=letters.len() {
        for letter in LETTERS.chars() {
            add(TypingError::MissingOrTransposed, [&letters[..at], &[letter], &letters[at..]].concat());
        }
        if at + 1 < letters.len() {
            let mut changed = letters.clone();
            changed.swap(at, at + 1);
            add(TypingError::MissingOrTransposed, changed);
        }
    }
    for at in 1..letters.len() {
        add(TypingError::Added, [&letters[..at], &letters[at + 1..]].concat());
        for letter in LETTERS.chars() {
            add(TypingError::Replaced, [&letters[..at], &[letter], &letters[at + 1..]].concat());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_of_no_table_are_unknown() {
        let question = Question::new("How much is theft traking for the bike at Quay7?");
        assert_eq!(unknown_words(&question), ["traking"]);
        assert!(unknown_words(&Question::new("Wann liegt das Boot am Steg?")).is_empty());
    }

    #[test]
    fn a_reading_differs_by_one_error() {
        let error_of = |written: &str, meant: &str| {
            readings(written).into_iter().find(|reading| reading.word == meant).map(|reading| reading.error)
        };
        assert_eq!(error_of("traking", "tracking"), Some(TypingError::MissingOrTransposed));
        assert_eq!(error_of("recieve", "receive"), Some(TypingError::MissingOrTransposed));
        assert_eq!(error_of("harbbour", "harbour"), Some(TypingError::Added));
        assert_eq!(error_of("harbous", "harbour"), Some(TypingError::Replaced));
        assert_eq!(error_of("arbour", "harbour"), None, "another first letter");
    }
}
