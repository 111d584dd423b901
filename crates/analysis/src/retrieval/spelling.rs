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

/// Endings of regular forms, and what the word ends with without them: "mending" of "mend", "filing" of "file".
const ENDINGS: [(&str, &[&str]); 11] = [
    ("s", &[""]),
    ("es", &[""]),
    ("ies", &["y"]),
    ("ied", &["y"]),
    ("ed", &["", "e"]),
    ("ing", &["", "e"]),
    ("er", &["", "e"]),
    ("ers", &["", "e"]),
    ("ly", &[""]),
    ("ity", &["", "e"]),
    ("ness", &[""]),
];
/// Endings after which a short word doubles its last letter: "stopping".
const DOUBLING: [&str; 4] = ["ed", "ing", "er", "ers"];

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
    words.filter(|word| is_plain(word) && !is_known(word) && known_base(word).is_none()).collect()
}

/// Returns whether a lower-case word is one of the frequent English ones.
#[must_use]
pub fn is_known(word: &str) -> bool {
    WordVectors::shipped().rank(word).is_some()
}

/// Returns the frequent English word of which an unknown lower-case word is a regular form: "respond" of "responder".
pub(super) fn known_base(word: &str) -> Option<String> {
    if is_known(word) {
        return None;
    }
    let base_by = |(ending, replacements): &(&str, &[&str])| {
        let base = word.strip_suffix(ending).filter(|base| !base.ends_with('s') || *ending != "s")?;
        let is_doubling = DOUBLING.contains(ending);
        // "Stoping" is no form of "stop".
        let may_be = |replacement: &&&str| !replacement.is_empty() || !is_doubling || !is_short(base);
        let replaced = replacements.iter().filter(may_be).map(|replacement| format!("{base}{replacement}"));
        let (single, last) = base.char_indices().next_back().map(|(end, last)| (&base[..end], last))?;
        let doubled = (is_doubling && single.ends_with(last)).then(|| single.to_owned());
        replaced.chain(doubled).find(|base| base.len() >= MIN_LETTERS && is_known(base))
    };
    ENDINGS.iter().find_map(base_by)
}

/// Returns whether a word has one vowel, before its last letter, so that the letter is doubled before an ending.
fn is_short(word: &str) -> bool {
    let is_vowel = |c: char| "aeiou".contains(c);
    let letters: Vec<char> = word.chars().collect();
    let has_one = letters.iter().filter(|c| is_vowel(**c)).count() == 1;
    has_one && matches!(letters[..], [.., vowel, last] if is_vowel(vowel) && !"aeiouwxy".contains(last))
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
        assert!(unknown_words(&Question::new("Who pays for the mending of the sails?")).is_empty());
    }

    #[test]
    fn the_base_of_a_regular_form_is_known() {
        for (word, base) in [("mending", "mend"), ("mended", "mend"), ("menders", "mend"), ("scrubber", "scrub")] {
            assert_eq!(known_base(word).as_deref(), Some(base));
        }
        assert_eq!(known_base("stopping"), None, "it is known itself");
        for word in ["traking", "stoping", "harbuor", "harbous", "sailss"] {
            assert!(known_base(word).is_none(), "{word}");
        }
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
