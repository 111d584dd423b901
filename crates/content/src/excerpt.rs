//! Excerpts of texts with the words of a query marked.
//!
//! Input: a text, and the words and phrases of a query. Output: the part of the text around the first of them. Called
//! for each result of a search. Pure.

use std::collections::BTreeSet;
use std::ops::Range;

use foldhash::HashMap;
use serde::Serialize;

use crate::accents::{fold, is_mark};
use crate::index_terms::{index_terms, is_word_alone};
use crate::stems::is_part_of_word;

/// Maximum length of an excerpt, in bytes.
const EXCERPT_BYTES: usize = 240;
/// Maximum number of words of a text that are compared.
const MAX_WORDS: usize = 5_000;
/// A word may begin with them, and is indexed without them.
const SIGNS: [char; 2] = ['+', '#'];

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExcerptPart {
    pub text: String,
    /// Whether it is one of the query's words.
    pub is_match: bool,
}

/// A word or phrase of a query: the words that have to be adjacent.
#[derive(Debug)]
pub struct Pattern(Vec<PatternWord>);

#[derive(Debug)]
struct PatternWord {
    /// The terms under which it is indexed.
    terms: BTreeSet<String>,
    /// Words that begin with it match, too.
    beginning: Option<String>,
}

impl Pattern {
    /// `is_beginning`: words that begin with it match, too.
    #[must_use]
    pub fn of(text: &str, is_beginning: bool) -> Self {
        let pattern_word = |(_, word): (usize, &str)| PatternWord {
            terms: index_terms(word),
            beginning: is_beginning.then(|| fold(word.trim_start_matches(SIGNS))),
        };
        let words = words(text, usize::MAX);
        Self(words.into_iter().map(pattern_word).filter(|word| !word.terms.is_empty()).collect())
    }
}

/// Makes the excerpts of a search. A word is stemmed in all languages, which takes some microseconds, and texts share
/// most of their words: each is compared with the query once.
#[derive(Debug)]
pub struct Excerpts {
    /// The words of each pattern, which have consecutive numbers.
    patterns: Vec<Range<usize>>,
    words: PatternWords,
}

/// The words of all patterns, by number.
#[derive(Debug, Default)]
struct PatternWords {
    /// By term, the words that are indexed under it.
    of_term: HashMap<String, Vec<usize>>,
    /// Words that begin with it match the word of that number.
    beginnings: Vec<(String, usize)>,
    /// Those of all terms.
    first_letters: BTreeSet<char>,
    /// By word of a text, the words that it matches.
    matched: HashMap<String, Vec<usize>>,
}

impl PatternWords {
    fn push(&mut self, number: usize, word: PatternWord) {
        self.first_letters.extend(word.terms.iter().filter_map(|term| term.chars().next()));
        for term in word.terms {
            self.of_term.entry(term).or_default().push(number);
        }
        self.beginnings.extend(word.beginning.map(|beginning| (beginning, number)));
    }

    /// Returns the numbers of the words that a word of a text matches.
    fn matched_by(&mut self, word: &str) -> &[usize] {
        let first: String = word.trim_start_matches(SIGNS).chars().take(1).collect();
        // No stemmer changes a first letter otherwise than by its accent, so most words can be ruled out without
        // stemming them in all languages.
        if fold(&first).chars().next().is_some_and(|first| !self.first_letters.contains(&first)) {
            return &[];
        }
        if !self.matched.contains_key(word) {
            let matched = self.compare(word);
            self.matched.insert(word.to_owned(), matched);
        }
        self.matched.get(word).map(Vec::as_slice).unwrap_or_default()
    }

    fn compare(&self, word: &str) -> Vec<usize> {
        let folded = fold(word.trim_start_matches(SIGNS));
        let begun = self.beginnings.iter().filter(|(beginning, _)| folded.starts_with(beginning.as_str()));
        let mut matched: Vec<usize> = begun.map(|(_, number)| *number).collect();
        matched.extend(index_terms(word).iter().filter_map(|term| self.of_term.get(term)).flatten());
        matched
    }
}

/// The parts of an excerpt; matches that nothing separates are one.
#[derive(Default)]
struct Parts(Vec<ExcerptPart>);

