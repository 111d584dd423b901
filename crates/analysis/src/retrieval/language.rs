//! The language of a question, where it is not English: its function words, and words of the same form. The table of
//! word vectors is English, so that words of other languages match by how they are written only.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::vocabulary::{is_english_word, words};

/// A language of questions other than English.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    German,
    French,
    Spanish,
}

static GERMAN: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("function_words/de.txt")));
static FRENCH: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("function_words/fr.txt")));
static SPANISH: LazyLock<HashSet<&str>> = LazyLock::new(|| set(include_str!("function_words/es.txt")));

fn set(words: &'static str) -> HashSet<&'static str> {
    words.split_whitespace().collect()
}

/// Minimum letters that two forms of a word have in common, and maximum of those by which each may end.
const MIN_COMMON: usize = 5;
const MAX_ENDING: usize = 3;
/// Minimum letters of a word that is a part of a compound.
const MIN_PART: usize = 5;
/// The similarity of a compound and its part.
const OF_PART: f64 = 0.7;

impl Language {
    /// Returns the language of most function words of a question; `None` if it is English, or there is none.
    pub(super) fn of(question: &str) -> Option<Self> {
        let words = words(question);
        let count = |is_of: &dyn Fn(&str) -> bool| words.iter().filter(|word| is_of(word)).count();
        let english = count(&|word| is_english_word(word));
        let counted =
            [Self::German, Self::French, Self::Spanish].map(|one| (count(&|word| one.is_function_word(word)), one));
        // The first of the largest counts.
        let most = counted.into_iter().rev().max_by_key(|(count, _)| *count);
        most.filter(|(count, _)| *count > english).map(|(_, language)| language)
    }

    /// Returns whether a lower-case word has no content in this language.
    pub(super) fn is_function_word(self, word: &str) -> bool {
        match self {
            Self::German => GERMAN.contains(word),
            Self::French => FRENCH.contains(word),
            Self::Spanish => SPANISH.contains(word),
        }
    }

    /// Returns how similar two lower-case words are in form: 1 for two forms of a word ("wartet" and "gewartet"), less
    /// for a compound and a part of it ("Absaugung" and "Absauganlage"), 0 for others.
    pub(super) fn similarity(self, one: &str, other: &str) -> f64 {
        let (one, other): (Vec<char>, Vec<char>) = (self.stem(one), self.stem(other));
        let common = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
        let (shorter, longer) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
        let is_form = common >= MIN_COMMON && longer.len() - common <= MAX_ENDING || common == longer.len();
        let is_short_form = common >= MIN_COMMON - 1 && common == shorter.len() && longer.len() - common < MAX_ENDING;
        let is_part = shorter.len() >= MIN_PART && longer.ends_with(shorter) || common > MIN_PART;
        match () {
            () if is_form || is_short_form => 1.0,
            () if is_part => OF_PART,
            () => 0.0,
        }
    }

    /// Returns the letters of a word without the beginning of a German participle.
    fn stem(self, word: &str) -> Vec<char> {
        let participle = word.strip_prefix("ge").filter(|rest| {
            self == Self::German && rest.len() > MIN_COMMON && (rest.ends_with('t') || rest.ends_with("en"))
        });
        participle.unwrap_or(word).chars().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_most_function_words() {
        assert_eq!(Language::of("Wie oft wird das Boot gewartet?"), Some(Language::German));
        assert_eq!(Language::of("Combien de bateaux sont au quai ?"), Some(Language::French));
        assert_eq!(Language::of("¿Cuántos barcos hay en el muelle?"), Some(Language::Spanish));
        assert_eq!(Language::of("What did the man die of?"), None);
        assert_eq!(Language::of("berths quay"), None);
    }

    #[test]
    fn forms_and_parts_of_words_are_similar() {
        let similarity = |one, other| Language::German.similarity(one, other);
        for (one, other) in
            [("wartet", "gewartet"), ("reparieren", "repariert"), ("kinder", "kindern"), ("monat", "monate")]
        {
            assert!(similarity(one, other) >= 1.0, "{one} {other}");
        }
        assert!((similarity("absaugung", "absauganlage") - OF_PART).abs() < f64::EPSILON);
        assert!((similarity("putzlappen", "lappen") - OF_PART).abs() < f64::EPSILON);
        assert!(similarity("hafen", "haftung") < OF_PART && similarity("boot", "brot") < OF_PART);
    }
}
