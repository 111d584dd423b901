//! Expands words of interests: abbreviations, synonyms, and the related words of a subject's name.
//!
//! The tables were written for this project (`models/abbreviations_en_v1.tsv`, `models/topics_en_v1.tsv`,
//! `models/synonyms_en_v1.tsv`), for English.

use std::sync::{Arc, LazyLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::words::{each_query_word, light_stem};

static ABBREVIATIONS: &str = include_str!("../../../../models/abbreviations_en_v1.tsv");
static TOPICS: &str = include_str!("../../../../models/topics_en_v1.tsv");
static SYNONYMS: &str = include_str!("../../../../models/synonyms_en_v1.tsv");

/// Maximum words of a phrase in either table.
pub(super) const MAX_PHRASE_WORDS: usize = 4;

/// The tables; see the module.
#[derive(Debug)]
pub(super) struct Lexicon {
    /// The stems of each abbreviated phrase with its abbreviation, by the first stem.
    abbreviations: FxHashMap<String, Vec<(Vec<String>, &'static str)>>,
    /// Stems of the words related to a subject, by the stems of its name.
    topics: FxHashMap<Vec<String>, Arc<[String]>>,
    /// All stems of subject names and their related words.
    of_topics: FxHashSet<String>,
    /// The same words as the table writes them.
    words_of_topics: FxHashSet<&'static str>,
    /// The words of like meaning of each stem.
    synonyms: FxHashMap<String, Vec<&'static str>>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::read);

impl Lexicon {
    pub(super) fn shipped() -> &'static Self {
        &LEXICON
    }

    fn read() -> Self {
        let lines = |table: &'static str| table.lines().filter_map(|line| line.split_once('\t'));
        let mut abbreviations: FxHashMap<String, Vec<(Vec<String>, &'static str)>> = FxHashMap::default();
        for (short, long) in lines(ABBREVIATIONS) {
            let stems = stems(long);
            if let Some(first) = stems.first() {
                abbreviations.entry(first.clone()).or_default().push((stems, short));
            }
        }
        let mut topics: FxHashMap<Vec<String>, Arc<[String]>> = FxHashMap::default();
        for (names, related) in lines(TOPICS) {
            // Phrases in the table are hyphenated; their words alone would be too general.
            let related: Arc<[String]> =
                related.split(' ').filter(|word| !word.contains('-')).map(light_stem).collect();
            for name in names.split(", ") {
                topics.insert(stems(name), Arc::clone(&related));
            }
        }
        let of_topics = topics.iter().flat_map(|(name, related)| name.iter().chain(&**related));
        let of_topics = of_topics.cloned().collect();
        let is_apart = |c: char| matches!(c, ' ' | ',' | '\t' | '\n');
        let words_of_topics = TOPICS.split(is_apart).filter(|word| !word.is_empty() && !word.contains('-')).collect();
        let mut synonyms: FxHashMap<String, Vec<&'static str>> = FxHashMap::default();
        for line in SYNONYMS.lines() {
            for word in line.split(' ') {
                let stem = light_stem(word);
                let others = line.split(' ').filter(|other| light_stem(other) != stem);
                synonyms.entry(stem.clone()).or_default().extend(others);
            }
        }
        Self { abbreviations, topics, of_topics, words_of_topics, synonyms }
    }

    /// Returns the abbreviation of a phrase, given the stems of its words.
    pub(super) fn abbreviation<S: AsRef<str>>(&self, stems: &[S]) -> Option<&'static str> {
        let [first, _, ..] = stems else { return None };
        let is_same = |phrase: &[String]| phrase.iter().map(String::as_str).eq(stems.iter().map(AsRef::as_ref));
        // If a phrase occurs twice in the table, the last line counts.
        let mut phrases = self.abbreviations.get(first.as_ref())?.iter().rev();
        phrases.find(|(phrase, _)| is_same(phrase)).map(|(_, short)| *short)
    }

    /// Returns every abbreviation, some more than once.
    pub(super) fn abbreviations(&self) -> impl Iterator<Item = &'static str> {
        self.abbreviations.values().flatten().map(|(_, short)| *short)
    }

    pub(super) fn begins_abbreviation(&self, stem: &str) -> bool {
        self.abbreviations.contains_key(stem)
    }

    /// Returns whether a word names a subject or is related to one.
    pub(super) fn is_of_topics(&self, word: &str) -> bool {
        let stem = light_stem(word);
        // A stem is not always a word: "extrem" is that of "extreme".
        self.words_of_topics.contains(word) || stem != word && self.of_topics.contains(&stem)
    }

    /// Returns the words that mean about the same as those with a stem.
    pub(super) fn synonyms(&self, stem: &str) -> &[&'static str] {
        self.synonyms.get(stem).map_or(&[], |words| words)
    }

    /// Returns the number of stems of the longest name or abbreviation of a subject that `stems` begin with.
    pub(super) fn name_at(&self, stems: &[String]) -> Option<usize> {
        let mut lengths = (1..=MAX_PHRASE_WORDS.min(stems.len())).rev();
        lengths.find(|length| {
            let name = &stems[..*length];
            self.related(name).is_some() || self.abbreviation(name).is_some()
        })
    }

    /// Returns the stems of the words related to a subject.
    pub(super) fn related(&self, stems: &[String]) -> Option<&[String]> {
        self.topics.get(stems).map(AsRef::as_ref)
    }
}

fn stems(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_query_word(text, |word| found.push(light_stem(word)));
    found
}

#[cfg(test)]
mod tests {
    use super::super::word_vectors::WordVectors;
    use super::super::words::is_unspecific;
    use super::*;

    #[test]
    fn abbreviations_are_found_by_what_they_stand_for() {
        let lexicon = Lexicon::shipped();
        assert_eq!(lexicon.abbreviation(&stems("artificial intelligence")), Some("ai"));
        assert_eq!(lexicon.abbreviation(&stems("language models")), Some("llm"));
        assert_eq!(lexicon.abbreviation(&stems("ferry")), None);
    }

    #[test]
    fn a_word_has_the_synonyms_of_one_line() {
        assert_eq!(Lexicon::shipped().synonyms(&light_stem("migrant")), ["immigrants", "immigration", "migration"]);
        let mut stems: Vec<(String, &str)> = Vec::new();
        for line in SYNONYMS.lines() {
            stems.extend(line.split(' ').map(|word| (light_stem(word), line)));
        }
        stems.sort();
        assert!(stems.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].1 == pair[1].1));
    }

    #[test]
    fn subjects_cover_their_things() {
        let related = Lexicon::shipped().related(&stems("films")).unwrap();
        assert!(related.contains(&light_stem("director")));
    }

    #[test]
    fn no_word_of_every_text_is_related_to_a_subject() {
        const USUAL: usize = 60;
        let related = TOPICS.lines().filter_map(|line| line.split_once('\t')).flat_map(|(_, words)| words.split(' '));
        let is_usual = |word: &&str| WordVectors::shipped().rank(word).is_some_and(|rank| rank < USUAL);
        let wrong: Vec<&str> = related.filter(is_usual).collect();
        assert!(wrong.is_empty() && is_usual(&"who"), "{wrong:?}");
    }

    #[test]
    fn no_subject_is_among_the_words_that_name_none() {
        let names = TOPICS.lines().filter_map(|line| line.split_once('\t')).flat_map(|(names, _)| names.split(", "));
        let wrong: Vec<&str> = names.filter(|name| is_unspecific(name)).collect();
        assert!(wrong.is_empty() && is_unspecific("decide"), "{wrong:?}");
    }

    #[test]
    fn a_name_stands_for_one_subject() {
        let mut known: FxHashMap<Vec<String>, (usize, &str)> = FxHashMap::default();
        let mut twice = Vec::new();
        for (number, line) in TOPICS.lines().enumerate() {
            let (names, _) = line.split_once('\t').unwrap();
            for name in names.split(", ") {
                let (line, other) = *known.entry(stems(name)).or_insert((number, name));
                if line != number {
                    twice.push((number + 1, name, line + 1, other));
                }
            }
        }
        assert!(twice.is_empty(), "{twice:?}");
    }

    #[test]
    fn no_phrase_is_longer_than_is_looked_for() {
        let lexicon = Lexicon::shipped();
        let abbreviated = lexicon.abbreviations.values().flatten().map(|(phrase, _)| phrase);
        let phrases = abbreviated.chain(lexicon.topics.keys());
        let long: Vec<_> = phrases.filter(|phrase| phrase.len() > MAX_PHRASE_WORDS).collect();
        assert!(long.is_empty(), "{long:?}");
    }
}
