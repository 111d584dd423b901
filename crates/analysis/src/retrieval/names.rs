//! Names and years in a question, and which share of them each document has: one that lacks some is likely to be about somebody, some place or
//! some time else, however alike the rest is. What follows from that is for [`super::score`] and [`super::decision`] to say.

use std::collections::{HashMap, HashSet};

use super::Source;
use super::values::is_capital;
use super::vocabulary::{Vocabulary, is_content, is_year, words};
use crate::relevance::places::Places;
use crate::relevance::word_vectors::WordVectors;
use crate::stories::tokens::stem;

/// A name is met by a word this much like it, by the table of word vectors: "Sabbath" by "Sundays".
const LEAST_LIKENESS: f64 = 0.45;
/// Words by which a question is English. In other languages words that are no names have capitals as well.
const ENGLISH: [&str; 16] = [
    "who", "whose", "what", "how", "which", "when", "where", "why", "does", "did", "the", "of", "is", "are", "were",
    "has",
];
/// When, not what, as a text may give a date in other ways; and forms of address.
const TIMES: [&str; 22] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mr",
    "mrs",
    "ms",
];
/// A question in which a larger share of the words has capitals is written so throughout.
const MOST_CAPITALS: f64 = 0.6;

/// The names and years of a question, in lower case, each once.
pub(super) fn names(question: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let lower = words(question);
    let is_english = lower.iter().any(|word| ENGLISH.contains(&word.as_str()));
    let tokens: Vec<&str> = question.split_whitespace().collect();
    let capitals = tokens.iter().filter(|token| is_capital(token)).count();
    let has_names = is_english && ratio(capitals, tokens.len()) <= MOST_CAPITALS;
    let mut is_first = true;
    for token in tokens {
        let is_name = has_names && !is_first && is_capital(token);
        is_first = token.ends_with(['.', '?', '!', ':']);
        for part in token.split('-').filter(|part| !part.is_empty()) {
            let is_name = is_name && is_capital(part);
            for word in words(part) {
                let counts = is_year(&word) || is_name && is_content(&word) && !TIMES.contains(&word.as_str());
                if counts && !found.contains(&word) {
                    found.push(word);
                }
            }
        }
    }
    found
}

#[expect(clippy::cast_precision_loss, reason = "words of a question")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Of each passage, which share of the names of the question its document meets; 1 where there are none.
pub(super) fn names_met(names: &[String], sources: &[Source<'_>], all: &Vocabulary<'_>) -> Vec<f64> {
    if names.is_empty() {
        return vec![1.0; sources.len()];
    }
    let mut of_document: HashMap<&str, HashSet<usize>> = HashMap::new();
    for (part, source) in all.parts.iter().zip(sources) {
        of_document.entry(source.document).or_default().extend(all.words_of(part));
    }
    let meeting: Vec<HashSet<usize>> = names.iter().map(|name| words_meeting(name, all)).collect();
    let share_met = |source: &Source<'_>| {
        let words = &of_document[source.document];
        let is_met =
            |(name, meeting): &(&String, &HashSet<usize>)| !meeting.is_disjoint(words) || is_dated(source, name);
        ratio(names.iter().zip(&meeting).filter(is_met).count(), names.len())
    };
    sources.iter().map(share_met).collect()
}

/// The words of the passages that stand for a name, by number. One that no passage has is met by a word of like meaning; one that some have is
/// not, as names of like meaning are those of others: Microsoft is like Google, and Paris like London.
fn words_meeting(name: &str, all: &Vocabulary<'_>) -> HashSet<usize> {
    let having = |meets: &dyn Fn(&str, &str) -> bool| -> HashSet<usize> {
        let pairs = all.words.iter().zip(&all.stems).enumerate();
        pairs.filter(|(_, (word, stem))| meets(word, stem)).map(|(number, _)| number).collect()
    };
    let name_stem = stem(name);
    let of_place = names_of_place(name);
    let exact = having(&|word, stem| *stem == *name_stem || of_place.contains(word));
    if !exact.is_empty() || is_year(name) {
        return exact;
    }
    let table = WordVectors::shipped();
    let Some(rank) = table.rank(name) else { return exact };
    having(&|word, _| table.rank(word).is_some_and(|other| table.likeness(rank, other) >= LEAST_LIKENESS))
}

/// The words by which texts name a country and its people: "American" is met by "States".
fn names_of_place(name: &str) -> HashSet<&'static str> {
    let places = Places::shipped();
    let Some((place, _)) = places.find(&[name]) else { return HashSet::new() };
    let own = places.names(&place).into_iter().filter(|(_, share)| *share >= 1.0);
    own.flat_map(|(name, _)| name.iter().map(String::as_str)).filter(|word| is_content(word)).collect()
}

fn is_dated(source: &Source<'_>, year: &str) -> bool {
    const MILLISECONDS_OF_YEAR: i64 = 31_556_952_000;
    year.parse() == Ok(source.dated / MILLISECONDS_OF_YEAR + 1970)
}

#[cfg(test)]
mod tests {
    use super::super::Block;
    use super::*;

    #[test]
    fn names_and_years_of_a_question_are_found() {
        assert_eq!(names("Who won the chess tournament of Reykjavik in 1958?"), ["reykjavik", "1958"]);
        assert_eq!(names("When does Anselm's café open on Sunday?"), ["anselm"]);
        assert!(names("How Many Berths Does The Harbour Have?").is_empty());
        assert!(names("Wie viele Boote liegen im Hafen?").is_empty());
        assert_eq!(names("Was kostete das 2025?"), ["2025"]);
    }

    fn source<'a>(document: &'a str, text: &'a str, dated: i64) -> Source<'a> {
        let blocks = vec![Block { text, sentences: vec![text] }];
        Source { document, title: None, section: "", blocks, dated, is_replaced: false, is_item: false }
    }

    fn meets(question: &str, sources: &[Source<'_>]) -> Vec<bool> {
        let shares = names_met(&names(question), sources, &Vocabulary::of(sources, None));
        shares.into_iter().map(|share| share >= 1.0).collect()
    }

    #[test]
    fn a_document_without_the_names_does_not_answer() {
        const IN_2025: i64 = 1_748_000_000_000;
        let sources = [
            source("a", "She won the chess open at Lakeside.", IN_2025),
            source("b", "The chess club of Reykjavik lost.", 0),
            source("b", "It was founded in 1958.", 0),
        ];
        assert_eq!(meets("Who won the chess open?", &sources), [true, true, true]);
        assert_eq!(meets("Who won in Reykjavik in 1958?", &sources), [false, true, true]);
        assert_eq!(meets("Who won the open of 2025?", &sources), [true, false, false]);
    }

    #[test]
    fn a_name_is_met_by_a_word_of_like_meaning() {
        let sources =
            [source("a", "We keep all data in Toronto and run on windows.", 0), source("b", "Tea is at four.", 0)];
        assert_eq!(meets("In which Canadian town is it?", &sources), [true, false]);
        assert_eq!(meets("Does it run on Microsoft systems?", &sources), [true, false]);
        let sources = [source("a", "Canadian laws hold.", 0), source("b", "We keep all data in Toronto.", 0)];
        assert_eq!(meets("In which Canadian town is it?", &sources), [true, false]);
        let sources = [source("a", "It lies in the United States.", 0), source("b", "It lies in Canada.", 0)];
        assert_eq!(meets("Where is the American pier?", &sources), [true, false]);
    }
}
