//! Translates German, French and Spanish interests to English, since most texts are English whatever the reader's
//! language.
//!
//! Input: the words of interests. Output: their language, and up to three English alternatives for a phrase. The table
//! (`models/translations_en_v1.tsv`) is handwritten: language, words, English alternatives.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::word_vectors::WordVectors;
use super::words::is_function_word;

static TABLE: &str = include_str!("../../../../models/translations_en_v1.tsv");

/// Maximum words of a phrase in the table.
const MAX_PHRASE_WORDS: usize = 4;
/// A word among this many of the most frequent English words is not evidence of another language.
const FREQUENT: usize = 12_000;
/// Minimum letters of a part of a compound.
const MIN_COMPOUND_LETTERS: usize = 4;
/// Endings that the table omits, and linking elements of German compounds.
const ENDINGS: [&str; 10] = ["en", "es", "er", "em", "ns", "e", "s", "n", "x", "r"];

/// A language in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    German,
    French,
    Spanish,
}

/// Returns a word with its last umlaut, which a German plural may have added, as the vowel of the singular.
fn without_last_umlaut(word: &str) -> Option<String> {
    let (at, umlaut) = word.char_indices().rev().find(|(_, letter)| matches!(letter, 'ä' | 'ö' | 'ü'))?;
    let vowel = match umlaut {
        'ä' => "a",
        'ö' => "o",
        _ => "u",
    };
    Some([&word[..at], vowel, &word[at + umlaut.len_utf8()..]].concat())
}

const LANGUAGES: [Language; 3] = [Language::German, Language::French, Language::Spanish];

impl Language {
    /// Returns function words of the language that are not English words.
    const fn function_words(self) -> &'static [&'static str] {
        match self {
            Self::German => &[
                "der", "das", "und", "oder", "über", "für", "mit", "von", "kein", "keine", "keinen", "nicht", "ich",
                "mich", "im", "zum", "zur", "auch", "aus", "bei", "wie", "vor", "allem", "aber", "mehr", "sehr",
                "bitte",
            ],
            Self::French => &[
                "le", "les", "des", "du", "et", "ou", "sur", "pour", "avec", "pas", "je", "aux", "mais", "plus",
                "sans", "qui", "que", "dans", "une", "surtout", "rien", "très", "est",
            ],
            Self::Spanish => &[
                "el", "los", "las", "del", "y", "sobre", "para", "con", "sin", "pero", "nada", "más", "que", "una",
                "por", "muy", "todo", "quiero", "como", "es", "mi", "me", "interesa",
            ],
        }
    }

    /// Returns what the singular, or the masculine, of a word may be that ends in another way than by an added letter:
    /// "Anschläge", "elecciones", "nationaux".
    fn singulars(self, word: &str) -> impl Iterator<Item = String> {
        let endings: &[(&str, &str)] = match self {
            Self::German => &[("innen", ""), ("in", ""), ("er", ""), ("en", ""), ("e", ""), ("n", ""), ("", "")],
            Self::French => &[
                ("aux", "al"),
                ("ives", "if"),
                ("ive", "if"),
                ("euses", "eur"),
                ("euse", "eur"),
                ("trices", "teur"),
                ("trice", "teur"),
                ("ennes", "en"),
                ("enne", "en"),
            ],
            Self::Spanish => &[("iones", "ión"), ("ces", "z"), ("as", "o"), ("a", "o")],
        };
        let changed = endings.iter().filter_map(|(ending, other)| Some(word.strip_suffix(ending)?.to_owned() + other));
        changed.flat_map(move |word| {
            let plain = if self == Self::German { without_last_umlaut(&word) } else { None };
            plain.into_iter().chain([word])
        })
    }

    const fn code(self) -> &'static str {
        match self {
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
        }
    }
}

/// Function words that are other words elsewhere ("sin taxes", German "Mais"): alone they do not tell a language.
const AMBIGUOUS: [&str; 3] = ["sin", "mais", "y"];

/// The translation table; see the module.
#[derive(Debug)]
pub(super) struct Translations {
    /// English alternatives by phrase, in the order of [`LANGUAGES`].
    by_phrase: [FxHashMap<&'static str, Vec<&'static str>>; 3],
}

static TRANSLATIONS: LazyLock<Translations> = LazyLock::new(Translations::read);

