//! Reads a word of a question that occurs in no text, and has a typing error, as the word that was meant.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use aha_analysis::relevance::Correction;
use aha_analysis::retrieval::spelling::{
    Reading, TypingError, function_word, is_known, may_have_content, readings, unknown_words,
};
use aha_analysis::retrieval::{Question, is_capitalised};
use aha_content::stems::query_stems;
use aha_store::SearchQuery;

use crate::app::App;
use crate::services::ServiceError;

/// Maximum number of words that are looked up, which takes some milliseconds each.
const MAX_WORDS: usize = 3;
/// Minimum number of entries with a word that is in no table of words, such as a name.
const MIN_ENTRIES: i64 = 2;
/// A word in as many entries is as likely to be meant as one of the table.
const MANY_ENTRIES: i64 = 5;
/// Maximum number of entries that are searched for a word in the form that is meant.
const SEARCHED_ENTRIES: i64 = 20;

/// A question as it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ReadQuestion {
    pub(super) text: String,
    corrections: Vec<Correction>,
}

impl ReadQuestion {
    /// Says how words were read; `None` if all are as written.
    pub(super) fn note(&self) -> Option<String> {
        let said = |one: &Correction| format!("read “{}” as “{}”", one.written, one.read_as);
        let read: Vec<String> = self.corrections.iter().map(said).collect();
        (!read.is_empty()).then(|| read.join("; "))
    }
}

/// Corrects the words of a question that occur in no text and are one typing error away from one that does.
pub(super) async fn read(app: &App, text: &str) -> Result<ReadQuestion, ServiceError> {
    let question = Question::new(text);
    let mut read = ReadQuestion { text: text.to_owned(), corrections: Vec::new() };
    let unknown: Vec<(&str, BTreeSet<String>)> =
        unknown_words(&question).into_iter().take(MAX_WORDS).map(|word| (word, query_stems(word))).collect();
    if unknown.is_empty() {
        return Ok(read);
    }
    let stems: BTreeSet<String> = unknown.iter().flat_map(|(_, stems)| stems).cloned().collect();
    let entries = frequencies(app, stems).await?;
    for (word, _) in unknown.iter().filter(|(_, stems)| !stems.iter().any(|stem| entries.contains_key(stem))) {
        let readings = readings_in(text, word);
        let read_as = match function_word(&readings) {
            Some(word) => Some(word.to_owned()),
            None if may_have_content(word) => {
                let stems = readings.iter().flat_map(|reading| query_stems(&reading.word)).collect();
                first_occurring(app, likeliest(readings, &frequencies(app, stems).await?)).await?
            }
            None => None,
        };
        if let Some(read_as) = read_as {
            let correction = Correction { written: (*word).to_owned(), read_as };
            read.text = correction.apply(&read.text);
            read.corrections.push(correction);
        }
    }
    Ok(read)
}

/// Returns what a word of a question may mean. Another name may differ from a name by a letter that is added or replaced.
fn readings_in(question: &str, word: &str) -> Vec<Reading> {
    let is_name = is_capitalised(question, word);
    let is_possible = |reading: &Reading| !is_name || reading.error == TypingError::MissingOrTransposed;
    readings(word).into_iter().filter(is_possible).collect()
}

/// Returns in how many entries each of these stems occurs, without those that do not occur.
async fn frequencies(app: &App, stems: BTreeSet<String>) -> Result<HashMap<String, i64>, ServiceError> {
    let stems: Vec<String> = stems.into_iter().collect();
    Ok(app.store().term_frequencies(&stems).await?.into_iter().collect())
}