impl Parts {
    fn push(&mut self, text: &str, is_match: bool) {
        if text.is_empty() {
            return;
        }
        let text = text.replace('\n', " ");
        match self.0.last_mut().filter(|last| last.is_match && is_match) {
            Some(last) => last.text.push_str(&text),
            None => self.0.push(ExcerptPart { text, is_match }),
        }
    }
}

/// Returns the first `max` words of a text, each with the byte at which it begins.
#[must_use]
pub fn words(text: &str, max: usize) -> Vec<(usize, &str)> {
    let is_letter = |c: char| is_part_of_word(c) || is_mark(c) || matches!(c, '+' | '#');
    let mut words = Vec::new();
    // Where the word begins that the previous character ends or goes on with, and whether it has a letter or digit.
    let (mut begin, mut is_word, mut before) = (0, false, None);
    for (at, c) in text.char_indices() {
        // A character that is a word of its own ends the word before it, and itself.
        let is_end = |before: char| !is_letter(before) || !is_letter(c) || is_word_alone(before) || is_word_alone(c);
        if before.is_some_and(is_end) {
            if is_word {
                words.push((begin, &text[begin..at]));
                if words.len() == max {
                    return words;
                }
            }
            (begin, is_word) = (at, false);
        }
        is_word |= is_part_of_word(c);
        before = Some(c);
    }
    if is_word && words.len() < max {
        words.push((begin, &text[begin..]));
    }
    words
}

impl Excerpts {
    #[must_use]
    pub fn of(patterns: Vec<Pattern>) -> Self {
        let mut excerpts = Self { patterns: Vec::with_capacity(patterns.len()), words: PatternWords::default() };
        let mut count = 0;
        for Pattern(pattern) in patterns.into_iter().filter(|pattern| !pattern.0.is_empty()) {
            let first = count;
            for word in pattern {
                excerpts.words.push(count, word);
                count += 1;
            }
            excerpts.patterns.push(first..count);
        }
        excerpts
    }

    /// Returns the text around the first match, with all matches marked.
    pub fn excerpt(&mut self, text: &str) -> Vec<ExcerptPart> {
        let words = words(text, MAX_WORDS);
        let first = (0..words.len()).find(|at| self.longest(&words[*at..]).is_some()).map_or(0, |at| words[at].0);
        let near = text.floor_char_boundary(first.saturating_sub(EXCERPT_BYTES / 3));
        let space = text[..near].rfind(char::is_whitespace).map_or(0, |at| at + 1);
        // Texts without spaces begin anywhere.
        let start = if near - space <= EXCERPT_BYTES / 3 { space } else { near };
        let start = text.ceil_char_boundary(start.min(first));
        let end = text.floor_char_boundary((start + EXCERPT_BYTES).min(text.len()));
        // Not within a word, unless it is longer than the excerpt.
        let last_space = || text[start..end].rfind(char::is_whitespace).map(|at| start + at).filter(|at| *at > first);
        let end = if end < text.len() { last_space().unwrap_or(end) } else { end };
        let mut parts = Parts::default();
        if start > 0 {
            parts.push("… ", false);
        }
        let (mut at, mut marked_until) = (start, 0);
        for (place, (from, word)) in words.iter().enumerate() {
            if *from < start || from + word.len() > end {
                continue;
            }
            if let Some(count) = self.longest(&words[place..]) {
                marked_until = marked_until.max(place + count);
            }
            if place < marked_until {
                parts.push(&text[at..*from], false);
                parts.push(word, true);
                at = from + word.len();
            }
        }
        parts.push(&text[at..end], false);
        if end < text.len() {
            parts.push(" …", false);
        }
        parts.0
    }

