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

static GERMAN: LazyLock<HashSet<String>> = LazyLock::new(|| set(include_str!("function_words/de.txt")));
static FRENCH: LazyLock<HashSet<String>> = LazyLock::new(|| set(include_str!("function_words/fr.txt")));
static SPANISH: LazyLock<HashSet<String>> = LazyLock::new(|| set(include_str!("function_words/es.txt")));

/// Returns words as they are written with and without accents.
fn set(words: &str) -> HashSet<String> {
    words.split_whitespace().flat_map(|word| [word.to_owned(), without_accents(word)]).collect()
}

fn without_accents(word: &str) -> String {
    let plain = |c: char| match c {
        'à' | 'â' | 'á' => 'a',
        'ç' => 'c',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'î' | 'ï' | 'í' => 'i',
        'ñ' => 'n',
        'ô' | 'ó' => 'o',
        'ù' | 'û' | 'ú' => 'u',
        _ => c,
    };
    word.chars().map(plain).collect()
}

/// Endings of the forms of a word, and of the nouns formed from verbs.
const GERMAN_ENDINGS: [&str; 19] = [
    "e", "en", "er", "es", "em", "ern", "n", "s", "t", "st", "te", "ten", "et", "est", "ung", "ungen", "end", "in",
    "innen",
];
const FRENCH_ENDINGS: [&str; 14] =
    ["e", "s", "es", "é", "ée", "és", "ées", "er", "ent", "ez", "ant", "ation", "ations", "x"];
const SPANISH_ENDINGS: [&str; 26] = [
    "s", "es", "o", "os", "a", "as", "e", "n", "an", "en", "ar", "er", "ir", "ado", "ada", "ados", "adas", "ido",
    "ida", "idos", "idas", "ó", "ió", "aron", "ación", "aciones",
];
/// Minimum letters before an ending, if only one of two forms has one, and if both do.
const MIN_STEM: usize = 3;
const MIN_STEM_OF_BOTH: usize = 4;
/// Minimum letters of a word that is a part of a compound.
const MIN_PART: usize = 5;
/// Minimum letters of the rest of a compound: a shorter one is an ending.
const MIN_REST: usize = 3;
/// The similarity of a compound and its part, or of two forms of which one has an umlaut.
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
    /// for a compound and a part of it ("Absaugung" and "Absauganlage"), 0 for others, also if they begin in the same way
    /// ("Ausgang" and "Ausgabe").
    pub(super) fn similarity(self, one: &str, other: &str) -> f64 {
        let others = self.without_beginning(other);
        let of = |one: &str| others.iter().map(|other| self.similarity_as_written(one, other)).fold(0.0, f64::max);
        self.without_beginning(one).into_iter().map(of).fold(0.0, f64::max)
    }

    fn similarity_as_written(self, one: &str, other: &str) -> f64 {
        if one.is_ascii() && !other.is_ascii() && one == without_accents(other) {
            return 1.0;
        }
        if is_end_of_compound(one, other) || is_end_of_compound(other, one) {
            return OF_PART;
        }
        // Most pairs end here, so that the words of hundreds of passages are compared in time.
        if !plain_letters(one).take(MIN_STEM).eq(plain_letters(other).take(MIN_STEM)) {
            return 0.0;
        }
        let (stems, others) = (self.stems(one), self.stems(other));
        let min = |ending: &str, other: &str| match (ending.is_empty(), other.is_empty()) {
            (true, true) => 0,
            (false, false) => MIN_STEM_OF_BOTH,
            _ => MIN_STEM,
        };
        let are_forms = |stem: &(&str, &str), other: &(&str, &str)| {
            stem.0 == other.0 && stem.0.chars().count() >= min(stem.1, other.1) && !self.are_of_genders(stem.1, other.1)
        };
        if stems.iter().any(|stem| others.iter().any(|other| are_forms(stem, other))) {
            return 1.0;
        }
        let begins = |stems: &[(&str, &str)], whole: &str| {
            stems.iter().any(|(stem, _)| whole.starts_with(stem) && is_part(stem, whole))
        };
        let has_umlaut = || {
            self == Self::German && stems.iter().any(|one| others.iter().any(|other| differ_in_umlaut(one.0, other.0)))
        };
        if begins(&stems, other) || begins(&others, one) || has_umlaut() { OF_PART } else { 0.0 }
    }

    /// Returns a word and, if it may be a German participle, what follows the beginning of it.
    fn without_beginning(self, word: &str) -> Vec<&str> {
        let participle = word.strip_prefix("ge").filter(|rest| {
            self == Self::German && rest.len() > MIN_PART && (rest.ends_with('t') || rest.ends_with("en"))
        });
        std::iter::once(word).chain(participle).collect()
    }

    /// Returns a word with every known ending divided from it, and undivided.
    fn stems(self, word: &str) -> Vec<(&str, &str)> {
        let endings: &[&str] = match self {
            Self::German => &GERMAN_ENDINGS,
            Self::French => &FRENCH_ENDINGS,
            Self::Spanish => &SPANISH_ENDINGS,
        };
        let divided = endings.iter().filter_map(|ending| Some((word.strip_suffix(ending)?, *ending)));
        std::iter::once((word, "")).chain(divided).collect()
    }

    /// Returns whether two Spanish endings are of different genders, as of "puerto" and "puerta", which are two things.
    fn are_of_genders(self, one: &str, other: &str) -> bool {
        let (male, female) = (["o", "os"], ["a", "as"]);
        let is_pair = |one: &str, other: &str| male.contains(&one) && female.contains(&other);
        self == Self::Spanish && (is_pair(one, other) || is_pair(other, one))
    }
}

