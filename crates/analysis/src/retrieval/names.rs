//! Names and years in a question, and the share of them that each document contains. A document that lacks some is
//! probably about another person, place or time, even if the rest is similar. [`super::score`] and [`super::decision`]
//! use the share.

use std::collections::{HashMap, HashSet};

use super::CandidatePassage;
use super::values::is_capital;
use super::vocabulary::{Unit, Vocabulary, is_capitalised, is_content, is_year, words};
use crate::relevance::places::Places;
use crate::relevance::word_vectors::WordVectors;
use crate::text::tokens::snowball_stem;

/// Minimum similarity at which a word matches a name, by the table of word vectors: "Sabbath" is matched by "Sundays".
const MIN_SIMILARITY: f64 = 0.45;
/// The share of a place that its own names have, and that of the towns and countries in it.
const WHOLE: f64 = 1.0;
const PART: f64 = 0.3;
/// Words that identify an English question. In other languages, words that are not names are capitalised as well.
const ENGLISH: [&str; 16] = [
    "who", "whose", "what", "how", "which", "when", "where", "why", "does", "did", "the", "of", "is", "are", "were",
    "has",
];
/// Words for times, since a text may write a date in other ways, and forms of address. They do not count as names.
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
/// The first of them are months.
const MONTHS: usize = 12;
/// Above this share of capitalised words, capitals are a matter of style.
const MAX_CAPITALS: f64 = 0.6;

pub(super) fn is_month(word: &str) -> bool {
    TIMES[..MONTHS].contains(&word)
}