/// Returns the first word that is in the table of words or in a text. The index has only stems, and the stem of a word
/// that does not exist may be that of another one.
async fn first_occurring(app: &App, words: Vec<String>) -> Result<Option<String>, ServiceError> {
    for word in words.into_iter().take(MAX_WORDS) {
        if is_known(&word) || occurs(app, &word).await? {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

async fn occurs(app: &App, word: &str) -> Result<bool, ServiceError> {
    let forms = query_stems(word).into_iter().map(|stem| vec![stem]).collect();
    let query = SearchQuery { wanted: vec![forms], limit: SEARCHED_ENTRIES, ..SearchQuery::default() };
    let entries = app.store().find_entries(&query).await?;
    let hits = app.store().search_hits(&entries, false).await?;
    let has = |text: &str| text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|one| one == word);
    let is_in = |text: &Option<String>| text.as_deref().is_some_and(has);
    Ok(hits.iter().any(|hit| has(&hit.text) || is_in(&hit.title) || is_in(&hit.section)))
}

/// Returns the readings whose stem occurs, the likeliest first: those of the table of words and those that many entries
/// have, by the kind of error and then by how many entries have them.
fn likeliest(readings: Vec<Reading>, entries: &HashMap<String, i64>) -> Vec<String> {
    let counted = readings.into_iter().filter_map(|reading| {
        let count = query_stems(&reading.word).iter().filter_map(|stem| entries.get(stem)).copied().max()?;
        let is_known = is_known(&reading.word);
        let is_trusted = is_known || count >= MANY_ENTRIES;
        (is_known || count >= MIN_ENTRIES).then_some((!is_trusted, reading.error, Reverse(count), reading.word))
    });
    let mut counted: Vec<_> = counted.collect();
    counted.sort();
    counted.into_iter().map(|(.., word)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(words: &[(&str, i64)]) -> HashMap<String, i64> {
        let stems =
            |(word, count): &(&str, i64)| query_stems(word).into_iter().map(|stem| (stem, *count)).collect::<Vec<_>>();
        words.iter().flat_map(stems).collect()
    }

    fn first(readings: Vec<Reading>, entries: &HashMap<String, i64>) -> Option<String> {
        likeliest(readings, entries).into_iter().next()
    }

    #[test]
    fn a_missing_letter_is_likelier_than_an_added_or_another_one() {
        let entries = entries(&[("taking", 40), ("tracking", 3), ("trading", 9)]);
        assert_eq!(first(readings("traking"), &entries).as_deref(), Some("tracking"));
        assert_eq!(first(readings("zzyzxq"), &entries), None);
    }

    #[test]
    fn a_word_of_many_texts_goes_before_one_of_the_table() {
        let entries = entries(&[("daemon", 40), ("demon", 1)]);
        assert_eq!(first(readings("deamon"), &entries).as_deref(), Some("daemon"));
    }

    #[test]
    fn function_words_are_read_with_a_letter_more_or_two_transposed() {
        let meant = |word: &str| function_word(&readings_in("whose bike is it", word)).map(str::to_owned);
        assert_eq!(meant("wich").as_deref(), Some("which"));
        assert_eq!(meant("thier").as_deref(), Some("their"));
        assert_eq!(meant("hwich"), None);
        assert!(may_have_content("wharf") && !may_have_content("quay"));
    }

    #[test]
    fn a_name_that_occurs_once_is_not_meant() {
        assert_eq!(first(readings("hallbenach"), &entries(&[("hallbernach", 1)])), None);
        let twice = entries(&[("hallbernach", 2)]);
        assert_eq!(first(readings("hallbenach"), &twice).as_deref(), Some("hallbernach"));
    }

    #[test]
    fn of_a_name_a_letter_is_neither_added_nor_replaced() {
        let entries = entries(&[("hallbernach", 2), ("ostrevik", 2)]);
        let meant = |question: &str, word: &str| first(readings_in(question, word), &entries);
        assert_eq!(meant("Where is Hallbenach?", "hallbenach").as_deref(), Some("hallbernach"));
        assert_eq!(meant("Where is Hallbervach?", "hallbervach"), None);
        assert_eq!(meant("Where is hallbervach?", "hallbervach").as_deref(), Some("hallbernach"));
        assert_eq!(meant("Where is Osttrevik?", "osttrevik"), None);
    }

    #[test]
    fn only_the_whole_word_is_replaced_and_keeps_its_capital() {
        let correction = Correction { written: "traking".into(), read_as: "tracking".into() };
        assert_eq!(correction.apply("Is theft Traking (traking2)?"), "Is theft Tracking (traking2)?");
    }
}