fn is_part(part: &str, compound: &str) -> bool {
    let letters = part.chars().count();
    letters >= MIN_PART && letters + MIN_REST <= compound.chars().count()
}

fn is_end_of_compound(part: &str, compound: &str) -> bool {
    compound.ends_with(part) && is_part(part, compound)
}

/// Returns whether two words are the same but for umlauts, as "Kran" and "Krän" of "Kräne".
fn differ_in_umlaut(one: &str, other: &str) -> bool {
    let is_long = one.chars().nth(MIN_STEM_OF_BOTH - 1).is_some();
    is_long && one != other && plain_letters(one).eq(plain_letters(other))
}

/// Returns the letters of a word, without umlauts.
fn plain_letters(word: &str) -> impl Iterator<Item = char> + '_ {
    word.chars().map(|c| match c {
        'ä' => 'a',
        'ö' => 'o',
        'ü' => 'u',
        _ => c,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_most_function_words() {
        assert_eq!(Language::of("Wie oft wird das Boot gewartet?"), Some(Language::German));
        assert_eq!(Language::of("Combien de bateaux sont au quai ?"), Some(Language::French));
        assert_eq!(Language::of("¿Cuántos barcos hay en el muelle?"), Some(Language::Spanish));
        assert_eq!(Language::of("Ou est le bateau, et ou etait-il ?"), Some(Language::French));
        assert!(Language::French.is_function_word("etre") && Language::French.is_function_word("être"));
        assert!(Language::French.similarity("requete", "requête") >= 1.0);
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
        for (one, other) in [("genehmigt", "genehmigung"), ("wartung", "gewartet"), ("tag", "tage"), ("steg", "steges")]
        {
            assert!(similarity(one, other) >= 1.0 && similarity(other, one) >= 1.0, "{one} {other}");
        }
        assert!((similarity("kran", "kräne") - OF_PART).abs() < f64::EPSILON);
        assert!(Language::French.similarity("réparer", "réparation") >= 1.0);
        assert!(Language::Spanish.similarity("reparado", "reparación") >= 1.0);
        assert!((similarity("absaugung", "absauganlage") - OF_PART).abs() < f64::EPSILON);
        assert!((similarity("putzlappen", "lappen") - OF_PART).abs() < f64::EPSILON);
        assert!(similarity("hafen", "haftung") < OF_PART && similarity("boot", "brot") < OF_PART);
    }

    #[test]
    fn words_that_begin_in_the_same_way_are_not_the_same() {
        for (language, one, other) in [
            (Language::German, "ausgang", "ausgabe"),
            (Language::German, "vertrag", "vertrauen"),
            (Language::German, "eingang", "eingabe"),
            (Language::German, "aufgang", "aufgabe"),
            (Language::German, "station", "statisch"),
            (Language::French, "contrat", "contrôle"),
            (Language::Spanish, "puerto", "puerta"),
        ] {
            assert!(language.similarity(one, other) < OF_PART, "{one} {other}");
        }
    }
}