    /// Returns the number of words of the longest pattern that a text has where these words begin.
    fn longest(&mut self, words: &[(usize, &str)]) -> Option<usize> {
        let Self { patterns, words: known } = self;
        if known.matched_by(words.first()?.1).is_empty() {
            return None;
        }
        let is_at = |pattern: &&Range<usize>| {
            let mut pairs = (pattern.start..pattern.end).zip(words);
            pattern.len() <= words.len() && pairs.all(|(wanted, (_, word))| known.matched_by(word).contains(&wanted))
        };
        patterns.iter().filter(is_at).map(ExactSizeIterator::len).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a phrase in quotation marks, or of words, which may end in `*`.
    fn parts(text: &str, query: &str) -> Vec<ExcerptPart> {
        let patterns: Vec<Pattern> = match query.strip_prefix('"') {
            Some(phrase) => vec![Pattern::of(phrase, false)],
            None => query.split(' ').map(|word| Pattern::of(word, word.ends_with('*'))).collect(),
        };
        Excerpts::of(patterns).excerpt(text)
    }

    fn marked(text: &str, query: &str) -> Vec<String> {
        parts(text, query).into_iter().filter(|part| part.is_match).map(|part| part.text).collect()
    }

    fn whole(text: &str, query: &str) -> String {
        parts(text, query).into_iter().map(|part| part.text).collect()
    }

    #[test]
    fn an_excerpt_marks_the_words_in_all_their_forms() {
        let text =
            format!("{} The engines of the ferry fail. An engine is old.", "Filler of no use at all. ".repeat(20));
        assert_eq!(marked(&text, "engine"), ["engines", "engine"]);
        assert!(parts(&text, "engine")[0].text.starts_with('…'));
        let shown = whole(&format!("The engines {}", "hesitate ".repeat(60)), "engine");
        assert!(shown.ends_with("hesitate …"), "{shown}");
        assert_eq!(whole("é ü", "x"), "é ü");
    }

    #[test]
    fn the_original_text_is_shown_whatever_its_accents() {
        let text = "A vila de Jerí, informação; Jeri\u{301}coacoara e a Łódź.";
        assert_eq!(marked(text, "jeri"), ["Jerí"]);
        assert_eq!(marked(text, "JERICOACOARA informacao lodz"), ["informação", "Jeri\u{301}coacoara", "Łódź"]);
        assert_eq!(whole(text, "jericoacoara"), text);
        assert_eq!(marked("Die Häuser am Hafen", "haus"), ["Häuser"]);
    }

    #[test]
    fn a_phrase_is_marked_where_its_words_are_adjacent() {
        let text = "A night at sea is no night at the quay.";
        assert_eq!(marked(text, "\"night at the quay\""), ["night", "at", "the", "quay"]);
        assert_eq!(marked(text, "sea quay"), ["sea", "quay"]);
        assert_eq!(marked("Ferries and ferrets; a fern", "ferr*"), ["Ferries", "ferrets"]);
        assert_eq!(marked("C and C++ for O'Neil", "c++ o'neil"), ["C++", "O", "Neil"]);
    }

    #[test]
    fn a_word_of_texts_is_compared_once_with_all_words_of_a_query() {
        let written = (0..200).map(|number| format!("sz{number}")).chain(["wheel".to_owned()]);
        let mut excerpts = Excerpts::of(written.map(|word| Pattern::of(&word, false)).collect());
        let text = format!("{}The wheels turn.", "Sails and Stern ".repeat(500));
        for _ in 0..3 {
            let parts = excerpts.excerpt(&text);
            assert!(parts.iter().any(|part| part.is_match && part.text == "wheels"), "{parts:?}");
        }
        let mut compared: Vec<&str> = excerpts.words.matched.keys().map(String::as_str).collect();
        compared.sort_unstable();
        assert_eq!(compared, ["Sails", "Stern", "wheels"]);
    }

    #[test]
    fn vowel_signs_and_tone_marks_are_marked_with_their_letters() {
        assert_eq!(marked("यह हिन्दी है", "हिन्दी"), ["हिन्दी"]);
        assert!(marked("यह काल बड़ा है", "कील").is_empty());
        assert_eq!(marked("ภาษาไทยไม่ยาก", "ไม่"), ["ไม่"]);
    }

    #[test]
    fn texts_without_spaces_are_marked_in_part() {
        assert_eq!(marked("東京都の天気予報、天然の気", "天気"), ["天気"]);
        let long = format!("{}天気予報{}", "東京都".repeat(200), "晴れ".repeat(200));
        let shown = whole(&long, "天気");
        assert!(shown.contains("天気") && shown.len() <= EXCERPT_BYTES + "… ".len() + " …".len(), "{shown}");
    }
}
