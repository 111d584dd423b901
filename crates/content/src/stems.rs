//! Search terms of texts: words in lower case, stemmed by their language.
//!
//! Input: a text and its language. Output: stems, which both databases index unchanged, so that both find the same
//! entries. Called when items and documents are stored, and for each word of a query. Pure.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use foldhash::HashMap;
use regex::Regex;
use rust_stemmers::{Algorithm, Stemmer};

/// Maximum length of an indexed text; the rest is not indexed.
const MAX_BYTES: usize = 200_000;
/// Languages with a stemmer.
const LANGUAGES: [&str; 8] = ["en", "de", "fr", "es", "it", "nl", "pt", "sv"];
/// Longer tokens are not words.
const MAX_WORD_CHARS: usize = 60;
/// Signs of vowels and tones, which for Unicode are marks and no letters. Marks of no script in particular are none:
/// accents, and those that choose how an emoji is drawn.
static SIGNS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[\p{M}--\p{sc=Inherited}]").ok());

/// The indexed terms of a text: stems, separated by spaces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchTerms {
    pub title: String,
    pub body: String,
}

/// Computes the terms of many texts. Texts share most of their words, so each word is stemmed once per language.
#[derive(Debug, Default)]
pub struct TermExtractor {
    languages: HashMap<String, KnownStems>,
}

#[derive(Default)]
struct KnownStems {
    stemmer: Option<Stemmer>,
    stems: HashMap<String, String>,
}

impl TermExtractor {
    /// Returns the terms of a text. `language` is an ISO 639-1 code; English if it is unknown.
    pub fn terms(&mut self, title: &str, body: &str, language: Option<&str>) -> SearchTerms {
        let language = language.unwrap_or("en");
        if !self.languages.contains_key(language) {
            let known = KnownStems { stemmer: stemmer(language), ..KnownStems::default() };
            self.languages.insert(language.to_owned(), known);
        }
        let Some(known) = self.languages.get_mut(language) else { return SearchTerms::default() };
        SearchTerms { title: known.terms(title), body: known.terms(body) }
    }

    /// Number of words whose stem is known, of all languages, and of languages.
    pub(crate) fn known_words(&self) -> usize {
        self.languages.values().map(|language| language.stems.len() + 1).sum()
    }
}

impl KnownStems {
    fn terms(&mut self, text: &str) -> String {
        let mut terms = String::with_capacity(text.len());
        each_index_word(text, |word| {
            if !terms.is_empty() {
                terms.push(' ');
            }
            if let Some(stem) = self.stems.get(word) {
                terms.push_str(stem);
            } else {
                let stem = index_stem(word, self.stemmer.as_ref());
                terms.push_str(&stem);
                self.stems.insert(word.to_owned(), stem);
            }
        });
        terms
    }
}

impl fmt::Debug for KnownStems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownStems").field("stems", &self.stems.len()).finish_non_exhaustive()
    }
}

/// Returns every form in which a word of a query can occur in the index, by the languages of texts.
#[must_use]
pub fn query_stems(word: &str) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    each_index_word(word, |word| {
        stems.insert(word.to_owned());
        stems.extend(LANGUAGES.iter().map(|language| index_stem(word, stemmer(language).as_ref())));
    });
    stems
}

/// Returns the words of a phrase, stemmed by each language; identical results once.
#[must_use]
pub fn phrase_stems(phrase: &str) -> BTreeSet<Vec<String>> {
    let stemmed = |language: &&str| {
        let (stemmer, mut stems) = (stemmer(language), Vec::new());
        each_index_word(phrase, |word| stems.push(index_stem(word, stemmer.as_ref())));
        stems
    };
    LANGUAGES.iter().map(stemmed).filter(|stems| !stems.is_empty()).collect()
}

/// Returns the stems of all words of a text.
#[must_use]
pub fn text_stems(text: &str) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    each_index_word(text, |word| stems.extend(query_stems(word)));
    stems
}

/// Whether a character is a letter, a digit, or the sign of a vowel or tone.
#[must_use]
pub fn is_part_of_word(c: char) -> bool {
    let is_sign = |c: char| SIGNS.as_ref().is_some_and(|signs| signs.is_match(c.encode_utf8(&mut [0; 4])));
    c.is_alphanumeric() || !c.is_ascii() && is_sign(c)
}

/// Calls `each` with every word in lower case: parts of words, optionally followed by `+` or `#` (`c++`).
pub fn each_index_word(text: &str, mut each: impl FnMut(&str)) {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let is_word = |c: char| is_part_of_word(c) || matches!(c, '+' | '#');
    let mut lower = String::new();
    for word in text.split(|c: char| !is_word(c)) {
        let word = word.trim_start_matches(['+', '#']);
        if word.is_empty() || word.len() > MAX_WORD_CHARS && word.chars().count() > MAX_WORD_CHARS {
            continue;
        }
        lower.clear();
        if word.is_ascii() {
            lower.push_str(word);
            lower.make_ascii_lowercase();
        } else {
            lower.extend(word.chars().flat_map(char::to_lowercase).filter(|c| is_word(*c)));
        }
        if !lower.is_empty() {
            each(&lower);
        }
    }
}

fn index_stem(word: &str, stemmer: Option<&Stemmer>) -> String {
    match stemmer {
        Some(stemmer) if !word.contains(|c: char| c.is_ascii_digit() || matches!(c, '+' | '#')) => {
            stemmer.stem(word).into_owned()
        }
        _ => word.to_owned(),
    }
}

/// Returns the stemmer of a language, or `None` if it has none: its words are indexed unchanged.
fn stemmer(language: &str) -> Option<Stemmer> {
    let algorithm = match language {
        "en" => Algorithm::English,
        "de" => Algorithm::German,
        "fr" => Algorithm::French,
        "es" => Algorithm::Spanish,
        "it" => Algorithm::Italian,
        "nl" => Algorithm::Dutch,
        "pt" => Algorithm::Portuguese,
        "sv" => Algorithm::Swedish,
        _ => return None,
    };
    Some(Stemmer::create(algorithm))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_stemmed_by_their_language() {
        let mut extractor = TermExtractor::default();
        let english = extractor.terms("Running engines", "C++ of 2026", Some("en"));
        assert_eq!((english.title.as_str(), english.body.as_str()), ("run engin", "c++ of 2026"));
        assert_eq!(extractor.terms("Häuser", "", Some("de")).title, extractor.terms("Haus", "", Some("de")).title);
        assert_eq!(extractor.terms("домами", "", Some("ru")).title, "домами");
        assert_eq!(extractor.terms("हिन्दी ক্ষুদ্র", "", Some("hi")).title, "हिन्दी ক্ষুদ্র", "with all signs");
        let long = "செய்துகொண்டிருக்கிறார்கள்";
        let terms = extractor.terms(long, &"ч".repeat(61), Some("ta"));
        assert_eq!((terms.title.as_str(), terms.body.as_str()), (long, ""), "of 60 characters at most");
        assert_eq!(extractor.terms("I ❤\u{fe0f} 1\u{fe0f}\u{20e3}", "", None).title, "i 1", "without marks of emoji");
        assert!(query_stems("engines").contains("engin") && query_stems("Häuser").contains("haus"));
    }

    #[test]
    fn a_word_has_the_stem_of_its_own_language() {
        let mut extractor = TermExtractor::default();
        let mut terms = |language| extractor.terms("", "engines and engines", Some(language)).body;
        assert_eq!(terms("en"), "engin and engin");
        assert_eq!(terms("ru"), "engines and engines");
        assert_eq!(terms("en"), "engin and engin");
    }
}