/// Returns the names and years of a question, in lower case and without duplicates.
pub(super) fn names(question: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let lower = words(question);
    let is_english = lower.iter().any(|word| ENGLISH.contains(&word.as_str()));
    let tokens: Vec<&str> = question.split_whitespace().collect();
    let capitals = tokens.iter().filter(|token| is_capital(token)).count();
    let has_names = is_english && ratio(capitals, tokens.len()) <= MAX_CAPITALS;
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

/// Returns for each passage the share of the question's names that its document contains; 1 if there are no names.
pub(super) fn share_of_names(names: &[String], candidates: &[CandidatePassage<'_>], all: &Vocabulary<'_>) -> Vec<f64> {
    if names.is_empty() {
        return vec![1.0; candidates.len()];
    }
    let mut of_document: HashMap<&str, HashSet<usize>> = HashMap::new();
    for (part, candidate) in all.parts.iter().zip(candidates) {
        of_document.entry(candidate.document).or_default().extend(all.words_of(part));
    }
    let matching: Vec<HashSet<usize>> = names.iter().map(|name| words_matching(name, all)).collect();
    let share_met = |candidate: &CandidatePassage<'_>| {
        let words = &of_document[candidate.document];
        let is_met =
            |(name, matching): &(&String, &HashSet<usize>)| !matching.is_disjoint(words) || is_dated(candidate, name);
        ratio(names.iter().zip(&matching).filter(is_met).count(), names.len())
    };
    candidates.iter().map(share_met).collect()
}

/// Returns whether no passage has one of these names, nor a word that matches it, and `candidate` is not of that year.
pub(super) fn has_unknown_name(names: &[String], candidate: &CandidatePassage<'_>, all: &Vocabulary<'_>) -> bool {
    names.iter().any(|name| !is_dated(candidate, name) && words_matching(name, all).is_empty())
}

/// Returns the indexes of the words that match a name. If no passage contains the name, a similar word that is no name
/// matches it, or of a country the name of a town in it. Otherwise only exact matches count, as they do for towns,
/// since similar names belong to others: Microsoft is similar to Google, and Paris to London.
fn words_matching(name: &str, all: &Vocabulary<'_>) -> HashSet<usize> {
    let having = |meets: &dyn Fn(&str, &str) -> bool| -> HashSet<usize> {
        let pairs = all.words.iter().zip(&all.stems).enumerate();
        pairs.filter(|(_, (word, stem))| meets(word, stem)).map(|(number, _)| number).collect()
    };
    let name_stem = snowball_stem(name);
    let of_place = names_of_place(name, WHOLE);
    let exact = having(&|word, stem| *stem == *name_stem || of_place.contains(word));
    if !exact.is_empty() || is_year(name) || Places::shipped().is_town(&[name]) {
        return exact;
    }
    if !of_place.is_empty() {
        let parts = names_of_place(name, PART);
        return having(&|word, _| parts.contains(word));
    }
    let table = WordVectors::shipped();
    let Some(rank) = table.rank(name) else { return exact };
    let similar =
        having(&|word, _| table.rank(word).is_some_and(|other| table.similarity(rank, other) >= MIN_SIMILARITY));
    similar.into_iter().filter(|number| !is_name(*number, all)).collect()
}

/// Returns for each sentence whether it may be about these names. Where a document states a thing of the requested kind
/// in a block or under a heading with a name, its other sentences are about something else, unless the title or the
/// name of the file has the name, which then holds for all of the document.
pub(super) fn may_be_about(
    names: &[String],
    has_kind: impl Fn(usize) -> bool,
    candidates: &[CandidatePassage<'_>],
    all: &Vocabulary<'_>,
) -> Vec<bool> {
    let mut may_be_about = vec![true; all.units.len()];
    for name in names.iter().filter(|name| !is_year(name)) {
        let near = units_near(name, all);
        let is_telling = |unit: &usize| near[*unit] && all.units[*unit].is_quotable && has_kind(*unit);
        let document = |unit: usize| candidates[all.units[unit].passage].document;
        let telling: HashSet<&str> = (0..all.units.len()).filter(is_telling).map(document).collect();
        let is_open = |candidate: &CandidatePassage<'_>| {
            candidate.is_item || !telling.contains(candidate.document) || is_titled(candidate, name)
        };
        let is_open: Vec<bool> = candidates.iter().map(is_open).collect();
        for (number, unit) in all.units.iter().enumerate() {
            may_be_about[number] &= near[number] || is_open[unit.passage];
        }
    }
    may_be_about
}

/// Returns for each sentence whether its block or its heading has a name.
fn units_near(name: &str, all: &Vocabulary<'_>) -> Vec<bool> {
    let stem = snowball_stem(name);
    let has_name = |words: &[usize]| words.iter().any(|word| all.stems[*word] == *stem);
    let blocks: HashSet<usize> = all.units.iter().filter(|unit| has_name(&unit.words)).map(|unit| unit.block).collect();
    let is_near = |unit: &Unit<'_>| blocks.contains(&unit.block) || has_name(&all.parts[unit.passage].heading);
    all.units.iter().map(is_near).collect()
}

/// Returns whether the title of a document or the name of its file has a name.
fn is_titled(candidate: &CandidatePassage<'_>, name: &str) -> bool {
    let stem = snowball_stem(name);
    let title = words(candidate.title.unwrap_or_default());
    title.iter().chain(&words(candidate.document)).any(|word| snowball_stem(word) == stem)
}

/// Returns whether a word stands somewhere with a capital, and is neither a weekday nor a month.
fn is_name(number: usize, all: &Vocabulary<'_>) -> bool {
    let word = &all.words[number];
    let is_time = [word.as_str(), word.strip_suffix('s').unwrap_or(word)].iter().any(|word| TIMES.contains(word));
    let mut having = all.units.iter().filter(|unit| unit.words.contains(&number));
    !is_time && having.any(|unit| is_capitalised(unit.text, word))
}

/// Returns the words that denote a country and its people ("American" is matched by "States"), and those of the places
/// in it that have at least this share of it.
fn names_of_place(name: &str, min_share: f64) -> HashSet<&'static str> {
    let places = Places::shipped();
    let Some((place, _)) = places.find(&[name]) else { return HashSet::new() };
    let own = places.names(&place).into_iter().filter(|(_, share)| *share >= min_share);
    own.flat_map(|(name, _)| name.iter().map(String::as_str)).filter(|word| is_content(word)).collect()
}