impl Translations {
    pub(super) fn shipped() -> &'static Self {
        &TRANSLATIONS
    }

    fn read() -> Self {
        let of = |language: Language| {
            let columns = TABLE.lines().filter_map(|line| line.split_once('\t'));
            let own =
                columns.filter(|(code, _)| *code == language.code()).filter_map(|(_, rest)| rest.split_once('\t'));
            own.map(|(phrase, english)| (phrase, english.split(", ").collect())).collect()
        };
        Self { by_phrase: LANGUAGES.map(of) }
    }

    fn phrases(&self, language: Language) -> &FxHashMap<&'static str, Vec<&'static str>> {
        match language {
            Language::German => &self.by_phrase[0],
            Language::French => &self.by_phrase[1],
            Language::Spanish => &self.by_phrase[2],
        }
    }

    /// Returns the language of words in lower case; `None` for English and if the table does not determine it.
    pub(super) fn language(&self, words: &[&str]) -> Option<Language> {
        let is_frequent = |word: &str| WordVectors::shipped().rank(word).is_some_and(|rank| rank < FREQUENT);
        let of = |language: Language| {
            let is_of = |word: &&&str| {
                language.function_words().contains(word)
                    || !is_frequent(word) && self.phrases(language).contains_key(**word)
            };
            let of_language: Vec<&&str> = words.iter().filter(is_of).collect();
            if of_language.iter().all(|word| AMBIGUOUS.contains(word)) { 0 } else { of_language.len() }
        };
        let is_of_another = |word: &str| LANGUAGES.iter().any(|language| language.function_words().contains(&word));
        let english = words.iter().filter(|word| is_function_word(word) && is_frequent(word) && !is_of_another(word));
        let (max_words, language) =
            LANGUAGES.map(|language| (of(language), language)).into_iter().rev().max_by_key(|(n, _)| *n)?;
        (max_words > 0 && max_words >= english.count()).then_some(language)
    }

    /// Returns the English alternatives of the longest phrase at the start of `words`, and the number of its words.
    pub(super) fn find(&self, language: Language, words: &[&str]) -> Option<(Vec<String>, usize)> {
        (1..=MAX_PHRASE_WORDS.min(words.len())).rev().find_map(|length| {
            let phrase = words[..length].join(" ");
            Some((self.of_phrase(language, &phrase)?, length))
        })
    }

    fn of_phrase(&self, language: Language, phrase: &str) -> Option<Vec<String>> {
        let owned = |found: &Vec<&str>| found.iter().map(|&english| english.to_owned()).collect();
        self.entry(language, phrase).map(owned).or_else(|| match language {
            Language::German => self.compound(phrase),
            Language::French | Language::Spanish => None,
        })
    }

    /// Looks up a phrase as written, then without an ending, then with another ending or vowel.
    fn entry(&self, language: Language, phrase: &str) -> Option<&Vec<&'static str>> {
        let phrases = self.phrases(language);
        phrases.get(phrase).or_else(|| {
            let is_long = |base: &str| base.chars().count() >= MIN_COMPOUND_LETTERS;
            let mut bases = ENDINGS.iter().filter_map(|ending| phrase.strip_suffix(ending));
            let found = bases.find_map(|base| phrases.get(base).filter(|_| is_long(base)));
            let mut others = language.singulars(phrase);
            found.or_else(|| others.find_map(|base| phrases.get(&*base).filter(|_| is_long(&base))))
        })
    }

    /// Translates a German compound such as "Weltraumpolitik" by its two parts, preferring the longest second part.
    fn compound(&self, word: &str) -> Option<Vec<String>> {
        let cuts = word.char_indices().skip(MIN_COMPOUND_LETTERS).map(|(at, _)| at);
        cuts.filter(|at| word[*at..].chars().count() >= MIN_COMPOUND_LETTERS).find_map(|at| {
            let first = self.entry(Language::German, &word[..at])?.first()?;
            let second = self.entry(Language::German, &word[at..])?.first()?;
            Some(vec![format!("{first} {second}")])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(text: &str) -> Option<Language> {
        Translations::shipped().language(&text.split(' ').collect::<Vec<_>>())
    }

    fn english(language: Language, text: &str) -> Option<(Vec<String>, usize)> {
        Translations::shipped().find(language, &text.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn the_language_of_interests_is_detected_by_their_words() {
        assert_eq!(language("klimawandel und energie"), Some(Language::German));
        assert_eq!(language("la politique et les élections"), Some(Language::French));
        assert_eq!(language("cambio climático y energía"), Some(Language::Spanish));
        for text in ["rust sqlite", "the war in ukraine", "chat gift art", "die hard films", ""] {
            assert_eq!(language(text), None, "{text}");
        }
    }

    #[test]
    fn the_longest_phrase_is_translated() {
        let (alternatives, length) = english(Language::German, "künstliche intelligenz verstehen").unwrap();
        assert_eq!((alternatives[0].as_str(), length), ("artificial intelligence", 2));
        assert_eq!(english(Language::French, "zzyzx"), None);
    }

    #[test]
    fn inflected_forms_are_looked_up_by_their_base() {
        let first = |language, word: &str| english(language, word).map(|(alternatives, _)| alternatives[0].clone());
        for (word, read_as) in [
            ("entwicklern", "developer"),
            ("entwicklerinnen", "developer"),
            ("erfahrungen", "experience"),
            ("kurden", "kurdish"),
            ("ausdrücke", "expression"),
            ("nigerianische", "nigerian"),
        ] {
            assert_eq!(first(Language::German, word).as_deref(), Some(read_as), "{word}");
        }
        assert_eq!(first(Language::French, "chercheuses").as_deref(), Some("researcher"));
        assert_eq!(first(Language::Spanish, "lesiones").as_deref(), Some("injury"));
        assert_eq!(first(Language::Spanish, "dólares").as_deref(), Some("dollar"));
    }

    #[test]
    fn a_compound_is_its_parts() {
        let (alternatives, _) = english(Language::German, "energieforschung").unwrap();
        assert_eq!(alternatives, ["energy research"]);
    }

    #[test]
    fn every_line_of_the_table_is_read() {
        let codes: Vec<&str> = LANGUAGES.iter().map(|language| language.code()).collect();
        for line in TABLE.lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            let is_short = |phrase: &str| phrase.split(' ').count() <= MAX_PHRASE_WORDS;
            assert!(columns.len() == 3 && codes.contains(&columns[0]) && is_short(columns[1]), "{line}");
        }
        let phrases = Translations::shipped().by_phrase.each_ref().map(FxHashMap::len);
        assert_eq!(phrases.iter().sum::<usize>(), TABLE.lines().count(), "a phrase stands twice");
    }
}
