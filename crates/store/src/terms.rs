//! Search terms of texts: words in lower case, stemmed by their language.
//!
//! Input: a text and its language. Output: stems, which both databases index unchanged, so that both find the same
//! entries. Called when items and documents are stored, and for each word of a query. Pure.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rust_stemmers::{Algorithm, Stemmer};

/// Maximum length of an indexed text; the rest is not indexed.
const MAX_BYTES: usize = 200_000;
/// Languages with a stemmer.
const LANGUAGES: [&str; 8] = ["en", "de", "fr", "es", "it", "nl", "pt", "sv"];
/// Longer tokens are not words.
const MAX_WORD_BYTES: usize = 60;

/// The indexed terms of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchTerms {
    /// Stems, separated by spaces.
    pub title: String,
    pub body: String,
}

impl SearchTerms {
    /// Computes the terms. `language` is an ISO 639-1 code.
    #[must_use]
    pub fn of(title: &str, body: &str, language: Option<&str>) -> Self {
        let stemmer = stemmer(language.unwrap_or("en"));
        let terms = |text: &str| {
            let mut terms = String::with_capacity(text.len() / 2);
            each_word(text, |word| {
                if !terms.is_empty() {
                    terms.push(' ');
                }
                terms.push_str(&stem(word, stemmer.as_ref()));
            });
            terms
        };
        Self { title: terms(title), body: terms(body) }
    }

    /// Renders a Postgres `tsvector`; words of the title have a higher weight.
    pub(crate) fn tsvector(&self) -> String {
        // Maximum position of a lexeme (postgresql.org/docs/current/textsearch-limitations.html); later ones get this
        // position.
        const MAX_POSITION: usize = 16_383;
        let title = self.title.split_whitespace().map(|term| (term, "A"));
        let all = title.chain(self.body.split_whitespace().map(|term| (term, "")));
        let mut out = String::with_capacity(self.body.len() * 2);
        for (position, (term, weight)) in all.enumerate() {
            let position = (position + 1).min(MAX_POSITION);
            let _ = write!(out, "'{term}':{position}{weight} ");
        }
        out
    }
}

/// Returns every form in which a word of a query can occur in the index, by the languages of texts.
#[must_use]
pub fn query_stems(word: &str) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    each_word(word, |word| {
        stems.insert(word.to_owned());
        stems.extend(LANGUAGES.iter().map(|language| stem(word, stemmer(language).as_ref())));
    });
    stems
}

/// Returns the words of a phrase, stemmed by each language; identical results once.
#[must_use]
pub fn phrase_stems(phrase: &str) -> BTreeSet<Vec<String>> {
    let stemmed = |language: &&str| {
        let (stemmer, mut stems) = (stemmer(language), Vec::new());
        each_word(phrase, |word| stems.push(stem(word, stemmer.as_ref())));
        stems
    };
    LANGUAGES.iter().map(stemmed).filter(|stems| !stems.is_empty()).collect()
}

/// Calls `each` with every word in lower case: letters and digits, optionally followed by `+` or `#` (`c++`).
pub fn each_word(text: &str, mut each: impl FnMut(&str)) {
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '+' | '#');
    let mut lower = String::new();
    for word in text.split(|c: char| !is_word(c)) {
        let word = word.trim_start_matches(['+', '#']);
        if word.is_empty() || word.len() > MAX_WORD_BYTES {
            continue;
        }
        lower.clear();
        lower.extend(word.chars().flat_map(char::to_lowercase).filter(|c| is_word(*c)));
        if !lower.is_empty() {
            each(&lower);
        }
    }
}

fn stem(word: &str, stemmer: Option<&Stemmer>) -> String {
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
        let english = SearchTerms::of("Running engines", "C++ of 2026", Some("en"));
        assert_eq!((english.title.as_str(), english.body.as_str()), ("run engin", "c++ of 2026"));
        assert_eq!(SearchTerms::of("Häuser", "", Some("de")).title, SearchTerms::of("Haus", "", Some("de")).title);
        assert_eq!(SearchTerms::of("домами", "", Some("ru")).title, "домами");
        assert!(query_stems("engines").contains("engin") && query_stems("Häuser").contains("haus"));
    }

    #[test]
    fn hostile_text_stays_a_vector() {
        let terms = SearchTerms::of("a'b\\c & d|!(e", "':*<-> x\0y", None);
        assert_eq!(terms.tsvector(), "'a':1A 'b':2A 'c':3A 'd':4A 'e':5A 'x':6 'y':7 ");
    }
}