fn is_dated(candidate: &CandidatePassage<'_>, year: &str) -> bool {
    const MILLISECONDS_OF_YEAR: i64 = 31_556_952_000;
    year.parse() == Ok(candidate.dated / MILLISECONDS_OF_YEAR + 1970)
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

    fn candidate<'a>(document: &'a str, text: &'a str, dated: i64) -> CandidatePassage<'a> {
        let blocks = vec![Block { text, sentences: vec![text] }];
        CandidatePassage {
            document,
            title: None,
            section: "",
            blocks,
            dated,
            is_date_stated: true,
            is_replaced: false,
            is_item: false,
        }
    }

    fn meets(question: &str, candidates: &[CandidatePassage<'_>]) -> Vec<bool> {
        let shares = share_of_names(&names(question), candidates, &Vocabulary::of(candidates, None));
        shares.into_iter().map(|share| share >= 1.0).collect()
    }

    #[test]
    fn a_document_without_the_names_does_not_answer() {
        const IN_2025: i64 = 1_748_000_000_000;
        let candidates = [
            candidate("a", "She won the chess open at Lakeside.", IN_2025),
            candidate("b", "The chess club of Reykjavik lost.", 0),
            candidate("b", "It was founded in 1958.", 0),
        ];
        assert_eq!(meets("Who won the chess open?", &candidates), [true, true, true]);
        assert_eq!(meets("Who won in Reykjavik in 1958?", &candidates), [false, true, true]);
        assert_eq!(meets("Who won the open of 2025?", &candidates), [true, false, false]);
    }

    #[test]
    fn a_name_is_matched_by_a_similar_word() {
        let candidates = [
            candidate("a", "We keep all data in Toronto and run on windows.", 0),
            candidate("b", "Tea is at four.", 0),
        ];
        assert_eq!(meets("In which Canadian town is it?", &candidates), [true, false]);
        assert_eq!(meets("Does it run on Microsoft systems?", &candidates), [true, false]);
        let candidates = [candidate("a", "Canadian laws hold.", 0), candidate("b", "We keep all data in Toronto.", 0)];
        assert_eq!(meets("In which Canadian town is it?", &candidates), [true, false]);
        let candidates = [candidate("a", "The report was written by Michelle.", 0), candidate("b", "It rains.", 0)];
        assert_eq!(meets("Which report did Jennifer write?", &candidates), [false, false]);
        let candidates = [candidate("a", "It is closed on Sundays.", 0), candidate("b", "It rains.", 0)];
        assert_eq!(meets("Is it the Sabbath when it is closed?", &candidates), [true, false]);
        let candidates =
            [candidate("a", "Rooms in Zurich and Paris cost more.", 0), candidate("b", "In London it rains.", 0)];
        assert_eq!(meets("What does a room in Vienna cost?", &candidates), [false, false]);
        let candidates = [candidate("a", "It lies in the United States.", 0), candidate("b", "It lies in Canada.", 0)];
        assert_eq!(meets("Where is the American pier?", &candidates), [true, false]);
    }

    #[test]
    fn a_name_that_no_text_has_is_unknown_unless_the_text_is_of_that_year() {
        const IN_2025: i64 = 1_748_000_000_000;
        let candidates = [candidate("a", "The North West District registered 38 cases.", IN_2025)];
        let all = Vocabulary::of(&candidates, None);
        let is_unknown = |question: &str| has_unknown_name(&names(question), &candidates[0], &all);
        assert!(is_unknown("How many cases did Botswana's Kgalagadi District register?"));
        assert!(is_unknown("How many cases did the District register in 1958?"));
        assert!(!is_unknown("How many cases did the North West District register in 2025?"));
        assert!(!is_unknown("How many cases did the district register?"));
    }

    #[test]
    fn of_a_document_about_several_names_only_what_stands_with_the_name_answers() {
        let stops = ["Hallbenach, school: 14:00", "Ostrevik, pier: 17:00", "The van has 2,400 books since 2019."];
        let block = |text| Block { text, sentences: vec![text] };
        let van = CandidatePassage { blocks: stops.into_iter().map(block).collect(), ..candidate("van.txt", "", 0) };
        let asked = names("At what time does the van stop at Ostrevik?");
        let about = |candidate: &CandidatePassage<'_>, has_kind: bool| {
            let candidates = std::slice::from_ref(candidate);
            may_be_about(&asked, |_| has_kind, candidates, &Vocabulary::of(candidates, None))
        };
        assert_eq!(about(&van, true), [false, true, false]);
        assert_eq!(about(&van, false), [true, true, true], "nothing is said of it");
        assert_eq!(about(&CandidatePassage { title: Some("Ostrevik"), ..van.clone() }, true), [true, true, true]);
        assert_eq!(about(&CandidatePassage { section: "Ostrevik", ..van }, true), [true, true, true]);
    }
}
