//! The words by which texts are found: lower case, stemmed by their language, without those that every text has.
//!
//! Comes in: a text and its language. Goes out: stems, which both databases index as they are, so that both find the same. Called by what
//! stores items and documents, and for each word of a query. Pure.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rust_stemmers::{Algorithm, Stemmer};

/// Of a text; what stands behind is not found.
const MAX_BYTES: usize = 200_000;
/// Those with a stemmer.
const LANGUAGES: [&str; 8] = ["en", "de", "fr", "es", "it", "nl", "pt", "sv"];
/// Longer words are no words.
const MAX_WORD_BYTES: usize = 60;

/// What is indexed of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchTerms {
    /// Stems, with a space between them.
    pub title: String,
    pub body: String,
}

impl SearchTerms {
    /// `language` is an ISO 639-1 code.
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

    /// As Postgres reads a `tsvector`: the words of the title weigh more.
    pub(crate) fn tsvector(&self) -> String {
        // Of one lexeme, and of a whole vector (postgresql.org/docs/current/textsearch-limitations.html).
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

/// Every way in which a word of a query can stand in the index, by the languages that texts are in.
#[must_use]
pub fn query_stems(word: &str) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    each_word(word, |word| {
        stems.insert(word.to_owned());
        stems.extend(LANGUAGES.iter().map(|language| stem(word, stemmer(language).as_ref())));
    });
    stems
}

/// The words of a phrase, stemmed, by each language; those that come out alike once.
#[must_use]
pub fn phrase_stems(phrase: &str) -> BTreeSet<Vec<String>> {
    let stemmed = |language: &&str| {
        let (stemmer, mut stems) = (stemmer(language), Vec::new());
        each_word(phrase, |word| stems.push(stem(word, stemmer.as_ref())));
        stems
    };
    LANGUAGES.iter().map(stemmed).filter(|stems| !stems.is_empty()).collect()
}

/// Letters and digits, with `+` and `#` behind them (`c++`).
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

/// `None` for a language without a stemmer: its words are indexed as they are.
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
